"""Which engine runs: LASTSAID_ENGINE, and a build without the Rust one (architecture.md, lockstep 8)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_cases import package_parent

ASK = """
import json, logging
logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
import lastsaid
from lastsaid import AssistantOutputFold, ENGINE
fold = AssistantOutputFold()
fold.push_text("a")
read = lastsaid.read_bytes(b"").engine
print(json.dumps([lastsaid.ENGINE, fold.selection().engine, read, ENGINE, type(fold).__module__]))
"""


def ask(engine: str | None, parent: Path | None = None, code: str = ASK) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter with that LASTSAID_ENGINE and that copy of the package."""
    env = {name: value for name, value in os.environ.items() if name != "LASTSAID_ENGINE"}
    env["PYTHONPATH"] = str(parent or package_parent())
    if engine is not None:
        env["LASTSAID_ENGINE"] = engine
    return subprocess.run(
        [sys.executable, "-W", "ignore:this is a debug build:RuntimeWarning", "-c", code],
        capture_output=True,
        text=True,
        env=env,
        timeout=50,
        check=False,
    )


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package as a build without the Rust engine would have it."""
    parent = tmp_path_factory.mktemp("pure")
    without = shutil.ignore_patterns("_core*", "__pycache__")
    shutil.copytree(package_parent() / "lastsaid", parent / "lastsaid", ignore=without)
    return parent


def test_each_engine_can_be_named(engine: object) -> None:
    """spec S1 Engine."""
    name = engine.ENGINE  # type: ignore[attr-defined]
    done = ask(name)
    assert said(done) == [name] * 4 + ["lastsaid"]
    assert done.stderr == ""


@pytest.mark.parametrize("named", ["auto", None, ""])
def test_auto_takes_the_rust_engine(both_engines: object, named: str | None) -> None:
    """Needs the Rust engine, for it is the one that must be taken."""
    done = ask(named)
    assert said(done)[0] == "rust"
    assert done.stderr == ""


@pytest.mark.parametrize("named", ["nonsense", "Rust", "both"])
def test_an_engine_that_does_not_exist_is_an_error(named: str) -> None:
    done = ask(named)
    assert done.returncode != 0
    assert f"ValueError: LASTSAID_ENGINE is '{named}', expected 'rust', 'python' or 'auto'" in done.stderr


def test_a_build_without_the_rust_engine_says_so_once_and_uses_the_reference(pure: Path) -> None:
    """Names Python: it is about falling back to it."""
    done = ask(None, pure)
    assert said(done) == ["python"] * 4 + ["lastsaid"]
    assert done.stderr.splitlines() == ["lastsaid WARNING no Rust engine in this build: using the pure Python one"]


def test_a_build_without_the_rust_engine_is_silent_where_the_reference_was_asked_for(pure: Path) -> None:
    """Names Python: it is about asking for it."""
    done = ask("python", pure)
    assert said(done)[0] == "python"
    assert done.stderr == ""


def test_asking_for_a_rust_engine_that_is_not_there_raises(pure: Path) -> None:
    """Names Rust: no silent fallback from it."""
    done = ask("rust", pure)
    assert done.returncode != 0
    assert "ModuleNotFoundError: this build of lastsaid has no Rust engine (lastsaid._core)" in done.stderr
    assert "LASTSAID_ENGINE=python" in done.stderr


@pytest.mark.parametrize("named", ["auto", "rust"])
def test_a_rust_engine_that_is_there_and_broken_is_an_error(pure: Path, tmp_path: Path, named: str) -> None:
    """Names Rust: present but broken is never a reason to fall back."""
    shutil.copytree(pure / "lastsaid", tmp_path / "lastsaid")
    (tmp_path / "lastsaid" / "_core.py").write_text("raise ImportError('undefined symbol')\n")
    done = ask(named, tmp_path)
    assert done.returncode != 0
    assert "ImportError: undefined symbol" in done.stderr


def test_importing_the_package_loads_no_engine(pure: Path) -> None:
    """Whoever only catches our exceptions doesn't pay for one, and a wrong LASTSAID_ENGINE can be said in words."""
    done = ask("nonsense", pure, "import lastsaid; lastsaid.MalformedEventError; lastsaid.Selection; dir(lastsaid)")
    assert (done.returncode, done.stderr) == (0, "")


def test_pickles_go_from_one_engine_to_the_other(both_engines: object) -> None:
    """Names both: a pickle of one process is read in another that runs the other engine."""
    write = """
import lastsaid, pickle
fold = lastsaid.AssistantOutputFold()
fold.extend_text(["a", "b"])
print(pickle.dumps(fold).hex())
"""
    read = """
import lastsaid, pickle
fold = pickle.loads(bytes.fromhex("%s"))
print(fold.selection().engine, fold.text)
"""
    for one, other in (("rust", "python"), ("python", "rust")):
        written = ask(one, code=write)
        assert written.returncode == 0, written.stderr
        restored = ask(other, code=read % written.stdout.strip())
        assert restored.stdout.split() == [other, "ab"], restored.stderr
