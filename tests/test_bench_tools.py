"""What the benches say of their measurements; nothing is measured here."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
if not (REPOSITORY / "benches").is_dir():
    pytest.skip("a source distribution has no benches", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def tools() -> Any:
    sys.path.insert(0, str(REPOSITORY / "tools"))
    yield
    sys.path.remove(str(REPOSITORY / "tools"))


def tool(name: str) -> ModuleType:
    return importlib.import_module(f"bench_{name}")


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_runner", REPOSITORY / "benches" / "runner.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def timing(name: str, *rounds: float, memory: int | None = None) -> dict[str, Any]:
    return {"name": name, "fed": "", "seconds": list(rounds), "memory": memory}


def results(*timings: dict[str, Any], missing: dict[str, str] | None = None, **about: Any) -> Any:
    """A run of one question, `q`, with one workload, `w`."""
    workload = {"workload": "w", "unit": "answer", "about": about, "missing": missing or {}, "contenders": timings}
    machine = {
        "processor": "P",
        "cores": 2,
        "memory": 2**34,
        "system": "S",
        "python": "CPython 3",
        "commit": "c",
        "versions": {"lastsaid": "1.0", "absentee": None},
    }
    question = {"title": "Q", "about": "About.", "full": False, "log_mb": 1, "workloads": [workload]}
    question["machine"] = machine
    return tool("results").Results.of({"machine": machine, "questions": {"q": question}})


def verdict(target: str, run: Any, **fields: Any) -> Any:
    verdicts = tool("verdicts")
    wanted = getattr(verdicts.targets, target)(work="work", question="q", workload="w", **fields)
    (found,) = verdicts.verdicts([wanted], run)
    return found


# Ratios


def test_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    # The machine slowed down amid the run: medians alone would say 10 / 5.5.
    run = results(timing("rust", 1, 10, 10), timing("peer", 2, 20, 20))
    over, under = run.timing("q", "w", "peer"), run.timing("q", "w", "rust")
    assert tool("results").ratio(over, under) == 2


def test_ratio_takes_only_rounds_in_which_both_took_part() -> None:
    run = results(timing("rust", 1, 100, 100), timing("slow", 50))
    over, under = run.timing("q", "w", "slow"), run.timing("q", "w", "rust")
    assert tool("results").ratio(over, under) == 50


def test_ratio_without_a_common_round_is_refused() -> None:
    run = results(timing("rust", 1), timing("peer"))
    with pytest.raises(ValueError, match="no round in common"):
        tool("results").ratio(run.timing("q", "w", "peer"), run.timing("q", "w", "rust"))


# Targets


@pytest.mark.parametrize(
    ("seconds", "bounds", "met"),
    [
        (3.0, {"at_least": 3}, "yes"),
        (2.99, {"at_least": 3}, "no"),
        (3.0, {"at_least": 3, "goal": 4}, "yes"),
        (4.0, {"at_least": 3, "goal": 4}, "goal"),
        (1.8, {"at_most": 1.8, "goal": 1.4}, "yes"),
        (1.81, {"at_most": 1.8, "goal": 1.4}, "no"),
        (1.4, {"at_most": 1.8, "goal": 1.4}, "goal"),
        (9.0, {}, "–"),
    ],
)
def test_ratio_is_held_against_its_bounds(seconds: float, bounds: dict[str, float], met: str) -> None:
    found = verdict("Ratio", results(timing("peer", seconds), timing("rust", 1)), over="peer", under="rust", **bounds)
    assert found.met == met


@pytest.mark.parametrize(("grown", "met"), [(8_000_600, "yes"), (8_000_601, "no")])
def test_memory_may_grow_with_the_text(grown: int, met: str) -> None:
    run = results(timing("rust", 1, memory=grown), text_bytes=100)
    assert verdict("Memory", run, contender="rust", most=8_000_000, per_text_byte=6).met == met


@pytest.mark.parametrize(("most", "met"), [(0.02, "yes"), (0.0199, "no")])
def test_added_time_is_the_difference(most: float, met: str) -> None:
    run = results(timing("import", 0.03, 0.05), timing("pass", 0.01, 0.03))
    assert verdict("Added", run, contender="import", baseline="pass", at_most=most).met == met


def test_missing_contender_says_why_and_meets_nothing() -> None:
    run = results(timing("rust", 1), missing={"peer": "peer is not installed here"})
    found = verdict("Ratio", run, over="peer", under="rust", at_least=1)
    assert (found.measured, found.met) == ("peer is not installed here", "–")


def test_target_of_a_full_run_names_the_command_that_measures_it() -> None:
    fields = {"workload": "w, 10 GB", "over": "peer", "under": "rust", "at_least": 1}
    wanted = tool("verdicts").targets.Ratio(work="work", question="q", **fields)
    (found,) = tool("verdicts").verdicts([wanted], results(timing("rust", 1)))
    assert (found.measured, found.command) == ("only in a full run", "`make bench-full ONLY=q`")


def test_every_target_names_a_question_that_can_be_asked() -> None:
    questions = {path.stem for path in (REPOSITORY / "benches" / "questions").glob("*.py")}
    wanted = tool("verdicts").targets.TARGETS
    assert {target.question for target in wanted} <= questions
    assert len(wanted) > 40


# The page


def test_page_keeps_its_prose_and_replaces_what_was_measured(tmp_path: Path) -> None:
    page = tool("page")
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{page.BEGIN}\nstale figures\n{page.END}\nafter\n", encoding="utf-8")
    run = results(timing("rust", 0.001), timing("peer", 0.004), missing={"other": "no such thing"})
    written = page.replaced(readme.read_text(encoding="utf-8"), page.written(run, tmp_path))
    assert written.startswith(f"before\n{page.BEGIN}\n")
    assert written.endswith(f"{page.END}\nafter\n")
    assert "stale figures" not in written
    assert "| peer | 4 ms (4×) |" in written
    assert "Not measured: other: no such thing." in written
    assert "**Not installed here:** absentee." in written


def test_page_without_markers_is_refused() -> None:
    page = tool("page")
    with pytest.raises(page.PageError, match="no markers"):
        page.replaced("prose", "generated")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2e-9, "2 ns"), (0.0000151, "15.1 µs"), (0.0009999, "1 ms"), (12.34, "12.3 s"), (-0.002, "−2 ms")],
)
def test_durations_have_three_figures_in_a_unit_that_suits(seconds: float, words: str) -> None:
    assert tool("words").duration(seconds) == words


def test_question_of_an_earlier_commit_says_so(tmp_path: Path) -> None:
    run = results(timing("rust", 1))
    asked = run.questions["q"]
    earlier = {"q": dataclasses.replace(asked, machine={**asked.machine, "commit": "older"})}
    assert "Measured earlier, at commit `older`." in tool("page").written(
        dataclasses.replace(run, questions=earlier), tmp_path
    )


# Instruction counts


@pytest.mark.parametrize(
    ("after", "code", "said"),
    [
        (1_050, 0, "within 5%"),
        (1_051, 1, "| push | 1,000 | 1,051 | +5.1 % |"),
        (950, 0, "within 5%"),
        (949, 0, "make bench-check UPDATE=1"),
    ],
)
def test_more_than_five_percent_is_named(after: int, code: int, said: str) -> None:
    check = tool("check")
    words, found = check.report(check.compared({"push": 1_000}, {"push": after}))
    assert (found, said in words) == (code, True)


def test_work_that_is_no_longer_counted_fails_and_new_work_does_not() -> None:
    check = tool("check")
    assert check.report(check.compared({"push": 1}, {}))[1] == 1
    words, code = check.report(check.compared({}, {"push": 1}))
    assert (code, "Not kept yet: push" in words) == (0, True)


def test_start_of_the_interpreter_cancels_out() -> None:
    per_call = tool("check").per_call
    # Three dumps a work: up to it, n times, 2n times; 500 are the loop's own.
    assert per_call([9_999, 1_500, 2_500, 7, 600, 700], [("one", 10), ("two", 1)]) == {"one": 100, "two": 100}


def test_dumps_that_do_not_fit_the_work_are_refused() -> None:
    check = tool("check")
    with pytest.raises(check.CheckError, match="expected 3"):
        check.per_call([1, 2], [("one", 1)])
    with pytest.raises(check.CheckError, match="twice the work"):
        check.per_call([1, 20, 20], [("one", 1)])


def test_counts_of_another_python_are_not_compared() -> None:
    check = tool("check")
    kept = {"machine": "x86_64", "python": "3.11.7"}
    check.refuse_others(kept, {"machine": "x86_64", "python": "3.11.9"})
    with pytest.raises(check.CheckError, match="can't be compared"):
        check.refuse_others(kept, {"machine": "x86_64", "python": "3.12.1"})
    with pytest.raises(check.CheckError, match="can't be compared"):
        check.refuse_others(kept, {"machine": "aarch64", "python": "3.11.7"})


def test_kept_counts_are_of_work_that_is_still_described() -> None:
    source = (REPOSITORY / "benches" / "instructions.py").read_text(encoding="utf-8")
    kept = tool("check").json.loads((REPOSITORY / "benches" / "instructions.json").read_text(encoding="utf-8"))
    assert set(kept["about"]) == {"machine", "python", "rustc", "valgrind"}
    assert len(kept["counts"]) >= 25
    assert all(name.split(",")[0] in source for name in kept["counts"])


# The runner


def test_wrong_answer_ends_the_run_before_anything_is_timed(runner: ModuleType) -> None:
    calls = []
    contenders = [
        runner.Contender("right", lambda _: calls.append("right") or 1),
        runner.Contender("wrong", lambda _: calls.append("wrong") or 2),
    ]
    with pytest.raises(runner.WrongAnswerError, match="wrong gives a wrong answer for w"):
        runner.measured(runner.Workload("w", 1, contenders), 0.01)
    assert calls == ["right", "wrong"]


def test_contenders_alternate(runner: ModuleType) -> None:
    calls = []

    def contender(name: str) -> Any:
        def call(_: object) -> None:
            calls.append(name)
            runner.sleep(0.002)

        return runner.Contender(name, call, checked=False)

    runner.sleep = importlib.import_module("time").sleep
    measured = runner.measured(runner.Workload("w", None, [contender("a"), contender("b")]), 0.006)
    assert "".join(calls) == "ab" * (len(calls) // 2)
    assert all(len(one["seconds"]) >= 3 for one in measured["contenders"])


def test_floor_has_no_answer_and_a_fold_is_asked_for_its_own(runner: ModuleType) -> None:
    floor = runner.Contender("floor", lambda _: "nothing", checked=False)
    fold = runner.Contender("fold", lambda fold: fold, given=lambda: [1], answer=lambda fold: fold[0])
    measured = runner.measured(runner.Workload("w", 1, [floor, fold], units=10), 0.001)
    assert [one["name"] for one in measured["contenders"]] == ["floor", "fold"]
