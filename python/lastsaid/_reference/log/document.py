"""A log read once, from its start: JSON Lines, or one JSON array (S7 Arrays)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from lastsaid._reference import json
from lastsaid._reference.log import array, stream
from lastsaid._reference.log.lines import BOM
from lastsaid._reference.log.source import Input
from lastsaid._reference.records import Found
from lastsaid.errors import MalformedEventError

CUT_FRAME: Final = "the file ends inside a frame"
_BLANK: Final = b" \t\r\n"


class Sink(Protocol):
    """What takes the records of a log that is read once; `examines_all`: not only those with a needle."""

    examines_all: bool

    def feed(self, found: Found) -> None: ...
    def pass_over(self, found: Found) -> None: ...
    def torn(self, offset: int, line: int | None, sentence: str) -> None: ...


@dataclass(frozen=True, slots=True)
class End:
    """How a reading ended; `records` are counted only as far as `start` asked for it."""

    is_torn: bool
    records: int


def read(log: Input, sink: Sink, start: int, limit: int) -> End:
    """Read all of a log into a sink. The first `start` records are before the part that was asked for."""
    blocks = log.blocks()
    held = b""
    while len(held) < len(BOM) + 1 and (block := next(blocks, b"")):
        held += block
    skipped = len(BOM) if held.startswith(BOM) else 0
    held = held[skipped:]
    is_array = False
    if held.startswith(b"["):
        is_array, held = _is_array(held, blocks, limit)
    whole = itertools.chain([held], blocks)
    reading = array.read if is_array else stream.read
    return reading(log, whole, skipped, sink, start, limit)


def _is_array(held: bytes, blocks: Iterator[bytes], limit: int) -> tuple[bool, bytes]:
    """Whether the log is one JSON array, as far as its first lines tell; and the bytes that were read to see it."""
    ahead = bytearray(held)
    is_end = False

    def more() -> bool:
        nonlocal is_end
        block = next(blocks, b"")
        is_end = not block
        ahead.extend(block)
        return not is_end

    searched = 0
    while (lf := ahead.find(b"\n", searched)) < 0:
        searched = len(ahead)
        # Zero bytes at the end of what is there may be padding.
        if len(ahead.rstrip(b"\0")) > limit:
            return True, bytes(ahead)
        if not more():
            lf = len(ahead.rstrip(b"\0"))
            break
    if lf > limit or not _is_json(bytes(ahead[:lf])):
        return True, bytes(ahead)
    while True:
        if ahead[lf:].rstrip(b"\0").strip(_BLANK):
            return False, bytes(ahead)
        if is_end or not more():
            return True, bytes(ahead)


def _is_json(data: bytes) -> bool:
    try:
        json.parse(data)
    except MalformedEventError:
        return False
    return True
