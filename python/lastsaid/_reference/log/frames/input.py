"""A compressed file as it comes: what is looked at before it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_MOST: Final = 1 << 16


class Input:
    """A window on what comes next; `at` is its place in the file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.window = bytearray()
        self.at = 0
        self.is_end = False

    def peek(self, count: int) -> bytes:
        """What comes next: so many bytes, less only where the file ends."""
        while len(self.window) < count and not self.is_end:
            block = next(self.blocks, b"")
            self.is_end = not block
            self.window += block
        return bytes(self.window[:count])

    def advance(self, count: int) -> None:
        """Take so many bytes of those that were looked at."""
        del self.window[:count]
        self.at += count

    def skip(self, count: int) -> bool:
        """Pass over so many bytes; whether there were as many."""
        while count:
            there = len(self.peek(min(count, _MOST)))
            if not there:
                return False
            self.advance(there)
            count -= there
        return True

    def is_padding(self) -> bool:
        """Pass over zero bytes; whether there was nothing else."""
        while there := self.peek(_MOST):
            if there.strip(b"\0"):
                return False
            self.advance(len(there))
        return True
