"""How long until the answer of a log in memory is there?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import floors
from contenders import FLOOR, PYTHON, RUST, TAIL_FLOOR, engine, takes
from peers import logs
from questions import Question, Scale
from questions.log_file import REFERENCE_BYTES, THREADS
from runner import Contender, Workload
from session import KINDS
from workloads import write_log

# What parses every line is measured on files already.
PEERS = ("orjson loop", "fastsimdjson lazy", logs.CLEVER)


def reader(name: str) -> Callable[[bytes], Any]:
    """From bytes to output blocks."""
    if name == THREADS:
        read = partial(engine(RUST).read_bytes, threads=2)
    elif name in (RUST, PYTHON):
        read = engine(name).read_bytes
    else:
        return logs.bytes_reader(name)
    return lambda data: read(data).output


def absent(size: int) -> dict[str, str]:
    why = {name: peer.missing for name, peer in logs.LOOPS.items() if peer.missing and name in PEERS}
    if not takes(engine(RUST).read_bytes, "threads"):
        why[THREADS] = "`read_bytes` has no `threads=` yet"
    if size > REFERENCE_BYTES:
        why[PYTHON] = f"the reference reads logs of up to {REFERENCE_BYTES // 1_000_000} MB here"
    return why


def workloads(scale: Scale) -> Iterator[Workload]:
    for kind in KINDS:
        path = scale.folder / f"{kind}.jsonl"
        expected = write_log(path, kind, scale.log_bytes)
        data = path.read_bytes()
        path.unlink()
        missing = absent(scale.log_bytes)

        def contender(name: str, data: bytes = data) -> Contender:
            read = reader(name)
            return Contender(name, lambda _: read(data))

        tail = Contender(TAIL_FLOOR, lambda _, data=data: floors.memory_bytes(data, tail=True), checked=False)
        yield Workload(
            kind,
            expected,
            [
                *(contender(name) for name in (RUST, THREADS, PYTHON, *PEERS) if name not in missing),
                Contender(FLOOR, lambda _, data=data: floors.memory_bytes(data), checked=False),
                *([tail] if kind == "normal" else []),
            ],
            missing=missing,
            about={"bytes": len(data)},
        )


QUESTION = Question("log_bytes", "A log in memory", "`read_bytes(data)`.", workloads)
