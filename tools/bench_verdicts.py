"""A run held against the targets of benches/targets.py."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from bench_results import ONLY_FULL, Results, difference, ratio
from bench_words import MISSING, duration, multiple, size, table


def _targets() -> ModuleType:
    """benches/targets.py, without putting that folder's other names on the path."""
    path = Path(__file__).resolve().parent.parent / "benches" / "targets.py"
    spec = importlib.util.spec_from_file_location("bench_targets", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} can't be loaded")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


targets: Any = _targets()

Met = Literal["yes", "no", "goal", "–"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target: what was wanted, what was measured, and whether it is enough."""

    work: str
    compared: str
    wanted: str
    measured: str
    met: Met
    command: str


def verdicts(wanted: Iterable[targets.Target], results: Results) -> list[Verdict]:
    return [_verdict(one, results) for one in wanted]


def verdict_table(found: Iterable[Verdict]) -> str:
    rows = []
    before = None
    for one in found:
        # The work is said once.
        rows.append(
            ["" if one.work == before else one.work, one.compared, one.wanted, one.measured, _met(one.met), one.command]
        )
        before = one.work
    return table(["work", "compared", "target", "measured", "met?", "command"], rows, left=6)


def _met(met: Met) -> str:
    return {"yes": "yes", "goal": "yes, and the goal", "no": "**no**"}.get(met, MISSING)


def _verdict(one: targets.Target, results: Results) -> Verdict:
    if isinstance(one, targets.Ratio):
        return _of_ratio(one, results)
    if isinstance(one, targets.Memory):
        return _of_memory(one, results)
    return _of_added(one, results)


def _of_ratio(one: targets.Ratio, results: Results) -> Verdict:
    compared = f"{one.workload}: {one.over} ÷ {one.under}"
    if one.at_least is not None:
        wanted = f"at least {multiple(one.at_least)}"
    elif one.at_most is not None:
        wanted = f"at most {multiple(one.at_most)}"
    else:
        wanted = "beside it"
    if one.goal is not None:
        wanted += f", goal {multiple(one.goal)}"
    over = results.timing(one.question, one.workload, one.over)
    under = results.timing(one.question, one.workload, one.under)
    if over is None or under is None:
        return _missing(one, compared, wanted, results, one.over if over is None else one.under)
    value = ratio(over, under)
    if one.at_least is not None:
        met: Met = "no" if value < one.at_least else "goal" if one.goal is not None and value >= one.goal else "yes"
    elif one.at_most is None:
        met = MISSING
    else:
        met = "no" if value > one.at_most else "goal" if one.goal is not None and value <= one.goal else "yes"
    return Verdict(one.work, compared, wanted, multiple(value), met, _command(one, results))


def _of_memory(one: targets.Memory, results: Results) -> Verdict:
    compared = f"{one.workload}: growth of memory, {one.contender}"
    wanted = f"at most {size(one.most)}" if one.most else "at most"
    if one.per_text_byte:
        wanted += f"{' + ' if one.most else ' '}{one.per_text_byte:g} bytes a byte of text"
    timing = results.timing(one.question, one.workload, one.contender)
    if timing is None or timing.memory is None:
        return _missing(one, compared, wanted, results, one.contender)
    text = results.questions[one.question].workloads[one.workload].about.get("text_bytes", 0)
    met: Met = "yes" if timing.memory <= one.most + one.per_text_byte * text else "no"
    measured = size(timing.memory)
    if one.per_text_byte and text:
        measured += f" ({max(0, timing.memory - one.most) / text:.2g} a byte)"
    return Verdict(one.work, compared, wanted, measured, met, _command(one, results))


def _of_added(one: targets.Added, results: Results) -> Verdict:
    compared = f"{one.workload}: {one.contender} − {one.baseline}"
    wanted = f"at most {duration(one.at_most)}"
    timing = results.timing(one.question, one.workload, one.contender)
    baseline = results.timing(one.question, one.workload, one.baseline)
    if timing is None or baseline is None:
        return _missing(one, compared, wanted, results, one.contender if timing is None else one.baseline)
    value = difference(timing, baseline)
    met: Met = "yes" if value <= one.at_most else "no"
    return Verdict(one.work, compared, wanted, duration(value), met, _command(one, results))


def _missing(one: Any, compared: str, wanted: str, results: Results, contender: str) -> Verdict:
    why = results.why_missing(one.question, one.workload, contender)
    command = f"`make bench-full ONLY={one.question}`" if why == ONLY_FULL else _command(one, results)
    return Verdict(one.work, compared, wanted, why, MISSING, command)


def _command(one: Any, results: Results) -> str:
    asked = results.questions.get(one.question)
    return f"`{asked.command if asked else f'make bench ONLY={one.question}'}`"
