"""Every error is two lines: what and where, and what to type next."""

import errno
import gzip
import os

import pytest

from cli.dsh_events import BROKEN, SOUND, enveloped, said, turn_start
from lastsaid.cli.faults import fault
from lastsaid.cli.log import Log


def test_a_malformed_record_names_its_place_and_the_way_past_it(lastsaid, log):
    log("run.jsonl", *BROKEN)
    ran = lastsaid("run.jsonl")
    offset = len(BROKEN[0]) + 1
    assert (ran.code, ran.out) == (2, b"")
    assert ran.lines == [
        f"error: run.jsonl: line 2, byte {offset}: data.message.content is a string, expected a list",
        "hint: skip such lines with --on-malformed skip, or look at all of them with --check",
    ]


def test_skipping_prints_what_is_left_with_a_warning(lastsaid, log):
    log("run.jsonl", *BROKEN)
    ran = lastsaid("--on-malformed", "skip", "run.jsonl")
    assert (ran.code, ran.out) == (0, b"fine\n")
    assert ran.lines == ["warning: run.jsonl: malformed lines were skipped, what they said is missing"]


def test_a_text_file_is_told_what_a_log_is(lastsaid, log):
    log("notes.txt", "dear diary", "nothing happened")
    ran = lastsaid("notes.txt")
    assert ran.lines == [
        "error: notes.txt: line 1, byte 0: the record is not JSON, expected one JSON value",
        "hint: a log is one JSON object a line; "
        "skip such lines with --on-malformed skip, or look at all of them with --check",
    ]


def test_a_turn_that_is_not_there_names_those_that_are(lastsaid, log):
    log("run.jsonl", turn_start(1), said(2, "a"), turn_start(3, 4))
    log("bare.jsonl", *SOUND)
    ran = lastsaid("--turn", "9", "run.jsonl", "bare.jsonl")
    assert ran.code == 2
    assert ran.lines == [
        "error: run.jsonl: turn 9 is not in the log; its turns are 1, 4",
        "hint: the last turn is --turn -1",
        "error: bare.jsonl: turn 9 is not in the log; it has no turns",
        "hint: read without --turn",
    ]


def test_a_log_of_several_sessions_says_so(lastsaid, log):
    log("run.jsonl", enveloped("a\x1b", said(1, "x")), enveloped("b", said(2, "y")))
    ran = lastsaid("run.jsonl", "--on-malformed", "skip")
    assert ran.code == 2
    sessions = r'its sessions are "a\u001b", "b"'
    assert ran.lines[0] == f"error: run.jsonl: the log holds several sessions and nobody said which; {sessions}"
    assert ran.lines[1] == "hint: name one: lastsaid --session ID run.jsonl"
    assert lastsaid("run.jsonl", "--session", "b") == (0, b"y\n", "")
    ran = lastsaid("run.jsonl", "--session", "c")
    assert ran.lines[0] == f'error: run.jsonl: session "c" is not in the log; {sessions}'


def test_a_damaged_frame_is_named_and_what_is_sound_can_be_read(lastsaid, tmp_path):
    """spec S7 Frames."""
    whole = gzip.compress("\n".join([*SOUND, ""]).encode(), mtime=0)
    (tmp_path / "run.gz").write_bytes(whole + b"garbage")
    ran = lastsaid("run.gz")
    size = len("\n".join([*SOUND, ""]))
    found = f"byte {size}: the record is not a gzip member (byte {len(whole)} of the file)"
    assert (ran.code, ran.lines[0]) == (2, f"error: run.gz: {found}, expected another frame or the end")
    assert ran.lines[1] == "hint: read what is sound with --on-malformed skip"
    assert lastsaid("run.gz", "--on-malformed", "skip").out == b"Two bugs found.\n"


def test_a_utf_16_file_is_to_be_converted_first(lastsaid, tmp_path):
    for name, text in (("long", "\n".join(SOUND) + "\n"), ("short", '{"type":"x/y"}')):
        (tmp_path / name).write_bytes(text.encode("utf-16"))
        ran = lastsaid(name)
        assert (ran.code, len(ran.lines)) == (2, 2)
        assert "UTF-16" in ran.lines[0]
        assert ran.lines[1] == f"hint: convert it first: iconv -f UTF-16 -t UTF-8 {name} | lastsaid -"


@pytest.mark.parametrize(
    ("path", "what", "hint"),
    [
        ("gone.jsonl", "No such file or directory", "see what is there: ls ."),
        ("no/where", "No such file or directory", "see what is there: ls no"),
        ("runs", "Is a directory and holds no session.jsonl", "name log files inside it: lastsaid runs/*.jsonl"),
        (
            "gz/",
            "Is a directory and holds no session.jsonl",
            "name log files inside it: lastsaid gz/*.jsonl.gz",
        ),
        ("many", "Is a directory and holds no session.jsonl", "name sessions' directories inside it: lastsaid many/*/"),
        ("empty", "Is a directory and holds no session.jsonl", "see what is there: ls -la empty"),
        ("odd", "session.jsonl in it: Is a directory", "see what is there: ls -la odd"),
        ("x" * 300, "File name too long", "see whether it can be read at all: head -c 1 " + "x" * 300),
        ("file/x", "Not a directory", "see whether it can be read at all: head -c 1 file/x"),
    ],
)
def test_what_the_system_refuses_is_said_with_a_hint(lastsaid, log, tmp_path, path, what, hint):
    for folder in ("runs", "gz", "many/one", "empty", "odd/session.jsonl"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("file", "runs/a.jsonl", "gz/a.jsonl.gz", "many/notes"):
        log(name, *SOUND)
    assert lastsaid(path) == (2, b"", f"error: {path}: {what}\nhint: {hint}\n")


def test_a_log_that_may_not_be_read_says_who_may():
    # Not in a child process: root, as whom tests may run, may read everything.
    refused = fault(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), Log("a run.jsonl"))
    assert refused == ("Permission denied", "see who may read it: ls -l 'a run.jsonl'")


def test_a_missing_file_named_like_a_command_says_where_a_command_stands(command):
    assert command("--json", "read").lines[1] == "hint: a command comes before its options: lastsaid read …"


def test_a_name_never_breaks_the_line_or_drives_the_terminal(command):
    ran = command("a\nb\x1b[2J\u202e\x9b")
    assert ran.lines[0] == r"error: a\nb\x1b[2J\u202e\x9b: No such file or directory"
    assert len(ran.lines) == 2
