"""The one exception tree. Both engines raise from it, so `except` means the same whichever runs.

    LastsaidError
    ├── MalformedEventError   (ValueError)    a record the rule needs cannot be read
    ├── TurnNotFoundError     (LookupError)   `turn=` names a turn that is not there
    ├── SessionNotFoundError  (LookupError)   `session=` names a session that is not there, or must name one
    ├── AmbiguousLogError     (ValueError)    a directory holds the same log in both encodings
    ├── MissingExtraError     (ImportError)   what was asked for takes an extra that is not installed
    └── FoldBusyError         (RuntimeError)  a fold was called from inside a call on itself, or amid a record

Spec: docs/spec/selection.md S5, S7, S10.
"""

from __future__ import annotations

import json
from typing import Final, Literal, final

__all__ = [
    "AmbiguousLogError",
    "FoldBusyError",
    "LastsaidError",
    "MalformedEventError",
    "MalformedKind",
    "MissingExtraError",
    "SessionNotFoundError",
    "TurnNotFoundError",
]

MalformedKind = Literal[
    "not_utf8",
    "not_json",
    "too_deep",
    "number",
    "not_an_object",
    "missing",
    "wrong_type",
    "wrong_session",
    "too_large",
    "damaged_frame",
]


class LastsaidError(Exception):
    """Base of every error that lastsaid raises by itself."""

    __module__ = "lastsaid"


@final
class MalformedEventError(LastsaidError, ValueError):
    """A record that the selection needs cannot be read; whatever was being fed is as it was before.

    Attributes:
        kind: what is wrong, one word of the closed set in S7.
        path: the innermost value at fault, like `data.stream[3].texts[1]`; empty for the record as a whole.
        found, expected: the two halves of the sentence.
        index: 0-based place of the event in the call's input (lists and iterables), else None.
        offset: byte offset of the record's first byte, uncompressed (logs and bytes), else None.
        line: 1-based line of the record (logs and bytes), else None.
    """

    __module__ = "lastsaid"

    kind: Final[MalformedKind]
    path: Final[str]
    found: Final[str]
    expected: Final[str]
    index: Final[int | None]
    offset: Final[int | None]
    line: Final[int | None]

    def __init__(
        self,
        kind: MalformedKind,
        path: str,
        found: str,
        expected: str,
        *,
        index: int | None = None,
        offset: int | None = None,
        line: int | None = None,
    ) -> None:
        self.kind = kind
        self.path = path
        self.found = found
        self.expected = expected
        self.index = index
        self.offset = offset
        self.line = line
        super().__init__(f"{self._place()}{self.sentence}")

    @property
    def sentence(self) -> str:
        """The message without its place: `data.message is missing, expected an object`."""
        return f"{self.path or 'the record'} is {self.found}, expected {self.expected}"

    def _place(self) -> str:
        if self.index is not None:
            return f"event {self.index}: "
        if self.offset is None:
            return ""
        if self.line is None:
            return f"byte {self.offset}: "
        return f"line {self.line}, byte {self.offset}: "

    def at(
        self, *, index: int | None = None, offset: int | None = None, line: int | None = None
    ) -> MalformedEventError:
        """The same defect, placed in a call's input."""
        return MalformedEventError(
            self.kind, self.path, self.found, self.expected, index=index, offset=offset, line=line
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _malformed, (
            self.kind,
            self.path,
            self.found,
            self.expected,
            self.index,
            self.offset,
            self.line,
        )


def _malformed(
    kind: MalformedKind,
    path: str,
    found: str,
    expected: str,
    index: int | None,
    offset: int | None,
    line: int | None,
) -> MalformedEventError:
    """Rebuild from a pickle, which knows positional arguments only."""
    return MalformedEventError(kind, path, found, expected, index=index, offset=offset, line=line)


@final
class TurnNotFoundError(LastsaidError, LookupError):
    """`turn=` names a turn that the log does not hold. `turns` are those it does, in order (S5)."""

    __module__ = "lastsaid"

    turn: Final[int]
    turns: Final[tuple[int, ...]]

    def __init__(self, turn: int, turns: tuple[int, ...]) -> None:
        self.turn = turn
        self.turns = turns
        shown = ", ".join(map(str, turns[:20])) + (", …" if len(turns) > 20 else "")
        super().__init__(
            f"turn {turn} is not in the log; its turns are {shown}"
            if turns
            else f"turn {turn} is not in the log; it has no turns"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return TurnNotFoundError, (self.turn, self.turns)


@final
class SessionNotFoundError(LastsaidError, LookupError):
    """`session=` names a session that the log does not hold, or was needed and not given (S5).

    Attributes:
        session: the id that was asked for; None when nobody said which.
        sessions: the ids of the log's sessions, in the order in which they first occur.
    """

    __module__ = "lastsaid"

    session: Final[str | None]
    sessions: Final[tuple[str, ...]]

    def __init__(self, session: str | None, sessions: tuple[str, ...]) -> None:
        self.session = session
        self.sessions = sessions
        shown = ", ".join(map(json.dumps, sessions[:20])) + (", …" if len(sessions) > 20 else "")
        named = f"its sessions are {shown}" if sessions else "it names no sessions"
        super().__init__(
            f"the log holds several sessions and nobody said which; {named}"
            if session is None
            else f"session {json.dumps(session)} is not in the log; {named}"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return SessionNotFoundError, (self.session, self.sessions)


@final
class AmbiguousLogError(LastsaidError, ValueError):
    """A directory holds its newest log both plain and compressed; `names` are the two files (S5)."""

    __module__ = "lastsaid"

    directory: Final[str]
    names: Final[tuple[str, str]]

    def __init__(self, directory: str, names: tuple[str, str]) -> None:
        self.directory = directory
        self.names = names
        super().__init__(f"{directory} holds both {names[0]} and {names[1]}; name one of them")

    def __reduce__(self) -> tuple[object, ...]:
        return AmbiguousLogError, (self.directory, self.names)


@final
class MissingExtraError(LastsaidError, ImportError):
    """What was asked for takes an extra that is not installed; the message names it (S7).

    Attributes:
        what: what takes it, with what else would do: `reading zstd in the pure Python engine takes Python 3.14`.
        extra: the extra of `lastsaid[extra]`.
    """

    __module__ = "lastsaid"

    what: Final[str]
    extra: Final[str]

    def __init__(self, what: str, extra: str) -> None:
        self.what = what
        self.extra = extra
        super().__init__(f"{what} or the extra lastsaid[{extra}]")

    def __reduce__(self) -> tuple[object, ...]:
        return MissingExtraError, (self.what, self.extra)


@final
class FoldBusyError(LastsaidError, RuntimeError):
    """A fold was called from inside a call on itself, or while bytes of a record are pending (S5, S10).

    Nothing has changed.
    """

    __module__ = "lastsaid"
