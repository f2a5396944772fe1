"""Values as JSON text, plainly or as oddly as RFC 8259 allows: the same value whatever the shape."""

from __future__ import annotations

import json
from typing import Any

from differential.choice import Choice

_SPACES = ("", "", "", "", " ", "\t", "  ", "\r")
_LOSERS = ("null", "[]", '"x"', '{"a":1}', "3", '[{"type":"text","text":"lost"}]')


def is_json(value: Any) -> bool:
    """Whether JSON text can say it as it is."""
    if value is None or isinstance(value, bool | int | str):
        return True
    if isinstance(value, float):
        return value - value == 0.0
    if isinstance(value, list):
        return all(map(is_json, value))
    return isinstance(value, dict) and all(isinstance(key, str) and is_json(inner) for key, inner in value.items())


def rendered(value: Any, choice: Choice) -> bytes:
    """The value as JSON text of one record."""
    roll = choice.random()
    if roll < 0.55:
        return _encoded(json.dumps(value, separators=(",", ":")))
    if roll < 0.75:
        return _encoded(json.dumps(value, ensure_ascii=False))
    return _encoded(choice.of(_SPACES) + _odd(value, choice) + choice.of(_SPACES))


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # An unpaired half has no UTF-8: written as an escape, it is the same string.
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text).encode()


def _odd(value: Any, choice: Choice) -> str:
    """Key order, spacing, escapes, names that occur twice of which the last counts."""
    if isinstance(value, dict):
        items = list(value.items())
        if choice.chance(0.3):
            items = choice.shuffled(items)
        members = [_member(key, _odd(inner, choice), choice) for key, inner in items]
        if members and choice.chance(0.15):
            at = choice.below(len(items))
            members.insert(choice.below(at + 1), _member(items[at][0], choice.of(_LOSERS), choice))
        return "{" + (",".join(members) or choice.of(_SPACES)) + "}"
    if isinstance(value, list):
        return "[" + (",".join(choice.of(_SPACES) + _odd(inner, choice) for inner in value) or choice.of(_SPACES)) + "]"
    return _string(value, choice) if isinstance(value, str) else json.dumps(value)


def _member(key: str, shown: str, choice: Choice) -> str:
    space = choice.of(_SPACES)
    return f"{space}{_string(key, choice)}{space}:{choice.of(_SPACES)}{shown}{space}"


def _string(text: str, choice: Choice) -> str:
    shown = json.dumps(text, ensure_ascii=choice.chance(0.5))
    roll = choice.random()
    if roll < 0.1:
        return shown.replace("/", "\\/")
    if roll < 0.25 and text:
        at = choice.below(len(text))
        code = ord(text[at])
        if code < 0x10000:
            digits = f"\\u{code:04X}" if choice.chance(0.5) else f"\\u{code:04x}"
            return json.dumps(text[:at])[:-1] + digits + json.dumps(text[at + 1 :])[1:]
    return shown
