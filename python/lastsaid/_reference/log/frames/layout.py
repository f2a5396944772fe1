"""What a zstd file says about itself: where its frames, their blocks and their checksums are (RFC 8878)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lastsaid._reference.log.frames import gap
from lastsaid._reference.log.frames.gap import Damage

ZSTD: Final = "zstd frame"
MAGIC: Final = b"\x28\xb5\x2f\xfd"
LONGEST_HEAD: Final = 18
BLOCK_HEAD: Final = 3
LARGEST_BLOCK: Final = 128 << 10
# The largest frame that counts whole or not at all, and the most that it may take in the file.
LARGEST_WHOLE: Final = 16 << 20
LARGEST_PACKED: Final = 32 << 20
_CHECKSUM: Final = 4
_SKIPPABLE: Final = b"\x2a\x4d\x18"


@dataclass(frozen=True, slots=True)
class FrameHead:
    """The header of a frame: its length, and how much the frame says it holds."""

    length: int
    stated: int | None
    has_checksum: bool

    @property
    def is_whole(self) -> bool:
        """Whether the frame counts whole or not at all."""
        return self.stated is not None and self.stated <= LARGEST_WHOLE


@dataclass(frozen=True, slots=True)
class Skippable:
    """A skippable frame of so many bytes with its header."""

    size: int


@dataclass(frozen=True, slots=True)
class End:
    """The end of the file, perhaps inside a header."""

    is_torn: bool


def head(data: bytes, at: int) -> FrameHead | Skippable | End | Damage:
    """What begins with these bytes: as many as the longest header has, or the file. `at` is their place in it."""
    if not data:
        return End(is_torn=False)
    if 0x50 <= data[0] <= 0x5F and (data[1:4] == _SKIPPABLE or _SKIPPABLE.startswith(data[1:])):
        return Skippable(8 + int.from_bytes(data[4:8], "little")) if len(data) >= 8 else End(is_torn=True)
    if not data.startswith(MAGIC):
        return End(is_torn=True) if MAGIC.startswith(data) else gap.alien(ZSTD, at)
    if len(data) == len(MAGIC):
        return End(is_torn=True)
    descriptor = data[4]
    is_single = bool(descriptor & 0x20)
    flag = descriptor >> 6
    size = (1 if is_single else 0) if flag == 0 else 1 << flag
    size_at = 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3]
    length = size_at + size
    if len(data) < length:
        return End(is_torn=True)
    if descriptor & 0x08:
        return gap.bad(ZSTD, at)
    stated = int.from_bytes(data[size_at:length], "little") + (256 if size == 2 else 0) if size else None
    if is_single:
        window = stated or 0
    else:
        base = 1 << (10 + (data[5] >> 3))
        window = base + base // 8 * (data[5] & 7)
    if window > gap.LARGEST_WINDOW:
        return gap.window(ZSTD, at, window)
    return FrameHead(length, stated, bool(descriptor & 0x04))


@dataclass(frozen=True, slots=True)
class Block:
    """How much follows a block's header and, if it is the last one, how long the checksum after it is."""

    packed: int
    checksum: int | None


class Walk:
    """A way along the blocks of a frame; `length` is how far it got from the frame's start."""

    def __init__(self, head: FrameHead) -> None:
        self.length = head.length
        self.is_whole = head.is_whole
        self.has_checksum = head.has_checksum

    def block(self, header: bytes) -> Block | None:
        """Go past a block by its header. None: the frame can't be."""
        number = int.from_bytes(header, "little")
        size, kind = number >> 3, number >> 1 & 3
        if size > LARGEST_BLOCK or kind == 3:
            return None
        packed = 1 if kind == 1 else size
        checksum = (_CHECKSUM if self.has_checksum else 0) if number & 1 else None
        self.length += BLOCK_HEAD + packed + (checksum or 0)
        if self.is_whole and self.length > LARGEST_PACKED:
            return None
        return Block(packed, checksum)
