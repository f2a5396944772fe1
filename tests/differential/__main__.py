"""The command line: `python -m differential --seed 1 --count 100000 --jobs 2` in tests/."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from differential.cases import Bench, loaded
from differential.keeping import FOLDER
from differential.runner import Plan, examined, run


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("differential", description="Both engines, random and hostile input, one answer.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="how many cases (default: 1000, or no end with --seconds)")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", type=int, help="this case alone, shown in full")
    parser.add_argument("--kinds", default="", help="some kinds only, by commas")
    parser.add_argument("--engines", default="rust,python", help="by commas; one alone is held against its laws")
    parser.add_argument("--keep", type=Path, default=FOLDER, help="where differences are kept")
    parser.add_argument("--keep-none", action="store_true", help="don't write them")
    given = parser.parse_args(argv)
    count = given.count if given.count or given.seconds else 1000
    kinds = tuple(filter(None, given.kinds.split(",")))
    folder = None if given.keep_none else given.keep
    plan = Plan(given.seed, count, given.seconds, given.jobs, kinds, tuple(given.engines.split(",")), folder=folder)
    if given.only is not None:
        warnings.simplefilter("ignore")
        bench = Bench(loaded(plan.engines), plan.kinds)
        case, difference = examined(bench, plan, given.only)
        print(case)
        print(difference or "no difference")
        return 1 if difference else 0
    report = run(plan, lambda said: print(said, flush=True))
    print(report)
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
