"""What a Selection says beside the output (spec S9)."""

from __future__ import annotations

import dataclasses
import json
import pickle
from types import ModuleType
from typing import Any

import pytest

from dsh_events import (
    attempt,
    chunk,
    end_seed,
    header,
    headless,
    jsonl,
    message,
    notification,
    packed,
    reasoning,
    text,
    turn_end,
    turn_start,
)
from lastsaid import EarlierText, Selection, SelectionWarning
from ways import Dribble

KEYS = [
    *("schema", "source", "output", "text", "format", "engine", "index", "offset", "line", "seq", "messageId"),
    *("stopReason", "stopReasonRaw", "completeness", "isFinal", "earlierText", "reported", "disagrees"),
    *("warnings", "policy", "counts", "candidates"),
]
EARLIER_KEYS = ["text", "source", "index", "offset", "line", "seq", "messageId"]
WARNINGS = [
    *("textless", "torn_tail", "malformed_skipped", "open_turn", "empty_suffix", "unrecognised"),
    *("reported_disagrees", "lone_surrogate", "sniffed"),
]


def every_way(engine: ModuleType, *events: Any) -> list[Selection]:
    fold = engine.AssistantOutputFold()
    fold.extend(events)
    log = jsonl(*events)
    return [
        fold.selection(),
        engine.select(list(events)),
        engine.select(iter(events)),
        engine.read_bytes(log, suffix="whole"),
        engine.read(Dribble(log), suffix="whole"),
    ]


def test_dict_has_every_key_always_and_in_order(engine: ModuleType) -> None:
    """spec S9."""
    for said in (engine.select([]), engine.select([message("a"), turn_end()]), engine.read_bytes(jsonl(chunk("a")))):
        shown = said.to_dict()
        assert list(shown) == KEYS
        assert shown["schema"] == 1
        assert json.loads(json.dumps(shown)) == shown


def test_empty_selection_is_false_and_unknown(engine: ModuleType) -> None:
    """spec S9."""
    said = engine.select([])
    assert not said
    assert said == Selection(source="none", output=None, text="", format="dsh", engine=engine.ENGINE)


def test_selection_with_output_is_true_even_without_text(engine: ModuleType) -> None:
    """spec S9."""
    assert engine.select([message(reasoning("hm"))])
    assert engine.select([message("")])


def test_selection_is_frozen_and_pickles(engine: ModuleType) -> None:
    """spec S9."""
    said = engine.select([message("a"), message(reasoning("hm")), turn_end()])
    assert type(said) is Selection
    with pytest.raises(dataclasses.FrozenInstanceError):
        said.text = "b"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(said)) == said
    assert type(said.earlier_text) is EarlierText
    assert all(type(warning) is SelectionWarning for warning in said.warnings)


def test_format_and_engine_are_named(engine: ModuleType) -> None:
    """spec S1 Engine, S5.1, S9 policy, S9 reported: until other formats exist `auto` means `dsh`."""
    for said in every_way(engine, message("a")):
        assert (said.format, said.engine) == ("dsh", engine.ENGINE)
        assert (said.policy, said.counts, said.candidates, said.reported, said.disagrees) == (
            (),
            None,
            None,
            None,
            False,
        )


def test_text_blocks_are_joined(engine: ModuleType) -> None:
    """spec S9 source."""
    said = engine.select([message("a", reasoning("no"), {"type": "text", "text": 3}, {"text": "no"}, "b")])
    assert said.text == "ab"
    assert said.join_text("\n") == "a\nb"
    assert said.join_text("") == "ab"
    assert engine.select([]).join_text(", ") == ""


@pytest.mark.parametrize(
    ("raw", "reason", "completeness"),
    [
        ("completed", "completed", "complete"),
        ("max-tokens", "max-tokens", "truncated"),
        ("max-turns", "max-turns", "truncated"),
        ("aborted", "aborted", "aborted"),
        ("interrupted", "interrupted", "aborted"),
        ("error", "error", "error"),
        ("refusal", "refusal", "error"),
        ("blocked", "refusal", "error"),
        ("brand-new", "brand-new", "error"),
        ("", "", "error"),
        (None, None, "unknown"),
        (3, None, "unknown"),
    ],
)
def test_turn_end_says_how_it_stopped(engine: ModuleType, raw: Any, reason: str | None, completeness: str) -> None:
    """spec S4, S9 stop_reason."""
    for said in every_way(engine, turn_start(), message("a"), turn_end(raw)):
        assert (said.stop_reason, said.stop_reason_raw) == (reason, raw if isinstance(raw, str) else None)
        assert said.completeness == completeness
        assert said.warnings == ()
        assert said.is_final is (completeness == "complete")


@pytest.mark.parametrize(
    "end", [{"type": "turn/end"}, {"type": "turn/end", "data": 3}, {"type": "turn/end", "data": {}}]
)
def test_odd_turn_end_ends_the_turn_without_a_stop(engine: ModuleType, end: Any) -> None:
    """spec S4: it also takes the place of an earlier stop."""
    for said in every_way(engine, turn_end(), turn_start(), message("a"), end):
        assert (said.stop_reason, said.completeness, said.warnings) == (None, "unknown", ())


def test_last_turn_end_counts_unless_a_turn_start_follows(engine: ModuleType) -> None:
    """spec S9 stop_reason."""
    for said in every_way(engine, message("a"), turn_end("error"), turn_start(2), turn_end()):
        assert (said.completeness, said.warnings) == ("complete", ())
    for said in every_way(engine, message("a"), turn_end(), turn_start(2)):
        assert (said.stop_reason, said.completeness, said.warnings) == (None, "unknown", ("open_turn",))


def test_turn_end_without_output_is_reported(engine: ModuleType) -> None:
    for said in every_way(engine, turn_start(), message(), turn_end("max-tokens")):
        assert (said.source, said.completeness, said.is_final) == ("none", "truncated", False)


def test_turn_end_before_the_suffix_is_not_the_suffixs(engine: ModuleType) -> None:
    log = jsonl(header(), message("a"), turn_end(), end_seed(), message("b"))
    assert engine.read_bytes(log).completeness == engine.read(Dribble(log)).completeness == "unknown"


def test_place_in_a_fold_counts_calls_and_members(engine: ModuleType) -> None:
    """spec S9.4, S9 place; merges add up."""
    fold = engine.AssistantOutputFold()
    fold.push(header())
    fold.push_text("")
    fold.extend([turn_start(), {}])
    fold.extend_text(["", ""])
    fold.extend_json(b"{}\n\n{}\n")
    fold.push_json(json.dumps(message("a", id="m", seq=7)))
    said = fold.selection()
    assert (said.index, said.seq, said.message_id, said.offset, said.line) == (8, 7, "m", None, None)
    assert fold.merge(fold).selection().index == 17


def test_failed_calls_do_not_count(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    for call in (lambda: fold.push(None), lambda: fold.push_json(b"{"), lambda: fold.push_text(3)):
        with pytest.raises((ValueError, TypeError)):
            call()
    fold.push_text("a")
    assert fold.selection().index == 0


def test_place_of_a_stream_is_the_record_of_its_first_piece(engine: ModuleType) -> None:
    """spec S9.4."""
    events = [header(), attempt("", ""), packed(5, "", "a"), chunk("b", seq=9)]
    for said in every_way(engine, *events):
        assert (said.source, said.seq, said.message_id) == ("stream", 5, None)
    assert engine.select(events).index == 2
    assert engine.read_bytes(jsonl(*events)).offset == len(jsonl(*events[:2]))


@pytest.mark.parametrize(
    ("seq", "expected"),
    [(0, 0), (2**53 - 1, 2**53 - 1), (2**53, None), (-1, None), (True, None), (1.0, None), ("1", None), (None, None)],
)
def test_seq_is_an_ordinal_or_nothing(engine: ModuleType, seq: Any, expected: int | None) -> None:
    """spec S1 Ordinal, S9 place."""
    for said in every_way(engine, message("a", seq=seq)):
        assert said.seq == expected
        assert type(said.seq) is type(expected)


def test_message_id_is_a_string_or_nothing(engine: ModuleType) -> None:
    """spec S9 place."""
    odd = message("a")
    odd["data"]["message"]["id"] = 3
    assert [said.message_id for said in every_way(engine, odd)] == [None] * 5
    for wrap in (headless, notification):
        assert [said.message_id for said in every_way(engine, wrap(message("a", id="m")))] == ["m"] * 5


def test_textless_answer_shows_the_newest_earlier_text(engine: ModuleType) -> None:
    """spec S9 earlier_text."""
    events = [
        attempt("streamed"),
        message("first"),
        message("second ", "half", id="m2", seq=4),
        message(" \n"),
        attempt("never counts"),
        message(reasoning("hm")),
        message(reasoning("hm too")),
    ]
    for said in every_way(engine, *events):
        earlier = said.earlier_text
        assert said.warnings == ("textless",)
        assert (earlier.text, earlier.source, earlier.seq, earlier.message_id) == ("second half", "message", 4, "m2")
        assert str(earlier) == "second half"
    assert engine.select(events).earlier_text.index == 2
    assert engine.read_bytes(jsonl(*events)).earlier_text.offset == len(jsonl(*events[:2]))
    assert engine.read(Dribble(jsonl(*events))).earlier_text.line == 3
    assert list(engine.select(events).to_dict()["earlierText"]) == EARLIER_KEYS


def test_textless_answer_shows_the_text_streamed_before_the_first_message(engine: ModuleType) -> None:
    """spec S9 earlier_text."""
    own = message(reasoning("hm"))
    own["data"]["stream"] = [{"type": "text-chunks", "texts": ["its own stream is not before it"]}]
    for said in every_way(engine, attempt("a", seq=3), chunk("b"), own, chunk("c"), message(reasoning("hm"))):
        assert (said.earlier_text.text, said.earlier_text.source, said.earlier_text.seq) == ("ab", "stream", 3)


def test_earlier_text_only_comes_with_the_warning(engine: ModuleType) -> None:
    """spec S9 earlier_text."""
    for said in every_way(engine, attempt("a"), message("b"), message("c")):
        assert (said.earlier_text, said.warnings) == (None, ())
    for said in every_way(engine, chunk(" ")):
        assert (said.earlier_text, said.warnings) == (None, ("textless",))
    for said in every_way(engine, chunk(" "), message(reasoning("hm"))):
        assert (said.earlier_text, said.warnings) == (None, ("textless",))


def test_text_streamed_before_a_message_with_text_is_forgotten(engine: ModuleType) -> None:
    """spec S9 earlier_text: kept only until a message with text came."""
    for said in every_way(engine, attempt("a"), message("b"), message(reasoning("hm"))):
        assert said.earlier_text.text == "b"


def test_earlier_text_stays_inside_the_suffix(engine: ModuleType) -> None:
    log = jsonl(header(), message("of the parent"), end_seed(inherited=True), message(reasoning("hm")))
    assert engine.read_bytes(log).earlier_text is None
    assert engine.read(Dribble(log)).earlier_text is None


def test_damage_before_a_textless_winner_never_counts(engine: ModuleType) -> None:
    """spec S7 Order: also while looking for earlier text."""
    events = [
        attempt("a"),
        {"type": "assistant/attempt"},
        chunk("b"),
        {"type": "assistant/message"},
        message(reasoning("hm")),
    ]
    for said in (engine.select(events), engine.select(iter(events)), engine.read_bytes(jsonl(*events))):
        assert said.earlier_text.text == "ab"
    assert engine.read(Dribble(jsonl(*events))).earlier_text.text == "ab"


@pytest.mark.parametrize(
    ("events", "unrecognised"),
    [
        ([], False),
        ([{"type": "message"}], True),
        ([{}, {"kind": 3}], True),
        ([{"type": "message"}, {"type": "turn/other"}], False),
        ([{"type": "a/b"}], False),
        ([{"type": "session"}], False),
        ([{"type": "reasoning-chunks"}], False),
        ([{"type": "tool-call-chunks"}], False),
        ([{"method": "session.status"}], False),
        ([{"method": "subagent.started"}], False),
        ([{"method": "subagent.finished"}], False),
        ([{"method": "other"}], True),
        ([headless({})], False),
        ([notification({"type": "x"})], False),
        ([{"type": ""}], True),
    ],
    ids=str,
)
def test_unrecognised_is_no_output_and_nothing_known(engine: ModuleType, events: list[Any], unrecognised: bool) -> None:
    """spec S5.13, S9 unrecognised."""
    expected = ("unrecognised",) if unrecognised else ()
    fold = engine.AssistantOutputFold()
    fold.extend(events)
    assert fold.selection().warnings == engine.select(events).warnings == expected
    assert engine.select(iter(events)).warnings == expected
    if len(events) == 1:  # A log's first line is always examined; others only with a needle.
        assert engine.read_bytes(jsonl(*events)).warnings == engine.read(Dribble(jsonl(*events))).warnings == expected


def test_output_is_never_unrecognised(engine: ModuleType) -> None:
    """spec S9 unrecognised."""
    fold = engine.AssistantOutputFold()
    fold.push({"type": "message"})
    fold.push_text("a")
    assert fold.selection().warnings == ()


def test_warnings_come_in_one_order(engine: ModuleType) -> None:
    """spec S9 warnings."""
    log = jsonl(header(), message("\n"), b"[turn/end", turn_start()) + b"{"
    for said in (engine.read_bytes(log, on_malformed="skip"), engine.read(Dribble(log), on_malformed="skip")):
        assert said.warnings == ("textless", "torn_tail", "malformed_skipped", "open_turn")
        assert said.to_dict()["warnings"] == ["textless", "torn_tail", "malformed_skipped", "open_turn"]
    assert [str(warning) for warning in SelectionWarning] == WARNINGS


def test_provenance_never_changes_the_output(engine: ModuleType) -> None:
    """spec S9."""
    for kind in ("error", "blocked", "max-tokens"):
        assert engine.final_assistant_output([message("a"), turn_end(kind), turn_start()]) == [text("a")]
