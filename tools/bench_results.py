"""What a run measured, and how ratios are taken from it: the median of the rounds' own ratios."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, Self

ONLY_FULL: Final = "only in a full run"


@dataclass(frozen=True, slots=True)
class Timing:
    """One contender of one workload: the seconds a unit of work took, round by round."""

    name: str
    fed: str
    rounds: Sequence[float]
    memory: int | None

    @property
    def seconds(self) -> float:
        return median(self.rounds)


@dataclass(frozen=True, slots=True)
class Measured:
    """One workload."""

    name: str
    unit: str
    about: Mapping[str, Any]
    missing: Mapping[str, str]
    timings: Mapping[str, Timing]


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a run."""

    name: str
    title: str
    about: str
    full: bool
    log_mb: int
    machine: Mapping[str, Any]
    workloads: Mapping[str, Measured]

    @property
    def command(self) -> str:
        return f"make {'bench-full' if self.full else 'bench'} ONLY={self.name}"


@dataclass(frozen=True, slots=True)
class Results:
    """A run."""

    machine: Mapping[str, Any]
    questions: Mapping[str, Answered]

    @classmethod
    def load(cls, path: Path) -> Self:
        return cls.of(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> Self:
        return cls(run["machine"], {name: _answered(name, raw) for name, raw in run["questions"].items()})

    def timing(self, question: str, workload: str, contender: str) -> Timing | None:
        """`contender` may name another workload: `rust @ 10 GB`."""
        name, _, elsewhere = contender.partition(" @ ")
        asked = self.questions.get(question)
        measured = asked.workloads.get(elsewhere or workload) if asked else None
        return measured.timings.get(name) if measured else None

    def why_missing(self, question: str, workload: str, contender: str) -> str:
        name, _, elsewhere = contender.partition(" @ ")
        asked = self.questions.get(question)
        if asked is None:
            return "not asked in this run"
        measured = asked.workloads.get(elsewhere or workload)
        if measured is None:
            return "not in this run" if asked.full else ONLY_FULL
        return measured.missing.get(name, "not in this run")


def ratio(over: Timing, under: Timing) -> float:
    """How many times `under` fits into `over`; of rounds that both took part in, which stand side by side."""
    pairs = list(zip(over.rounds, under.rounds, strict=False))
    if not pairs:
        raise ValueError(f"{over.name} and {under.name} have no round in common")
    return median(first / second for first, second in pairs)


def difference(timing: Timing, baseline: Timing) -> float:
    """Seconds that `timing` takes more."""
    pairs = list(zip(timing.rounds, baseline.rounds, strict=False))
    if not pairs:
        raise ValueError(f"{timing.name} and {baseline.name} have no round in common")
    return median(first - second for first, second in pairs)


def _answered(name: str, raw: Mapping[str, Any]) -> Answered:
    workloads = {one["workload"]: _measured(one) for one in raw["workloads"]}
    return Answered(name, raw["title"], raw["about"], raw["full"], raw["log_mb"], raw["machine"], workloads)


def _measured(raw: Mapping[str, Any]) -> Measured:
    timings = {one["name"]: Timing(one["name"], one["fed"], one["seconds"], one["memory"]) for one in raw["contenders"]}
    return Measured(raw["workload"], raw["unit"], raw["about"], raw["missing"], timings)
