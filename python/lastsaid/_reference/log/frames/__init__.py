"""Compressed logs: what their frames hold, one after the other (S7 Frames)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from lastsaid._reference.log.frames import gap, gzip, layout, zstd
from lastsaid._reference.log.frames.gap import Damage, Gap, filler
from lastsaid._reference.log.frames.input import Input

Codec = Literal["gzip", "zstd"]


def codec(head: bytes) -> Codec | None:
    """How a file that begins with these bytes, of which the first four are looked at, is compressed."""
    if head.startswith(gzip.MAGIC):
        return "gzip"
    is_zstd = head.startswith(layout.MAGIC) or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F)
    return "zstd" if is_zstd else None


class Unpacked:
    """A compressed log read forward, as the bytes it holds, of which at most `limit` can be read."""

    def __init__(self, packed: Any, name: Codec, limit: int) -> None:
        self.packed = packed
        self.name = name
        self.limit = limit
        self.gaps: dict[int, Gap] = {}
        self.is_torn = False

    def blocks(self) -> Iterator[bytes]:
        given = 0
        for block in self._unlimited():
            room = self.limit - given
            given += len(block)
            if len(block) > room:
                if room:
                    yield block[:room]
                raise gap.overflow(self.limit)
            if block:
                yield block

    def _unlimited(self) -> Iterator[bytes]:
        data = Input(self.packed.blocks())
        at = 0
        steps: Any = gzip.unpack(data) if self.name == "gzip" else zstd.unpack(data)
        for step in steps:
            if isinstance(step, bool):
                self.is_torn = step
            elif isinstance(step, bytes):
                at += len(step)
                yield step
            else:
                lost = zstd.Lost(gap.SHORTEST_GAP, step) if isinstance(step, Damage) else step
                self.gaps[at] = Gap(at, at + lost.size, lost.damage)
                at += lost.size
                yield filler(lost.size)
