"""What people hold: the rule with its calls serialised, fed from objects, strings and JSON (S5, S10)."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Literal, final

from lastsaid._protocol import BytesLike
from lastsaid._protocol import Event as JsonEvent
from lastsaid._reference import json
from lastsaid._reference.feeding import Feeding, Unfinished, framing_named
from lastsaid._reference.fold import ENGINE, Fold, Place, format_named
from lastsaid._reference.formats import dsh
from lastsaid._reference.log.lines import BOM, split
from lastsaid._reference.node import as_bytes, is_buffer, is_object, string
from lastsaid._reference.pickled import from_pickle, to_pickle
from lastsaid._reference.signal import Event
from lastsaid.errors import FoldBusyError, MalformedEventError
from lastsaid.selection import Selection, SelectionWarning

_PENDING: Final = "bytes of an unfinished record are pending; call end() first"


def record_event(record: json.Record, state: Fold) -> Event:
    """Recognise a parsed record and check its limits if it would be read."""
    event = dsh.event(record.value)
    if state.reads(event):
        record.check_limits()
    return event


@final
class AssistantOutputFold:
    """What an agent finally said, folded from its events as they come (spec S2, S5).

    The output is the last message with blocks; without one, the streamed text; without that, None.
    """

    __module__ = "lastsaid"
    __slots__ = ("__weakref__", "_feeding", "_format", "_lock", "_owner", "_state")

    def __init_subclass__(cls) -> None:
        raise TypeError("type 'lastsaid.AssistantOutputFold' is not an acceptable base type")

    def __init__(self, format: str = "dsh") -> None:
        self._format = format_named(format)
        self._state = Fold()
        self._feeding = Feeding()
        self._lock = threading.Lock()
        self._owner = 0

    def push(self, event: JsonEvent, /) -> None:
        """Take one event, a mapping. Raises MalformedEventError and stays as it was (S7)."""
        with _Held(self, pushing=True) as state:
            self._push(state, event)

    def push_text(self, text: str, /) -> None:
        """Take one piece of streamed text; the empty piece is no signal."""
        with _Held(self, pushing=True) as state:
            self._push_text(state, text, "push_text takes a str")

    def push_json(self, record: BytesLike | str, /) -> None:
        """Take one event as JSON text. Raises MalformedEventError and stays as it was (S7)."""
        with _Held(self, pushing=True) as state:
            self._push_json(state, _without_bom(as_bytes(record, "push_json")))

    def extend(self, events: Iterable[JsonEvent], /) -> None:
        """Take events in order; stops at the first bad one and keeps what came before."""
        with _Held(self, pushing=True) as state:
            for index, event in enumerate(_iterate(events, "extend", "events")):
                try:
                    self._push(state, event)
                except MalformedEventError as error:
                    raise error.at(index=index) from None

    def extend_text(self, pieces: Iterable[str], /) -> None:
        """Take pieces of streamed text in order; stops at the first that is no str."""
        with _Held(self, pushing=True) as state:
            for index, piece in enumerate(_iterate(pieces, "extend_text", "strings")):
                self._push_text(state, piece, f"extend_text takes str, piece {index} is one")

    def extend_json(self, records: Iterable[BytesLike | str] | BytesLike | str, /) -> None:
        """Take records in order: an iterable of JSON texts, or one bytes-like object or str of lines."""
        with _Held(self, pushing=True) as state:
            if string(records) is not None or is_buffer(records):
                data = as_bytes(records, "extend_json")
                for line, (offset, record) in enumerate(split(data), 1):
                    if record.strip(b" \t\r"):
                        try:
                            self._push_json(state, record)
                        except MalformedEventError as error:
                            raise error.at(offset=offset, line=line) from None
                return
            for index, record in enumerate(_iterate(records, "extend_json", "records")):
                try:
                    data = _without_bom(as_bytes(record, "extend_json"))
                    if data.strip(b" \t\r\n"):
                        self._push_json(state, data)
                except MalformedEventError as error:
                    raise error.at(index=index) from None

    def feed(self, chunk: BytesLike | str, *, framing: Literal["lines", "sse"] = "lines") -> None:
        """Take the bytes of a log as they come; what makes a record whole is taken at once (S5).

        A line is read where `read` would read it, but nothing is cut: what a child was seeded with counts, and one
        fold is one session. A bad record is passed over and raises MalformedEventError with its offset and line in the
        stream: what came before it counts, what came after is read by the next call of `feed` (`feed(b"")` will do)
        or `end`.

        Args:
            chunk: bytes that may end anywhere, or text.
            framing: `lines`, or `sse`: the `data` of server-sent events. It can't change amid a record.
        """
        with _Held(self) as state:
            named = framing_named(framing)
            self._feeding.receive(as_bytes(chunk, "feed"), named)
            self._take_whole(state)

    def end(self) -> None:
        """Take what is pending as the end of the stream; the next `feed` begins a new one (S5).

        A tail that is no JSON value is skipped, with the warning `torn_tail` until the next `feed`. Raises as `feed`;
        the stream has ended when nothing was left after the record that was bad.
        """
        with _Held(self) as state:
            torn = self._feeding.torn
            try:
                self._take_whole(state, at_end=True)
                record = self._feeding.tail()
                if record is not None:
                    torn = record.is_torn()
                    if not torn:
                        self._take(state, record, is_examined=True)
            finally:
                if not self._feeding.is_pending():
                    self._feeding = Feeding(torn=torn)

    def collect(self) -> list[Any] | None:
        """The output so far: the message's own list (borrowed), a new list of streamed text, or None."""
        with _Held(self) as state:
            return state.output()

    def selection(self) -> Selection:
        """The output so far with its provenance (S9)."""
        with _Held(self) as state:
            return state.selection(self._format, [SelectionWarning.TORN_TAIL] if self._feeding.torn else [])

    @property
    def text(self) -> str:
        """The text of the output so far, `""` if it has none."""
        with _Held(self) as state:
            return state.text()

    def merge(self, later: Any, /) -> AssistantOutputFold:
        """A new fold of this one's input followed by the other's; neither changes (S5)."""
        theirs = later if isinstance(later, AssistantOutputFold) else _restored(later)
        if theirs._format != self._format:
            raise ValueError(f"cannot merge a fold of format {theirs._format!r} into one of format {self._format!r}")
        state, feeding = theirs._snapshot()
        if feeding.is_pending():
            raise FoldBusyError(_PENDING)
        with _Held(self, pushing=True) as mine:
            # As if one fold had been called all along: where the later stream stands, if it had any.
            return self._with(mine.merge(state), self._feeding.copy() if feeding == Feeding() else feeding)

    def __copy__(self) -> AssistantOutputFold:
        return self._with(*self._snapshot())

    def __deepcopy__(self, memo: Any, /) -> AssistantOutputFold:
        state, feeding = self._snapshot()
        for name in ("message", "earlier"):
            said = getattr(state, name)
            if said is not None:
                setattr(state, name, replace(said, content=copy.deepcopy(said.content, memo)))
        return self._with(state, feeding)

    def __reduce__(self) -> tuple[Any, ...]:
        from lastsaid.engine import restore_fold

        return restore_fold, (to_pickle(self._format, *self._snapshot()),)

    def __repr__(self) -> str:
        return f"<lastsaid.AssistantOutputFold format={self._format!r} engine={ENGINE!r}>"

    @classmethod
    def _from_pickle(cls, pickled: dict[str, Any], /) -> AssistantOutputFold:
        format, state, feeding = from_pickle(pickled)
        return cls(format)._with(state, feeding)

    def _with(self, state: Fold, feeding: Feeding) -> AssistantOutputFold:
        fold = AssistantOutputFold(self._format)
        fold._state = state
        fold._feeding = feeding
        return fold

    def _snapshot(self) -> tuple[Fold, Feeding]:
        with _Held(self) as state:
            return state.copy(), self._feeding.copy()

    def _push(self, state: Fold, event: Any) -> None:
        state.apply(dsh.event(event), Place(index=state.count))
        state.count += 1

    def _push_text(self, state: Fold, text: Any, what: str) -> None:
        piece = string(text)
        if piece is None:
            raise TypeError(f"{what}, not {type(text).__name__}")
        state.stream(piece)
        state.count += 1

    def _push_json(self, state: Fold, data: bytes) -> None:
        state.apply(record_event(json.parse(data), state), Place(index=state.count))
        state.count += 1

    def _take_whole(self, state: Fold, *, at_end: bool = False) -> None:
        for record in self._feeding.whole(at_end=at_end):
            self._take(state, record, is_examined=record.needle or self._feeding.records == 1)

    def _take(self, state: Fold, record: Unfinished, *, is_examined: bool) -> None:
        """Take one record of a stream; all of them count, also those that nobody reads."""
        place = Place(index=state.count, offset=record.offset, line=record.line)
        state.count += 1
        if is_examined:
            try:
                state.apply(record_event(record.parse(), state), place)
            except MalformedEventError as error:
                raise error.at(offset=record.offset, line=record.line) from None


class _Held:
    """One call on a fold: other threads wait, a call from inside it is FoldBusyError (S10)."""

    __slots__ = ("_fold", "_pushing")

    def __init__(self, fold: AssistantOutputFold, *, pushing: bool = False) -> None:
        self._fold = fold
        self._pushing = pushing

    def __enter__(self) -> Fold:
        fold, me = self._fold, threading.get_ident()
        if fold._owner == me:
            raise FoldBusyError("the fold is in the middle of another call on this thread")
        fold._lock.acquire()
        if self._pushing and fold._feeding.is_pending():
            fold._lock.release()
            raise FoldBusyError(_PENDING)
        fold._owner = me
        return fold._state

    def __exit__(self, *exc_info: object) -> None:
        self._fold._owner = 0
        self._fold._lock.release()


def _iterate(values: Any, what: str, of: str) -> Any:
    kind = type(values)
    if is_object(values) or not (hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")):
        raise TypeError(f"{what} takes an iterable of {of}, not {type(values).__name__}")
    return iter(values)


def _without_bom(data: bytes) -> bytes:
    return data.removeprefix(BOM)


def _restored(other: Any) -> AssistantOutputFold:
    """A fold of the other engine, by way of its pickle."""
    reduced = other.__reduce__() if type(other).__name__ == "AssistantOutputFold" else None
    if not (isinstance(reduced, tuple) and len(reduced) == 2):
        raise TypeError(f"merge takes an AssistantOutputFold, not {type(other).__name__}")
    return AssistantOutputFold._from_pickle(reduced[1][0])
