"""How long until the answers of a thousand logs are there?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import floors
from contenders import PYTHON, RUST, TAIL_FLOOR, engine, takes
from peers import logs
from questions import Question, Scale
from runner import Contender, Workload
from workloads import write_many

COUNT = 1_000
BYTES = 200_000
ONE_BY_ONE = "rust, `read` a path"
ONE_THREAD = "rust, 1 thread"


def engine_many(name: str, **options: Any) -> Callable[[list[Path]], Any]:
    """`read_many` yields a Selection or the exception, path by path."""
    read_many = engine(name).read_many

    def answers(paths: list[Path]) -> list[Any]:
        return [one if isinstance(one, BaseException) else one.output for one in read_many(paths, **options)]

    return answers


def one_by_one(read: Callable[[Path], Any]) -> Callable[[list[Path]], Any]:
    return lambda paths: [read(path) for path in paths]


def workloads(scale: Scale) -> Iterator[Workload]:
    folder = scale.folder / "many"
    folder.mkdir()
    paths, expected = write_many(folder, COUNT, BYTES)
    missing = {}
    found: dict[str, Callable[[list[Path]], Any]] = {}
    rust = engine(RUST)
    if hasattr(rust, "read_many"):
        found[RUST] = engine_many(RUST)
        if takes(rust.read_many, "threads"):
            found[ONE_THREAD] = engine_many(RUST, threads=1)
        else:
            missing[ONE_THREAD] = "`read_many` has no `threads=`"
    else:
        missing[RUST] = "`read_many` isn't there yet"
    found[ONE_BY_ONE] = one_by_one(lambda path: rust.read(path).output)
    found[PYTHON] = one_by_one(lambda path: engine(PYTHON).read(path).output)
    for name in ("orjson loop", logs.CLEVER):
        found[name] = one_by_one(logs.file_reader(name))
    contenders = [Contender(name, lambda _, call=call: call(paths)) for name, call in found.items()]
    tails = Contender(TAIL_FLOOR, lambda _: [floors.file_bytes(path, tail=True) for path in paths], checked=False)
    yield Workload("normal", expected, [*contenders, tails], units=COUNT, unit="log", missing=missing)
    for path in paths:
        path.unlink()
    folder.rmdir()


QUESTION = Question(
    "many_logs",
    "A thousand logs of 200 kB",
    "`read_many(paths)`, the answer of each near its end; what reads one path at a time does so in a loop.",
    workloads,
    seconds=2.0,
)
