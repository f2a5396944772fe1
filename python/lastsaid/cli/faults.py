"""Why a log could not be read, and what to type next."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from lastsaid.cli.commands import COMMANDS
from lastsaid.cli.log import Log
from lastsaid.cli.terminal import fitted
from lastsaid.errors import (
    AmbiguousLogError,
    LastsaidError,
    MalformedEventError,
    MissingExtraError,
    SessionNotFoundError,
    TurnNotFoundError,
)

# Sentences quote names and keys from logs, which may be of any length.
_LONGEST: Final = 400
_SKIP: Final = "skip such lines with --on-malformed skip, or look at all of them with --check"


class Fault(NamedTuple):
    what: str
    hint: str


def fault(error: LastsaidError | OSError, log: Log) -> Fault:
    """The error in two lines."""
    if isinstance(error, OSError):
        return Fault(error.strerror or str(error), _system_hint(error, log))
    what = fitted(str(error), _LONGEST)
    if isinstance(error, TurnNotFoundError):
        return Fault(what, "the last turn is --turn -1" if error.turns else "read without --turn")
    if isinstance(error, SessionNotFoundError):
        return Fault(what, f"name one: {_again('--session ID', log)}" if error.sessions else "read without --session")
    if isinstance(error, AmbiguousLogError):
        both = " and ".join(error.names)
        return Fault(f"it holds both {both}", f"name one: lastsaid {_typed(log).rstrip('/')}/{error.names[0]}")
    if isinstance(error, MissingExtraError):
        return Fault(what, f"pip install 'lastsaid[{error.extra}]', or use the other engine (--engine rust)")
    if isinstance(error, MalformedEventError):
        if error.kind == "wrong_session":
            return Fault(f"the log holds several sessions: {what}", f"name one: {_again('--session ID', log)}")
        if error.kind == "damaged_frame":
            return Fault(what, "read what is sound with --on-malformed skip")
        if error.kind == "too_large":
            return Fault(what, _SKIP)
        if log.encoding is not None:
            return Fault(what, _conversion(log, log.encoding))
        if error.kind == "not_json" and error.line == 1:
            return Fault(what, f"a log is one JSON object a line; {_SKIP}")
        return Fault(what, _SKIP)
    return Fault(what, "lastsaid --help")


def not_a_log(log: Log) -> Fault | None:
    """Why a log in which nothing was found can't have been read, if its first bytes say so."""
    encoding = log.encoding
    if encoding is None:
        return None
    return Fault(f"it is {encoding}, expected UTF-8", _conversion(log, encoding))


def _conversion(log: Log, encoding: str) -> str:
    return f"convert it first: {_with_name(f'iconv -f {encoding} -t UTF-8', log)} | lastsaid -"


def _with_name(command: str, log: Log) -> str:
    """The command with the log's name as one would type it; stdin is there without one."""
    return command if log.is_stdin else f"{command} {_typed(log)}"


def _again(options: str, log: Log) -> str:
    """The same command line with other options."""
    return f"lastsaid {options} -" if log.is_stdin else f"lastsaid {options} {_typed(log)}"


def _typed(log: Log) -> str:
    import shlex

    name = log.path if log.path.isprintable() else log.name
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def _system_hint(error: OSError, log: Log) -> str:
    if log.is_stdin:
        return "pipe a log into it: lastsaid - < LOG"
    if isinstance(error, IsADirectoryError):
        return f"name log files inside it: lastsaid {_typed(log).rstrip('/')}/*.jsonl"
    if isinstance(error, FileNotFoundError):
        if log.path in COMMANDS:
            return f"a command comes before its options: lastsaid {log.path} …"
        return f"see what is there: ls {_folder(log)}"
    if isinstance(error, PermissionError):
        return f"see who may read it: ls -l {_typed(log)}"
    return f"see whether it can be read at all: head -c 1 {_typed(log)}"


def _folder(log: Log) -> str:
    import shlex

    folder = os.path.dirname(log.path) or "."
    return shlex.quote(folder) if folder.isprintable() else "."
