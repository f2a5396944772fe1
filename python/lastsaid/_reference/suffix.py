"""Which part of a list or log belongs to the run that is asked about (S4, S5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lastsaid._reference.formats import dsh
from lastsaid._reference.node import is_integer
from lastsaid._reference.records import Records
from lastsaid._reference.signal import Event, Kind
from lastsaid.errors import MalformedEventError, TurnNotFoundError


@dataclass(frozen=True, slots=True)
class Suffix:
    """What a caller asked for: `n` is the start, turn or seq."""

    kind: Literal["own", "whole", "start", "turn", "since_seq"]
    n: int = 0


WHOLE = Suffix("whole")


def asked(suffix: str, start: int | None, turn: int | None, since_seq: int | None) -> Suffix:
    """Check and combine the options of `read`."""
    if suffix not in ("own", "whole"):
        raise ValueError(f"suffix is {suffix!r}, expected 'own' or 'whole'")
    given = [
        (name, value)
        for name, value in (("start", start), ("turn", turn), ("since_seq", since_seq))
        if value is not None
    ]
    for name, value in given:
        if not is_integer(value):
            raise TypeError(f"{name} takes an int, not {type(value).__name__}")
    if len(given) > 1:
        raise ValueError(f"{given[0][0]} and {given[1][0]} exclude each other")
    if given:
        return Suffix(given[0][0], int.__index__(given[0][1]))  # type: ignore[arg-type]
    return Suffix(suffix)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Side:
    """On which side of a cut by seq a record stands: all below, all above, or `divided` members below."""

    below: bool
    divided: int = 0


ABOVE = Side(False)
BELOW = Side(True)


def side(event: Event, cut: int) -> Side:
    """Where a record stands to the events with a seq below `cut` (S4)."""
    seq = dsh.seq(event) if cut > 0 else None
    if seq is None or seq >= cut:
        return ABOVE
    return BELOW if seq + dsh.members(event) <= cut else Side(False, cut - seq)


def turn_window(records: Records, turn: int) -> tuple[int, int]:
    """From the last start of that turn (-1: of any) to the next turn's, or the end."""
    hi = records.end
    turns: list[int] = []
    for found in records.backward(records.begin, records.end):
        try:
            event = found.event()
        except MalformedEventError:
            continue
        if event.kind is Kind.TURN_START:
            number = dsh.turn(event)
            if turn in (-1, number):
                return found.start, hi
            hi = found.start
            if number is not None:
                turns.append(number)
    raise TurnNotFoundError(turn, tuple(dict.fromkeys(reversed(turns))))
