"""What problems chosen by their right rollouts do when they are asked again: fewer right ones, as luck chose too.

A beta-binomial: problem i is solved at a rate p_i ~ Beta(a, b), its right rollouts are Binomial(n, p_i). (a, b) come
from all problems by moments; a problem with c of n right then has p ~ Beta(a + c, b + n − c). Measured on 2026-11-30
(recipes/results/smollm2_2026_11_30_second): 219 of 1,399 GSM8K problems with 1 to 7 of 8 right, a rate of 0.155 as
drawn, 0.064 by this estimate, 0.047 to 0.062 over the first ten steps of the three arms.
"""

from collections import Counter
from collections.abc import Collection
from statistics import fmean, variance
from typing import NamedTuple

from data_build.rollouts.tally import Count


class Again(NamedTuple):
    """Expected of new rollouts, averaged over the problems; shares in 0..1."""

    rate: float
    """Right rollouts."""
    mixed: float
    """Groups that hold right and wrong ones."""
    none: float
    """Groups without a right one."""


def prior(counts: Collection[Count], rollouts: int) -> tuple[float, float] | None:
    """(a, b) from the right rollouts of all problems, `rollouts` each.

    None where they do not tell: one rollout a problem, fewer than two problems, or all solved alike.
    """
    right = [count.right for count in counts]
    if rollouts < 2 or len(right) < 2 or not 0 < (rate := fmean(right) / rollouts) < 1:
        return None
    # Var = n p (1 − p) (1 + (n − 1) rho), rho = 1 / (a + b + 1)
    rho = (variance(right) / (rollouts * rate * (1 - rate)) - 1) / (rollouts - 1)
    size = 1 / min(max(rho, 1e-6), 1 - 1e-6) - 1
    return rate * size, (1 - rate) * size


def asked_again(counts: Collection[Count], chosen: Collection[Count], rollouts: int, group: int) -> Again | None:
    """What groups of `group` new rollouts of the chosen problems would hold; None without problems or a `prior`.

    Args:
        counts: all problems, `rollouts` each.
        chosen: those of them that were chosen by their right rollouts.
    """
    fitted = prior(counts, rollouts)
    if not chosen or fitted is None:
        return None
    import numpy as np
    from scipy.stats import betabinom

    a, b = fitted
    problems = Counter(count.right for count in chosen)
    found = []
    for right in problems:
        after = a + right, b + rollouts - right
        none, all_right = betabinom.pmf([0, group], group, *after)
        found.append(Again(after[0] / sum(after), 1 - none - all_right, none))
    return Again(*np.average(found, axis=0, weights=list(problems.values())).tolist())
