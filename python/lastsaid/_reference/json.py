"""One record of JSON text: parsed by the standard library, measured by hand where it must be.

`json.loads` is lenient (NaN), limited (depth, digits) and silent about both, so a record is parsed
with hooks that notice, and read a second time, slowly and iteratively, only when something was noticed.
Spec: docs/spec/selection.md S7.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from lastsaid.errors import MalformedEventError

MAX_DEPTH: Final = 512
MAX_DIGITS: Final = 4300

_BOM: Final = b"\xef\xbb\xbf"
_BEGINNINGS: Final = (
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\xff\xfe\x00\x00", "UTF-32 with a byte order mark"),
    (b"\x00\x00\xfe\xff", "UTF-32 with a byte order mark"),
    (b"\xff\xfe", "UTF-16 with a byte order mark"),
    (b"\xfe\xff", "UTF-16 with a byte order mark"),
)


# Stands for an integer of too many digits: a number, and no ordinal. A record that signals is refused for it.
_ANY_NUMBER: Final = -1


@dataclass(slots=True)
class Record:
    """A parsed record and the text it came from, for the checks that only some records need."""

    value: Any
    _text: str
    _suspect: bool

    def check_limits(self) -> None:
        """Raise `too_deep` or `number` for a record that signals (S7)."""
        if not self._suspect:
            return
        seen = _Slow(self._text)
        seen.run()
        if seen.depth > MAX_DEPTH:
            raise MalformedEventError("too_deep", "", f"{seen.depth} levels deep", f"at most {MAX_DEPTH}")
        if seen.bad_number is not None:
            path, found, expected = seen.bad_number
            raise MalformedEventError("number", path, found, expected)


def parse(data: bytes) -> Record:
    """Read one record; raise `not_utf8` or `not_json`."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        for beginning, name in _BEGINNINGS:
            if data.startswith(beginning):
                raise MalformedEventError("not_utf8", "", name, "UTF-8 (convert it first)") from None
        raise MalformedEventError("not_utf8", "", "not UTF-8", "UTF-8") from None
    if data.startswith(_BOM):
        raise MalformedEventError(
            "not_utf8", "", "preceded by a byte order mark", "UTF-8 without one inside the log (remove it)"
        )
    noticed: list[str] = []

    def integer(digits: str) -> Any:
        if len(digits.lstrip("-")) > MAX_DIGITS:
            noticed.append(digits)
            return _ANY_NUMBER
        return int(digits)

    def decimal(digits: str) -> float:
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            noticed.append(digits)
        return number

    try:
        value = json.loads(text, parse_int=integer, parse_float=decimal, parse_constant=_refuse)
    except RecursionError:
        slow = _Slow(text)
        try:
            return Record(slow.run(), text, True)
        except ValueError:
            pass
    except ValueError:
        pass
    else:
        deep = text.count("[") + text.count("{") > MAX_DEPTH
        return Record(value, text, bool(noticed) or deep)
    raise MalformedEventError("not_json", "", "not JSON", "one JSON value")


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_TOKEN: Final = re.compile(
    r'[ \t\n\r]*(?:(?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")'
    r"|(?P<float>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+))"
    r"|(?P<int>-?(?:0|[1-9][0-9]*))|(?P<word>true|false|null)|(?P<mark>[\[\]{},:]))"
)
_WORDS: Final = {"true": True, "false": False, "null": None}
_END: Final = re.compile(r"[ \t\n\r]*\Z")
# A path is shown to people, so it holds no unpaired half of a character.
_HALF: Final = re.compile("[\ud800-\udfff]")


class _Slow:
    """An iterative reader for any depth, that also finds the depth and the first number out of range."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.bad_number: tuple[str, str, str] | None = None
        # One entry an open container: the container and, for an object, the key whose value comes next.
        self.stack: list[tuple[Any, list[str]]] = []

    def run(self) -> Any:
        """The value; ValueError when the text is not one JSON value."""
        self.at = 0
        value, opened = self._value(*self._token())
        root = value
        while opened or self.stack:
            container, key = self.stack[-1]
            kind, token = self._token()
            if token == ("]" if isinstance(container, list) else "}") and kind == "mark":
                self.stack.pop()
                opened = False
                continue
            if not opened:
                if (kind, token) != ("mark", ","):
                    raise ValueError
                kind, token = self._token()
            if isinstance(container, dict):
                if kind != "string" or self._token() != ("mark", ":"):
                    raise ValueError
                key[0] = json.loads(token)
                kind, token = self._token()
            value, opened = self._value(kind, token)
            if isinstance(container, dict):
                container[key[0]] = value
            else:
                container.append(value)
        if not _END.match(self.text, self.at):
            raise ValueError
        return root

    def _token(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match.lastgroup is None:
            raise ValueError
        self.at = match.end()
        return match.lastgroup, match[match.lastgroup]

    def _value(self, kind: str, token: str) -> tuple[Any, bool]:
        """The value that starts with this token, and whether it is a container just opened."""
        if kind == "mark":
            if token not in "[{":
                raise ValueError
            container: Any = [] if token == "[" else {}
            self.stack.append((container, [""]))
            self.depth = max(self.depth, len(self.stack))
            return container, True
        if kind == "string":
            return json.loads(token), False
        if kind == "word":
            return _WORDS[token], False
        return self._number(kind, token), False

    def _number(self, kind: str, token: str) -> Any:
        if kind == "int":
            digits = len(token.lstrip("-"))
            if digits <= MAX_DIGITS:
                return int(token)
            self._notice(f"an integer of {digits} digits", f"at most {MAX_DIGITS}")
            return _ANY_NUMBER
        number = float(token)
        if number in (float("inf"), float("-inf")):
            self._notice("beyond the range of a float", "a finite number")
        return number

    def _notice(self, found: str, expected: str) -> None:
        if self.bad_number is None:
            self.bad_number = (self._path(), found, expected)

    def _path(self) -> str:
        path = ""
        for level, (container, key) in enumerate(self.stack, 1):
            if isinstance(container, list):
                # A container is in its parent already while its own members are read; a number isn't yet.
                path += f"[{len(container) - (level < len(self.stack))}]"
            else:
                name = _HALF.sub("\ufffd", key[0])
                path += f".{name}" if path else name
        return path
