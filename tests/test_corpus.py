"""Every case of the corpus, through every way in, in both engines (architecture.md, lockstep 3)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpus_cases import CORPUS, Case, handed, handed_folder, parsed, shipped
from lastsaid import MalformedEventError, Selection, SessionNotFoundError
from ways import answer, canonical, fold_ways, forward_ways, list_ways, outcome, seekable_ways, without_line

SHIPPED = shipped()
HANDED = handed()
# What is shipped is run anyway.
HANDED_ONLY = [case for case in HANDED if case not in SHIPPED]

# What a list of events can't know, or a fold: the place in bytes, the rest of the log, a torn tail.
NOT_IN_LISTS = ("index", "offset", "line", "warnings")
ALSO_IN_LISTS = ("textless", "open_turn", "lone_surrogate")

# The keys of a case's `expected` that are named otherwise in `Selection.to_dict()`.
NAMES = {"stop_reason": "stopReason", "stop_reason_raw": "stopReasonRaw"}


def found_for(key: str, said: dict[str, Any], expected: Any) -> Any:
    """What an answer says for a key of `expected`; of an object only the keys that are asked for."""
    found = said[NAMES.get(key, key)]
    return {name: found[name] for name in expected} if isinstance(expected, dict) and found else found


def assert_answer(said: dict[str, Any], expected: dict[str, Any], way: str, keys: set[str] | None = None) -> None:
    for key, value in expected.items():
        if keys is None or key in keys:
            assert canonical(found_for(key, said, value)) == canonical(value), f"{way}: {key}"


def assert_failure(failed: dict[str, Any], expected: dict[str, Any], way: str, *, placed: bool) -> None:
    wanted = SessionNotFoundError if "sessions" in expected else MalformedEventError
    assert failed.get("class", wanted.__name__) == wanted.__name__, way
    for key, value in expected.items():
        if placed or key in ("kind", "path"):
            assert failed.get(key, "?") == value, f"{way}: {key}"


def check_bytes(engine: ModuleType, case: Case, path: Path) -> None:
    """All ways that read bytes: the expected answer, and the same one; only the forward ones number lines."""
    ways = seekable_ways(engine, case.log, case.options, path) | forward_ways(engine, case.log, case.options)
    outcomes = {name: outcome(way) for name, way in ways.items()}
    for name, found in outcomes.items():
        if case.error:
            assert "error" in found, f"{name}: {found}"
            assert_failure(found["error"], case.error, name, placed=True)
        else:
            assert "answer" in found, f"{name}: {found}"
            assert_answer(found["answer"], case.expected or {}, name)
    shown = {name: canonical(without_line(found)) for name, found in outcomes.items()}
    assert len(set(shown.values())) == 1, shown
    check_sessions(engine, case)


def check_sessions(engine: ModuleType, case: Case) -> None:
    """A session that was asked for is answered the same among all, where none of the others is an error."""
    session = case.options.get("session")
    if session is None or case.error or case.options.keys() & {"start", "turn", "since_seq"}:
        return
    options = {name: value for name, value in case.options.items() if name != "session"}
    try:
        said = engine.read_sessions(case.log, **options)
    except MalformedEventError:
        return
    assert session in said or len(said) == 1
    if session in said:
        assert answer(said[session]) == answer(engine.read_bytes(case.log, **case.options))


def check_objects(engine: ModuleType, case: Case) -> None:
    """All ways that take events or records one by one, after the caller has cut the suffix (S5)."""
    lines, events = parsed(case.log)
    start = case.options.get("start")
    if start is None:
        start = 0 if case.options.get("suffix") == "whole" else engine.suffix_start(events)
    elif start < 0:
        start = max(0, len(events) + start)
    listed = list_ways(engine, events, start)
    folded = fold_ways(engine, lines[start:], events[start:])
    seen = set()
    for name, way in (listed | folded).items():
        if case.error:
            with pytest.raises(MalformedEventError) as caught:
                way()
            assert_failure(vars(caught.value), case.error, name, placed=False)
            continue
        said = way()
        assert isinstance(said, Selection)
        if said.index is not None and name in folded:
            assert said.index + start == engine.select(events, start).index, name
        expected = dict(case.expected or {})
        if expected.get("earlierText"):
            expected["earlierText"] = {k: v for k, v in expected["earlierText"].items() if k != "offset"}
        if "warnings" in expected:
            wanted = [warning for warning in expected["warnings"] if warning in ALSO_IN_LISTS]
            assert [str(warning) for warning in said.warnings if warning in ALSO_IN_LISTS] == wanted, name
        assert_answer(answer(said), expected, name, expected.keys() - set(NOT_IN_LISTS))
        seen.add(canonical(answer(said, *NOT_IN_LISTS)))
        if name in listed:
            assert canonical(engine.final_assistant_output(events, start)) == canonical(said.output), name
    assert len(seen) == (0 if case.error else 1), seen


@pytest.mark.parametrize("case", SHIPPED, ids=str)
def test_log_answers_as_expected_through_every_way_of_reading_bytes(
    engine: ModuleType, case: Case, log_path: Path
) -> None:
    """spec S2 to S9, S6.3."""
    check_bytes(engine, case, log_path)


@pytest.mark.parametrize("case", [case for case in SHIPPED if case.objects], ids=str)
def test_events_answer_as_expected_through_every_way_of_feeding_them(engine: ModuleType, case: Case) -> None:
    """spec S5, S6.1, S6.2."""
    check_objects(engine, case)


if HANDED_ONLY:

    @pytest.mark.parametrize("case", HANDED_ONLY, ids=lambda case: f"handed-{case.id}")
    def test_handed_corpus_answers_as_expected(engine: ModuleType, case: Case, log_path: Path) -> None:
        check_bytes(engine, case, log_path)
        if case.objects:
            check_objects(engine, case)

    def test_handed_corpus_is_whole() -> None:
        """The big corpus may grow, but a runner that found little of it proves little."""
        found = Counter(case.id.partition("/")[0] for case in HANDED)
        assert found["dsh"] >= 134, f"in {handed_folder()}: {found}"
        assert found["notifications"] >= 2 * 37 + 25
        assert found["events-v0"] >= 2 * 170
        assert found["events-embedded"] >= 2 * 97


def test_every_case_that_is_shipped_was_loaded() -> None:
    found = Counter(case.id.partition("/")[0] for case in SHIPPED)
    for folder, log, least in (("dsh", "log.jsonl", 40), ("written", "log.jsonl", 300), ("dsh", "log.rpc.jsonl", 12)):
        there = [path.parent.name for path in (CORPUS / folder).glob(f"*/{log}")]
        assert len(there) >= least
        if log == "log.jsonl":
            assert found[folder] == len(there)
    assert found["notifications"] >= 3 * 12
    folders = {case.id.split("/")[1] for case in SHIPPED}
    assert {path.name for name in ("dsh", "written") for path in (CORPUS / name).iterdir()} <= folders
    assert found["events-v0"] == 2 * 170
    assert found["events-embedded"] == 2 * 97
    assert len({case.id for case in SHIPPED}) == len(SHIPPED)
    assert sum(case.objects for case in SHIPPED) > 400


def test_every_written_case_says_what_it_expects() -> None:
    for case in SHIPPED:
        assert (case.expected is None) != (case.error is None), case.id


def test_the_oracle_was_asked_for_every_kind_of_damage() -> None:
    assert sum(case.options.get("on_malformed") == "skip" for case in SHIPPED) >= 2 * 90
