"""pass@k, intervals that hold what they promise, and every figure against numbers worked out by hand."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_build.report.digest import arm_and_step, digest
from data_build.report.figures import make_report, to_json
from data_build.report.stats import (
    Column,
    difference,
    estimates,
    mean,
    pass_at_k,
    pass_column,
    resample_sums,
    sensible_ks,
)
from data_build.report.summary import Evaluation
from data_build.rollouts.read import Rollout
from report_rollouts import broken, policy, report_of, rollout, scored


def only(*rollouts: Rollout, **options) -> Evaluation:
    (evaluation,) = report_of(*rollouts, **options).finals
    return evaluation


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_formula(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert pass_at_k(n, c, k) == pytest.approx(1 - math.comb(n - c, k) / math.comb(n, k), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "c", "k"), [(1000, 1, 999), (1000, 500, 3), (1000, 999, 1), (10_000, 3, 5000), (10_000, 7, 1)]
)
def test_pass_at_k_holds_for_many_rollouts(n: int, c: int, k: int) -> None:
    exact = 1 - math.comb(n - c, k) / math.comb(n, k)  # Python's integers are exact here
    assert pass_at_k(n, c, k) == pytest.approx(exact, rel=1e-10)


def test_pass_at_k_is_unbiased() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.binomial(8, 0.15, size=20_000)
    values = np.asarray([pass_at_k(8, int(c), 4) for c in drawn])
    assert values.mean() == pytest.approx(1 - 0.85**4, abs=4 * values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize(
    ("n", "c", "k", "field"), [(0, 0, 1, "k"), (4, 1, 5, "k"), (4, 1, 0, "k"), (4, 5, 1, "c"), (4, -1, 1, "c")]
)
def test_pass_at_k_refuses(n: int, c: int, k: int, field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field}:"):
        pass_at_k(n, c, k)


@pytest.mark.parametrize(
    ("counts", "ks"),
    [
        ([3, 3, 3], [1, 2, 3]),
        ([8, 8, 7], [1, 2, 4, 8]),
        ([16, 1, 1], [1]),
        ([32] * 9 + [0], [1, 2, 4, 8, 16, 32]),
        ([], []),
    ],
)
def test_sensible_ks(counts: list[int], ks: list[int]) -> None:
    assert sensible_ks(counts) == ks


def test_tasks_with_fewer_than_k_rollouts_are_excluded_with_a_count() -> None:
    column = pass_column(np.asarray([8, 3, 0, 8]), np.asarray([8, 3, 0, 0]), 8)
    found = estimates({"x": column})["x"]
    assert (found.value, found.tasks, found.excluded) == (0.5, 2, 2)


def test_nan_is_refused_and_no_division_by_zero_comes_out() -> None:
    with pytest.raises(ValueError, match="NaN in tokens"):
        estimates({"tokens": Column(np.asarray([np.nan, 1.0]), np.ones(2))})
    nothing = estimates({"x": Column(np.zeros(3), np.zeros(3))})["x"]
    assert (nothing.value, nothing.low, nothing.high, nothing.excluded) == (None, None, None, 3)
    assert mean([0.5]).low is None, "one task gives no interval"
    half_open = estimates({"x": Column(np.full(9, 100.0), np.eye(9)[0])})["x"]
    assert half_open.value == 900 and half_open.high is None, "many draws have nothing solved"


def test_resampling_is_seeded_and_draws_every_row_alike() -> None:
    table = np.arange(12.0).reshape(6, 2)
    assert np.array_equal(resample_sums(table, 3), resample_sums(table, 3))
    assert not np.array_equal(resample_sums(table, 3), resample_sums(table, 4))
    assert np.allclose(resample_sums(np.ones((6, 1)), 0), 6)
    assert resample_sums(table, 0).mean(axis=0) == pytest.approx(table.sum(axis=0), rel=0.02)


def test_intervals_of_all_or_nothing_are_no_points() -> None:
    column = pass_column(np.full(242, 3), np.zeros(242, dtype=int), 1)
    none = estimates({"x": column})["x"]
    assert none.low == 0 and none.high == pytest.approx(1 - 0.025 ** (1 / 242))
    one_call = estimates({"turns": Column(np.full(5, 8.0), np.full(5, 8.0))})["turns"]
    assert (one_call.low, one_call.high) == (1.0, 1.0), "a count is no share and has no such bound"


def covered(low: float | None, true: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= true <= high


def by_task(values: np.ndarray) -> dict[str, float]:
    return {f"q{i}": value for i, value in enumerate(values.tolist())}


SIMULATIONS = 400
# 95 % in 400 simulations: 99.9 % of the time the count lies within 3.3 standard deviations of 380.
LEAST, MOST = (0.95 * SIMULATIONS + sign * 3.3 * math.sqrt(SIMULATIONS * 0.95 * 0.05) for sign in (-1, 1))


@pytest.mark.parametrize(
    ("tasks", "n", "k", "a", "b"),
    [
        pytest.param(30, 8, 1, 0.6, 1.2, id="few-tasks"),
        pytest.param(60, 8, 4, 0.6, 1.2, id="pass@4"),
        pytest.param(100, 32, 1, 0.6, 0.4, id="seed-2"),
        pytest.param(100, 32, 32, 0.6, 0.4, id="near-1"),
    ],
)
def test_the_interval_holds_the_true_pass_at_k_in_95_of_100_simulated_runs(
    tasks: int, n: int, k: int, a: float, b: float
) -> None:
    rng = np.random.default_rng(2026)
    # Success rates are Beta(a, b); E[(1-p)^k] of a beta is a product.
    true = 1 - math.prod((b + i) / (a + b + i) for i in range(k))
    hits = 0
    for seed in range(SIMULATIONS):
        c = rng.binomial(n, rng.beta(a, b, size=tasks))
        found = estimates({"x": pass_column(np.full(tasks, n), c, k)}, seed)["x"]
        hits += covered(found.low, true, found.high)
    assert LEAST <= hits <= MOST, f"{hits / SIMULATIONS:.3f}"


def test_the_paired_interval_holds_the_true_difference_and_is_narrower_than_the_unpaired() -> None:
    rng = np.random.default_rng(7)
    hits, paired, unpaired = 0, 0.0, 0.0
    for seed in range(SIMULATIONS):
        rates = rng.beta(0.6, 1.2, size=50)
        better = rates + 0.3 * rates * (1 - rates)
        one, two = (by_task(rng.binomial(16, r) / 16) for r in (rates, better))
        # E[p(1-p)] of Beta(a, b) is ab / ((a+b)(a+b+1)).
        true = 0.3 * 0.6 * 1.2 / (1.8 * 2.8)
        found = difference(two, one, seed)
        hits += covered(found.low, true, found.high)
        paired += (found.high or 0) - (found.low or 0)
        singles = [mean(list(run.values()), seed) for run in (one, two)]
        unpaired += math.hypot(*((s.high or 0) - (s.low or 0) for s in singles))
    assert LEAST <= hits <= MOST, f"{hits / SIMULATIONS:.3f}"
    assert paired < 0.6 * unpaired


def test_the_report_recovers_a_scripted_policy() -> None:
    """The interval is for other tasks of the kind; the rates of the very tasks at hand lie in it all the more."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(60):
        rates = rng.beta(0.6, 1.2, size=40)
        (found,) = make_report(policy(rates, 8, rng)).finals
        hits += all(
            covered(found.left_out[k].low, float(np.mean(1 - (1 - rates) ** k)), found.left_out[k].high) for k in (1, 4)
        )
    assert hits >= 57


def test_paired_difference_counts_common_tasks() -> None:
    found = difference({"a": 1.0, "b": 0.5, "c": 0.0}, {"b": 0.0, "c": 0.0, "d": 1.0})
    assert (found.value, found.tasks, found.excluded) == (0.25, 2, 2)
    assert difference({"a": 1.0}, {"b": 1.0}).value is None
    alike = difference(dict.fromkeys("abcd", 1.0), dict.fromkeys("abcd", 1.0))
    assert alike.value == 0 and alike.high == pytest.approx(1 - 0.025**0.25) == -(alike.low or 0), (
        "four tasks prove little"
    )


def test_measures_by_hand() -> None:
    rows = [
        scored(True, task_key="a", completion_tokens=100, tool_calls=2, turns=3, entropies=[1.0, 3.0]),
        scored(False, task_key="a", completion_tokens=300, truncated=True, turns=1, logprobs=[-2.0]),
        scored(True, task_key="b", completion_tokens=200),
        scored(True, task_key="b", completion_tokens=400, ok=False, reply="", errors=["ProviderError: context length"]),
        broken(task_key="b", completion_tokens=None),
    ]
    found = only(*rows)
    value = {name: e.value for name, e in found.measures.items()}
    assert found.left_out[1].value == 0.5 and found.left_out[2].value == 1.0
    assert found.counted_as_wrong[1].value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert value["tokens_per_solved"] == 1000 / 2 and found.measures["tokens_per_solved"].tasks == 2
    assert found.median_tokens_correct == 150
    assert value["length_gap"] == -200 and found.length_gaps == [-200, -200]
    assert value["tool_calls"] == 0.5 and value["turns"] == 6 / 4
    assert value["truncated"] == 0.25 and value["failed"] == 0.25
    assert value["entropy"] == pytest.approx((1 + 3 + 2) / 3) and found.entropy_from == "entropies and logprobs"
    assert value["pass_gap"] == 0.5
    assert value["distinct_answers"] == 1.5
    assert (found.rollouts, found.infrastructure, found.coverage) == (5, 1, 0.8)
    assert (found.prompt_tokens, found.completion_tokens) == (4000, 1000)


def test_distinct_answers_do_not_depend_on_the_number_of_rollouts() -> None:
    answers = ["Lund", "LUND!", "Visby", "Kalmar"]
    few = [scored(False, reply=f"<<{a}>>", task_key="a") for a in answers]
    many = [scored(False, reply=f"<<{a}>>", task_key="a", run="longer") for a in answers * 3]
    report = report_of(*few, *many)
    assert report.compared_at == {"musique-search": 4}
    one, two = (e.measures["distinct_answers"].value for e in report.finals)
    assert one == 3
    assert two == pytest.approx(sum(pass_at_k(12, c, 4) for c in (6, 3, 3)))


def test_infrastructure_failures_both_ways_and_the_headline_says_which() -> None:
    rows = [scored(i < 60, task_key=f"q{i}") for i in range(80)] + [broken(task_key=f"q{i}") for i in range(80, 100)]
    for wrong, words in ((False, "left out"), (True, "counted as wrong")):
        report = report_of(*rows, wrong=wrong)
        (found,) = report.finals
        assert (found.left_out[1].value, found.counted_as_wrong[1].value) == (0.75, 0.6)
        assert found.left_out[1].excluded == 20 and found.incomplete and found.coverage == 0.8
        assert to_json(report)["infrastructure_failures"] == words
        assert any("incomplete" in warning for warning in report.warnings)
    assert not only(*rows, coverage=0.8).incomplete


def test_solved_is_chosen_by_name_and_never_guessed_from_a_fraction() -> None:
    invoices = {"task": {"gold_values": ["x"]}, "taskset": "supplier-invoices", "reward": 0.5}
    partial = rollout(rewards={"gold_fraction": 0.5, "solved": 0.0}, **invoices)
    assert only(partial).solved_by == "solved" and only(partial).left_out[1].value == 0
    lenient = only(partial, solved="gold_fraction", threshold=0.5)
    assert lenient.left_out[1].value == 1
    with pytest.raises(ValueError, match="--solved, of gold_fraction, reward"):
        only(rollout(rewards={"gold_fraction": 0.5}, **invoices))
    with pytest.raises(ValueError, match="has a score 'passed'"):
        only(partial, solved="passed")
    assert only(rollout(rewards={"right": 1.0}, **(invoices | {"reward": 1.0}))).solved_by == "reward"


def test_checkpoints_are_one_run_and_the_last_is_final() -> None:
    assert arm_and_step("grpo-step-100", None) == ("grpo", 100)
    assert arm_and_step("grpo_checkpoint_7", None) == ("grpo", 7)
    assert arm_and_step("step-3", None) == ("step-3", None)
    assert arm_and_step("grpo/train", 40) == ("grpo/train", 40)
    rows = [scored(step == 20, run=f"grpo-step-{step}", task_key=f"q{i}") for step in (20, 3) for i in range(2)]
    report = report_of(scored(False, task_key="q0"), *rows)
    assert [(e.run, e.step) for e in report.evaluations] == [("base", None), ("grpo", 3), ("grpo", 20)]
    assert [(e.run, e.left_out[1].value) for e in report.finals] == [("base", 0.0), ("grpo", 1.0)]
    gap = report.differences[0]
    assert {d.run for d in report.differences} == {gap.run} and gap.figure == "pass@1"
    assert (gap.run, gap.estimate.value, gap.estimate.tasks, gap.estimate.excluded) == ("grpo @ step 20", 1.0, 1, 1)
    assert any("share 1 of 2 tasks" in warning for warning in report.warnings)


def test_changes_are_fractions_of_the_baseline_row() -> None:
    runs = {"base": (100, 1), "grpo": (150, 2), "zero": (50, 0)}
    rows = [
        scored(i < solved, run=run, task_key=f"q{i}", completion_tokens=tokens)
        for run, (tokens, solved) in runs.items()
        for i in range(4)
    ]
    table = report_of(*rows, baseline="base").changes
    named = {
        run: {name: cell for (_, name, _), cell in zip(table.columns, cells, strict=True)} for run, cells in table.rows
    }
    assert named["grpo"]["pass@1"].change == 1.0 and named["zero"]["pass@1"].change == -1.0
    assert named["grpo"]["tokens"].change == 0.5 and named["base"]["tokens"].change == 0
    assert named["zero"]["tokens_per_solved"].value is None
    assert named["grpo"]["tool_calls"].change is None, "no fraction of a baseline of 0"


def test_names_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="baseline: no run is named 'other'; the runs are base"):
        report_of(rollout(), baseline="other")
    with pytest.raises(ValueError, match="RUNS: no rollout"):
        make_report([])
    with pytest.raises(ValueError, match=r"base/traces.jsonl:1: task q0: golds: '\?'"):
        digest(rollout(task={"answer": "?", "aliases": []}))


def test_two_data_sets_of_one_taskset_are_two_rows() -> None:
    rows = [
        rollout(taskset="math-reasoning", task={"id": f"{name}-0123456789", "answer": "4"}, rewards={"accuracy": 1.0})
        for name in ("gsm8k", "math500")
    ]
    assert [e.taskset for e in report_of(*rows).finals] == ["math-reasoning/gsm8k", "math-reasoning/math500"]


def test_json_holds_numbers_alone_and_is_the_same_again() -> None:
    rng = np.random.default_rng(1)
    rows = policy(np.asarray([0.0, 0.4, 1.0]), 4, rng)
    text = json.dumps(to_json(make_report(rows)), allow_nan=False)
    assert text == json.dumps(to_json(make_report(rows)), allow_nan=False)
    found = json.loads(text)["evaluations"][0]["pass_at_k"]["left_out"]["4"]
    assert found["tasks"] == 3 and found["low"] <= found["value"] <= found["high"]
