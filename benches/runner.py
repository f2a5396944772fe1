"""Checks every contender's answer, then times them in turn: A B C, A B C, …

pytest-benchmark times one test after the other, so a machine that slows down between two of them changes their ratio.
Here the contenders of one workload alternate, and a ratio is the median of the rounds' own ratios.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from time import perf_counter
from typing import Any, Final

# A sample is at least so long, or the clock shows.
SAMPLE_SECONDS: Final = 1e-3
# What a first call may take for being the first.
COLD_SECONDS: Final = 0.1
MOST_CALLS: Final = 2_000
MOST_ROUNDS: Final = 31
# Who takes longer is timed once: by the call whose answer was checked.
ONCE_SECONDS: Final = 4.0


class WrongAnswerError(Exception):
    """A contender whose answer isn't the expected one: nothing it takes is worth timing."""


def nothing() -> None:
    """No argument."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do the work."""

    name: str
    call: Callable[[Any], Any]
    """Timed, with what `given` made."""
    given: Callable[[], Any] = nothing
    """Called before each call, untimed."""
    checked: bool = True
    """Floors have no answer."""
    units: int | None = None
    """Where it is not the workload's: how many pieces it was given."""
    fed: str = ""
    """What it was fed with, where contenders differ: its own objects, or raw JSON."""
    memory: Callable[[], int] | None = None
    """Bytes that a process of its own grows by."""
    expected: Any = None
    """Where it is not the workload's."""
    answer: Callable[[Any], Any] | None = None
    """Untimed: from what `call` gives to the answer."""


@dataclass(slots=True)
class Workload:
    """What is to be done, and by whom."""

    name: str
    expected: Any
    contenders: list[Contender]
    units: int = 1
    unit: str = "answer"
    missing: dict[str, str] = field(default_factory=dict)
    """Contenders that can't take part, and why."""
    about: dict[str, Any] = field(default_factory=dict)
    """Figures that a target or a plot needs, such as the bytes of the answer's text."""


def measured(workload: Workload, budget: float) -> dict[str, Any]:
    """Check and time; `budget` is about how many seconds each contender gets. Raises WrongAnswerError."""
    # What is there before is nobody's garbage: contenders pay for the objects that they make, not for each other's.
    gc.collect()
    gc.freeze()
    try:
        return _measured(workload, budget)
    finally:
        gc.unfreeze()


def _measured(workload: Workload, budget: float) -> dict[str, Any]:
    first = {one.name: _checked(workload, one) for one in workload.contenders}
    plans = {one.name: _plan(one, first[one.name], budget) for one in workload.contenders}
    memory = {one.name: one.memory() for one in workload.contenders if one.memory is not None}
    samples: dict[str, list[float]] = {contender.name: [] for contender in workload.contenders}
    for number in range(max((rounds for rounds, _ in plans.values()), default=0)):
        for contender in workload.contenders:
            rounds, calls = plans[contender.name]
            if number >= rounds:
                continue
            if calls > 1:
                # What is short is timed warm: the contender before may have taken seconds and all of the caches.
                _timed(contender, 1)
            took = _timed(contender, calls) if calls else first[contender.name]
            samples[contender.name].append(took / (contender.units or workload.units))
    return {
        "workload": workload.name,
        "unit": workload.unit,
        "about": workload.about,
        "missing": workload.missing,
        "contenders": [
            {"name": one.name, "fed": one.fed, "seconds": samples[one.name], "memory": memory.get(one.name)}
            for one in workload.contenders
        ],
    }


def _checked(workload: Workload, contender: Contender) -> float:
    argument = contender.given()
    started = perf_counter()
    answer = contender.call(argument)
    took = perf_counter() - started
    if contender.answer is not None:
        answer = contender.answer(answer)
    expected = workload.expected if contender.expected is None else contender.expected
    if contender.checked and answer != expected:
        raise WrongAnswerError(f"{contender.name} gives a wrong answer for {workload.name}: {answer!r:.200}")
    return took


def _plan(contender: Contender, took: float, budget: float) -> tuple[int, int]:
    """Rounds, and calls a sample; none if the checked call is the only one."""
    if took > ONCE_SECONDS:
        return 1, 0
    if took < COLD_SECONDS:
        # The first call may have been a cold one: it imports what it needs.
        took = _timed(contender, 1)
    calls = 1 if took >= SAMPLE_SECONDS else min(MOST_CALLS, ceil(SAMPLE_SECONDS / max(took, 1e-9)))
    return max(3, min(MOST_ROUNDS, int(budget / (took * calls)))), calls


def _timed(contender: Contender, calls: int) -> float:
    """Seconds a call."""
    arguments = [contender.given() for _ in range(calls)]
    call = contender.call
    started = perf_counter()
    for argument in arguments:
        call(argument)
    return (perf_counter() - started) / calls
