"""Strings are joined as JavaScript would join them (spec S8)."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, jsonl, message, text, turn_end
from ways import Dribble

HIGH, LOW, BOTH = "\ud83d", "\ude00", "\U0001f600"


def every_source(engine: ModuleType, *events: Any) -> list[Any]:
    """The same events as objects, as JSON records and as a log."""
    pushed, fed = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    pushed.extend(events)
    fed.extend_json(jsonl(*events))
    log = jsonl(*events)
    return [
        pushed.selection(),
        fed.selection(),
        engine.select(list(events)),
        engine.select(iter(events)),
        engine.read_bytes(log),
        engine.read(Dribble(log)),
    ]


@pytest.mark.parametrize(
    ("pieces", "joined", "lone"),
    [
        ([HIGH, LOW], BOTH, False),
        (["a" + HIGH, LOW + "b"], f"a{BOTH}b", False),
        ([HIGH, "", LOW], BOTH, False),
        ([HIGH, HIGH, LOW], HIGH + BOTH, True),
        ([LOW, HIGH], LOW + HIGH, True),
        ([HIGH], HIGH, True),
        (["x", LOW], "x" + LOW, True),
        ([HIGH, LOW, LOW], BOTH + LOW, True),
        ([HIGH + LOW], BOTH, False),
        (["é", "\x00", "\u2028"], "é\x00\u2028", False),
    ],
    ids=ascii,
)
def test_halves_that_meet_become_one_character(engine: ModuleType, pieces: list[str], joined: str, lone: bool) -> None:
    """spec S8: across pieces, and across events; an unpaired half stays, with a warning (S9)."""
    for events in ([attempt(*pieces)], [chunk(piece) for piece in pieces], [message(*pieces)]):
        for said in every_source(engine, header(), *events, turn_end()):
            assert said.text == joined
            assert ("lone_surrogate" in said.warnings) is lone
            if said.source == "stream":
                assert said.output == [text(joined)]


def test_blocks_stay_as_they_are_and_only_their_text_is_joined(engine: ModuleType) -> None:
    """spec S2.1, S8."""
    for said in every_source(engine, message(HIGH, {"type": "image"}, LOW)):
        assert said.output == [text(HIGH), {"type": "image"}, text(LOW)]
        assert said.text == BOTH


def test_halves_meet_across_calls_and_merges(engine: ModuleType) -> None:
    """spec S8."""
    fold, later = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    fold.push_text("a" + HIGH)
    assert fold.text == "a" + HIGH
    later.push_text(LOW + "b")
    assert fold.merge(later).collect() == [text(f"a{BOTH}b")]
    fold.push_text(LOW)
    assert fold.collect() == [text(f"a{BOTH}")]


def test_joined_text_is_a_plain_str(engine: ModuleType) -> None:
    """spec S1 Object, S8."""

    class Loud(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "LOUD"

    fold = engine.AssistantOutputFold()
    fold.push_text(Loud("a"))
    fold.push(attempt(Loud("b")))
    assert type(fold.text) is str
    assert fold.text == "ab"
    assert type(fold.collect()[0]["text"]) is str
    said = engine.select([message(Loud("c"))])
    assert said.text == "c"
    assert type(said.text) is str


def test_escapes_of_every_kind_mean_the_same(engine: ModuleType) -> None:
    """spec S6.2."""
    words = 'a"\\/\b\f\n\r\té' + BOTH
    plain, escaped = json.dumps(words, ensure_ascii=False), json.dumps(words).replace("/", "\\/")
    spelt = '"' + "".join(f"\\u{ord(half):04X}" for half in words[:-1]) + '\\uD83D\\uDE00"'
    for shown in (plain, escaped, spelt):
        line = json.dumps(message("words")).replace('"words"', shown)
        fold = engine.AssistantOutputFold()
        fold.push_json(line)
        assert fold.text == engine.read_bytes(line.encode()).text == words


@pytest.mark.parametrize(
    ("words", "blank"),
    [
        ("", True),
        (" \t\n\x0b\x0c\r", True),
        ("\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000", True),
        ("\ufeff", False),
        ("\x1c", False),
        ("\x1d\x1e\x1f", False),
        ("\u200b", False),
        ("\u180e", False),
        (HIGH, False),
        (" .", False),
    ],
    ids=ascii,
)
def test_blank_is_white_space_as_unicode_has_it(engine: ModuleType, words: str, blank: bool) -> None:
    """spec S1 «Blank», S9 `is_final`, `textless`."""
    for said in every_source(engine, message(words), turn_end()):
        assert said.is_final is not blank
        assert ("textless" in said.warnings) is blank
