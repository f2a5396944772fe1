"""How much a reader's peak memory grows while it reads a log, measured in a process of its own.

`python benches/memory.py CONTENDER SMALL_LOG LOG` prints the growth in bytes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

from contenders import file_reader


def peak_growth(contender: str, small: Path, log: Path) -> int:
    """The growth in bytes; `small` is read first, so that imports and first uses don't count."""
    command = [sys.executable, __file__, contender, str(small), str(log)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return int(done.stdout)


def _peak() -> int:
    # Linux counts in KiB, macOS in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _measure(contender: str, small: Path, log: Path) -> int:
    read = file_reader(contender)
    read(small)
    before = _peak()
    read(log)
    return _peak() - before


def main() -> int:
    contender, small, log = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    # Linux hands the peak of the process that calls exec on to the new program: only a fork starts from its own size.
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(_measure(contender, small, log), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
