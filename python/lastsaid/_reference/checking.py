"""What is wrong with the records of a log, each by itself (S7 `check`)."""

from __future__ import annotations

from lastsaid._reference.formats import dsh
from lastsaid._reference.records import Found
from lastsaid._reference.signal import Kind
from lastsaid.errors import MalformedEventError
from lastsaid.problem import Problem


class Checking:
    """The sink of a check: feed it every record in order; one problem a record, the first by S7's order."""

    examines_all = True

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def pass_over(self, found: Found) -> None:
        """Nothing is before a check."""
        self.feed(found)

    def feed(self, found: Found) -> None:
        try:
            self._look(found)
        except MalformedEventError as error:
            self._add(error.kind, error.path, found.place.offset, found.place.line, error.sentence)

    def torn(self, offset: int, line: int | None, sentence: str) -> None:
        """What stands at the end of the log and is no record."""
        self._add("torn_tail", "", offset, line, sentence)

    def _look(self, found: Found) -> None:
        """Raise the first defect of a record. Alone, every record whose type signals would be read, stream and all."""
        event = found.event()
        if event.kind in (Kind.MESSAGE, Kind.STREAM):
            found.check_limits()
            if event.kind is Kind.MESSAGE:
                dsh.content(event)
            for _ in dsh.pieces(event):
                pass

    def _add(self, kind: str, path: str, offset: int | None, line: int | None, message: str) -> None:
        assert offset is not None
        self.problems.append(Problem(kind=kind, path=path, offset=offset, line=line, message=message))
