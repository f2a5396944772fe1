"""How the reference looks at a Python object: S1's objects, lists, strings and ordinals, and bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from lastsaid.errors import MalformedEventError

MISSING: Final = object()
MAX_ORDINAL: Final = 2**53 - 1


# Dicts, lists, strings and integers are told by their type, never by what `__class__` claims: a proxy is none of them.


def is_object(value: Any) -> bool:
    # Nearly everything is a plain dict, and an abstract class is slow to ask.
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return type(value) is list or issubclass(type(value), list)


def get(node: Any, key: str) -> Any:
    """The member of an object, or MISSING. A subclass of dict is read as the dict it is."""
    if type(node) is dict:
        return node.get(key, MISSING)
    if issubclass(type(node), dict):
        return dict.get(node, key, MISSING)
    try:
        return node[key]
    except KeyError:
        return MISSING


def items(node: list[Any]) -> Iterator[Any]:
    """The elements of a list. A subclass of list is read as the list it is."""
    return list.__iter__(node)


def length(node: list[Any]) -> int:
    return list.__len__(node)


def string(value: Any) -> str | None:
    """The plain `str` of a string, or None for anything else."""
    if type(value) is str:
        return value
    return "".join((value,)) if issubclass(type(value), str) else None


def is_integer(value: Any) -> TypeGuard[int]:
    return issubclass(type(value), int) and type(value) is not bool


def ordinal(value: Any) -> int | None:
    """An integer from 0 to 2^53 - 1, or None for anything else (S1)."""
    if is_integer(value):
        number = int.__index__(value)
        return number if 0 <= number <= MAX_ORDINAL else None
    return None


def shape(value: Any) -> str:
    """What a value is, in the words of an error message (S7)."""
    if value is None:
        return "null"
    kind = type(value)
    if kind is bool:
        return "a boolean"
    if issubclass(kind, int | float):
        return "a number"
    if issubclass(kind, str):
        return "a string"
    if is_list(value):
        return "a list"
    if is_object(value):
        return "an object"
    return f"a Python {type(value).__name__}"


def is_buffer(value: Any) -> bool:
    """Whether an object exposes bytes."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def as_bytes(record: Any, what: str) -> bytes:
    """The bytes of a bytes-like object or the UTF-8 of a string."""
    text = string(record)
    if text is not None:
        try:
            return text.encode()
        except UnicodeEncodeError:
            raise MalformedEventError(
                "not_utf8", "", "a string with an unpaired surrogate", "text that UTF-8 can hold"
            ) from None
    if is_buffer(record):
        return bytes(memoryview(record))
    raise TypeError(f"{what} takes bytes, bytearray, memoryview or str, not {type(record).__name__}")
