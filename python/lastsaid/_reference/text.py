"""Joining strings as JavaScript would (S8), and what blank means (S1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from lastsaid._reference.node import get, is_object, items, string

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Unicode's White_Space property, spelt out: str.isspace() also counts U+001C to U+001F.
_NOT_BLANK: Final = re.compile("[^\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


def join(pieces: Iterable[str]) -> str:
    """The pieces with nothing between them; a high half followed by a low half becomes one character."""
    text = "".join(pieces)
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def has_surrogate(text: str) -> bool:
    """Whether joined text holds an unpaired half."""
    return _SURROGATE.search(text) is not None


def is_blank(text: str) -> bool:
    return _NOT_BLANK.search(text) is None


def block_texts(content: list[Any]) -> Iterator[str]:
    """The texts of the blocks that are text."""
    for block in items(content):
        if is_object(block) and string(get(block, "type")) == "text":
            text = string(get(block, "text"))
            if text is not None:
                yield text
