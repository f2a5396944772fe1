"""One behaviour suite, run once per engine (architecture.md, lockstep 2)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from dsh_events import header, jsonl, message, turn_end

ENGINE_MODULES = {"rust": "lastsaid._core", "python": "lastsaid._reference"}
NEEDS_BOTH = "both_engines"

# Laws with many examples are pointless when each may take a second, so no example has a deadline; the test has one.
_QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile("ci", derandomize=True, max_examples=60, deadline=None, suppress_health_check=_QUIET)
settings.register_profile("dev", max_examples=60, deadline=None, suppress_health_check=_QUIET)
settings.register_profile("hard", max_examples=3000, deadline=None, suppress_health_check=_QUIET)
settings.load_profile(
    os.environ.get("LASTSAID_HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI", "").lower() == "true" else "dev")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine",
        choices=sorted(ENGINE_MODULES),
        default=None,
        help="run the tests of one engine only; those that compare the two are deselected",
    )


def pytest_configure(config: pytest.Config) -> None:
    # A debug build says that it is slow; tests are what it is for (architecture.md).
    config.addinivalue_line("filterwarnings", "ignore:this is a debug build:RuntimeWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--engine")
    if wanted is None:
        return
    dropped = []
    for item in items:
        callspec = getattr(item, "callspec", None)
        name = callspec.params.get("engine") if callspec else None
        if name not in (None, wanted) or NEEDS_BOTH in getattr(item, "fixturenames", ()):
            dropped.append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(map(id, dropped))
        items[:] = [item for item in items if id(item) not in gone]


def load_engine(name: str) -> ModuleType:
    """The engine module. One that is missing is a failure: a suite that skips it would prove nothing."""
    try:
        return importlib.import_module(ENGINE_MODULES[name])
    except ModuleNotFoundError as error:
        return pytest.fail(f"the {name} engine is not built: {error}", pytrace=False)


@pytest.fixture(scope="session", params=["rust", "python"])
def engine(request: pytest.FixtureRequest) -> ModuleType:
    """The engine module under test; its name is in the test's id."""
    return load_engine(request.param)


class Engines(NamedTuple):
    rust: ModuleType
    python: ModuleType


@pytest.fixture(scope="session")
def both_engines() -> Engines:
    """Both engine modules, for the tests that hold one against the other."""
    return Engines(load_engine("rust"), load_engine("python"))


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    """Where a test may write its log."""
    return tmp_path / "log.jsonl"


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[int], list[Path]]:
    """Write so many logs, each of which says its number."""

    def write(count: int) -> list[Path]:
        paths = [tmp_path / f"{number:04}.jsonl" for number in range(count)]
        for number, path in enumerate(paths):
            path.write_bytes(jsonl(header(), message(str(number)), turn_end()))
        return paths

    return write
