"""The sessions of a log and the one that is asked about, in one pass from the start (S4, S5).

Every session has its own `Pass`. A record that names no session is everybody's: it goes into each of them and into
the pass over what named none, which a session that appears later begins with.
"""

from __future__ import annotations

from collections.abc import Callable

from lastsaid._reference.explanation import Explanation, Quiet
from lastsaid._reference.formats import dsh
from lastsaid._reference.forward import Pass, Placed
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.records import Found
from lastsaid._reference.signal import Event, Kind
from lastsaid._reference.suffix import Suffix
from lastsaid.errors import MalformedEventError, SessionNotFoundError

holds_notifications = dsh.holds_notifications


class Sessions:
    """The sink of a pass: feed it every examined record in order, then ask for the outcome."""

    examines_all = False

    def __init__(
        self, suffix: Suffix, placed: Placed, *, skip: bool = False, session: str | None = None, explain: bool = False
    ) -> None:
        self.session = session
        # What names no session and signals nothing is counted once for all. A window on a turn and a cut by seq
        # are moved by such records, so there they go into every pass.
        self.quiet = Quiet()
        self.has_quiet = suffix.kind in ("own", "whole", "start")
        explanation = Explanation(self.quiet) if explain else None
        # All records, or, where sessions are told apart, those of the session asked for or of none.
        self.shared = Pass(suffix, placed, skip=skip, explanation=explanation)
        self.records = 0
        self.header_id = ""
        # None until a record could be read.
        self.told_apart: bool | None = None
        # In order of first occurrence. With a session asked for the passes are all the shared one.
        self.passes: dict[str, Pass] = {}
        self.children: set[str] = set()

    def feed(self, found: Found) -> None:
        """Take the next record that is examined."""
        self._hand(found, Pass.feed, self.quiet.take)

    def pass_over(self, found: Found) -> None:
        """Take note of a record before the `start` that was asked for."""
        self._hand(found, Pass.pass_over, self.quiet.pass_over)

    def torn(self, offset: int, line: int | None, sentence: str) -> None:
        """Where the log ends is told with the answer."""

    def _hand(self, found: Found, take: Callable[[Pass, Found], None], count: Callable[[Found, Event], None]) -> None:
        event = self._event(found)
        if event is not None and self.told_apart is None:
            self._tell_apart(event)
        self.records += 1
        if not self.told_apart:
            take(self.shared, found)
        elif event is None or event.session is None:
            if event is not None and self.has_quiet and event.kind in (Kind.NOTHING, Kind.CHILD_STARTED):
                count(found, event)
            else:
                take(self.shared, found)
                for one in self.passes.values() if self.session is None else ():
                    take(one, found)
            self._start_child(event)
        else:
            one = self._pass_of(event.session)
            if self.session in (None, event.session):
                take(one, found)

    def _event(self, found: Found) -> Event | None:
        try:
            return found.event()
        except MalformedEventError:
            return None

    def _tell_apart(self, event: Event) -> None:
        """The first record that could be read says what the log is."""
        is_notification = holds_notifications(event)
        if self.records == 0 and not is_notification:
            self.header_id = dsh.session_id(event)
        self.told_apart = is_notification or self.session not in (None, self.header_id)
        if self.told_apart:
            self.shared.has_seed_length = False

    def _start_child(self, event: Event | None) -> None:
        child = dsh.started_child(event) if event is not None and event.kind is Kind.CHILD_STARTED else None
        if child is not None:
            self.children.add(child)
            one = self._pass_of(child)
            if self.session in (None, child):
                one.begin()

    def _pass_of(self, session: str) -> Pass:
        one = self.passes.get(session)
        if one is None:
            one = self.shared if self.session is not None else self.shared.copy()
            self.passes[session] = one
        return one

    def outcome(self) -> Outcome:
        """The answer for the session asked for, or for the one that stands out (S5)."""
        ids = tuple(self.passes)
        if self.session is not None:
            is_one = not self.passes and self.session == self.header_id
            if not is_one and self.session not in self.passes:
                raise SessionNotFoundError(self.session, ids)
            return self._outcome(self.shared)
        if not ids:
            return self._outcome(self.shared)
        if len(ids) > 1:
            ids = tuple(session for session in ids if session not in self.children)
        if len(ids) != 1:
            raise SessionNotFoundError(None, tuple(self.passes))
        return self._outcome(self.passes[ids[0]])

    def outcomes(self) -> dict[str, Outcome]:
        """The answer for every session, in order of first occurrence."""
        if not self.passes:
            return {self.header_id: self._outcome(self.shared)}
        return {session: self._outcome(one) for session, one in self.passes.items()}

    def _outcome(self, one: Pass) -> Outcome:
        one.everywhere.known |= self.quiet.known
        one.everywhere.unknown |= self.quiet.unknown
        return one.outcome()
