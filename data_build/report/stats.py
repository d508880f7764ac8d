"""pass@k and intervals over tasks.

Every interval is a 95 % bootstrap over tasks: tasks are drawn with replacement, all rollouts of a task go together,
so that sixteen rollouts of one problem are not taken for sixteen problems. Percentiles are widened for few tasks
(Hesterberg 2015, expanded percentile interval): with AIME's 30 problems plain percentiles are too narrow. The interval
of a share takes in Wilson's as well, which differs near 0 and 1 alone.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

RESAMPLES = 2000
LEVEL = 0.95
_CELLS = 4_000_000
"""Cells of the resampling matrix held at a time (32 MB)."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where the data give none (no task, one task, a division by zero)."""

    value: float | None
    low: float | None
    high: float | None
    tasks: int
    """Tasks that the figure is an average over."""
    excluded: int = 0
    """Tasks left out, for example because they have fewer than k rollouts."""


class Column(NamedTuple):
    """A figure Σ numerator / Σ denominator over tasks; both arrays have shape (tasks,)."""

    numerator: np.ndarray
    denominator: np.ndarray
    share: bool = False
    """It lies in [0, 1]."""


@lru_cache(maxsize=65536)
def pass_at_k(n: int, c: int, k: int) -> float:
    """1 − C(n−c, k) / C(n, k): the chance that k of a task's n rollouts, c of them solved, hold a solved one.

    Unbiased in the task's success rate; summed as logarithms, so that n = 10,000 neither overflows nor loses digits.
    Raises ValueError for k > n (n rollouts say nothing about more than n tries), k < 1 and c outside 0..n.
    Source: Chen et al. 2021 (arXiv:2107.03374), seed 2.
    """
    if not 0 <= c <= n:
        raise ValueError(f"c: {c} solved of {n} rollouts; c must lie in 0..n")
    if k < 1:
        raise ValueError(f"k: {k}; pass@k needs k of at least 1")
    if k > n:
        raise ValueError(f"k: pass@{k} needs {k} rollouts per task, this one has {n}; ask for a smaller k")
    if n - c < k:
        return 1.0
    # C(n-c, k) / C(n, k) has k factors; by symmetry in c and k also c of them.
    few, many = min(c, k), max(c, k)
    return -math.expm1(math.fsum(math.log1p(-many / (n - i)) for i in range(few)))


def sensible_ks(counts: Sequence[int]) -> list[int]:
    """The k to report for tasks with these numbers of rollouts: powers of two, and what most tasks allow at most.

    The largest is the greatest k that at least half of the tasks can answer; tasks with fewer rollouts are excluded
    there, with a count. Empty without any rollout.
    """
    usable = sorted((n for n in counts if n > 0), reverse=True)
    if not usable:
        return []
    top = usable[(len(usable) - 1) // 2]
    return sorted({2**i for i in range(top.bit_length())} | {top})


def pass_column(n: np.ndarray, c: np.ndarray, k: int) -> Column:
    """pass@k of each task with weight 1, or weight 0 where n < k; n and c are integer arrays of shape (tasks,)."""
    pairs = zip(n.tolist(), c.tolist(), strict=True)
    values = [pass_at_k(a, b, k) if a >= k else 0.0 for a, b in pairs]
    return Column(np.asarray(values, dtype=float), (np.asarray(n) >= k).astype(float), share=True)


def estimates(columns: Mapping[str, Column], seed: int = 0) -> dict[str, Estimate]:
    """The columns' figures with bootstrap intervals, all from the same draws of tasks.

    A mean over tasks has values and weights 1 or 0; a mean over rollouts has each task's sum and number of rollouts.
    A task with 0 in both is excluded. Raises ValueError where a column holds NaN or columns differ in length.
    """
    if not columns:
        return {}
    sizes = {len(part) for column in columns.values() for part in column[:2]}
    if len(sizes) != 1:
        raise ValueError(f"columns: lengths {sorted(sizes)} differ; each needs one entry per task")
    bad = [name for name, column in columns.items() if any(np.isnan(part).any() for part in column[:2])]
    if bad:
        raise ValueError(f"columns: NaN in {', '.join(bad)}; give the task weight 0 instead")
    table = np.asarray([part for column in columns.values() for part in column[:2]], dtype=float).T
    sums = resample_sums(table, seed)
    return {name: _estimate(col, sums[:, 2 * i], sums[:, 2 * i + 1]) for i, (name, col) in enumerate(columns.items())}


def mean(values: Sequence[float] | np.ndarray, seed: int = 0) -> Estimate:
    """Mean over tasks of one value each, with its interval."""
    array = np.asarray(values, dtype=float)
    # The weight makes a task with value 0 count.
    return estimates({"mean": Column(array, np.ones(len(array)))}, seed)["mean"]


def difference(
    run: Mapping[str, float], baseline: Mapping[str, float], seed: int = 0, *, share: bool = True
) -> Estimate:
    """Mean of run − baseline over the tasks that both have, paired by key: what a task's difficulty adds cancels.

    `tasks` is the number of common tasks, `excluded` the number that only one of them has. Where no task differs, a
    `share` (values in [0, 1]) has the exact bound of an unseen change; other values have no interval, as a single
    task could differ by any amount.
    """
    common = sorted(run.keys() & baseline.keys())
    gaps = [run[key] - baseline[key] for key in common]
    excluded = len(run.keys() | baseline.keys()) - len(common)
    found = mean(gaps, seed)
    low, high = found.low, found.high
    if len(gaps) > 1 and not any(gaps):
        low, high = (-_unseen(len(gaps)), _unseen(len(gaps))) if share else (None, None)
    return Estimate(found.value, low, high, len(common), excluded)


def resample_sums(table: np.ndarray, seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Column sums of `resamples` draws of all rows with replacement: (rows, columns) → (resamples, columns)."""
    rows = len(table)
    out = np.zeros((resamples, table.shape[1]))
    if not rows:
        return out
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // rows)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, rows, size=(size, rows)) + np.arange(size)[:, None] * rows
        weights = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows)
        out[start : start + size] = weights @ table
    return out


def _estimate(column: Column, numerators: np.ndarray, denominators: np.ndarray) -> Estimate:
    used = (column.numerator != 0) | (column.denominator != 0)
    counted, excluded = int(used.sum()), int((~used).sum())
    total = float(column.denominator.sum())
    if not total:
        return Estimate(None, None, None, counted, excluded)
    value = float(column.numerator.sum()) / total
    if counted < 2:
        return Estimate(value, None, None, counted, excluded)
    if column.share and value in (0.0, 1.0):
        return Estimate(value, *_all_or_nothing(value, counted), counted, excluded)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = numerators / denominators
    ratios = ratios[~np.isnan(ratios)]  # NaN: a draw of excluded tasks only
    tail = _tail(counted)
    low, high = np.quantile(ratios, [tail, 1 - tail], method="closest_observation")
    if column.share:
        edge = _score_interval(value, float(np.std(ratios)))
        low, high = min(low, edge[0]), max(high, edge[1])
    return Estimate(value, _finite(low), _finite(high), counted, excluded)


def _score_interval(value: float, error: float) -> tuple[float, float]:
    """Wilson's interval of a share with this standard error, at the sample size that a binomial share would have.

    Where a few tasks out of many differ from the rest, draws of tasks vary too little on the side of the rest: pass@1
    near 0 and pass@32 near 1 would be covered 90 times in 100 by draws alone.
    """
    if error <= 0:
        return value, value
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    z2_n = z**2 * error**2 / (value * (1 - value))
    half = math.sqrt(z2_n * value * (1 - value) + z2_n**2 / 4)
    return (value + z2_n / 2 - half) / (1 + z2_n), (value + z2_n / 2 + half) / (1 + z2_n)


def _all_or_nothing(value: float, tasks: int) -> tuple[float, float]:
    """Interval of a share that is 0 in every task, or 1: there every draw is alike, which is no certainty."""
    return (1 - _unseen(tasks), 1.0) if value else (0.0, _unseen(tasks))


def _unseen(tasks: int) -> float:
    """Largest share of tasks of another kind that may well show none among t: 1 − 0.025^(1/t), about 3.7 / t.

    With more of them, one would have shown with 97.5 % probability (the exact binomial bound).
    """
    return 1 - ((1 - LEVEL) / 2) ** (1 / tasks)


def _tail(tasks: int) -> float:
    """Probability to cut off at each end, smaller than 2.5 % for few tasks."""
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    v = tasks - 1
    # Student's quantile by its expansion in 1/v (Abramowitz & Stegun 26.7.5), within 1 % from 4 tasks on.
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    return NormalDist().cdf(-t * math.sqrt(tasks / v))


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
