"""What `explain` counts and whom it compares; it never changes the answer (spec S9)."""

from __future__ import annotations

import io
from types import ModuleType
from typing import Any

import pytest

from dsh_events import (
    attempt,
    chunk,
    end_seed,
    header,
    headless,
    jsonl,
    message,
    notification,
    packed,
    reasoning,
    turn_end,
    turn_start,
)
from lastsaid import MalformedEventError
from ways import Dribble, answer, outcome

BAD = b'{"type":"assistant/message","seq":7,"data":3}'
BAD_EVENT = {"type": "assistant/message", "seq": 7, "data": 3}
KEYS = [
    *("verdict", "kind", "index", "offset", "line", "seq", "messageId"),
    *("blocks", "characters", "preview", "reason"),
]
COUNTS = [
    *("records", "suffixRecords", "messages", "emptyMessages", "streams", "streamedCharacters", "malformed"),
    *("version", "suffixIndex", "suffixOffset", "suffixLine"),
]


def empty(stream: Any = None, **more: Any) -> dict[str, Any]:
    """A message without blocks."""
    event = message(**more)
    event["data"]["stream"] = stream
    return event


def explained(engine: ModuleType, log: bytes, **options: Any) -> Any:
    """What every way says, which is the same; the answer is the one without `explain`."""
    said = engine.read_bytes(log, explain=True, **options)
    plain = answer(engine.read_bytes(log, **options), "line", "counts", "candidates")
    assert answer(said, "line", "counts", "candidates") == plain
    assert answer(engine.read(io.BytesIO(log), explain=True, **options)) == answer(said)
    assert answer(engine.read(Dribble(log), explain=True, **options)) == answer(said)
    return said


def counts(said: Any) -> dict[str, Any]:
    assert list(said.counts) == COUNTS
    return dict(said.counts)


def verdicts(said: Any, *keys: str) -> list[tuple[Any, ...]]:
    assert isinstance(said.candidates, tuple)
    assert all(list(one) == KEYS for one in said.candidates)
    return [tuple(one[key] for key in ("verdict", *keys)) for one in said.candidates]


RUN = jsonl(
    header(3),
    message("copied", id="m0"),
    end_seed(inherited=True),
    turn_start(),
    attempt("str", "eamed", seq=1),
    message("first", reasoning("hm"), id="m1", seq=2),
    empty(seq=3),
    chunk("more", seq=4),
    b'{"type":"user/message"}',
    message("last", id="m2", seq=5),
    empty([{"type": "text-chunks", "texts": ["!"]}], seq=6),
    turn_end(),
)


def offset(log: bytes, line: int) -> int:
    return sum(map(len, log.splitlines(keepends=True)[: line - 1]))


def test_nothing_is_explained_unless_asked(engine: ModuleType) -> None:
    """spec S9 counts."""
    for said in (engine.read_bytes(RUN), engine.select([]), engine.AssistantOutputFold().selection()):
        assert said.counts is said.candidates is None


def test_counts_of_a_run(engine: ModuleType) -> None:
    """spec S9 counts 2: the line without a needle isn't examined."""
    assert counts(explained(engine, RUN)) == {
        "records": 11,
        "suffixRecords": 8,
        "messages": 2,
        "emptyMessages": 2,
        "streams": 3,
        "streamedCharacters": 13,
        "malformed": 0,
        "version": 3,
        "suffixIndex": None,
        "suffixOffset": offset(RUN, 4),
        "suffixLine": 4,
    }


def test_candidates_of_a_run(engine: ModuleType) -> None:
    """spec S9 candidates."""
    said = explained(engine, RUN)
    assert verdicts(said, "kind", "line", "seq", "messageId", "blocks", "characters", "preview", "reason") == [
        ("won", "message", 10, 5, "m2", ["text"], 4, "last", "the last message that has blocks"),
        ("empty", "message", 11, 6, None, [], 0, "", "no blocks"),
        ("empty", "message", 7, 3, None, [], 0, "", "no blocks"),
        ("lost", "message", 6, 2, "m1", ["text", "reasoning"], 5, "first", "an older message"),
        ("unused", "stream", 5, 1, None, [], 13, "streamedmore!", "a message was found"),
        ("outside", "message", 2, None, "m0", ["text"], 6, "copied", "not part of this run"),
    ]
    assert [one["offset"] for one in said.candidates] == [offset(RUN, one["line"]) for one in said.candidates]
    assert said.to_dict()["candidates"] == list(said.candidates)
    assert said.line == 10


def test_a_stream_that_won_is_the_winner(engine: ModuleType) -> None:
    """spec S9 candidates."""
    said = explained(engine, jsonl(chunk(""), empty([{"type": "text-chunks", "texts": ["a"]}], seq=4), chunk("b")))
    assert verdicts(said, "kind", "line", "seq", "blocks", "characters", "preview", "reason") == [
        ("won", "stream", 2, 4, [], 2, "ab", "no message has blocks"),
        ("empty", "message", 2, 4, [], 0, "", "no blocks"),
    ]
    assert (counts(said)["streams"], counts(said)["emptyMessages"]) == (2, 1)


def test_of_one_record_the_stream_comes_after_the_message(engine: ModuleType) -> None:
    said = explained(engine, jsonl(empty([{"type": "text-chunks", "texts": ["a"]}]), message("b")))
    assert verdicts(said) == [("won",), ("empty",), ("unused",)]


def test_a_log_that_says_nothing(engine: ModuleType) -> None:
    said = explained(engine, b"")
    assert said.candidates == ()
    assert set(counts(said).values()) == {0, None}
    assert counts(explained(engine, jsonl(header(True), end_seed())))["version"] is None
    assert counts(explained(engine, jsonl(header(4), end_seed()))) == dict.fromkeys(COUNTS, 0) | {
        "records": 2,
        "version": 4,
        **dict.fromkeys(("suffixIndex", "suffixOffset", "suffixLine")),
    }


# --- text, blocks, how many


def test_text_is_measured_in_code_points_after_halves_have_met(engine: ModuleType) -> None:
    """spec S9 counts 2, S9 candidates."""
    halves = [{"type": "text", "text": "\ud83d"}, {"type": "text", "text": "\ude00\ud83d"}]
    said = engine.select([chunk("a\ud83d"), chunk("\ude00"), chunk("\ud83d"), message(*halves)], explain=True)
    assert verdicts(said, "characters", "preview") == [("won", 2, "😀\ud83d"), ("unused", 3, "a😀\ud83d")]
    assert counts(said)["streamedCharacters"] == 3


def test_previews_are_eighty_code_points(engine: ModuleType) -> None:
    """spec S9 candidates."""
    long = "é" * 79 + "\ud83d"
    said = engine.select([chunk(long), chunk("\ude00"), chunk("more"), message("é" * 81)], explain=True)
    assert verdicts(said, "characters", "preview") == [
        ("won", 81, "é" * 80),
        ("unused", 84, "é" * 79 + "😀"),
    ]


def test_blocks_are_named_by_their_type_and_twenty_are_shown(engine: ModuleType) -> None:
    """spec S9 candidates."""
    odd = [{"type": "image"}, {"type": 3}, {}, "text", None]
    said = engine.select([message(*odd[:3], 3, None), message(*({"type": f"t{i}"} for i in range(21)))], explain=True)
    assert verdicts(said, "blocks") == [
        ("won", [f"t{i}" for i in range(20)]),
        ("lost", ["image", None, None, None, None]),
    ]


def test_a_hundred_candidates_are_kept_the_winner_among_them(engine: ModuleType) -> None:
    """spec S9 candidates."""
    events = [attempt("s"), message("won"), *(empty(seq=i) for i in range(150))]
    said = engine.select(events, explain=True)
    assert [one["seq"] for one in said.candidates] == [None, *range(149, 50, -1)]
    assert verdicts(said)[:2] == [("won",), ("empty",)]
    assert counts(said)["emptyMessages"] == 150
    assert len(engine.select([message(f"{i}") for i in range(300)], explain=True).candidates) == 100


# --- what can't be read


def test_records_that_cannot_be_read_are_counted_with_their_sentence(engine: ModuleType) -> None:
    """spec S9 counts 2, S9 candidates.

    Also those that the answer didn't need: damage before the winner, streams after it.
    """
    log = jsonl(b'"turn/end"', BAD, message("x"), {"type": "assistant/attempt", "seq": 8, "data": {"stream": 3}})
    said = explained(engine, log)
    assert said.warnings == ()
    assert counts(said)["malformed"] == 3
    assert verdicts(said, "kind", "line", "seq", "blocks", "characters", "preview", "reason") == [
        ("won", "message", 3, None, ["text"], 1, "x", "the last message that has blocks"),
        ("malformed", "record", 4, None, [], 0, "", "data.stream is a number, expected a list"),
        ("malformed", "record", 2, None, [], 0, "", "data is a number, expected an object"),
        ("malformed", "record", 1, None, [], 0, "", "the record is a string, expected an object"),
    ]


def test_a_message_without_blocks_whose_stream_is_bad_is_malformed_and_nothing_else(engine: ModuleType) -> None:
    said = explained(engine, jsonl(message("x"), empty(3)))
    assert (counts(said)["emptyMessages"], counts(said)["malformed"]) == (0, 1)
    # With blocks the stream isn't read.
    whole = message("y") | {"data": message("y")["data"] | {"stream": 3}}
    assert counts(explained(engine, jsonl(whole)))["malformed"] == 0


def test_limits_count_as_they_do_for_records_that_are_read(engine: ModuleType) -> None:
    deep = b'{"type":"assistant/attempt","data":{"stream":[{"x":' + b"[" * 600 + b"]" * 600 + b"}]}}"
    said = explained(engine, jsonl(message("x"), deep))
    assert verdicts(said, "reason")[1] == ("malformed", "the record is 604 levels deep, expected at most 512")


def test_errors_are_those_without(engine: ModuleType) -> None:
    """spec S9 counts."""
    log = jsonl(message("x"), BAD)
    for ask in (lambda **more: engine.read_bytes(log, **more), lambda **more: engine.select([BAD_EVENT], **more)):
        assert outcome(lambda ask=ask: ask(explain=True)) == outcome(ask)
    sessions = [headless(chunk("a"), "s1"), headless(chunk("b"), "s2")]
    with pytest.raises(MalformedEventError, match="one fold is one session"):
        engine.select(sessions, explain=True)
    said = explained(engine, log, on_malformed="skip")
    assert verdicts(said) == [("won",), ("malformed",)]


# --- where the run is


def test_lists_are_read_from_their_first_event(engine: ModuleType) -> None:
    events = [header(2), message("a", id="a"), message("b"), BAD_EVENT, message("c")]
    for given in (events, tuple(events), iter(events)):
        said = engine.select(given, 3, explain=True)
        assert counts(said) == {
            "records": 5,
            "suffixRecords": 2,
            "messages": 1,
            "emptyMessages": 0,
            "streams": 0,
            "streamedCharacters": 0,
            "malformed": 1,
            "version": 2,
            "suffixIndex": 3,
            "suffixOffset": None,
            "suffixLine": None,
        }
        assert verdicts(said, "index") == [("won", 4), ("malformed", 3), ("outside", 2)]
    assert counts(engine.select(events, -1, explain=True))["suffixIndex"] == 4
    assert counts(engine.select(events, 9, explain=True))["suffixIndex"] is None


def test_a_turn_in_the_middle_has_newer_messages_outside(engine: ModuleType) -> None:
    """spec S9 candidates."""
    log = jsonl(turn_start(1), message("1"), turn_start(2), message("2"), turn_start(3), message("3"))
    said = explained(engine, log, turn=2)
    assert verdicts(said, "line", "preview") == [("won", 4, "2"), ("outside", 6, "3")]
    assert (counts(said)["records"], counts(said)["suffixRecords"], counts(said)["suffixLine"]) == (6, 2, 3)
    assert verdicts(explained(engine, log, turn=1))[1:] == [("outside",)]


def test_a_row_that_the_cut_divides_is_of_the_run_with_what_lies_after(engine: ModuleType) -> None:
    said = explained(engine, jsonl(header(1, seedLength=3), packed(1, "a", "b", "cd", "e"), chunk("f", seq=5)))
    assert (said.text, counts(said)["streamedCharacters"], counts(said)["suffixLine"]) == ("cde" + "f", 4, 2)
    assert counts(said)["suffixRecords"] == 2
    assert counts(explained(engine, jsonl(header(), chunk("a")), start=1))["suffixLine"] == 2


def test_sessions_are_explained_each_by_itself(engine: ModuleType) -> None:
    status = {"method": "session.status", "params": {"note": "turn/end"}}
    started = {"method": "subagent.started", "params": {"childSessionId": "b"}}
    log = jsonl(status, notification(message("a"), "a"), notification(message("x"), "b"), started, status, BAD)
    log += jsonl(notification(message("b"), "b"), status)
    every = engine.read_sessions(log, explain=True, on_malformed="skip")
    assert verdicts(every["a"], "line") == [("won", 2), ("malformed", 6)]
    assert verdicts(every["b"], "line") == [("won", 7), ("malformed", 6), ("outside", 3)]
    a, b = counts(every["a"]), counts(every["b"])
    assert (a["records"], a["suffixRecords"], a["suffixLine"]) == (6, 6, 1)
    assert (b["records"], b["suffixRecords"], b["suffixLine"]) == (7, 4, 5)
    assert counts(explained(engine, log, session="b")) == b
    assert counts(explained(engine, log, session="a", on_malformed="skip")) == a
    started_last = engine.read_bytes(log + jsonl(started), session="b", explain=True)
    assert counts(started_last)["suffixLine"] is None
    assert counts(engine.read_bytes(log, session="b", start=4, explain=True))["suffixRecords"] == 4
