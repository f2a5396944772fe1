"""`check`: every record of a log by itself (spec S5, S7)."""

from __future__ import annotations

import dataclasses
import io
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpus_cases import CORPUS
from dsh_events import attempt, chunk, header, headless, jsonl, message, notification, packed, texts, turn_end
from lastsaid import MalformedEventError, Problem
from ways import Dribble

SOUND = jsonl(header(), chunk("a"), message("x"), b"", packed(3, "b"), turn_end(3), {"type": "turn/end"})


def problems(engine: ModuleType, log: bytes, **options: Any) -> list[tuple[Any, ...]]:
    """What is wrong, whichever way the log comes."""
    found = engine.check(log, **options)
    for source in (bytearray(log), memoryview(log), io.BytesIO(log), Dribble(log)):
        assert engine.check(source, **options) == found
    assert all(type(one) is Problem for one in found)
    return [(one.kind, one.path, one.offset, one.line, one.message) for one in found]


def only(engine: ModuleType, record: Any) -> tuple[str, str, str]:
    """The one problem of a record, which is the error that pushing it by itself would be."""
    [(kind, path, offset, line, sentence)] = problems(engine, SOUND + jsonl(record) + SOUND)
    assert (offset, line) == (len(SOUND), 8)
    return kind, path, sentence


def test_a_sound_log_has_no_problems(engine: ModuleType) -> None:
    assert engine.check(SOUND) == engine.check(b"") == engine.check(b"\xef\xbb\xbf" + SOUND + b"\0\0") == []
    assert engine.check(SOUND[:-1]) == []


@pytest.mark.parametrize("name", sorted(path.name for path in (CORPUS / "dsh").iterdir())[:6])
def test_captured_logs_are_sound(engine: ModuleType, name: str) -> None:
    path = CORPUS / "dsh" / name / "log.jsonl"
    assert engine.check(path) == engine.check(str(path)) == []


def test_every_record_is_looked_at(engine: ModuleType) -> None:
    """spec S7 check.

    Also those that `read` passes over, before the seed marker, after the winner, and of other sessions.
    """
    log = jsonl(b"no JSON", b'{"a":NaN}', b"[]", header(), headless(chunk("a"), "s1"), headless(chunk("b"), "s2"))
    assert problems(engine, log) == [
        ("not_json", "", 0, 1, "the record is not JSON, expected one JSON value"),
        ("not_json", "", 8, 2, "the record is not JSON, expected one JSON value"),
        ("not_an_object", "", 18, 3, "the record is a list, expected an object"),
    ]


@pytest.mark.parametrize(
    ("record", "path", "sentence"),
    [
        ({"type": "assistant/chunk"}, "data", "data is missing, expected an object"),
        (packed(1, "a", 3), "data.texts[1]", "data.texts[1] is a number, expected a string"),
        (
            {"type": "assistant/attempt", "data": {"stream": [texts("a"), texts("b", None)]}},
            "data.stream[1].texts[1]",
            "data.stream[1].texts[1] is null, expected a string",
        ),
        (
            {"type": "assistant/message", "data": {"message": {}, "stream": 3}},
            "data.message.content",
            "data.message.content is missing, expected a list",
        ),
        (
            {"method": "session.event", "params": {"sessionId": 3, "event": []}},
            "params.event",
            "params.event is a list, expected an object",
        ),
    ],
)
def test_a_problem_is_the_first_defect_of_its_record(engine: ModuleType, record: Any, path: str, sentence: str) -> None:
    """spec S7.1, S7 check."""
    assert only(engine, record)[1:] == (path, sentence)


def test_the_stream_of_a_message_with_blocks_is_read_too(engine: ModuleType) -> None:
    """spec S7 check."""
    record = message("said")
    record["data"]["stream"] = [texts("a"), {"type": "chunk"}]
    found = ("missing", "data.stream[1].chunk", "data.stream[1].chunk is missing, expected an object")
    assert only(engine, record) == found
    kind, path, sentence = only(engine, notification(record))
    assert (kind, path) == (found[0], "params.event." + found[1])
    assert sentence == "params.event." + found[2]


def test_limits_are_those_of_records_that_signal(engine: ModuleType) -> None:
    deep, long = b"[" * 600 + b"]" * 600, b"9" * 4301
    for value, kind in ((deep, "too_deep"), (long, "number")):
        assert engine.check(b'{"type":"x/y","data":' + value + b"}\n") == []
        assert only(engine, b'{"type":"assistant/chunk","data":{"chunk":3},"x":' + value + b"}")[0] == kind
    [one] = engine.check(b'{"type":"x"}\n{"type":"x/y","n":"long"}\n', max_record_bytes=20)
    assert (one.kind, one.offset, one.line) == ("too_large", 13, 2)
    assert one.message == "the record is 25 bytes long, expected at most 20 (see max_record_bytes)"


def test_ends_of_turns_and_unknown_records_need_only_be_objects(engine: ModuleType) -> None:
    odd = ({"type": "turn/end", "data": 3}, {"type": "turn/start", "data": []}, {"type": 3}, {}, {"method": 4})
    assert problems(engine, jsonl(*odd, {"type": "session/end-seed", "data": 3})) == []


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        (b'{"type"', "7 bytes after the last line feed are not JSON"),
        (b"[", "1 byte after the last line feed is not JSON"),
        (b"x\0\0", "1 byte after the last line feed is not JSON"),
    ],
)
def test_a_torn_tail_is_a_problem(engine: ModuleType, tail: bytes, message: str) -> None:
    """spec S7 check."""
    assert problems(engine, SOUND + tail) == [("torn_tail", "", len(SOUND), 8, message)]
    assert problems(engine, jsonl(b"3") + tail)[1] == ("torn_tail", "", 2, 2, message)


def test_a_tail_that_is_whole_is_a_record(engine: ModuleType) -> None:
    assert [one.kind for one in engine.check(SOUND + b"3")] == ["not_an_object"]


def test_only_sources_that_cannot_be_read_raise(engine: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        engine.check(tmp_path / "none")
    with pytest.raises(ValueError, match="unknown format 'acp'"):
        engine.check(b"", format="acp")
    assert engine.check(SOUND, format="dsh") == []


def test_what_check_finds_first_is_what_pushing_by_itself_raises(engine: ModuleType) -> None:
    for record in (attempt("a") | {"data": {"stream": 3}}, {"type": "assistant/message", "data": {"message": 3}}):
        [one] = engine.check(jsonl(record))
        with pytest.raises(MalformedEventError) as caught:
            engine.AssistantOutputFold().push(record)
        assert (one.kind, one.path, one.message) == (caught.value.kind, caught.value.path, caught.value.sentence)


def test_a_problem_is_plain(engine: ModuleType) -> None:
    [one] = engine.check(b"3\n")
    assert str(one) == "line 1, byte 0: the record is a number, expected an object"
    assert pickle.loads(pickle.dumps(one)) == one
    assert str(dataclasses.replace(one, line=None)).startswith("byte 0: ")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.kind = "x"
