"""Server-sent events as they come: `feed` with `framing="sse"` (spec S5)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from dsh_events import chunk, jsonl, message
from lastsaid import MalformedEventError, SelectionWarning


def fed(engine: ModuleType, *chunks: Any, framing: str = "lines") -> Any:
    fold = engine.AssistantOutputFold()
    for one in chunks:
        fold.feed(one, framing=framing)
    return fold


def feeding(fold: Any) -> Any:
    return fold.__reduce__()[1][0]["feeding"]


def place(fold: Any) -> tuple[Any, ...]:
    said = fold.selection()
    return said.text, said.index, said.offset, said.line, said.seq


def sse(*events: bytes, end: bytes = b"\n") -> bytes:
    return b"".join(b"data: " + event + end + end for event in events)


@pytest.mark.parametrize("step", [1, 3, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_events_are_read_whatever_their_line_ends(engine: ModuleType, step: int, end: bytes) -> None:
    """spec S5 framing."""
    first, second = b'{"type":"turn/start"}', jsonl(message("said")).strip()
    stream = b": hello" + end + b"event: x" + end + sse(first, end=end) + end + b"id: 3" + end
    at = len(stream)
    stream += b"data:" + second[:8] + end + b"id" + end + b"data:" + second[8:] + end + end + b": bye" + end
    fold = fed(engine, *(stream[i : i + step] for i in range(0, len(stream), step)), framing="sse")
    assert place(fold) == ("said", 1, at, 7, None)
    assert not feeding(fold)["pending"]
    assert feeding(fold)["line"] == 12


def test_an_event_without_data_is_none_and_one_without_an_end_is_the_tail(engine: ModuleType) -> None:
    """spec S5 framing."""
    fold = fed(engine, b"data\n\ndatax: 3\n\ndata\ndata:\n\nid: 1\n\n" + sse(jsonl(chunk("a")).strip()), framing="sse")
    assert place(fold)[:2] == ("a", 0)
    fold.feed(b'data: {"type":"assistant/message",\ndata: "data":', framing="sse")
    assert fold.text == "a"
    fold.end()
    assert fold.selection().warnings == (SelectionWarning.TORN_TAIL,)
    fold.feed(b"data: " + jsonl(message("b")) + b"da", framing="sse")
    fold.end()
    assert (fold.text, fold.selection().warnings) == ("b", ())


def test_a_bad_event_is_named_by_its_first_data_line(engine: ModuleType) -> None:
    """spec S5 framing."""
    with pytest.raises(MalformedEventError, match=r"^line 2, byte 5: the record is not JSON"):
        fed(engine, b"id:3\ndata: turn/\ndata: end\n\n", framing="sse")
