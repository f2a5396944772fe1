"""S11: what may reach a terminal, seen from a pseudo-terminal's other end."""

import os
import pty
import select
import subprocess
import time
import tty

import pytest

from cli.child import COMMAND, PATIENCE
from cli.dsh_events import GREETING, SOUND, TEXTLESS, message, said, turn_end
from lastsaid.cli.terminal import escaped, file_name, fitted, replaced

NASTY = "a\x1b[2Jb\r\x07\x7f\x9b31m\u202ec\u2066d\te\nf\ud800"
SHOWN = "a\\x1b[2Jb\\r\\x07\\x7f\\x9b31m\\u202ec\\u2066d\te\nf\ufffd"


def on_terminal(*arguments, stdout=True, stderr=True, **environment):
    """What a terminal gets, with the streams that aren't on it."""
    outer, inner = pty.openpty()
    tty.setraw(inner)
    try:
        child = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=inner if stdout else subprocess.DEVNULL,
            stderr=inner if stderr else subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
    finally:
        os.close(inner)
    with child:
        try:
            shown = _drained(outer)
        finally:
            child.kill()
            os.close(outer)
    return shown.decode()


def _drained(outer):
    shown, deadline = b"", time.monotonic() + PATIENCE
    while select.select([outer], [], [], max(0, deadline - time.monotonic()))[0]:
        try:
            part = os.read(outer, 1 << 16)
        except OSError:
            # Linux says so when nobody holds the other end any more.
            return shown
        if not part:
            return shown
        shown += part
    pytest.fail(f"the command has not ended; so far {shown!r}")


def test_control_characters_but_line_feed_and_tab_are_shown_escaped(lastsaid, log):
    """spec S11."""
    log("run.jsonl", said(1, NASTY), turn_end(2))
    assert on_terminal("run.jsonl", stderr=False) == f"{SHOWN}\n"


def test_json_on_a_terminal_holds_no_control_character_and_reads_the_same(lastsaid, log):
    import json

    log("run.jsonl", said(1, NASTY), turn_end(2))
    line = on_terminal("--json", "run.jsonl")
    assert escaped(line, keep="\n") == line
    assert json.loads(line)["text"] == NASTY


def test_an_output_file_that_is_a_terminal_counts_as_one(command, log):
    log("run.jsonl", said(1, NASTY), turn_end(2))
    # /dev/stderr is on the terminal here.
    assert on_terminal("run.jsonl", "-o", "/dev/stderr", stdout=False).startswith(SHOWN)


def test_nothing_from_a_log_drives_the_terminal_through_stderr(lastsaid, log):
    log("\x1b[2J.jsonl", said(1, NASTY), message(2, {"type": NASTY}), turn_end(3, NASTY))
    shown = on_terminal("\x1b[2J.jsonl", stdout=False, NO_COLOR="1")
    assert escaped(shown, keep="\n") == shown
    assert [line.split(":")[0] for line in shown.splitlines()] == ["error", "hint"]


def test_headers_and_first_words_are_coloured_on_a_terminal(command, log):
    log("a.jsonl", *SOUND)
    log("b.jsonl", *TEXTLESS)
    shown = on_terminal("a.jsonl", "b.jsonl")
    assert f"\x1b[1m==> a.jsonl <==\x1b[0m\n{GREETING}\n" in shown
    assert "\x1b[1;31merror\x1b[0m: b.jsonl: " in shown
    assert "\x1b[1;36mhint\x1b[0m: " in shown
    assert shown.count("\x1b[0m") == 4


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(command, log, environment):
    log("a.jsonl", *TEXTLESS)
    assert "\x1b" not in on_terminal("a.jsonl", "gone", **environment)
    assert "\x1b[1;31merror" in on_terminal("a.jsonl", "gone", "--color", "always", **environment)


def test_colour_can_be_switched_off_and_forced(command, log):
    log("a.jsonl", *TEXTLESS)
    assert "\x1b" not in on_terminal("a.jsonl", "gone", "--color", "never")
    ran = command("a.jsonl", "gone", "--color=always")
    assert ran.out.startswith(b"\x1b[1m==> a.jsonl <==\x1b[0m\n")
    assert ran.err.startswith("\x1b[1;31merror\x1b[0m: a.jsonl")


def test_help_has_no_colours(command):
    assert "\x1b" not in on_terminal("--help")


def test_a_text_cut_to_a_width_keeps_its_escapes_whole():
    assert fitted("abc", 3) == "abc"
    assert fitted("abcd", 3) == "ab…"
    assert fitted("a\x1bbc", 5) == "a…"
    assert fitted("a\x1bbc", 7) == "a\\x1bbc"
    assert fitted("", 3) == ""


def test_every_character_that_could_drive_a_terminal_is_spelt_out():
    controls = [
        chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    ]
    for control in controls:
        assert escaped(control).isprintable()
    assert escaped("".join(controls), keep="\n\t").count("\n") == 1
    assert escaped("é文🙂 ~\\x1b") == "é文🙂 ~\\x1b"
    assert replaced("\udc80a\ud800") == "\ufffda\ufffd"
    assert file_name("a\udcffb\n") == "a\\xffb\\n"
