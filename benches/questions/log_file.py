"""How long until the answer of a log file is there, and how much memory does it take?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import floors
from contenders import FLOOR, PYTHON, RUST, TAIL_FLOOR, engine, takes
from memory import Growth
from peers import logs
from questions import Question, Scale
from runner import Contender, Workload
from session import KINDS, Kind
from workloads import text_of, write_log

THREADS = "rust, 2 threads"
# The reference takes more than a minute for a log of 1 GB.
REFERENCE_BYTES = 100_000_000


def reader(name: str) -> Callable[[Path], Any]:
    """From a path to output blocks."""
    if name == THREADS:
        read = partial(engine(RUST).read, threads=2)
    elif name in (RUST, PYTHON):
        read = engine(name).read
    else:
        return logs.file_reader(name)
    return lambda path: read(path).output


def absent(size: int) -> dict[str, str]:
    """Who can't take part, and why."""
    why = {name: peer.missing for name, peer in logs.LOOPS.items() if peer.missing}
    if not takes(engine(RUST).read, "threads"):
        why[THREADS] = "`read` has no `threads=` yet"
    if size > REFERENCE_BYTES:
        why[PYTHON] = f"the reference reads logs of up to {REFERENCE_BYTES // 1_000_000} MB here"
    return why


def workload(kind: Kind, path: Path, small: Path, size: int) -> Workload:
    expected = write_log(path, kind, size)
    write_log(small, kind, 100_000)
    missing = absent(size)
    names = [name for name in (RUST, THREADS, PYTHON, *logs.NAMES) if name not in missing]

    def contender(name: str) -> Contender:
        read = reader(name)
        return Contender(name, lambda _: read(path), memory=Growth("log", name, small, path))

    tail = Contender(TAIL_FLOOR, lambda _: floors.file_bytes(path, tail=True), checked=False)
    return Workload(
        kind,
        expected,
        [
            *map(contender, names),
            Contender(FLOOR, lambda _: floors.file_bytes(path), checked=False),
            *([tail] if kind == "normal" else []),
        ],
        missing=missing,
        about={"bytes": path.stat().st_size, "text_bytes": len(text_of(expected).encode())},
    )


def workloads(scale: Scale) -> Iterator[Workload]:
    for kind in KINDS:
        path, small = scale.folder / f"{kind}.jsonl", scale.folder / f"{kind}.small.jsonl"
        try:
            yield workload(kind, path, small, scale.log_bytes)
        finally:
            path.unlink(missing_ok=True)
            small.unlink(missing_ok=True)


QUESTION = Question(
    "log_file",
    "A log file",
    "`read(path)`. In `normal` only the end of the file has to be looked at, so its floor is the last 64 KiB.",
    workloads,
)
