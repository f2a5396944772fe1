"""Strings of every width, and events that run code of their own while they are read (spec S1, S8, S10).

The Rust engine looks into strings, dicts and lists without asking Python, so these aim at what it then relies on.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, message, text, turn_end, turn_start
from lastsaid import FoldBusyError

ASCII, LATIN, WIDE, WIDEST = "a~\x00\x7f", "\x80é\xff", "\u0100文\uffff", "\U00010000🎉\U0010ffff"
HALVES = ["\ud800", "\udbff", "\udc00", "\udfff"]
WIDTHS = [ASCII, LATIN, WIDE, WIDEST, *HALVES]


class Word(str):
    """Read as the string it is: nothing of this is called."""

    def encode(self, *_: Any) -> bytes:
        raise AssertionError("called")

    __str__ = __len__ = __iter__ = __getitem__ = __eq__ = encode  # type: ignore[assignment]
    __hash__ = str.__hash__


def pieces() -> Iterator[list[str]]:
    """Every width beside every other, and lengths around those that are copied at once."""
    yield from ([first, second] for first in WIDTHS for second in WIDTHS)
    yield from ([(width * 70)[:length], "|"] for width in WIDTHS for length in (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 65))
    yield from ([f"{ASCII * 30}{width}", width] for width in WIDTHS)


def joined(said: list[str]) -> str:
    return "".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@pytest.mark.parametrize("made", [str, Word], ids=["str", "subclass"])
@pytest.mark.parametrize("how", ["push_text", "extend_text", "iterator", "chunks", "packed", "blocks"])
def test_strings_of_every_width_come_out_as_they_went_in(engine: ModuleType, how: str, made: type[str]) -> None:
    """spec S8, S1: halves meet across pieces of any width; a subclass of str is the str it is."""
    for said in pieces():
        given = list(map(made, said))
        fold = engine.AssistantOutputFold()
        if how == "push_text":
            list(map(fold.push_text, given))
        elif how == "extend_text":
            fold.extend_text(given)
        elif how == "iterator":
            fold.extend_text(iter(given))
        else:
            events = {"chunks": [chunk(piece) for piece in given], "packed": [attempt(*given)]}
            fold.extend(events.get(how, [message(*given)]))
        assert fold.text == joined(said), ascii(said)
        if how != "blocks":
            (block,) = fold.collect()
            assert type(block["text"]) is str
            assert block["text"] == joined(said)


@pytest.mark.parametrize("how", ["push_text", "extend_text", "packed", "type"])
def test_strings_are_left_as_they_were(engine: ModuleType, how: str) -> None:
    """Python would keep a copy in UTF-8 within each string that somebody asked it for."""
    if ".abi3." in (engine.__file__ or ""):
        pytest.skip("the stable ABI has no other way to the characters")
    said = ["".join(["é", "文", "🎉"]) * 50 + str(number) for number in range(3)]
    sizes = list(map(sys.getsizeof, said))
    fold = engine.AssistantOutputFold()
    if how == "push_text":
        list(map(fold.push_text, said))
    elif how == "extend_text":
        fold.extend_text(said)
    else:
        fold.extend([attempt(*said)] if how == "packed" else [{"type": name} for name in said])
    fold.collect()
    assert list(map(sys.getsizeof, said)) == sizes


@pytest.mark.parametrize(
    ("said", "blank"),
    [
        *(("\x0b \t\n\r\x0c", True), ("\x1c", False), ("\x85\xa0", True), ("\xa0é", False), ("\u2003\u3000", True)),
        *(
            ("\u3000文", False),
            ("\ufeff", False),
            ("\u2028\U0001f389", False),
            ("\ud800", False),
            ("\u3000\udc00", False),
        ),
        *((" " * 99, True), (" " * 99 + "x", False), ("", True)),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("made", [str, Word], ids=["str", "subclass"])
def test_blank_text_of_every_width(engine: ModuleType, said: str, blank: bool, made: type[str]) -> None:
    """spec S1 Blank, S9 earlier_text: the message before counts where the last has no more than white space."""
    events = [message("before"), message(made(said))]
    selection = engine.select(events)
    assert ("textless" in selection.warnings) is blank
    assert (selection.earlier_text is not None) is blank


def test_extend_text_stops_at_the_first_that_is_no_string(engine: ModuleType) -> None:
    """spec S5 extend: what came before it counts, in any state."""
    for before in ([], [chunk("x")], [message("x")]):
        fold = engine.AssistantOutputFold()
        fold.extend(before)
        with pytest.raises(TypeError, match="piece 2 is one, not int"):
            fold.extend_text(["", "b", 3, "d"])
        assert fold.text == ("x" if before else "") + ("" if before == [message("x")] else "b")
        assert fold.__reduce__()[1][0]["count"] == len(before) + 2


def test_the_place_of_streamed_text_is_its_first_piece_that_is_not_empty(engine: ModuleType) -> None:
    """spec S9 place: also in one call with many pieces."""
    for given in (list, iter):
        fold = engine.AssistantOutputFold()
        fold.extend_text(given(["", "", "x", "y"]))
        assert fold.selection().index == 2


# --- names that are no plain strings, members in any order


@pytest.mark.parametrize("made", [str, Word], ids=["str", "subclass"])
def test_names_and_types_may_be_subclasses(engine: ModuleType, made: type[str]) -> None:
    """spec S1: also of a member's name, which then is found by its hash and by Python's comparison."""

    class Name(str):
        __slots__ = ()

    for name in (str, Name):
        event = {name("type"): made("assistant/attempt"), name("data"): attempt("x")["data"]}
        assert engine.final_assistant_output([event]) == [text("x")]
        fold = engine.AssistantOutputFold()
        fold.push(event)
        assert fold.text == "x"


@pytest.mark.parametrize("first", ["typf", "typ", "types", "tÿpe", "ty文e", 3, None, ("type",), b"type"], ids=repr)
def test_the_type_need_not_come_first(engine: ModuleType, first: Any) -> None:
    said = {first: "assistant/message", **attempt("x")}
    assert engine.final_assistant_output([said]) == [text("x")]
    fold = engine.AssistantOutputFold()
    fold.push(said)
    assert fold.text == "x"


@pytest.mark.parametrize(
    "kind", ["", "x", "tool/résultat", "文/文", "🎉/🎉", "\ud800/", 3, None, [], Word("tool/x")], ids=ascii
)
def test_what_the_type_of_a_silent_event_says(engine: ModuleType, kind: Any) -> None:
    """spec S9 unrecognised: the list, walked from its end, and the fold say the same."""
    silent = [{"type": kind}] * 3
    fold = engine.AssistantOutputFold()
    fold.extend(silent)
    known = isinstance(kind, str) and "/" in str.__add__("", kind)
    for said in (fold.selection(), engine.select(silent)):
        assert ("unrecognised" in said.warnings) is not known
    for events in (
        [*silent, *[attempt("x")] * 2],
        [attempt("x"), *silent, attempt("x")],
        [*[attempt("x")] * 2, *silent],
    ):
        assert engine.select(events).warnings == ()
        assert engine.final_assistant_output(events) == [text("xx")]


# --- events that run code


class Name:
    """A name with the hash of another; Python asks it whether it is the other."""

    def __init__(self, other: str, act: Callable[[], object]) -> None:
        self.hash = hash(other)
        self.act = act

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        self.act()
        return False


class Acting(Mapping[str, Any]):
    def __init__(self, event: dict[str, Any], act: Callable[[], object]) -> None:
        self.event, self.act = event, act

    def __getitem__(self, name: str) -> Any:
        self.act()
        return self.event[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.event)

    def __len__(self) -> int:
        return len(self.event)


def hostile(act: Callable[[], object]) -> list[dict[Any, Any]]:
    """Events that act wherever one of their members is looked for, at each depth."""
    events: list[dict[Any, Any]] = []
    for make in (lambda: attempt("x" * 40, "y"), lambda: message("x" * 40), lambda: chunk("x" * 40), turn_end):
        for name in ("type", "seq", "data", "stream", "message", "content", "text", "texts", "chunk", "reason", "kind"):
            event = make()
            inner = [event]
            for value in inner:
                if isinstance(value, dict):
                    inner.extend(value.values())
                    old = dict(value)
                    value.clear()
                    value[Name(name, act)] = None
                    value.update(old)
                elif isinstance(value, list):
                    inner.extend(value)
            events.append(event)
    return events


def insides(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in list(value.values() if isinstance(value, dict) else value):
            yield from insides(inner)


class Vanish:
    """After so many calls, all events are emptied, and the list that holds them."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        self.events: list[Any] = []
        self.is_armed = False

    def __call__(self) -> None:
        if self.is_armed:
            self.wait -= 1
        if self.wait < 0:
            for inside in [inside for event in self.events for inside in insides(event)]:
                inside.clear()
            self.events.clear()
            gc.collect(0)


@pytest.mark.parametrize("how", ["push", "extend", "list", "select"])
def test_events_that_vanish_while_they_are_read(engine: ModuleType, how: str) -> None:
    """spec S10: any answer or error will do, as long as there is one."""
    count = len(hostile(print))
    for number in range(count):
        for wait in range(8):
            vanish = Vanish(wait)
            vanish.events += [header(), turn_start(), hostile(vanish)[number], attempt("later"), turn_end()]
            vanish.is_armed = True
            fold = engine.AssistantOutputFold()
            # Also what Python raises when it finds a dict changed.
            with contextlib.suppress(Exception):
                if how == "push":
                    for event in list(vanish.events):
                        fold.push(event)
                elif how == "extend":
                    fold.extend(vanish.events)
                elif how == "list":
                    engine.final_assistant_output(vanish.events)
                else:
                    engine.select(vanish.events)
            vanish.is_armed = False
            fold.collect()


def test_a_name_that_calls_the_fold_is_told_that_it_is_busy(engine: ModuleType) -> None:
    """spec S10: from within a comparison as from anywhere, and nothing has changed."""
    fold = engine.AssistantOutputFold()
    busy: list[bool] = []
    is_armed = False

    def act() -> None:
        if not is_armed:
            return
        for call in (fold.collect, lambda: fold.push_text("no"), lambda: fold.push(attempt("no"))):
            with pytest.raises(FoldBusyError):
                call()
            busy.append(True)

    events = hostile(act)
    is_armed = True
    for event in events:
        fold.push(event)
    is_armed = False
    assert busy
    assert "no" not in fold.text
    fold.push(message("after"))
    assert fold.text == "after"


def test_lists_that_grow_and_shrink_between_the_walks(engine: ModuleType) -> None:
    """spec S5: a list that shrinks meanwhile just ends earlier."""
    for keep in range(6):
        events: list[Any] = [attempt("a"), {"type": "x"}, attempt("b"), chunk("c")]
        events.insert(2, Acting(attempt("m"), lambda: events.__delitem__(slice(keep, None))))  # noqa: B023
        said = engine.final_assistant_output(events)
        assert said is None or set(said[0]["text"]) <= set("abcm")
        events = [attempt("a")]
        events.append(Acting(attempt("m"), lambda: events.append({"type": "x"})))  # noqa: B023
        assert engine.final_assistant_output(events)[0]["text"].startswith("a")
