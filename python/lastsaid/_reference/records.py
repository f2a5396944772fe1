"""What the two scans walk over: the records of a list or of a log, each with its place.

A scan asks for the records of [lo, hi) in one direction; positions are indexes in a list, byte offsets in a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from lastsaid._reference import json
from lastsaid._reference.fold import Place
from lastsaid._reference.formats import dsh
from lastsaid._reference.signal import Event
from lastsaid.errors import MalformedEventError


@dataclass(slots=True)
class Found:
    """A record that must be looked at: where it is, and what it holds or why it cannot be read."""

    place: Place
    start: int
    end: int
    record: Any
    fault: MalformedEventError | None = None

    def event(self) -> Event:
        """Recognise the record; raise what makes it unreadable."""
        if self.fault is not None:
            raise self.fault
        return dsh.event(self.record.value if isinstance(self.record, json.Record) else self.record)

    def check_limits(self) -> None:
        """Raise when a record that signals breaks a limit; objects aren't measured."""
        if isinstance(self.record, json.Record):
            self.record.check_limits()


class Records(Protocol):
    """A list or a log that can be walked both ways."""

    begin: int
    end: int

    def backward(self, lo: int, hi: int) -> Iterator[Found]: ...
    def forward(self, lo: int, hi: int) -> Iterator[Found]: ...
    def placed(self, error: MalformedEventError, place: Place) -> MalformedEventError: ...
