"""Command lines that can't be meant, help and version."""

import importlib.machinery
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lastsaid
from cli.dsh_events import SOUND
from lastsaid.cli import main


def test_alone_it_prints_a_short_usage_on_stderr(command):
    ran = command()
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("usage: lastsaid [options] LOG")
    assert len(ran.lines) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "--blocks", "x"],
        ["--turn", "1", "--whole", "x"],
        ["--start", "1", "--since-seq", "2", "x"],
        ["--turn", "one", "x"],
        ["--turn", "1_0", "x"],
        ["--turn", "٣", "x"],
        ["--turn", "9" * 5000, "x"],
        ["--turn", str(2**53), "x"],
        ["--turn", "", "x"],
        ["--since-seq", "-1", "x"],
        ["--engine", "java", "x"],
        ["--format", "\x1b[2J", "x"],
        ["--on-malformed", "ignore", "x"],
        ["--color", "mauve", "x"],
        ["--jso", "x"],
        ["--bogus\n", "x"],
        ["--json"],
        ["-o", "x"],
        ["read"],
        ["x", "-o"],
    ],
)
def test_misuse_is_two_lines_and_exit_code_2(arguments, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    first, second = err.split("\n", 1)
    assert out == ""
    assert first.startswith("error: ")
    assert second in ("hint: lastsaid --help\n", "hint: lastsaid read --help\n")
    assert "\x1b" not in err


def test_help_is_printed_on_stdout_and_fits_100_columns(command):
    ran = command("--help")
    assert (ran.code, ran.err) == (0, "")
    text = ran.out.decode()
    assert all(len(line) <= 100 for line in text.splitlines())
    assert "commands:\n  read " in text
    assert "--since-seq N" in command("read", "-h").out.decode()


def test_the_version_names_engine_and_rule(lastsaid, cli_engine):
    from lastsaid import RULE_VERSION

    ran = lastsaid("--version")
    assert (ran.code, ran.err) == (0, "")
    name, number, rest = ran.out.decode().split(" ", 2)
    assert (name, rest) == ("lastsaid", f"({cli_engine} engine, rule version {RULE_VERSION})\n")
    assert number[0].isdigit()


def test_the_option_engine_beats_the_environment(lastsaid, log, cli_engine):
    log("run.jsonl", *SOUND)
    assert b'"engine":"python"' in lastsaid("--json", "--engine", "python", "run.jsonl").out
    assert b'"engine":"' + cli_engine.encode() in lastsaid("--json", "--engine", cli_engine, "run.jsonl").out


@pytest.fixture
def undecided(monkeypatch):
    """An engine that isn't chosen yet, in this process."""
    monkeypatch.setattr("lastsaid.engine._active", None)
    monkeypatch.setitem(sys.modules, "lastsaid._core", None)
    return lambda name: monkeypatch.setenv("LASTSAID_ENGINE", name)


def test_a_wrong_engine_in_the_environment_is_two_lines(undecided, capsys):
    undecided("jav\x1ba")
    assert main(["x"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: LASTSAID_ENGINE is 'jav\\x1ba', expected 'rust', 'python' or 'auto'",
        "hint: set LASTSAID_ENGINE to one of them, or unset it",
    ]


def test_a_missing_engine_in_the_environment_is_two_lines(undecided, capsys):
    undecided("rust")
    assert main(["x"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: this build of lastsaid has no Rust engine (lastsaid._core)",
        "hint: use the other engine (--engine python), or install a wheel that has it",
    ]


def test_a_missing_engine_on_the_command_line_is_two_lines(undecided, capsys):
    undecided("python")
    assert main(["x", "--engine", "rust"]) == 2
    assert capsys.readouterr().err.splitlines()[1].startswith("hint: use the other engine (--engine python)")


def test_a_wrong_engine_in_the_environment_is_no_traceback(command):
    ran = command("x", LASTSAID_ENGINE="java")
    assert (ran.code, len(ran.lines)) == (2, 2)


def test_a_broken_engine_is_two_lines(tmp_path):
    """architecture.md, lockstep 8: present but broken is an error, and no traceback on the command line."""
    package = Path(lastsaid.__file__).parent
    copy = tmp_path / "lastsaid"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("_core*", "__pycache__"))
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (copy / f"_core{suffix}").write_bytes(b"no library")
    (tmp_path / "run.jsonl").write_text("\n".join(SOUND))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "LASTSAID_ENGINE": "auto"}
    done = subprocess.run(
        [sys.executable, "-m", "lastsaid", "run.jsonl"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (2, "", 2)
    assert lines[0].startswith("error: the Rust engine is there and can't be loaded: ")
    assert lines[1].startswith("hint: install lastsaid anew")
