"""Errors: the tree, their fields, and what bad arguments say (spec S5, S7)."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import lastsaid
from dsh_events import jsonl, message
from lastsaid import FoldBusyError, LastsaidError, MalformedEventError, TurnNotFoundError

LOG = jsonl(message("a"))


def test_there_is_one_exception_tree(engine: ModuleType) -> None:
    """Both engines raise from it, so `except` means the same whichever runs."""
    for error, base in (
        (MalformedEventError, ValueError),
        (TurnNotFoundError, LookupError),
        (FoldBusyError, RuntimeError),
    ):
        assert issubclass(error, LastsaidError)
        assert issubclass(error, base)
        assert error.__module__ == "lastsaid"
        assert getattr(lastsaid, error.__name__) is error
    with pytest.raises(MalformedEventError) as caught:
        engine.read_bytes(b"{\n")
    assert type(caught.value) is MalformedEventError


def test_errors_pickle_and_copy_whole(engine: ModuleType) -> None:
    """spec S7."""
    for call in (
        lambda: engine.select([{}, {"type": "assistant/chunk", "data": {}}]),
        lambda: engine.read_bytes(b'\n{"type":"assistant/chunk"}\n'),
        lambda: engine.AssistantOutputFold().push(None),
        lambda: engine.read_bytes(LOG, turn=3),
    ):
        with pytest.raises(LastsaidError) as caught:
            call()
        error = caught.value
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is type(error)
            assert (str(again), vars(again)) == (str(error), vars(error))


def test_errors_do_not_chain_to_a_parsers(engine: ModuleType) -> None:
    """spec S7: our words, no parser's."""
    fold = engine.AssistantOutputFold()
    for record in (b"{", b"\xff", b'{"type":"assistant/message","n":1e999}', '"\ud800"', b"[" * 100_000):
        with pytest.raises(MalformedEventError) as caught:
            fold.push_json(record)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


Fold = Callable[[Any], Any]

# Wrong Python types are TypeErrors that say what to do; nothing has changed then (S5).
WRONG_TYPES: dict[str, tuple[Fold, str]] = {
    "push_text": (lambda fold: fold.push_text(3), "push_text takes a str, not int"),
    "push_text_bytes": (lambda fold: fold.push_text(b"a"), "push_text takes a str, not bytes"),
    "push_json": (lambda fold: fold.push_json({}), "push_json takes bytes, bytearray, memoryview or str, not dict"),
    "push_json_none": (
        lambda fold: fold.push_json(None),
        "push_json takes bytes, bytearray, memoryview or str, not NoneType",
    ),
    "extend": (lambda fold: fold.extend(3), "extend takes an iterable of events, not int"),
    "extend_dict": (lambda fold: fold.extend({"type": "x"}), "extend takes an iterable of events, not dict"),
    "extend_text": (lambda fold: fold.extend_text(None), "extend_text takes an iterable of strings, not NoneType"),
    "extend_json": (lambda fold: fold.extend_json(3), "extend_json takes an iterable of records, not int"),
    "extend_json_member": (
        lambda fold: fold.extend_json([3]),
        "extend_json takes bytes, bytearray, memoryview or str, not int",
    ),
    "merge": (lambda fold: fold.merge([]), "merge takes an AssistantOutputFold, not list"),
    "merge_class": (lambda fold: fold.merge(None), "merge takes an AssistantOutputFold, not NoneType"),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_wrong_type_says_what_to_do_and_changes_nothing(engine: ModuleType, name: str) -> None:
    """spec S5 extend."""
    call, sentence = WRONG_TYPES[name]
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    before = fold.__reduce__()[1][0]
    with pytest.raises(TypeError) as caught:
        call(fold)
    assert str(caught.value) == sentence
    assert fold.__reduce__()[1][0] == before


def test_extend_text_names_the_piece_that_is_no_str(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    with pytest.raises(TypeError, match=r"^extend_text takes str, piece 1 is one, not int$"):
        fold.extend_text(["a", 3, "b"])
    assert fold.text == "a"


Call = Callable[[ModuleType], Any]

WRONG_ARGUMENTS: dict[str, tuple[Call, type[Exception], str]] = {
    "select_bytes": (
        lambda engine: engine.select(LOG),
        TypeError,
        "select takes events, not bytes; read a log with read or read_bytes",
    ),
    "final_str": (
        lambda engine: engine.final_assistant_output("log.jsonl"),
        TypeError,
        "final_assistant_output takes events, not str; read a log with read or read_bytes",
    ),
    "suffix_start_bytearray": (
        lambda engine: engine.suffix_start(bytearray(LOG)),
        TypeError,
        "suffix_start takes events, not bytearray; read a log with read or read_bytes",
    ),
    "select_event": (
        lambda engine: engine.select({"type": "x"}),
        TypeError,
        "select takes a sequence of events, not one dict; put it into a list",
    ),
    "select_none": (
        lambda engine: engine.select(None),
        TypeError,
        "select takes a sequence or an iterable of events, not NoneType",
    ),
    "suffix_start_int": (
        lambda engine: engine.suffix_start(3),
        TypeError,
        "suffix_start takes a sequence or an iterable of events, not int",
    ),
    "read_bytes_str": (
        lambda engine: engine.read_bytes("{}"),
        TypeError,
        "read_bytes takes bytes, bytearray or memoryview, not str",
    ),
    "read_bytes_list": (
        lambda engine: engine.read_bytes([1]),
        TypeError,
        "read_bytes takes bytes, bytearray or memoryview, not list",
    ),
    "read_int": (lambda engine: engine.read(3), TypeError, "read takes a path or a binary file, not int"),
    "read_none": (lambda engine: engine.read(None), TypeError, "read takes a path or a binary file, not NoneType"),
    "read_text_file": (
        lambda engine: engine.read(io.StringIO("{}")),
        TypeError,
        "read takes a binary file, not one in text mode; open it with 'rb'",
    ),
    "fold_format": (
        lambda engine: engine.AssistantOutputFold("acp"),
        ValueError,
        "unknown format 'acp'; the formats are dsh",
    ),
    "fold_auto": (
        lambda engine: engine.AssistantOutputFold(format="auto"),
        ValueError,
        "unknown format 'auto'; the formats are dsh",
    ),
    "final_auto": (
        lambda engine: engine.final_assistant_output([], format="auto"),
        ValueError,
        "unknown format 'auto'; the formats are dsh",
    ),
    "suffix_start_format": (
        lambda engine: engine.suffix_start([], format="x'y"),
        ValueError,
        'unknown format "x\'y"; the formats are dsh',
    ),
    "select_format": (
        lambda engine: engine.select([], format="acp"),
        ValueError,
        "unknown format 'acp'; the formats are dsh",
    ),
    "read_bytes_format": (
        lambda engine: engine.read_bytes(LOG, format="acp"),
        ValueError,
        "unknown format 'acp'; the formats are dsh",
    ),
    "suffix": (
        lambda engine: engine.read_bytes(LOG, suffix="mine"),
        ValueError,
        "suffix is 'mine', expected 'own' or 'whole'",
    ),
    "on_malformed": (
        lambda engine: engine.read_bytes(LOG, on_malformed="ignore"),
        ValueError,
        "on_malformed is 'ignore', expected 'raise' or 'skip'",
    ),
    "max_record_bytes": (
        lambda engine: engine.read_bytes(LOG, max_record_bytes=0),
        ValueError,
        "max_record_bytes is not positive, expected at least 1",
    ),
    "threads": (
        lambda engine: engine.read_bytes(LOG, threads=0),
        ValueError,
        "threads is not positive, expected at least 1",
    ),
    "start_and_turn": (
        lambda engine: engine.read_bytes(LOG, start=0, turn=1),
        ValueError,
        "start and turn exclude each other",
    ),
    "turn_and_since_seq": (
        lambda engine: engine.read_bytes(LOG, turn=-1, since_seq=0),
        ValueError,
        "turn and since_seq exclude each other",
    ),
    "all_three": (
        lambda engine: engine.read_bytes(LOG, since_seq=0, turn=1, start=2),
        ValueError,
        "start and turn exclude each other",
    ),
    "start_str": (lambda engine: engine.read_bytes(LOG, start="1"), TypeError, "start takes an int, not str"),
    "turn_float": (lambda engine: engine.read_bytes(LOG, turn=1.0), TypeError, "turn takes an int, not float"),
    "since_seq_bool": (
        lambda engine: engine.read_bytes(LOG, since_seq=True),
        TypeError,
        "since_seq takes an int, not bool",
    ),
}


@pytest.mark.parametrize("name", WRONG_ARGUMENTS)
def test_wrong_argument_is_the_same_error_in_both_engines(engine: ModuleType, name: str) -> None:
    """spec S5.1, S6.4: class and message."""
    call, kind, sentence = WRONG_ARGUMENTS[name]
    with pytest.raises(kind) as caught:
        call(engine)
    assert type(caught.value) is kind
    assert str(caught.value) == sentence


@pytest.mark.parametrize("value", [1.5, "1", None])
def test_start_that_is_no_int_is_a_type_error(engine: ModuleType, value: Any) -> None:
    for call in (engine.select, engine.final_assistant_output):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            call([], value)
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            call(iter([]), value)
    with pytest.raises(TypeError):
        engine.read_bytes(LOG, max_record_bytes="1")


def test_huge_starts_are_beyond_the_end(engine: ModuleType) -> None:
    """spec S5 start: a slice start; no size is an error."""
    for events in ([message("a")], (message("a"),), iter([message("a")])):
        assert engine.select(events, 2**62).source == "none"
    for huge in (10**30, -(10**30)):
        assert engine.select([message("a")], huge).source == ("none" if huge > 0 else "message")
        assert engine.read_bytes(LOG, start=huge).source == ("none" if huge > 0 else "message")
        assert engine.read_bytes(LOG, since_seq=huge).source == "message"
        with pytest.raises(TurnNotFoundError):
            engine.read_bytes(LOG, turn=huge)


def test_options_are_checked_before_the_source_is_touched(engine: ModuleType) -> None:
    with pytest.raises(ValueError, match="suffix is 'mine'"):
        engine.read("/nowhere/at/all", suffix="mine")


def test_operands_are_positional_only(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    for name, keyword in (("push", "event"), ("push_text", "text"), ("push_json", "record"), ("merge", "later")):
        with pytest.raises(TypeError):
            getattr(fold, name)(**{keyword: {}})
    with pytest.raises(TypeError):
        engine.read_bytes(LOG, "dsh")
    with pytest.raises(TypeError):
        engine.select([], 0, "dsh")
