"""The engine-neutral, versioned form of a fold in a pickle (S10)."""

from __future__ import annotations

from typing import Any, Final

from lastsaid._reference.fold import Fold, Place, Said, format_named
from lastsaid._reference.signal import Stop
from lastsaid._reference.text import join

PICKLE_VERSION: Final = 1


def to_pickle(format: str, state: Fold) -> dict[str, Any]:
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
    }


def from_pickle(pickled: dict[str, Any]) -> tuple[str, Fold]:
    if pickled.get("version") != PICKLE_VERSION:
        raise ValueError(
            f"a fold pickled in version {pickled.get('version')!r}, this lastsaid reads version {PICKLE_VERSION}"
        )

    def said(fields: tuple[Any, ...] | None) -> Said | None:
        return None if fields is None else Said(fields[0], fields[1], fields[2], Place(*fields[3:]))

    state = Fold()
    state.message = said(pickled["message"])
    state.earlier = said(pickled["earlier"])
    state.pieces = [pickled["text"]] if pickled["text"] else []
    state.pieces_place = pickled["text_place"] and Place(*pickled["text_place"])
    turn = pickled["turn"]
    state.turn = Stop(*turn) if isinstance(turn, tuple) else turn
    state.session = pickled["session"]
    state.known = pickled["known"]
    state.unknown = pickled["unknown"]
    state.count = pickled["count"]
    return format_named(pickled["format"]), state
