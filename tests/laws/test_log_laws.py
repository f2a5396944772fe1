"""Logs answer as their events do, read in any direction (spec S6.2, S6.3)."""

from __future__ import annotations

import io
import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus_cases import CORPUS, records
from lastsaid import SelectionWarning
from strategies import any_lists, any_logs, read_options, sound_logs
from ways import Dribble, answer, canonical, outcome, without_line

# What a log knows and a fold doesn't; the place is in bytes there. `unrecognised` counts what was looked at.
ONLY_IN_LOGS = ("index", "offset", "line", "warnings")
IN_BOTH = {SelectionWarning.TEXTLESS, SelectionWarning.OPEN_TURN, SelectionWarning.LONE_SURROGATE}


def whole_records(log: bytes) -> list[bytes]:
    """The records of a log without a torn tail."""
    lines = records(log)
    body = log.rstrip(b"\0")
    if lines and not body.endswith(b"\n") and body.rpartition(b"\n")[2].strip(b" \t\r"):
        try:
            json.loads(lines[-1])
        except ValueError:
            lines.pop()
    return lines


@given(log=sound_logs)
def test_reading_a_whole_log_equals_parsing_each_record_and_pushing_it(engine: ModuleType, log: bytes) -> None:
    """spec S1 Event, S6.2: whatever the key order, spacing and escapes; the last duplicate key wins."""
    lines = whole_records(log)
    pushed, fed, joined = (engine.AssistantOutputFold() for _ in range(3))
    for line in lines:
        # A duplicate key that lost may have broken nothing, and one that won may have broken the record.
        failed = outcome(lambda line=line: pushed.push(json.loads(line)))
        assert outcome(lambda line=line: fed.push_json(line)) == failed
    joined.extend_json(lines)
    assert pushed.__reduce__()[1][0] == fed.__reduce__()[1][0] == joined.__reduce__()[1][0]
    said, read = pushed.selection(), engine.read_bytes(log, suffix="whole")
    assert canonical(answer(read, *ONLY_IN_LOGS)) == canonical(answer(said, *ONLY_IN_LOGS))
    assert IN_BOTH & set(read.warnings) == IN_BOTH & set(said.warnings)


@given(events=any_lists, start=st.integers(-5, 8))
def test_a_list_walked_backward_equals_an_iterator_read_forward(
    engine: ModuleType, events: list[Any], start: int
) -> None:
    """spec S6.3."""
    listed = outcome(lambda: engine.select(events, start))
    assert canonical(outcome(lambda: engine.select(iter(events), start))) == canonical(listed)
    assert canonical(outcome(lambda: engine.select(tuple(events), start))) == canonical(listed)
    output = outcome(lambda: engine.final_assistant_output(events, start))
    if "answer" in listed:
        assert canonical(output) == canonical({"answer": listed["answer"]["output"]})
    else:
        assert output == listed


@given(log=any_logs, options=read_options, step=st.sampled_from([1, 7, 1 << 16]))
@example(log=b'{"type":"session"}\n{"type":"turn/st\0\0\0', options={}, step=7)
def test_a_log_read_backward_equals_one_read_forward(
    engine: ModuleType, log: bytes, options: dict[str, Any], step: int
) -> None:
    """spec S6.3: same output, source, place, stop, completeness and warnings, or the same error."""
    backward = outcome(lambda: engine.read_bytes(log, **options))
    seeking = outcome(lambda: engine.read(io.BytesIO(log), **options))
    forward = outcome(lambda: engine.read(Dribble(log, step), **options))
    assert canonical(seeking) == canonical(backward)
    assert canonical(without_line(forward)) == canonical(without_line(backward))
    if "answer" in backward and options.get("start", -1) < 0:
        # Notifications are read forward wherever they come from.
        assert backward["answer"]["line"] in (None, forward["answer"]["line"])


def small_logs() -> list[str]:
    """The shortest captured logs, one of each product version."""
    found: dict[str, str] = {}
    for path in sorted((CORPUS / "dsh").glob("*/log.jsonl"), key=lambda path: path.stat().st_size):
        found.setdefault(path.parent.name.partition("--")[0].removesuffix("-oneshot"), path.parent.name)
    return sorted(found.values())


@pytest.mark.parametrize("name", small_logs())
def test_a_log_cut_at_any_byte_answers_from_its_whole_lines(engine: ModuleType, name: str) -> None:
    """spec S7 Torn tail: whole lines and a last value that is whole count; the rest is a warning."""
    log = (CORPUS / "dsh" / name / "log.jsonl").read_bytes()
    whole_at = {0: engine.read_bytes(b"")}
    ends = [at + 1 for at, byte in enumerate(log) if byte == 0x0A]
    for end in ends:
        whole_at[end] = whole_at[end - 1] = engine.read_bytes(log[:end])
    expected = canonical(answer(whole_at[0]))
    torn = canonical(answer(whole_at[0]) | {"warnings": []})
    for cut in range(len(log) + 1):
        if cut in whole_at:
            expected = canonical(answer(whole_at[cut]))
            said = answer(whole_at[cut])
            order = [str(warning) for warning in SelectionWarning]
            torn = canonical(said | {"warnings": sorted([*said["warnings"], "torn_tail"], key=order.index)})
        found = canonical(answer(engine.read_bytes(log[:cut])))
        assert found == (expected if cut in whole_at else torn), cut
        if cut % 37 == 0 or cut in whole_at:
            forward = outcome(lambda cut=cut: engine.read(Dribble(log[:cut]), suffix="own"))
            assert canonical(without_line(forward)["answer"]) == canonical(
                without_line({"answer": json.loads(found)})["answer"]
            ), cut


def test_small_logs_of_every_version_are_cut() -> None:
    assert len(small_logs()) == 5
