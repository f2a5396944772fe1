"""`--explain`: read in ten seconds (docs/spec/cli.md)."""

import json

import pytest

from cli.dsh_events import SILENT, TEXTLESS, message, said, streamed, turn_end, turn_start


def test_every_candidate_has_a_row_and_a_reason(lastsaid, log):
    log("run.jsonl", turn_start(1), streamed(2, "ab", "c"), said(3, "older"), said(4, "Done."), message(5), turn_end(6))
    ran = lastsaid("--explain", "run.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.decode().splitlines() == [
        'won        line 4     message  text 5                          "Done."',
        "empty      line 5     message  no blocks                       no blocks",
        'lost       line 3     message  text 5                          an older message: "older"',
        'unused     line 2     stream   3 characters                    a message was found: "abc"',
        "stop       completed (complete)    format dsh    own part, from line 1    6 examined",
    ]


def test_rows_stay_within_the_width_and_eight(lastsaid, log):
    log("run.jsonl", *(said(i, f"answer {i} " * 30) for i in range(40)), '{"type":"assistant/message"}')
    shown = lastsaid("--explain", "run.jsonl", "--on-malformed", "skip").out.decode().splitlines()
    assert len(shown) == 10
    assert all(len(line) <= 100 for line in shown)
    assert shown[1].startswith("malformed  line 41    record")
    assert shown[1].endswith("data is missing, expected an object")
    assert shown[-2].endswith(" 33 more of them: --json --explain")
    assert shown[-1].endswith("41 examined, 1 bad")


def test_nothing_said_is_a_row_too_and_the_exit_code_is_that_of_the_text(lastsaid, log):
    log("run.jsonl", *SILENT)
    ran = lastsaid("--explain", "run.jsonl")
    assert ran.code == 1
    assert ran.out.decode().splitlines()[0].startswith("none ")
    log("textless.jsonl", *TEXTLESS)
    ran = lastsaid("--explain", "textless.jsonl")
    assert ran.code == 1
    assert ran.out.decode().splitlines()[0].split("  ")[-1] == "the last message that has blocks"
    assert "hint: earlier text" in ran.err


def test_json_holds_all_of_it(lastsaid, log):
    log("run.jsonl", said(1, "x"))
    row = json.loads(lastsaid("--json", "--explain", "run.jsonl").out)
    assert row["counts"]["messages"] == 1
    assert [one["verdict"] for one in row["candidates"]] == ["won"]
    assert json.loads(lastsaid("--json", "run.jsonl").out)["counts"] is None


def test_words_of_the_log_do_not_drive_the_terminal(lastsaid, log):
    log("run.jsonl", message(1, {"type": "a\x1b[2J", "text": "x"}, {"type": "text", "text": "\x1b]0;x\x07 y"}))
    assert b"\x1b" not in lastsaid("--explain", "run.jsonl").out


@pytest.mark.parametrize("other", ["--blocks", "--check"])
def test_options_that_contradict_are_misuse(command, log, other):
    log("run.jsonl", said(1, "x"))
    ran = command("--explain", other, "run.jsonl")
    assert (ran.code, ran.out) == (2, b"")
