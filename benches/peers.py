"""What people write today, each returning the output blocks; and the floors no reader gets below.

They trust their log: no validation, no bad lines, no torn tail, no suffix, no provenance. The engines do all of that.
"""

from __future__ import annotations

import io
import json
import mmap
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

Blocks = list[dict[str, Any]] | None
Parse = Callable[[bytes], dict[str, Any]]

BLOCK: Final = 1 << 20
TAIL: Final = 1 << 16
# Occurs in no UTF-8 text, so a search for it reads every byte.
ABSENT: Final = b"\xff"


def _texts(event: dict[str, Any], texts: list[str]) -> None:
    for record in event["data"].get("stream") or ():
        kind = record["type"]
        if kind == "text-chunks":
            texts.extend(record["texts"])
        elif kind == "chunk" and record["chunk"]["type"] == "text-delta":
            texts.append(record["chunk"]["text"])


def _joined(texts: list[str]) -> Blocks:
    text = "".join(texts)
    return [{"type": "text", "text": text}] if text else None


def forward(events: Iterable[dict[str, Any]]) -> Blocks:
    """The loop that people write: every event once, in order."""
    content = None
    texts: list[str] = []
    for event in events:
        kind = event["type"]
        if kind == "assistant/message":
            content = event["data"]["message"]["content"] or content
        if content is None and kind in ("assistant/message", "assistant/attempt"):
            _texts(event, texts)
    return content if content is not None else _joined(texts)


def backward(events: Sequence[dict[str, Any]]) -> Blocks:
    """The loop of someone who thought about it: from the end, and forward only for streamed text."""
    for event in reversed(events):
        if event["type"] == "assistant/message" and event["data"]["message"]["content"]:
            content: Blocks = event["data"]["message"]["content"]
            return content
    return forward(events)


class HandFold:
    """The class that people write when events come one by one."""

    def __init__(self) -> None:
        self.content: Blocks = None
        self.texts: list[str] = []

    def push(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "assistant/message":
            self.content = event["data"]["message"]["content"] or self.content
        if self.content is None and kind in ("assistant/message", "assistant/attempt"):
            _texts(event, self.texts)

    def push_text(self, piece: str) -> None:
        if self.content is None:
            self.texts.append(piece)

    def extend_text(self, pieces: Iterable[str]) -> None:
        if self.content is None:
            self.texts.extend(pieces)

    def collect(self) -> Blocks:
        return self.content if self.content is not None else _joined(self.texts)


def _clever(buffer: bytes | mmap.mmap, lines: Iterable[bytes]) -> Blocks:
    """Search back for a message; without one, parse only the lines that can hold streamed text."""
    at = len(buffer)
    while (at := buffer.rfind(b'"assistant/message"', 0, at)) >= 0:
        start = buffer.rfind(b"\n", 0, at) + 1
        end = buffer.find(b"\n", at)
        event = orjson.loads(buffer[start : end if end >= 0 else len(buffer)])
        if event["type"] == "assistant/message" and event["data"]["message"]["content"]:
            content: Blocks = event["data"]["message"]["content"]
            return content
        at = start
    return forward(orjson.loads(line) for line in lines if b'"assistant/' in line)


def _clever_file(path: Path) -> Blocks:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return _clever(mapped, iter(mapped.readline, b""))


def _loop_file(parse: Parse) -> Callable[[Path], Blocks]:
    def read(path: Path) -> Blocks:
        with path.open("rb") as file:
            return forward(map(parse, file))

    return read


def _loop_bytes(parse: Parse) -> Callable[[bytes], Blocks]:
    return lambda data: forward(map(parse, io.BytesIO(data)))


FILES: Final[dict[str, Callable[[Path], Blocks]]] = {
    "orjson loop": _loop_file(orjson.loads),
    "json loop": _loop_file(json.loads),
    "rfind + orjson": _clever_file,
}
BYTES: Final[dict[str, Callable[[bytes], Blocks]]] = {
    "orjson loop": _loop_bytes(orjson.loads),
    "json loop": _loop_bytes(json.loads),
    "rfind + orjson": lambda data: _clever(data, io.BytesIO(data)),
}


def floor_file(path: Path, *, tail: bool) -> None:
    """Read every byte of a file, or of its last 64 KiB, in 1 MiB blocks into one buffer, and look at each."""
    buffer = bytearray(BLOCK)
    fd = os.open(path, os.O_RDONLY)
    try:
        at = max(0, os.fstat(fd).st_size - TAIL) if tail else 0
        while count := os.preadv(fd, [buffer], at):
            if buffer.find(ABSENT, 0, count) >= 0:
                raise AssertionError("the absent byte is there")
            at += count
    finally:
        os.close(fd)


def floor_bytes(data: bytes, *, tail: bool) -> None:
    """Look at every byte in memory, or at the last 64 KiB."""
    if data.find(ABSENT, len(data) - TAIL if tail else 0) >= 0:
        raise AssertionError("the absent byte is there")


def floor_events(events: Iterable[dict[str, Any]]) -> None:
    """Touch each event and nothing in it."""
    deque(events, maxlen=0)
