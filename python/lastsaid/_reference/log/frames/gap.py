"""What damage leaves in a log, and the end of what may be decompressed (S7 Frames)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lastsaid.errors import MalformedEventError

LARGEST_WINDOW: Final = 128 << 20
# The LF that ends what stood before, a line that isn't blank, and its LF.
SHORTEST_GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a frame, in the two halves of a sentence."""

    found: str
    expected: str

    def defect(self) -> MalformedEventError:
        return MalformedEventError("damaged_frame", "", self.found, self.expected)


def bad(name: str, frame: int) -> Damage:
    """Its checksum, its size, its contents or its structure; `frame` is where it starts in the file."""
    return Damage(f"in a damaged {name} (byte {frame} of the file)", "a sound one")


def alien(name: str, frame: int) -> Damage:
    """No frame begins where one should."""
    return Damage(f"not a {name} (byte {frame} of the file)", "another frame or the end")


def window(name: str, frame: int, size: int) -> Damage:
    """It asks for a window of so many bytes."""
    found = f"in a {name} with a window of {size} bytes (byte {frame} of the file)"
    return Damage(found, f"a window of at most {LARGEST_WINDOW}")


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of the log that damage stands for; `start` and `end` are uncompressed."""

    start: int
    end: int
    damage: Damage


def filler(size: int) -> bytes:
    """What a gap reads as: a line of its own."""
    return b"\n" + b"x" * (size - 2) + b"\n"


def overflow(limit: int) -> MalformedEventError:
    """More than may be decompressed."""
    found = f"beyond {limit} decompressed bytes"
    return MalformedEventError("too_large", "", found, f"at most {limit} (see max_decompressed_bytes)", offset=limit)
