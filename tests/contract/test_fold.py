"""The rule, one event at a time (spec S2 to S5)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, message, packed, reasoning, text, texts, turn_end, turn_start


def collected(engine: ModuleType, *events: Any) -> Any:
    fold = engine.AssistantOutputFold()
    for event in events:
        assert fold.push(event) is None
    return fold.collect()


def test_new_fold_has_no_output(engine: ModuleType) -> None:
    """spec S1 Content, S2.3: nothing is None, never an empty list."""
    fold = engine.AssistantOutputFold()
    assert fold.collect() is None
    assert fold.text == ""
    assert not fold.selection()


def test_last_message_with_blocks_is_the_output(engine: ModuleType) -> None:
    """spec S2.1."""
    assert collected(engine, message("one"), message("two"), message()) == [text("two")]


@pytest.mark.parametrize(
    "block",
    [reasoning("hm"), {"type": "tool-call", "name": "bash"}, text(""), {}, None, 3, "loose", []],
    ids=repr,
)
def test_any_block_makes_a_message_not_empty(engine: ModuleType, block: Any) -> None:
    """spec S2: the number of blocks and nothing else."""
    event = message("said before")
    last = message()
    last["data"]["message"]["content"].append(block)
    assert collected(engine, event, last) == [block]


def test_role_and_flags_do_not_matter(engine: ModuleType) -> None:
    """spec S2."""
    event = message("words", seq=0)
    event["data"]["message"]["role"] = "user"
    event["data"].update(interrupted=True, turn=-1, step=None)
    assert collected(engine, message("before"), event, turn_end("error")) == [text("words")]


def test_streamed_text_is_the_fallback_joined_with_nothing(engine: ModuleType) -> None:
    """spec S1 Content, S2.2, S4 assistant/attempt, S4 assistant/chunk, S4 text-chunks."""
    events = [attempt("a", " b"), chunk("c"), packed(3, "d", "e"), attempt("f")]
    assert collected(engine, *events) == [text("a bcdef")]


def test_empty_message_gives_its_stream(engine: ModuleType) -> None:
    """spec S4 assistant/message."""
    empty = message()
    empty["data"]["stream"] = [texts("of the ", "message")]
    assert collected(engine, attempt("a, "), empty) == [text("a, of the message")]


def test_text_streamed_after_a_message_changes_nothing(engine: ModuleType) -> None:
    """spec S3, S4 assistant/message: it is neither read nor kept."""
    fold = engine.AssistantOutputFold()
    fold.push(message("said"))
    fold.push(attempt("late"))
    fold.push_text("later")
    fold.push({"type": "assistant/attempt", "data": "not even read"})
    fold.push({"type": "text-chunks"})
    late = message()
    late["data"]["stream"] = "not read"
    fold.push(late)
    assert fold.collect() == [text("said")]
    assert fold.text == "said"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "user/message", "data": {"content": [text("no")]}},
        {"type": "tool/result", "data": {"message": {"content": [text("no")]}}},
        {"type": "assistant/chunk", "data": {"chunk": {"type": "reasoning-delta", "text": "no"}}},
        {"type": "assistant/chunk", "data": {"chunk": {"type": "tool-call-delta", "text": "no"}}},
        {"type": "assistant/chunk", "data": {"chunk": {"type": "block-end", "block": text("no")}}},
        {"type": "assistant/attempt", "data": {"stream": [{"type": "reasoning-chunks", "texts": ["no"]}]}},
        {"type": "assistant/attempt", "data": {"stream": [{"type": "chunk", "chunk": {"text": "no"}}]}},
        {"type": "assistant/attempt", "data": {"message": {"content": [text("no")]}}},
        {"type": "assistant/attempt", "data": {"stream": None}},
        {"type": "reasoning-chunks", "data": {"texts": ["no"]}},
        {"type": "tool-call-chunks", "data": {"args": ["no"]}},
        {"type": "assistant/delta", "data": {"text": "no"}},
        {"type": "text", "text": "no"},
        {"type": "session", "data": {"message": {"content": [text("no")]}}},
        {},
    ],
    ids=str,
)
def test_nothing_else_is_output(engine: ModuleType, event: Any) -> None:
    """spec S2, S4, S4 anything else: tool results, users, reasoning, tool calls, block ends, unknown kinds."""
    assert collected(engine, event) is None


def test_empty_piece_is_no_signal(engine: ModuleType) -> None:
    """spec S3."""
    fold = engine.AssistantOutputFold()
    fold.push_text("")
    fold.push(attempt("", ""))
    assert fold.collect() is None
    fold.push_text("x")
    assert fold.selection().index == 2


def test_blank_pieces_are_output(engine: ModuleType) -> None:
    """spec S2.2."""
    assert collected(engine, chunk(" \n")) == [text(" \n")]


def test_text_is_what_was_streamed_or_said_so_far(engine: ModuleType) -> None:
    """spec S5 `text`."""
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    fold.extend_text(iter(["b", "c"]))
    assert fold.text == "abc"
    fold.push(message("said", reasoning("hm"), " all"))
    assert fold.text == "said all"
    fold.push(message(reasoning("hm")))
    assert fold.text == ""


def test_push_extend_and_json_are_one_fold(engine: ModuleType) -> None:
    """spec S5."""
    fold = engine.AssistantOutputFold()
    fold.push(turn_start())
    fold.push_text("a")
    fold.extend([chunk("b"), chunk("c")])
    fold.push_json(b'{"type":"assistant/chunk","data":{"chunk":{"type":"text-delta","text":"d"}}}')
    fold.extend_json(
        [bytearray(b'{"type":"assistant/attempt","data":{"stream":[{"type":"text-chunks","texts":["e"]}]}}')]
    )
    fold.extend_json('{"type":"turn/end","data":{"reason":{"kind":"completed"}}}\n\n')
    assert fold.collect() == [text("abcde")]
    assert fold.selection().completeness == "complete"


@pytest.mark.parametrize("record", [bytes, bytearray, memoryview, lambda data: data.decode()], ids=str)
def test_json_is_taken_as_bytes_or_text(engine: ModuleType, record: Any) -> None:
    """spec S5, S5 extend; a BOM at byte 0 is passed over."""
    data = b'\xef\xbb\xbf{"type":"assistant/chunk","data":{"chunk":{"type":"text-delta","text":"\xc3\xa9"}}}'
    fold = engine.AssistantOutputFold()
    fold.push_json(record(data))
    fold.extend_json(record(data + b"\r\n \t\n\n"))
    fold.extend_json([record(data), record(b" \n"), record(b"")])
    assert fold.collect() == [text("ééé")]


def test_a_packed_row_in_a_stream_is_not_a_row_of_the_log(engine: ModuleType) -> None:
    """spec S4, S4 text-chunks: at top level the texts are in `data`, in a stream beside the type."""
    assert collected(engine, {"type": "text-chunks", "texts": ["no"], "data": {"texts": ["yes"]}}) == [text("yes")]


def test_folds_never_cut_a_suffix(engine: ModuleType) -> None:
    """spec S5.1: the caller passes it."""
    events = [message("of the parent"), {"type": "session/end-seed", "data": {"inherited": True}}]
    assert collected(engine, *events) == [text("of the parent")]
    assert engine.final_assistant_output(events) == [text("of the parent")]


def test_envelopes_are_unwrapped(engine: ModuleType) -> None:
    """spec S4."""
    fold = engine.AssistantOutputFold()
    fold.push({"method": "session.event", "params": {"sessionId": "s1", "event": attempt("a")}})
    fold.push({"type": "session_event", "sessionId": "s1", "event": attempt("b")})
    fold.push({"type": 3, "method": "session.event", "params": {"event": attempt("c")}})
    fold.push({"type": "other", "method": "session.event", "params": {"event": attempt("no")}})
    fold.push({"method": "session.status", "params": {"event": attempt("no")}})
    assert fold.collect() == [text("abc")]


def test_merge_is_one_input_after_the_other(engine: ModuleType) -> None:
    """spec S5 merge: neither operand changes."""
    first, second = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    first.push_text("a")
    second.push_text("b")
    assert first.merge(second).collect() == [text("ab")]
    assert second.merge(first).collect() == [text("ba")]
    assert (first.text, second.text) == ("a", "b")


def test_merging_with_itself_says_it_twice(engine: ModuleType) -> None:
    """spec S5 merge."""
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    assert fold.merge(fold).collect() == [text("aa")]
    assert fold.text == "a"


def test_engines_mix_in_a_merge(both_engines: Any) -> None:
    """spec S5 merge. Both engines, because it is about the two."""
    for mine, theirs in (both_engines, both_engines[::-1]):
        first, second = mine.AssistantOutputFold(), theirs.AssistantOutputFold()
        first.push_text("a")
        second.extend([chunk("b"), turn_end("max-tokens")])
        merged = first.merge(second)
        assert type(merged) is mine.AssistantOutputFold
        assert merged.collect() == [text("ab")]
        assert merged.selection().completeness == "truncated"


def test_merging_another_format_is_a_value_error(engine: ModuleType) -> None:
    """spec S5 merge. There is one format yet, so the other is made up; a fold is known by its type's name."""
    state = engine.AssistantOutputFold().__reduce__()[1][0] | {"format": "acp"}
    kind = type("AssistantOutputFold", (), {"__reduce__": lambda self: (dict, (state,))})
    with pytest.raises(ValueError, match="format 'acp'"):
        engine.AssistantOutputFold().merge(kind())
