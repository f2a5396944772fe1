"""Where a log's bytes are: at any offset, or once from the start; and what is known of damage in them (S7)."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from lastsaid._reference.log.frames.gap import Gap
from lastsaid._reference.node import is_buffer

BLOCK: Final = 1 << 16


class Input(Protocol):
    """Bytes that come once. The gaps, by their first byte, are known once that was given; `is_torn` at the end."""

    @property
    def gaps(self) -> dict[int, Gap]: ...
    @property
    def is_torn(self) -> bool: ...
    def blocks(self) -> Iterator[bytes]: ...


class Source(Protocol):
    """Bytes that can be read at any offset; less than was asked for comes only at their end."""

    @property
    def size(self) -> int: ...
    @property
    def gaps(self) -> dict[int, Gap]: ...
    @property
    def is_torn(self) -> bool: ...
    def read_at(self, at: int, count: int) -> bytes: ...


class Memory:
    """A log in memory."""

    def __init__(self, log: bytes, gaps: dict[int, Gap] | None = None, *, is_torn: bool = False) -> None:
        self.log = log
        self.size = len(log)
        self.gaps = gaps or {}
        self.is_torn = is_torn

    @classmethod
    def held(cls, log: Input) -> Memory:
        """All of a log that can only be read once."""
        data = b"".join(log.blocks())
        return cls(data, log.gaps, is_torn=log.is_torn)

    def read_at(self, at: int, count: int) -> bytes:
        return self.log[at : at + count]


class File:
    """A file that can be sought, from where it stands."""

    def __init__(self, file: Any, path: Any = None) -> None:
        self.file = file
        self.path = path
        self.base = file.tell()
        self.size = max(0, file.seek(0, os.SEEK_END) - self.base)
        self.gaps: dict[int, Gap] = {}
        self.is_torn = False

    def read_at(self, at: int, count: int) -> bytes:
        count = max(0, min(count, self.size - at))
        self.file.seek(self.base + at)
        parts = []
        while count:
            part = part_of(self.file.read, count)
            if not part:
                raise self._shorter()
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _shorter(self) -> OSError:
        """It was longer when it was opened: what is at which offset now, nobody knows."""
        named = () if self.path is None else (self.path,)
        return OSError(errno.EIO, "the file became shorter while it was read", *named)


class FromStart:
    """A source read from its start like a stream."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.gaps = source.gaps

    @property
    def is_torn(self) -> bool:
        return self.source.is_torn

    def blocks(self) -> Iterator[bytes]:
        for at in range(0, self.source.size, BLOCK):
            yield self.source.read_at(at, min(BLOCK, self.source.size - at))


class Stream:
    """What a file's `read` gives, of one that can't be sought. `head` was read already."""

    def __init__(self, read: Callable[[int], Any], head: bytes = b"") -> None:
        self.read = read
        self.head = head
        self.gaps: dict[int, Gap] = {}
        self.is_torn = False

    def blocks(self) -> Iterator[bytes]:
        if self.head:
            yield self.head
        while block := part_of(self.read, BLOCK):
            yield block


def part_of(read: Callable[[int], Any], count: int) -> bytes:
    """What a file's `read` gives; a file that doesn't block and has nothing now gives None."""
    part = read(count)
    if part is None:
        return b""
    if not is_buffer(part):
        raise TypeError(f"the file's read() returned {type(part).__name__}, expected bytes")
    part = bytes(memoryview(part))
    if len(part) > count:
        raise ValueError("the file's read() returned more than it was asked for")
    return part
