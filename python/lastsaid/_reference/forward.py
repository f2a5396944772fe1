"""From the start to the end in one pass, for what cannot be walked backward; the same answer (S6.3)."""

from __future__ import annotations

import copy
from collections.abc import Callable

from lastsaid._reference.backward import speaks
from lastsaid._reference.explanation import Explanation
from lastsaid._reference.fold import Fold, Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.node import length
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.records import Found
from lastsaid._reference.signal import Event, Kind
from lastsaid._reference.suffix import ABOVE, Suffix, side
from lastsaid.errors import MalformedEventError, TurnNotFoundError

Placed = Callable[[MalformedEventError, Place], MalformedEventError]


class Pass:
    """One pass: feed it every record in order, then ask for the outcome."""

    def __init__(
        self, suffix: Suffix, placed: Placed, *, skip: bool = False, explanation: Explanation | None = None
    ) -> None:
        self.suffix = suffix
        self.placed = placed
        self.skip = skip
        self.explanation = explanation
        # Notifications have no header that counts what was copied (S4).
        self.has_seed_length = suffix.kind == "own"
        self.cut = suffix.n if suffix.kind == "since_seq" else 0
        # A window on one turn is closed until that turn starts.
        self.inside = suffix.kind != "turn"
        self.turns: list[int] = []
        self.found_turn = False
        self.records = 0
        # Knows what was recognised anywhere; its own answer is never asked for.
        self.everywhere = Fold()
        self.outside = False
        self._restart()

    def _restart(self) -> None:
        self.fold = Fold()
        self.skipped = 0
        self.last_defect: MalformedEventError | None = None
        self.first_defect: MalformedEventError | None = None
        self.other_session: MalformedEventError | None = None
        self.enveloped = False

    def copy(self) -> Pass:
        """Another pass that has seen the same records."""
        new = copy.copy(self)
        new.turns = list(self.turns)
        new.everywhere = self.everywhere.copy()
        new.fold = self.fold.copy()
        new.explanation = self.explanation and self.explanation.copy()
        return new

    def feed(self, found: Found) -> None:
        """Take the next record that is examined."""
        try:
            event = found.event()
        except MalformedEventError as error:
            self._see(None)
            if self.inside:
                self._defect(error, found)
                if self.explanation is not None:
                    self.explanation.take_unreadable(found, error)
            return
        self._see(event)
        self.everywhere.recognise(event)
        divided = self._cut(found, event)
        if divided is not None:
            if self.explanation is not None:
                self.explanation.take(found, event, divided)
            self._take(found, event, divided)

    def pass_over(self, found: Found) -> None:
        """Take note of a record before the `start` that was asked for."""
        try:
            event = found.event()
        except MalformedEventError:
            self._see(None)
            return
        self._see(event)
        self.everywhere.recognise(event)
        self._pass_by(found, event)

    def begin(self) -> None:
        """What comes from here on is the run's own (S4)."""
        if self.suffix.kind == "own":
            self._leave()

    def _see(self, event: Event | None) -> None:
        """Count a record, in the suffix or not; the first may be the header."""
        if self.records == 0 and event is not None and self.has_seed_length:
            self.cut = dsh.seed_length(event)
        if self.explanation is not None:
            self.explanation.see(event)
        self.records += 1

    def _cut(self, found: Found, event: Event) -> int | None:
        """Move the suffix where this record says so; None when the record isn't in it."""
        if self.suffix.kind == "turn" and event.kind is Kind.TURN_START:
            number = dsh.turn(event)
            if number is not None:
                self.turns.append(number)
            if self.suffix.n in (-1, number):
                self._leave()
                self.inside = self.found_turn = True
            else:
                self.inside = False
        where = side(event, self.cut) if self.cut else ABOVE
        is_marker = self.suffix.kind == "own" and event.kind is Kind.CUT
        if where.below or where.divided or is_marker:
            self._leave()
        if where.below or not self.inside or where.divided:
            self._pass_by(found, event)
        return None if where.below or is_marker or not self.inside else where.divided

    def _pass_by(self, found: Found, event: Event) -> None:
        """A record that isn't in the suffix, or not with all its members."""
        self.outside = self.outside or speaks(found, self.everywhere)
        if self.explanation is not None:
            self.explanation.pass_by(found, event)

    def _leave(self) -> None:
        self.outside = self.outside or self.fold.speaks()
        if self.explanation is not None:
            self.explanation.leave()
        self._restart()

    def _take(self, found: Found, event: Event, divided: int) -> None:
        if event.kind is Kind.MESSAGE:
            try:
                found.check_limits()
                if length(dsh.content(event)):
                    self.last_defect = self.first_defect = None
                    self.skipped = 0
                    self.enveloped = False
            except MalformedEventError as error:
                self._defect(error, found)
                self._session(found, event)
                return
        self._session(found, event)
        try:
            if self.fold.reads(event):
                found.check_limits()
            self.fold.take(event, found.place, skip_members=divided)
        except MalformedEventError as error:
            self.skipped += 1
            self.first_defect = self.first_defect or self.placed(error, found.place)

    def _session(self, found: Found, event: Event) -> None:
        """Note the first record of another session: an error only if the winner, or one after it, names any."""
        self.enveloped = self.enveloped or event.session is not None
        try:
            self.fold.session = self.fold.join_session(event)
        except MalformedEventError as error:
            self.other_session = self.other_session or self.placed(error, found.place)

    def _defect(self, error: MalformedEventError, found: Found) -> None:
        self.skipped += 1
        self.last_defect = self.placed(error, found.place)

    def outcome(self) -> Outcome:
        """The answer, or the error that S7's order names."""
        if self.suffix.kind == "turn" and not self.found_turn:
            raise TurnNotFoundError(self.suffix.n, tuple(dict.fromkeys(self.turns)))
        if self.last_defect is not None and not self.skip:
            raise self.last_defect
        if self.other_session is not None and self.enveloped:
            raise self.other_session
        if self.first_defect is not None and not self.skip:
            raise self.first_defect
        self.fold.known, self.fold.unknown = self.everywhere.known, self.everywhere.unknown
        return Outcome(self.fold, self.skipped, self.outside, explanation=self.explanation)
