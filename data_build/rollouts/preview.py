"""What a pool would give to training, before any of it: the share of groups that carry gradient, and a dead start.

Sources: seed 1 (a base model that starts at pass@16 = 0.012), seed 2 (groups that score alike teach nothing).
"""

from collections.abc import Iterable, Mapping
from math import comb

from data_build.report.stats import pass_at_k
from data_build.rollouts.again import asked_again
from data_build.rollouts.tally import Count

DEAD = 0.05
"""Share of mixed groups below which a start counts as dead: `PATIENCE` groups are then all flat 13 % of the time."""
PATIENCE = 40
"""Groups of ten small batches (four groups each): prime-rl stops a run after ten batches without signal."""
WIDTH = 40
"""Characters of the longest bar."""


def mixed(n: int, right: int, group: int) -> float:
    """Probability that `group` rollouts of a problem are neither all right nor all wrong, from `right` of `n`.

    Unbiased for group <= n (drawn without replacement: 1 − C(n−c, G)/C(n, G) − C(c, G)/C(n, G)). A larger group is
    drawn from the observed rate, with which 0 and n of n stay never mixed: too low, and called so by the caller.
    """
    if group <= n:
        return pass_at_k(n, right, group) - comb(right, group) / comb(n, group)
    rate = right / n
    return 1 - rate**group - (1 - rate) ** group


def preview(counts: Mapping[str, Count], rollouts: int, low: int, high: int, group: int) -> list[str]:
    """Lines about all problems and the pool of those with `low` to `high` right rollouts."""
    pool = [c for c in counts.values() if low <= c.right <= high]
    lines = [
        f"pass rates of {len(counts):,} problems ({rollouts} rollouts each):",
        *histogram(counts.values(), rollouts),
    ]
    shares = {}
    for name, chosen in (("all problems", list(counts.values())), (f"pool of {low} to {high} right, as drawn", pool)):
        if chosen:
            shares[name] = sum(mixed(c.rollouts, c.right, group) for c in chosen) / len(chosen)
            rate = sum(c.right for c in chosen) / sum(c.rollouts for c in chosen)
            lines.append(
                f"{name}: {len(chosen):,} problems, pass rate {rate:.3f}, {shares[name]:.1%} of groups of {group} "
                "have mixed rewards and carry gradient"
            )
    if pool and len(pool) < len(counts):
        lines.append(_again(list(counts.values()), pool, rollouts, group))
    if group > rollouts:
        lines.append(f"note: groups of {group} from {rollouts} rollouts are extrapolated from the observed rates")
    share = shares["all problems"]
    if share < DEAD:
        best = sum(pass_at_k(c.rollouts, c.right, rollouts) for c in counts.values()) / len(counts)
        lines.append(
            f"warning: a dead start, as the first study's at pass@16 = 0.012: pass@{rollouts} = {best:.3f}, "
            f"{1 - share:.1%} of groups carry no gradient, {PATIENCE} groups in a row are flat with probability "
            f"{(1 - share) ** PATIENCE:.0%}. Read a few rollouts (there it was the answer format), train on the pool "
            "only, or fine-tune on a teacher's rollouts first (data-build sft)"
        )
    return lines


def _again(counts: list[Count], pool: list[Count], rollouts: int, group: int) -> str:
    """The pool is chosen by the rollouts that its line counts, which flatters it: what to expect of new ones."""
    found = asked_again(counts, pool, rollouts, group)
    if found is None:
        return "note: the pool is chosen by the rollouts that its share is computed from, which flatters it"
    return (
        f"the pool asked again: pass rate {found.rate:.3f}, {found.mixed:.1%} of groups of {group} mixed, "
        f"{found.none:.1%} without a right one (luck chose too; beta-binomial fitted to all problems)"
    )


def histogram(counts: Iterable[Count], rollouts: int) -> list[str]:
    """A bar for each number of right rollouts."""
    numbers = [0] * (rollouts + 1)
    for count in counts:
        numbers[count.right] += 1
    longest = max(numbers)
    return [
        f"  {right:>3}/{rollouts} {number:>7,} {'█' * max(round(WIDTH * number / longest), number > 0)}"
        for right, number in enumerate(numbers)
    ]
