"""`lastsaid --check LOG…`: everything that is wrong with a log, a line each (docs/spec/selection.md S7).

Exit codes: 0 all logs are sound, 1 some have problems, 2 one couldn't be opened or read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lastsaid._protocol import Engine
from lastsaid.cli.faults import fault
from lastsaid.cli.log import Log
from lastsaid.cli.output import Results
from lastsaid.cli.render import json_line
from lastsaid.cli.terminal import Talk, fitted
from lastsaid.errors import LastsaidError
from lastsaid.problem import Problem

SOUND: Final = 0
PROBLEMS: Final = 1
UNREADABLE: Final = 2
# A sentence quotes keys of the log, which may be of any length.
_LONGEST: Final = 400


def check_all(logs: list[Log], engine: Engine, results: Results, talk: Talk, *, format: str, as_json: bool) -> int:
    """Check each log and return the exit code."""
    codes = set()
    for log in logs:
        try:
            problems = log.check(engine, format=format)
        except (LastsaidError, OSError, MemoryError) as error:
            what, hint = fault(error, log)
            talk.error(f"{log.name}: {what}", hint)
            codes.add(UNREADABLE)
            continue
        codes.add(PROBLEMS if problems else SOUND)
        for line in _lines(log, problems, as_json=as_json, to_terminal=results.is_terminal):
            results.write(line)
        results.flush()
    if codes - {UNREADABLE}:
        results.keep()
    return max(codes)


def _lines(log: Log, problems: list[Problem], *, as_json: bool, to_terminal: bool) -> Iterator[bytes]:
    for problem in problems:
        if as_json:
            yield json_line({"schema": 1, "log": log.path, **problem.to_dict()}, to_terminal=to_terminal)
        else:
            line = "?" if problem.line is None else problem.line
            sentence = fitted(problem.message, _LONGEST)
            yield f"{log.name}:{line}:{problem.offset}: {problem.kind}: {sentence}\n".encode()
