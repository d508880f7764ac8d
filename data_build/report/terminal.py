"""The headline table in the terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from data_build.report.compare import label
from data_build.report.figures import Report
from data_build.report.page import figure, headline_ks, interval
from data_build.report.stats import Estimate


def print_headline(report: Report, console: Console) -> None:
    """Run, coverage, pass@k with intervals both ways, calls, tokens; then differences to the baseline and warnings."""
    table = Table(
        title=f"infrastructure failures {report.failures}; 95 % intervals over tasks",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    ks = headline_ks(report)
    other = f"pass@1, failures {'left out' if report.wrong else 'wrong'}"
    table.add_column("run", overflow="fold")
    for title in ("tasks × n", *(f"pass@{k}" for k in ks), other, "calls", "cut off", "tokens/solved"):
        table.add_column(title, justify="right")
    for e in report.finals:
        passes = e.passes(report.wrong)
        coverage = f"{e.coverage:.1%} whole{', incomplete' if e.incomplete else ''}"
        cells = [
            f"{label(e)}\n{e.taskset}",
            f"{e.tasks:,} × {e.rollouts / e.tasks:.3g}\n{coverage}",
            *(_cell(passes.get(k), 3) for k in ks),
            _cell(e.passes(not report.wrong).get(1), 3),
            _cell(e.measures.get("tool_calls"), 2, short=True),
            _cell(e.measures.get("truncated"), 3, short=True),
            _cell(e.measures.get("tokens_per_solved"), 0, short=True),
        ]
        # Names come from files: a bracket in one is no markup.
        table.add_row(*map(Text, cells))
    console.print(table)
    for d in report.differences:
        if d.figure == "pass@1":
            line = (
                f"{d.run} − {d.baseline} on {d.taskset}: pass@1 {d.estimate.value:+.3f} "
                f"({interval(d.estimate, 3)}), {d.estimate.tasks:,} common tasks: {d.reading}"
            )
            console.print(Text(line))
    for s in report.savings:
        ratio = "nothing" if s.ratio is None else f"{s.ratio:.3g} times less"
        even = "never" if s.break_even is None else f"after {s.break_even:,.0f} questions"
        console.print(Text(f"{s.gpu} costs {ratio} per question than {s.api}; training pays for itself {even}"))
    for warning in report.warnings:
        console.print(Text(f"warning: {warning}", style="yellow"))


def _cell(estimate: Estimate | None, digits: int, short: bool = False) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    value = figure(estimate, digits)
    return value if short or estimate.low is None else f"{value}\n{interval(estimate, digits)}"
