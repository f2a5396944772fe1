"""Where results go: stdout, or the file of `--output`, which appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import IO, Final, Self

from lastsaid.cli.terminal import file_name, is_terminal, muzzle

_NO_SPACE: Final = frozenset({"ENOSPC", "EDQUOT", "EFBIG"})


class UnwritableError(Exception):
    """Results could not be written."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(name, error)
        self.name = name
        self.error = error

    @property
    def is_broken_pipe(self) -> bool:
        return isinstance(self.error, BrokenPipeError)

    @property
    def reason(self) -> str:
        return self.error.strerror or str(self.error)

    @property
    def hint(self) -> str:
        import errno

        if errno.errorcode.get(self.error.errno or 0) in _NO_SPACE:
            return "make room, or write elsewhere with --output FILE"
        if isinstance(self.error, FileNotFoundError):
            return "make its folder first (mkdir -p), or name a file in another"
        if isinstance(self.error, IsADirectoryError):
            return "name a file inside it, or write to stdout without --output"
        return "write elsewhere with --output FILE"


class Results:
    """A place for results, used in a `with`; `keep()` says that a file may take its name.

    Without it, and after any error, the file is what it was before.
    """

    def __init__(self, stream: IO[bytes], name: str, *, is_ours: bool, moves: tuple[str, str] | None = None) -> None:
        self.stream = stream
        self.name = name
        self.is_terminal = is_terminal(stream)
        self._is_ours = is_ours
        # The temporary file and the name it takes in the end.
        self._moves = moves
        self._is_kept = False

    def write(self, data: bytes) -> None:
        try:
            self.stream.write(data)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        """Show what was written, so that it stands before what stderr says next."""
        try:
            self.stream.flush()
        except OSError as error:
            raise self._failed(error) from None

    def keep(self) -> None:
        self._is_kept = True

    def _failed(self, error: OSError) -> UnwritableError:
        muzzle(self.stream)
        return UnwritableError(self.name, error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            if self._is_ours:
                # After an error there may be bytes left that can't be written; the first error is the one to tell.
                with contextlib.suppress(OSError):
                    self.stream.close()
            if self._moves is not None:
                _remove(self._moves[0])

    def _finish(self) -> None:
        self.flush()
        try:
            if self._is_ours:
                self.stream.close()
            if self._moves is not None and self._is_kept:
                os.replace(*self._moves)
        except OSError as error:
            raise self._failed(error) from None


def stdout_results() -> Results:
    if sys.stdout is None:
        raise UnwritableError("stdout", OSError("it is closed"))
    return Results(sys.stdout.buffer, "stdout", is_ours=False)


def results_to(path: str | None) -> Results:
    """Open the place named by `--output`, so that what is wrong with it shows before any log is read."""
    if path in (None, "-") or _descriptor(path) == 1:
        return stdout_results()
    name = file_name(path)
    try:
        descriptor = _descriptor(path)
        if descriptor is not None:
            # Opening its name anew would cut off what others have written there.
            return Results(os.fdopen(os.dup(descriptor), "wb"), name, is_ours=True)
        return _file_results(os.path.realpath(path), name)
    except OSError as error:
        raise UnwritableError(name, error) from None


def _descriptor(path: str) -> int | None:
    """The number of a descriptor of this process that a path stands for."""
    standard = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
    if path in standard:
        return standard[path]
    for folder in ("/dev/fd/", "/proc/self/fd/"):
        number = path.removeprefix(folder)
        if number != path and number.isascii() and number.isdigit() and len(number) < 10:
            return int(number)
    return None


def _file_results(target: str, name: str) -> Results:
    try:
        before: os.stat_result | None = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        # A device or a pipe has no halves and keeps its name; a folder says so itself.
        return Results(open(target, "wb"), name, is_ours=True)
    if before is not None and not os.access(target, os.W_OK):
        # Taking its place would need no permission to write to it.
        import errno

        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    temporary = os.path.join(os.path.dirname(target), f".lastsaid-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    stream = open(temporary, "xb")  # noqa: SIM115 - Results closes it
    results = Results(stream, name, is_ours=True, moves=(temporary, target))
    if before is not None:
        # Not every file system has modes; the results matter more.
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
    return results


def _remove(path: str) -> None:
    # It may have taken its name already.
    with contextlib.suppress(OSError):
        os.unlink(path)
