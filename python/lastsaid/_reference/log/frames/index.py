"""A zstd file read at any offset, by the headers of its frames (S7 Frames)."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Any, Final

from lastsaid._reference.log.frames import gap, layout
from lastsaid._reference.log.frames.decoder import Decoder
from lastsaid._reference.log.frames.gap import Damage, Gap, filler
from lastsaid._reference.log.frames.layout import BLOCK_HEAD, LONGEST_HEAD, ZSTD, FrameHead, Skippable, Walk

# The log is decompressed in chunks of so many bytes, of which the last few stay.
_CHUNK: Final = 1 << 16
_KEPT: Final = 4


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame: where it starts in the file and how much it takes; where it starts in the log."""

    at: int
    head: FrameHead
    length: int
    start: int
    is_torn: bool


class Frames:
    """A zstd file whose frames all state their size, as a source of what they hold."""

    def __init__(self, source: Any, limit: int) -> None:
        self.source = source
        self.limit = limit
        self.decoder = Decoder()
        self.size = 0
        self.is_torn = False
        self.gaps: dict[int, Gap] = {}
        self.frames: list[_Frame] = []
        self.starts: list[int] = []
        # The distinct frames that were decompressed, and how much they hold.
        self.touched: set[int] = set()
        self.touched_size = 0
        self.ready: dict[int, bytes] = {}
        self.chunks: dict[int, bytes] = {}

    @classmethod
    def opened(cls, source: Any, limit: int) -> Frames | None:
        """Go along the frames. None: the file must be read forward."""
        frames = cls(source, limit)
        return frames if frames._walk() else None

    def _walk(self) -> bool:
        at = 0
        while True:
            head = layout.head(self._peek(at, LONGEST_HEAD), at)
            if isinstance(head, layout.End):
                self.is_torn = head.is_torn
                return True
            if isinstance(head, Damage):
                return head == gap.alien(ZSTD, at) and self._is_padding(at)
            if isinstance(head, Skippable):
                at += head.size
                if at > self.source.size:
                    self.is_torn = True
                    return True
                continue
            frame = self._frame(at, head) if head.is_whole else None
            if frame is None:
                return False
            self.frames.append(frame)
            self.starts.append(self.size)
            self.size += self._extent(frame)
            at += frame.length
            if frame.is_torn:
                self.is_torn = True
                return True

    def _frame(self, at: int, head: FrameHead) -> _Frame | None:
        walk = Walk(head)
        while len(header := self._peek(at + walk.length, BLOCK_HEAD)) == BLOCK_HEAD:
            block = walk.block(header)
            if block is None:
                return None
            if at + walk.length > self.source.size:
                break
            if block.checksum is not None:
                return _Frame(at, head, walk.length, self.size, is_torn=False)
        return _Frame(at, head, self.source.size - at, self.size, is_torn=True)

    def _extent(self, frame: _Frame) -> int:
        """How much of the log a frame is. A gap is longer than what some state; a torn one is as long as it is."""
        stated = frame.head.stated or 0
        return stated if not frame.is_torn and stated >= gap.SHORTEST_GAP else len(self._decompressed(frame))

    def _peek(self, at: int, count: int) -> bytes:
        found: bytes = self.source.read_at(at, count)
        return found

    def _is_padding(self, at: int) -> bool:
        return not any(self._peek(here, _CHUNK).strip(b"\0") for here in range(at, self.source.size, _CHUNK))

    def _decompressed(self, frame: _Frame) -> bytes:
        packed = self.source.read_at(frame.at, frame.length)
        if frame.is_torn:
            return self.decoder.torn(frame.head, packed)
        stated = frame.head.stated or 0
        given = self.decoder.whole(frame.head, packed)
        if given is None:
            size = max(gap.SHORTEST_GAP, stated)
            self.gaps[frame.start] = Gap(frame.start, frame.start + size, gap.bad(ZSTD, frame.at))
            return filler(size)
        return given

    def _ready(self, number: int) -> bytes:
        """What a frame holds; the last few stay decompressed."""
        if number in self.ready:
            return self.ready[number]
        if number not in self.touched:
            end = self.starts[number + 1] if number + 1 < len(self.starts) else self.size
            if self.touched_size + end - self.starts[number] > self.limit:
                raise gap.overflow(self.limit)
            self.touched_size += end - self.starts[number]
            self.touched.add(number)
        if len(self.ready) >= _KEPT:
            del self.ready[next(iter(self.ready))]
        self.ready[number] = self._decompressed(self.frames[number])
        return self.ready[number]

    def read_at(self, at: int, count: int) -> bytes:
        end = min(at + count, self.size)
        parts = []
        while at < end:
            number = at // _CHUNK
            start = number * _CHUNK
            parts.append(self._chunk(number)[at - start : end - start])
            at = start + _CHUNK
        return b"".join(parts)

    def _chunk(self, number: int) -> bytes:
        if number not in self.chunks:
            if len(self.chunks) >= _KEPT:
                del self.chunks[next(iter(self.chunks))]
            self.chunks[number] = self._assembled(number * _CHUNK, min((number + 1) * _CHUNK, self.size))
        return self.chunks[number]

    def _assembled(self, at: int, end: int) -> bytes:
        parts = []
        number = bisect.bisect_right(self.starts, at) - 1
        while at < end:
            start = self.starts[number]
            part = self._ready(number)[at - start : end - start]
            parts.append(part)
            at += len(part)
            number += 1
        return b"".join(parts)
