"""No panic is reachable from input: the Rust sources hold nothing that panics by name (architecture.md).

Slices and arithmetic can panic too; those are what the differential tests, the fuzzers and overflow checks are for.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

RUST = Path(__file__).resolve().parent.parent.parent / "rust"
PANICS = re.compile(r"\.unwrap\(\)|\.expect\(|\b(?:panic|unreachable|todo|unimplemented|assert|assert_eq|assert_ne)!")
SOURCES = sorted(RUST.glob("*/src/**/*.rs"))


def without_tests(source: str) -> str:
    """The source with its test modules, comments and strings blanked, its lines kept."""
    source = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', source)
    lines = re.sub(r"//[^\n]*", "", source).split("\n")
    kept, depth, inside = [], 0, False
    for line in lines:
        if line.strip() == "#[cfg(test)]":
            inside, depth = True, 0
        if not inside:
            kept.append(line)
            continue
        kept.append("")
        depth += line.count("{") - line.count("}")
        if (depth == 0 and "}" in line) or (depth == 0 and line.rstrip().endswith(";")):
            inside = False
    return "\n".join(kept)


def panics(source: str) -> list[tuple[int, str]]:
    return [
        (number, line.strip())
        for number, line in enumerate(without_tests(source).split("\n"), 1)
        if PANICS.search(line) and "debug_assert" not in line
    ]


@pytest.mark.skipif(not SOURCES, reason="the sources of the Rust engine are not here")
def test_nothing_in_the_rust_sources_panics_by_name() -> None:
    found = [
        f"{path.relative_to(RUST)}:{number}: {line}"
        for path in SOURCES
        if not {"tests", "tests.rs"} & set(path.parts)
        for number, line in panics(path.read_text())
    ]
    assert found == []


def test_the_search_finds_what_it_is_for() -> None:
    source = (
        'fn a() {\n    x.unwrap();\n    // y.unwrap()\n    b("z.expect(");\n    unreachable!();\n}\n'
        "#[cfg(test)]\nmod tests {\n    fn t() { x.unwrap(); }\n}\nfn c() {\n    todo!()\n}\n"
    )
    assert [number for number, _ in panics(source)] == [2, 5, 12]
    assert panics('debug_assert!(a);\nx.unwrap_or(3);\nx.unwrap_or_default();\nx.expect_err("");\n') == []
