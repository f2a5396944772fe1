"""The rule (S2, S3): Nothing → Text → Message, one record at a time. It knows no files and no threads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from lastsaid._reference.formats import dsh
from lastsaid._reference.node import length, string
from lastsaid._reference.signal import Event, Kind, Stop
from lastsaid._reference.text import block_texts, has_surrogate, is_blank, join
from lastsaid.errors import MalformedEventError
from lastsaid.selection import Completeness, EarlierText, Selection, SelectionWarning

ENGINE: Final = "python"
FORMATS: Final = ("dsh",)

_COMPLETENESS: Final[dict[str | None, Completeness]] = {
    None: "unknown",
    "completed": "complete",
    "max-tokens": "truncated",
    "max-turns": "truncated",
    "aborted": "aborted",
    "interrupted": "aborted",
}


def format_named(name: str, *, auto: bool = False) -> str:
    """The format of that name; `auto` where it may be guessed means `dsh` until there are others (S5)."""
    plain = string(name)
    if auto and plain == "auto":
        return "dsh"
    if plain not in FORMATS:
        raise ValueError(f"unknown format {name!r}; the formats are {', '.join(FORMATS)}")
    return plain


# Not frozen, though nobody changes one: there is one a record, and a frozen dataclass takes twice as long to make.
@dataclass(slots=True)
class Place:
    """Where a record stood (S9)."""

    index: int | None = None
    offset: int | None = None
    line: int | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A non-empty message, whether its text is more than blank, and where it stood."""

    content: list[Any]
    has_text: bool
    message_id: str | None
    place: Place

    @classmethod
    def read(cls, event: Event, content: list[Any], place: Place) -> Said:
        has_text = any(not is_blank(text) for text in block_texts(content))
        message_id = dsh.message_id(event)
        return cls(content, has_text, message_id, replace(place, seq=dsh.seq(event)))


# A turn that started and did not end.
OPEN: Final = "open"


class Fold:
    """What has been said so far in one suffix of one session."""

    __slots__ = ("count", "earlier", "known", "message", "pieces", "pieces_place", "session", "turn", "unknown")

    def __init__(self) -> None:
        self.message: Said | None = None
        # The newest message with text before a message without; None while the message has some.
        self.earlier: Said | None = None
        # Streamed before the first message, kept until a message with text came.
        self.pieces: list[str] = []
        self.pieces_place: Place | None = None
        self.turn: Stop | str | None = None
        self.session: str | None = None
        self.known = False
        self.unknown = False
        self.count = 0

    def apply(self, event: Event, place: Place) -> None:
        """Take one record of this fold's session, or raise and stay as it was."""
        session = self.join_session(event)
        self.take(event, place)
        self.session = session

    def take(self, event: Event, place: Place, *, skip_members: int = 0) -> None:
        """Take one record of any session. `skip_members`: of a packed row that a cut divides."""
        if event.kind is Kind.MESSAGE:
            content = dsh.content(event)
            if length(content):
                self.say(Said.read(event, content, place))
            elif self.message is None:
                self._stream_of(event, place, 0)
        elif event.kind is Kind.STREAM:
            if self.message is None:
                self._stream_of(event, place, skip_members)
        elif event.kind is Kind.TURN_START:
            self.turn = OPEN
        elif event.kind is Kind.TURN_END:
            self.turn = dsh.stop(event)
        self.recognise(event)

    def recognise(self, event: Event) -> None:
        self.known = self.known or event.known
        self.unknown = self.unknown or not event.known

    def join_session(self, event: Event) -> str | None:
        """The session with this event in it; raise for an event of another."""
        if event.session is None or self.session is None or event.session == self.session:
            return self.session if event.session is None else event.session
        raise session_mismatch(event, self.session)

    def reads(self, event: Event) -> bool:
        """Whether a record of this kind would be read, so that its limits count (S7)."""
        return event.kind is Kind.MESSAGE or (event.kind is Kind.STREAM and self.message is None)

    def say(self, said: Said) -> None:
        if said.has_text:
            self.earlier = None
            self.pieces = []
            self.pieces_place = None
        elif self.message is not None and self.message.has_text:
            self.earlier = self.message
        self.message = said

    def stream(self, piece: str) -> None:
        """A piece of streamed text that came by itself."""
        if self.message is None and piece:
            self.pieces_place = self.pieces_place or Place(index=self.count)
            self.pieces.append(piece)

    def _stream_of(self, event: Event, place: Place, skip_members: int) -> None:
        pieces = [piece for piece in list(dsh.pieces(event))[skip_members:] if piece]
        if pieces and self.pieces_place is None:
            self.pieces_place = replace(place, seq=dsh.seq(event))
        self.pieces += pieces

    def speaks(self) -> bool:
        return self.message is not None or self.pieces_place is not None

    def merge(self, later: Fold) -> Fold:
        """The state after this one's input and then the other's (S5); neither changes."""
        if self.session is not None and later.session is not None and self.session != later.session:
            raise MalformedEventError(
                "wrong_session",
                "later",
                f"a fold of session {json.dumps(later.session)}",
                f"one of session {json.dumps(self.session)}",
            )
        both = self.copy()
        shifted = later.moved_by(self.count)
        if both.message is None:
            both.pieces = both.pieces + shifted.pieces
            both.pieces_place = both.pieces_place or shifted.pieces_place
        for said in (shifted.earlier, shifted.message):
            if said is not None:
                both.say(said)
        both.turn = both.turn if shifted.turn is None else shifted.turn
        both.session = both.session if shifted.session is None else shifted.session
        both.known = both.known or shifted.known
        both.unknown = both.unknown or shifted.unknown
        both.count += shifted.count
        return both

    def copy(self) -> Fold:
        new = Fold()
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new.pieces = list(self.pieces)
        return new

    def moved_by(self, count: int) -> Fold:
        """A copy whose places are counted from `count` calls earlier."""

        def later(place: Place) -> Place:
            return place if place.index is None else replace(place, index=place.index + count)

        new = self.copy()
        new.message = self.message and replace(self.message, place=later(self.message.place))
        new.earlier = self.earlier and replace(self.earlier, place=later(self.earlier.place))
        new.pieces_place = self.pieces_place and later(self.pieces_place)
        return new

    def output(self) -> list[Any] | None:
        if self.message is not None:
            return self.message.content
        return [{"type": "text", "text": join(self.pieces)}] if self.pieces_place is not None else None

    def text(self) -> str:
        return join(self.pieces if self.message is None else block_texts(self.message.content))

    def selection(self, format: str, warnings: Iterable[SelectionWarning] = ()) -> Selection:
        text = self.text()
        place = Place() if not self.speaks() else self.message.place if self.message else self.pieces_place
        assert place is not None
        stop = self.turn if isinstance(self.turn, Stop) else Stop(None, None)
        found = set(warnings)
        if self.speaks() and is_blank(text):
            found.add(SelectionWarning.TEXTLESS)
        if self.turn == OPEN:
            found.add(SelectionWarning.OPEN_TURN)
        if not self.speaks() and self.unknown and not self.known:
            found.add(SelectionWarning.UNRECOGNISED)
        if has_surrogate(text):
            found.add(SelectionWarning.LONE_SURROGATE)
        return Selection(
            source="message" if self.message else "stream" if self.speaks() else "none",
            output=self.output(),
            text=text,
            format=format,
            engine=ENGINE,
            index=place.index,
            offset=place.offset,
            line=place.line,
            seq=place.seq,
            message_id=self.message.message_id if self.message else None,
            stop_reason=stop.reason,
            stop_reason_raw=stop.raw,
            completeness=_COMPLETENESS.get(stop.reason, "error"),
            earlier_text=self.earlier_text(),
            warnings=tuple(warning for warning in SelectionWarning if warning in found),
        )

    def earlier_text(self) -> EarlierText | None:
        if self.message is None or self.message.has_text:
            return None
        if self.earlier is not None:
            place, said = self.earlier.place, join(block_texts(self.earlier.content))
            return _earlier(said, "message", place, self.earlier.message_id)
        text = join(self.pieces)
        if self.pieces_place is None or is_blank(text):
            return None
        return _earlier(text, "stream", self.pieces_place, None)


def _earlier(text: str, source: Any, place: Place, message_id: str | None) -> EarlierText:
    return EarlierText(
        text=text,
        source=source,
        index=place.index,
        offset=place.offset,
        line=place.line,
        seq=place.seq,
        message_id=message_id,
    )


def session_mismatch(event: Event, session: str) -> MalformedEventError:
    """An enveloped event of another session than the one being folded."""
    path = "sessionId" if event.path == "event." else "params.sessionId"
    expected = f"{json.dumps(session)} (one fold is one session)"
    return MalformedEventError("wrong_session", path, json.dumps(event.session), expected)
