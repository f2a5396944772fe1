"""The command line: `lastsaid LOG…` (docs/spec/cli.md). Results on stdout, everything else on stderr.

Exit codes: 0 there is text; 1 readable, but no text; 2 misuse or something unreadable;
130 interrupted; 141 nobody reads the results any more, as a shell says it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from lastsaid.cli.arguments import MisuseError
from lastsaid.cli.commands import COMMANDS, DEFAULT, USAGE
from lastsaid.cli.output import UnwritableError
from lastsaid.cli.terminal import Talk

__all__ = ["main"]

MISUSE = 2
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; nothing a user can type ends in a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    talk = Talk("auto")
    try:
        return _run(arguments, talk)
    except MisuseError as misuse:
        talk.error(str(misuse), misuse.hint)
        return MISUSE
    except UnwritableError as failure:
        if failure.is_broken_pipe:
            return BROKEN_PIPE
        talk.error(f"{failure.name}: {failure.reason}", failure.hint)
        return MISUSE
    except MemoryError:
        talk.error("there is not enough memory", "see how much may be used: ulimit -v")
        return MISUSE
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: list[str], talk: Talk) -> int:
    if not arguments:
        talk.plain(USAGE)
        return MISUSE
    if arguments[0] in COMMANDS:
        name, prog, rest = arguments[0], f"lastsaid {arguments[0]}", arguments[1:]
    else:
        name, prog, rest = DEFAULT, "lastsaid", arguments
    # A command's module is loaded when it is used: starting must stay light.
    code: int = import_module(COMMANDS[name].module).run(rest, prog)
    return code
