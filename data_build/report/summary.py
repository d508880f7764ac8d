"""All figures of one evaluation: the rollouts of one run on one taskset at one checkpoint.

Infrastructure failures are treated both ways: `left_out` (the rollouts that remain) and `counted_as_wrong` (all of
them). Every other figure is over the rollouts that remain.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from data_build.report.buckets import BUCKETS
from data_build.report.digest import Digest
from data_build.report.measures import PAIRED
from data_build.report.solved import TOLERANCE, is_solved
from data_build.report.stats import Column, Estimate, estimates, pass_at_k, pass_column, sensible_ks

Key = tuple[str, str, int | None]
"""Run without its step, taskset, step."""


@dataclass
class Evaluation:
    """One run on one taskset at one checkpoint."""

    run: str
    taskset: str
    step: int | None
    models: list[str]
    solved_by: str
    rollouts: int
    infrastructure: int
    """Rollouts that failed for reasons that are not the model's."""
    coverage: float
    """Share of the rollouts that did not."""
    incomplete: bool
    """Coverage is below the limit: the left-out figures may flatter."""
    tasks: int
    left_out: dict[int, Estimate]
    """pass@k by k without the infrastructure failures."""
    counted_as_wrong: dict[int, Estimate]
    measures: dict[str, Estimate]
    """Keys: `measures.MEASURES`, and `hop1` … for retrieval."""
    median_tokens_correct: float | None
    """Median completion tokens of the solved rollouts."""
    length_gaps: list[float]
    """Per task with both: mean tokens of its solved rollouts minus that of the others."""
    buckets: dict[str, int] | None
    """Rollouts in each of the four, None where the taskset is no retrieval."""
    bucket_mismatches: int
    """Rollouts whose bucket says correct and whose recorded `exact_match` does not, or the other way round."""
    scores: dict[str, float]
    """Mean of every recorded reward and metric over the rollouts that carry it."""
    prompt_tokens: int | None
    """Sum over all rollouts that were counted; None where some were not counted by the server."""
    completion_tokens: int | None
    entropy_from: str | None = None
    """What the token entropy is made of: recorded `entropies` or `logprobs`; both where rollouts differ."""
    task_pass: dict[bool, dict[int, dict[str, float]]] = field(default_factory=dict, repr=False)
    """pass@k by task, by whether failures count as wrong, then k: what paired differences are made of."""
    task_measures: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)
    """`measures.PAIRED` by task, where a task has it."""

    def passes(self, wrong: bool) -> dict[int, Estimate]:
        return self.counted_as_wrong if wrong else self.left_out


Columns = dict[str, Column]


def group(digests: Iterable[Digest]) -> dict[Key, list[Digest]]:
    """Rollouts by run, taskset and step, runs in the order they were given, steps ascending."""
    groups: dict[Key, list[Digest]] = defaultdict(list)
    for digest in digests:
        groups[digest.arm, digest.taskset, digest.step].append(digest)
    order = {arm: i for i, arm in enumerate(dict.fromkeys(key[0] for key in groups))}
    return dict(sorted(groups.items(), key=lambda item: (order[item[0][0]], item[0][1], item[0][2] or 0)))


def common_k(groups: Mapping[Key, Sequence[Digest]]) -> dict[str, int]:
    """By taskset, the largest k that all of its evaluations can answer: what gap and diversity are compared at."""
    found: dict[str, int] = {}
    for (_, taskset, _), rollouts in groups.items():
        counts = Counter(d.task for d in rollouts if not d.infrastructure)
        top = max(sensible_ks(list(counts.values())), default=0)
        if top:
            found[taskset] = min(top, found.get(taskset, top))
    return found


def summarise(
    key: Key,
    rollouts: Sequence[Digest],
    *,
    solved_by: str,
    threshold: float,
    k: int,
    answers: bool,
    limit: float,
    seed: int,
) -> Evaluation:
    """All figures of one evaluation.

    `k`: `common_k` of its taskset; `answers`: whether its taskset has final answers that can be told apart; `limit`:
    coverage below which it is incomplete.
    """
    run, taskset, step = key
    by_task: dict[str, list[Digest]] = defaultdict(list)
    for rollout in rollouts:
        by_task[rollout.task].append(rollout)
    names = sorted(by_task)
    tasks = [[d for d in by_task[name] if not d.infrastructure] for name in names]
    right = [[d for d in task if is_solved(d, solved_by, threshold)] for task in tasks]
    counted = [d for task in tasks for d in task]
    solved = [d for task in right for d in task]
    c = np.asarray([len(task) for task in right])
    remaining = np.asarray([len(task) for task in tasks])
    asked = np.asarray([len(by_task[name]) for name in names])

    columns: Columns = {}
    task_pass: dict[bool, dict[int, dict[str, float]]] = {}
    for wrong, n in ((False, remaining), (True, asked)):
        task_pass[wrong] = {}
        for each in sensible_ks(n.tolist()):
            column = columns[f"{wrong}:{each}"] = pass_column(n, c, each)
            task_pass[wrong][each] = _by_task(names, column)
    gaps = _length_gaps(tasks, solved_by, threshold)
    columns |= _measure_columns(tasks, right, gaps, k, answers)
    found = estimates(columns, seed)
    tokens_right = [d.tokens for d in solved if d.tokens is not None]
    buckets = Counter(d.bucket for d in counted)
    retrieval = any(d.bucket for d in counted)
    return Evaluation(
        run=run,
        taskset=taskset,
        step=step,
        models=sorted({d.model for d in rollouts}),
        solved_by=solved_by,
        rollouts=len(rollouts),
        infrastructure=len(rollouts) - len(counted),
        coverage=len(counted) / len(rollouts),
        incomplete=len(counted) < limit * len(rollouts),
        tasks=len(names),
        left_out={each: found[f"False:{each}"] for each in task_pass[False]},
        counted_as_wrong={each: found[f"True:{each}"] for each in task_pass[True]},
        measures={name: estimate for name, estimate in found.items() if ":" not in name and estimate.tasks},
        median_tokens_correct=float(median(tokens_right)) if tokens_right else None,
        length_gaps=[gap for gap in gaps if gap is not None],
        buckets={name: buckets[name] for name in BUCKETS} if retrieval else None,
        bucket_mismatches=sum(_mismatch(d) for d in counted),
        scores=_mean_scores(counted),
        prompt_tokens=_total(d.prompt_tokens for d in counted),
        completion_tokens=_total(d.tokens for d in counted),
        entropy_from=" and ".join(sorted({d.entropy_from for d in counted if d.entropy_from})) or None,
        task_pass=task_pass,
        task_measures={name: _by_task(names, columns[name]) for name in PAIRED if name in columns},
    )


def _by_task(names: Sequence[str], column: Column) -> dict[str, float]:
    rows = zip(names, column.numerator.tolist(), column.denominator.tolist(), strict=True)
    return {name: value / weight for name, value, weight in rows if weight}


def _mismatch(d: Digest) -> bool:
    """Whether today's rule and the recorded score disagree on a retrieval rollout."""
    recorded = d.scores.get("exact_match")
    return d.bucket is not None and recorded is not None and (d.bucket == BUCKETS[0]) != (recorded >= 1 - TOLERANCE)


def _measure_columns(
    tasks: list[list[Digest]], right: list[list[Digest]], gaps: list[float | None], k: int, answers: bool
) -> Columns:
    """Numerator and denominator by task of every measure; see `stats.estimates`."""

    def per_rollout(value: Callable[[Digest], float | None], share: bool = False) -> Column:
        return _ratio((((v, 1) for d in task if (v := value(d)) is not None) for task in tasks), share)

    columns = {
        "tokens": per_rollout(lambda d: d.tokens),
        "tool_calls": per_rollout(lambda d: d.tool_calls),
        "turns": per_rollout(lambda d: d.turns),
        "truncated": per_rollout(lambda d: d.truncated, share=True),
        "failed": per_rollout(lambda d: d.failed, share=True),
        "entropy": _ratio(((d.entropy, d.entropy_tokens) for d in task if d.entropy is not None) for task in tasks),
        "length_gap": _ratio([] if gap is None else [(gap, 1)] for gap in gaps),
    }
    if all(d.tokens is not None for task in tasks for d in task):
        columns["tokens_per_solved"] = _ratio(
            [*((d.tokens, 0) for d in task), (0.0, len(solved))] for task, solved in zip(tasks, right, strict=True)
        )
    if k > 1:
        pairs = [(len(task), len(solved)) for task, solved in zip(tasks, right, strict=True)]
        columns["pass_gap"] = _ratio([(pass_at_k(n, c, k) - c / n, 1)] if n >= k else [] for n, c in pairs)
        if answers:
            columns["distinct_answers"] = _ratio([(_distinct(t, k), 1)] if len(t) >= k else [] for t in tasks)
    for name in sorted({name for task in tasks for d in task for name in d.scores if _is_recall(name)}):
        columns[name] = per_rollout(lambda d, name=name: d.scores.get(name), share=True)
    return columns


def _is_recall(name: str) -> bool:
    return name == "gold_recall" or (name.startswith("hop") and name[3:].isdigit())


def _ratio(tasks: Iterable[Iterable[tuple[float | None, float]]], share: bool = False) -> Column:
    """Sums by task of (value, weight) pairs."""
    sums = []
    for task in tasks:
        pairs = list(task)
        sums.append((sum(v or 0.0 for v, _ in pairs), sum(w for _, w in pairs)))
    table = np.asarray(sums, dtype=float).reshape(-1, 2)
    return Column(table[:, 0], table[:, 1], share)


def _distinct(task: list[Digest], k: int) -> float:
    """Expected number of different final answers in k of the task's attempts, so that n may differ between runs."""
    answers = Counter(d.answer for d in task if d.answer is not None)
    return sum(pass_at_k(len(task), count, k) for count in answers.values())


def _length_gaps(tasks: list[list[Digest]], solved_by: str, threshold: float) -> list[float | None]:
    gaps: list[float | None] = []
    for task in tasks:
        lengths: dict[bool, list[int]] = {True: [], False: []}
        for d in task:
            if d.tokens is not None:
                lengths[is_solved(d, solved_by, threshold)].append(d.tokens)
        both = all(lengths.values())
        gaps.append(float(np.mean(lengths[True]) - np.mean(lengths[False])) if both else None)
    return gaps


def _mean_scores(counted: Sequence[Digest]) -> dict[str, float]:
    values: dict[str, list[float]] = defaultdict(list)
    for d in counted:
        for name, value in d.scores.items():
            values[name].append(value)
    return {name: float(np.mean(values[name])) for name in sorted(values)}


def _total(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
