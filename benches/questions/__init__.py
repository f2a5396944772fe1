"""One file a question: each says what it asks, and yields workloads one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runner import Workload


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is run."""

    full: bool
    """`make bench-full`."""
    folder: Path
    """Where logs are written, and deleted again."""
    log_bytes: int
    """The size of a log."""


@dataclass(frozen=True, slots=True)
class Question:
    """A heading of the page."""

    name: str
    title: str
    about: str
    workloads: Callable[[Scale], Iterator[Workload]]
    seconds: float = 1.0
    """What each contender gets of a workload; three times as much in a full run."""
