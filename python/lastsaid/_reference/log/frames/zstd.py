"""A zstd file read forward, frame by frame; big frames block by block."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lastsaid._reference.log.frames import gap, layout
from lastsaid._reference.log.frames.decoder import Decoder
from lastsaid._reference.log.frames.gap import Damage
from lastsaid._reference.log.frames.input import Input
from lastsaid._reference.log.frames.layout import BLOCK_HEAD, LONGEST_HEAD, ZSTD, FrameHead, Skippable, Walk


@dataclass(frozen=True, slots=True)
class Lost:
    """A frame that counts not at all: it stands as a line of so many bytes."""

    size: int
    damage: Damage


Step: TypeAlias = bytes | Lost | Damage | bool


def unpack(data: Input) -> Iterator[Step]:
    """What the frames hold and which are lost; then the damage that ended it, or whether it ended inside one."""
    decoder = Decoder()
    while True:
        frame = data.at
        head = layout.head(data.peek(LONGEST_HEAD)[:LONGEST_HEAD], frame)
        if isinstance(head, layout.End):
            yield head.is_torn
            return
        if isinstance(head, Damage):
            yield False if head == gap.alien(ZSTD, frame) and data.is_padding() else head
            return
        if isinstance(head, Skippable):
            if not data.skip(head.size):
                yield True
                return
        elif head.is_whole:
            whole = yield from _whole(data, decoder, frame, head)
            if not whole:
                return
        else:
            over = yield from _big(data, decoder, frame, head)
            if over:
                return


def _whole(data: Input, decoder: Decoder, frame: int, head: FrameHead) -> Generator[Step, None, bool]:
    """A frame that counts whole or not at all; whether the file goes on after it."""
    packed, is_torn = _collect(data, head)
    if packed is None:
        yield gap.bad(ZSTD, frame)
        return False
    if is_torn:
        yield decoder.torn(head, packed)
        yield True
        return False
    size = head.stated or 0
    given = decoder.whole(head, packed)
    yield Lost(max(gap.SHORTEST_GAP, size), gap.bad(ZSTD, frame)) if given is None else given
    return True


def _collect(data: Input, head: FrameHead) -> tuple[bytes | None, bool]:
    """The frame's bytes, None if it can't be one, and whether it is cut off."""
    packed = bytearray(_taken(data, head.length))
    walk = Walk(head)
    while True:
        header = _taken(data, BLOCK_HEAD)
        packed += header
        if len(header) < BLOCK_HEAD:
            return bytes(packed), True
        block = walk.block(header)
        if block is None:
            return None, False
        wanted = block.packed + (block.checksum or 0)
        rest = _taken(data, wanted)
        packed += rest
        if len(rest) < wanted:
            return bytes(packed), True
        if block.checksum is not None:
            return bytes(packed), False


def _taken(data: Input, count: int) -> bytes:
    taken = data.peek(count)[:count]
    data.advance(len(taken))
    return taken


def _big(data: Input, decoder: Decoder, frame: int, head: FrameHead) -> Generator[Step, None, bool]:
    """A frame that is too big to be decompressed at once, or doesn't say; whether the file is over."""
    if not decoder.begin(_taken(data, head.length)):
        yield gap.bad(ZSTD, frame)
        return True
    walk = Walk(head)
    left = head.stated
    while True:
        header = data.peek(BLOCK_HEAD)[:BLOCK_HEAD]
        if len(header) < BLOCK_HEAD:
            yield True
            return True
        block = walk.block(header)
        if block is None:
            yield gap.bad(ZSTD, frame)
            return True
        length = BLOCK_HEAD + block.packed
        packed = _taken(data, length)
        given = decoder.block(packed, left)
        if given is None:
            yield gap.bad(ZSTD, frame)
            return True
        checksum = _taken(data, block.checksum or 0)
        # Less than all of it gives what it gives: of stored bytes those that are there.
        if len(packed) < length or len(checksum) < (block.checksum or 0):
            yield given
            yield True
            return True
        yield given
        if not decoder.is_checksum(checksum):
            yield gap.bad(ZSTD, frame)
            return True
        if left is not None:
            left -= len(given)
        if block.checksum is not None:
            return False
