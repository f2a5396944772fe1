"""What a format makes of a record, before anyone selects (S3, S4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class Kind(Enum):
    """What a record can signal. Reading further is the fold's decision: a stream may not matter any more."""

    NOTHING = auto()
    MESSAGE = auto()
    STREAM = auto()
    TURN_START = auto()
    TURN_END = auto()
    CUT = auto()
    HEADER = auto()
    CHILD_STARTED = auto()


@dataclass(frozen=True, slots=True)
class Stop:
    """How a turn ended: the log's word and the rule's. Both None when the log does not say."""

    raw: str | None
    reason: str | None


# Not frozen, as Place.
@dataclass(slots=True)
class Event:
    """One record, unwrapped: its kind, the object inside the envelope, the path to it, its session."""

    kind: Kind
    node: Any
    path: str
    session: str | None
    known: bool
