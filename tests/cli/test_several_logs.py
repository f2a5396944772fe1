"""More than one log on a command line."""

import os

import pytest

from cli.dsh_events import BROKEN, GREETING, SILENT, SOUND


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
