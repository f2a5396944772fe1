"""What the engine is to reach, as data; tools/bench_page.py holds a run against it.

A contender is named as in its question, and `contender @ workload` where it is another workload's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MB: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The time of `over` divided by the time of `under`."""

    work: str
    question: str
    workload: str
    over: str
    under: str
    at_least: float | None = None
    at_most: float | None = None
    goal: float | None = None
    """What would be better still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a process of its own may grow by: `most` bytes, and so much a byte of the answer's text."""

    work: str
    question: str
    workload: str
    contender: str
    most: int
    per_text_byte: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The time of `contender` less that of `baseline`, in seconds."""

    work: str
    question: str
    workload: str
    contender: str
    baseline: str
    at_most: float


Target = Ratio | Memory | Added

FILE: Final = "`read(path)`, answer near the end"
FAR: Final = "`read(path)`, only an early message has content"
NONE: Final = "`read(path)`, no message, the text is the answer"
BYTES: Final = "`read_bytes(data)`"
PEER: Final = "zstandard + orjson loop"
ZSTD: Final = "zstd with a frame a batch"
MANY: Final = "1,000 logs of 200 kB, `read_many(paths)`"

_LOGS: Final[tuple[Target, ...]] = (
    Ratio(work=FILE, question="log_file", workload="normal", over="mmap.rfind + orjson", under="rust", at_least=3),
    Memory(work=FILE, question="log_file", workload="normal", contender="rust", most=4 * MB),
    Ratio(work=FAR, question="log_file", workload="tail_far", over="orjson loop", under="rust", at_least=12),
    Ratio(work=FAR, question="log_file", workload="tail_far", over="fastsimdjson lazy", under="rust", at_least=6),
    Ratio(work=FAR, question="log_file", workload="tail_far", over="rust", under="floor", at_most=1.8, goal=1.4),
    Ratio(work=FAR, question="log_file", workload="tail_far", over="orjson loop", under="rust, 2 threads", at_least=20),
    Ratio(work=NONE, question="log_file", workload="no_message", over="orjson loop", under="rust", at_least=10),
    Ratio(work=NONE, question="log_file", workload="no_message", over="fastsimdjson lazy", under="rust", at_least=5),
    Ratio(work=NONE, question="log_file", workload="no_message", over="rust", under="floor", at_most=3.5, goal=2.2),
    Ratio(work=NONE, question="log_file", workload="no_message", over="rust", under="rust, 2 threads", at_least=1.6),
    Memory(work=NONE, question="log_file", workload="no_message", contender="rust", most=8 * MB, per_text_byte=6),
    Ratio(work=BYTES, question="log_bytes", workload="normal", over="floor", under="rust", at_least=0.25, goal=0.5),
    Ratio(work=BYTES, question="log_bytes", workload="tail_far", over="floor", under="rust", at_least=0.25, goal=0.5),
    Ratio(work=BYTES, question="log_bytes", workload="no_message", over="floor", under="rust", at_least=0.15, goal=0.3),
    Ratio(work=ZSTD, question="log_zstd", workload="normal", over=PEER, under="rust", at_least=60),
    Ratio(work=ZSTD, question="log_zstd", workload="tail_far", over=PEER, under="rust", at_least=2.5),
    Ratio(
        work=ZSTD,
        question="log_zstd",
        workload="no_message",
        over=PEER,
        under="rust",
        at_least=2.5,
    ),
    Ratio(work=MANY, question="many_logs", workload="normal", over="orjson loop", under="rust", at_least=30),
    Ratio(work=MANY, question="many_logs", workload="normal", over="mmap.rfind + orjson", under="rust", at_least=2.5),
    # "Scales with cores": of two, the second is worth at least this much.
    Ratio(work=MANY, question="many_logs", workload="normal", over="rust, 1 thread", under="rust", at_least=1.6),
)

TARGETS: Final[tuple[Target, ...]] = _LOGS
