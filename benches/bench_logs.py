"""How long until a log's answer is there, from a file and from bytes in memory, and how much memory does it take?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import peers
from conftest import BIG, Log, Measure, skip_without_rust, write
from contenders import ENGINES, FLOOR, READERS, bytes_reader, file_reader
from memory import peak_growth

# What may stay for blocks and the answer; a reader that holds its log needs a thousand times as much.
BOUNDED = 8 << 20


@pytest.mark.parametrize("contender", [*READERS, FLOOR])
def test_file(log: Log, contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    tail = log.kind == "normal"
    if contender == FLOOR:
        measure("A log file", log.kind, FLOOR, lambda _: peers.floor_file(log.path, tail=tail), None)
        return
    read = file_reader(contender)
    growth = peak_growth(contender, log.small, log.path)
    measure("A log file", log.kind, contender, lambda _: read(log.path), log.expected, peak_growth=growth)


@pytest.mark.parametrize("contender", [*READERS, FLOOR])
def test_bytes(log: Log, contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    data = log.path.read_bytes()
    tail = log.kind == "normal"
    if contender == FLOOR:
        measure("A log in memory", log.kind, FLOOR, lambda _: peers.floor_bytes(data, tail=tail), None)
        return
    read = bytes_reader(contender)
    measure("A log in memory", log.kind, contender, lambda _: read(data), log.expected)


@pytest.fixture(scope="module")
def big_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    written = write(tmp_path_factory.mktemp("big"), "normal", 1_000_000_000)
    yield written
    written.path.unlink()
    written.small.unlink()


@pytest.mark.skipif(not BIG, reason="set LASTSAID_BENCH_BIG=1 for a log of 1 GB")
@pytest.mark.parametrize("contender", [*ENGINES, "rfind + orjson", FLOOR])
def test_one_gigabyte_answers_from_its_end(big_log: Log, contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    question = "A log file of 1 GB"
    if contender == FLOOR:
        measure(question, "normal", FLOOR, lambda _: peers.floor_file(big_log.path, tail=True), None)
        return
    read = file_reader(contender)
    growth = peak_growth(contender, big_log.small, big_log.path)
    if contender in ENGINES:
        assert growth < BOUNDED
    measure(question, "normal", contender, lambda _: read(big_log.path), big_log.expected, peak_growth=growth)
