"""How the report's charts look: two themes, lines with bands, PNG bytes.

Colours are Okabe and Ito's, told apart by colour-blind readers; runs differ by marker and line style as well.
"""

import io
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from data_build.report.stats import Estimate


@dataclass(frozen=True)
class Theme:
    ink: str
    faint: str
    paper: str
    first: str
    """Colour of the first run."""
    runs: tuple[str, ...]
    """Colours of the others."""


THEMES = {
    "light": Theme(
        ink="#1f2328",
        faint="#d5d9de",
        paper="#ffffff",
        first="#000000",
        runs=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"),
    ),
    "dark": Theme(
        ink="#e6e8eb",
        faint="#3c424a",
        paper="#181b1f",
        first="#f5f5f5",
        runs=("#56B4E9", "#E69F00", "#2BC59A", "#E08FBE", "#F0E442", "#F27C2B"),
    ),
}
"""Paper and ink are those of the page's cards (`style.css`)."""
MARKERS = "osD^vPX"
STYLES = ("-", "--", "-.", ":")
WIDTH, HEIGHT, DPI = 4.8, 3.3, 180
"""Inches and dots: text of 9 points stays readable on a phone, where the page shows a chart 358 px wide."""

Drawing = Callable[[Axes, Theme], None]


def png(draw: Drawing, theme: str, height: float) -> bytes:
    with _style(THEMES[theme]):
        figure = Figure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure.add_subplot(), THEMES[theme])
        out = io.BytesIO()
        # Without the version of matplotlib the bytes depend on the data alone.
        figure.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()


@contextmanager
def _style(theme: Theme) -> Generator[None]:
    ink, faint, paper = theme.ink, theme.faint, theme.paper
    with mpl.rc_context(
        {
            "font.size": 9,
            "axes.edgecolor": faint,
            "axes.facecolor": paper,
            "axes.grid": True,
            "axes.labelcolor": ink,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.axisbelow": True,
            "figure.facecolor": paper,
            "grid.color": faint,
            "grid.linewidth": 0.6,
            "legend.labelcolor": ink,
            "savefig.facecolor": paper,
            "text.color": ink,
            "xtick.color": ink,
            "ytick.color": ink,
        }
    ):
        yield


def line(axes: Axes, theme: Theme, i: int, name: str, x: Sequence[float], y: Sequence[Estimate]) -> None:
    """A run's line with its interval as a band; the first run is in ink, the others in colours."""
    colour = theme.first if i == 0 else theme.runs[(i - 1) % len(theme.runs)]
    marker = MARKERS[i % len(MARKERS)] if len(x) < 40 else ""
    values = [np.nan if e.value is None else e.value for e in y]
    style = STYLES[i % len(STYLES)] if i < 4 else STYLES[(i // 2) % len(STYLES)]
    axes.plot(x, values, style, color=colour, marker=marker, markersize=4.5, linewidth=1.6, label=name)
    low = [np.nan if e.low is None else e.low for e in y]
    high = [np.nan if e.high is None else e.high for e in y]
    if len(x) > 1:
        axes.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
    elif y and y[0].low is not None and y[0].high is not None:
        axes.vlines(x, low, high, color=colour, alpha=0.5)


def legend(axes: Axes, columns: int = 1) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        longest = max(map(len, labels))
        columns = max(columns, 2 if longest <= 22 and len(labels) > 1 else 1)
        axes.figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
