"""From digests to every figure of the report, as objects and as JSON."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from data_build.report.compare import ChangeTable, Difference, change_table, differences, label
from data_build.report.cost import Cost, Price, Saving, run_cost, savings
from data_build.report.digest import Digest
from data_build.report.measures import MEASURES
from data_build.report.solved import choose
from data_build.report.stats import LEVEL, RESAMPLES
from data_build.report.summary import Evaluation, common_k, group, summarise


@dataclass
class Report:
    wrong: bool
    """Whether the headline counts infrastructure failures as wrong (else it leaves them out)."""
    baseline: str
    threshold: float
    coverage_limit: float
    seed: int
    evaluations: list[Evaluation]
    finals: list[Evaluation]
    """Of each run and taskset, the one at the last step."""
    compared_at: dict[str, int]
    """By taskset, the K of the pass@K − pass@1 gap and of distinct answers."""
    differences: list[Difference]
    changes: ChangeTable
    costs: list[Cost]
    savings: list[Saving]
    warnings: list[str]

    @property
    def failures(self) -> str:
        return "counted as wrong" if self.wrong else "left out"


def make_report(
    digests: Sequence[Digest],
    *,
    solved: str | None = None,
    threshold: float = 1.0,
    wrong: bool = False,
    baseline: str | None = None,
    coverage: float = 0.95,
    prices: dict[str, Price] | None = None,
    seed: int = 0,
    warnings: Sequence[str] = (),
) -> Report:
    """All figures. Raises ValueError, naming the option, for a run or score that is not there, and without rollouts."""
    if not digests:
        raise ValueError("RUNS: no rollout could be read; nothing to report")
    groups = group(digests)
    by_taskset: dict[str, list[Digest]] = defaultdict(list)
    for (_, taskset, _), rollouts in groups.items():
        by_taskset[taskset] += rollouts
    chosen = {taskset: choose(rollouts, taskset, solved, threshold) for taskset, rollouts in by_taskset.items()}
    ks = common_k(groups)
    # A run that never answers has no diversity, rather than no figure for it.
    answered = {taskset for taskset, rollouts in by_taskset.items() if any(d.answer is not None for d in rollouts)}
    evaluations = [
        summarise(
            key,
            rollouts,
            solved_by=chosen[key[1]],
            threshold=threshold,
            k=ks.get(key[1], 0),
            answers=key[1] in answered,
            limit=coverage,
            seed=seed,
        )
        for key, rollouts in groups.items()
    ]
    # Steps ascend within a run, so the last one stays.
    finals = list({(e.run, e.taskset): e for e in evaluations}.values())
    runs = list(dict.fromkeys(e.run for e in finals))
    base = _known("baseline", baseline or runs[0], runs)
    bases = {e.taskset: e for e in finals if e.run == base}
    costs = [_cost(_known("cost", run, runs), price, finals) for run, price in (prices or {}).items()]
    return Report(
        wrong=wrong,
        baseline=base,
        threshold=threshold,
        coverage_limit=coverage,
        seed=seed,
        evaluations=evaluations,
        finals=finals,
        compared_at=ks,
        differences=differences(finals, bases, wrong, seed),
        changes=change_table(finals, base, wrong),
        costs=costs,
        savings=savings(costs),
        warnings=[*warnings, *_doubts(finals, bases)],
    )


def _known(option: str, run: str, runs: list[str]) -> str:
    if run not in runs:
        raise ValueError(f"{option}: no run is named {run!r}; the runs are {', '.join(runs)}")
    return run


def _cost(run: str, price: Price, finals: list[Evaluation]) -> Cost:
    own = [e for e in finals if e.run == run]
    prompt, completion = [e.prompt_tokens for e in own], [e.completion_tokens for e in own]
    known = None not in prompt and None not in completion
    return run_cost(
        run,
        price,
        sum(e.rollouts - e.infrastructure for e in own),
        sum(p or 0 for p in prompt) if known else None,
        sum(c or 0 for c in completion) if known else None,
    )


def _doubts(finals: list[Evaluation], bases: dict[str, Evaluation]) -> list[str]:
    """What a reader must know before believing the figures."""
    found = []
    for e in finals:
        name = f"{label(e)} on {e.taskset}"
        if e.incomplete:
            found.append(
                f"{name} is incomplete: {e.infrastructure:,} of {e.rollouts:,} rollouts failed for infrastructure "
                f"reasons (coverage {e.coverage:.1%}); finish the run before comparing it"
            )
        if len(e.models) > 1:
            found.append(f"{name} mixes {len(e.models)} models: {', '.join(e.models)}")
        if e.bucket_mismatches:
            found.append(
                f"{name}: {e.bucket_mismatches:,} rollouts are correct by today's rule and not by the recorded "
                f"{e.solved_by}, or the other way round; data-build rescore shows which"
            )
        base = bases.get(e.taskset)
        if base and base is not e and base.solved_by == e.solved_by:
            own, other = e.task_pass[True].get(1, {}), base.task_pass[True].get(1, {})
            common = len(own.keys() & other.keys())
            if not common:
                found.append(f"{name} shares no task with the baseline {label(base)}: no paired difference")
            elif common < len(own.keys() | other.keys()):
                found.append(
                    f"{name} and the baseline {label(base)} share {common:,} of {len(own.keys() | other.keys()):,} "
                    "tasks; the tables show each on its own tasks, the differences the shared ones"
                )
    return found


def to_json(report: Report) -> dict[str, Any]:
    """Every number of the report; estimates are objects with value, low, high, tasks and excluded."""
    return {
        "infrastructure_failures": report.failures,
        "baseline": report.baseline,
        "threshold": report.threshold,
        "coverage_limit": report.coverage_limit,
        "interval": {"level": LEVEL, "method": "bootstrap over tasks", "resamples": RESAMPLES, "seed": report.seed},
        "compared_at_k": report.compared_at,
        "warnings": report.warnings,
        "evaluations": [_evaluation(e) for e in report.evaluations],
        "differences": [asdict(d) | {"clear": d.clear} for d in report.differences],
        "changes": {
            "baseline": report.changes.baseline,
            "columns": [{"taskset": t, "figure": name, "better": m.better} for t, name, m in report.changes.columns],
            "rows": [{"run": run, "cells": [asdict(c) for c in cells]} for run, cells in report.changes.rows],
        },
        "costs": [asdict(c) for c in report.costs],
        "savings": [asdict(s) for s in report.savings],
        "measures": {name: asdict(measure) for name, measure in MEASURES.items()},
    }


def _evaluation(evaluation: Evaluation) -> dict[str, Any]:
    fields = {
        k: v
        for k, v in vars(evaluation).items()
        if k not in ("task_pass", "task_measures", "left_out", "counted_as_wrong")
    }
    fields["pass_at_k"] = {
        name: {str(k): asdict(e) for k, e in passes.items()}
        for name, passes in (("left_out", evaluation.left_out), ("counted_as_wrong", evaluation.counted_as_wrong))
    }
    fields["measures"] = {name: asdict(e) for name, e in evaluation.measures.items()}
    return fields
