"""Pieces of every kind of Python string, whatever their widths and wherever halves of characters meet (spec S8).

A string holds its characters one, two or four bytes wide, and they are copied by that width. The oracle is `"".join`
and a round trip through UTF-16, which joins the halves that meet.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, jsonl, message, packed, text

HIGH, LOW = "\ud83d", "\ude00"


class Word(str):
    """A str, but not exactly."""

    __slots__ = ()


# One of each width and size class; some hold halves at their ends or inside.
PIECES = (
    "", "a", "plain ascii of some length, longer than a register", "\x00", "\x7f", '"\\\n', "\x80", "é", "\xff" * 33,
    "ascii and then é", "é and then ascii", "\u0100", "文" * 17, "a文", "文a", "\ufffd\ufffe\uffff", "\ud7ff\ue000",
    "\U00010000", "🎉" * 9, "a🎉", "🎉a", "é文🎉", "\U0010ffff", HIGH, LOW, HIGH + LOW, LOW + HIGH, HIGH * 2, LOW * 3,
    "a" + HIGH, LOW + "a", "🎉" + HIGH, LOW + "🎉", "é" + HIGH + "é", "🎉" + LOW + "a", HIGH + "🎉" + HIGH,
    Word("a word"), Word(LOW + "é"), Word("🎉" + HIGH), Word(),
)  # fmt: skip
WIDTHS = {"ASCII": "a", "Latin-1": "é", "two bytes": "文", "four bytes": "🎉", "half": HIGH, "other half": LOW}


def joined(pieces: Sequence[str]) -> str:
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def streamed(engine: ModuleType, feed: Callable[[Any], object]) -> Any:
    fold = engine.AssistantOutputFold()
    feed(fold)
    return fold


def merged(engine: ModuleType, pieces: Sequence[str]) -> Any:
    whole = engine.AssistantOutputFold()
    for piece in pieces:
        whole = whole.merge(streamed(engine, lambda fold, piece=piece: fold.push_text(piece)))
    return whole


def assert_streamed(engine: ModuleType, pieces: Sequence[str]) -> None:
    """Every way in which streamed text comes."""
    wanted = joined(pieces)
    output = [text(wanted)] if wanted else None
    events = [chunk(piece) for piece in pieces]
    lone = any("\ud800" <= letter <= "\udfff" for letter in wanted)
    for fold in (
        streamed(engine, lambda fold: [fold.push_text(piece) for piece in pieces]),
        streamed(engine, lambda fold: fold.extend_text(pieces)),
        streamed(engine, lambda fold: fold.extend_text(iter(pieces))),
        streamed(engine, lambda fold: [fold.push(event) for event in events]),
        streamed(engine, lambda fold: fold.push(attempt(*pieces))),
        streamed(engine, lambda fold: fold.push(packed(1, *pieces))),
        streamed(engine, lambda fold: fold.extend(events)),
        streamed(engine, lambda fold: fold.extend(iter([attempt(*pieces[:1]), attempt(*pieces[1:])]))),
        streamed(engine, lambda fold: fold.extend_json(jsonl(*events))),
        merged(engine, pieces),
    ):
        found = fold.collect()
        assert found == output
        assert fold.text == wanted
        if found:
            assert type(found[0]["text"]) is str
            assert ("lone_surrogate" in fold.selection().warnings) is lone
    for said in (
        engine.final_assistant_output(events),
        engine.final_assistant_output((attempt(*pieces),)),
        engine.final_assistant_output(iter(events)),
        engine.select(events).output,
        engine.read_bytes(jsonl(*events)).output,
    ):
        assert said == output


def test_two_pieces_of_every_kind(engine: ModuleType) -> None:
    for pieces in itertools.product(PIECES, repeat=2):
        wanted = joined(pieces)
        fold = streamed(engine, lambda fold, pieces=pieces: fold.extend_text(pieces))
        assert fold.text == wanted, pieces
        fold = streamed(engine, lambda fold, pieces=pieces: fold.extend([chunk(piece) for piece in pieces]))
        assert fold.collect() == ([text(wanted)] if wanted else None), pieces


def test_several_pieces_of_every_kind(engine: ModuleType) -> None:
    choice = random.Random(4)
    for piece in PIECES:
        assert_streamed(engine, [piece])
    for _ in range(150):
        assert_streamed(engine, choice.choices(PIECES, k=choice.randint(2, 9)))


@pytest.mark.parametrize("wide", WIDTHS.values(), ids=WIDTHS.keys())
def test_a_character_at_every_place_of_a_piece(engine: ModuleType, wide: str) -> None:
    """Copies go by vectors; what is wide may stand at any place in one, or be the first of the next."""
    for size in (*range(1, 36), 63, 64, 65, 127, 128, 129):
        for place in range(size):
            piece = "x" * place + wide + "y" * (size - place - 1)
            fold = streamed(engine, lambda fold, piece=piece: fold.extend_text((piece, piece)))
            assert fold.text == joined([piece, piece])
            assert engine.final_assistant_output([attempt(piece, "z", piece)]) == [text(joined([piece, "z", piece]))]


@pytest.mark.parametrize("wide", WIDTHS.values(), ids=WIDTHS.keys())
@pytest.mark.parametrize("size", [4095, 4096, 65_537, 200_003])
def test_long_pieces(engine: ModuleType, wide: str, size: int) -> None:
    for piece in (wide * size, "a" * size + wide, wide + "a" * size):
        fold = streamed(engine, lambda fold, piece=piece: fold.extend_text([piece, LOW, piece]))
        assert fold.text == joined([piece, LOW, piece])
        assert engine.select([chunk(piece), chunk(LOW)]).text == joined([piece, LOW])


def test_halves_that_meet_far_apart(engine: ModuleType) -> None:
    """Empty pieces, empty messages and events that say nothing lie between them; a message without text does too."""
    silent = [chunk(""), message(), attempt(), {"type": "x/y"}, chunk(Word()), packed(3)]
    for count in (1, 6, 60):
        events = [chunk("🎉" + HIGH), *(silent * count), chunk(LOW + "é")]
        for said in (engine.select(events), engine.select(iter(events)), engine.read_bytes(jsonl(*events))):
            assert said.text == "🎉😀é"
        fold = streamed(engine, lambda fold, events=events: [fold.push(event) for event in events])
        assert fold.text == "🎉😀é"


def test_texts_of_messages_are_kept_as_they_are(engine: ModuleType) -> None:
    """spec S2.1: blocks are whole and unchanged, only their joined text is joined."""
    for pieces in itertools.product(PIECES[::3], repeat=2):
        said = engine.select([message(*pieces)])
        assert said.output == [text(piece) for piece in pieces]
        assert said.text == joined(pieces)
        assert type(said.text) is str


def test_text_and_json_say_the_same(engine: ModuleType) -> None:
    """Escaped, and as it is where UTF-8 can say it."""
    for piece in map(str, PIECES):
        for escaped in (True, False):
            record = json.dumps(message(piece, piece), ensure_ascii=escaped)
            if not escaped and any("\ud800" <= letter <= "\udfff" for letter in piece):
                with pytest.raises(ValueError, match="UTF-8"):
                    engine.AssistantOutputFold().push_json(record)
                continue
            fold = engine.AssistantOutputFold()
            fold.push_json(record)
            assert fold.text == joined([piece, piece])
