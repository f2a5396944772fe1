//! One record of any bytes: it is JSON exactly where another parser says so, and reading it never fails (spec S7).
#![no_main]

use lastsaid_core::json::{BOM, Value, parse};
use lastsaid_core::node::{Flow, Key, Node};
use libfuzzer_sys::fuzz_target;
use serde::de::{Deserialize, IgnoredAny};

/// Look at everything there is, a few levels deep; the rest is looked at by `check_limits`.
fn walk(value: &Value<'_>, depth: usize) {
    let Ok(shape) = value.shape();
    let Ok(is_object) = value.is_object();
    assert_eq!(is_object, shape.phrase() == "an object");
    let Ok(text) = value.with_text(<[u8]>::to_vec);
    assert_eq!(text.is_some(), shape.phrase() == "a string");
    let _ = (value.ordinal(), value.keep());
    if depth == 0 {
        return;
    }
    let Ok(members) = value.members([Key::Type, Key::Data, Key::Message, Key::Stream, Key::Event, Key::Params]);
    for member in members.iter().flatten() {
        walk(member, depth - 1);
    }
    let mut count = 0;
    let visited = value.each(&mut |at, inner| {
        assert_eq!(at, count);
        count += 1;
        walk(&inner, depth - 1);
        Ok(Flow::Continue)
    });
    assert!(visited.is_ok());
    assert_eq!(count, value.list_len().unwrap_or(0));
}

/// Whether serde_json takes it, which knows no limits here.
fn is_json(data: &[u8]) -> bool {
    let mut other = serde_json::Deserializer::from_slice(data);
    other.disable_recursion_limit();
    IgnoredAny::deserialize(&mut other).is_ok() && other.end().is_ok()
}

fuzz_target!(|data: &[u8]| {
    let parsed = parse(data);
    if std::str::from_utf8(data).is_ok() && !data.starts_with(BOM) && data.len() < 10_000 {
        assert_eq!(parsed.is_ok(), is_json(data));
    }
    if let Ok(record) = parsed {
        let _ = record.check_limits();
        walk(&record.value, 6);
    }
});
