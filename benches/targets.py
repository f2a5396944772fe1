"""What the engine is to reach, as data; tools/bench_page.py holds a run against it.

A contender is named as in its question, and `contender @ workload` where it is another workload's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MB: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The time of `over` divided by the time of `under`; without a bound it is only shown beside the others."""

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
ZSTD_LOOP: Final = "zstandard + orjson loop"
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
    Ratio(work=ZSTD, question="log_zstd", workload="normal", over=ZSTD_LOOP, under="rust", at_least=60),
    Ratio(work=ZSTD, question="log_zstd", workload="tail_far", over=ZSTD_LOOP, under="rust", at_least=2.5),
    Ratio(
        work=ZSTD,
        question="log_zstd",
        workload="no_message",
        over=ZSTD_LOOP,
        under="rust",
        at_least=2.5,
    ),
    Ratio(work=MANY, question="many_logs", workload="normal", over="orjson loop", under="rust", at_least=30),
    Ratio(work=MANY, question="many_logs", workload="normal", over="mmap.rfind + orjson", under="rust", at_least=2.5),
    # "Scales with cores": of two, the second is worth at least this much.
    Ratio(work=MANY, question="many_logs", workload="normal", over="rust, 1 thread", under="rust", at_least=1.6),
)

PUSH: Final = "`push(dict)` hot"
KINDS: Final = ("tool/result", "assistant/message", "attempt, one delta", "chunk", "attempt, 50 packed texts")
PACKED: Final = KINDS[-1]
C: Final = "C, by hand"


def _of_push(kind: str) -> tuple[Target, ...]:
    about = {"work": PUSH, "question": "calls", "workload": f"push: {kind}"}
    return (
        # Packed texts are copied character by character, as the reference's list.extend need not.
        Ratio(over="python", under="rust", at_least=1 if kind == PACKED else 2, **about),
        Ratio(over="by hand", under="rust", **about),
        Ratio(over="rust", under=C, at_most=1.7, **about),
    )


TEXT: Final = "`push_text` hot"
EXTEND: Final = "`extend_text`"
STREAM: Final = "a long stream"
SSE: Final = "`push_json` of one SSE-sized event"
_CALLS: Final[tuple[Target, ...]] = (
    *(target for kind in KINDS for target in _of_push(kind)),
    Ratio(work=TEXT, question="calls", workload="push_text", over="python", under="rust", at_least=1.5),
    Ratio(work=TEXT, question="calls", workload="push_text", over="by hand", under="rust"),
    Ratio(work=TEXT, question="calls", workload="push_text", over="rust", under=C),
    Memory(work=TEXT, question="streams", workload="push_text", contender="rust", most=0, per_text_byte=1.5),
    Ratio(work=EXTEND, question="streams", workload="extend_text", over="rust", under="list.extend", at_most=2),
    Ratio(work=STREAM, question="streams", workload="push_text, collect", over="python", under="rust", at_least=1.8),
    Ratio(work=STREAM, question="streams", workload="push_text, collect", over="by hand", under="rust"),
    Ratio(work=STREAM, question="streams", workload="push, collect", over="python", under="rust", at_least=1.8),
    Ratio(work=STREAM, question="streams", workload="push, collect", over="by hand", under="rust"),
    Ratio(
        work=SSE,
        question="calls",
        workload="push_json: SSE-sized",
        over="orjson.loads + rust push",
        under="rust",
        at_least=3,
    ),
    Ratio(work=SSE, question="calls", workload="push_json: SSE-sized", over="orjson.loads + by hand", under="rust"),
)

LIST: Final = "a list of dicts"
_LISTS: Final[tuple[Target, ...]] = (
    # "In nanoseconds": a call, and less than a microsecond more.
    Added(
        work=LIST,
        question="lists",
        workload="normal, 100,000",
        contender="rust",
        baseline="C, empty call",
        at_most=1e-6,
    ),
    Ratio(work=LIST, question="lists", workload="no_message, 10,000", over="python", under="rust", at_least=2.5),
    Ratio(work=LIST, question="lists", workload="no_message, 10,000", over="by hand", under="rust"),
    Ratio(work=LIST, question="lists", workload="no_message, 10,000", over="rust", under=C),
    Ratio(
        work=LIST,
        question="lists",
        workload="no_message, 1,000,000",
        over="python",
        under="rust",
        at_least=1.1,
        goal=1.5,
    ),
    Ratio(work=LIST, question="lists", workload="no_message, 1,000,000", over="by hand", under="rust"),
    Ratio(work=LIST, question="lists", workload="no_message, 1,000,000", over="rust", under=C),
)


def _of_kit(name: str, workload: str, at_least: float) -> tuple[Target, ...]:
    about = {"work": KITS, "question": "kit_text", "workload": workload}
    return (
        Ratio(over=name, under="rust", at_least=at_least, **about),
        Ratio(over=name, under="rust, push(dict)", **about),
    )


KITS: Final = "the text of many chunks, beside what people use"
GROWTH: Final = "cost as work grows"
_KITS: Final[tuple[Target, ...]] = (
    *_of_kit("pydantic-ai, parts manager", "100,000 chunks", 30),
    *_of_kit("anthropic, accumulator", "100,000 chunks", 150),
    *_of_kit("openai, chat state", "100,000 chunks", 1_500),
    *_of_kit("ACP, session accumulator", "2,000 chunks", 10_000),
    Ratio(
        work=KITS,
        question="kit_text",
        workload="2,000 chunks",
        over="anthropic, accumulator, raw",
        under="rust, push_json",
    ),
    Ratio(
        work=KITS, question="kit_text", workload="2,000 chunks", over="openai, chat state, raw", under="rust, push_json"
    ),
    # Per chunk: a straight line.
    Ratio(
        work=GROWTH,
        question="growth",
        workload="1,000,000 chunks",
        over="rust",
        under="rust @ 10,000 chunks",
        at_most=1.5,
    ),
    Ratio(
        work=GROWTH,
        question="growth",
        workload="10,000,000 chunks",
        over="rust",
        under="rust @ 10,000 chunks",
        at_most=1.5,
    ),
    Ratio(
        work=GROWTH, question="growth", workload="normal, 100 MB", over="rust", under="rust @ normal, 1 MB", at_most=1.5
    ),
    Ratio(
        work=GROWTH, question="growth", workload="normal, 10 GB", over="rust", under="rust @ normal, 1 MB", at_most=1.5
    ),
    Ratio(work=GROWTH, question="growth", workload="64 folds", over="rust", under="rust @ 1 fold", at_most=1.5),
)

START: Final = "start-up"
_START: Final[tuple[Target, ...]] = (
    Added(
        work=START,
        question="startup",
        workload="import",
        contender="import lastsaid",
        baseline="python -c pass",
        at_most=0.015,
    ),
    Added(
        work=START,
        question="startup",
        workload="command line",
        contender="lastsaid LOG",
        baseline="python -c pass",
        at_most=0.040,
    ),
)

TARGETS: Final[tuple[Target, ...]] = (*_LOGS, *_CALLS, *_LISTS, *_KITS, *_START)
