"""More than one log on a command line."""

import json
import os
import signal
import subprocess
import threading

import pytest

from cli.child import COMMAND, run
from cli.dsh_events import BROKEN, GREETING, SILENT, SOUND, said


def test_each_text_has_a_header_and_a_blank_line_between(lastsaid, log):
    log("a.jsonl", *SOUND)
    log("b.jsonl", *SOUND)
    ran = lastsaid("a.jsonl", "b.jsonl")
    assert ran == (0, f"==> a.jsonl <==\n{GREETING}\n\n==> b.jsonl <==\n{GREETING}\n".encode(), "")


def test_a_log_that_fails_keeps_its_header_and_the_others_are_printed(lastsaid, log):
    log("broken.jsonl", *BROKEN)
    log("silent.jsonl", *SILENT)
    log("sound.jsonl", *SOUND)
    ran = lastsaid("broken.jsonl", "silent.jsonl", "gone.jsonl", "sound.jsonl")
    assert ran.code == 2
    assert ran.out.decode() == (
        f"==> broken.jsonl <==\n\n==> silent.jsonl <==\n\n==> gone.jsonl <==\n\n==> sound.jsonl <==\n{GREETING}\n"
    )
    assert [line.split(": ")[:2] for line in ran.lines[::2]] == [
        ["error", "broken.jsonl"],
        ["error", "silent.jsonl"],
        ["error", "gone.jsonl"],
    ]


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["sound", "silent"], 0),
        (["silent", "sound"], 0),
        (["silent", "silent"], 1),
        (["silent", "broken"], 2),
        (["broken", "sound"], 2),
    ],
)
@pytest.mark.parametrize("shape", [[], ["--json"], ["--blocks"]])
def test_the_exit_code_is_the_same_in_every_shape(command, log, names, code, shape):
    log("sound", *SOUND)
    log("silent", *SILENT)
    log("broken", *BROKEN)
    assert command(*shape, *names).code == code


def test_stdin_can_stand_among_other_logs_once(command, log):
    log("a.jsonl", *SOUND)
    ran = command("-", "a.jsonl", stdin="\n".join(SOUND).encode())
    assert ran.out.startswith(f"==> stdin <==\n{GREETING}\n\n==> a.jsonl <==".encode())
    twice = command("-", "a.jsonl", "-")
    assert (twice.code, twice.lines[0]) == (2, "error: stdin (-) can be read only once")


def test_a_name_that_is_no_utf_8_is_read_and_shown(lastsaid, tmp_path):
    name = b"a\xff\nb.jsonl"
    path = os.fsencode(tmp_path) + b"/" + name
    with open(path, "wb") as file:
        file.write("\n".join(SOUND).encode())
    ran = lastsaid(name, b"gone\xfe\n")
    assert ran.out.startswith(b"==> a\xff\nb.jsonl <==\n")
    assert ran.lines[0] == r"error: gone\xfe\n: No such file or directory"
    assert rb'"log":"a\udcff\nb.jsonl"' in lastsaid("--json", name).out


def test_many_logs_come_out_in_their_order(lastsaid, log, tmp_path):
    names = [f"{number}.jsonl" for number in range(150)]
    for name in names:
        log(name, said(1, name))
    names.insert(70, "gone")
    rows = [json.loads(line) for line in lastsaid("--json", *names).out.splitlines()]
    assert [row["text"] for row in rows] == [row["log"] for row in rows] == [name for name in names if name != "gone"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_among_logs_are_read_in_their_turn(lastsaid, log, tmp_path):
    log("a.jsonl", said(1, "a"))
    os.mkfifo(tmp_path / "pipe")
    lines = f"{said(1, 'pipe')}\n".encode()
    thread = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(lines,), daemon=True)
    thread.start()
    ran = lastsaid("--blocks", "a.jsonl", "pipe", "a.jsonl", "-", stdin=lines)
    assert [json.loads(line)[0]["text"] for line in ran.out.splitlines()] == ["a", "pipe", "a", "pipe"]
    thread.join(30)


def test_each_log_is_shown_as_soon_as_those_before_it_are(lastsaid, cli_engine, log, tmp_path):
    """Not when all are read."""
    log("a.jsonl", said(1, "a"))
    os.mkfifo(tmp_path / "pipe")
    child = subprocess.Popen([*COMMAND, "a.jsonl", "pipe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert [child.stdout.readline() for _ in range(4)] == [b"==> a.jsonl <==\n", b"a\n", b"\n", b"==> pipe <==\n"]
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=30) == (b"", b"")
        assert child.returncode == 130
    finally:
        child.kill()


def test_how_far_it_is_is_said_on_a_terminal_and_gone_at_the_end(monkeypatch, tmp_path, log):
    import io
    import sys
    from types import SimpleNamespace

    from lastsaid.cli.terminal import Talk

    shown = SimpleNamespace(buffer=io.BytesIO(), isatty=lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    talk = Talk("never")
    talk.status("1 of 3 logs")
    talk.status("2 of 3 logs")
    talk.say("note", "b")
    talk.status("")
    talk.status("3 of 3 logs")
    talk.status("")
    clear = b"\r\x1b[K"
    assert shown.buffer.getvalue() == (
        b"1 of 3 logs" + clear + b"2 of 3 logs" + clear + b"note: b\n3 of 3 logs" + clear
    )
    for isatty, term in ((False, "xterm"), (True, "dumb")):
        monkeypatch.setenv("TERM", term)
        shown.isatty = lambda isatty=isatty: isatty
        shown.buffer = io.BytesIO()
        Talk("never").status("1 of 3 logs")
        assert shown.buffer.getvalue() == b""


@pytest.mark.parametrize("count", [1, 2])
def test_too_little_memory_is_said_in_a_sentence(tmp_path, log, count):
    """In the pure engine; where the other one gets no memory the process ends."""
    log("small.jsonl", *SOUND)
    with (tmp_path / "huge.jsonl").open("wb") as file:
        file.write(b'{"type":"assistant/message","data":"')
        file.seek(200 << 20)
        file.write(b'"}\n')
    names = ["huge.jsonl", "small.jsonl"][:count]
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))\n"
    (tmp_path / "sitecustomize.py").write_text(limit)
    ran = run(*names, LASTSAID_ENGINE="python", PYTHONPATH=str(tmp_path))
    assert ran.lines[:2] == [
        "error: huge.jsonl: there is not enough memory to read it",
        "hint: see how much may be used: ulimit -v",
    ]
    assert ran.code == 2
    assert (GREETING in ran.out.decode()) is (count == 2)
