"""Write the table of benches/README.md from pytest-benchmark's JSON.

`python tools/bench_table.py RUN.json [--readme FILE]`: what stands between the markers is replaced; everything comes
from the run itself, and nothing of it names a path of the machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

README: Final = Path(__file__).resolve().parent.parent / "benches" / "README.md"
BEGIN: Final = "<!-- table: written by tools/bench_table.py -->"
END: Final = "<!-- table end -->"
# These come first, and the floor last; the others in the order in which they ran.
FIRST: Final = ("rust", "python")
FLOOR: Final = "floor"
MISSING: Final = "–"


@dataclass(frozen=True, slots=True)
class Timing:
    """The median of one contender on one workload, by unit of work."""

    question: str
    workload: str
    contender: str
    unit: str
    seconds: float
    peak_growth: int | None

    @classmethod
    def of(cls, benchmark: dict[str, Any]) -> Timing:
        about = benchmark["extra_info"]
        return cls(
            about["question"],
            about["workload"],
            about["contender"],
            about["unit"],
            benchmark["stats"]["median"] / about["units"],
            about.get("peak_growth"),
        )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the table of benches/README.md from a run's JSON.")
    parser.add_argument("run", type=Path, help="the file of pytest's --benchmark-json")
    parser.add_argument("--readme", type=Path, default=README, help="the page with the markers")
    options = parser.parse_args(arguments)
    run = json.loads(options.run.read_text(encoding="utf-8"))
    page = options.readme.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"{options.readme.name} has no markers {BEGIN} … {END}", file=sys.stderr)
        return 2
    timings = [Timing.of(benchmark) for benchmark in run["benchmarks"]]
    if not timings:
        print("the run holds no timings", file=sys.stderr)
        return 2
    written = "\n\n".join([machine(run), *tables(timings)])
    options.readme.write_text(f"{before}{BEGIN}\n{written}\n{END}{after}", encoding="utf-8")
    return 0


def machine(run: dict[str, Any]) -> str:
    """What ran where, and the command."""
    info = run["machine_info"]
    bench = info["bench"]
    versions = ", ".join(f"{name} {version}" for name, version in bench["versions"].items())
    environment = "" if bench["log_mb"] == 20 else f"LASTSAID_BENCH_MB={bench['log_mb']} "
    environment += "LASTSAID_BENCH_BIG=1 " if bench["big"] else ""
    rust = "" if bench["rust"] else " **This build has no Rust engine.**"
    return (
        f"Measured with `{environment}make bench` on {info['cpu'].get('brand_raw', 'an unnamed processor')}, "
        f"{info['cpu']['count']} cores, {info['system']}, "
        f"{info['python_implementation']} {info['python_version']}, {versions}. "
        f"Logs of {bench['log_mb']} MB, page cache warm. Medians; in brackets the multiple of the Rust engine.{rust}"
    )


def tables(timings: list[Timing]) -> Iterable[str]:
    for question in unique(timing.question for timing in timings):
        asked = [timing for timing in timings if timing.question == question]
        yield f"### {question}"
        yield time_table(asked)
        if any(timing.peak_growth is not None for timing in asked):
            yield "Growth of peak memory during the first such call of a process:"
            yield memory_table(asked)


def time_table(asked: list[Timing]) -> str:
    names = contenders(asked)
    engines = [name for name in FIRST if name in names] if FLOOR in names else []
    unit = asked[0].unit
    head = ["" if unit == "answer" else f"per {unit}", *names, *(f"{name} ÷ floor" for name in engines)]
    rows = []
    for workload in unique(timing.workload for timing in asked):
        found = {timing.contender: timing.seconds for timing in asked if timing.workload == workload}
        cells = [with_ratio(name, found) for name in names]
        cells += [ratio(found.get(name), found.get(FLOOR)) for name in engines]
        rows.append([workload, *cells])
    return table(head, rows)


def memory_table(asked: list[Timing]) -> str:
    names = [name for name in contenders(asked) if name != FLOOR]
    rows = []
    for workload in unique(timing.workload for timing in asked):
        found = {timing.contender: timing.peak_growth for timing in asked if timing.workload == workload}
        rows.append([workload, *(size(found.get(name)) for name in names)])
    return table(["", *names], rows)


def contenders(asked: list[Timing]) -> list[str]:
    found = unique(timing.contender for timing in asked)
    others = [name for name in found if name not in FIRST and name != FLOOR]
    return [*FIRST, *others, *([FLOOR] if FLOOR in found else [])]


def with_ratio(name: str, found: dict[str, float]) -> str:
    if name not in found:
        return MISSING
    if name == "rust" or "rust" not in found:
        return duration(found[name])
    return f"{duration(found[name])} ({ratio(found[name], found['rust'])})"


def ratio(part: float | None, whole: float | None) -> str:
    if part is None or whole is None:
        return MISSING
    times = part / whole
    return f"{times:,.0f}×" if times >= 100 else f"{times:.3g}×"


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{figures(seconds / scale)} {unit}"
    return f"{figures(seconds / 1e-9)} ns"


def size(count: int | None) -> str:
    return MISSING if count is None else f"{count / 1e6:.1f} MB"


def figures(value: float) -> str:
    """Three of them."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


if __name__ == "__main__":
    sys.exit(main())
