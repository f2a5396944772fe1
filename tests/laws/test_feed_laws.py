"""Bytes that come in any pieces are the records they hold (spec S5 `feed`)."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpus_cases import records
from lastsaid import MalformedEventError, SelectionWarning
from strategies import any_logs
from ways import answer, canonical

NEEDLES = re.compile(rb"assistant/|text-chunks|turn/start|turn/end|end-seed|subagent\.started|\\u00[2-7]|\\/")
cuts = st.lists(st.integers(0, 1000), max_size=8)

BOM = b"\xef\xbb\xbf"
Problem = tuple[str, str]


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[places[i] : places[i + 1]] for i in range(len(places) - 1)]


def is_torn(engine: ModuleType, tail: bytes) -> bool:
    """A record is never its input's first byte here: a byte order mark would be passed over there."""
    try:
        engine.AssistantOutputFold().extend_json(b"\n" + tail)
    except MalformedEventError as error:
        return error.kind in ("not_json", "not_utf8")
    return False


def pushed(engine: ModuleType, log: bytes) -> tuple[Any, list[Problem], bool]:
    """A fold of the records of a log that are candidates, what was wrong with the others, and whether it is torn."""
    fold, problems = engine.AssistantOutputFold(), []
    lines = records(log)
    has_tail = bool(log.removeprefix(BOM).rstrip(b"\0").rpartition(b"\n")[2].strip(b" \t\r"))
    torn = has_tail and is_torn(engine, lines[-1])
    for number, line in enumerate(lines[:-1] if torn else lines):
        if number == 0 or NEEDLES.search(line) or (has_tail and number == len(lines) - 1):
            try:
                fold.extend_json(b"\n" + line)
            except MalformedEventError as error:
                problems.append((error.kind, error.sentence))
    return fold, problems, torn


def fed(engine: ModuleType, chunks: list[bytes], framing: str, *, pickled: bool) -> tuple[Any, list[Problem]]:
    """A fold of a stream, every call repeated until it no longer raises, and what it raised."""
    fold, problems, places = engine.AssistantOutputFold(), [], []

    def call(name: str, *given: Any, **named: Any) -> None:
        try:
            getattr(fold, name)(*given, **named)
        except MalformedEventError as error:
            problems.append((error.kind, error.sentence))
            places.append((error.offset, error.line))
            call(name, *(b"" for _ in given), **named)

    for chunk in chunks:
        call("feed", chunk, framing=framing)
        if pickled:
            fold = engine.AssistantOutputFold._from_pickle(fold.__reduce__()[1][0])
    call("end")
    assert places == sorted(places)
    return fold, problems


def said(fold: Any) -> str:
    """Its answer without the places, which count other things."""
    found = answer(fold.selection(), "index", "offset", "line")
    found["warnings"] = [one for one in found["warnings"] if one != SelectionWarning.TORN_TAIL]
    return canonical(found)


@given(log=any_logs, cuts=cuts, pickled=st.booleans())
def test_a_log_fed_in_pieces_is_its_records(engine: ModuleType, log: bytes, cuts: list[int], pickled: bool) -> None:
    """spec S5 feed."""
    by_record, problems, torn = pushed(engine, log)
    in_pieces, found = fed(engine, pieces(log, cuts), "lines", pickled=pickled)
    assert found == problems
    assert said(in_pieces) == said(by_record)
    assert (SelectionWarning.TORN_TAIL in in_pieces.selection().warnings) == torn


@given(log=any_logs, cuts=cuts, pickled=st.booleans(), end=st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_records_framed_as_events_are_the_same_records(
    engine: ModuleType, log: bytes, cuts: list[int], pickled: bool, end: bytes
) -> None:
    """spec S5 framing."""
    lines = [line.strip(b" \t\r") for line in records(log)]
    lines = [line for line in lines if b"\r" not in line]
    by_record, problems, _ = pushed(engine, b"".join(b"\n" + line for line in [*lines, b""]))
    stream = b"".join(b": comment" + end + b"data: " + line + end + b"id: 3" + end + end for line in lines)
    in_pieces, found = fed(engine, pieces(stream, cuts), "sse", pickled=pickled)
    assert found == problems
    assert said(in_pieces) == said(by_record)
