"""`--check`: everything that is wrong, `LOG:LINE:OFFSET: kind: sentence` (docs/spec/cli.md, selection S7)."""

import gzip
import json

from cli.dsh_events import BROKEN, SOUND, said


def test_a_sound_log_says_nothing(lastsaid, log):
    log("run.jsonl", *SOUND)
    assert lastsaid("--check", "run.jsonl") == (0, b"", "")


def test_each_problem_is_a_line(lastsaid, log):
    log("run.jsonl", *BROKEN, "nonsense", said(3, "y")[:-1], end="")
    ran = lastsaid("--check", "run.jsonl")
    second = len(BROKEN[0]) + 1
    third = second + len(BROKEN[1]) + 1
    fourth = third + len("nonsense\n")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.decode().splitlines() == [
        f"run.jsonl:2:{second}: wrong_type: data.message.content is a string, expected a list",
        f"run.jsonl:3:{third}: not_json: the record is not JSON, expected one JSON value",
        f"run.jsonl:4:{fourth}: torn_tail: {len(said(3, 'y')) - 1} bytes after the last line feed are not JSON",
    ]
    row = json.loads(lastsaid("--check", "--json", "run.jsonl").out.splitlines()[0])
    assert row == {
        "schema": 1,
        "log": "run.jsonl",
        "kind": "wrong_type",
        "path": "data.message.content",
        "offset": second,
        "line": 2,
        "message": "data.message.content is a string, expected a list",
    }


def test_after_damage_no_line_is_known(lastsaid, tmp_path):
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"{}\n") + b"x")
    assert lastsaid("--check", "run.gz").out.startswith(b"run.gz:?:3: damaged_frame: the record is not a gzip member")


def test_a_log_that_is_not_there_is_exit_code_2(lastsaid, log):
    log("run.jsonl", *SOUND)
    ran = lastsaid("--check", "gone.jsonl", "run.jsonl")
    assert (ran.code, ran.lines[0]) == (2, "error: gone.jsonl: No such file or directory")
