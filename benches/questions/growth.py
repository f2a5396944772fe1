"""How does the cost grow with the log, with the stream, and with the number of live folds?"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import floors
from contenders import FLOOR, RUST, TAIL_FLOOR, engine
from peers.events import HandFold
from questions import Question, Scale
from questions.calls import HAND, collected, fold_of
from questions.streams import each
from runner import Contender, Workload
from session import KINDS, Kind
from workloads import event_of_delta, text_pieces, write_log

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
FULL_SIZES = (*SIZES, 1_000_000_000, 10_000_000_000)
CHUNKS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
FULL_CHUNKS = (*CHUNKS, 10_000_000)
FOLDS = (1, 2, 4, 8, 16, 32, 64)
EVENTS = 64_000


def size_in_words(size: int) -> str:
    for unit, scale in (("GB", 1_000_000_000), ("MB", 1_000_000)):
        if size >= scale:
            return f"{size // scale} {unit}"
    return f"{size // 1_000} kB"


def logs(scale: Scale, kind: Kind) -> Iterator[Workload]:
    for size in FULL_SIZES if scale.full else SIZES:
        name = f"{kind}, {size_in_words(size)}"
        # A log that is written must leave half of the disk's room free.
        if size > 100_000_000 and shutil.disk_usage(scale.folder).free < 2 * size:
            yield Workload(name, None, [], missing={RUST: f"no room for {size_in_words(size)}"})
            continue
        path = scale.folder / f"{kind}.jsonl"
        expected = write_log(path, kind, size)
        read = engine(RUST).read
        contenders = [Contender(RUST, lambda _, path=path, read=read: read(path).output)]
        if kind == "normal":
            floor = Contender(TAIL_FLOOR, lambda _, path=path: floors.file_bytes(path, tail=True), checked=False)
        else:
            floor = Contender(FLOOR, lambda _, path=path: floors.file_bytes(path), checked=False)
        yield Workload(name, expected, [*contenders, floor], about={"bytes": path.stat().st_size, "kind": kind})
        path.unlink()


def streams(scale: Scale) -> Iterator[Workload]:
    for count in FULL_CHUNKS if scale.full else CHUNKS:
        pieces, expected = text_pieces(count)

        def contender(name: str, pieces: list[str] = pieces) -> Contender:
            def call(fold: Any) -> Any:
                each(fold.push_text, pieces)
                return fold.collect()

            return Contender(name, call, given=lambda: fold_of(name))

        yield Workload(
            f"{count:,} chunks", expected, [contender(RUST), contender(HAND)], count, "chunk", about={"chunks": count}
        )


def live(scale: Scale) -> Iterator[Workload]:
    """So many folds alive at once, and the events go round them."""
    pieces, _ = text_pieces(EVENTS)
    events = [event_of_delta(piece, number) for number, piece in enumerate(pieces)]
    for count in FOLDS:
        expected = [[{"type": "text", "text": "".join(pieces[number::count])}] for number in range(count)]

        def call(folds: list[Any], count: int = count) -> list[Any]:
            rounds = iter(events)
            for _ in range(EVENTS // count):
                for fold in folds:
                    fold.push(next(rounds))
            return folds

        def contender(name: str, count: int = count, call: Any = call) -> Contender:
            def new() -> list[Any]:
                return [HandFold() if name == HAND else fold_of(name) for _ in range(count)]

            return Contender(name, call, given=new, answer=lambda folds: list(map(collected, folds)))

        yield Workload(
            f"{count} fold{'s' if count > 1 else ''}",
            expected,
            [contender(RUST), contender(HAND)],
            EVENTS,
            "event",
            about={"folds": count},
        )


def workloads(scale: Scale) -> Iterator[Workload]:
    for kind in KINDS:
        yield from logs(scale, kind)
    yield from streams(scale)
    yield from live(scale)


QUESTION = Question(
    "growth",
    "As the work grows",
    "`read(path)` of ever larger logs, the whole of ever longer streams, and an event where many folds are alive.",
    workloads,
    seconds=0.4,
)
