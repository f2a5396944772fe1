"""The records of a log that can be read at any offset: only the lines that must be examined (S7 Candidates)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lastsaid._reference import json
from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.log import lines
from lastsaid._reference.log.lines import BLOCK, BOM, Line
from lastsaid._reference.records import Found
from lastsaid.errors import MalformedEventError

ReadAt = Callable[[int, int], bytes]


class LogRecords:
    """A plain log of `size` bytes; positions are byte offsets of line starts."""

    def __init__(self, read_at: ReadAt, size: int, limit: int) -> None:
        self.read_at = read_at
        self.limit = limit
        self.begin = len(BOM) if read_at(0, len(BOM)) == BOM else 0
        self.end = self._without_padding(size)
        self.tail = max(self.begin, self._after_last_lf())
        self.torn = self._cut_torn_tail()
        self.first = next((line.offset for line in self._forward(self.begin, self.end) if not line.is_blank), self.end)

    def backward(self, lo: int, hi: int) -> Iterator[Found]:
        """The examined records of [lo, hi), last first."""
        for line in self._backward(lo, hi):
            if self._is_examined(line):
                yield found(line, self.limit, Place(offset=line.offset))

    def forward(self, lo: int, hi: int) -> Iterator[Found]:
        """The examined records of [lo, hi), first first."""
        for line in self._forward(lo, hi):
            if self._is_examined(line):
                yield found(line, self.limit, Place(offset=line.offset))

    def from_end(self, count: int) -> int:
        """The offset of the record that is `count` from the end, or of the first."""
        for line in self._backward(self.begin, self.end):
            if not line.is_blank:
                count -= 1
            if not count:
                return line.offset
        return self.begin

    def placed(self, error: MalformedEventError, place: Place) -> MalformedEventError:
        """The error with its line counted, which nobody needs until there is one."""
        before = 0
        for block in lines.blocks(self.read_at, 0, place.offset or 0):
            before += block.count(b"\n")
        return error.at(offset=place.offset, line=before + 1)

    def _is_examined(self, line: Line) -> bool:
        if line.is_blank:
            return False
        return line.needle or line.offset == self.first or line.offset >= self.tail

    def _forward(self, lo: int, hi: int) -> Iterator[Line]:
        blocks = lines.blocks(self.read_at, lo, hi)
        return lines.forward(blocks, lo, self.limit, dsh.NEEDLES, dsh.LONGEST_NEEDLE)

    def _backward(self, lo: int, hi: int) -> Iterator[Line]:
        return lines.backward(self.read_at, lo, hi, self.limit, dsh.NEEDLES, dsh.LONGEST_NEEDLE)

    def _without_padding(self, size: int) -> int:
        while size > self.begin:
            at = max(self.begin, size - BLOCK)
            block = self.read_at(at, size - at).rstrip(b"\0")
            if block:
                return at + len(block)
            size = at
        return size

    def _after_last_lf(self) -> int:
        return lines.line_start(self.read_at, self.begin, self.end)

    def _cut_torn_tail(self) -> bool:
        """Whether what follows the last LF is no JSON value; it is then no part of the log."""
        for line in self._forward(self.tail, self.end):
            if is_torn(line):
                self.end = self.tail
                return True
        return False


def is_torn(line: Line) -> bool:
    """Whether a line without an LF at the end of a log is cut off."""
    if line.is_blank or not line.is_whole:
        return False
    try:
        json.parse(line.data)
    except MalformedEventError:
        return True
    return False


def found(line: Line, limit: int, place: Place) -> Found:
    """An examined line, parsed, or why it can't be."""
    if not line.is_whole:
        fault = MalformedEventError(
            "too_large", "", f"{line.length} bytes long", f"at most {limit} (see max_record_bytes)"
        )
        return Found(place, line.offset, line.end, None, fault)
    try:
        return Found(place, line.offset, line.end, json.parse(line.data))
    except MalformedEventError as error:
        return Found(place, line.offset, line.end, None, error)
