"""What a full pass met beside its answer: the numbers and the candidates of `explain` (S9).

It reads each record by itself, in bounded memory, never raises for what only it met, and never changes the answer.
"""

from __future__ import annotations

import copy
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.node import get, is_object, items, length, string
from lastsaid._reference.records import Found
from lastsaid._reference.signal import Event, Kind
from lastsaid._reference.text import block_texts, join
from lastsaid.errors import MalformedEventError

_MOST_CANDIDATES: Final = 100
_MOST_BLOCKS: Final = 20
_PREVIEW: Final = 80


@dataclass(slots=True)
class _Candidate:
    """What could have been the answer. `at` is the number of its record, by which candidates are ordered."""

    at: int
    kind: Literal["message", "stream", "record"]
    place: Place
    seq: int | None
    message_id: str | None = None
    blocks: list[str | None] = field(default_factory=list)
    characters: int = 0
    preview: str = ""
    reason: str = ""


class Quiet:
    """Records of all sessions that name none and signal nothing: counted once, however many sessions there are."""

    def __init__(self) -> None:
        self.passed_over = 0
        self.taken = 0
        self.known = False
        self.unknown = False
        # Those whose suffix begins with the next record.
        self.waiting: list[Explanation] = []

    def take(self, found: Found, event: Event) -> None:
        self.taken += 1
        self._recognise(event)
        for explanation in self.waiting:
            explanation.first = explanation.first or found.place
            explanation.is_waiting = False
        self.waiting.clear()

    def pass_over(self, _found: Found, event: Event) -> None:
        """A record before the `start` that was asked for."""
        self.passed_over += 1
        self._recognise(event)

    def _recognise(self, event: Event) -> None:
        self.known = self.known or event.known
        self.unknown = self.unknown or not event.known


class Explanation:
    """The numbers and candidates of one session, filled by its pass."""

    def __init__(self, quiet: Quiet) -> None:
        self.quiet = quiet
        self.seen = 0
        self.version: int | None = None
        self.outside: _Candidate | None = None
        self.is_waiting = False
        self._begin()

    def _begin(self) -> None:
        """An empty suffix."""
        self.taken = 0
        self.quiet_before = self.quiet.taken
        self.first: Place | None = None
        self.messages = self.empty_messages = self.streams = self.malformed = 0
        self.newest: deque[_Candidate] = deque(maxlen=_MOST_CANDIDATES)
        self.message: _Candidate | None = None
        self.stream: _Candidate | None = None
        # Whether the streamed text ends with a high half, which the next piece may complete.
        self.ends_high = False
        self._wait()

    def _wait(self) -> None:
        if self.first is None and not self.is_waiting:
            self.is_waiting = True
            self.quiet.waiting.append(self)

    def copy(self) -> Explanation:
        new = copy.copy(self)
        new.newest = self.newest.copy()
        new.stream = copy.copy(self.stream)
        new.is_waiting = False
        new._wait()
        return new

    def see(self, event: Event | None) -> None:
        """Count a record of the session, in its suffix or not; None if it can't be read."""
        is_first = self.seen == self.quiet.taken == self.quiet.passed_over == 0
        if is_first and event is not None:
            self.version = dsh.version(event)
        self.seen += 1

    def leave(self) -> None:
        """The suffix starts anew after what was taken so far."""
        self._put_outside(self.message)
        self._begin()

    def pass_by(self, found: Found, event: Event) -> None:
        """A record that isn't in the suffix."""
        if event.kind is Kind.MESSAGE:
            try:
                found.check_limits()
                content = dsh.content(event)
            except MalformedEventError:
                return
            if length(content):
                self._put_outside(self._said(found, event, content))

    def _put_outside(self, said: _Candidate | None) -> None:
        if said is not None and (self.outside is None or said.at > self.outside.at):
            self.outside = said

    def take(self, found: Found, event: Event, divided: int) -> None:
        """A record of the suffix; of a packed row that the cut divides `divided` members lie before it."""
        self._count(found)
        if event.kind not in (Kind.MESSAGE, Kind.STREAM):
            return
        content: list[Any] = []
        pieces: list[str] = []
        try:
            found.check_limits()
            if event.kind is Kind.MESSAGE:
                content = dsh.content(event)
            if not length(content):
                pieces = list(dsh.pieces(event))[divided:]
        except MalformedEventError as error:
            self._blame(found, error)
            return
        if event.kind is Kind.MESSAGE:
            said = self._said(found, event, content)
            self.newest.append(said)
            if length(content):
                self.messages += 1
                self.message = said
            else:
                self.empty_messages += 1
        self._stream(found, event, join(pieces))

    def take_unreadable(self, found: Found, error: MalformedEventError) -> None:
        """A record of the suffix that isn't even an event."""
        self._count(found)
        self._blame(found, error)

    def _count(self, found: Found) -> None:
        self.taken += 1
        self.first = self.first or found.place

    def _blame(self, found: Found, error: MalformedEventError) -> None:
        self.malformed += 1
        self.newest.append(_Candidate(self.seen, "record", found.place, None, reason=error.sentence))

    def _said(self, found: Found, event: Event, content: list[Any]) -> _Candidate:
        text = join(block_texts(content))
        kinds = [string(get(block, "type")) if is_object(block) else None for block in _first(content)]
        return _Candidate(
            self.seen,
            "message",
            found.place,
            dsh.seq(event),
            dsh.message_id(event),
            kinds,
            len(text),
            text[:_PREVIEW],
        )

    def _stream(self, found: Found, event: Event, text: str) -> None:
        if not text:
            return
        self.streams += 1
        if self.stream is None:
            self.stream = _Candidate(self.seen, "stream", found.place, dsh.seq(event))
        completes = self.ends_high and "\udc00" <= text[0] <= "\udfff"
        self.stream.characters += len(text) - completes
        self.ends_high = "\ud800" <= text[-1] <= "\udbff"
        # One more than is shown, so that no half is shown whose other half comes.
        if len(self.stream.preview) <= _PREVIEW:
            self.stream.preview = join((self.stream.preview, text))[: _PREVIEW + 1]

    def counts(self) -> dict[str, int | None]:
        first = self.first or Place()
        return {
            "records": self.seen + self.quiet.passed_over + self.quiet.taken,
            "suffixRecords": self.taken + self.quiet.taken - self.quiet_before,
            "messages": self.messages,
            "emptyMessages": self.empty_messages,
            "streams": self.streams,
            "streamedCharacters": self.stream.characters if self.stream else 0,
            "malformed": self.malformed,
            "version": self.version,
            "suffixIndex": first.index,
            "suffixOffset": first.offset,
            "suffixLine": first.line,
        }

    def candidates(self) -> tuple[dict[str, Any], ...]:
        """The winner first, then from the newest to the oldest; of one record the stream comes last."""
        winner = self.message or self.stream
        others = [*self.newest, self.stream, self.outside]
        ordered = sorted(
            (one for one in others if one is not None and one is not winner),
            key=lambda one: (one.at, one is not self.stream),
            reverse=True,
        )
        shown = ([winner] if winner else []) + ordered
        return tuple(self._shown(one, winner) for one in shown[:_MOST_CANDIDATES])

    def _shown(self, one: _Candidate, winner: _Candidate | None) -> dict[str, Any]:
        if one is winner:
            verdict, reason = "won", "the last message that has blocks" if self.message else "no message has blocks"
        elif one is self.outside:
            verdict, reason = "outside", "not part of this run"
        elif one is self.stream:
            verdict, reason = "unused", "a message was found"
        elif one.kind == "record":
            verdict, reason = "malformed", one.reason
        elif one.blocks:
            verdict, reason = "lost", "an older message"
        else:
            verdict, reason = "empty", "no blocks"
        return {
            "verdict": verdict,
            "kind": one.kind,
            "index": one.place.index,
            "offset": one.place.offset,
            "line": one.place.line,
            "seq": one.seq,
            "messageId": one.message_id,
            "blocks": one.blocks,
            "characters": one.characters,
            "preview": one.preview[:_PREVIEW],
            "reason": reason,
        }


def _first(content: list[Any]) -> Iterator[Any]:
    return itertools.islice(items(content), _MOST_BLOCKS)
