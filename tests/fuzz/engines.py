"""An atheris target: any bytes as a log, a stream, a file; what leads further in the reference is kept and tried on.

    cd tests && python -m fuzz.engines -max_total_time=60 [folders of seeds as the target `fold` of rust/fuzz has them]

The first three bytes are the options. A difference between the engines is an error like any other.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import atheris

with atheris.instrument_imports(include=["lastsaid._reference"]):
    import lastsaid._reference as reference

from differential.cases import Bench, Case, loaded

SUFFIXES = ("suffix", "suffix", "start", "turn", "since_seq")
BENCH = Bench({"rust": loaded(("rust",))["rust"], "python": reference})


def case_of(data: bytes) -> Case | None:
    if len(data) < 3:
        return None
    kind, number, flags = data[0], int.from_bytes(data[1:2], "little", signed=True), data[2]
    log = data[3:]
    suffix = SUFFIXES[kind % 5]
    options: dict[str, Any] = {suffix: ("own", "whole")[kind % 5] if suffix == "suffix" else number}
    if flags & 1:
        options["on_malformed"] = "skip"
    if flags & 2:
        options["max_record_bytes"] = (flags >> 2) + 1
    wanted = ("logs", "sessions", "feeds", "checks")[kind // 5 % 4]
    if wanted == "feeds":
        cuts = [number % (len(log) + 1), flags % (len(log) + 1)]
        framing = ("lines", "sse")[flags >> 7]
        asked = {"log": log, "framing": framing, "cuts": sorted(cuts), "between": [0, 1], "text": False}
    elif wanted == "checks":
        asked = {"log": log, "options": {}}
    else:
        asked = {"log": log, "options": options, "way": flags >> 3 and 1 + len(log) // 40, "explain": bool(flags & 4)}
    return Case(wanted, asked) if wanted in BENCH.kinds else None


def one(data: bytes) -> None:
    case = case_of(data)
    if case is not None:
        difference = BENCH.differ(case)
        if difference is not None:
            raise AssertionError(f"{difference}\n  kind: {case.kind}\n  data: {case.data!r}")


def main() -> None:
    warnings.simplefilter("ignore")  # A debug build says that it is slow.
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
