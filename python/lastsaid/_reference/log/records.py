"""The records of a log that can be read at any offset: only the lines that must be examined (S7 Candidates)."""

from __future__ import annotations

from collections.abc import Iterator

from lastsaid._reference import json
from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.log import lines
from lastsaid._reference.log.frames.gap import Gap
from lastsaid._reference.log.lines import BLOCK, BOM, Line
from lastsaid._reference.log.source import Source
from lastsaid._reference.records import Found
from lastsaid.errors import MalformedEventError


class LogRecords:
    """A log; positions are byte offsets of line starts."""

    def __init__(self, source: Source, limit: int) -> None:
        self.source = source
        self.read_at = source.read_at
        self.limit = limit
        self.begin = len(BOM) if self.read_at(0, len(BOM)) == BOM else 0
        self.end = self._without_padding(source.size)
        self.tail = max(self.begin, self._after_last_lf())
        self.torn = self._cut_torn_tail()
        self.first = next((line.offset for line in self._forward(self.begin, self.end) if not line.is_blank), self.end)

    def backward(self, lo: int, hi: int) -> Iterator[Found]:
        """The examined records of [lo, hi), last first."""
        yield from self._examined(self._backward(lo, hi))

    def forward(self, lo: int, hi: int) -> Iterator[Found]:
        """The examined records of [lo, hi), first first."""
        yield from self._examined(self._forward(lo, hi))

    def _examined(self, found_lines: Iterator[Line]) -> Iterator[Found]:
        for line in found_lines:
            gap = self.source.gaps.get(line.offset - 1)
            if gap is not None:
                yield damaged(gap)
            elif not line.is_blank and (line.needle or line.offset == self.first or line.offset >= self.tail):
                yield found(line, self.limit, Place(offset=line.offset))

    def from_end(self, count: int) -> int:
        """The offset of the record that is `count` from the end, or of the first."""
        before = self.end
        # What was seen of the line so far, from its end.
        is_blank = True
        while before > self.begin:
            at = max(self.begin, before - BLOCK)
            block = self.read_at(at, before - at)
            end = len(block)
            while (lf := block.rfind(b"\n", 0, end)) >= 0:
                is_blank = is_blank and not block[lf + 1 : end].strip(b" \t\r")
                count -= not is_blank
                if not is_blank and not count:
                    return at + lf + 1
                end, is_blank = lf, True
            is_blank = is_blank and not block[:end].strip(b" \t\r")
            before = at
        return self.begin

    def placed(self, error: MalformedEventError, place: Place) -> MalformedEventError:
        """The error with its line counted, which nobody needs until there is one; after damage nobody knows it."""
        offset = place.offset or 0
        before = 0
        for block in lines.blocks(self.read_at, 0, offset):
            before += block.count(b"\n")
        is_known = all(start > offset for start in self.source.gaps)
        return error.at(offset=offset, line=before + 1 if is_known else None)

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
        """Whether the log ends inside a frame or with what is no JSON value; that is then no part of the log."""
        is_cut = self.source.is_torn or any(is_torn(line) for line in self._forward(self.tail, self.end))
        if is_cut:
            self.end = self.tail
        return is_cut


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


def damaged(gap: Gap) -> Found:
    """A gap as a record that can't be read."""
    return Found(Place(offset=gap.start), gap.start, gap.end, None, gap.damage.defect())
