"""Benches are run by `make bench`; see README.md. Answers are checked before they are timed; no time is asserted."""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import pytest

# The import mode of the test suite puts no folder of tests on the path.
sys.path.insert(0, str(Path(__file__).parent))

import contenders
import workloads

LOG_MB: Final = int(os.environ.get("LASTSAID_BENCH_MB", "20"))
BIG: Final = os.environ.get("LASTSAID_BENCH_BIG") == "1"
BUDGET_SECONDS: Final = 0.6
# A call that takes seconds (the reference, mostly) is repeated once.
SLOW_SECONDS: Final = 1.0
ROUNDS: Final = (3, 300)


def pytest_configure() -> None:
    if not contenders.has_rust():
        return
    with warnings.catch_warnings():
        # A debug build warns on import; here it is refused in so many words.
        warnings.simplefilter("ignore")
        core = importlib.import_module("lastsaid._core")
    if getattr(core, "DEBUG_BUILD", False):
        raise pytest.UsageError("lastsaid._core is a debug build, its times mean nothing: build with --release")


def pytest_benchmark_update_machine_info(machine_info: dict[str, Any]) -> None:
    """Versions for the table (tools/bench_table.py)."""
    machine_info["bench"] = {
        "log_mb": LOG_MB,
        "big": BIG,
        "rust": contenders.has_rust(),
        "versions": {name: importlib.metadata.version(name) for name in ("orjson", "pytest-benchmark")},
    }


@dataclass(frozen=True)
class Log:
    """A log on disk, in the page cache, with its expected answer."""

    kind: workloads.Kind
    path: Path
    expected: workloads.Output
    small: Path
    """A short log of the same kind."""


def write(folder: Path, kind: workloads.Kind, size: int) -> Log:
    path, small = folder / f"{kind}.jsonl", folder / f"{kind}.small.jsonl"
    workloads.write_log(small, kind, 100_000)
    return Log(kind, path, workloads.write_log(path, kind, size), small)


@pytest.fixture(scope="module", params=workloads.KINDS)
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    """A log of LASTSAID_BENCH_MB, deleted afterwards."""
    written = write(tmp_path_factory.mktemp("logs"), request.param, LOG_MB * 1_000_000)
    yield written
    written.path.unlink()
    written.small.unlink()


@contextmanager
def at_rest() -> Iterator[None]:
    """What is made inside is kept from the garbage collector, so that contenders pay for their own objects only."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def skip_without_rust(contender: str) -> None:
    if contender == "rust" and not contenders.has_rust():
        pytest.skip("this build has no Rust engine")


Measure = Callable[..., None]


@pytest.fixture
def measure(benchmark: Any) -> Measure:
    """Check the answer of one call, then time as many calls as fit the budget."""

    def run(
        question: str,
        workload: str,
        contender: str,
        call: Callable[[Any], Any],
        expected: Any,
        *,
        given: Callable[[], Any] = lambda: None,
        units: int = 1,
        unit: str = "answer",
        **extra: Any,
    ) -> None:
        argument = given()
        started = perf_counter()
        answer = call(argument)
        took = perf_counter() - started
        # No assert: pytest would compare megabytes character by character.
        if answer != expected:
            pytest.fail(f"{contender} gives a wrong answer for {workload}: {answer!r:.200}")
        benchmark.group = f"{question}: {workload}"
        benchmark.extra_info.update(
            question=question, workload=workload, contender=contender, units=units, unit=unit, **extra
        )
        fewest, most = ROUNDS
        rounds = 2 if took > SLOW_SECONDS else min(most, max(fewest, int(BUDGET_SECONDS / max(took, 1e-9))))
        # The checked call was the warm-up.
        benchmark.pedantic(call, setup=lambda: ((given(),), {}), rounds=rounds)

    return run
