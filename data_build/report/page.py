"""The report as one HTML file that needs no network: styles, script, charts and rollouts are inside.

Text of models is in two kinds of place. In the tables the template escapes it; in the browser's data every `<`, `>`
and `&` is escaped and the script shows it as text. A content security policy allows that one script by its hash, so
even markup that slipped through could not run.
"""

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from data_build.report.browser import BLOCK, Packed
from data_build.report.buckets import BUCKETS
from data_build.report.charts import Chart
from data_build.report.compare import FEWEST_CHANGED, Cell, label
from data_build.report.figures import Report
from data_build.report.measures import MEASURES
from data_build.report.stats import RESAMPLES, Estimate

LENGTH_MEASURES = (
    "tokens", "tokens_per_solved", "length_gap", "pass_gap", "distinct_answers", "entropy"
)  # fmt: skip
DIGITS = {"tokens": 1, "tokens_per_solved": 0, "length_gap": 1, "distinct_answers": 2, "tool_calls": 2, "turns": 2}
"""Decimals of a measure; 3 for the others."""
SHADES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Fractional rises from which the shades of the coloured table start; a fall is shaded as the rise that undoes it."""


def render(report: Report, charts: list[Chart], packed: Packed) -> str:
    """The page. `packed` is what the rollout browser can show."""
    templates = files("data_build.report") / "templates"
    script = (templates / "browser.js").read_text(encoding="utf-8")
    style = (templates / "style.css").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "data_uri": lambda png: "data:image/png;base64," + base64.b64encode(png).decode(),
        "figure": figure,
        "interval": interval,
        "label": label,
        "money": money,
        "number": number,
        "shade": shade,
        "signed": lambda value, digits: f"{value:+,.{digits}f}",
    }
    template = environment.from_string((templates / "page.html.j2").read_text(encoding="utf-8"))
    finals = report.finals
    return template.render(
        report=report,
        charts=charts,
        sections={chart.section: True for chart in charts}
        | {"buckets": any(e.buckets for e in finals), "curves": any(c.section == "curves" for c in charts)},
        runs=list(dict.fromkeys(e.run for e in finals)),
        total=sum(e.rollouts for e in report.evaluations),
        failures=sum(e.infrastructure for e in report.evaluations),
        headline_ks=headline_ks(report),
        solved_by={e.taskset: e.solved_by for e in finals},
        pass_tables=_pass_tables(report),
        buckets=BUCKETS,
        hops=sorted({n for e in finals for n in e.measures if n.startswith("hop")}, key=lambda name: int(name[3:])),
        measures=MEASURES,
        fewest_changed=FEWEST_CHANGED,
        length_measures=[name for name in LENGTH_MEASURES if any(name in e.measures for e in finals)],
        digits={name: DIGITS.get(name, 3) for name in MEASURES},
        score_names=list(dict.fromkeys(name for e in finals for name in e.scores)),
        resamples=RESAMPLES,
        packed=packed,
        index=Markup(script_json({"block": BLOCK, "rollouts": packed.index})),
        style=Markup(style),
        script=Markup(script),
        script_hash=Markup("sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()),
    )


def script_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<`, `>`, `&` or line separator of JavaScript is left in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    # A lone half of a surrogate pair, which models do write, cannot be encoded.
    return text.encode("utf-8", "replace").decode()


def headline_ks(report: Report) -> list[int]:
    """1, 8 and 32 where a run has them, as in the seeds, and the largest k of any run."""
    ks = {k for e in report.finals for k in e.passes(report.wrong)}
    return sorted(ks & {1, 8, 32} | {max(ks)}) if ks else []


def figure(estimate: Estimate, digits: int) -> str:
    return f"{estimate.value:,.{digits}f}" if estimate.value is not None else "–"


def interval(estimate: Estimate, digits: int) -> str:
    """`0.385 to 0.507`; an open end where a draw had nothing to divide by."""
    low, high = (("…" if end is None else f"{end:,.{digits}f}") for end in (estimate.low, estimate.high))
    return f"{low} to {high}"


def number(value: float | None) -> str:
    """Three decimals below 10, one below 100, none above."""
    if value is None:
        return "–"
    digits = 3 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"


def money(amount: float) -> str:
    """Two decimals from 1 on, else three significant digits."""
    digits = 2 if abs(amount) >= 1 or not amount else 2 - math.floor(math.log10(abs(amount)))
    return f"{amount:,.{digits}f}"


def shade(cell: Cell) -> str:
    """CSS class of a cell by its fractional change; empty for less than 1 %."""
    change = cell.change or 0.0
    size = change if change >= 0 else math.inf if change <= -1 else 1 / (1 + change) - 1
    level = sum(size >= start for start in SHADES)
    return f"{'up' if change > 0 else 'down'}{level}" if level else ""


def _pass_tables(report: Report) -> list[tuple]:
    tables = []
    for taskset in dict.fromkeys(e.taskset for e in report.finals):
        rows = [e for e in report.finals if e.taskset == taskset]
        ks = sorted({k for e in rows for wrong in (False, True) for k in e.passes(wrong)})
        tables.append((taskset, ks, rows))
    return tables
