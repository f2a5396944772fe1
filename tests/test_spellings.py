"""Every key order, spelling, repetition and spacing of a record says the same (spec S6.2, S7 Candidates).

The oracle is `json.loads` and `push`: what a parser makes of a record must not depend on how it is written.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, end_seed, header, message, packed, turn_end, turn_start
from lastsaid import Selection

EVENTS: dict[str, Any] = {
    "message": message("said", {"type": "tool-call", "id": "c"}, id="m1", seq=4),
    "an empty message": {
        "type": "assistant/message",
        "seq": 5,
        "data": {"message": {"content": [], "id": "e"}, "stream": [{"type": "text-chunks", "texts": ["a", "b"]}]},
    },
    "attempt": attempt("x", " y", seq=6),
    "chunk": chunk("z", seq=7),
    "packed row": packed(8, "p", "q"),
    "turn start": turn_start(3, seq=9),
    "turn end": turn_end("max-tokens", seq=10),
    "seed": end_seed(inherited=True),
    "notification": {"method": "session.event", "params": {"sessionId": "s", "event": message("told", seq=1)}},
    "headless": {"type": "session_event", "sessionId": "s", "event": message("told", seq=1)},
}
NAMES = {"type", "data", "message", "content", "stream", "texts", "text", "chunk", "seq", "params", "event", "method"}
SEPARATORS = [(",", ":"), (", ", ": "), (" ,", " :"), ("\t,\r", " : ")]


def orders(value: Any) -> Iterator[Any]:
    """The value with the members of each of its objects in every order, one object at a time."""
    if isinstance(value, dict):
        for items in itertools.permutations(value.items()):
            yield dict(items)
        for name, member in value.items():
            for other in orders(member):
                yield {**value, name: other}
    elif isinstance(value, list):
        for index, element in enumerate(value):
            for other in orders(element):
                yield [*value[:index], other, *value[index + 1 :]]


def strings(value: Any) -> Iterator[str]:
    """The names and words by which an event is told from others."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name in NAMES:
                yield name
            if name in ("type", "method") and isinstance(member, str):
                yield member
            yield from strings(member)
    elif isinstance(value, list):
        for element in value:
            yield from strings(element)


def spelt(word: str) -> Iterator[str]:
    """The word in JSON with each of its characters escaped, and all of them."""
    for escape in ("\\u{:04x}", "\\u{:04X}"):
        yield "".join(escape.format(ord(letter)) for letter in word)
        for at, letter in enumerate(word):
            yield word[:at] + escape.format(ord(letter)) + word[at + 1 :]
    if "/" in word:
        yield word.replace("/", "\\/")


def spellings(event: Any) -> Iterator[str]:
    for ordered in orders(event):
        yield json.dumps(ordered, separators=(",", ":"))
    for separators in SEPARATORS:
        yield json.dumps(event, separators=separators)
        yield f" {json.dumps(event, separators=separators)}\t"
    plain = json.dumps(event, separators=(",", ":"))
    for word in sorted(set(strings(event))):
        quoted = f'"{word}"'
        places = [at for at in range(len(plain)) if plain.startswith(quoted, at)]
        for at in places:
            for other in spelt(word):
                yield f'{plain[:at]}"{other}"{plain[at + len(quoted) :]}'
    # The last of several members of one name counts, whatever was said before it and however it is spelt.
    for name, value in event.items():
        written = json.dumps(value, separators=(",", ":"))
        for before in ("null", '"session"', '{"a":[{}]}', "1", written):
            for other in (name, next(spelt(name))):
                yield f'{{"{other}":{before},{plain[1:]}'
                yield f'{plain[:-1]},"{other}":{before},"{name}":{written}}}'


def said(selection: Selection) -> tuple[Any, ...]:
    found = selection
    return (found.source, found.output, found.text, found.seq, found.message_id, found.stop_reason, found.warnings)


@pytest.mark.parametrize("name", EVENTS)
def test_a_record_says_the_same_however_it_is_written(engine: ModuleType, name: str) -> None:
    first = json.dumps(header(), separators=(",", ":"))
    written = sorted(set(spellings(EVENTS[name])))
    assert len(written) > 80
    for text in written:
        fold = engine.AssistantOutputFold()
        fold.push(header())
        fold.push(json.loads(text))
        expected = said(fold.selection())
        by_text = engine.AssistantOutputFold()
        by_text.push_json(first)
        by_text.push_json(text)
        assert said(by_text.selection()) == expected, text
        if name != "seed" and "\r" not in text.strip():
            log = f"{first}\n{text}\n".encode()
            assert said(engine.read_bytes(log, suffix="whole")) == expected, text
