"""Write the generated part of benches/README.md from a run's JSON.

`python tools/bench_page.py RUN.json [--readme FILE]`: what stands between the markers is replaced, the prose around
them stays. Everything comes from the run, and nothing of it names a path of the machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench_results import Answered, Measured, Results, ratio
from bench_verdicts import targets, verdict_table, verdicts
from bench_words import MISSING, duration, multiple, size, table

README: Final = Path(__file__).resolve().parent.parent / "benches" / "README.md"
BEGIN: Final = "<!-- measured: written by tools/bench_page.py -->"
END: Final = "<!-- measured: end -->"
RUST: Final = "rust"
MOST_COLUMNS: Final = 4
TARGETS: Final = (
    "`÷`: the time of the first divided by that of the second. `beside it`: no target, but what a person would ask. "
    "Logs are of 100 MB in `make bench` and of 1 GB in `make bench-full`."
)


class PageError(Exception):
    """The page or the run can't be used."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the generated part of benches/README.md from a run's JSON.")
    parser.add_argument("run", type=Path, help="the file that benches/run.py wrote")
    parser.add_argument("--readme", type=Path, default=README, help="the page with the markers")
    options = parser.parse_args(arguments)
    try:
        results = Results.load(options.run)
        page = replaced(options.readme.read_text(encoding="utf-8"), written(results, options.readme.parent))
    except (PageError, OSError, KeyError, ValueError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    options.readme.write_text(page, encoding="utf-8")
    return 0


def replaced(page: str, generated: str) -> str:
    """The page with what stands between its markers replaced. Raises PageError."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PageError(f"the page has no markers {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{generated}\n{END}{after}"


def written(results: Results, folder: Path) -> str:
    if not results.questions:
        raise PageError("the run holds no measurements")
    parts = [machine(results), "## Targets", TARGETS, verdict_table(verdicts(targets.TARGETS, results))]
    parts += pictures(folder)
    for asked in results.questions.values():
        parts += section(asked, results)
    return "\n\n".join(parts)


def machine(results: Results) -> str:
    about = results.machine
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items() if version)
    absent = [name for name, version in about["versions"].items() if not version]
    memory = f", {about['memory'] / 2**30:.0f} GiB" if about["memory"] else ""
    lines = [
        f"Measured on {about['processor']}, {about['cores']} cores{memory}, {about['system']}, {about['python']}; "
        f"{versions}. Commit `{about['commit']}`. Page cache warm. Medians of interleaved rounds; in brackets the "
        "multiple of the Rust engine, the median of the rounds' own ratios.",
    ]
    if absent:
        lines.append(f"**Not installed here:** {', '.join(absent)}.")
    return "\n\n".join(lines)


def pictures(folder: Path) -> Iterator[str]:
    for path in sorted((folder / "plots").glob("*.png")):
        yield f"![{path.stem.replace('_', ' ')}](plots/{path.name})"


def section(asked: Answered, results: Results) -> Iterator[str]:
    workloads = list(asked.workloads.values())
    yield f"## {asked.title}"
    if asked.machine["commit"] != results.machine["commit"]:
        yield f"Measured earlier, at commit `{asked.machine['commit']}`."
    logs = f" Logs of {asked.log_mb:,} MB." if asked.name.startswith("log_") else ""
    yield f"{asked.about}{logs} `{asked.command}`"
    yield times(workloads)
    if any(timing.memory is not None for one in workloads for timing in one.timings.values()):
        yield "Growth of the peak of memory, each in a process of its own:"
        yield memories(workloads)
    yield from absences(workloads)


def times(workloads: list[Measured]) -> str:
    """A row a contender and a column a workload, or the other way round where there are many workloads."""
    fed = {timing.name: timing.fed for one in workloads for timing in one.timings.values()}
    units = {one.unit for one in workloads}
    each = f"per {units.pop()}" if len(units) == 1 and "answer" not in units else ""
    if len(workloads) > MOST_COLUMNS:
        rows = [[row_name(one, each), *(cell(one, name) for name in fed)] for one in workloads]
        return table([each, *fed], rows)
    told = any(fed.values())
    rows = [[name, *([what] if told else []), *(cell(one, name) for one in workloads)] for name, what in fed.items()]
    head = [each, *(["fed with"] if told else []), *(one.name for one in workloads)]
    return table(head, rows, left=2 if told else 1)


def row_name(measured: Measured, each: str) -> str:
    """With the unit of work, where the table's head can't say it."""
    return measured.name if each or measured.unit == "answer" else f"{measured.name}, per {measured.unit}"


def cell(measured: Measured, name: str) -> str:
    timing = measured.timings.get(name)
    if timing is None:
        return MISSING
    rust = measured.timings.get(RUST)
    if rust is None or name == RUST:
        return duration(timing.seconds)
    return f"{duration(timing.seconds)} ({multiple(ratio(timing, rust))})"


def memories(workloads: list[Measured]) -> str:
    names = unique(timing.name for one in workloads for timing in one.timings.values() if timing.memory is not None)
    rows = []
    for name in names:
        found = [one.timings.get(name) for one in workloads]
        rows.append([name, *(MISSING if one is None or one.memory is None else size(one.memory) for one in found)])
    return table(["", *(one.name for one in workloads)], rows)


def absences(workloads: list[Measured]) -> Iterator[str]:
    """Who is missing is said, with the reason."""
    reasons = unique(f"{name}: {why}" for one in workloads for name, why in one.missing.items())
    if reasons:
        yield "Not measured: " + "; ".join(reasons) + "."


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


if __name__ == "__main__":
    sys.exit(main())
