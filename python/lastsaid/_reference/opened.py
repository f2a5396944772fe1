"""What Python can name as a log, opened: bytes, paths, directories, binary files (S5)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lastsaid._reference.log.directory import log_in
from lastsaid._reference.log.source import File, Memory, Source, Stream
from lastsaid._reference.node import is_buffer, string


@contextmanager
def opened(source: Any, what: str) -> Iterator[Source | Stream]:
    """A path or a binary file; `what` names the caller in a TypeError."""
    if isinstance(source, str | bytes) or hasattr(source, "__fspath__"):
        with open(_log_path(os.fspath(source)), "rb", buffering=0) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                yield File(file, file.name)
            else:
                yield Stream(file.read)
        return
    read = getattr(source, "read", None)
    if not callable(read):
        raise TypeError(f"{what} takes a path or a binary file, not {type(source).__name__}")
    if isinstance(read(0), str):
        raise TypeError(f"{what} takes a binary file, not one in text mode; open it with 'rb'")
    seekable = getattr(source, "seekable", None)
    if not (callable(seekable) and seekable()):
        yield Stream(read)
        return
    try:
        yield File(source)
    finally:
        # It is left at its end.
        source.seek(0, os.SEEK_END)


@contextmanager
def opened_or_bytes(source: Any, what: str) -> Iterator[Source | Stream]:
    """The same, but bytes are the log itself."""
    if string(source) is None and is_buffer(source):
        yield Memory(bytes(memoryview(source)))
    else:
        with opened(source, what) as log:
            yield log


def _log_path(path: Any) -> Any:
    return log_in(path) if os.path.isdir(path) else path
