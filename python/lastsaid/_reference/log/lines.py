"""Lines of a log, forward from a stream and backward from anything that can be read at an offset (S7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

BOM: Final = b"\xef\xbb\xbf"
BLOCK: Final = 1 << 16
_BLANK: Final = b" \t\r"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its LF. A line over the limit keeps its first bytes only, and its true length."""

    offset: int
    end: int
    data: bytes
    length: int
    needle: bool
    has_lf: bool
    is_blank: bool

    @property
    def is_whole(self) -> bool:
        return self.length == len(self.data)


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of bytes in memory with their offsets; a BOM at byte 0 is passed over."""
    offset = len(BOM) if data.startswith(BOM) else 0
    while offset < len(data):
        end = data.find(b"\n", offset)
        end = len(data) if end < 0 else end
        yield offset, data[offset:end]
        offset = end + 1


class _Building:
    """A line as its pieces come in, front to back, in bounded memory."""

    def __init__(self, offset: int, limit: int, needles: re.Pattern[bytes], overlap: int) -> None:
        self.offset = offset
        self.limit = limit
        self.needles = needles
        self.overlap = overlap
        self.kept: list[bytes] = []
        self.size = 0
        self.used = 0
        self.edge = b""
        self.needle = False
        self.is_blank = True

    def add(self, piece: bytes) -> None:
        if self.size < self.limit:
            self.kept.append(piece[: self.limit - self.size])
        unpadded = piece.rstrip(b"\0")
        if unpadded:
            # Zero bytes that something follows are no padding, and not blank.
            self.is_blank = self.is_blank and self.used == self.size and not unpadded.strip(_BLANK)
            self.used = self.size + len(unpadded)
        self.size += len(piece)
        if not self.needle:
            window = self.edge + piece
            self.needle = self.needles.search(window) is not None
            self.edge = window[-self.overlap :]

    def line(self, end: int, *, has_lf: bool) -> Line:
        """The line. What follows the last LF of a log loses its zero padding."""
        length = self.size if has_lf else self.used
        is_blank = self.is_blank and not (has_lf and self.used < self.size)
        return Line(self.offset, end, b"".join(self.kept)[:length], length, self.needle, has_lf, is_blank)


def forward(
    blocks: Iterable[bytes], offset: int, limit: int, needles: re.Pattern[bytes], overlap: int
) -> Iterator[Line]:
    """The lines of consecutive blocks. The last may have no LF; its `end` is then where the input ends."""
    building = _Building(offset, limit, needles, overlap)
    for block in blocks:
        at = 0
        while (lf := block.find(b"\n", at)) >= 0:
            building.add(block[at:lf])
            yield building.line(offset + lf + 1, has_lf=True)
            at = lf + 1
            building = _Building(offset + at, limit, needles, overlap)
        building.add(block[at:])
        offset += len(block)
    if building.used:
        yield building.line(offset, has_lf=False)


def backward(
    read_at: Callable[[int, int], bytes],
    lo: int,
    hi: int,
    limit: int,
    needles: re.Pattern[bytes],
    overlap: int,
) -> Iterator[Line]:
    """The lines of [lo, hi), last first; both ends are line starts or the end of the log."""
    end = hi
    while end > lo:
        # The LF that ends this line, if it has one, is at end - 1: look for the one before.
        start = line_start(read_at, lo, end - 1)
        yield next(forward(blocks(read_at, start, end), start, limit, needles, overlap))
        end = start


def blocks(read_at: Callable[[int, int], bytes], lo: int, hi: int) -> Iterator[bytes]:
    while lo < hi and (block := read_at(lo, min(BLOCK, hi - lo))):
        yield block
        lo += len(block)


def line_start(read_at: Callable[[int, int], bytes], lo: int, before: int) -> int:
    """The offset just after the last LF in [lo, before), or lo."""
    while before > lo:
        at = max(lo, before - BLOCK)
        found = read_at(at, before - at).rfind(b"\n")
        if found >= 0:
            return at + found + 1
        before = at
    return lo
