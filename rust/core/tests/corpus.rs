//! Every case of the corpus (tests/corpus/README.md) through every way into the core, and the big handed corpus
//! where there is one (LASTSAID_CORPUS, else `shared/corpus` beside the repository).

// A test that can't go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use lastsaid_core::fold::{Fold, Place};
use lastsaid_core::formats::dsh;
use lastsaid_core::json;
use lastsaid_core::log::reading::{Kept, Options, read};
use lastsaid_core::log::source::File;
use lastsaid_core::node::{Flow, Node};
use lastsaid_core::suffix::Suffix;

use support::json::{Json, units, wtf8};
use support::said::{Answer, Failure, Said, of_fold, said};
use support::ways::{List, agreed, own_start, records};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped() -> PathBuf {
    repository().join("tests/corpus")
}

/// Where the big corpus is. One that is named must be there.
fn handed() -> Option<PathBuf> {
    match std::env::var_os("LASTSAID_CORPUS") {
        Some(named) => Some(named.into()),
        None => Some(repository().join("../shared/corpus")).filter(|folder| folder.is_dir()),
    }
}

/// One log and what must come of reading it.
struct Case {
    name: String,
    log: Vec<u8>,
    /// The file that holds just the log.
    path: Option<PathBuf>,
    options: Options,
    expected: Result<Json, Json>,
    /// Whether its events one by one answer the same.
    objects: bool,
}

fn parsed(path: &Path) -> Json {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    support::json::parse(&bytes).unwrap_or_else(|| panic!("{} is no JSON", path.display()))
}

/// The folders in a folder that hold such a file, in order.
fn folders(parent: &Path, file: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    let mut found: Vec<_> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.join(file).is_file()).collect();
    found.sort();
    found
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// A session of the real product.
fn captured(folder: &Path) -> Case {
    let case = parsed(&folder.join("case.json"));
    let said = case.get("expected").unwrap();
    let stop = said.get("last_turn_end").expect("last_turn_end").clone();
    let path = folder.join("log.jsonl");
    Case {
        name: format!("dsh/{}", name_of(folder)),
        log: fs::read(&path).unwrap(),
        path: Some(path),
        options: Options::default(),
        expected: Ok(support::json::object([
            ("output", said.get("output").expect("output").clone()),
            ("stop_reason_raw", stop),
        ])),
        objects: true,
    }
}

fn options_of(asked: &Json) -> Options {
    let mut options = Options::default();
    let Json::Object(members) = asked else { panic!("options are an object: {asked}") };
    for (name, value) in members {
        match String::from_utf16(name).unwrap().as_str() {
            "session" => options.session = Some(wtf8(value.as_units().unwrap()).into()),
            "suffix" => options.suffix = if value.is("whole") { Suffix::Whole } else { Suffix::Own },
            "start" => options.suffix = Suffix::Start(value.as_int().unwrap()),
            "turn" => options.suffix = Suffix::Turn(value.as_int().unwrap()),
            "since_seq" => options.suffix = Suffix::SinceSeq(value.as_ordinal().unwrap()),
            "on_malformed" => options.skip = value.is("skip"),
            "max_record_bytes" => options.limit = usize::try_from(value.as_int().unwrap()).unwrap(),
            other => panic!("an option that this runner doesn't know: {other}"),
        }
    }
    options
}

/// A case that nobody captured.
fn written(folder: &Path) -> Case {
    let case = parsed(&folder.join("case.json"));
    let path = folder.join("log.jsonl");
    Case {
        name: name_of(folder),
        log: fs::read(&path).unwrap(),
        path: Some(path),
        options: case.get("options").map(options_of).unwrap_or_default(),
        expected: match (case.get("expected"), case.get("expected_error")) {
            (Some(expected), None) => Ok(expected.clone()),
            (None, Some(expected)) => Err(expected.clone()),
            _ => panic!("{}: either expected or expected_error", folder.display()),
        },
        objects: case.get("objects") != Some(&Json::Bool(false)),
    }
}

/// Generated logs with the reference system's own answer; both suffixes say the same.
fn oracle(path: &Path) -> Vec<Case> {
    let lines = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases = Vec::new();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let case = support::json::parse(line).expect("a case a line");
        let skip = case.get("on_malformed").is_some_and(|what| what.is("skip"));
        assert_eq!(skip, case.get("on_malformed").is_some());
        let output = case.get("expected").expect("expected").clone();
        for suffix in [Suffix::Own, Suffix::Whole] {
            cases.push(Case {
                name: format!("{}/{}, {suffix:?}", name_of(path), case.get("name").unwrap()),
                log: wtf8(case.get("log").unwrap().as_units().unwrap()),
                path: None,
                options: Options { suffix, skip, ..Options::default() },
                expected: Ok(support::json::object([("output", output.clone())])),
                objects: !skip,
            });
        }
    }
    cases
}

fn optional(text: Option<Vec<u8>>) -> Json {
    text.map_or(Json::Null, |text| Json::String(support::json::from_wtf8(&text)))
}

fn optional_number(value: Option<u64>) -> Json {
    value.map_or(Json::Null, support::json::number)
}

/// What an answer says for a key of `expected`.
fn told(answer: &Answer, key: &str, expected: &Json) -> Json {
    match key {
        "output" => answer.output().unwrap_or(Json::Null),
        "text" => optional(Some(answer.text.clone())),
        "source" => support::json::string(answer.source),
        "completeness" => support::json::string(answer.completeness()),
        "stop_reason" => optional(answer.stop_reason()),
        "stop_reason_raw" => optional(answer.stop_reason_raw()),
        "seq" => optional_number(answer.place.seq),
        "offset" => optional_number(answer.place.offset),
        "index" => optional_number(answer.place.index),
        "line" => optional_number(answer.place.line),
        "warnings" => Json::List(answer.warnings.iter().map(|warning| support::json::string(warning)).collect()),
        "earlierText" => match (&answer.earlier, expected) {
            (Some(earlier), Json::Object(asked)) => {
                let all = support::json::object([
                    ("text", optional(Some(earlier.text.clone()))),
                    ("source", support::json::string(earlier.source)),
                    ("seq", optional_number(earlier.place.seq)),
                    ("offset", optional_number(earlier.place.offset)),
                ]);
                let Json::Object(mut members) = all else { unreachable!() };
                members.retain(|name, _| asked.contains_key(name));
                Json::Object(members)
            }
            (Some(earlier), _) => optional(Some(earlier.text.clone())),
            (None, _) => Json::Null,
        },
        other => panic!("a key of `expected` that this runner doesn't know: {other}"),
    }
}

/// What a failure says for a key of `expected_error`.
fn named(failure: &Failure, key: &str) -> Json {
    if let Failure::SessionNotFound(session, sessions) = failure {
        return match key {
            "session" => optional(session.as_ref().map(|id| id.to_vec())),
            "sessions" => {
                Json::List(sessions.iter().map(|id| Json::String(support::json::from_wtf8(id))).collect())
            }
            other => panic!("a key of `expected_error` that a missing session doesn't have: {other}"),
        };
    }
    let Failure::Malformed { kind, path, message, offset, line, .. } = failure else {
        panic!("a malformed event, not {failure:?}");
    };
    match key {
        "kind" => support::json::string(kind),
        "path" => support::json::string(path),
        "message" => support::json::string(message),
        "offset" => optional_number(*offset),
        "line" => optional_number(*line),
        other => panic!("a key of `expected_error` that this runner doesn't know: {other}"),
    }
}

/// Its sentence is made where Python raises it.
fn is_session_not_found(found: &Said) -> bool {
    matches!(found, Err(Failure::SessionNotFound(..)))
}

/// Hold what a way says against what a case expects; `unknown` are the keys that the way can't know.
fn held(found: &Said, expected: &Result<Json, Json>, unknown: &[&str]) -> Result<(), String> {
    let (Ok(Json::Object(members)) | Err(Json::Object(members))) = expected else {
        panic!("expected is no object")
    };
    assert!(!members.is_empty());
    for (key, value) in members {
        let key = String::from_utf16(key).unwrap();
        if unknown.contains(&key.as_str()) || (key == "message" && is_session_not_found(found)) {
            continue;
        }
        let said = match (found, expected) {
            (Ok(answer), Ok(_)) => told(answer, &key, value),
            (Err(failure), Err(_)) => named(failure, &key),
            (found, _) => return Err(format!("says {found:?}")),
        };
        if said != *value {
            return Err(format!("{key} is {said}, expected {value}"));
        }
    }
    Ok(())
}

/// All ways that read bytes.
fn check_bytes(case: &Case) -> Result<(), String> {
    let agreed = agreed(&case.log, &case.options)?;
    held(&agreed, &case.expected, &[])?;
    if let Some(path) = &case.path {
        let mut file = File::from_here(fs::File::open(path).unwrap()).unwrap();
        let found = said(read(&mut file, &case.options)).map(Answer::without_lines);
        if found != agreed.map(Answer::without_lines) {
            return Err(format!("the file itself says {found:?}"));
        }
    }
    Ok(())
}

/// What only a log can know.
const ONLY_IN_LOGS: [&str; 4] = ["index", "offset", "line", "message"];
/// The warnings that are not about a log.
const ALSO_IN_LISTS: [&str; 3] = ["textless", "open_turn", "lone_surrogate"];

/// All ways that take events, after the caller has cut the suffix (S5).
fn check_objects(case: &Case) -> Result<(), String> {
    // Torn lines are no events, and neither is what isn't JSON.
    let lines: Vec<_> = records(&case.log).into_iter().filter_map(|(_, line)| json::parse(line).ok()).collect();
    let values: Vec<_> = lines.iter().map(|record| record.value).collect();
    let (start, divided) = match case.options.suffix {
        Suffix::Own => own_start(&values),
        Suffix::Whole => (0, 0),
        Suffix::Start(start @ 0..) => (usize::try_from(start).unwrap().min(values.len()), 0),
        Suffix::Start(start) => (values.len().saturating_sub(usize::try_from(start.unsigned_abs()).unwrap()), 0),
        other => return Err(format!("lists have no {other:?}")),
    };
    let mut fold = Fold::<Kept>::default();
    let mut pushed = Ok(());
    for (nth, record) in lines.iter().enumerate().skip(start) {
        let skipped = if nth == start { divided } else { 0 };
        pushed = dsh::event(&record.value).map_err(Failure::from).and_then(|event| {
            if fold.reads(&event) {
                record.check_limits()?;
            }
            let place = Place::at_index(nth as u64);
            if skipped > 0 {
                fold.take(&event, place, skipped)?
            } else {
                fold.apply(&event, place)?
            };
            Ok(())
        });
        if pushed.is_err() {
            break;
        }
    }
    let folded = pushed.map(|()| of_fold(&fold));
    let expected = match &case.expected {
        Ok(expected) => Ok(without_places(expected)),
        Err(expected) => Err(expected.clone()),
    };
    let in_lists = |said: &Said| {
        let mut said = said.clone();
        if let Ok(answer) = &mut said {
            answer.warnings.retain(|warning| ALSO_IN_LISTS.contains(warning));
        }
        said
    };
    held(&in_lists(&folded), &expected, &ONLY_IN_LOGS).map_err(|differ| format!("a fold: {differ}"))?;
    // Lists have no limits, they hold objects.
    if divided > 0 || lines.iter().any(|record| record.check_limits().is_err()) {
        return Ok(());
    }
    let mut list = List(values);
    let (forward, backward) = (list.forward(start as u64, false), list.backward(start as u64, false));
    if forward != backward {
        return Err(format!("a list forward says {forward:#?}\nand backward {backward:#?}"));
    }
    held(&in_lists(&forward), &expected, &ONLY_IN_LOGS).map_err(|differ| format!("a list: {differ}"))?;
    if let (Ok(listed), Ok(folded)) = (forward, folded)
        && listed.kept != folded.kept
    {
        return Err(format!("a list says {listed:?}\nand a fold {folded:?}"));
    }
    Ok(())
}

/// What events one by one can be held against: without offsets and the warnings about a log.
fn without_places(expected: &Json) -> Json {
    let Json::Object(mut members) = expected.clone() else { panic!("expected is no object") };
    if let Some(Json::Object(earlier)) = members.get_mut(&units("earlierText")) {
        earlier.remove(&units("offset"));
    }
    if let Some(Json::List(warnings)) = members.get_mut(&units("warnings")) {
        warnings.retain(|warning| ALSO_IN_LISTS.iter().any(|also| warning.is(also)));
    }
    Json::Object(members)
}

/// Check cases and tell of all that fail.
fn run(what: &str, cases: &[Case]) {
    let mut failures = Vec::new();
    let mut objects = 0;
    for case in cases {
        let done = check_bytes(case).and_then(|()| {
            objects += usize::from(case.objects);
            if case.objects { check_objects(case) } else { Ok(()) }
        });
        if let Err(failure) = done {
            failures.push(format!("{}: {failure}", case.name));
        }
    }
    tell(what, cases.len(), &failures);
    println!("{objects} of them also event by event");
}

fn tell(what: impl fmt::Display, count: usize, failures: &[String]) {
    println!("{count} cases of {what}");
    assert!(failures.is_empty(), "{} of {count} cases of {what} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn captured_sessions_say_what_the_agents_said() {
    let there = fs::read_dir(shipped().join("dsh")).unwrap().count();
    let notified = folders(&shipped().join("dsh"), "log.rpc.jsonl").len();
    let folders = folders(&shipped().join("dsh"), "log.jsonl");
    assert_eq!(folders.len() + notified, there);
    assert!(folders.len() >= 40, "only {} captured sessions", folders.len());
    run("dsh", &folders.iter().map(|folder| captured(folder)).collect::<Vec<_>>());
}

#[test]
fn notifications_say_what_each_session_said() {
    check_notifications(&shipped().join("dsh"), 12, 12);
}

#[test]
fn written_cases_answer_as_they_say() {
    let folders = folders(&shipped().join("written"), "log.jsonl");
    assert_eq!(folders.len(), fs::read_dir(shipped().join("written")).unwrap().count());
    assert!(folders.len() >= 300, "only {} written cases", folders.len());
    let cases: Vec<_> = folders.iter().map(|folder| written(folder)).collect();
    assert!(cases.iter().filter(|case| case.expected.is_err()).count() >= 20);
    run("written", &cases);
}

/// Cases that aren't plain logs are for the runner that found them.
#[test]
fn logs_that_once_differed_answer_as_they_say() {
    let cases: Vec<_> =
        folders(&shipped().join("differential"), "log.jsonl").iter().map(|folder| written(folder)).collect();
    run("differential", &cases);
}

fn check_oracle(folder: &Path) {
    for (file, count) in [("events-v0.jsonl", 170), ("events-embedded.jsonl", 97)] {
        let cases = oracle(&folder.join(file));
        assert!(cases.len() >= 2 * count, "only {} cases of {file}", cases.len());
        run(file, &cases);
    }
}

#[test]
fn generated_logs_answer_as_the_reference_system_did() {
    check_oracle(&shipped().join("oracle"));
}

fn check_sdk_events(folder: &Path) {
    let folders = folders(folder, "events.json");
    assert!(folders.len() >= 6, "only {} runs of the SDK", folders.len());
    let mut failures = Vec::new();
    for folder in &folders {
        let case = parsed(&folder.join("case.json"));
        let expected = Ok(support::json::object([
            ("output", case.get("expected").unwrap().get("output").unwrap().clone()),
            ("stop_reason", case.get("product_said").unwrap().get("finish_reason").unwrap().clone()),
        ]));
        let events = fs::read(folder.join("events.json")).unwrap();
        let events = json::parse(&events).unwrap();
        let mut list = List(Vec::new());
        let mut fold = Fold::<Kept>::default();
        let walked = events.value.each(&mut |index, value| {
            list.0.push(value);
            fold.apply(&dsh::event(&value)?, Place::at_index(index as u64))?;
            Ok(Flow::Continue)
        });
        assert!(walked.is_ok());
        assert!(list.0.len() > 5, "{}", folder.display());
        assert_eq!(own_start(&list.0), (0, 0));
        let (forward, backward) = (list.forward(0, false), list.backward(0, false));
        for (way, found) in [("fold", Ok(of_fold(&fold))), ("forward", forward), ("backward", backward)] {
            if let Err(differ) = held(&found, &expected, &[]) {
                failures.push(format!("{}, {way}: {differ}", name_of(folder)));
            }
        }
    }
    tell("dsh-sdk-events", folders.len(), &failures);
}

#[test]
fn event_lists_of_the_sdk_say_what_the_agent_said() {
    check_sdk_events(&shipped().join("dsh-sdk-events"));
}

/// Each child of a log of notifications by its id, and the root with and without.
fn check_notifications(folder: &Path, least: usize, least_children: usize) {
    let folders = folders(folder, "log.rpc.jsonl");
    assert!(folders.len() >= least, "only {} logs of notifications", folders.len());
    let (mut children, mut failures) = (0, Vec::new());
    for folder in &folders {
        let case = parsed(&folder.join("case.json"));
        let log = fs::read(folder.join("log.rpc.jsonl")).unwrap();
        let Some(Json::Object(expected)) = case.get("expected").unwrap().get("children") else {
            panic!("{}: children", folder.display());
        };
        let of = |session: Option<Vec<u8>>| {
            agreed(&log, &Options { session: session.map(Into::into), ..Options::default() })
        };
        for (session, output) in expected {
            children += 1;
            let expected = Ok(support::json::object([("output", output.clone())]));
            let done = of(Some(wtf8(session))).and_then(|found| held(&found, &expected, &[]));
            if let Err(differ) = done {
                failures.push(format!("{}, {}: {differ}", name_of(folder), Json::String(session.clone())));
            }
        }
        let root = wtf8(case.get("root").unwrap().as_units().unwrap());
        if of(None) != of(Some(root)) {
            failures.push(format!("{}: the root isn't what is read", name_of(folder)));
        }
    }
    assert!(children >= least_children, "only {children} children");
    tell(format_args!("notifications, {children} children"), folders.len(), &failures);
}

#[test]
fn the_handed_corpus_answers_as_expected() {
    let Some(folder) = handed() else {
        println!(
            "no big corpus here: LASTSAID_CORPUS names none, and there is no shared/corpus beside the repository"
        );
        return;
    };
    let sessions = folders(&folder.join("dsh"), "log.jsonl");
    assert!(sessions.len() >= 134, "only {} captured sessions in {}", sessions.len(), folder.display());
    run("handed dsh", &sessions.iter().map(|folder| captured(folder)).collect::<Vec<_>>());
    check_notifications(&folder.join("dsh"), 37, 20);
    check_oracle(&folder.join("oracle"));
    check_sdk_events(&folder.join("dsh-sdk-events"));
}
