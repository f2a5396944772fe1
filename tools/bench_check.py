"""Count the instructions of the engine's main work under callgrind, and hold them against benches/instructions.json.

`python tools/bench_check.py PYTHON [--update]`, where PYTHON is the benches' own. Counts don't depend on how busy a
machine is: what takes 5 % more than it did is a regression, named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench_words import table

BENCHES: Final = Path(__file__).resolve().parent.parent / "benches"
KEPT: Final = BENCHES / "instructions.json"
TOLERANCE: Final = 0.05
MARK: Final = "lastsaid_bench_mark"
SECONDS: Final = 900
UPDATE: Final = "make bench-check UPDATE=1"


class CheckError(Exception):
    """Nothing can be compared here; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Change:
    """A count that is no longer what it was."""

    name: str
    before: int
    after: int

    @property
    def percent(self) -> float:
        return 100 * (self.after - self.before) / self.before


@dataclass(slots=True)
class Comparison:
    """What the counts say, beside those that were kept."""

    regressions: list[Change] = field(default_factory=list)
    improvements: list[Change] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


def compared(kept: Mapping[str, int], found: Mapping[str, int], tolerance: float = TOLERANCE) -> Comparison:
    """What is more than `tolerance` away; a count that is gone would hide a regression."""
    result = Comparison(
        new=[name for name in found if name not in kept], gone=[name for name in kept if name not in found]
    )
    for name, before in kept.items():
        if name not in found:
            continue
        change = Change(name, before, found[name])
        if change.after > before * (1 + tolerance):
            result.regressions.append(change)
        elif change.after < before * (1 - tolerance):
            result.improvements.append(change)
    return result


def report(result: Comparison) -> tuple[str, int]:
    """In words, and the exit code: 1 for a regression, or for work that is no longer counted."""
    parts = []
    if result.regressions:
        parts.append("More instructions than before:\n\n" + _changes(result.regressions))
    if result.gone:
        parts.append("No longer counted: " + ", ".join(result.gone) + f". If that is meant: `{UPDATE}`")
    if result.improvements:
        parts.append(f"Fewer instructions; keep them with `{UPDATE}`:\n\n" + _changes(result.improvements))
    if result.new:
        parts.append("Not kept yet: " + ", ".join(result.new) + f". Keep them with `{UPDATE}`")
    if not parts:
        parts.append(f"Instruction counts are within {TOLERANCE:.0%} of what they were.")
    return "\n\n".join(parts), 1 if result.regressions or result.gone else 0


def _changes(changes: Sequence[Change]) -> str:
    rows = [
        [one.name, f"{one.before:,}", f"{one.after:,}", f"{one.percent:+.1f} %"]
        for one in sorted(changes, key=lambda change: -abs(change.percent))
    ]
    return table(["work", "before", "after", "change"], rows)


def per_call(totals: Sequence[int], works: Sequence[tuple[str, int]]) -> dict[str, int]:
    """The instructions of one: three dumps a work, up to it, n times and 2n times. Raises CheckError."""
    if len(totals) != 3 * len(works):
        raise CheckError(f"callgrind wrote {len(totals)} dumps, expected {3 * len(works)}: is `{MARK}` found?")
    counts = {}
    for at, (name, count) in enumerate(works):
        once, twice = totals[3 * at + 1], totals[3 * at + 2]
        counts[name] = round((twice - once) / count)
        if counts[name] <= 0:
            raise CheckError(f"{name}: twice the work took {twice:,} instructions, once {once:,}")
    return counts


def counted(python: Path) -> dict[str, int]:
    """Run the work under callgrind. Raises CheckError."""
    if shutil.which("valgrind") is None:
        raise CheckError(
            "make bench-check needs valgrind, which isn't installed here (Debian: apt-get install valgrind)"
        )
    script = BENCHES / "instructions.py"
    environment = os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory(prefix="lastsaid-check-") as name:
        folder = Path(name)
        _run([str(python), str(script), "prepare", name], environment)
        dumps = folder / "dumps"
        dumps.mkdir()
        callgrind = ["valgrind", "-q", "--tool=callgrind", f"--dump-before={MARK}"]
        callgrind.append(f"--callgrind-out-file={dumps / 'out'}")
        printed = _run([*callgrind, str(python), str(script), "run", name], environment)
        works = [(str(work), int(count)) for work, count in json.loads(printed.splitlines()[-1])]
        # out.1, out.2, … at each mark; `out` itself is what came after the last.
        found = sorted(dumps.glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return per_call([_total(path) for path in found], works)


def _total(path: Path) -> int:
    match = re.search(r"^totals: (\d+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    if match is None:
        raise CheckError(f"callgrind's {path.name} has no totals")
    return int(match[1])


def _run(command: list[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    if done.returncode:
        raise CheckError(f"{Path(command[0]).name} ended with {done.returncode}")
    return done.stdout


def here(python: Path) -> dict[str, Any]:
    """What the counts depend on."""
    asked = "import platform; print(platform.python_version())"
    return {
        "machine": platform.machine(),
        "python": subprocess.run([str(python), "-c", asked], check=True, capture_output=True, text=True).stdout.strip(),
        "rustc": _version("rustc"),
        "valgrind": _version("valgrind"),
    }


def _version(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    match = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
    return match[0] if match else "unknown"


def refuse_others(kept: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Counts of another interpreter or processor say nothing. Raises CheckError."""
    for what in ("machine", "python"):
        before, after = (str(about[what]).rpartition(".")[0] or about[what] for about in (kept, now))
        if before != after:
            raise CheckError(
                f"the counts were kept with {what} {kept[what]}, this is {now[what]}: they can't be compared. "
                f"Build the commit before yours, `{UPDATE}`, and compare with that"
            )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Hold instruction counts against benches/instructions.json.")
    parser.add_argument("python", type=Path, help="the benches' own")
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--update", action="store_true", help="keep what is counted now")
    options = parser.parse_args(arguments)
    try:
        about = here(options.python)
        kept = {} if options.update else json.loads(options.kept.read_text(encoding="utf-8"))
        if kept:
            refuse_others(kept["about"], about)
        counts = counted(options.python)
    except (CheckError, OSError, subprocess.SubprocessError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.update:
        options.kept.write_text(json.dumps({"about": about, "counts": counts}, indent=1) + "\n", encoding="utf-8")
        print(f"{len(counts)} counts kept in {options.kept.name}")
        return 0
    if about["rustc"] != kept["about"]["rustc"]:
        print(f"note: the counts were kept with rustc {kept['about']['rustc']}, this is {about['rustc']}")
    words, code = report(compared(kept["counts"], counts))
    print(words)
    return code


if __name__ == "__main__":
    sys.exit(main())
