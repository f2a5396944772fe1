"""The members of a gzip file. The decompressor checks their headers, checksums and lengths."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from lastsaid._reference.log.frames import gap
from lastsaid._reference.log.frames.gap import Damage
from lastsaid._reference.log.frames.input import Input

GZIP: Final = "gzip member"
MAGIC: Final = b"\x1f\x8b"
# So much of the file counts whole or not at all: how much came before a defect, not every decompressor tells.
_PIECE: Final = 16 << 10
_WITH_HEADER: Final = 31


def unpack(data: Input) -> Iterator[bytes | Damage | bool]:
    """What the members hold; then the damage that ended it, or whether it ended inside one."""
    while True:
        frame = data.at
        start = data.peek(2)[:2]
        if start == MAGIC[:1]:
            yield True
            return
        if start != MAGIC:
            yield False if data.is_padding() else gap.alien(GZIP, frame)
            return
        member = zlib.decompressobj(_WITH_HEADER)
        while not member.eof:
            room = _PIECE - data.at % _PIECE
            piece = data.peek(room)[:room]
            try:
                given = member.decompress(piece)
            except zlib.error:
                yield gap.bad(GZIP, frame)
                return
            data.advance(len(piece) - len(member.unused_data))
            yield given
            if not piece:
                yield True
                return
