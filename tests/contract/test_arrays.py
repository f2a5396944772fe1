"""A log that is one JSON array (spec S7 Arrays); the corpus has its edges as cases, `array_*`."""

from __future__ import annotations

import io
import json
import os
import threading
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, header, message, notification, turn_end, turn_start
from lastsaid import MalformedEventError, Selection
from ways import Dribble, answer

EVENTS = [header(id="h"), turn_start(seq=1), attempt("a[", '"]', seq=2), message("b,\n]", seq=3), turn_end(seq=4)]
SHAPES = [
    json.dumps(EVENTS),
    json.dumps(EVENTS, indent=1),
    json.dumps(EVENTS, separators=(",", ":")) + "\n",
    "[\n" + ",\n".join(map(json.dumps, EVENTS)) + "\n]\n",
    "\ufeff[" + " ,\r\n\t".join(map(json.dumps, EVENTS)) + " ] \r\n\n" + "\0" * 9,
]


def read(engine: ModuleType, log: bytes, **options: Any) -> Selection:
    """What all ways say, places and lines included: an array is always read forward."""
    said = [
        engine.read_bytes(log, **options),
        engine.read(io.BytesIO(log), **options),
        engine.read(Dribble(log, 1 if len(log) < 3000 else 61), **options),
    ]
    assert answer(said[0]) == answer(said[1]) == answer(said[2])
    return said[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_elements_are_records_wherever_their_lines_end(engine: ModuleType, shape: str) -> None:
    log = shape.encode()
    said = read(engine, log)
    assert (said.text, said.index, said.seq, said.completeness) == ("b,\n]", 3, 3, "complete")
    element = json.dumps(EVENTS[3], separators=(",", ":") if "}," not in shape.split("\n")[0][:60] else None)
    assert said.offset is not None
    assert log[said.offset : said.offset + 7] == element.encode()[:7] or shape is SHAPES[1]
    assert said.line == log[: said.offset].count(b"\n") + 1
    assert engine.check(log) == []
    assert list(engine.read_sessions(log)) == ["h"]


@pytest.mark.parametrize(("start", "index"), [(0, 3), (3, 3), (-2, 3), (-5, 3), (-99, 3), (4, None), (-1, None)])
def test_start_counts_elements(engine: ModuleType, start: int, index: int | None) -> None:
    for shape in SHAPES:
        assert read(engine, shape.encode(), start=start).index == index


def test_notifications_in_an_array_are_of_sessions(engine: ModuleType) -> None:
    started = {"method": "subagent.started", "params": {"childSessionId": "c"}}
    log = json.dumps([notification(message("mine"), "r"), started, notification(message("its"), "c")]).encode()
    assert read(engine, log).text == "mine"
    assert {session: said.text for session, said in engine.read_sessions(log).items()} == {"r": "mine", "c": "its"}


def test_a_bad_element_is_named_by_its_byte_and_line(engine: ModuleType) -> None:
    log = b'[{"type":"x/y"},\n  {"type":"assistant/message","data":3}\n, ]'
    problems = [(one.kind, one.offset, one.line) for one in engine.check(log)]
    assert problems == [("wrong_type", 19, 2), ("not_json", len(log) - 1, 3)]
    with pytest.raises(MalformedEventError) as caught:
        read(engine, log)
    assert (caught.value.kind, caught.value.offset, caught.value.line, caught.value.index) == ("not_json", 59, 3, None)


def test_an_array_cut_at_any_byte_gives_its_whole_elements(engine: ModuleType) -> None:
    log = SHAPES[1].encode()
    for cut in range(1, len(log)):
        said = engine.read_bytes(log[:cut])
        whole = 0
        for end in range(cut, 0, -1):
            try:
                whole = len(json.loads(log[:end].decode().rstrip().rstrip(",") + "]"))
            except ValueError:
                continue
            break
        expected = engine.select(EVENTS[:whole])
        assert (said.text, said.index) == (expected.text, expected.index)
        assert "torn_tail" in said.warnings


def test_an_array_longer_than_any_record_may_be_is_read_in_bounded_memory(engine: ModuleType) -> None:
    """A real pipe, fed while it is read; the array is a hundred times as long as the limit of a record."""
    noise = json.dumps({"type": "tool/result", "data": "x" * 9_000}).encode() + b","
    reading, writing = os.pipe()

    def fill() -> None:
        with open(writing, "wb") as file:
            file.write(b"[" + json.dumps(EVENTS[3]).encode() + b",")
            for _ in range(110):
                file.write(noise)
            file.write(json.dumps(EVENTS[4]).encode() + b"]")

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        with open(reading, "rb", buffering=0) as file:
            said = engine.read(file, max_record_bytes=10_000)
    finally:
        thread.join(timeout=30)
    assert (said.text, said.index, said.completeness) == ("b,\n]", 0, "complete")
