//! What is called sound is what the reader calls sound, wherever blocks end.

use super::*;
use crate::json::members::Members;
use crate::json::reader::Reader;
use crate::json::value::Place;

const RECORDS: [&str; 14] = [
    r#"{"a": 1, "b": [1, "c", {"d": "e", "f": null}, []], "g": "h: i, j", "k": -1.5}"#,
    r#"{"a": "b", "c": {"d": ["e", "f"]},"g":1, "h":"i"}"#,
    r#"{}"#,
    r#"{"a":1}"#,
    r#"{"a":"b","c":["d",{"e":[]},{}],"f":{"g":null,"h":true}}"#,
    r#"{"dt":[0,0,0,12,105],"texts":[" the"," file",""," 文件","🎉"]}"#,
    r#"{"a":"\"","b":"\\","c":"\\\"","d":"\\\\","e":"\u00e9\ud83d\ude00\uD800","f":"\/\b\f\n\r\t"}"#,
    r#"{"a":-1,"b":0,"c":-0.5,"d":12.75,"e":[false,true,null],"f":10000000000}"#,
    r#"{"a":{"b":{"c":{"d":[[[[1,[2]],3]],4]}}},"z":"}]{[,:"}"#,
    r#"{"a":"b","a":"c","\u0061":"d"}"#,
    r#"{"":"","a":[{"b":1},{"b":2}],"c":[[],[],{}]}"#,
    r#"{"type":"assistant/attempt","seq":7,"data":{"stream":[{"type":"chunk","chunk":{"type":"text-delta","text":" a"}}]}}"#,
    r#"{"a":["b","c"],"d":"e:f","g":[1,"h"],"i":"j"}"#,
    r#"{"long":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","b":[1]}"#,
];

fn said(data: &[u8]) -> (bool, bool) {
    let is_sound = is_sound(data, &mut Marks::default());
    let is_json = std::str::from_utf8(data).is_ok()
        && Reader { data, at: 0 }.validate().is_some_and(|(.., suspect)| !suspect);
    (is_sound, is_json)
}

/// The record after so many more bytes, so that each of its bytes stands at each place of a block.
fn moved(record: &str, by: usize) -> Vec<u8> {
    let comma = if record == "{}" { "" } else { "," };
    format!(r#"{{"{}":0{comma}{}"#, "x".repeat(by), &record[1..]).into_bytes()
}

#[test]
fn what_is_minified_is_sound_wherever_blocks_end() {
    for record in RECORDS {
        for by in 0..140 {
            let record = moved(record, by);
            assert_eq!(said(&record), (true, true), "{}", String::from_utf8_lossy(&record));
        }
    }
}

#[test]
fn nothing_is_sound_that_the_reader_refuses() {
    let mut sound = 0;
    let mut check = |data: &[u8]| {
        let (is_sound, is_json) = said(data);
        sound += usize::from(is_sound);
        assert!(is_json || !is_sound, "{}", String::from_utf8_lossy(data));
    };
    for record in RECORDS {
        for by in [0, 1, 29, 50, 57, 58, 59, 60, 61, 62, 63] {
            let record = moved(record, by);
            for at in by..record.len() {
                check(&record[..at]);
                check(&[&record[..at], &record[at + 1..]].concat());
                for byte in *b"\"\\,:{}[]0123-.eEtu/n x\t\n\xFF\xC3\x80" {
                    let mut other = record.clone();
                    other[at] = byte;
                    check(&other);
                    other = record.clone();
                    other.insert(at, byte);
                    check(&other);
                    other.insert(at, byte);
                    check(&other);
                }
            }
        }
    }
    assert!(sound > 10_000, "{sound}");
}

#[test]
fn nothing_follows_the_value() {
    for after in [",\"b}", ",\"b\"}", ",1}", ",}", "}", ",{}", "\"}", ":\"}", ",\"]}", " }", ",\"\\}"] {
        for record in RECORDS {
            let data = format!("{record}{after}");
            assert_eq!(said(data.as_bytes()), (false, false), "{data}");
        }
    }
}

#[test]
fn the_marks_lead_to_the_same_values() {
    fn same(marked: Members<'_>, plain: Members<'_>) {
        let (mut marked, mut plain) = (marked, plain);
        while let Some((name, value)) = plain.next() {
            let (other, found) = marked.next().unwrap();
            assert_eq!((name.raw, name.has_escapes, value.raw()), (other.raw, other.has_escapes, found.raw()));
            same(found.contents(), value.contents());
        }
        assert!(marked.next().is_none());
    }
    for record in RECORDS {
        for by in 0..140 {
            let record = moved(record, by);
            let mut marks = Marks::default();
            assert!(is_sound(&record, &mut marks));
            let place = Place { marks: Some(&marks), base: 0, first: 1, is_plain: false };
            same(Members::new(&record, place), Members::new(&record, Place::default()));
        }
    }
}
