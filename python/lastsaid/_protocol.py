"""What an engine module offers. mypy holds both engines against it (architecture.md, lockstep 6)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Literal, Protocol, Self, TypeAlias

from lastsaid.problem import Problem
from lastsaid.selection import Selection

# Any object that exposes a C-contiguous buffer is read the same way.
BytesLike: TypeAlias = bytes | bytearray | memoryview
Event: TypeAlias = Mapping[str, Any]
LogSource: TypeAlias = str | os.PathLike[str] | BinaryIO
LogPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

DEFAULT_MAX_RECORD_BYTES = 256 * 1024 * 1024
DEFAULT_MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024 * 1024


class Fold(Protocol):
    """The operations of S5 on a fold."""

    def push(self, event: Event, /) -> None: ...
    def push_text(self, text: str, /) -> None: ...
    def push_json(self, record: BytesLike | str, /) -> None: ...
    def extend(self, events: Iterable[Event], /) -> None: ...
    def extend_text(self, pieces: Iterable[str], /) -> None: ...
    def extend_json(self, records: Iterable[BytesLike | str] | BytesLike | str, /) -> None: ...
    def feed(self, chunk: BytesLike | str, *, framing: Literal["lines", "sse"] = "lines") -> None: ...
    def end(self) -> None: ...
    def collect(self) -> list[Any] | None: ...
    def selection(self) -> Selection: ...
    @property
    def text(self) -> str: ...
    def merge(self, later: Any, /) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...


class FoldType(Protocol):
    def __call__(self, format: str = "dsh") -> Fold: ...


class Answers(Protocol):
    """What `read_many` gives: an iterator that can be closed."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Selection | Exception: ...
    def close(self) -> None: ...


class Engine(Protocol):
    """A module that implements the selection rule."""

    @property
    def ENGINE(self) -> str: ...
    @property
    def RULE_VERSION(self) -> int: ...
    @property
    def AssistantOutputFold(self) -> FoldType: ...

    def final_assistant_output(
        self, events: Iterable[Event], start: int = 0, *, format: str = "dsh"
    ) -> list[Any] | None: ...

    def select(
        self, events: Iterable[Event], start: int = 0, *, format: str = "auto", explain: bool = False
    ) -> Selection: ...

    def suffix_start(self, events: Iterable[Event], *, format: str = "dsh") -> int: ...

    def read(
        self,
        source: LogSource,
        *,
        format: str = "auto",
        suffix: Literal["own", "whole"] = "own",
        session: str | None = None,
        start: int | None = None,
        turn: int | None = None,
        since_seq: int | None = None,
        on_malformed: Literal["raise", "skip"] = "raise",
        explain: bool = False,
        max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
        max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
        threads: int = 1,
    ) -> Selection: ...

    def read_bytes(
        self,
        data: BytesLike,
        *,
        format: str = "auto",
        suffix: Literal["own", "whole"] = "own",
        session: str | None = None,
        start: int | None = None,
        turn: int | None = None,
        since_seq: int | None = None,
        on_malformed: Literal["raise", "skip"] = "raise",
        explain: bool = False,
        max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
        max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
        threads: int = 1,
    ) -> Selection: ...

    def read_many(
        self,
        paths: Iterable[LogPath],
        *,
        format: str = "auto",
        suffix: Literal["own", "whole"] = "own",
        session: str | None = None,
        start: int | None = None,
        turn: int | None = None,
        since_seq: int | None = None,
        on_malformed: Literal["raise", "skip"] = "raise",
        explain: bool = False,
        max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
        max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
        threads: int | None = None,
        progress: Callable[[int, int | None], object] | None = None,
    ) -> Answers: ...

    def read_sessions(
        self,
        source: LogSource | BytesLike,
        *,
        format: str = "auto",
        suffix: Literal["own", "whole"] = "own",
        on_malformed: Literal["raise", "skip"] = "raise",
        explain: bool = False,
        max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
        max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
    ) -> dict[str, Selection]: ...

    def check(
        self,
        source: LogSource | BytesLike,
        *,
        format: str = "auto",
        max_record_bytes: int = DEFAULT_MAX_RECORD_BYTES,
        max_decompressed_bytes: int = DEFAULT_MAX_DECOMPRESSED_BYTES,
    ) -> list[Problem]: ...
