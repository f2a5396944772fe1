"""Why a log could not be read, and what to type next."""

from __future__ import annotations

import itertools
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
_SUFFIXES: Final = (".jsonl", ".jsonl.zstd", ".jsonl.gz", ".json")
_MOST_ENTRIES: Final = 1000
_SKIP: Final = "skip such lines with --on-malformed skip, or look at all of them with --check"


# Two lines for what happens anywhere.
OUT_OF_MEMORY: Final = ("there is not enough memory to read it", "see how much may be used: ulimit -v")


class Fault(NamedTuple):
    what: str
    hint: str


def fault(error: LastsaidError | OSError | MemoryError, log: Log) -> Fault:
    """The error in two lines."""
    if isinstance(error, OSError):
        return Fault(_system_words(error, log), _system_hint(error, log))
    if isinstance(error, MemoryError):
        return Fault(*OUT_OF_MEMORY)
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


def _system_words(error: OSError, log: Log) -> str:
    """The system's own words; of what a session's directory led to, with its name."""
    what = error.strerror or str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else log.path
    if log.is_stdin or name == log.path:
        return what
    return f"{fitted(os.path.basename(name), _LONGEST)} in it: {what}"


def _system_hint(error: OSError, log: Log) -> str:
    if log.is_stdin:
        return "pipe a log into it: lastsaid - < LOG"
    if isinstance(error, IsADirectoryError):
        is_led = error.filename not in (log.path, os.fsencode(log.path))
        return f"see what is there: ls -la {_typed(log)}" if is_led else _directory_hint(log)
    if isinstance(error, FileNotFoundError):
        if log.path in COMMANDS:
            return f"a command comes before its options: lastsaid {log.path} …"
        return f"see what is there: ls {_folder(log)}"
    if isinstance(error, PermissionError):
        return f"see who may read it: ls -l {_typed(log)}"
    return f"see whether it can be read at all: head -c 1 {_typed(log)}"


def _directory_hint(log: Log) -> str:
    """What to name instead of a directory that is no session's, by what is in it."""
    folder = _typed(log).rstrip("/") or "/"
    suffixes, has_folders = set(), False
    try:
        with os.scandir(log.path) as entries:
            for entry in itertools.islice(entries, _MOST_ENTRIES):
                has_folders = has_folders or entry.is_dir()
                suffixes |= {suffix for suffix in _SUFFIXES if entry.name.endswith(suffix) and not entry.is_dir()}
    except OSError:
        return f"see what is there: ls -la {folder}"
    for suffix in _SUFFIXES:
        if suffix in suffixes:
            return f"name log files inside it: lastsaid {folder}/*{suffix}"
    if has_folders:
        return f"name sessions' directories inside it: lastsaid {folder}/*/"
    return f"see what is there: ls -la {folder}"


def _folder(log: Log) -> str:
    import shlex

    folder = os.path.dirname(log.path) or "."
    return shlex.quote(folder) if folder.isprintable() else "."
