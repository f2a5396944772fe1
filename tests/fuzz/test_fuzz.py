"""The atheris target runs for a moment, so that it is not found broken when somebody wants it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from corpus_cases import package_parent

TESTS = Path(__file__).resolve().parent.parent
SECONDS = 4

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="atheris is not installed (pip install --group fuzz; it has wheels for some systems and versions only)",
)


def fuzzed(folder: Path, *seeds: bytes) -> subprocess.CompletedProcess[str]:
    (folder / "corpus").mkdir()
    for number, seed in enumerate(seeds):
        (folder / "corpus" / str(number)).write_bytes(seed)
    options = [f"-max_total_time={SECONDS}", "-max_len=1000", f"-artifact_prefix={folder}/"]
    return subprocess.run(
        [sys.executable, "-m", "fuzz.engines", *options, str(folder / "corpus")],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{package_parent()}"},
        capture_output=True,
        text=True,
        timeout=50,
    )


def test_both_engines_are_fuzzed_for_a_moment(both_engines: Any, tmp_path: Path) -> None:
    """spec S6.4. Both engines, because one is held against the other."""
    log = b'{"type":"assistant/chunk","data":{"chunk":{"type":"text-delta","text":"a"}}}\n'
    done = fuzzed(tmp_path, *[bytes((kind, 1, flags)) + log for kind in range(20) for flags in (0, 1, 255)])
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Done" in done.stderr
