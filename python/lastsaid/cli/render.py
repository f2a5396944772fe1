"""A result as bytes: the text, or a line of JSON. UTF-8 whatever the locale says."""

from __future__ import annotations

import os
import re
from typing import Any, Final

from lastsaid.cli.log import Log
from lastsaid.cli.terminal import colored, escaped, replaced
from lastsaid.selection import Selection

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# What JSON lets stand raw and a terminal would obey; C0 is escaped in JSON anyway.
_UNSAFE: Final = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def text_bytes(text: str, *, to_terminal: bool) -> bytes:
    """The text with one LF at the end if it has none (S11)."""
    shown = escaped(text, keep="\n\t") if to_terminal else replaced(text)
    return (shown if shown.endswith("\n") else f"{shown}\n").encode()


def header_bytes(log: Log, *, is_first: bool, to_terminal: bool, color: bool) -> bytes:
    """`==> PATH <==`, as head and tail write it; on a pipe the path's own bytes."""
    raw = log.name.encode() if to_terminal or log.is_stdin else os.fsencode(log.path)
    before, after = colored("==> \0 <==", "header", on=color).encode().split(b"\0")
    return (b"" if is_first else b"\n") + before + raw + after + b"\n"


def selection_line(log: Log, selection: Selection, *, to_terminal: bool) -> bytes:
    """The whole selection; `log` is the path as it was written."""
    row = selection.to_dict()
    return json_line({"schema": row.pop("schema"), "log": log.path, **row}, to_terminal=to_terminal)


def json_line(value: Any, *, to_terminal: bool) -> bytes:
    """One line of JSON. What UTF-8 can't hold, or a terminal would obey, is escaped as JSON does."""
    import json

    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    pattern = _UNSAFE if to_terminal else _SURROGATE
    return pattern.sub(lambda match: f"\\u{ord(match[0]):04x}", line).encode() + b"\n"
