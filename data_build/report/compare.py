"""Runs beside a baseline: paired differences, and the fractional changes of seed 2's coloured table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose

from data_build.report.measures import MEASURES, Measure
from data_build.report.stats import Estimate, difference
from data_build.report.summary import Evaluation

FEWEST_CHANGED = 6
"""Tasks that must differ before a difference is clear: with fewer, all in one direction, a sign test has p > 0.05."""


@dataclass(frozen=True)
class Difference:
    """A figure of a run minus that of the baseline, on the tasks that both have."""

    run: str
    baseline: str
    taskset: str
    figure: str
    """`pass@1` …, or one of `measures.PAIRED`."""
    changed: int
    """Common tasks whose value differs."""
    estimate: Estimate
    """`tasks`: common tasks; `excluded`: tasks that only one of the two has."""

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out zero, and enough tasks differ to tell that from chance."""
        low, high = self.estimate.low, self.estimate.high
        return self.changed >= FEWEST_CHANGED and low is not None and high is not None and (low > 0 or high < 0)

    @property
    def reading(self) -> str:
        """`clear`, `within noise` or `no task differs`."""
        return "clear" if self.clear else "within noise" if self.changed else "no task differs"


def differences(
    finals: Sequence[Evaluation], baselines: Mapping[str, Evaluation], wrong: bool, seed: int
) -> list[Difference]:
    """Every run against the baseline of its taskset, for each figure that both have, where they share a task."""
    found = []
    for evaluation in finals:
        base = baselines.get(evaluation.taskset)
        if base is None or base is evaluation:
            continue
        own, other = by_task(evaluation, wrong), by_task(base, wrong)
        for figure in (name for name in own if name in other):
            share = figure not in MEASURES or MEASURES[figure].share
            estimate = difference(own[figure], other[figure], seed, share=share)
            if not estimate.tasks:
                continue
            common = own[figure].keys() & other[figure].keys()
            changed = sum(not isclose(own[figure][task], other[figure][task], abs_tol=1e-9) for task in common)
            found.append(Difference(label(evaluation), label(base), evaluation.taskset, figure, changed, estimate))
    return found


def by_task(evaluation: Evaluation, wrong: bool) -> dict[str, dict[str, float]]:
    """Value by task of every figure that has one a task, pass@k by k first.

    `wrong` counts infrastructure failures as wrong in pass@k; no other figure has them.
    """
    return {f"pass@{k}": values for k, values in evaluation.task_pass[wrong].items()} | evaluation.task_measures


def label(evaluation: Evaluation) -> str:
    """Run and checkpoint as shown."""
    return evaluation.run if evaluation.step is None else f"{evaluation.run} @ step {evaluation.step}"


@dataclass(frozen=True)
class Cell:
    value: float | None
    change: float | None
    """(value − baseline) / baseline; None without either, or where the baseline is 0."""


@dataclass(frozen=True)
class ChangeTable:
    """Final figures of every run on every taskset; a row a run, the baseline first."""

    baseline: str
    columns: list[tuple[str, str, Measure]]
    """(taskset, figure, what it is)."""
    rows: list[tuple[str, list[Cell]]]


def change_table(finals: Sequence[Evaluation], baseline: str, wrong: bool) -> ChangeTable:
    """Seed 2's table: raw values, and their fractional change against the baseline run in the same column."""
    columns, values = [], {}
    for taskset in dict.fromkeys(e.taskset for e in finals):
        those = {e.run: figures(e, wrong) for e in finals if e.taskset == taskset}
        names = list(dict.fromkeys(name for found in those.values() for name in found))
        for name in sorted(names, key=_order):
            columns.append((taskset, name, MEASURES.get(name) or Measure(name, "", "higher")))
            values[taskset, name] = {run: found.get(name) for run, found in those.items()}
    runs = sorted(dict.fromkeys(e.run for e in finals), key=lambda run: run != baseline)
    rows = []
    for run in runs:
        cells = []
        for taskset, name, _ in columns:
            value, base = (values[taskset, name].get(which) for which in (run, baseline))
            cells.append(Cell(value, (value - base) / abs(base) if value is not None and base else None))
        rows.append((run, cells))
    return ChangeTable(baseline, columns, rows)


def figures(evaluation: Evaluation, wrong: bool) -> dict[str, float]:
    """The figures of an evaluation that go into table and curves, by name (`pass@8`, `tokens`, …)."""
    found = {f"pass@{k}": e.value for k, e in evaluation.passes(wrong).items()}
    found |= {name: e.value for name, e in evaluation.measures.items() if name in MEASURES}
    found["median_tokens_correct"] = evaluation.median_tokens_correct
    return {name: value for name, value in found.items() if value is not None}


def _order(name: str) -> tuple[int, int]:
    if name.startswith("pass@"):
        return 0, int(name[5:])
    return 1, list(MEASURES).index(name)
