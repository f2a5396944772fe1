"""What no reader gets below on this machine, measured in the same run."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

BLOCK: Final = 1 << 20
TAIL: Final = 1 << 16
# Occurs in no UTF-8 text, so a search for it reads every byte.
ABSENT: Final = b"\xff"


def file_bytes(path: Path, *, tail: bool = False) -> None:
    """Read every byte of a file, or of its last 64 KiB, in 1 MiB blocks into one buffer, and look at each."""
    buffer = bytearray(BLOCK)
    fd = os.open(path, os.O_RDONLY)
    try:
        at = max(0, os.fstat(fd).st_size - TAIL) if tail else 0
        while count := os.preadv(fd, [buffer], at):
            # Compressed logs may hold the byte: then the search goes on behind it.
            found = buffer.find(ABSENT, 0, count)
            while found >= 0:
                found = buffer.find(ABSENT, found + 1, count)
            at += count
    finally:
        os.close(fd)


def memory_bytes(data: bytes, *, tail: bool = False) -> None:
    """Look at every byte in memory, or at the last 64 KiB."""
    if data.find(ABSENT, len(data) - TAIL if tail else 0) >= 0:
        raise AssertionError("the absent byte is there")


def events(listed: Iterable[dict[str, Any]]) -> None:
    """Touch each event and nothing in it."""
    deque(listed, maxlen=0)
