"""The results as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

from bench.calls import BOTO, BOTO_TYPED, OURS
from bench.results import Results
from bench.rounds import PAGES_1, PAGES_32, SENDS_1, SENDS_32, SENDS_BUSY
from bench.stage import EMBEDDED, GROUP, ORDER, RAW

COLOURS = ("#3b6ea5", "#e0803a", "#6aa36f")


def draw(results: Results, path: Path) -> None:
    """Four panels: sends, pages, the cost of a page by size, the processor time of a call."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the choice of backend

    figure, ((sends, pages), (sizes, calls)) = plt.subplots(2, 2, figsize=(14, 9), layout="constrained")
    _bars(sends, results, (SENDS_1, SENDS_32, SENDS_BUSY), "Durable sends a second (a transaction of three)")
    _bars(pages, results, (PAGES_1, PAGES_32), "Pages of the newest 50 a second")
    _sizes(sizes, results)
    _calls(calls, results)
    machine = results.machine
    figure.suptitle(f"Sobremesa table: {machine.cores} cores, Python {machine.python}, SQLite {machine.sqlite}")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _bars(axes: Any, results: Results, measures: tuple[str, ...], title: str) -> None:
    names = [name for name in reversed(ORDER) if results.figure(measures[0], name)]
    width = 0.8 / len(measures)
    for number, measure in enumerate(measures):
        for row, name in enumerate(names):
            series = results.figure(measure, name)
            if series is None:
                continue
            low, high = series.spread
            at = row + 0.4 - width * (number + 0.5)
            axes.barh(
                at,
                series.middle,
                width * 0.92,
                color=COLOURS[number],
                label=measure.split(", ", 1)[1] if row == 0 else None,
                xerr=[[series.middle - low], [high - series.middle]],
                error_kw={"elinewidth": 0.8, "ecolor": "#555555"},
            )
            axes.text(high * 1.08, at, f"{series.middle:,.0f}", va="center", fontsize=7.5)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name == EMBEDDED else "normal")
        label.set_fontstyle("italic" if name in (RAW, GROUP) else "normal")
    axes.margins(x=0.12)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.legend(loc="lower right", fontsize=8)
    axes.grid(axis="x", alpha=0.3)


def _sizes(axes: Any, results: Results) -> None:
    steps = results.partitions.steps
    messages = [step.messages for step in steps]
    lines = {
        "newest 50": [step.newest_page for step in steps],
        "50 at a random place": [step.random_page for step in steps],
        "count of 100": [step.count for step in steps],
        "get": [step.get for step in steps],
    }
    for name, costs in lines.items():
        axes.plot(messages, costs, marker="o", label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("messages in the partition")
    axes.set_ylabel("µs")
    axes.set_title("Cost of a question, embedded engine", loc="left", fontweight="bold")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)


def _calls(axes: Any, results: Results) -> None:
    clients = (OURS, BOTO, BOTO_TYPED)
    for number, client in enumerate(clients):
        for row, cost in enumerate(results.calls):
            series = cost.by_client[client]
            at = row + (number - 1) * 0.27
            axes.bar(at, series.middle, 0.25, color=COLOURS[number], label=client if row == 0 else None)
            axes.text(at, series.middle, f"{series.middle:.2f}", ha="center", va="bottom", fontsize=8)
    axes.set_xticks(range(len(results.calls)), [cost.call for cost in results.calls])
    axes.set_ylabel("ms")
    axes.set_title("Processor time of one DynamoDB call in the client", loc="left", fontweight="bold")
    axes.legend(fontsize=8)
    axes.grid(axis="y", alpha=0.3)
