"""The table of commands. A command is a module with `run(arguments, prog) -> exit code`."""

from __future__ import annotations

from typing import Final, NamedTuple

DEFAULT: Final = "read"


class Command(NamedTuple):
    module: str
    summary: str


COMMANDS: Final[dict[str, Command]] = {
    "read": Command("lastsaid.cli.read", "print what the agent finally said; `lastsaid LOG` is short for it"),
}

USAGE: Final = f"""\
usage: lastsaid [options] LOG ...      print what the agent finally said (- is stdin)
       lastsaid COMMAND ...            commands: {", ".join(COMMANDS)}
       lastsaid --help
"""


def listing() -> str:
    """The commands, one a line, for the end of a help text."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join(["commands:", *lines, "A file that is named like a command is written ./NAME."])
