"""`--json` and `--blocks`: one line a log."""

import json

from cli.dsh_events import BROKEN, SILENT, SOUND, TEXTLESS, message, said, turn_end

KEYS = [
    "schema",
    "log",
    "source",
    "output",
    "text",
    "format",
    "engine",
    "index",
    "offset",
    "line",
    "seq",
    "messageId",
    "stopReason",
    "stopReasonRaw",
    "completeness",
    "isFinal",
    "earlierText",
    "reported",
    "disagrees",
    "warnings",
    "policy",
    "counts",
    "candidates",
]


def test_every_key_is_always_there_in_the_same_order(lastsaid, log, cli_engine):
    log("sound.jsonl", *SOUND)
    log("textless.jsonl", *TEXTLESS)
    log("silent.jsonl", *SILENT)
    ran = lastsaid("--json", "sound.jsonl", "textless.jsonl", "silent.jsonl")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [list(row) for row in rows] == [KEYS] * 3
    assert [row["log"] for row in rows] == ["sound.jsonl", "textless.jsonl", "silent.jsonl"]
    assert {row["engine"] for row in rows} == {cli_engine}
    assert rows[1]["earlierText"]["text"] == "PARTIAL: found hello.txt."
    assert (ran.code, ran.err) == (0, "")


def test_the_line_is_the_selection_itself(lastsaid, log, cli_engine):
    from lastsaid.engine import engine_named

    path = log("run.jsonl", *TEXTLESS)
    row = json.loads(lastsaid("--json", "run.jsonl").out)
    del row["log"]
    assert row == engine_named(cli_engine).read(path).to_dict()


def test_an_answer_without_text_exits_1_and_the_line_says_the_rest(lastsaid, log):
    log("run.jsonl", *TEXTLESS)
    ran = lastsaid("--json", "run.jsonl")
    assert (ran.code, ran.err) == (1, "")
    assert json.loads(ran.out)["warnings"] == ["textless"]


def test_an_unreadable_log_has_an_error_and_no_line(lastsaid, log):
    log("broken.jsonl", *BROKEN)
    log("sound.jsonl", *SOUND)
    ran = lastsaid("--json", "broken.jsonl", "sound.jsonl")
    assert (ran.code, ran.out.count(b"\n"), len(ran.lines)) == (2, 1, 2)


def test_text_is_raw_utf_8_and_an_unpaired_surrogate_an_escape(lastsaid, log):
    log("run.jsonl", said(1, "文\ud800\U0001f642\u2028\x7f"), turn_end(2))
    for option in ("--json", "--blocks"):
        out = lastsaid(option, "run.jsonl", LC_ALL="C").out
        assert '"text":"文\\ud800🙂\u2028\x7f"'.encode() in out
        assert out.count(b"\n") == 1


def test_blocks_are_printed_one_array_a_log_and_null_without_output(lastsaid, log):
    log("textless.jsonl", *TEXTLESS)
    log("silent.jsonl", *SILENT)
    ran = lastsaid("--blocks", "textless.jsonl", "silent.jsonl")
    blocks, nothing = ran.out.splitlines()
    assert [block["type"] for block in json.loads(blocks)] == ["reasoning", "tool-call", "reasoning"]
    assert (nothing, ran.code) == (b"null", 1)
    assert [line.split(":")[0] for line in ran.lines] == ["error", "hint"] * 2


def test_blocks_say_on_stderr_that_they_are_partial(lastsaid, log):
    log("run.jsonl", said(1, "Half"), turn_end(2, "max-tokens"))
    assert lastsaid("--blocks", "run.jsonl").err == "note: run.jsonl: stopped by max-tokens (truncated)\n"


def test_blocks_as_deep_as_a_log_may_hold_and_numbers_as_long_are_printed(lastsaid, log):
    deep: object = int("9" * 4300)
    for _ in range(500):
        deep = [deep]
    log("run.jsonl", message(1, {"type": "text", "text": "x", "deep": deep}), turn_end(2))
    assert json.loads(lastsaid("--blocks", "run.jsonl").out)[0]["deep"] == deep


def test_stdin_is_called_a_dash_in_json(lastsaid):
    assert json.loads(lastsaid("--json", "-", stdin="\n".join(SOUND).encode()).out)["log"] == "-"
