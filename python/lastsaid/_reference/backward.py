"""From the end to the answer, stopping as soon as nothing earlier can change it (S6.3, S7 Order).

Two walks at most: backward to the last non-empty message, and, where the suffix has none,
forward over the suffix for its streamed text.
"""

from __future__ import annotations

from lastsaid._reference.fold import OPEN, Fold, Place, Said
from lastsaid._reference.formats import dsh
from lastsaid._reference.node import length
from lastsaid._reference.outcome import Outcome
from lastsaid._reference.records import Found, Records
from lastsaid._reference.signal import Event, Kind
from lastsaid._reference.suffix import side
from lastsaid.errors import MalformedEventError


def scan(
    records: Records,
    lo: int,
    hi: int,
    *,
    own: bool = False,
    cut: int = 0,
    skip: bool = False,
    only_output: bool = False,
) -> Outcome:
    """The answer of [lo, hi), cut further at the last seed marker (`own`) and by seq (`cut`).

    With `only_output` neither a turn nor an earlier text is wanted.
    """
    walk = _Walk(records, own, cut, skip, only_output)
    walk.run(lo, hi)
    fold = Fold()
    if len(walk.sessions) > 1:
        _raise_other_session(records, walk, hi)
    outcome = Outcome(fold, walk.skipped)
    if walk.winner is None:
        outcome.skipped = _push(records, walk, hi, fold, skip=skip)
    else:
        if not walk.winner.has_text and not only_output:
            if walk.earlier is None:
                # The text streamed before the first message of a suffix whose messages have none.
                _push(records, walk, hi, fold, skip=True, until_message=True)
            else:
                fold.say(walk.earlier)
        fold.say(walk.winner)
    fold.turn = walk.turn
    fold.known, fold.unknown = walk.known, walk.unknown
    if not fold.speaks():
        _look_outside(records, walk, hi, outcome)
    return outcome


class _Walk:
    """The walk backward: what it has met so far."""

    def __init__(self, records: Records, own: bool, cut: int, skip: bool, only_output: bool) -> None:
        self.records = records
        self.own = own
        self.cut = cut
        self.skip = skip
        self.only_output = only_output
        self.winner: Said | None = None
        self.earlier: Said | None = None
        self.turn = Fold().turn
        self.sessions: set[str] = set()
        self.skipped = 0
        self.known = False
        self.unknown = False
        # Where the suffix starts, and how many members of the row there lie before it.
        self.start = 0
        self.divided = 0

    def run(self, lo: int, hi: int) -> None:
        self.start = lo
        for found in self.records.backward(lo, hi):
            try:
                event = found.event()
            except MalformedEventError as error:
                self._defect(error, found)
                continue
            self.known = self.known or event.known
            self.unknown = self.unknown or not event.known
            where = side(event, self.cut)
            if where.below or (self.own and event.kind is Kind.CUT):
                self.start = found.end
                return
            self._take(found, event)
            if where.divided:
                self.start, self.divided = found.start, where.divided
                return
            if self._is_settled():
                return

    def _take(self, found: Found, event: Event) -> None:
        # Sessions count from the winner on; where any is named there, all before must be the same.
        if event.session is not None and (self.winner is None or self.sessions):
            self.sessions.add(event.session)
        if event.kind is Kind.MESSAGE and (self.winner is None or self._wants_earlier()):
            try:
                found.check_limits()
                content = dsh.content(event)
            except MalformedEventError as error:
                self._defect(error, found)
                return
            if length(content):
                said = Said.read(event, content, found.place)
                if self.winner is None:
                    self.winner = said
                elif said.has_text:
                    self.earlier = said
        elif self.turn is None and event.kind is Kind.TURN_START:
            self.turn = OPEN
        elif self.turn is None and event.kind is Kind.TURN_END:
            self.turn = dsh.stop(event)

    def _defect(self, error: MalformedEventError, found: Found) -> None:
        """Damage before the winner never counts."""
        if self.winner is None:
            if not self.skip:
                raise self.records.placed(error, found.place)
            self.skipped += 1

    def _wants_earlier(self) -> bool:
        return self.winner is not None and not self.winner.has_text and self.earlier is None

    def _is_settled(self) -> bool:
        if self.winner is None:
            return False
        if not self.only_output and (self.turn is None or self._wants_earlier()):
            return False
        # Where records name their session, all of the suffix must name the same.
        return not self.sessions


def _push(records: Records, walk: _Walk, hi: int, fold: Fold, *, skip: bool, until_message: bool = False) -> int:
    """Push the suffix as a caller would; the count of defects passed over."""
    skipped = 0
    for found in records.forward(walk.start, hi):
        try:
            event = found.event()
            if fold.reads(event):
                found.check_limits()
            fold.take(event, found.place, skip_members=walk.divided if found.start == walk.start else 0)
        except MalformedEventError as error:
            if not skip:
                raise records.placed(error, found.place) from None
            skipped += 1
        if until_message and fold.message is not None:
            break
    return skipped


def _raise_other_session(records: Records, walk: _Walk, hi: int) -> None:
    """Name the first record of another session than the suffix's first."""
    fold = Fold()
    for found in records.forward(walk.start, hi):
        try:
            event = found.event()
        except MalformedEventError:
            continue
        try:
            fold.session = fold.join_session(event)
        except MalformedEventError as error:
            raise records.placed(error, found.place) from None


def _look_outside(records: Records, walk: _Walk, hi: int, outcome: Outcome) -> None:
    """Whether the rest of a log with a silent suffix says anything (`empty_suffix`)."""
    for lo, end in ((hi, records.end), (records.begin, walk.start)):
        for found in records.forward(lo, end):
            if speaks(found, outcome.fold):
                outcome.outside = True
                return
    if walk.divided:
        for found in records.forward(walk.start, hi):
            outcome.outside = speaks(found, outcome.fold)
            return


def speaks(found: Found, fold: Fold) -> bool:
    """Whether a record outside the suffix is a message with blocks or holds streamed text; it is recognised."""
    alone = Fold()
    try:
        event = found.event()
        fold.recognise(event)
        if alone.reads(event):
            found.check_limits()
        alone.take(event, Place())
    except MalformedEventError:
        return False
    return alone.speaks()
