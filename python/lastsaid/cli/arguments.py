"""argparse, but for its ways: errors are two lines, help goes through `Results`, options aren't abbreviated."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from lastsaid.cli.output import stdout_results

MAX_ORDINAL: Final = 2**53 - 1
WIDTH: Final = 100


class MisuseError(Exception):
    """A command line that can't be meant."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, allow_abbrev=False, formatter_class=_Help, **options)
        # Python 3.14 colours help by itself; here colour is for a few words only.
        self.color = False

    def parse(self, arguments: Sequence[str], positional: str) -> argparse.Namespace:
        """Options and names in any order; what follows `--` are names.

        argparse has changed its mind about `--` between intermixed arguments more than once, so it is divided here.
        """
        arguments = list(arguments)
        end = arguments.index("--") if "--" in arguments else len(arguments)
        parsed = self.parse_intermixed_args(arguments[:end])
        setattr(parsed, positional, [*getattr(parsed, positional), *arguments[end + 1 :]])
        return parsed

    def error(self, message: str) -> NoReturn:
        raise MisuseError(message, f"{self.prog} --help")

    def print_help(self, file: Any = None) -> None:
        with stdout_results() as results:
            results.write(self.format_help().encode())


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **options: Any) -> None:
        # argparse makes a formatter also where it only wants the program's name; measuring a terminal is dear.
        super().__init__(prog, max_help_position=30, width=WIDTH)


def integer(text: str) -> int:
    """A whole number as logs know them, negative ones count from the end; `1_000` and `٣` are none."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    if len(digits.lstrip("0")) > len(str(MAX_ORDINAL)) or int(digits) > MAX_ORDINAL:
        raise argparse.ArgumentTypeError(f"{text[:20]} is beyond {MAX_ORDINAL}")
    return int(text)


def ordinal(text: str) -> int:
    """A whole number that isn't negative."""
    number = integer(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is negative, expected 0 or more")
    return number
