"""One log as the command line names it: a path, or `-` for stdin."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from typing import IO, Any, BinaryIO, Final, cast

from lastsaid._protocol import Engine
from lastsaid.cli.terminal import file_name
from lastsaid.problem import Problem
from lastsaid.selection import Selection

STDIN: Final = "-"
_BLOCK: Final = 1 << 20
# Offsets in these are of what they hold.
_COMPRESSED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_FIRST_BYTES: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


class Log:
    """A log to be read once. `path` is what the user wrote, `name` the same for people."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.is_stdin = path == STDIN
        self.name = "stdin" if self.is_stdin else file_name(path)
        self._stream: BinaryIO | None = None
        self._base = 0
        self._head = b""
        self._is_lasting: bool | None = None

    @property
    def is_lasting(self) -> bool:
        """Whether it can be opened at any time and again: a file, a directory, and what isn't there."""
        if self._is_lasting is None:
            try:
                kind = 0 if self.is_stdin else os.stat(self.path).st_mode
            except OSError:
                # Reading says so.
                kind = stat.S_IFREG
            self._is_lasting = stat.S_ISREG(kind) or stat.S_ISDIR(kind)
        return self._is_lasting

    def read(self, engine: Engine, **options: Any) -> Selection:
        """The engine's answer; errors are its own and the operating system's."""
        with self._source() as source:
            return engine.read(source, **options)

    def check(self, engine: Engine, **options: Any) -> list[Problem]:
        """What the engine finds wrong; errors are its own and the operating system's."""
        with self._source() as source:
            return engine.check(source, **options)

    @contextlib.contextmanager
    def _source(self) -> Iterator[str | BinaryIO]:
        if self.is_stdin:
            if sys.stdin is None:
                raise OSError("it is closed")
            yield self._watched(sys.stdin.buffer)
            return
        if self.is_lasting:
            yield self.path
            return
        # A pipe or a device can be opened once only, and its first bytes are wanted too.
        with open(self.path, "rb") as stream:
            yield self._watched(stream)

    def _watched(self, stream: BinaryIO | IO[bytes]) -> BinaryIO:
        self._stream = cast(BinaryIO, stream)
        self._base = stream.tell() if stream.seekable() else 0
        peek = getattr(stream, "peek", None)
        self._head = peek(4) if callable(peek) else b""
        return self._stream

    @property
    def is_empty(self) -> bool:
        return not self._first_bytes()

    @property
    def encoding(self) -> str | None:
        """What the first bytes say that the log is instead of UTF-8 text, if they say so."""
        head = self._first_bytes()
        return next((name for magic, name in _FIRST_BYTES if head.startswith(magic)), None)

    def _first_bytes(self) -> bytes:
        if self._stream is not None:
            return self._head
        try:
            with open(self.path, "rb") as file:
                return file.read(4)
        except OSError:
            return b""

    def place(self, line: int | None, offset: int | None) -> str | None:
        """Where a record stands: its line where that is known or can be counted, else its byte."""
        if line is None and offset is not None:
            line = self._line_at(offset)
        if line is not None:
            return f"line {line}"
        return None if offset is None else f"byte {offset}"

    def _line_at(self, offset: int) -> int | None:
        # A backward read knows no lines; they are counted only when somebody is told one.
        if self.encoding is not None or self._first_bytes().startswith(_COMPRESSED):
            return None
        try:
            if self._stream is None:
                with open(self.path, "rb") as file:
                    return _count_lines(file, offset)
            if self._stream.closed or not self._stream.seekable():
                return None
            self._stream.seek(self._base)
            return _count_lines(self._stream, offset)
        except OSError:
            return None


def _count_lines(file: BinaryIO | IO[bytes], left: int) -> int:
    """The line of the byte that is `left` bytes ahead."""
    line = 1
    while left and (block := file.read(min(left, _BLOCK))):
        line += block.count(b"\n")
        left -= len(block)
    return line
