"""Which score says that a rollout solved its task."""

from collections.abc import Iterable, Sequence

from data_build.report.digest import Digest

NAMES = ("solved", "exact_match", "accuracy")
"""Strict scores of our environments, in order of preference: invoices, retrieval, mathematics."""
REWARD = "reward"
"""The weighted sum; the choice of last resort, where it is only ever 0 or 1."""
TOLERANCE = 1e-6


def choose(digests: Sequence[Digest], taskset: str, wanted: str | None, threshold: float) -> str:
    """Name of the score by which rollouts of one taskset are solved.

    The one asked for; else the first of `NAMES` that a rollout carries; else the reward, if it is 0 or 1 throughout.
    Raises ValueError, naming the scores there are, for anything else: a fraction must not be read as a verdict.
    """
    found = sorted({name for d in digests for name in d.scores})
    has_reward = any(d.reward is not None for d in digests)
    if wanted is not None:
        # Where every rollout failed nothing is recorded, and nothing is solved, by whatever name.
        if wanted in found or (wanted == REWARD and has_reward) or not (found or has_reward):
            return wanted
        raise ValueError(f"solved: no rollout of {taskset} has a score {wanted!r}; choose of {_list(found)}")
    for name in NAMES:
        if name in found:
            return name
    if all(d.reward in (0.0, 1.0) for d in digests if d.reward is not None) and threshold <= 1:
        return REWARD
    raise ValueError(
        f"solved: {taskset} has no score named {', '.join(NAMES)}, and its reward is not only 0 or 1; "
        f"name one with --solved, of {_list(found)}"
    )


def is_solved(digest: Digest, name: str, threshold: float) -> bool:
    """Whether the score reaches the threshold; a rollout that failed or lacks the score is not solved."""
    if digest.failed or digest.infrastructure:
        return False
    score = digest.reward if name == REWARD and name not in digest.scores else digest.scores.get(name)
    return score is not None and score >= threshold - TOLERANCE


def _list(names: Iterable[str]) -> str:
    return ", ".join([*names, REWARD])
