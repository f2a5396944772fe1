"""The command with one engine or the other, and small logs for it to read."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.child import Ran, run


@pytest.fixture(params=["rust", "python"])
def cli_engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each engine in turn, for this process's children. A missing one is a failure, not a skip."""
    if request.param == "rust" and importlib.util.find_spec("lastsaid._core") is None:
        pytest.fail("this build has no Rust engine")
    monkeypatch.setenv("LASTSAID_ENGINE", request.param)
    return request.param


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine's taste in colours; names of logs are relative to `tmp_path`."""
    for name in ("NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Callable[..., Path]:
    """Write a log of these lines and return its path."""

    def write(name: str, *lines: str, end: str = "\n") -> Path:
        path = tmp_path / name
        path.write_bytes(("\n".join(lines) + (end if lines else "")).encode())
        return path

    return write


@pytest.fixture
def lastsaid(cli_engine: str) -> Callable[..., Ran]:
    """Run the command with each engine."""
    return run


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run the command where no engine makes a difference: with the one that is always there."""
    monkeypatch.setenv("LASTSAID_ENGINE", "python")
    return run
