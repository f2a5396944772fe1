"""`--output`: whole or not at all. Pipes that break, disks that are full, streams that are closed."""

import os
import signal
import stat
import subprocess
import threading

import pytest

from cli.child import COMMAND, PATIENCE
from cli.dsh_events import BROKEN, GREETING, SILENT, SOUND, said, turn_end


def shell(script, **more):
    """Run a script of bash in which $LASTSAID is the command."""
    env = {**os.environ, "LASTSAID": " ".join(COMMAND)}
    return subprocess.run(
        ["bash", "-c", script], env=env, capture_output=True, timeout=PATIENCE, text=True, check=False, **more
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_results_go_to_the_file_and_talk_to_stderr(lastsaid, log, tmp_path):
    log("run.jsonl", said(1, "Half"), turn_end(2, "max-tokens"))
    ran = lastsaid("run.jsonl", "-o", "answer.txt")
    assert ran == (0, b"", "note: run.jsonl: stopped by max-tokens (truncated)\n")
    assert (tmp_path / "answer.txt").read_bytes() == b"Half\n"
    assert names(tmp_path) == ["answer.txt", "run.jsonl"]


@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1"])
def test_stdout_by_another_name_is_stdout(command, log, path):
    log("run.jsonl", *SOUND)
    assert command("run.jsonl", "--output", path).out == f"{GREETING}\n".encode()


@pytest.mark.parametrize("number", [1, 3])
def test_a_file_behind_a_descriptor_is_written_on_and_not_replaced(command, log, tmp_path, number):
    log("run.jsonl", *SOUND)
    path = "/dev/stdout" if number == 1 else f"/dev/fd/{number}"
    done = shell(f"(echo a >&{number}; $LASTSAID run.jsonl -o {path}; echo b >&{number}) {number}> all")
    assert (tmp_path / "all").read_text() == f"a\n{GREETING}\nb\n"
    assert done.stderr == ""


def test_a_log_that_cannot_be_read_is_not_overwritten(lastsaid, log, tmp_path):
    path = log("run.jsonl", *BROKEN)
    before = path.read_bytes()
    assert lastsaid("run.jsonl", "-o", "run.jsonl").code == 2
    assert path.read_bytes() == before
    assert lastsaid("run.jsonl", "-o", "new.txt").code == 2
    assert names(tmp_path) == ["run.jsonl"]


def test_what_could_be_read_is_written(lastsaid, log, tmp_path):
    log("broken.jsonl", *BROKEN)
    log("sound.jsonl", *SOUND)
    assert lastsaid("--json", "broken.jsonl", "sound.jsonl", "-o", "out").code == 2
    assert (tmp_path / "out").read_text().count("\n") == 1


def test_a_silent_agent_leaves_no_older_answer_behind(lastsaid, log, tmp_path):
    log("run.jsonl", *SILENT)
    (tmp_path / "out").write_text("older")
    assert lastsaid("run.jsonl", "-o", "out").code == 1
    assert (tmp_path / "out").read_text() == ""


def test_the_mode_is_kept_and_a_link_followed(command, log, tmp_path):
    log("run.jsonl", *SOUND)
    (tmp_path / "real").write_text("older")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    assert command("run.jsonl", "-o", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == f"{GREETING}\n"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_the_umask_leaves(command, log, tmp_path):
    log("run.jsonl", *SOUND)
    shell("umask 027; $LASTSAID run.jsonl -o out")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


@pytest.mark.parametrize("path", ["no/where", "."])
def test_a_place_that_cannot_be_written_is_refused_before_reading(command, path):
    ran = command("-", "-o", path)
    assert (ran.code, ran.out, len(ran.lines)) == (2, b"", 2)
    assert ran.lines[0].startswith(f"error: {path}: ")


def test_an_interrupt_is_quiet_and_leaves_no_file(command, tmp_path):
    child = subprocess.Popen(
        [*COMMAND, "-", "-o", "out"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts its background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with child:
        watchdog = threading.Timer(PATIENCE, child.kill)
        watchdog.start()
        while child.poll() is None and not names(tmp_path):
            threading.Event().wait(0.01)
        child.send_signal(signal.SIGINT)
        out, err = child.stdout.read(), child.stderr.read()
        child.wait(PATIENCE)
        watchdog.cancel()
    assert (child.returncode, out, err) == (130, b"", b"")
    assert names(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", ["run.jsonl", "--json run.jsonl", "--help", "--version", "big.jsonl"])
def test_a_full_disk_is_two_lines_and_exit_code_2(command, log, arguments):
    log("run.jsonl", *SOUND)
    log("big.jsonl", said(1, "x" * 1_000_000), turn_end(2))
    done = shell(f"$LASTSAID {arguments} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: stdout: No space left on device",
        "hint: make room, or write elsewhere with --output FILE",
    ]
    assert "/dev/full" in command("run.jsonl", "-o", "/dev/full").lines[0]


@pytest.mark.parametrize("arguments", ["run.jsonl run.jsonl", "--json run.jsonl run.jsonl", "--help", "--version"])
def test_a_broken_pipe_is_quiet(command, log, arguments):
    log("run.jsonl", said(1, "x" * 1_000_000), turn_end(2))
    done = shell(f"(sleep 0.5; $LASTSAID {arguments}; echo $? >&2) | true")
    assert done.stderr == "141\n"


def test_a_reader_that_wants_one_line_only_gets_it(command, log):
    log("run.jsonl", said(1, "first\n" + "x" * 1_000_000), turn_end(2))
    done = shell("$LASTSAID run.jsonl | head -n 1")
    assert (done.stdout, done.stderr) == ("first\n", "")


@pytest.mark.parametrize(
    ("script", "code", "first"),
    [
        ("$LASTSAID run.jsonl >&-", 2, "error: stdout: it is closed"),
        ("$LASTSAID - <&-", 2, "error: stdin: it is closed"),
        ("$LASTSAID gone 2>&-", 2, None),
        ("$LASTSAID gone 2>/dev/full", 2, None),
        ("$LASTSAID run.jsonl 2>&-", 0, None),
    ],
)
def test_closed_streams_are_no_traceback(command, log, script, code, first):
    log("run.jsonl", *SOUND)
    done = shell(script)
    assert done.returncode == code
    assert done.stderr.splitlines()[:1] == ([first] if first else [])


def test_a_pipe_with_a_name_is_read_as_a_log(lastsaid, log):
    log("run.jsonl", *SOUND)
    done = shell("$LASTSAID <(cat run.jsonl)")
    assert (done.stdout, done.stderr) == (f"{GREETING}\n", "")


def test_a_log_is_never_overwritten_by_its_own_answer(command, log):
    path = log("run.jsonl", *SOUND)
    before = path.read_bytes()
    (path.parent / "link").symlink_to(path)
    for output in ("run.jsonl", "link", "./run.jsonl"):
        ran = command("-o", output, "run.jsonl")
        assert (ran.code, len(ran.lines)) == (2, 2)
        assert path.read_bytes() == before


def test_starting_loads_no_module_that_only_rare_cases_need(command):
    rare = [
        "shutil",
        "tempfile",
        "importlib.metadata",
        "shlex",
        "subprocess",
        "asyncio",
        "unicodedata",
        "random",
        "pathlib",
    ]
    script = (
        "import sys, runpy; sys.argv = ['lastsaid', '-']\n"
        "try: runpy.run_module('lastsaid', run_name='__main__')\n"
        f"except SystemExit: print(sorted(set({rare!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [COMMAND[0], "-X", "utf8", "-I", "-c", script],
        input="\n".join(SOUND).encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout.decode().splitlines() == [GREETING, "[]"]
