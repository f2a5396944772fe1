"""The engine-neutral, versioned form of a fold in a pickle (S10): a dict of plain values.

Version 2 is version 1 with `feeding` as its last key: None for a fold that `feed` has left nothing of, else

    {"framing": "lines" or "sse",   of the last call of `feed`
     "pending": bytes,              not looked at yet: what follows a bad record, or the beginning of a BOM
     "offset": int, "line": int,    of the first of `pending`, or of the next byte
     "records": int,                of the stream that are whole and not blank
     "torn": bool,                  how the stream before ended
     "record": None or tuple,       the record whose end hasn't come, see below
     "head": bytes,                 sse: of the line that is being read the first 6 bytes, else empty
     "head_offset": int,            sse: where that line begins, else 0
     "after_cr": bool}              sse: the last byte was a CR, so that an LF that follows ends no line

A record is `(offset, line, data, size, used, needle, edge, blank)`: the place of its first byte; its first bytes, up to
the limit of a record; how many it has; how many without the zero bytes at its end; whether a needle is in it; without
one its last 16 bytes, else none; whether all that is used of it is space, tab, CR or LF.
"""

from __future__ import annotations

from typing import Any, Final

from lastsaid._reference.feeding import Feeding, Unfinished
from lastsaid._reference.fold import Fold, Place, Said, format_named
from lastsaid._reference.node import ordinal
from lastsaid._reference.signal import Stop
from lastsaid._reference.text import join

PICKLE_VERSION: Final = 2


def to_pickle(format: str, state: Fold, feeding: Feeding) -> dict[str, Any]:
    """The engine-neutral form of a fold (S10)."""

    def place(place: Place) -> tuple[int | None, ...]:
        return place.index, place.offset, place.line, place.seq

    def said(said: Said | None) -> tuple[Any, ...] | None:
        return None if said is None else (said.content, said.has_text, said.message_id, *place(said.place))

    turn = state.turn
    return {
        "version": PICKLE_VERSION,
        "format": format,
        "message": said(state.message),
        "earlier": said(state.earlier),
        "text": join(state.pieces),
        "text_place": state.pieces_place and place(state.pieces_place),
        "turn": (turn.raw, turn.reason) if isinstance(turn, Stop) else turn,
        "session": state.session,
        "known": state.known,
        "unknown": state.unknown,
        "count": state.count,
        "feeding": _fed(feeding),
    }


def _fed(feeding: Feeding) -> dict[str, Any] | None:
    if feeding == Feeding():
        return None
    record = feeding.record
    return {
        "framing": feeding.framing,
        "pending": bytes(feeding.pending),
        "offset": feeding.offset,
        "line": feeding.line,
        "records": feeding.records,
        "torn": feeding.torn,
        "record": record
        and (
            *(record.offset, record.line, bytes(record.data), record.size),
            *(record.used, record.needle, record.edge, record.blank),
        ),
        "head": feeding.head,
        "head_offset": feeding.head_offset,
        "after_cr": feeding.after_cr,
    }


def from_pickle(pickled: dict[str, Any]) -> tuple[str, Fold, Feeding]:
    version = pickled.get("version")
    if version not in (1, PICKLE_VERSION):
        raise ValueError(f"a fold pickled in version {version!r}, this lastsaid reads versions 1 and {PICKLE_VERSION}")

    def said(fields: tuple[Any, ...] | None) -> Said | None:
        return None if fields is None else Said(fields[0], fields[1], fields[2], _place(fields[3:]))

    state = Fold()
    state.message = said(pickled["message"])
    state.earlier = said(pickled["earlier"])
    state.pieces = [pickled["text"]] if pickled["text"] else []
    state.pieces_place = pickled["text_place"] and _place(pickled["text_place"])
    turn = pickled["turn"]
    state.turn = Stop(*turn) if isinstance(turn, tuple) else turn
    state.session = pickled["session"]
    state.known = pickled["known"]
    state.unknown = pickled["unknown"]
    state.count = _ordinal(pickled["count"])
    return format_named(pickled["format"]), state, _feeding(pickled["feeding"] if version != 1 else None)


def _feeding(fed: dict[str, Any] | None) -> Feeding:
    if fed is None:
        return Feeding()
    for name in ("offset", "line", "records", "head_offset"):
        _ordinal(fed[name])
    feeding = Feeding(**fed)
    feeding.pending = bytearray(fed["pending"])
    if fed["record"] is not None:
        offset, line, data, size, used, *more = fed["record"]
        offset, line, size, used = map(_ordinal, (offset, line, size, used))
        feeding.record = Unfinished(offset, line, bytearray(data), size, used, *more)
    return feeding


def _place(fields: tuple[Any, ...]) -> Place:
    return Place(*(None if number is None else _ordinal(number) for number in fields))


def _ordinal(value: Any) -> int:
    """A number in a pickle: what is counted up from it must not overflow in the other engine."""
    number = ordinal(value)
    if number is None:
        raise ValueError(f"a pickled fold holds {value!r} where an integer from 0 to 2^53 - 1 belongs")
    return number
