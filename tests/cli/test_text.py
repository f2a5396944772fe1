"""The text on stdout, what stderr adds to it, and the exit code."""

import pytest

from cli.dsh_events import GREETING, SILENT, SOUND, TEXTLESS, message, said, streamed, turn_end, turn_start


def test_the_text_is_printed_with_one_line_feed_and_stderr_is_quiet(lastsaid, log):
    """spec S11."""
    log("run.jsonl", *SOUND)
    assert lastsaid("run.jsonl") == (0, f"{GREETING}\n".encode(), "")


def test_read_is_the_command_that_a_bare_log_is_short_for(lastsaid, log):
    log("run.jsonl", *SOUND)
    assert lastsaid("read", "run.jsonl") == lastsaid("run.jsonl")


@pytest.mark.parametrize("text", ["a\n", "a\n\n", "a\r\n", " a \n b"])
def test_no_line_feed_is_added_to_a_text_that_ends_in_one(command, log, text):
    """spec S11."""
    log("run.jsonl", said(1, text), turn_end(2))
    assert command("run.jsonl").out == text.encode() + (b"" if text.endswith("\n") else b"\n")


def test_stdin_is_read_for_a_dash(lastsaid, log):
    log("run.jsonl", *SOUND)
    assert lastsaid("-", stdin="\n".join(SOUND).encode()).out == f"{GREETING}\n".encode()


def test_a_file_named_like_a_command_is_written_with_its_folder(command, log):
    log("read", *SOUND)
    assert command("./read").out == f"{GREETING}\n".encode()
    ran = command("--json", "read")
    assert ran.code == 0


def test_names_after_two_dashes_are_no_options(command, log):
    log("--json", *SOUND)
    log("a.jsonl", *SOUND)
    assert command("--", "--json").out == f"{GREETING}\n".encode()
    assert command("a.jsonl", "--", "--json").out.count(b"==>") == 2


def test_options_may_stand_between_the_logs(command, log):
    log("a.jsonl", *SOUND)
    log("b.jsonl", *SOUND)
    assert command("a.jsonl", "--blocks", "b.jsonl").out.count(b"\n") == 2


@pytest.mark.parametrize(("locale", "mode"), [("C", "0"), ("C", "1"), ("POSIX", "0")])
def test_text_is_utf_8_whatever_the_locale(command, log, locale, mode):
    log("run.jsonl", said(1, "λ → 文 🙂"), turn_end(2))
    ran = command("run.jsonl", LC_ALL=locale, PYTHONUTF8=mode, PYTHONCOERCECLOCALE="0")
    assert (ran.out.decode(), ran.err) == ("λ → 文 🙂\n", "")


def test_an_unpaired_surrogate_is_printed_as_u_fffd_with_a_warning(lastsaid, log):
    """spec S11."""
    log("run.jsonl", said(1, "a\ud800b"), turn_end(2))
    ran = lastsaid("run.jsonl")
    assert ran.out.decode() == "a\ufffdb\n"
    assert ran.lines == ["warning: run.jsonl: half a surrogate pair is printed as U+FFFD (--json keeps it)"]


def test_control_characters_pass_a_pipe_untouched(lastsaid, log):
    """spec S11."""
    log("run.jsonl", said(1, "\x1b[2Ja\rb\x9b"), turn_end(2))
    assert lastsaid("run.jsonl").out.decode() == "\x1b[2Ja\rb\x9b\n"


@pytest.mark.parametrize(
    ("kind", "note"),
    [
        ("max-tokens", "stopped by max-tokens (truncated)"),
        ("max-turns", "stopped by max-turns (truncated)"),
        ("aborted", "aborted"),
        ("interrupted", "interrupted (aborted)"),
        ("blocked", "stopped by refusal (error)"),
        ("error", "stopped by an error"),
        ("a\nb\x1b", r"stopped by a\nb\x1b (error)"),
    ],
)
def test_a_partial_answer_is_seen_to_be_partial(lastsaid, log, kind, note):
    log("run.jsonl", said(1, "Half"), turn_end(2, kind))
    assert lastsaid("run.jsonl") == (0, b"Half\n", f"note: run.jsonl: {note}\n")


def test_a_turn_without_an_end_and_a_torn_tail_are_warned_of(lastsaid, log):
    log("run.jsonl", turn_start(1), said(2, "So far"), '{"type":"assis', end="")
    ran = lastsaid("run.jsonl")
    assert (ran.code, ran.out) == (0, b"So far\n")
    assert ran.lines == [
        "warning: run.jsonl: the last line is cut off and was not read",
        "warning: run.jsonl: the turn had not ended when the log stopped",
    ]


@pytest.mark.parametrize("source", ["path", "redirected", "piped"])
def test_an_answer_without_text_says_where_it_is_and_what_was_said_before(lastsaid, log, source):
    path = log("run.jsonl", *TEXTLESS)
    with path.open("rb") as file:
        ran = lastsaid("run.jsonl" if source == "path" else "-", stdin=file if source == "redirected" else file.read())
    name = "run.jsonl" if source == "path" else "stdin"
    assert (ran.code, ran.out) == (1, b"")
    assert ran.lines == [
        f"error: {name}: the last message has no text (reasoning, tool-call, line 2; stopped by max-turns)",
        'hint: earlier text, 25 characters, line 1: "PARTIAL: found hello.txt." (see --json, earlierText)',
    ]


@pytest.mark.parametrize("text", ["x" * 5000, "\x1b" * 5000, "文\n" * 3000])
def test_the_earlier_text_is_cut_to_the_width_of_a_line(lastsaid, log, text):
    log("run.jsonl", said(1, text), message(2, {"type": "tool-call"}))
    hint = lastsaid("run.jsonl").lines[1]
    assert 95 <= len(hint) <= 100
    assert hint.endswith('…" (see --json, earlierText)')


def test_without_earlier_text_the_hint_says_that_there_is_none(lastsaid, log):
    log("run.jsonl", message(1, {"type": "text", "text": " \n"}, {"kind": 3}, "odd"))
    ran = lastsaid("run.jsonl")
    assert (ran.code, ran.out) == (1, b"")
    assert ran.lines == [
        "error: run.jsonl: the last message has no text (blank text, a block without a type, line 1)",
        "hint: there is no earlier text; --blocks shows what there is",
    ]


def test_a_blank_stream_is_no_text(lastsaid, log):
    log("run.jsonl", streamed(1, " ", "\n"))
    assert lastsaid("run.jsonl").lines[0] == "error: run.jsonl: the streamed text is blank (line 1)"


def test_block_types_from_the_log_are_escaped_and_bounded(command, log):
    log("run.jsonl", message(1, {"type": "\x1b[2J\n"}, *({"type": "x" * 900 + str(i)} for i in range(900))))
    error = command("run.jsonl").lines[0]
    assert r"(\x1b[2J\n, xxx" in error
    assert len(error) < 400


def test_a_silent_agent_is_an_error_with_exit_code_1(lastsaid, log):
    log("run.jsonl", *SILENT)
    ran = lastsaid("run.jsonl")
    assert (ran.code, ran.out, len(ran.lines)) == (1, b"", 2)
    assert ran.lines[0] == "error: run.jsonl: the agent said nothing (aborted)"


@pytest.mark.parametrize("stdin", [True, False])
def test_an_empty_log_is_called_empty(lastsaid, log, stdin):
    log("run.jsonl")
    ran = lastsaid("-" if stdin else "run.jsonl")
    assert (ran.code, ran.lines[0]) == (1, f"error: {'stdin' if stdin else 'run.jsonl'}: the log is empty")


def test_a_log_of_unknown_events_names_the_formats(lastsaid, log):
    log("run.jsonl", '{"a":1}', '{"b":2}')
    assert lastsaid("run.jsonl") == (
        1,
        b"",
        "error: run.jsonl: no event of a known format was found\nhint: formats known: dsh\n",
    )


def test_a_silent_run_in_a_log_that_speaks_names_whole(lastsaid, log):
    log("run.jsonl", said(1, "old"), '{"type":"session/end-seed","seq":2,"data":{}}', turn_start(3), turn_end(4))
    ran = lastsaid("run.jsonl")
    assert ran.code == 1
    assert ran.lines == [
        "error: run.jsonl: the last run's own part of the log is silent, the rest isn't",
        "hint: read all of it with --whole",
    ]
    assert lastsaid("run.jsonl", "--whole").out == b"old\n"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--turn", "1"], b"one\n"),
        (["--turn=-1"], b"two\n"),
        (["--turn", "-1"], b"two\n"),
        (["--start", "2"], b"two\n"),
        (["--start", "-1"], b"two\n"),
        (["--since-seq", "3"], b"two\n"),
    ],
)
def test_a_part_of_the_log_can_be_asked_for(lastsaid, log, options, text):
    log("run.jsonl", turn_start(1), said(2, "one"), turn_start(3, 2), said(4, "two"))
    assert lastsaid(*options, "run.jsonl").out == text


def test_a_silent_part_names_the_option_that_chose_it(lastsaid, log):
    log("run.jsonl", turn_start(1), said(2, "one"), turn_start(3, 2), turn_end(4))
    assert lastsaid("--turn", "2", "run.jsonl").lines == [
        "error: run.jsonl: the part that --turn asks for is silent, the rest of the log isn't",
        "hint: read all of it with --whole instead of --turn",
    ]
