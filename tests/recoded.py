"""The same log in every encoding that spec S7 names, each by a library that isn't ours."""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from corpus_cases import records

try:
    zstd = importlib.import_module("compression.zstd")
except ModuleNotFoundError:
    zstd = importlib.import_module("backports.zstd")

BOM = b"\xef\xbb\xbf"
Encoding = Callable[[bytes], bytes]
CHECKSUM = {zstd.CompressionParameter.checksum_flag: 1}


def lines(log: bytes) -> list[bytes]:
    """The lines with their LF; the last may have none."""
    parts = log.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def groups(log: bytes, size: int) -> Iterator[bytes]:
    """So many lines at a time."""
    found = lines(log)
    for at in range(0, len(found), size):
        yield b"".join(found[at : at + size])


def gzipped(log: bytes) -> bytes:
    return gzip.compress(log, 6, mtime=0)


def gzip_members(log: bytes) -> bytes:
    """A member every 3 lines."""
    return b"".join(map(gzipped, groups(log, 3)))


def one_frame(log: bytes) -> bytes:
    return zstd.compress(log)


def a_frame_a_line(log: bytes) -> bytes:
    return b"".join(map(one_frame, lines(log)))


def a_frame_every_3_lines(log: bytes) -> bytes:
    return b"".join(zstd.compress(part, options=CHECKSUM) for part in groups(log, 3))


def unsized(log: bytes) -> bytes:
    """One frame as a stream writes it: a block every few lines, no size, a checksum."""
    encoder = zstd.ZstdCompressor(options=CHECKSUM)
    parts = [encoder.compress(part, encoder.FLUSH_BLOCK) for part in groups(log, 2)]
    return b"".join([*parts, encoder.flush(encoder.FLUSH_FRAME)])


def in_blocks(log: bytes) -> bytes:
    """One frame that states its size, with a block a line."""
    encoder = zstd.ZstdCompressor(options=CHECKSUM)
    encoder.set_pledged_input_size(len(log))
    parts = [encoder.compress(part, encoder.FLUSH_BLOCK) for part in lines(log)]
    return b"".join([*parts, encoder.flush(encoder.FLUSH_FRAME)])


# Read backward, with the places of the plain log, if they all state their size (S7); else from the start.
SOUGHT: dict[str, Encoding] = {
    "zstd, one frame": one_frame,
    "zstd, a frame a line": a_frame_a_line,
    "zstd, a frame every 3 lines": a_frame_every_3_lines,
    "zstd, one frame in blocks": in_blocks,
}
STREAMED: dict[str, Encoding] = {
    "gzip": gzipped,
    "gzip, a member every 3 lines": gzip_members,
    "zstd, unsized": unsized,
}


@dataclass(frozen=True)
class Rewritten:
    """A log written otherwise, and where a record stands in it that stood somewhere else."""

    log: bytes
    moved: Callable[[int], dict[str, Any]]


def with_bom(log: bytes) -> Rewritten | None:
    """With a BOM at byte 0, if there is none."""
    return None if log.startswith(BOM) else Rewritten(BOM + log, lambda offset: {"offset": offset + len(BOM)})


def with_crlf(log: bytes) -> Rewritten:
    """With CR before every LF."""
    return Rewritten(log.replace(b"\n", b"\r\n"), lambda offset: {"offset": offset + log.count(b"\n", 0, offset)})


def as_array(log: bytes) -> Rewritten | None:
    """The records as elements of one array, as they stand, where all of them are objects."""
    found = records(log)
    if not all(map(is_sound, found)):
        return None
    array, places, was, at = b"[\n", {}, 0, 0
    for index, record in enumerate(found):
        array += b",\n " if index else b" "
        was = log.index(record, at)
        at = was + len(record)
        lead = len(record) - len(record.lstrip())
        places[was] = {"index": index, "offset": len(array) + lead, "line": index + 2}
        array += record
    return Rewritten(array + b"\n]\n", places.__getitem__)


def is_sound(record: bytes) -> bool:
    """Whether it is JSON, strictly, and an object; all elements are examined, so no envelope may be empty."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        event = json.loads(record.decode(), parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    if not isinstance(event, dict):
        return False
    if event.get("method") == "session.event":
        event = event.get("params")
    elif event.get("type") != "session_event":
        return True
    return isinstance(event, dict) and isinstance(event.get("event"), dict)
