"""A short run of the differential tests, every case they ever kept, and a proof that they find what is planted.

The long runs: `make soak SEED=1 COUNT=100000`.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from differential import keeping, oracle
from differential.cases import Bench, Case
from differential.encoding import _COMPRESS, encoded, xxh64, zstd_frame
from differential.keeping import all_kept, kept, loaded
from differential.kinds import KINDS
from differential.runner import Plan, examined, run
from differential.shrinking import shrunk

COUNT = 2500


@pytest.fixture(scope="module")
def bench(both_engines: Any) -> Bench:
    return Bench({"rust": both_engines.rust, "python": both_engines.python})


def test_engines_agree_on_random_and_hostile_input(bench: Bench) -> None:
    """spec S6.4, S6.1, S6.2, S6.3: results, errors, states; a fixed seed, so that a failure is there again."""
    said: list[str] = []
    report = run(Plan(seed=1, count=COUNT, folder=None), said.append)
    assert not report.differences, "\n".join(said)
    assert report.cases.total() == COUNT
    assert set(report.cases) == set(bench.kinds)


@pytest.mark.parametrize("folder", all_kept(), ids=lambda folder: folder.name)
def test_case_that_once_differed_no_longer_does(bench: Bench, folder: Path) -> None:
    case = loaded(folder)
    if case.kind in bench.kinds:
        assert bench.differ(case) is None


@pytest.mark.parametrize("kind", KINDS)
def test_case_is_the_same_whenever_it_is_drawn(bench: Bench, kind: str) -> None:
    if kind not in bench.kinds:
        pytest.skip(f"not every engine offers what {kind} ask yet")
    alone = Bench(dict(zip(bench.names, bench.engines, strict=True)), (kind,))
    drawn = [repr(alone.draw(7, number)) for number in range(50)]
    assert drawn == [repr(alone.draw(7, number)) for number in range(50)]
    assert len(set(drawn)) > 40


# --- what is planted is found


def planted(engine: ModuleType, **changed: Any) -> ModuleType:
    """The engine with a defect: some of its functions are other ones. It offers nothing that came later."""
    names = ("AssistantOutputFold", "final_assistant_output", "select", "suffix_start", "read", "read_bytes")
    made = ModuleType("planted")
    for name in names:
        setattr(made, name, changed.get(name, getattr(engine, name)))
    return made


def test_defect_is_found_made_small_and_kept(both_engines: Any, tmp_path: Path) -> None:
    python = both_engines.python

    def read_bytes(
        data: bytes, suffix: str = "own", start: Any = None, turn: Any = None, since_seq: Any = None,
        on_malformed: str = "raise", max_record_bytes: int = 1 << 20,
    ) -> Any:  # fmt: skip
        options = {"suffix": suffix, "start": start, "turn": turn, "since_seq": since_seq, "on_malformed": on_malformed}
        # Wrong where a log has an emoji.
        data = data.replace("😀".encode(), b"?").replace(b"\\ud83d\\ude00", b"?")
        return python.read_bytes(data, max_record_bytes=max_record_bytes, **options)

    bench = Bench({"planted": planted(python, read_bytes=read_bytes), "python": python}, ("logs",))
    plan = Plan(seed=3, folder=tmp_path)
    case, said = next(found for found in (examined(bench, plan, number) for number in range(2000)) if found[1])
    assert said is not None
    assert "planted" in said
    (folder,) = tmp_path.iterdir()
    again = loaded(folder)
    assert bench.differ(again) is not None
    assert len(again.data["log"]) < len(case.data["log"])
    assert len(again.data["log"]) < 150
    written = json.loads((folder / "case.json").read_bytes())
    assert (folder / "log.jsonl").read_bytes() == again.data["log"]
    assert ("expected" in written) != ("expected_error" in written)


def test_both_engines_wrong_alike_differ_from_the_oracle(both_engines: Any) -> None:
    """Two of the same engine agree on everything, also on dropping the last event."""
    python = both_engines.python

    def select(events: Any, start: int = 0) -> Any:
        return python.select(list(events)[:-1], start)

    wrong = planted(python, select=select)
    bench = Bench({"one": wrong, "other": wrong}, ("rules",))
    found = [bench.differ(bench.draw(1, number)) for number in range(60)]
    assert any(difference is not None and difference.right == "the oracle" for difference in found)


def test_panic_is_a_difference(both_engines: Any) -> None:
    class Panic(BaseException):
        pass

    def suffix_start(events: Any) -> int:
        raise Panic("index out of range")

    bench = Bench(
        {"planted": planted(both_engines.python, suffix_start=suffix_start), "python": both_engines.python}, ("lists",)
    )
    difference = bench.differ(Case("lists", {"events": [], "start": 0}))
    assert difference is not None
    assert difference.says_left == {"error": {"class": "Panic", "message": "index out of range"}}


def test_shrinking_ends_with_the_smallest(both_engines: Any) -> None:
    def suffix_start(events: Any) -> int:
        return -1 if any(event.get("bad") for event in events if isinstance(event, dict)) else 0

    engines = {
        "planted": planted(both_engines.python, suffix_start=suffix_start),
        "python": planted(both_engines.python, suffix_start=lambda events: 0),
    }
    case = Case("lists", {"events": [{}, {"type": "x", "bad": "long enough", "c": [1]}, {"a": 1}], "start": 3})
    smaller, _ = shrunk(Bench(engines, ("lists",)), case)
    assert smaller.data["events"] == [{"bad": smaller.data["events"][0]["bad"]}]
    assert len(smaller.data["events"][0]["bad"]) == 1
    assert smaller.data["start"] == 0


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    data = {"events": [(), ("a",), b"bytes", 1j, float("inf"), "\ud83d", {1: 2}, 10**400], "start": -1}
    assert loaded(kept(Case("lists", data), "x", "About.", tmp_path)).data == data
    assert keeping.shown({"a": "inf"}) == "{'a': 'inf'}"


# --- what the machinery itself says


def test_oracle_says_what_the_rule_says() -> None:
    message = {
        "type": "assistant/message",
        "data": {"message": {"content": [{"type": "text", "text": "a"}], "id": "m"}},
    }
    empty = {"type": "assistant/message", "data": {"message": {"content": []}}}
    chunk = {"type": "assistant/chunk", "data": {"chunk": {"type": "text-delta", "text": "\ud83d"}}, "seq": 4}
    end = {"type": "turn/end", "data": {"reason": {"kind": "blocked"}}}
    said = oracle.answer([chunk, message, empty, end])
    assert (said["source"], said["text"], said["index"], said["stopReason"]) == ("message", "a", 1, "refusal")
    said = oracle.answer([chunk, chunk, empty])
    assert (said["source"], said["seq"], said["warnings"]) == ("stream", 4, ["lone_surrogate"])
    assert oracle.answer([empty])["output"] is None


def test_checksums_are_those_of_the_format() -> None:
    """The published vectors of XXH64."""
    assert xxh64(b"") == 0xEF46DB3751D8E999
    assert xxh64(b"a") == 0xD24EC4F1A98C6E5B
    assert xxh64(b"abc") == 0x44BC2CF5AD770999
    assert xxh64(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1


@pytest.mark.skipif(_COMPRESS is None, reason="no zstd module is installed")
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 65791, 65792, 300_000])
def test_frames_are_what_a_decoder_reads(size: int) -> None:
    zstd = pytest.importorskip("backports.zstd")
    data = bytes(number % 251 for number in range(size))
    for how in (
        {},
        {"checksum": True},
        {"sized": False},
        {"single": False},
        {"width": 8},
        {"blocks": "compressed"},
        {"block": 1000},
    ):
        assert zstd.decompress(zstd_frame(data, how)) == data, how
    plan = {"format": "zstd", "split": [size // 2], "skippable": [(1, b"no")]}
    assert zstd.decompress(encoded(data, plan)) == data
