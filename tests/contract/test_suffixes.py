"""Which part of a log belongs to the run that is asked about (spec S4, S5)."""

from __future__ import annotations

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
    turn_end,
    turn_start,
)
from lastsaid import MalformedEventError, TurnNotFoundError
from ways import Dribble


def both_ways(engine: ModuleType, *records: Any, **options: Any) -> tuple[Any, Any]:
    """The text read backward and forward."""
    log = jsonl(*records)
    return engine.read_bytes(log, **options).text, engine.read(Dribble(log), **options).text


OTHER_ROW = {"type": "tool-call-chunks", "seq0": 0, "data": {"args": ["a", "b"]}}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], 0),
        ([header(), message("a")], 0),
        ([header(), message("a"), end_seed(inherited=True), message("b")], 3),
        ([header(), end_seed(), message("a"), end_seed(), message("b")], 4),
        ([header(), message("a"), end_seed()], 3),
        ([header(0, seedLength=2), chunk("a", seq=0), chunk("b", seq=1), chunk("c", seq=2)], 3),
        ([header(1, seedLength=2), packed(0, "a", "b"), chunk("c", seq=2)], 2),
        ([header(0, seedLength=2), packed(0, "a", "b", "c"), chunk("d", seq=3)], 1),
        ([header(2, seedLength=2), chunk("a", seq=0)], 0),
        ([header(0, seedLength=True), chunk("a", seq=0)], 0),
        ([header(0, seedLength=1.0), chunk("a", seq=0)], 0),
        ([message("x", seq=9), header(0, seedLength=5), chunk("a", seq=0)], 0),
        ([header(0, seedLength=3), chunk("a", seq=0), chunk("b"), chunk("c", seq=2), chunk("d")], 4),
        ([header(0, seedLength=1), chunk("a", seq=0), end_seed(), chunk("b")], 3),
        ([header(0, seedLength=2), end_seed(), chunk("a", seq=1), chunk("b", seq=2)], 3),
        (
            [
                header(0, seedLength=2),
                {"type": "tool-call-chunks", "seq0": 0, "data": {"args": ["a", "b"]}},
                chunk("c"),
            ],
            2,
        ),
        ([None, 3, end_seed(), "x"], 3),
        ([notification(end_seed()), notification(message("a"))], 1),
    ],
)
def test_suffix_start_is_after_the_last_cut(engine: ModuleType, events: list[Any], expected: int) -> None:
    """spec S1 Suffix, S4 Where a run's suffix starts."""
    assert engine.suffix_start(events) == expected
    assert engine.suffix_start(iter(events)) == expected
    assert engine.suffix_start(tuple(events)) == expected


def test_notifications_start_after_their_own_subagent_started(engine: ModuleType) -> None:
    """spec S4 Where a run's suffix starts: a session that is nobody's child starts at its first event."""
    started = {"method": "subagent.started", "params": {"childSessionId": "s1"}}
    other = {"method": "subagent.started", "params": {"childSessionId": "s2"}}
    assert engine.suffix_start([other, started, notification(message("a")), other]) == 2
    assert engine.suffix_start([other, notification(message("a"))]) == 0


def test_suffix_start_of_two_sessions_is_wrong_session(engine: ModuleType) -> None:
    events = [notification(message("a")), headless(message("b"), "s2")]
    with pytest.raises(MalformedEventError) as caught:
        engine.suffix_start(events)
    assert str(caught.value) == 'event 1: sessionId is "s2", expected "s1" (one fold is one session)'


def test_suffix_start_names_the_divided_row(engine: ModuleType) -> None:
    """spec S4 Where a run's suffix starts: `read*` divides the row, `suffix_start` gives its index."""
    events = [header(0, seedLength=2), packed(0, "a", "b", "c"), chunk("d", seq=3)]
    assert engine.suffix_start(events) == 1
    assert both_ways(engine, *events) == ("cd", "cd")
    assert both_ways(engine, *events, suffix="whole") == ("abcd", "abcd")


LOG = [
    header(),
    turn_start(1),
    message("one", seq=1),
    turn_end(),
    turn_start(2),
    message("two", seq=4),
    turn_end("error"),
]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "two"),
        ({"start": 0}, "two"),
        ({"start": -7}, "two"),
        ({"start": 6}, ""),
        ({"start": -1}, ""),
        ({"start": -99}, "two"),
        ({"turn": 1}, "one"),
        ({"turn": 2}, "two"),
        ({"turn": -1}, "two"),
        ({"since_seq": 0}, "two"),
        ({"since_seq": 2}, "two"),
        ({"since_seq": 5}, "two"),
    ],
    ids=str,
)
def test_option_picks_the_part(engine: ModuleType, options: dict[str, int], expected: str) -> None:
    """spec S5.1. A record without a seq isn't below a cut, so `since_seq=5` still cuts after the last that is."""
    if options == {"since_seq": 5}:
        expected = ""
    assert both_ways(engine, *LOG, **options) == (expected, expected)


def test_start_counts_records_as_stored(engine: ModuleType) -> None:
    """spec S5.1: the header is 0, a packed row 1, blank lines none."""
    records = [b"", header(), b" \r", packed(0, "a", "b"), b"", chunk("c"), chunk("d")]
    assert both_ways(engine, *records, start=1) == ("abcd", "abcd")
    assert both_ways(engine, *records, start=2) == ("cd", "cd")
    assert both_ways(engine, *records, start=-1) == ("d", "d")
    assert both_ways(engine, *records, start=-3) == ("abcd", "abcd")


def test_since_seq_divides_packed_rows(engine: ModuleType) -> None:
    """spec S5.1."""
    records = [header(), packed(0, "a", "b", "c"), chunk("d", seq=3)]
    assert both_ways(engine, *records, since_seq=1) == ("bcd", "bcd")
    assert both_ways(engine, *records, since_seq=3) == ("d", "d")
    assert both_ways(engine, *records, since_seq=4) == ("", "")


@pytest.mark.parametrize("option", [{"start": 0}, {"since_seq": 0}, {"turn": 1}, {"suffix": "whole"}], ids=str)
def test_option_replaces_the_own_suffix(engine: ModuleType, option: dict[str, Any]) -> None:
    """spec S5.1: each replaces `own`, so the seed marker cuts nothing."""
    records = [header(), turn_start(1), message("a"), end_seed()]
    assert both_ways(engine, *records, **option) == ("a", "a")
    assert both_ways(engine, *records) == ("", "")


def test_turn_stops_at_the_next_turn_start(engine: ModuleType) -> None:
    """spec S5.1."""
    records = [
        turn_start(1),
        attempt("a"),
        turn_end(),
        turn_start(2),
        attempt("b"),
        turn_start(1),
        attempt("c"),
        turn_start(7),
    ]
    assert both_ways(engine, *records, turn=1) == ("c", "c")
    assert both_ways(engine, *records, turn=2) == ("b", "b")
    assert both_ways(engine, *records, turn=7) == ("", "")
    assert engine.read_bytes(jsonl(*records), turn=7).warnings == ("open_turn", "empty_suffix")


def test_last_turn_may_have_no_number(engine: ModuleType) -> None:
    """spec S5.1."""
    records = [turn_start(1), attempt("a"), {"type": "turn/start"}, attempt("b")]
    assert both_ways(engine, *records, turn=-1) == ("b", "b")
    assert both_ways(engine, *records, turn=1) == ("a", "a")


@pytest.mark.parametrize(
    ("records", "turns", "message_"),
    [
        (LOG, (1, 2), "turn 3 is not in the log; its turns are 1, 2"),
        ([header()], (), "turn 3 is not in the log; it has no turns"),
        ([turn_start(2), turn_start(1), turn_start(2)], (2, 1), "turn 3 is not in the log; its turns are 2, 1"),
    ],
)
def test_turn_that_is_not_there_is_a_lookup_error_naming_the_turns(
    engine: ModuleType, records: list[Any], turns: tuple[int, ...], message_: str
) -> None:
    """spec S5.1."""
    log = jsonl(*records)
    for source in (lambda: engine.read_bytes(log, turn=3), lambda: engine.read(Dribble(log), turn=3)):
        with pytest.raises(LookupError) as caught:
            source()
        assert isinstance(caught.value, TurnNotFoundError)
        assert (str(caught.value), caught.value.turn, caught.value.turns) == (message_, 3, turns)


def test_silent_suffix_of_a_log_that_speaks_is_a_warning(engine: ModuleType) -> None:
    """spec S9 warnings."""
    speaks, silent = [header(), chunk("a"), end_seed()], [header(), message(), end_seed()]
    assert engine.read_bytes(jsonl(*speaks)).warnings == ("empty_suffix",)
    assert engine.read_bytes(jsonl(*silent)).warnings == ()
    assert engine.select(speaks, 2).warnings == engine.select(iter(speaks), 2).warnings == ("empty_suffix",)
    assert engine.select(silent, 2).warnings == ()
    assert engine.read(Dribble(jsonl(*speaks))).warnings == ("empty_suffix",)
    later = [turn_start(1), turn_end(), turn_start(2), chunk("a")]
    assert engine.read_bytes(jsonl(*later), turn=1).warnings == ("empty_suffix",)
    assert engine.read(Dribble(jsonl(*later)), turn=1).warnings == ("empty_suffix",)
