"""Bad input: what is an error, which one, where, and what is not (spec S7)."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, headless, jsonl, message, notification, text, texts, turn_end
from lastsaid import MalformedEventError
from ways import Dribble, outcome


def of_kind(kind: str, data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def streaming(*records: Any) -> dict[str, Any]:
    return of_kind("assistant/attempt", {"stream": list(records)})


def with_stream(stream: Any) -> dict[str, Any]:
    event = message()
    event["data"]["stream"] = stream
    return event


SIGNALLING = ("assistant/message", "assistant/attempt", "assistant/chunk", "text-chunks")

# What is wrong, and the sentence of the error. The kind is `missing` where the sentence says so.
WRONG: list[tuple[Any, str, str]] = [
    *[({"type": kind}, "data", "missing, expected an object") for kind in SIGNALLING],
    *[(of_kind(kind, None), "data", "null, expected an object") for kind in SIGNALLING],
    *[(of_kind(kind, [{}]), "data", "a list, expected an object") for kind in SIGNALLING],
    (of_kind("assistant/message", {}), "data.message", "missing, expected an object"),
    (of_kind("assistant/message", {"message": None}), "data.message", "null, expected an object"),
    (of_kind("assistant/message", {"message": "hi"}), "data.message", "a string, expected an object"),
    (of_kind("assistant/message", {"message": {}}), "data.message.content", "missing, expected a list"),
    (of_kind("assistant/message", {"message": {"content": None}}), "data.message.content", "null, expected a list"),
    (of_kind("assistant/message", {"message": {"content": "hi"}}), "data.message.content", "a string, expected a list"),
    (of_kind("assistant/message", {"message": {"content": {}}}), "data.message.content", "an object, expected a list"),
    (of_kind("assistant/chunk", {}), "data.chunk", "missing, expected an object"),
    (of_kind("assistant/chunk", {"chunk": 3}), "data.chunk", "a number, expected an object"),
    (of_kind("assistant/chunk", {"chunk": {"type": "text-delta"}}), "data.chunk.text", "missing, expected a string"),
    (
        of_kind("assistant/chunk", {"chunk": {"type": "text-delta", "text": None}}),
        "data.chunk.text",
        "null, expected a string",
    ),
    (of_kind("assistant/attempt", {"stream": {}}), "data.stream", "an object, expected a list"),
    (of_kind("assistant/attempt", {"stream": "hi"}), "data.stream", "a string, expected a list"),
    (of_kind("assistant/attempt", {"stream": False}), "data.stream", "a boolean, expected a list"),
    (with_stream(0.5), "data.stream", "a number, expected a list"),
    (streaming(texts("a"), None), "data.stream[1]", "null, expected an object"),
    (streaming([]), "data.stream[0]", "a list, expected an object"),
    (streaming({"type": "text-chunks"}), "data.stream[0].texts", "missing, expected a list of strings"),
    (streaming({"type": "text-chunks", "texts": "a"}), "data.stream[0].texts", "a string, expected a list of strings"),
    (streaming({}, {}, {}, texts("a", 1)), "data.stream[3].texts[1]", "a number, expected a string"),
    (streaming(texts(True)), "data.stream[0].texts[0]", "a boolean, expected a string"),
    (streaming({"type": "chunk"}), "data.stream[0].chunk", "missing, expected an object"),
    (streaming({"type": "chunk", "chunk": "x"}), "data.stream[0].chunk", "a string, expected an object"),
    (
        streaming({"type": "chunk", "chunk": {"type": "text-delta", "text": []}}),
        "data.stream[0].chunk.text",
        "a list, expected a string",
    ),
    (of_kind("text-chunks", {}), "data.texts", "missing, expected a list of strings"),
    (of_kind("text-chunks", {"texts": {}}), "data.texts", "an object, expected a list of strings"),
    (of_kind("text-chunks", {"texts": ["a", {}]}), "data.texts[1]", "an object, expected a string"),
    (notification(of_kind("assistant/message", {})), "params.event.data.message", "missing, expected an object"),
    (headless(streaming(texts(3))), "event.data.stream[0].texts[0]", "a number, expected a string"),
    ({"method": "session.event"}, "params", "missing, expected an object"),
    ({"method": "session.event", "params": []}, "params", "a list, expected an object"),
    ({"method": "session.event", "params": {}}, "params.event", "missing, expected an object"),
    ({"type": "session_event"}, "event", "missing, expected an object"),
]
NO_OBJECT: list[tuple[Any, str, str]] = [
    (None, "", "null, expected an object"),
    (True, "", "a boolean, expected an object"),
    (3, "", "a number, expected an object"),
    (0.5, "", "a number, expected an object"),
    ("assistant/message", "", "a string, expected an object"),
    ([{}], "", "a list, expected an object"),
    (notification(None), "params.event", "null, expected an object"),
    (notification([]), "params.event", "a list, expected an object"),
    (headless("x"), "event", "a string, expected an object"),
]
TABLE = [
    pytest.param(
        event, "missing" if said.startswith("missing") else "wrong_type", path, said, id=f"{path}-{said[:12]}-{i}"
    )
    for i, (event, path, said) in enumerate(WRONG)
] + [
    pytest.param(event, "not_an_object", path, said, id=f"{path or 'record'}-{said[:12]}-{i}")
    for i, (event, path, said) in enumerate(NO_OBJECT)
]


def raised(call: Any) -> MalformedEventError:
    with pytest.raises(MalformedEventError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(("event", "kind", "path", "said"), TABLE)
def test_defect_is_named_with_its_path_and_what_was_found(
    engine: ModuleType, event: Any, kind: str, path: str, said: str
) -> None:
    """spec S7 «Wrong»: `<place>: <path> is <found>, expected <what>`."""
    sentence = f"{path or 'the record'} is {said}"
    fold = engine.AssistantOutputFold()
    fold.push(chunk("kept"))
    before = fold.__reduce__()[1][0]
    line = json.dumps(event).encode()
    for call, message_ in (
        (lambda: fold.push(event), sentence),
        (lambda: fold.push_json(line), sentence),
        (lambda: fold.extend([event]), f"event 0: {sentence}"),
        (lambda: fold.extend_json([line]), f"event 0: {sentence}"),
        (lambda: fold.extend_json(b"\n" + line), f"line 2, byte 1: {sentence}"),
        (lambda: engine.select([{}, event]), f"event 1: {sentence}"),
        (lambda: engine.select(iter([{}, event])), f"event 1: {sentence}"),
        (lambda: engine.final_assistant_output([event]), f"event 0: {sentence}"),
    ):
        error = raised(call)
        assert (str(error), error.kind, error.path) == (message_, kind, path)
        assert fold.__reduce__()[1][0] == before
    log = b"\n" + line + b"\n"
    for call in (lambda: engine.read_bytes(log), lambda: engine.read(Dribble(log))):
        error = raised(call)
        assert str(error) == f"line 2, byte 1: {sentence}"
        assert (error.kind, error.index, error.offset, error.line) == (kind, None, 1, 2)


@pytest.mark.parametrize(
    ("event", "path", "found"),
    [
        ((), "", "a Python tuple"),
        (b"{}", "", "a Python bytes"),
        (object(), "", "a Python object"),
        (of_kind("assistant/message", {"message": {"content": ("a",)}}), "data.message.content", "a Python tuple"),
        (of_kind("assistant/attempt", {"stream": ()}), "data.stream", "a Python tuple"),
        (streaming(texts(b"x")), "data.stream[0].texts[0]", "a Python bytes"),
        (
            of_kind("assistant/chunk", {"chunk": {"type": "text-delta", "text": 1j}}),
            "data.chunk.text",
            "a Python complex",
        ),
        (of_kind("text-chunks", {"texts": {"a"}}), "data.texts", "a Python set"),
    ],
    ids=str,
)
def test_value_that_json_cannot_say_is_named_by_its_python_type(
    engine: ModuleType, event: Any, path: str, found: str
) -> None:
    """spec S1 Object, S7 Wrong: tuples and other sequences are the wrong type."""
    error = raised(lambda: engine.AssistantOutputFold().push(event))
    assert error.path == path
    assert error.found == found


@pytest.mark.parametrize(
    "event",
    [
        {"type": None, "data": 3},
        {"type": 5},
        {"type": ["assistant/message"]},
        {"type": "assistant/nothing-known", "data": []},
        {"type": "turn/end"},
        {"type": "turn/end", "data": {"reason": 7}},
        {"type": "turn/start", "data": None},
        {"type": "session", "seedLength": "many", "version": None},
        {"type": "user/message", "data": {"message": 3}},
        of_kind("assistant/chunk", {"chunk": {}}),
        of_kind("assistant/chunk", {"chunk": {"type": 3, "text": 3}}),
        of_kind("assistant/chunk", {"chunk": {"type": "reasoning-delta", "text": 3}}),
        of_kind("assistant/attempt", {}),
        of_kind("assistant/attempt", {"stream": None}),
        streaming({}, {"type": None}, {"type": "reasoning-chunks", "texts": 3}, {"type": "new", "chunk": 3}),
        streaming({"type": "chunk", "chunk": {}}),
        {"type": "reasoning-chunks"},
        {"type": "tool-call-chunks", "data": 3},
        {"method": 3},
        {"method": "subagent.started", "params": None},
        {"method": "other", "params": 3},
        notification({}),
        headless({"type": 3}, session=3),
    ],
    ids=str,
)
def test_event_that_signals_nothing_passes_untouched(engine: ModuleType, event: Any) -> None:
    """spec S4, S7.3: unknown types, odd turn ends, absent and null streams are no defects."""
    fold = engine.AssistantOutputFold()
    fold.push(event)
    fold.push_json(json.dumps(event))
    assert fold.collect() is None
    assert engine.select([event]).source == "none"
    assert engine.read_bytes(jsonl(event)).source == "none"


def test_defects_of_one_event_are_named_in_reading_order(engine: ModuleType) -> None:
    """spec S7 Order: type, data, message, content, then stream records, as S4 reads."""
    event = message()
    event["data"]["stream"] = [texts("a", 3), 7]
    fold = engine.AssistantOutputFold()
    assert raised(lambda: fold.push(event)).path == "data.stream[0].texts[1]"
    del event["data"]["message"]["content"]
    assert raised(lambda: fold.push(event)).path == "data.message.content"
    del event["data"]["message"]
    assert raised(lambda: fold.push(event)).path == "data.message"
    event["data"] = 3
    assert raised(lambda: fold.push(event)).path == "data"
    event["type"] = "other"
    fold.push(event)


def test_nothing_of_a_defective_record_is_kept(engine: ModuleType) -> None:
    """spec S7: the fold is as it was, the pieces before the defect included."""
    fold = engine.AssistantOutputFold()
    fold.push(chunk("a"))
    raised(lambda: fold.push(streaming(texts("b"), texts("c", None))))
    raised(lambda: fold.push(headless(streaming(3), "s9")))
    fold.push(headless(chunk("d"), "s1"))
    assert fold.collect() == [text("ad")]
    assert fold.selection().index == 0


def test_extend_keeps_what_came_before_the_bad_one(engine: ModuleType) -> None:
    """spec S5 extend."""
    fold = engine.AssistantOutputFold()
    error = raised(lambda: fold.extend([chunk("a"), chunk("b"), None, chunk("c")]))
    assert error.index == 2
    error = raised(lambda: fold.extend_json(jsonl(chunk("d"), b"", b"{", chunk("e"))))
    assert (error.line, error.kind) == (3, "not_json")
    error = raised(lambda: fold.extend_json([b"\n", jsonl(chunk("f")), "x"]))
    assert error.index == 2
    assert fold.text == "abdf"


def test_in_state_message_only_messages_are_read(engine: ModuleType) -> None:
    """spec S7 «signals»."""
    fold = engine.AssistantOutputFold()
    fold.push(message("said"))
    fold.push({"type": "assistant/attempt"})
    fold.push_json(b'{"type":"assistant/chunk","n":' + b"9" * 5000 + b"}")
    fold.push_json(b'{"type":"text-chunks","n":' + b"[" * 600 + b"]" * 600 + b"}")
    assert raised(lambda: fold.push({"type": "assistant/message"})).path == "data"
    assert fold.collect() == [text("said")]


# --- one JSON text


BAD_VALUES = [
    "NaN", "Infinity", "-Infinity", "nan", "[1,]", '{"a":1,}', "{,}", "[,1]", "'x'", "01", "-", "-01", "1.", ".5", "+1",
    "1e", "1e+", "0x10", "tru", "True", "None", "nulls", '"\\x"', '"\\u12"', '"\\u12g4"', '"\t"', '"\x01"', '"\n"',
    '{"a"}', '{"a":}', "{a:1}", '{"a" 1}', '{1:1}', "[1 2]", "[", "]", "{", '"', '"\\"', "/* */1", "1//", "\u00a01",
    "\x0c1", "1 1", "", "[1}", "{]", '{"a":1 "b":2}', "--1", "1_000", "\u0661",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
def test_what_rfc_8259_does_not_allow_is_not_json(engine: ModuleType, value: str) -> None:
    """spec S7.7: also where nothing would be read."""
    record = ('{"type":"x","v":' + value + "}").encode()
    fold = engine.AssistantOutputFold()
    error = raised(lambda: fold.push_json(record))
    assert (error.kind, str(error)) == ("not_json", "the record is not JSON, expected one JSON value")


@pytest.mark.parametrize(
    "value",
    ["-0", "1E+2", "1e-999", "0.0",
     '"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t\\ud800"', '"\x7f\u2028\ufeff"', ' [ ] ', "\t{\r\n}",
     "null", '{"":{"":0}}', "1" + "0" * 4299, "-" + "1" * 4300, "1" * 4301, "1e999", "[" * 6000 + "]" * 6000],
    ids=lambda value: f"{value[:12]!r}x{len(value)}",
)  # fmt: skip
def test_what_rfc_8259_allows_is_read(engine: ModuleType, value: str) -> None:
    """spec S7.7: other records may hold numbers of any size and be of any depth, in every operation."""
    record = ('{"type":"x/y","note":"turn/end","v":' + value + "}").encode()
    fold = engine.AssistantOutputFold()
    fold.push_json(record)
    fold.extend_json([record, record.decode()])
    if b"\n" not in record:
        fold.extend_json(record)
        assert engine.read_bytes(record).warnings == ()
        assert engine.read(Dribble(record + b"\n")).warnings == ()
    assert fold.collect() is None


@pytest.mark.parametrize("value", [b"", b" ", b"\n", b"\xef\xbb\xbf", "", "\t"], ids=repr)
def test_blank_record_is_malformed(engine: ModuleType, value: Any) -> None:
    """spec S5 extend: a blank `push_json` is malformed; `extend_json` passes blank ones over."""
    fold = engine.AssistantOutputFold()
    assert raised(lambda: fold.push_json(value)).kind == "not_json"
    fold.extend_json([value])
    fold.extend_json(value)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"type":"\xff"}', "the record is not UTF-8, expected UTF-8"),
        (b'{"type":"\xed\xa0\x80"}', "the record is not UTF-8, expected UTF-8"),
        (b'{"type":"\xc0\xaf"}', "the record is not UTF-8, expected UTF-8"),
        (b"\x80", "the record is not UTF-8, expected UTF-8"),
        (
            "{}".encode("utf-16"),
            "the record is UTF-16 with a byte order mark, expected UTF-8 (convert it first)",
        ),
        (
            b"\xfe\xff\x00{\x00}",
            "the record is UTF-16 with a byte order mark, expected UTF-8 (convert it first)",
        ),
        (
            "{}".encode("utf-32"),
            "the record is UTF-32 with a byte order mark, expected UTF-8 (convert it first)",
        ),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf{}",
            "the record is preceded by a byte order mark, expected UTF-8 without one inside the log (remove it)",
        ),
        ('{"type":"\ud800"}', "the record is a string with an unpaired surrogate, expected text that UTF-8 can hold"),
    ],
    ids=str,
)
def test_what_is_not_utf8_says_the_remedy(engine: ModuleType, data: Any, sentence: str) -> None:
    """spec S5 extend, S7.8."""
    fold = engine.AssistantOutputFold()
    error = raised(lambda: fold.push_json(data))
    assert (error.kind, error.path, str(error)) == ("not_utf8", "", sentence)
    error = raised(lambda: fold.extend_json([data]))
    assert str(error) == f"event 0: {sentence}"


def nested(levels: int) -> bytes:
    """A message of that many levels, the record counted as 1."""
    return (
        b'{"type":"assistant/message","data":{"message":{"content":["x"]}},"x":'
        + b"[" * (levels - 1)
        + b"]" * (levels - 1)
        + b"}"
    )


def test_depth_is_limited_in_a_record_that_signals(engine: ModuleType) -> None:
    """spec S7.7: 512 levels are read; objects aren't measured."""
    fold = engine.AssistantOutputFold()
    fold.push_json(nested(512))
    error = raised(lambda: fold.push_json(nested(513)))
    assert (error.kind, error.path) == ("too_deep", "")
    assert str(error) == "the record is 513 levels deep, expected at most 512"
    error = raised(lambda: engine.read_bytes(b"\n" + nested(6000)))
    assert str(error) == "line 2, byte 1: the record is 6000 levels deep, expected at most 512"
    deep: Any = []
    for _ in range(600):
        deep = [deep]
    event = message("deep") | {"x": deep}
    fold.push(event)
    assert fold.text == engine.select([event]).text == "deep"


def test_depth_counts_the_envelope(engine: ModuleType) -> None:
    """spec S7.7."""
    record = b'{"type":"session_event","event":' + nested(512) + b"}"
    assert raised(lambda: engine.AssistantOutputFold().push_json(record)).kind == "too_deep"


def test_brackets_in_strings_are_no_levels(engine: ModuleType) -> None:
    """spec S7.7."""
    event = message("[{" * 2000)
    fold = engine.AssistantOutputFold()
    fold.push_json(json.dumps(event))
    assert fold.collect() == event["data"]["message"]["content"]


@pytest.mark.parametrize(
    ("number", "found", "expected"),
    [
        ("1" * 4301, "an integer of 4301 digits", "at most 4300"),
        ("-" + "1" * 5000, "an integer of 5000 digits", "at most 4300"),
        ("1e999", "beyond the range of a float", "a finite number"),
        ("-1.5E+400", "beyond the range of a float", "a finite number"),
        ("1" * 400 + ".0", "beyond the range of a float", "a finite number"),
    ],
    ids=lambda value: f"{value[:12]}x{len(value)}",
)
def test_number_out_of_range_in_a_record_that_signals(
    engine: ModuleType, number: str, found: str, expected: str
) -> None:
    """spec S7.7: with the path of the number."""
    fold = engine.AssistantOutputFold()
    for record, path in (
        (
            '{"type":"assistant/message","data":{"message":{"content":[{},{"a":[1,%s]}]}}}',
            "data.message.content[1].a[1]",
        ),
        ('{"n":%s,"type":"assistant/attempt","data":{}}', "n"),
        ('{"type":"assistant/chunk","data":{"x":{"y":%s}}}', "data.x.y"),
        ('{"type":"session_event","event":{"type":"text-chunks","n":[[],[0,%s]]}}', "event.n[1][1]"),
    ):
        error = raised(lambda record=record: fold.push_json(record % number))
        assert (error.kind, error.path, error.found, error.expected) == ("number", path, found, expected)
        assert str(error) == f"{path} is {found}, expected {expected}"


def test_integers_keep_every_digit(engine: ModuleType) -> None:
    """spec S7.7."""
    block = {"n": int("7" * 4300), "m": -(10**40), "f": 1.5, "z": -0.0}
    fold = engine.AssistantOutputFold()
    record = json.dumps(message()).replace("[]", json.dumps([block | {"n": 0}]).replace('"n": 0', '"n": ' + "7" * 4300))
    fold.push_json(record)
    assert fold.collect() == [block]
    assert str(fold.collect()[0]["z"]) == "-0.0"


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (b'{"type":"assistant/message","x":"\xff"', "not_utf8"),
        (b'["assistant/message"', "not_json"),
        (b'{"type":"session_event","event":{"type":"assistant/message"},"x":' + b"[" * 600 + b"9" * 5000, "not_json"),
        (b'{"type":"session_event","x":' + b"[" * 600 + b"]" * 600 + b"}", "missing"),
        (b"[" * 600 + b"]" * 600, "not_an_object"),
        (b'{"type":"assistant/message","n":1e999,"x":' + b"[" * 600 + b"]" * 600 + b"}", "too_deep"),
        (b'{"type":"assistant/message","n":1e999}', "number"),
        (b'{"type":"assistant/message"}', "missing"),
    ],
    ids=["utf8", "json", "json_of_envelope", "envelope", "object", "depth", "number", "order"],
)
def test_of_several_defects_the_first_in_order_is_named(engine: ModuleType, record: bytes, kind: str) -> None:
    """spec S7.1."""
    assert raised(lambda: engine.AssistantOutputFold().push_json(record)).kind == kind


def test_record_over_the_limit_is_too_large(engine: ModuleType) -> None:
    """spec S7.1, S7.17: bytes of an examined record; it goes before every other defect."""
    line = b'{"type":"assistant/message"' + b"\xff" * 100
    for read in (
        lambda **k: engine.read_bytes(b"\n" + line + b"\n", **k),
        lambda **k: engine.read(Dribble(b"\n" + line + b"\n"), **k),
    ):
        error = raised(lambda read=read: read(max_record_bytes=len(line) - 1))
        assert (error.kind, error.path, error.found) == ("too_large", "", f"{len(line)} bytes long")
        assert error.expected == f"at most {len(line) - 1} (see max_record_bytes)"
        assert str(error) == f"line 2, byte 1: the record is {error.found}, expected {error.expected}"
        assert raised(lambda read=read: read(max_record_bytes=len(line))).kind == "not_utf8"
        assert read(max_record_bytes=5, on_malformed="skip").warnings == ("malformed_skipped",)


def test_long_line_that_is_not_examined_passes(engine: ModuleType) -> None:
    """spec S7 Candidates, S7.17."""
    log = jsonl(header(), {"type": "tool/result", "data": "x" * 5000}, message("a"))
    assert (
        engine.read_bytes(log, max_record_bytes=200).text == engine.read(Dribble(log), max_record_bytes=200).text == "a"
    )


def test_blank_line_over_the_limit_is_blank(engine: ModuleType) -> None:
    """spec S7.8: a line of only space, tab, CR is blank, however long, so the first that isn't is the header."""
    line = json.dumps(header(0, seedLength=1)).encode()
    for log in (b" " * 200 + b"\n" + line + b"\n", line + b"\n" + b"\t" * 200, line + b"\n" + b"\r" * 200 + b"\n"):
        assert engine.read_bytes(log, max_record_bytes=100).warnings == ()
        assert engine.read(Dribble(log), max_record_bytes=100).warnings == ()


def test_needle_beyond_the_limit_still_makes_a_candidate(engine: ModuleType) -> None:
    """spec S7 Candidates: a line is examined for what it holds, wherever in it."""
    log = jsonl(header(), {"x": "y" * 200_000, "type": "assistant/message"})
    for read in (
        lambda: engine.read_bytes(log, max_record_bytes=100),
        lambda: engine.read(Dribble(log), max_record_bytes=100),
    ):
        assert raised(read).kind == "too_large"


# --- sessions


def test_two_sessions_in_a_fold_are_an_error(engine: ModuleType) -> None:
    """spec S4."""
    fold = engine.AssistantOutputFold()
    fold.push(chunk("bare"))
    fold.push(headless(chunk("a")))
    error = raised(lambda: fold.push(notification(chunk("b"), 'of "another"')))
    assert (error.kind, error.path) == ("wrong_session", "params.sessionId")
    assert str(error) == r'params.sessionId is "of \"another\"", expected "s1" (one fold is one session)'
    error = raised(lambda: fold.push_json(json.dumps(headless({}, "é"))))
    assert str(error) == r'sessionId is "\u00e9", expected "s1" (one fold is one session)'
    fold.push(chunk("bare"))
    fold.push(headless(chunk("none"), None))
    assert fold.text == "bareabarenone"


def test_merging_two_sessions_is_an_error(engine: ModuleType) -> None:
    """spec S4, S5 session: `merge` across sessions raises `wrong_session`; neither changes."""
    first, second, none = (engine.AssistantOutputFold() for _ in range(3))
    first.push(headless(chunk("a")))
    second.push(headless(chunk("b"), "s2"))
    none.push(chunk("c"))
    error = raised(lambda: first.merge(second))
    assert error.kind == "wrong_session"
    assert str(error) == 'later is a fold of session "s2", expected one of session "s1"'
    assert first.merge(none).text == "ac"
    raised(lambda: none.merge(first).merge(second))


@pytest.mark.parametrize("skip", [False, True])
def test_first_record_of_another_session_is_the_error(engine: ModuleType, skip: bool) -> None:
    """spec S4: in lists and logs that begin bare, skipping or not; the first enveloped record names the session."""
    events = [
        header(),
        headless(message("a")),
        message("bare"),
        headless(message("b"), "s2"),
        headless(message("c"), "s3"),
        turn_end(),
    ]
    log = jsonl(*events)
    options = {"on_malformed": "skip"} if skip else {}
    for call in (lambda: engine.select(events), lambda: engine.select(iter(events))):
        error = raised(call)
        assert (error.kind, error.index, error.found) == ("wrong_session", 3, '"s2"')
    for call in (lambda: engine.read_bytes(log, **options), lambda: engine.read(Dribble(log), **options)):
        error = raised(call)
        assert (error.kind, error.line, error.expected) == ("wrong_session", 4, '"s1" (one fold is one session)')


def test_nothing_before_a_bare_winner_is_looked_at(engine: ModuleType) -> None:
    """spec S4."""
    events = [headless(chunk("a")), headless(chunk("b"), "s2"), message("bare"), turn_end()]
    assert engine.select(events).text == engine.select(iter(events)).text == "bare"
    after = [*events[:3], headless(turn_end())]
    assert raised(lambda: engine.select(after)).kind == "wrong_session"
    assert raised(lambda: engine.select(iter(after))).kind == "wrong_session"


# --- which defect of a log


BAD = of_kind("assistant/message", {"message": {"content": 1}})
WORSE = of_kind("assistant/message", {"message": {}})
STREAM = of_kind("assistant/attempt", {"stream": 1})


@pytest.mark.parametrize(
    ("events", "index"),
    [
        ([BAD, STREAM, message("a"), STREAM, turn_end()], None),
        ([message("a"), {"type": "assistant/chunk"}, {"type": "text-chunks"}, STREAM], None),
        ([message("a"), BAD, WORSE, turn_end()], 2),
        ([message("a"), BAD, message("b")], None),
        ([message("a"), BAD, message()], 1),
        ([STREAM, BAD, WORSE, STREAM], 2),
        ([chunk("a"), STREAM, {"type": "assistant/chunk"}], 1),
        ([chunk("a"), STREAM, BAD], 2),
        ([STREAM, None], 1),
        ([message("a"), None], 1),
        ([None, message("a")], None),
        ([STREAM, {"method": "session.event"}], 1),
        ([message("a"), {"type": "session_event"}, {"x": 1}], 1),
        ([chunk("a"), message(), BAD, message()], 2),
    ],
    ids=str,
)
def test_order_of_defects_in_a_list(engine: ModuleType, events: list[Any], index: int | None) -> None:
    """spec S7 Order: the last defective message or unreadable record after the winner, else the first defect."""
    for made in (list, iter, tuple):
        if index is None:
            assert engine.final_assistant_output(made(events)) == [text("b" if message("b") in events else "a")]
        else:
            assert raised(lambda made=made: engine.final_assistant_output(made(events))).index == index


@pytest.mark.parametrize(
    ("records", "line"),
    [
        ([header(), b'{"type":"assistant/', message("a")], None),
        ([header(), message("a"), b'{"type":"assistant/', b'{"type":"turn/end"', turn_end()], 4),
        ([header(), STREAM, b'{"type":"assistant/', STREAM], 3),
        ([header(), message("a"), b"nothing to see"], None),
        ([b"nothing to see", message("a")], None),
        ([b"nothing to see", chunk("a")], 1),
        ([b"", b" \t\r", b"nothing to see", chunk("a")], 3),
        ([header(), message("a"), b"[turn\\/end"], 3),
        ([header(), message("a"), b"[\\u0061ssistant"], 3),
        ([header(), message("a"), b"[\\u0021"], 3),
        ([header(), message("a"), b"[\\u0011 \\u0081 \\u1061 \\U0061"], None),
        ([header(), message("a"), b"[subagent.started"], 3),
        ([header(), message("a"), b"[subagent-started, assistant, text_chunks, turn/ end"], None),
        ([header(), message("a"), b"[end-seed"], 3),
    ],
    ids=str,
)
def test_only_candidates_can_be_bad_lines(engine: ModuleType, records: list[Any], line: int | None) -> None:
    """spec S7 Candidates: the first line that isn't blank, needles, and escapes by which one could be spelt."""
    log = jsonl(*records)
    for read in (lambda: engine.read_bytes(log), lambda: engine.read(Dribble(log))):
        if line is None:
            assert read().text == "a"
        else:
            assert raised(read).line == line


def test_skipping_counts_only_what_lies_after_the_winner(engine: ModuleType) -> None:
    """spec S7 Order, S7.10."""
    bad = b'{"type":"assistant/'
    before, after = jsonl(header(), bad, message("a")), jsonl(header(), message("a"), bad)
    silent = jsonl(header(), bad, attempt("a"))
    for read in (engine.read_bytes, lambda log, **k: engine.read(Dribble(log), **k)):
        assert read(before, on_malformed="skip").warnings == ()
        assert read(after, on_malformed="skip").warnings == ("malformed_skipped",)
        assert read(silent, on_malformed="skip").warnings == ("malformed_skipped",)
        assert read(after, on_malformed="skip").text == "a"


@pytest.mark.parametrize(
    "tail", [b'{"type":"assistant/mess', b"{", b"1 1", b"\xff", b'{} {"', b"[", b"\xef\xbb\xbf{}"], ids=repr
)
def test_torn_tail_is_skipped_with_a_warning(engine: ModuleType, tail: bytes) -> None:
    """spec S7 Torn tail: with an LF it is a line like any other."""
    log = jsonl(header(), message("a")) + tail
    for read in (engine.read_bytes, lambda log: engine.read(Dribble(log))):
        assert (read(log).text, read(log).warnings) == ("a", ("torn_tail",))
        assert read(log + b" \t").warnings == ("torn_tail",)


@pytest.mark.parametrize("tail", [b"3", b'"torn"', b"[]", b"null"], ids=repr)
def test_tail_is_examined_whatever_it_holds(engine: ModuleType, tail: bytes) -> None:
    """spec S7 Candidates, S7 Torn tail.

    Whatever follows the last LF is a candidate; a whole value that is no object is no torn tail.
    """
    log = jsonl(header(), message("a"))
    for read in (engine.read_bytes, lambda log: engine.read(Dribble(log))):
        assert raised(lambda read=read: read(log + tail)).kind == "not_an_object"
        assert read(log + tail + b"\n").text == "a"


BODIES = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"\n", id="blank"),
    pytest.param(jsonl(message("a")), id="line"),
    pytest.param(jsonl(message("a"))[:-1], id="line_without_lf"),
    pytest.param(jsonl(message("a")) + b"{", id="torn"),
    pytest.param(jsonl(message("a")) + b'{"type":"turn/', id="torn_candidate"),
]


BODIES = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"\n", id="blank"),
    pytest.param(jsonl(message("a")), id="line"),
    pytest.param(jsonl(message("a"))[:-1], id="line_without_lf"),
    pytest.param(jsonl(message("a")) + b"{", id="torn"),
    pytest.param(jsonl(message("a")) + b'{"type":"turn/', id="torn_candidate"),
    pytest.param(jsonl(message("a")) + b"3", id="no_object"),
]


@pytest.mark.parametrize("padding", [1, 511, 65536, 200_000])
@pytest.mark.parametrize("body", BODIES)
def test_zero_padding_is_cut_off_before_anything_is_read(engine: ModuleType, body: bytes, padding: int) -> None:
    """spec S7 Torn tail."""
    for read in (engine.read_bytes, lambda log: engine.read(Dribble(log, 1 << 16))):
        padded, plain = outcome(lambda read=read: read(body + bytes(padding))), outcome(lambda read=read: read(body))
        assert padded == plain


def test_zeros_inside_a_log_are_no_padding(engine: ModuleType) -> None:
    """spec S7 Torn tail."""
    log = jsonl(header(), b"\0\0\0", message("a"), b"\0turn/end")
    assert raised(lambda: engine.read_bytes(log)).line == 4
    assert raised(lambda: engine.read(Dribble(log))).line == 4
