"""Lists and iterators of events: `final_assistant_output`, `select`, `suffix_start` (S5)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lastsaid._protocol import Event
from lastsaid._reference import backward
from lastsaid._reference.explanation import Explanation, Quiet
from lastsaid._reference.fold import Place, format_named, session_mismatch
from lastsaid._reference.formats import dsh
from lastsaid._reference.forward import Pass
from lastsaid._reference.node import is_list
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.records import Found
from lastsaid._reference.signal import Kind
from lastsaid._reference.suffix import WHOLE, side
from lastsaid.errors import MalformedEventError
from lastsaid.selection import Selection


class ListRecords:
    """A sequence of events; positions are indexes. A list that shrinks meanwhile just ends earlier."""

    def __init__(self, events: Sequence[Any]) -> None:
        self.events = events
        self.begin = 0
        self.end = list.__len__(events) if is_list(events) else len(events)

    def backward(self, lo: int, hi: int) -> Iterator[Found]:
        return self._each(range(hi - 1, lo - 1, -1))

    def forward(self, lo: int, hi: int) -> Iterator[Found]:
        return self._each(range(lo, hi))

    def _each(self, indexes: range) -> Iterator[Found]:
        events = self.events
        # A subclass of list is read as the list it is.
        at = functools.partial(list.__getitem__ if is_list(events) else operator.getitem, events)
        for index in indexes:
            try:
                event = at(index)
            except IndexError:
                continue
            yield Found(Place(index), index, index + 1, event)

    def placed(self, error: MalformedEventError, place: Place) -> MalformedEventError:
        return error.at(index=place.index)


def final_assistant_output(events: Iterable[Event], start: int = 0, *, format: str = "dsh") -> list[Any] | None:
    """The output of `events[start:]`: what a fold of them would collect (S2).

    A sequence is walked from its end and not copied; an iterator is read forward. Raises MalformedEventError.
    """
    format_named(format)
    return _scan(events, start, "final_assistant_output", only_output=True).fold.output()


def select(events: Iterable[Event], start: int = 0, *, format: str = "auto", explain: bool = False) -> Selection:
    """Like `final_assistant_output`, with provenance (S9). Raises MalformedEventError.

    `explain=True` adds `counts` and `candidates`, for which the whole list is read.
    """
    name = format_named(format, auto=True)
    return _scan(events, start, "select", explain=bool(explain)).selection(name)


def _scan(events: Iterable[Any], start: int, what: str, *, explain: bool = False, only_output: bool = False) -> Outcome:
    start = operator.index(start)
    _check(events, what)
    if not isinstance(events, Sequence):
        if start >= 0:
            found = (Found(Place(index=index), index, index + 1, event) for index, event in enumerate(events))
            return _pass(found, start, explain)
        events = list(events)
    records = ListRecords(events)
    lo = max(0, records.end + start) if start < 0 else min(start, records.end)
    if explain:
        return _pass(records.forward(0, records.end), lo, explain)
    return backward.scan(records, lo, records.end, only_output=only_output)


def _pass(records: Iterable[Found], start: int, explain: bool) -> Outcome:
    explanation = Explanation(Quiet()) if explain else None
    reading = Pass(WHOLE, lambda error, place: error.at(index=place.index), explanation=explanation)
    for found in records:
        if found.start < start:
            reading.pass_over(found)
        else:
            reading.feed(found)
    return reading.outcome()


def suffix_start(events: Iterable[Event], *, format: str = "dsh") -> int:
    """The index at which the last run's own events begin: after the last seed marker or copied event (S4).

    A packed row that the cut divides counts as the run's. Events that can't be recognised cut nothing.
    Raises MalformedEventError (`wrong_session`) for the events of several sessions.
    """
    format_named(format)
    _check(events, "suffix_start")
    start = cut = 0
    session: str | None = None
    children: dict[str, int] = {}
    has_notifications: bool | None = None
    for index, record in enumerate(events):
        try:
            event = dsh.event(record)
        except MalformedEventError:
            continue
        if event.session is not None:
            if session is not None and session != event.session:
                raise session_mismatch(event, session).at(index=index)
            session = event.session
        if has_notifications is None:
            has_notifications = dsh.holds_notifications(event)
            cut = 0 if index or has_notifications else dsh.seed_length(event)
        where = side(event, cut)
        if event.kind is Kind.CUT or where.below:
            start = index + 1
        elif where.divided:
            start = index
        elif event.kind is Kind.CHILD_STARTED:
            child = dsh.started_child(event)
            if child is not None:
                children[child] = index + 1
    if not has_notifications or session is None:
        return start
    return max(start, children.get(session, 0))


def _check(events: Any, what: str) -> None:
    if isinstance(events, str | bytes | bytearray | memoryview):
        raise TypeError(f"{what} takes events, not {type(events).__name__}; read a log with read or read_bytes")
    if isinstance(events, Mapping):
        raise TypeError(f"{what} takes a sequence of events, not one {type(events).__name__}; put it into a list")
    if not hasattr(type(events), "__iter__") and not hasattr(type(events), "__getitem__"):
        raise TypeError(f"{what} takes a sequence or an iterable of events, not {type(events).__name__}")
