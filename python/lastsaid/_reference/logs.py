"""`read`, `read_bytes`, `read_sessions`, `check`: logs in memory, in files and in whatever Python can read (S5)."""

from __future__ import annotations

import operator
from typing import Any, Literal

from lastsaid._protocol import (
    DEFAULT_MAX_DECOMPRESSED_BYTES,
    DEFAULT_MAX_RECORD_BYTES,
    BytesLike,
    LogSource,
)
from lastsaid._reference.fold import format_named
from lastsaid._reference.log import reading
from lastsaid._reference.log.reading import Options
from lastsaid._reference.log.source import Memory
from lastsaid._reference.node import is_buffer, string
from lastsaid._reference.opened import opened, opened_or_bytes
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.suffix import WHOLE, asked
from lastsaid.problem import Problem
from lastsaid.selection import Selection


def read_bytes(
    data: BytesLike,
    *,
    format: str = "auto",
    suffix: Literal["own", "whole"] = "own",
    session: str | None = None,
    start: int | None = None,
    turn: int | None = None,
    since_seq: int | None = None,
    on_malformed: Literal["raise", "skip"] = "raise",
    explain: bool = False,
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
    max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
    threads: int = 1,
) -> Selection:
    """The answer of a log in memory; options and errors as `read`. Mutable buffers are copied first."""
    name = format_named(format, auto=True)
    limits = (max_record_bytes, max_decompressed_bytes)
    options = options_of(suffix, session, (start, turn, since_seq), on_malformed, explain, limits, threads)
    if string(data) is not None or not is_buffer(data):
        raise TypeError(f"read_bytes takes bytes, bytearray or memoryview, not {type(data).__name__}")
    return _selection(reading.answers(Memory(bytes(memoryview(data))), options).one, name)


def read(
    source: LogSource,
    *,
    format: str = "auto",
    suffix: Literal["own", "whole"] = "own",
    session: str | None = None,
    start: int | None = None,
    turn: int | None = None,
    since_seq: int | None = None,
    on_malformed: Literal["raise", "skip"] = "raise",
    explain: bool = False,
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
    max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
    threads: int = 1,
) -> Selection:
    """What a log finally says.

    The log may be plain, gzip or zstd, told by its first bytes; JSON Lines or one JSON array; a session's own log
    or the notifications of several.

    Args:
        source: a path (of a file, or of a session's directory), or a binary file, which is read from where it
            stands. Files are read from their end; pipes, gzip, arrays and notifications forward.
        suffix: `own`, the last run's own events (S4), or `whole`.
        session: whose answer, by id, where the log holds several; else the one that is nobody's child.
        start, turn, since_seq: at most one, each instead of `suffix`: from that record (0 is the header), the
            last turn of that number (-1: the last turn), the events from that seq on.
        on_malformed: `raise`, or `skip` with the warning `malformed_skipped`.
        explain: add `counts` and `candidates`, for which the whole log is read.
        max_record_bytes: the longest record that is examined.
        max_decompressed_bytes: how much of a compressed log is decompressed.
        threads: how many threads may read a large log; the answer is the same, and the pure engine reads on one.

    Raises:
        MalformedEventError: a record that the answer needs can't be read (S7), with offset and line.
        TurnNotFoundError, SessionNotFoundError: no such turn or session, or several sessions and none picked.
        AmbiguousLogError: a directory holds the session's log twice.
        OSError: as the operating system says; also of a file that becomes shorter while it is read.
        ValueError, TypeError: an option is off.
    """
    name = format_named(format, auto=True)
    limits = (max_record_bytes, max_decompressed_bytes)
    options = options_of(suffix, session, (start, turn, since_seq), on_malformed, explain, limits, threads)
    return read_source(source, options, name)


def read_sessions(
    source: LogSource | BytesLike,
    *,
    format: str = "auto",
    suffix: Literal["own", "whole"] = "own",
    on_malformed: Literal["raise", "skip"] = "raise",
    explain: bool = False,
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
    max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
) -> dict[str, Selection]:
    """What each session of a log finally says, by id, in the order in which they first occur (S4).

    Args:
        source: as `read`; bytes are the log itself. A log without notifications has one session: its header's `id`.
        suffix, on_malformed, explain, max_record_bytes, max_decompressed_bytes: as `read`, for every session.

    Raises:
        as `read`, for the first session of which it is true.
    """
    name = format_named(format, auto=True)
    limits = (max_record_bytes, max_decompressed_bytes)
    options = options_of(suffix, None, (None, None, None), on_malformed, explain, limits)
    with opened_or_bytes(source, "read_sessions") as log:
        found = reading.answers(log, options, each=True)
    return {session: outcome.selection(name) for session, outcome in found.each.items()}


def check(
    source: LogSource | BytesLike,
    *,
    format: str = "auto",
    max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
    max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
) -> list[Problem]:
    """Everything that is wrong with a log, in its order; empty when it is sound (S7).

    Each record is examined alone, whether an answer would need it or not.

    Args:
        source: as `read`; bytes are the log itself.
        max_record_bytes, max_decompressed_bytes: as `read`; what is beyond them is a problem of kind `too_large`.

    Raises:
        OSError, AmbiguousLogError: the log can't be opened or read at all.
    """
    format_named(format, auto=True)
    limit, decompressed = _limits((max_record_bytes, max_decompressed_bytes))
    options = Options(WHOLE, None, skip=False, explain=False, limit=limit, decompressed=decompressed)
    with opened_or_bytes(source, "check") as log:
        return reading.check(log, options)


def read_source(source: Any, options: Options, name: str) -> Selection:
    """`read`, with its options checked."""
    with opened(source, "read") as log:
        return _selection(reading.answers(log, options).one, name)


def _selection(outcome: Outcome | None, format: str) -> Selection:
    assert outcome is not None
    return outcome.selection(format)


def options_of(
    suffix: str,
    session: Any,
    parts: tuple[int | None, int | None, int | None],
    on_malformed: str,
    explain: Any,
    limits: tuple[int, int],
    threads: int = 1,
) -> Options:
    """The options of `read`, checked; `parts` are `start`, `turn` and `since_seq`."""
    wanted = asked(suffix, *parts)
    if on_malformed not in ("raise", "skip"):
        raise ValueError(f"on_malformed is {on_malformed!r}, expected 'raise' or 'skip'")
    limit, decompressed = _limits(limits)
    _positive("threads", threads)
    name = string(session)
    if session is not None and name is None:
        raise TypeError(f"session takes a str, not {type(session).__name__}")
    return Options(wanted, name, on_malformed == "skip", bool(explain), limit, decompressed)


def _limits(limits: tuple[int, int]) -> tuple[int, int]:
    record, decompressed = limits
    return _positive("max_record_bytes", record), _positive("max_decompressed_bytes", decompressed)


def _positive(name: str, value: int) -> int:
    number = operator.index(value)
    if number < 1:
        raise ValueError(f"{name} is not positive, expected at least 1")
    return number
