"""Which way to go through a log, by what its source allows (S5, S6.3, S7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lastsaid._reference import backward
from lastsaid._reference.checking import Checking
from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.log import document
from lastsaid._reference.log.frames import Unpacked, codec
from lastsaid._reference.log.frames.index import Frames
from lastsaid._reference.log.lines import BOM
from lastsaid._reference.log.records import LogRecords
from lastsaid._reference.log.source import FromStart, Input, Memory, Source, Stream
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.records import Found
from lastsaid._reference.sessions import Sessions, holds_notifications
from lastsaid._reference.suffix import Suffix, turn_window
from lastsaid.errors import MalformedEventError
from lastsaid.problem import Problem

_MAGIC: Final = 4


@dataclass(frozen=True, slots=True)
class Options:
    """How to read: `limit` is of a record's bytes, `decompressed` of a compressed log's."""

    suffix: Suffix
    session: str | None
    skip: bool
    explain: bool
    limit: int
    decompressed: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reading gives: the answer of the session that was asked for, or of each."""

    one: Outcome | None
    each: dict[str, Outcome]


def answers(log: Source | Stream, options: Options, *, each: bool = False) -> Answer:
    """The answer of a log, or with `each` of each of its sessions."""
    if isinstance(log, Stream):
        return _once(_unpacked(log, options), options, each)
    name = codec(log.read_at(0, _MAGIC))
    if name is None:
        return _sought(log, options, each)
    frames = Frames.opened(log, options.decompressed) if name == "zstd" else None
    if frames is not None:
        return _sought(frames, options, each)
    return _once(Unpacked(FromStart(log), name, options.decompressed), options, each)


def check(log: Source | Stream, options: Options) -> list[Problem]:
    """What is wrong with a log; one of which too much would have to be decompressed is checked as far as that."""
    checking = Checking()
    try:
        stream = log if isinstance(log, Stream) else FromStart(log)
        document.read(_unpacked(stream, options), checking, 0, options.limit)
    except MalformedEventError as error:
        checking.feed(Found(Place(offset=error.offset), 0, 0, None, error))
    return checking.problems


def _unpacked(log: Stream | FromStart, options: Options) -> Input:
    """The bytes of a stream, decompressed if its first ones say so."""
    blocks = log.blocks()
    head = b""
    while len(head) < _MAGIC and (block := next(blocks, b"")):
        head += block
    name = codec(head)
    whole = _Resumed(log, head, blocks)
    return whole if name is None else Unpacked(whole, name, options.decompressed)


class _Resumed:
    """A stream whose first bytes were looked at."""

    def __init__(self, log: Input, head: bytes, rest: Iterator[bytes]) -> None:
        self.log = log
        self.head = head
        self.rest = rest
        self.gaps = log.gaps

    @property
    def is_torn(self) -> bool:
        return self.log.is_torn

    def blocks(self) -> Iterator[bytes]:
        yield self.head
        yield from self.rest


def _sought(log: Source, options: Options, each: bool) -> Answer:
    """A log that can be read at any offset, from its end where that answers."""
    wanted = options.suffix
    begins = log.read_at(0, len(BOM) + 1).removeprefix(BOM)
    if options.explain or (wanted.kind == "start" and wanted.n >= 0) or begins.startswith(b"["):
        return _from_start(log, options, each)
    records = LogRecords(log, options.limit)
    header_id, seed_length, is_notification = _first(records)
    if is_notification or options.session not in (None, header_id):
        return _from_start(log, options, each)
    lo, hi, cut = records.begin, records.end, 0
    if wanted.kind == "start":
        lo = records.from_end(-wanted.n)
    elif wanted.kind == "turn":
        lo, hi = turn_window(records, wanted.n)
    elif wanted.kind == "since_seq":
        cut = wanted.n
    elif wanted.kind == "own":
        cut = seed_length
    outcome = backward.scan(records, lo, hi, own=wanted.kind == "own", cut=cut, skip=options.skip)
    outcome.torn = records.torn
    return Answer(outcome, {header_id: outcome})


def _first(records: LogRecords) -> tuple[str, int, bool]:
    """What the first records say of a log: its header's id and seed length, and whether it holds notifications."""
    header_id, seed_length = "", 0
    for number, found in enumerate(records.forward(records.begin, records.end)):
        try:
            event = found.event()
        except MalformedEventError:
            continue
        is_notification = holds_notifications(event)
        if number == 0 and not is_notification:
            header_id, seed_length = dsh.session_id(event), dsh.seed_length(event)
        return header_id, seed_length, is_notification
    return header_id, seed_length, False


def _from_start(log: Source, options: Options, each: bool) -> Answer:
    """A log that can be read at any offset, forward all the same."""
    start = options.suffix.n if options.suffix.kind == "start" else 0
    if start < 0:
        counted = document.read(FromStart(log), _Counting(), 1 << 63, options.limit)
        start = max(0, counted.records + start)
    return _through(FromStart(log), start, options, each)


def _once(log: Input, options: Options, each: bool) -> Answer:
    """A log that can only be read once. A start that counts from its end must wait for that."""
    start = options.suffix.n if options.suffix.kind == "start" else 0
    if start < 0:
        return _sought(Memory.held(log), options, each)
    return _through(log, start, options, each)


def _through(log: Input, start: int, options: Options, each: bool) -> Answer:
    sessions = Sessions(
        options.suffix,
        lambda error, place: error.at(offset=place.offset, line=place.line),
        skip=options.skip,
        session=options.session,
        explain=options.explain,
    )
    end = document.read(log, sessions, start, options.limit)
    found = Answer(None, sessions.outcomes()) if each else Answer(sessions.outcome(), {})
    for outcome in [found.one, *found.each.values()]:
        if outcome is not None:
            outcome.torn = end.is_torn
    return found


class _Counting:
    """A sink for counting only."""

    examines_all = False

    def feed(self, found: Found) -> None: ...

    def pass_over(self, found: Found) -> None: ...

    def torn(self, offset: int, line: int | None, sentence: str) -> None: ...
