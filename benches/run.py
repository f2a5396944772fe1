"""`make bench`: ask every question, and write what was measured as JSON for tools/bench_page.py.

With --only, the other questions of an earlier run stay in the file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import machine
from contenders import refuse_other_builds
from questions import Question, Scale
from runner import WrongAnswerError, measured

NAMES: Final = (
    "log_file",
    "log_bytes",
    "log_zstd",
    "many_logs",
    "calls",
    "streams",
    "lists",
    "kit_text",
    "growth",
    "startup",
)


def question(name: str) -> Question:
    found = importlib.import_module(f"questions.{name}").QUESTION
    assert isinstance(found, Question)
    return found


def asked(one: Question, scale: Scale) -> Iterator[dict[str, Any]]:
    budget = one.seconds * (3 if scale.full else 1)
    for workload in one.workloads(scale):
        started = perf_counter()
        # Without contenders there are only the reasons why.
        yield measured(workload, budget)
        print(f"  {one.name}: {workload.name} ({perf_counter() - started:.0f} s)", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure, and write what was measured as JSON.")
    parser.add_argument("out", type=Path, help="the JSON file")
    parser.add_argument("--only", nargs="*", choices=NAMES, default=[], help="these questions")
    parser.add_argument("--full", action="store_true", help="logs of 1 GB, lists of 1,000,000, …")
    parser.add_argument("--log-mb", type=int, help="the size of a log, instead of 100 (1,000 in a full run)")
    parser.add_argument("--folder", type=Path, help="where logs are written, instead of the temporary folder")
    options = parser.parse_args()
    refuse_other_builds()
    here = machine.about()
    kept: dict[str, Any] = {}
    if options.only and options.out.exists():
        earlier = json.loads(options.out.read_text(encoding="utf-8"))
        if earlier["machine"]["processor"] == here["processor"]:
            kept = earlier["questions"]
    log_mb = options.log_mb or (1_000 if options.full else 100)
    with tempfile.TemporaryDirectory(prefix="lastsaid-bench-", dir=options.folder) as name:
        scale = Scale(options.full, Path(name), log_mb * 1_000_000)
        if shutil.disk_usage(name).free < 3 * scale.log_bytes:
            print(f"no room for logs of {log_mb} MB here; try --folder or --log-mb", file=sys.stderr)
            return 2
        for each in options.only or NAMES:
            one = question(each)
            try:
                workloads = list(asked(one, scale))
            except WrongAnswerError as wrong:
                print(f"{each}: {wrong}", file=sys.stderr)
                return 1
            kept[each] = {
                "title": one.title,
                "about": one.about,
                "full": options.full,
                "log_mb": log_mb,
                "machine": here,
                "workloads": workloads,
            }
            # After each question, so that an interrupted run leaves what it has.
            run = {"machine": here, "questions": {name: kept[name] for name in NAMES if name in kept}}
            options.out.write_text(json.dumps(run), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
