"""Many cases, in several processes: each takes the numbers that leave its own remainder."""

from __future__ import annotations

import multiprocessing
import queue
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from differential.cases import Bench, Case, loaded
from differential.keeping import FOLDER, kept
from differential.shrinking import shrunk

# A case that takes longer hangs.
LONGEST_SECONDS = 60.0
# Differences that look the same are rarely of different causes: more than these are only counted.
OF_ONE_SORT = 2
_NOBODY = -1


@dataclass(frozen=True)
class Plan:
    """What is to be run."""

    seed: int
    count: int | None = None
    seconds: float | None = None
    jobs: int = 1
    kinds: tuple[str, ...] = ()
    engines: tuple[str, ...] = ("rust", "python")
    # After so many differences that were told a process stops.
    most: int = 5
    folder: Path | None = FOLDER


@dataclass
class Report:
    """What came of it."""

    cases: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    # How often each sort of difference was met, told or not.
    seen: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __str__(self) -> str:
        total = self.cases.total()
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.cases.items()))
        rate = total / self.seconds if self.seconds else 0.0
        told = f"{total} cases ({kinds}) in {self.seconds:.1f} s, {rate:.0f} a second; {self.seen.total()} differ"
        return "\n".join([told, *(f"  {count} times {sort}" for sort, count in self.seen.most_common())])


def examined(bench: Bench, plan: Plan, number: int, seen: Counter[str] | None = None) -> tuple[Case, str | None]:
    """Ask one case. A difference is made small, kept, and told; None without one, or with one `seen` often enough."""
    case = bench.draw(plan.seed, number)
    again = f"--seed {plan.seed} --kinds {case.kind} --only {number}"
    try:
        difference = bench.differ(case)
        if difference is None:
            return case, None
        if seen is not None:
            seen[difference.sort] += 1
            if seen[difference.sort] > OF_ONE_SORT:
                return case, None
        smaller, difference = shrunk(bench, case)
    except Exception:
        # The machinery itself failed, which says as much as a difference.
        return case, f"{again}\n{traceback.format_exc()}"
    where = ""
    if plan.folder is not None:
        about = f"Seed {plan.seed}, case {number}: {difference.left} and {difference.right}: {difference.about}."
        where = f"\n  kept in {kept(smaller, f'seed_{plan.seed}_case_{number}', about, plan.folder)}"
    return case, f"{again}\n  {difference}\n  data: {smaller.data!r}{where}"


def work(plan: Plan, part: int, current: Any, told: Any) -> None:
    """One process: every `jobs`-th case, until the count, the time or too many differences."""
    warnings.simplefilter("ignore")  # A debug build says that it is slow.
    bench = Bench(loaded(plan.engines), plan.kinds)
    until = None if plan.seconds is None else time.monotonic() + plan.seconds
    number, found = part, 0
    cases: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    while found < plan.most and (plan.count is None or number < plan.count):
        if until is not None and time.monotonic() > until:
            break
        current.value = number
        case, difference = examined(bench, plan, number, seen)
        cases[case.kind] += 1
        if difference is not None:
            told.put(("difference", difference))
            found += 1
        number += plan.jobs
        if cases.total() >= 500:
            told.put(("cases", cases))
            cases = Counter()
    current.value = _NOBODY
    told.put(("cases", cases))
    told.put(("seen", seen))
    told.put(("done", part))


def run(plan: Plan, say: Any = print) -> Report:
    """All of it. Says every difference when it is found, and now and then how far it is."""
    began = time.monotonic()
    report = Report()
    if plan.jobs == 1:
        inline: queue.SimpleQueue[Any] = queue.SimpleQueue()
        work(plan, 0, multiprocessing.Value("q", _NOBODY), inline)
        while not inline.empty():
            _take(report, inline.get(), say)
    else:
        _watch(plan, report, say)
    report.seconds = time.monotonic() - began
    return report


def _take(report: Report, message: tuple[str, Any], say: Any) -> bool:
    """Note what a process says; whether it is done."""
    what, said = message
    if what == "difference":
        report.differences.append(said)
        say(said)
    elif what == "cases":
        report.cases += said
    elif what == "seen":
        report.seen += said
    return what == "done"


def _watch(plan: Plan, report: Report, say: Any) -> None:
    """Until all processes are done. One that died or hangs names the case that did it."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    current = [context.Value("q", _NOBODY) for _ in range(plan.jobs)]
    processes = [
        context.Process(target=work, args=(plan, part, current[part], told), daemon=True) for part in range(plan.jobs)
    ]
    for process in processes:
        process.start()
    seen = [(_NOBODY, time.monotonic())] * plan.jobs
    left, spoken = set(range(plan.jobs)), time.monotonic()
    while left:
        try:
            message = told.get(timeout=1.0)
            if _take(report, message, say):
                left.discard(message[1])
        except queue.Empty:
            pass
        now = time.monotonic()
        for part in sorted(left):
            if current[part].value != seen[part][0]:
                seen[part] = (current[part].value, now)
            hangs = now - seen[part][1] > LONGEST_SECONDS and seen[part][0] != _NOBODY
            if hangs or (processes[part].exitcode is not None and told.empty()):
                how = "hangs in" if hangs else f"died ({processes[part].exitcode}) of"
                _take(report, ("difference", f"a process {how} --seed {plan.seed} --only {seen[part][0]}"), say)
                processes[part].kill()
                left.discard(part)
        if now - spoken > 30:
            spoken = now
            say(f"… {report.cases.total()} cases")
    for process in processes:
        process.join(timeout=10)
