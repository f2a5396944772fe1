"""Draw the pictures of benches/README.md from a run's JSON: `python tools/bench_plots.py RUN.json`."""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, NullLocator
from PIL import Image

from bench_results import Answered, Results, ratio
from bench_words import duration, multiple, size

FOLDER: Final = Path(__file__).resolve().parent.parent / "benches" / "plots"
# Told apart also by those who don't see every colour.
RUST, OTHER, THIRD, FAINT = "#d1495b", "#2e6f95", "#66a182", "#8a8a8a"
COLOURS: Final = (RUST, OTHER, THIRD, "#edae49", "#7a5195", "#444444", "#b07d62", "#17a2a2")
# Ratios at a glance: the question, the workload, the peers, what it is called.
BARS: Final = (
    (
        "log_file",
        "normal",
        ("orjson loop", "fastsimdjson lazy", "mmap.rfind + orjson"),
        "log file, answer at the end",
    ),
    ("log_file", "tail_far", ("orjson loop", "fastsimdjson lazy", "mmap.rfind + orjson"), "log file, early message"),
    ("log_file", "no_message", ("orjson loop", "fastsimdjson lazy", "mmap.rfind + orjson"), "log file, streamed text"),
    ("log_zstd", "normal", ("zstandard + orjson loop",), "zstd log, answer at the end"),
    ("log_zstd", "no_message", ("zstandard + orjson loop",), "zstd log, streamed text"),
    ("many_logs", "normal", ("orjson loop", "mmap.rfind + orjson"), "1,000 logs"),
    ("lists", "no_message, 100,000", ("by hand",), "100,000 dicts, streamed text"),
    (
        "kit_text",
        "100,000 chunks",
        ("pydantic-ai, parts manager", "anthropic, accumulator", "openai, chat state"),
        "100,000 chunks",
    ),
    ("calls", "push: chunk", ("by hand",), "push(dict) of a chunk"),
    ("calls", "push: assistant/message", ("by hand",), "push(dict) of a message"),
    ("calls", "push_text", ("by hand",), "push_text"),
    ("calls", "push_json: SSE-sized", ("orjson.loads + by hand",), "push_json of a chunk"),
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Draw the pictures of benches/README.md from a run's JSON.")
    parser.add_argument("run", type=Path, help="the file that benches/run.py wrote")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    mpl.use("Agg")
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 100})
    options.folder.mkdir(parents=True, exist_ok=True)
    results = Results.load(options.run)
    for name, draw in PICTURES.items():
        figure = draw(results)
        if figure is None:
            print(f"{name}.png: this run has nothing for it", file=sys.stderr)
        else:
            save(figure, options.folder / f"{name}.png")
    return 0


def save(figure: Any, path: Path) -> None:
    """With few colours: small files, which a repository can hold."""
    buffer = io.BytesIO()
    figure.savefig(buffer, bbox_inches="tight")
    plt.close(figure)
    Image.open(buffer).convert("RGB").quantize(128).save(path, optimize=True)


def ratios(results: Results) -> Any:
    """How many times as long the others take."""
    bars: list[tuple[str, str, float]] = []
    for question, workload, peers, words in BARS:
        rust = results.timing(question, workload, "rust")
        for peer in peers:
            timing = results.timing(question, workload, peer)
            if rust is not None and timing is not None:
                bars.append((words, peer, ratio(timing, rust)))
    if not bars:
        return None
    figure, axes = plt.subplots(figsize=(8, 0.3 * len(bars) + 1.2))
    places, place, before = [], 0.0, None
    for words, _, _ in bars:
        place += 1.0 if words == before else 1.5
        places.append(place)
        before = words
    values = [value for *_, value in bars]
    colours = [OTHER if value >= 1 else RUST for value in values]
    axes.barh(places, [value - 1 for value in values], left=1, color=colours, height=0.8)
    axes.axvline(1, color="black", linewidth=1)
    for at, value in zip(places, values, strict=True):
        axes.text(value * (1.08 if value >= 1 else 0.93), at, multiple(value), va="center", fontsize=8,
                  ha="left" if value >= 1 else "right")  # fmt: skip
    axes.set_yticks(places, [f"{words}: {peer}" for words, peer, _ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(min(0.1, min(values) / 3), max(values) * 4)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}×"))
    axes.set_title("How long the others take, beside the Rust engine", loc="left", fontsize=11)
    axes.set_xlabel("multiple of the Rust engine's time (right of the line: the engine is faster)")
    return figure


def logs(results: Results) -> Any:
    """Seconds against bytes."""
    asked = results.questions.get("growth")
    figure, axes = plt.subplots(figsize=(7, 4.2))
    drawn = False
    labels = {
        "normal": ("answer near the end", RUST),
        "tail_far": ("only an early message", OTHER),
        "no_message": ("no message: the streamed text", THIRD),
    }
    for kind, (words, colour) in labels.items():
        found = [one for one in _workloads(asked) if one.about.get("kind") == kind and "rust" in one.timings]
        if not found:
            continue
        drawn = True
        sizes = [one.about["bytes"] for one in found]
        times = [one.timings["rust"].seconds for one in found]
        axes.plot(sizes, times, "o-", color=colour, label=words)
        if kind == "tail_far":
            floors = [one.timings["floor"].seconds for one in found]
            axes.plot(sizes, floors, ":", color=FAINT, label="floor: every byte read and looked at")
        if kind == "no_message":
            _straight(axes, sizes, times)
    if not drawn:
        return _none(figure)
    axes.set_xlabel("size of the log")
    axes.set_ylabel("time of read(path)")
    return _log_log(figure, axes, size, "The answer of a log, as it grows")


def chunks(results: Results) -> Any:
    """Seconds of a whole stream against its chunks."""
    asked = results.questions.get("growth")
    found = [one for one in _workloads(asked) if "chunks" in one.about]
    figure, axes = plt.subplots(figsize=(7, 4.2))
    if not found:
        return _none(figure)
    counts = [one.about["chunks"] for one in found]
    for name, colour, words in (("rust", RUST, "the Rust engine"), ("by hand", OTHER, "by hand: append, then join")):
        times = [one.timings[name].seconds * count for one, count in zip(found, counts, strict=True)]
        axes.plot(counts, times, "o-", color=colour, label=words)
        if name == "rust":
            _straight(axes, counts, times)
    axes.set_xlabel("chunks of the stream")
    axes.set_ylabel("time of every push_text, and collect")
    return _log_log(figure, axes, in_millions, "A whole stream, as it grows")


def kits(results: Results) -> Any:
    """A chunk's share against chunks, beside what people use; a straight level line is linear."""
    asked = results.questions.get("kit_text")
    figure, axes = plt.subplots(figsize=(8, 4.6))
    found = _workloads(asked)
    if not found:
        return _none(figure)
    counts = [int(re.sub(r"\D", "", one.name)) for one in found]
    names = dict.fromkeys(
        name for one in found for name in one.timings if not name.endswith(", raw") and name != "by hand"
    )
    colours = iter(COLOURS[1:])
    ends: dict[str, tuple[tuple[float, float], str]] = {}
    for name in names:
        places = [
            (count, one.timings[name].seconds) for count, one in zip(counts, found, strict=True) if name in one.timings
        ]
        ours = name.startswith("rust")
        colour = RUST if ours else next(colours, FAINT)
        style = "o-" if name == "rust" else "o--" if ours else "s-"
        axes.plot(*zip(*places, strict=True), style, color=colour, markersize=4)
        ends[name] = (places[-1], colour)
    axes.set_xlabel("chunks of the stream")
    axes.set_ylabel("time a chunk, the text included")
    title = "The text of a stream, beside what people use (packages fed with their own objects)"
    _log_log(figure, axes, "{:,.0f}".format, title, legend=False)
    axes.set_xticks(counts)
    axes.set_xlim(right=counts[-1] * 40)
    above = 0.0
    # Names stand where their lines end, from below, each at least a line of print above the one before.
    for name, ((across, up), colour) in sorted(ends.items(), key=lambda end: end[1][0][1]):
        above = max(up, above * 1.6)
        words = "rust, push_text" if name == "rust" else name
        axes.annotate(words, (across, above), (6, 0), textcoords="offset points", va="center", fontsize=8, color=colour)
    return figure


def folds(results: Results) -> Any:
    """An event against the folds that are alive."""
    asked = results.questions.get("growth")
    found = [one for one in _workloads(asked) if "folds" in one.about]
    figure, axes = plt.subplots(figsize=(7, 3.4))
    if not found:
        return _none(figure)
    counts = [one.about["folds"] for one in found]
    top = 0.0
    for name, colour, words in (("rust", RUST, "the Rust engine"), ("by hand", OTHER, "by hand")):
        times = [one.timings[name].seconds for one in found]
        top = max(top, *times)
        axes.plot(counts, times, "o-", color=colour, label=words)
    axes.set_xscale("log", base=2)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.set_ylim(0, top * 1.3)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value) if value else "0"))
    axes.set_xlabel("folds alive, the events going round them")
    axes.set_ylabel("time of a push(dict)")
    axes.set_title("An event, as more folds are alive", loc="left", fontsize=11)
    axes.legend(frameon=False, fontsize=9)
    return figure


def in_millions(count: float) -> str:
    return f"{count / 1e6:g} million" if count >= 1e6 else f"{count:,.0f}"


def _workloads(asked: Answered | None) -> list[Any]:
    return list(asked.workloads.values()) if asked else []


def _none(figure: Any) -> None:
    plt.close(figure)


def _straight(axes: Any, across: Sequence[float], up: Sequence[float]) -> None:
    """What would be proportional, through the last point."""
    first = up[-1] / across[-1] * across[0]
    axes.plot([across[0], across[-1]], [first, up[-1]], "--", color=FAINT, linewidth=1, label="proportional")


def _log_log(figure: Any, axes: Any, words: Any, title: str, *, legend: bool = True) -> Any:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(visible=True, color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=11)
    if legend:
        axes.legend(frameon=False, fontsize=9)
    return figure


PICTURES: Final = {
    "1_ratios": ratios,
    "2_logs": logs,
    "3_chunks": chunks,
    "4_kits": kits,
    "5_folds": folds,
}

if __name__ == "__main__":
    sys.exit(main())
