"""Every log of the corpus in every encoding: the same answer, and the same place where S9 knows one."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from corpus_cases import Case, handed, shipped
from recoded import SOUGHT, STREAMED, Encoding, Rewritten, as_array, with_bom, with_crlf, zstd
from ways import Dribble, canonical, outcome, pipe, without_line

SHIPPED = [case for case in shipped() if not case.id.startswith("events-")]
ENCODINGS = SOUGHT | STREAMED
HANDED_ONLY = [case for case in handed() if case not in SHIPPED and not case.id.startswith("events-")]


def plain(engine: ModuleType, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the log itself answers: in memory, and as a stream, which knows lines."""
    return (
        outcome(lambda: engine.read_bytes(case.log, **case.options)),
        outcome(lambda: engine.read(Dribble(case.log), **case.options)),
    )


def assert_same(found: dict[str, Any], expected: dict[str, Any], way: str) -> None:
    assert canonical(found) == canonical(expected), way


def piped(engine: ModuleType, data: bytes, options: dict[str, Any]) -> dict[str, Any]:
    with pipe(data) as file:
        return outcome(lambda: engine.read(file, **options))


def check_compressed(engine: ModuleType, case: Case, encodings: dict[str, Encoding], path: Path | None) -> None:
    """In memory; with a path also as a file, a stream and a pipe."""
    in_memory, streamed = plain(engine, case)
    for name, encode in encodings.items():
        data = encode(case.log)
        expected = in_memory if name in SOUGHT else streamed
        assert_same(outcome(lambda data=data: engine.read_bytes(data, **case.options)), expected, name)
        if path is not None:
            path.write_bytes(data)
            assert_same(outcome(lambda: engine.read(path, **case.options)), expected, f"{name}, of a path")
            read = outcome(lambda data=data: engine.read(Dribble(data, 61), **case.options))
            assert_same(read, streamed, f"{name}, in small pieces")
            assert_same(piped(engine, data, case.options), streamed, f"{name}, of a pipe")


def some(nth: int, count: int) -> dict[str, Encoding]:
    """So many of the encodings, others for the next case."""
    names = list(ENCODINGS)
    return {name: ENCODINGS[name] for name in (names[(nth + 2 * i) % len(names)] for i in range(count))}


def moved(found: dict[str, Any], rewritten: Rewritten) -> dict[str, Any]:
    """An outcome of the log itself, with the places of the one that was rewritten."""
    if "error" in found:
        failed = dict(found["error"])
        if failed.get("offset") is not None:
            failed |= rewritten.moved(failed["offset"])
        failed.pop("index", None)
        del failed["message"]
        return {"error": failed}
    said = dict(found["answer"])
    for place in (said, said["earlierText"] and dict(said["earlierText"])):
        if place and place["offset"] is not None:
            place |= rewritten.moved(place["offset"])
        if place is not said:
            said["earlierText"] = place
    return {"answer": said}


def without_message(found: dict[str, Any]) -> dict[str, Any]:
    """The message begins with the place, which is compared by itself."""
    if "error" in found:
        return {"error": {key: found["error"][key] for key in found["error"] if key not in ("message", "index")}}
    return found


def check_rewritten(engine: ModuleType, case: Case) -> None:
    in_memory, streamed = plain(engine, case)
    limited = "max_record_bytes" in case.options
    ways = {
        "with a BOM": (with_bom(case.log), in_memory),
        "with CRLF": (None if limited else with_crlf(case.log), in_memory),
        "as an array": (None if limited else as_array(case.log), streamed),
    }
    for name, (rewritten, expected) in ways.items():
        if rewritten is None:
            continue
        wanted = moved(expected, rewritten)
        read = outcome(lambda log=rewritten.log: engine.read_bytes(log, **case.options))
        if name == "as an array":
            # All elements are looked at, so one that is known may have no needle.
            drop_warning(read, wanted, "unrecognised")
        assert_same(without_message(read), wanted, name)
        again = outcome(lambda log=rewritten.log: engine.read(Dribble(SOUGHT["zstd, one frame"](log)), **case.options))
        if name == "as an array":
            drop_warning(again, wanted, "unrecognised")
            assert_same(without_message(again), wanted, f"{name}, compressed")
        else:
            assert_same(without_line(without_message(again)), without_line(wanted), f"{name}, compressed")


def drop_warning(found: dict[str, Any], expected: dict[str, Any], warning: str) -> None:
    for one in (found, expected):
        if "answer" in one:
            one["answer"]["warnings"] = [name for name in one["answer"]["warnings"] if name != warning]


@pytest.mark.parametrize("case", SHIPPED, ids=str)
def test_a_compressed_log_answers_as_the_log_itself(engine: ModuleType, case: Case, log_path: Path) -> None:
    """spec S7 "Frames", S9. Each in four of the encodings; every fifth in all, and as file, stream and pipe."""
    nth = SHIPPED.index(case)
    if nth % 5 == 0:
        check_compressed(engine, case, ENCODINGS, log_path)
    else:
        check_compressed(engine, case, some(nth, 4), None)


@pytest.mark.parametrize("case", SHIPPED, ids=str)
def test_a_log_written_otherwise_answers_as_the_log_itself(engine: ModuleType, case: Case) -> None:
    """spec S7 "Arrays", BOM, CRLF."""
    check_rewritten(engine, case)


@pytest.mark.parametrize("case", HANDED_ONLY, ids=lambda case: f"handed-{case.id}")
def test_handed_logs_answer_the_same_in_every_encoding(engine: ModuleType, case: Case) -> None:
    """There are many: each in two encodings, and rewritten."""
    nth = HANDED_ONLY.index(case)
    check_compressed(engine, case, some(nth, 2), None)
    if nth % 2:
        check_rewritten(engine, case)


def test_the_encodings_are_what_they_are_called() -> None:
    """Frames that state their size can be read backward; others can't (S7)."""
    log = b'{"a":1}\n' * 9
    for name, encode in SOUGHT.items():
        assert zstd.get_frame_info(encode(log)).decompressed_size is not None, name
    assert zstd.get_frame_info(STREAMED["zstd, unsized"](log)).decompressed_size is None
    assert all(zstd.decompress(encode(log)) == log for encode in SOUGHT.values())
    assert sum(as_array(case.log) is not None for case in SHIPPED) > 250
    assert sum(with_bom(case.log) is not None for case in SHIPPED) > 450
