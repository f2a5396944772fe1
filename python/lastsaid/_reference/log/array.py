"""The elements of a log that is one JSON array, in bounded memory (S7 Arrays)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lastsaid._reference import json
from lastsaid._reference.fold import Place
from lastsaid._reference.log import document
from lastsaid._reference.log.source import Input
from lastsaid._reference.records import Found
from lastsaid.errors import MalformedEventError

_WHITE: Final = b" \t\r\n"
# What can end an element or hide its end; between them are bytes that can't.
_OUTSIDE: Final = re.compile(rb'[\[\]{},"\n]')
_INSIDE: Final = re.compile(rb'["\\\n]')


def read(log: Input, blocks: Iterator[bytes], offset: int, sink: document.Sink, start: int, limit: int) -> document.End:
    """Read all elements into a sink. The array's `[` is the first byte."""
    reading = _Reading(sink, start, limit)
    zeros = 0
    is_first = True
    for block in blocks:
        if not block:
            continue
        if is_first:
            is_first = False
            block, offset = block[1:], offset + 1
        # Zero bytes at the end of the log are padding and never seen.
        data = bytes(zeros) + block
        zeros = len(data) - len(data.rstrip(b"\0"))
        data = data[: len(data) - zeros]
        gap = min((start for start in log.gaps if start < offset + len(data)), default=None)
        reading.add(data if gap is None else data[: max(0, gap - offset)], offset)
        if reading.is_over:
            return document.End(False, reading.elements)
        if gap is not None:
            # Nobody knows how much of the array is missing: what follows is not read.
            reading.bad(log.gaps[gap].damage.defect(), Place(offset=gap), gap)
            return document.End(False, reading.elements)
        offset += len(data)
    if not reading.is_ended:
        reading.tail(offset)
    elif log.is_torn:
        sink.torn(offset, reading.line, document.CUT_FRAME)
    return document.End(log.is_torn or not reading.is_ended, reading.elements)


class _Reading:
    """Where in the array the bytes are."""

    def __init__(self, sink: document.Sink, start: int, limit: int) -> None:
        self.sink = sink
        self.start = start
        self.limit = limit
        self.line = 1
        self.elements = 0
        # The element as it goes by: of one over the limit only the length is kept; `used` is without white space.
        self.place: Place | None = None
        self.kept = bytearray()
        self.length = 0
        self.used = 0
        self.depth = 0
        self.in_string = False
        self.is_escaped = False
        self.is_after_comma = False
        # The array has ended; something that isn't white followed it.
        self.is_ended = False
        self.is_over = False

    def add(self, data: bytes, offset: int) -> None:
        at = 0
        while at < len(data) and not self.is_over:
            if self.is_ended:
                self._after_the_end(data[at:], offset + at)
                return
            if self.is_escaped:
                self.is_escaped = False
                self._inside(data[at : at + 1], offset + at)
                self.line += data[at] == 0x0A
                at += 1
                continue
            match = (_INSIDE if self.in_string else _OUTSIDE).search(data, at)
            end = match.start() if match else len(data)
            self._inside(data[at:end], offset + at)
            if match:
                self._step(match[0], offset + end)
                end += 1
            at = end

    def _step(self, byte: bytes, offset: int) -> None:
        is_delimiter = not self.in_string and self.depth == 0 and byte in b",]"
        if is_delimiter:
            if byte == b"," or self.place is not None or self.is_after_comma:
                self._element(offset, offset + 1)
            self.is_ended = byte == b"]"
            return
        if self.in_string:
            self.is_escaped = byte == b"\\"
            self.in_string = byte != b'"'
        elif byte == b'"':
            self.in_string = True
        elif byte in b"[{":
            self.depth += 1
        elif byte in b"]}":
            self.depth = max(0, self.depth - 1)
        self._inside(byte, offset)
        self.line += byte == b"\n"

    def _inside(self, piece: bytes, offset: int) -> None:
        if self.place is None:
            stripped = piece.lstrip(_WHITE)
            if not stripped:
                return
            self.place = self._place(offset + len(piece) - len(stripped))
            piece = stripped
        unspaced = piece.rstrip(_WHITE)
        if unspaced:
            self.used = self.length + len(unspaced)
        self.length += len(piece)
        self.kept += piece[: max(0, self.limit + 1 - len(self.kept))]

    def _place(self, offset: int) -> Place:
        return Place(index=self.elements, offset=offset, line=self.line)

    def _element(self, end: int, after: int) -> None:
        """An element ends at `end`."""
        self.is_after_comma = True
        place = self.place or self._place(end)
        assert place.offset is not None
        try:
            self._take(Found(place, place.offset, after, self._parsed()))
        except MalformedEventError as error:
            self._take(Found(place, place.offset, after, None, error))
        self.place = None
        self.kept = bytearray()
        self.length = self.used = 0

    def _parsed(self) -> json.Record:
        if self.used > self.limit:
            limit = f"at most {self.limit} (see max_record_bytes)"
            raise MalformedEventError("too_large", "", f"{self.used} bytes long", limit)
        return json.parse(bytes(self.kept[: self.used]))

    def _take(self, found: Found) -> None:
        self.elements += 1
        (self.sink.pass_over if self.elements <= self.start else self.sink.feed)(found)

    def tail(self, end: int) -> None:
        """The array is cut off: a value that is whole counts."""
        cut = self.place
        if cut is not None and self._is_whole():
            self._element(end, end)
            cut = None
        cut = cut or self._place(end)
        assert cut.offset is not None
        self.sink.torn(cut.offset, cut.line, "the array is cut off")

    def _is_whole(self) -> bool:
        try:
            self._parsed()
        except MalformedEventError as error:
            return error.kind == "too_large"
        return True

    def _after_the_end(self, data: bytes, offset: int) -> None:
        rest = data.lstrip(_WHITE)
        space = data[: len(data) - len(rest)]
        self.line += space.count(b"\n")
        if rest:
            self.is_over = True
            fault = MalformedEventError("not_json", "", "after the end of the array", "nothing")
            self.bad(fault, self._place(offset + len(space)), offset + len(space))

    def bad(self, fault: MalformedEventError, place: Place, offset: int) -> None:
        self._take(Found(place, offset, offset + 1, None, fault))
