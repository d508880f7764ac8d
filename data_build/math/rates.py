"""Pass rates and verdicts per problem, from saved `vf-eval` runs."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from data_build.rollouts.read import Problems, read_rollouts
from math_reasoning.rows import Row, fingerprint
from slm_rewards.math import check_golds

CORRECT = 1.0 - 1e-6


@dataclass(frozen=True)
class Rates:
    by_id: dict[str, float]
    """Mean score of each problem that has a scored rollout."""
    scored: int
    """Rollouts that count."""
    failed: int
    """Rollouts that ended in an error or without a score: no evidence either way."""
    foreign: int
    """Rollouts of problems that are not asked about."""
    reading: str
    """What could not be read, in a line."""


def rates(runs: Sequence[Path], rows: Sequence[Row], reward: str, *, whole: bool = True) -> Rates:
    """Scores of `rows` in `runs`, found by the task's key or, failing that, by the text of its question.

    With `whole` a rollout counts 1 when its score of `reward` reaches 1, else 0; without, as its score is.
    Raises ValueError for a path without rollouts and where scored rollouts have no reward of that name.
    """
    ids, texts = {row.id for row in rows}, {fingerprint(row.question): row.id for row in rows}
    scores: dict[str, list[float]] = defaultdict(list)
    counts: Counter[str] = Counter()
    problems = Problems()
    for rollout in read_rollouts(runs, problems=problems):
        identity = rollout.task_key if rollout.task_key in ids else texts.get(_text(rollout.task))
        if identity is None:
            counts["foreign"] += 1
        elif not rollout.ok or not rollout.rewards:
            counts["failed"] += 1
        elif reward not in rollout.rewards:
            known = ", ".join(rollout.rewards)
            raise ValueError(f"{rollout.source}: no reward {reward!r}; it has: {known}; name one of them")
        elif (score := rollout.rewards[reward]) is None:
            counts["failed"] += 1
        else:
            scores[identity].append(float(score >= CORRECT) if whole else score)
    means = {identity: sum(values) / len(values) for identity, values in scores.items()}
    scored = sum(map(len, scores.values()))
    return Rates(means, scored, counts["failed"], counts["foreign"], problems.summary())


def check_coverage(rows: Collection[Row], found: Rates, needed: float, file: Path, option: str) -> None:
    """Raises ValueError, naming the counts, where too few problems have a scored rollout.

    Problems whose gold cannot be judged do not count: math-reasoning leaves them out of every run.
    """
    refused = check_golds({row.id: row.answer for row in rows})
    asked = [row for row in rows if row.id not in refused]
    covered = sum(row.id in found.by_id for row in asked)
    if not asked or covered < needed * len(asked):
        raise ValueError(
            f"--{option}: {covered:,} of {len(asked):,} problems of {file} have a scored rollout, {needed:.0%} must "
            f"({found.failed:,} rollouts failed, {found.foreign:,} are of other problems); resume the run or lower "
            "--coverage"
        )


def _text(task: dict) -> str:
    question = task.get("question") or task.get("prompt")
    return fingerprint(question) if isinstance(question, str) else ""
