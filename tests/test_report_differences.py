"""Paired differences: what they are made of, and when they are called clear."""

import pytest

from data_build.report.compare import Difference
from data_build.report.figures import to_json
from data_build.rollouts.read import Rollout
from report_rollouts import broken, report_of, scored


def paired(*rollouts: Rollout, **options) -> dict[str, Difference]:
    return {d.figure: d for d in report_of(*rollouts, **options).differences}


def test_measures_are_paired_by_task() -> None:
    """Tasks of very different length: each is 10 tokens shorter, which only the paired difference can see."""
    rows = [
        scored(n == 0, run=run, task_key=f"q{i}", completion_tokens=1000 * i - cut * (9 + n), entropies=[1.0])
        for run, cut in (("base", 0), ("short", 1))
        for i in range(1, 9)
        for n in (0, 2)
    ]
    report = report_of(*rows, baseline="base")
    base, short = (e.measures for e in report.finals)
    # 4,500 tokens on average, and 10 fewer: far inside the interval over tasks.
    assert (base["tokens"].value, short["tokens"].value) == (4500, 4490)
    assert base["tokens"].low is not None and base["tokens"].low < 4000
    found = paired(*rows, baseline="base")
    assert {"tokens_per_solved", "entropy", "length_gap"} <= base.keys(), "measured, but not by task"
    assert list(found) == [
        "pass@1", "pass@2", "tokens", "pass_gap", "distinct_answers", "tool_calls", "turns", "truncated", "failed"
    ]  # fmt: skip
    tokens = found["tokens"]
    assert [tokens.estimate.value, tokens.estimate.low, tokens.estimate.high] == pytest.approx([-10] * 3)
    assert tokens.clear and tokens.estimate.tasks == tokens.changed == 8
    (row,) = (d for d in to_json(report)["differences"] if d["figure"] == "tokens")
    assert (row["run"], row["estimate"]["value"], row["changed"], row["clear"]) == ("short", -10, 8, True)


def test_where_no_task_differs_only_a_share_has_a_bound() -> None:
    found = paired(*[scored(True, run=run, task_key=f"q{i}") for run in ("base", "same") for i in range(8)])
    tokens, failed = found["tokens"], found["failed"]
    assert (tokens.estimate.value, tokens.estimate.low, tokens.estimate.high) == (0, None, None)
    assert [failed.estimate.high, failed.estimate.low] == pytest.approx([1 - 0.025 ** (1 / 8), 0.025 ** (1 / 8) - 1])
    assert tokens.reading == failed.reading == "no task differs"


@pytest.mark.parametrize(("changed", "clear"), [(5, False), (6, True)])
def test_few_changed_tasks_are_never_clear(changed: int, clear: bool) -> None:
    """Five of five in one direction happen by chance with p = 0.06, six of six with 0.03."""
    rows = [scored(i < 20, task_key=f"q{i}") for i in range(40)]
    rows += [scored(i < 20 + changed, run="more", task_key=f"q{i}") for i in range(40)]
    more = paired(*rows)["pass@1"]
    assert more.estimate.low is not None and more.estimate.low > 0
    assert (more.changed, more.clear) == (changed, clear)


def test_a_difference_weighs_tasks_alike_also_where_rollouts_were_lost() -> None:
    rows = [scored(True, task_key=key, completion_tokens=n) for key, n in (("a", 100), ("b", 1000)) for _ in range(4)]
    rows += [scored(True, run="other", task_key="a", completion_tokens=110) for _ in range(4)]
    rows += [scored(True, run="other", task_key="b", completion_tokens=1010)]
    rows += [broken(run="other", task_key="b") for _ in range(3)]
    report = report_of(*rows)
    assert [e.measures["tokens"].value for e in report.finals] == [550, 290]
    for wrong in (False, True):
        found = paired(*rows, wrong=wrong)
        assert found["tokens"].estimate.value == 10
        # One rollout of b is left: no gap and no diversity at K = 4.
        assert (found["pass_gap"].estimate.tasks, found["pass_gap"].estimate.excluded) == (1, 1)
        assert found["pass@1"].estimate.value == (-0.375 if wrong else 0)


def test_runs_of_different_size_are_paired_at_the_same_k() -> None:
    rows = [scored(n < 4, task_key="a", reply=f"<<{n % 2}>>") for n in range(8)]
    rows += [scored(n < 1, run="other", task_key="a", reply=f"<<{n}>>") for n in range(2)]
    found = paired(*rows)
    # K = 2: of 4 in 8, 1 − 4·3/(8·7) in 2 tries; of 1 in 2, always in 2. Two answers of 4 each: 2 (1 − 4·3/(8·7)).
    assert found["pass_gap"].estimate.value == pytest.approx((1 - 1 / 2) - (11 / 14 - 1 / 2))
    assert found["distinct_answers"].estimate.value == pytest.approx(2 - 22 / 14)


def test_a_run_without_answers_has_no_diversity_rather_than_no_figure() -> None:
    rows = [scored(True, task_key=f"q{i}") for i in range(2) for _ in range(2)]
    rows += [scored(False, run="mute", task_key=f"q{i}", reply="hm") for i in range(2) for _ in range(2)]
    assert paired(*rows)["distinct_answers"].estimate.value == -1


def test_a_measure_is_paired_where_both_runs_have_it() -> None:
    counted = [scored(True, task_key=f"q{i}", completion_tokens=100) for i in range(3)]
    uncounted = [scored(True, run="other", task_key=f"q{i}", completion_tokens=None) for i in range(2)]
    half = scored(True, run="other", task_key="q2", completion_tokens=60)
    found = paired(*counted, *uncounted, half)
    tokens = found["tokens"].estimate
    assert (tokens.value, tokens.tasks, tokens.excluded) == (-40, 1, 2)
    assert found["pass@1"].estimate.tasks == 3
    assert "tokens" not in paired(*counted, *uncounted)
