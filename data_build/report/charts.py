"""The report's charts as PNG, each for a light and a dark page."""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from data_build.report.buckets import BUCKETS
from data_build.report.compare import figures, label
from data_build.report.drawing import HEIGHT, THEMES, Drawing, Theme, legend, line, png
from data_build.report.figures import Report
from data_build.report.measures import MEASURES
from data_build.report.stats import Estimate
from data_build.report.summary import Evaluation

BUCKET_COLOURS = dict(zip(BUCKETS, ("#009E73", "#56B4E9", "#D55E00", "#8C8C8C"), strict=True))
CURVES = (
    "pass_gap", "median_tokens_correct", "tokens_per_solved", "entropy", "distinct_answers", "tool_calls", "truncated"
)  # fmt: skip


@dataclass(frozen=True)
class Chart:
    name: str
    """File name without suffix."""
    section: str
    """Part of the page: `pass`, `buckets`, `hops`, `lengths` or `curves`."""
    title: str
    alt: str
    """What it shows, for those who do not see it."""
    light: bytes
    dark: bytes


def charts(report: Report) -> list[Chart]:
    """Every chart that the data allow, in the page's order."""
    found = []
    runs = list(dict.fromkeys(e.run for e in report.finals))
    for taskset in dict.fromkeys(e.taskset for e in report.finals):
        finals = [e for e in report.finals if e.taskset == taskset]
        if any(e.passes(report.wrong) for e in finals):
            found.append(
                _chart(
                    "pass", f"pass@k, {taskset}", f"pass@k against k for {_names(finals)}", _pass(report, finals, runs)
                )
            )
        if any(e.buckets for e in finals):
            rows = [e for e in finals if e.buckets]
            title = f"Outcomes, {taskset}"
            found.append(
                _chart("buckets", title, f"Shares of the four outcomes for {_names(rows)}", _buckets(rows), len(rows))
            )
        if any("hop1" in e.measures for e in finals):
            title = f"Gold passages found, {taskset}"
            found.append(_chart("hops", title, f"Recall by hop for {_names(finals)}", _hops(finals, runs)))
        if any(len(e.length_gaps) > 1 for e in finals):
            rows = [e for e in finals if len(e.length_gaps) > 1]
            title = f"Correct − wrong length, {taskset}"
            found.append(
                _chart("lengths", title, f"Distribution over tasks for {_names(rows)}", _gaps(rows), len(rows))
            )
        found += _curves(report, taskset, runs)
    return found


def _curves(report: Report, taskset: str, runs: list[str]) -> Iterable[Chart]:
    """One chart a figure, for runs with several checkpoints."""
    rows = [e for e in report.evaluations if e.taskset == taskset and e.step is not None]
    if len({e.step for e in rows}) < 2:
        return
    top = report.compared_at.get(taskset, 1)
    for name in dict.fromkeys(["pass@1", f"pass@{top}", *CURVES]):
        values = [value for e in rows if (value := figures(e, report.wrong).get(name)) is not None]
        if len(values) > 1 and (any(values) or name not in ("tool_calls", "truncated")):
            title = f"{_title(name, top)}, {taskset}"
            draw = _curve(report, rows, runs, name)
            yield _chart("curves", title, f"{title}, by training step", draw)


def _pass(report: Report, finals: Sequence[Evaluation], runs: list[str]) -> Drawing:
    def draw(axes: Axes, theme: Theme) -> None:
        ticks = set()
        for e in finals:
            points = {k: p for k, p in e.passes(report.wrong).items() if p.value is not None}
            ticks |= set(points)
            line(axes, theme, runs.index(e.run), label(e), list(points), list(points.values()))
        axes.set_xscale("log", base=2)
        axes.set_xticks(_thin(sorted(ticks)), [str(k) for k in _thin(sorted(ticks))])
        axes.minorticks_off()
        axes.set_xlabel("k (tries per task)")
        axes.set_ylabel("tasks solved in k tries")
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        legend(axes)

    return draw


def _thin(ks: list[int]) -> list[int]:
    """Powers of two, and the largest k if it stands clear of them."""
    powers = [k for k in ks if not k & (k - 1)]
    return sorted({*powers, *([ks[-1]] if ks and ks[-1] >= 1.4 * powers[-1] else [])})


def _buckets(rows: Sequence[Evaluation]) -> Drawing:
    def draw(axes: Axes, theme: Theme) -> None:
        names = [_wrapped(e) for e in rows]
        left = np.zeros(len(rows))
        for bucket in BUCKETS:
            counts = np.asarray([(e.buckets or {})[bucket] for e in rows], dtype=float)
            shares = counts / np.asarray([max(1, sum((e.buckets or {}).values())) for e in rows])
            axes.barh(names, shares, left=left, label=bucket, color=BUCKET_COLOURS[bucket], height=0.62)
            for y, (start, share) in enumerate(zip(left, shares, strict=True)):
                if share >= 0.07:
                    axes.text(
                        start + share / 2, y, f"{share:.0%}", ha="center", va="center", color="black", fontsize=8.5
                    )
            left = left + shares
        axes.invert_yaxis()
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("share of rollouts")
        axes.grid(visible=False, axis="y")
        legend(axes, columns=2)

    return draw


def _hops(finals: Sequence[Evaluation], runs: list[str]) -> Drawing:
    def draw(axes: Axes, theme: Theme) -> None:
        for e in finals:
            hops = sorted(int(name[3:]) for name in e.measures if name.startswith("hop"))
            if hops:
                line(axes, theme, runs.index(e.run), label(e), hops, [e.measures[f"hop{h}"] for h in hops])
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_xlabel("hop of the question")
        axes.set_ylabel("rollouts whose searches\nshowed its passage")
        legend(axes)

    return draw


def _gaps(rows: Sequence[Evaluation]) -> Drawing:
    def draw(axes: Axes, theme: Theme) -> None:
        ink = {"color": theme.ink}
        axes.boxplot(
            [e.length_gaps for e in rows],
            orientation="horizontal",
            tick_labels=[_wrapped(e) for e in rows],
            widths=0.55,
            patch_artist=True,
            boxprops={"facecolor": "#56B4E9", "edgecolor": theme.ink},
            medianprops={"color": "#000000", "linewidth": 2},
            whiskerprops=ink,
            capprops=ink,
            flierprops={"marker": ".", "markersize": 3, "markeredgecolor": theme.ink, "alpha": 0.5},
        )
        axes.axvline(0, color=theme.ink, linewidth=0.8, linestyle=":")
        axes.invert_yaxis()
        axes.set_xlabel("completion tokens, correct minus wrong, per task")

    return draw


def _curve(report: Report, rows: Sequence[Evaluation], runs: list[str], name: str) -> Drawing:
    # The untrained model, or a baseline of another kind, has no step: a level to read the curves against.
    flat = [e for e in report.finals if e.step is None and e.run == report.baseline and e.taskset == rows[0].taskset]

    def draw(axes: Axes, theme: Theme) -> None:
        for run in dict.fromkeys(e.run for e in rows):
            points = [(e, figures(e, report.wrong).get(name)) for e in rows if e.run == run]
            steps = [e.step or 0 for e, value in points if value is not None]
            drawn = [_estimate(report, e, name, value) for e, value in points if value is not None]
            if steps:
                line(axes, theme, runs.index(run), run, steps, drawn)
        for e in flat:
            if (value := figures(e, report.wrong).get(name)) is not None:
                axes.axhline(value, color=theme.ink, linewidth=1, linestyle=(0, (1, 2)), label=e.run)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        axes.set_xlabel("training step")
        if name.startswith("pass@") or name == "truncated":
            axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.set_ylabel(_axis(name))
        legend(axes)

    return draw


def _estimate(report: Report, evaluation: Evaluation, name: str, value: float) -> Estimate:
    if name.startswith("pass@"):
        return evaluation.passes(report.wrong)[int(name[5:])]
    return evaluation.measures.get(name) or Estimate(value, None, None, evaluation.tasks)


def _title(name: str, top: int) -> str:
    if name not in MEASURES:
        return name
    return MEASURES[name].title.replace("pass@K", f"pass@{top}")


def _axis(name: str) -> str:
    if name.startswith("pass@"):
        return "tasks solved"
    return MEASURES[name].unit or "difference of shares"


def _wrapped(evaluation: Evaluation) -> str:
    """A label that leaves room for the bars."""
    return "\n".join(textwrap.wrap(label(evaluation), 18)[:3])


def _chart(section: str, title: str, alt: str, draw: Drawing, rows: int = 0) -> Chart:
    name = re.sub(r"[^a-z0-9]+", "-", f"{section} {title}".lower()).strip("-")
    height = max(HEIGHT, 1.5 + 0.42 * rows)
    return Chart(name, section, title, alt, *(png(draw, theme, height) for theme in THEMES))


def _names(rows: Sequence[Evaluation]) -> str:
    return ", ".join(label(e) for e in rows)
