"""How much memory a process of its own grows by while it does one thing.

`python benches/memory.py log CONTENDER SMALL_LOG LOG` and `python benches/memory.py text CONTENDER PIECES` print bytes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, init=False)
class Growth:
    """Called, it measures: a fresh process with these arguments."""

    arguments: tuple[str, ...]

    def __init__(self, *arguments: object) -> None:
        object.__setattr__(self, "arguments", tuple(map(str, arguments)))

    def __call__(self) -> int:
        command = [sys.executable, __file__, *self.arguments]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=300)
        return int(done.stdout)


def _peak() -> int:
    # Linux counts in KiB, macOS in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def of_log(contender: str, small: Path, log: Path) -> int:
    """The growth of the peak; `small` is read first, so that imports and first uses don't count."""
    from questions.log_file import reader

    read = reader(contender)
    read(small)
    before = _peak()
    read(log)
    return _peak() - before


def of_text(contender: str, count: int) -> int:
    """The growth while a stream of `count` pieces is kept, the pieces themselves not counted if nobody keeps them."""
    from questions.streams import fold_of
    from workloads import piece_source

    fold: Any = fold_of(contender)
    # A warm-up, so that what the generator and the first piece need is there.
    for piece in piece_source(1_000):
        fold.push_text(piece)
    fold = fold_of(contender)
    before = _peak()
    for piece in piece_source(count):
        fold.push_text(piece)
    return _peak() - before


def main() -> int:
    what, *arguments = sys.argv[1:]
    # Linux hands the peak of the process that calls exec on to the new program: only a fork starts from its own size.
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if what == "log":
        contender, small, log = arguments
        print(of_log(contender, Path(small), Path(log)), flush=True)
    else:
        contender, count = arguments
        print(of_text(contender, int(count)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
