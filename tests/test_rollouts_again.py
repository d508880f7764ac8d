"""A pool chosen by right rollouts, asked again: the estimate against new rollouts of problems whose rates are known."""

import numpy as np
import pytest

from data_build.rollouts.again import Again, asked_again, prior
from data_build.rollouts.preview import preview
from data_build.rollouts.tally import Count

GSM8K = {0: 1180, 1: 179, 2: 31, 3: 6, 4: 2, 5: 1}
"""Right rollouts of 8 → problems, SmolLM2-135M after SFT (recipes/results/smollm2_2026_11_30_second)."""


def counts(right: dict[int, int] | np.ndarray, rollouts: int = 8) -> list[Count]:
    each = [k for k, n in right.items() for _ in range(n)] if isinstance(right, dict) else right.tolist()
    return [Count(rollouts=rollouts, right=k) for k in each]


def estimate(all_problems: list[Count], low: int = 1, high: int = 7, group: int = 8) -> Again:
    rollouts = all_problems[0].rollouts
    found = asked_again(all_problems, [c for c in all_problems if low <= c.right <= high], rollouts, group)
    assert found is not None
    return found


@pytest.mark.parametrize(("a", "b"), [(0.5, 20.0), (0.8, 5.0), (2.0, 2.0), (6.0, 1.5)])
@pytest.mark.parametrize("group", [4, 8, 16])
def test_new_rollouts_of_the_chosen_problems_are_foretold(a: float, b: float, group: int) -> None:
    rng = np.random.default_rng(0)
    rates = rng.beta(a, b, 20_000)
    first = rng.binomial(8, rates)
    chosen = (first >= 1) & (first <= 7)
    new = rng.binomial(group, rates[chosen])
    found = estimate(counts(first), group=group)
    assert found.rate == pytest.approx(new.mean() / group, abs=0.01)
    assert found.none == pytest.approx((new == 0).mean(), abs=0.015)
    assert found.mixed == pytest.approx(((new > 0) & (new < group)).mean(), abs=0.02)


def test_the_measured_pool() -> None:
    """Its rate as drawn was 0.155; the three arms' first ten steps had 0.047 to 0.062."""
    found = estimate(counts(GSM8K))
    assert (round(found.rate, 3), round(found.none, 2)) == (0.064, 0.63)


def test_problems_that_do_not_differ_fall_back_to_their_common_rate() -> None:
    rng = np.random.default_rng(1)
    found = estimate(counts(rng.binomial(8, 0.1, 5_000)))
    assert found.rate == pytest.approx(0.1, abs=0.01)
    assert found.none == pytest.approx(0.9**8, abs=0.02)


def test_problems_always_or_never_solved_stay_so() -> None:
    found = estimate(counts({0: 100, 8: 100}), low=0, high=8)
    assert found == pytest.approx((0.5, 0.0, 0.5), abs=1e-3)


@pytest.mark.parametrize(("right", "rollouts"), [({0: 50}, 8), ({8: 50}, 8), ({1: 1}, 8), ({0: 30, 1: 20}, 1), ({}, 8)])
def test_where_the_rollouts_do_not_tell_nothing_is_claimed(right: dict[int, int], rollouts: int) -> None:
    every = counts(right, rollouts)
    assert prior(every, rollouts) is None and asked_again(every, every, rollouts, 8) is None


def test_an_empty_pool() -> None:
    assert asked_again(counts(GSM8K), [], 8, 8) is None


def test_the_preview_says_both() -> None:
    lines = preview({str(n): c for n, c in enumerate(counts(GSM8K))}, 8, 1, 7, 8)
    assert "pool of 1 to 7 right, as drawn: 219 problems, pass rate 0.155" in "\n".join(lines)
    assert any(
        line.startswith("the pool asked again: pass rate 0.064, 36.7% of groups of 8 mixed, 63.3% without")
        for line in lines
    )
    alike = preview({str(n): c for n, c in enumerate(counts({0: 9, 1: 9}, 1))}, 1, 1, 1, 8)
    assert any("flatters it" in line for line in alike)
