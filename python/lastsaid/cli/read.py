"""`lastsaid read LOG…`: what the agent finally said, log by log.

With several logs as text each has a header, also one that can't be read or has no text: nothing follows then,
and stderr says why. With --json a log's line says everything about the answer, so stderr has only
what could not be read.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from lastsaid._protocol import Engine
from lastsaid.cli.arguments import MisuseError, Parser, integer, ordinal
from lastsaid.cli.choice import ENGINES, chosen_engine
from lastsaid.cli.commands import listing
from lastsaid.cli.faults import Fault, fault, not_a_log
from lastsaid.cli.log import STDIN, Log
from lastsaid.cli.output import Results, results_to, stdout_results
from lastsaid.cli.remarks import FORMATS, Asked, has_text, remarks
from lastsaid.cli.render import header_bytes, json_line, selection_line, text_bytes
from lastsaid.cli.terminal import Talk, file_name, wants_color
from lastsaid.errors import LastsaidError
from lastsaid.selection import Selection

if TYPE_CHECKING:
    from lastsaid.cli.several import Several

TEXT: Final = 0
NO_TEXT: Final = 1
UNREADABLE: Final = 2

_DESCRIPTION: Final = """\
Print what the agent of each LOG finally said: its last message, or without one what it streamed.
Exit code: 0 there is text, 1 readable but no text, 2 misuse or a log that can't be read."""


def parser(prog: str) -> Parser:
    parser = Parser(prog, description=_DESCRIPTION, epilog=listing() if prog == "lastsaid" else None)
    parser.add_argument(
        "logs", metavar="LOG", nargs="*", help="an agent's log (plain, gzip, zstd), a session's directory; - is stdin"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="one line of JSON a log: the answer and where it is from")
    shape.add_argument("--blocks", action="store_true", help="the content blocks as a JSON array, one line a log")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--turn", type=integer, metavar="N", help="the last turn of that number; -1 is the last turn")
    part.add_argument("--since-seq", type=ordinal, metavar="N", help="the events from that seq on")
    part.add_argument("--start", type=integer, metavar="N", help="from record N on; 0 is the header, -1 the last one")
    part.add_argument("--whole", action="store_true", help="all of the log, also what the last run was seeded with")
    parser.add_argument("--session", metavar="ID", help="whose answer, where a log holds several sessions")
    parser.add_argument("--explain", action="store_true", help="which record won, which lost, and why")
    parser.add_argument("--check", action="store_true", help="everything that is wrong with the logs, a line each")
    parser.add_argument("--format", choices=(*FORMATS, "auto"), default="auto", help="the log's format (auto)")
    parser.add_argument(
        "--on-malformed", choices=("raise", "skip"), default="raise", help="what to do with a bad line (raise)"
    )
    parser.add_argument("--engine", choices=ENGINES, help="which engine reads (LASTSAID_ENGINE, else auto)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the results to FILE: whole, or when no log can be read not at all"
    )
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour on a terminal (auto)"
    )
    parser.add_argument("--version", action="store_true", help="print the version and the engine")
    return parser


def run(arguments: Sequence[str], prog: str) -> int:
    options_of = parser(prog)
    options = options_of.parse(arguments, "logs")
    if options.version:
        return _print_version(chosen_engine(options.engine))
    if not options.logs:
        options_of.error("no LOG is named")
    _refuse_contradictions(options, options_of)
    if options.logs.count(STDIN) > 1:
        options_of.error("stdin (-) can be read only once")
    overwritten = next((log for log in options.logs if _is_same_file(log, options.output)), None)
    if overwritten is not None:
        raise MisuseError(
            f"{file_name(overwritten)} is a log and the --output FILE too: it would be lost", "name another FILE"
        )
    engine = chosen_engine(options.engine)
    with results_to(options.output) as results:
        return _check(options, engine, results) if options.check else _Reading(options, engine, results).all()


def _refuse_contradictions(options: argparse.Namespace, options_of: Parser) -> None:
    """Options that say two things about what is printed."""
    if options.explain and options.blocks:
        options_of.error("--explain and --blocks exclude each other")
    if options.check:
        for name in ("explain", "blocks", "whole", "turn", "since_seq", "start", "session"):
            if getattr(options, name) not in (None, False):
                options_of.error(f"--check looks at the whole log: it excludes --{name.replace('_', '-')}")


def _check(options: argparse.Namespace, engine: Engine, results: Results) -> int:
    from lastsaid.cli.check import check_all

    logs = [Log(path) for path in options.logs]
    talk = Talk(options.color)
    return check_all(logs, engine, results, talk, format=options.format, as_json=options.json)


def _is_same_file(log: str, output: str | None) -> bool:
    """Whether writing the results would replace a log; a device or a pipe is not replaced."""
    if output is None or log == STDIN:
        return False
    try:
        return os.path.samefile(log, output) and os.path.isfile(log)
    except OSError:
        return False


def _print_version(engine: Engine) -> int:
    from lastsaid.cli.version import version_line

    with stdout_results() as results:
        results.write(f"{version_line(engine)}\n".encode())
    return TEXT


class _Reading:
    """One run over the logs of a command line."""

    def __init__(self, options: argparse.Namespace, engine: Engine, results: Results) -> None:
        self.engine = engine
        self.results = results
        self.talk = Talk(options.color)
        self.logs = [Log(path) for path in options.logs]
        self.json: bool = options.json
        self.blocks: bool = options.blocks
        self.has_headers = len(self.logs) > 1 and not (self.json or self.blocks)
        self.header_color = wants_color(options.color, results.stream)
        self.asked = Asked(options.blocks, _part(options))
        self.options: dict[str, Any] = {
            "format": options.format,
            "suffix": "whole" if options.whole else "own",
            "session": options.session,
            "start": options.start,
            "turn": options.turn,
            "since_seq": options.since_seq,
            "on_malformed": options.on_malformed,
            "explain": options.explain,
        }
        self.explain: bool = options.explain
        self.several: Several | None = None
        self.part = self.asked.part or ("whole log" if options.whole else "own part")

    def all(self) -> int:
        if len(self.logs) > 1:
            # One log needs none of this, and its start must stay light.
            from lastsaid.cli.several import Several

            # Where results appear on a terminal they say themselves how far it is.
            talk = None if self.results.is_terminal else self.talk
            self.several = Several(self.logs, self.engine, self.options, talk)
        try:
            return self._all()
        finally:
            if self.several is not None:
                self.several.close()

    def _all(self) -> int:
        codes = {self._one(log, is_first=i == 0) for i, log in enumerate(self.logs)}
        if codes - {UNREADABLE}:
            # Were nothing read, an older file would be lost for an empty one.
            self.results.keep()
        return UNREADABLE if UNREADABLE in codes else min(codes)

    def _one(self, log: Log, *, is_first: bool) -> int:
        to_terminal = self.results.is_terminal
        if self.has_headers:
            header = header_bytes(log, is_first=is_first, to_terminal=to_terminal, color=self.header_color)
            self.results.write(header)
            # A log may be long in coming; its name is there before it.
            self.results.flush()
        selection = self._read(log)
        if isinstance(selection, Fault):
            self.talk.error(f"{log.name}: {selection.what}", selection.hint)
            return UNREADABLE
        if self.json:
            self.results.write(selection_line(log, selection, to_terminal=to_terminal))
        elif self.blocks:
            self.results.write(json_line(selection.output, to_terminal=to_terminal))
        elif self.explain:
            from lastsaid.cli.explanation import explanation_text

            shown = explanation_text(log, selection, self.part)
            self.results.write(text_bytes(shown, to_terminal=to_terminal))
        elif has_text(selection):
            self.results.write(text_bytes(selection.text, to_terminal=to_terminal))
        self.results.flush()
        if not self.json:
            for remark in remarks(log, selection, self.asked):
                self.talk.say(*remark)
        return TEXT if has_text(selection) else NO_TEXT

    def _read(self, log: Log) -> Selection | Fault:
        try:
            # Several logs are read side by side; one is by itself.
            alone = {**self.options, "threads": os.cpu_count() or 1}
            selection = self.several.read(log) if self.several else log.read(self.engine, **alone)
        except (LastsaidError, OSError, MemoryError) as error:
            return fault(error, log)
        # Without a line feed in it a compressed file looks like a torn line, and like a silent agent.
        return selection if selection else not_a_log(log) or selection


def _part(options: argparse.Namespace) -> str | None:
    """The option that chose a part of the log."""
    for name in ("turn", "since_seq", "start"):
        if getattr(options, name) is not None:
            return f"--{name.replace('_', '-')}"
    return None
