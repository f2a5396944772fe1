"""`read` and `read_bytes`: which way to go through a log, by what its source allows (S5, S6.3)."""

from __future__ import annotations

import operator
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, Literal

from lastsaid._protocol import DEFAULT_MAX_RECORD_BYTES, BytesLike, LogSource
from lastsaid._reference import backward
from lastsaid._reference.fold import Place, format_named
from lastsaid._reference.formats import dsh
from lastsaid._reference.forward import Pass
from lastsaid._reference.log import lines
from lastsaid._reference.log.lines import BLOCK, BOM
from lastsaid._reference.log.records import LogRecords, ReadAt, found, is_torn
from lastsaid._reference.node import is_buffer
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.suffix import Suffix, asked, turn_window
from lastsaid.errors import MalformedEventError
from lastsaid.selection import Selection


def read_bytes(
    data: BytesLike,
    *,
    format: str = "auto",
    suffix: Literal["own", "whole"] = "own",
    start: int | None = None,
    turn: int | None = None,
    since_seq: int | None = None,
    on_malformed: Literal["raise", "skip"] = "raise",
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
) -> Selection:
    """The answer of a log in memory; options and errors as `read`. Mutable buffers are copied first."""
    name = format_named(format, auto=True)
    wanted, skip, limit = _options(suffix, start, turn, since_seq, on_malformed, max_record_bytes)
    if isinstance(data, bytes):
        log = data
    elif is_buffer(data):
        log = bytes(memoryview(data))
    else:
        raise TypeError(f"read_bytes takes bytes, bytearray or memoryview, not {type(data).__name__}")
    return _seekable(lambda at, size: log[at : at + size], len(log), wanted, skip, limit).selection(name)


def read(
    source: LogSource,
    *,
    format: str = "auto",
    suffix: Literal["own", "whole"] = "own",
    start: int | None = None,
    turn: int | None = None,
    since_seq: int | None = None,
    on_malformed: Literal["raise", "skip"] = "raise",
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
) -> Selection:
    """What a log finally says.

    Args:
        source: a path, or a binary file, which is read from where it stands. Files are read from their end;
            pipes and other streams forward.
        suffix: `own`, the last run's own events (S4), or `whole`.
        start, turn, since_seq: at most one, each instead of `suffix`: from that record (0 is the header), the
            last turn of that number (-1: the last turn), the events from that seq on.
        on_malformed: `raise`, or `skip` with the warning `malformed_skipped`.
        max_record_bytes: the longest line that is examined.

    Raises:
        MalformedEventError: a record that the answer needs can't be read (S7), with offset and line.
        TurnNotFoundError: no such turn.
        OSError: as the operating system says.
        ValueError, TypeError: an option is off.
    """
    name = format_named(format, auto=True)
    wanted, skip, limit = _options(suffix, start, turn, since_seq, on_malformed, max_record_bytes)
    if isinstance(source, str | bytes | os.PathLike):
        with open(source, "rb", buffering=0) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _file(file, wanted, skip, limit).selection(name)
            return _stream(file.read, wanted, skip, limit).selection(name)
    reader = getattr(source, "read", None)
    if not callable(reader):
        raise TypeError(f"read takes a path or a binary file, not {type(source).__name__}")
    if isinstance(reader(0), str):
        raise TypeError("read takes a binary file, not one in text mode; open it with 'rb'")
    seekable = getattr(source, "seekable", None)
    if callable(seekable) and seekable():
        return _file(source, wanted, skip, limit).selection(name)
    return _stream(reader, wanted, skip, limit).selection(name)


def _options(
    suffix: str, start: int | None, turn: int | None, since_seq: int | None, on_malformed: str, limit: int
) -> tuple[Suffix, bool, int]:
    wanted = asked(suffix, start, turn, since_seq)
    if on_malformed not in ("raise", "skip"):
        raise ValueError(f"on_malformed is {on_malformed!r}, expected 'raise' or 'skip'")
    limit = operator.index(limit)
    if limit < 1:
        raise ValueError("max_record_bytes is not positive, expected at least 1")
    return wanted, on_malformed == "skip", limit


def _file(file: Any, wanted: Suffix, skip: bool, limit: int) -> Outcome:
    """A file that can be sought, from where it stands; it is left at its end."""
    base = file.tell()
    size = max(0, file.seek(0, os.SEEK_END) - base)

    def read_at(at: int, count: int) -> bytes:
        file.seek(base + at)
        parts = []
        while count and (part := _part(file.read, count)):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    try:
        return _seekable(read_at, size, wanted, skip, limit)
    finally:
        file.seek(0, os.SEEK_END)


def _seekable(read_at: ReadAt, size: int, wanted: Suffix, skip: bool, limit: int) -> Outcome:
    if wanted.kind == "start" and wanted.n >= 0:
        return _forward(lines.blocks(read_at, 0, size), wanted, skip, limit)
    records = LogRecords(read_at, size, limit)
    lo, hi, cut = records.begin, records.end, 0
    if wanted.kind == "start":
        lo = records.from_end(-wanted.n)
    elif wanted.kind == "turn":
        lo, hi = turn_window(records, wanted.n)
    elif wanted.kind == "since_seq":
        cut = wanted.n
    elif wanted.kind == "own":
        cut = _seed_length(records)
    outcome = backward.scan(records, lo, hi, own=wanted.kind == "own", cut=cut, skip=skip)
    outcome.torn = records.torn
    return outcome


def _seed_length(records: LogRecords) -> int:
    for header in records.forward(records.begin, records.end):
        try:
            return dsh.seed_length(header.event())
        except MalformedEventError:
            break
    return 0


def _stream(read: Callable[[int], bytes | None], wanted: Suffix, skip: bool, limit: int) -> Outcome:
    def blocks() -> Iterator[bytes]:
        while block := _part(read, BLOCK):
            yield block

    if wanted.kind == "start" and wanted.n < 0:
        data = b"".join(blocks())
        return _seekable(lambda at, size: data[at : at + size], len(data), wanted, skip, limit)
    return _forward(blocks(), wanted, skip, limit)


def _part(read: Callable[[int], Any], count: int) -> bytes:
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


def _forward(blocks: Iterator[bytes], wanted: Suffix, skip: bool, limit: int) -> Outcome:
    """One pass from the start, so lines have numbers."""
    reading = Pass(wanted, lambda error, place: error.at(offset=place.offset, line=place.line), skip=skip)
    records = 0
    torn = False
    for number, line in enumerate(lines.forward(*_from_first(blocks, limit)), 1):
        if line.is_blank:
            continue
        if not line.has_lf and is_torn(line):
            torn = True
            break
        records += 1
        if line.needle or records == 1 or not line.has_lf:
            record = found(line, limit, Place(offset=line.offset, line=number))
            if wanted.kind == "start" and records <= wanted.n:
                reading.outside = backward.speaks(record, reading.everywhere) or reading.outside
            else:
                reading.feed(record)
    outcome = reading.outcome()
    outcome.torn = torn
    return outcome


def _from_first(blocks: Iterator[bytes], limit: int) -> tuple[Iterator[bytes], int, int, Any, int]:
    """The arguments of `lines.forward`, with a BOM at byte 0 passed over."""
    head = b""
    for block in blocks:
        head += block
        if len(head) >= len(BOM):
            break
    skipped = len(BOM) if head.startswith(BOM) else 0

    def rest() -> Iterator[bytes]:
        yield head[skipped:]
        yield from blocks

    return rest(), skipped, limit, dsh.NEEDLES, dsh.LONGEST_NEEDLE
