"""`read_many`: the answers of many logs, one after the other (S5, S10)."""

from __future__ import annotations

import operator
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, Self

from lastsaid._protocol import DEFAULT_MAX_DECOMPRESSED_BYTES, DEFAULT_MAX_RECORD_BYTES, LogPath
from lastsaid._reference.fold import format_named
from lastsaid._reference.logs import options_of, read_source
from lastsaid.selection import Selection

_TELLING: Final = 0.1


def read_many(
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
) -> Answers:
    """What many logs finally say: an iterator of what `read` returns or raises for each, in the order of the paths.

    Several threads read ahead, without the interpreter. Leaving the loop, `close()` and Ctrl-C stop them at once.

    Args:
        paths: an iterable of paths (of files, or of sessions' directories). It may be a generator: at most 32 paths
            a thread are taken ahead, with `threads=1` none.
        format, suffix, session, start, turn, since_seq, on_malformed, explain, max_record_bytes,
            max_decompressed_bytes: as `read`, for every log.
        threads: how many logs are read at the same time; as many as there are cores when None, at most 256.
            The pure Python engine reads one at a time.
        progress: called by the iterating thread as `progress(done, total)` before it is given a result, at most ten
            times a second, and once at the end. `total` is None until then if `paths` has no length. What it raises
            ends the reading.

    Yields:
        a Selection, or the exception that `read` would have raised for that path, with the path in a note where the
        exception itself doesn't name it; TypeError for what is no path.

    Raises:
        ValueError, TypeError: an option is off, or `paths` is one path.
        what iterating `paths` raises, after the results of the paths before it.
    """
    name = format_named(format, auto=True)
    limits = (max_record_bytes, max_decompressed_bytes)
    options = options_of(suffix, session, (start, turn, since_seq), on_malformed, explain, limits)
    if threads is not None and operator.index(threads) < 1:
        raise ValueError("threads is not positive, expected at least 1")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress takes a callable, not {type(progress).__name__}")
    total = None if progress is None else _length(paths)
    wrong = f"read_many takes an iterable of paths, not {type(paths).__name__}"
    if isinstance(paths, str | bytes | bytearray | memoryview) or hasattr(paths, "__fspath__"):
        raise TypeError(wrong)
    try:
        iterator = iter(paths)
    except TypeError:
        raise TypeError(wrong) from None
    return Answers(iterator, lambda path: read_source(path, options, name), progress, total)


class Answers:
    """The answers of many logs, in the order of their paths."""

    __slots__ = ("__weakref__", "_done", "_lock", "_owner", "_paths", "_progress", "_read", "_told", "_total")
    __module__ = "lastsaid"

    def __init__(
        self,
        paths: Iterator[Any],
        read: Callable[[Any], Selection],
        progress: Callable[[int, int | None], object] | None,
        total: int | None,
    ) -> None:
        self._paths: Iterator[Any] | None = paths
        self._read = read
        self._progress = progress
        self._total = total
        self._done = 0
        self._told = time.monotonic()
        self._lock = threading.Lock()
        # The thread in the middle of a call.
        self._owner: int | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Selection | Exception:
        self._enter()
        try:
            return self._next()
        except BaseException:
            self._paths = None
            raise
        finally:
            self._leave()

    def close(self) -> None:
        """Stop reading; no thread is left, and there are no more answers."""
        self._enter()
        self._paths = None
        self._leave()

    def _next(self) -> Selection | Exception:
        if self._paths is None:
            raise StopIteration
        try:
            path = next(self._paths)
        except StopIteration:
            self._total = self._done
            self._tell(is_end=True)
            raise
        answer = self._answer(path)
        self._done += 1
        self._tell(is_end=False)
        return answer

    def _answer(self, path: Any) -> Selection | Exception:
        is_path = isinstance(path, str | bytes) or hasattr(path, "__fspath__")
        if not is_path:
            return TypeError(f"read_many takes paths, not {type(path).__name__}")
        try:
            path = os.fspath(path)
        except Exception as error:
            return error.with_traceback(None)
        try:
            return self._read(path)
        except Exception as error:
            if not isinstance(error, OSError) and "\0" not in os.fsdecode(path):
                error.add_note(f"the log is {path!r}")
            # Frames hold what is in them for as long as the exception is kept.
            return error.with_traceback(None)

    def _tell(self, *, is_end: bool) -> None:
        if self._progress is not None and (is_end or time.monotonic() - self._told >= _TELLING):
            self._progress(self._done, self._total)
            self._told = time.monotonic()

    def _enter(self) -> None:
        """One call: other threads wait, a call from inside it is an error."""
        me = threading.get_ident()
        if self._owner == me:
            raise RuntimeError("read_many is in the middle of another call on this thread")
        self._lock.acquire()
        self._owner = me

    def _leave(self) -> None:
        self._owner = None
        self._lock.release()


def _length(paths: Any) -> int | None:
    try:
        return len(paths)
    except Exception:
        return None
