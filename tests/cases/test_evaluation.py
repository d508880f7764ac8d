"""Reported faults of pass@k and of failure buckets, by id."""

import math
from typing import Any

import numpy as np
import pytest

from data_build.report.buckets import BUCKETS, bucket
from data_build.report.digest import digest
from data_build.report.figures import make_report, to_json
from data_build.report.stats import estimates, pass_at_k, pass_column
from data_build.rollouts.read import Rollout
from report_rollouts import broken, scored
from slm_rewards.answer import exact_match, partial_credit


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [
        pytest.param(2, 0, 5, id="PK-01"),
        pytest.param(3, 1, 16, id="PK-02"),
        pytest.param(0, 0, 1, id="PK-01-no-rollouts"),
        pytest.param(15, 15, 16, id="PK-02-all-solved"),
    ],
)
def test_k_above_n_is_refused_whatever_was_solved(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"pass@{k} needs {k} rollouts per task"):
        pass_at_k(n, c, k)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        pytest.param(4, 1, 4, 1.0, id="PK-03"),
        pytest.param(4, 1, 2, 0.5, id="PK-03-half"),
        pytest.param(8, 1, 8, 1.0, id="PK-03-eight"),
    ],
)
def test_tries_are_drawn_without_replacement(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-12)
    assert pass_at_k(n, c, k) > 1 - (1 - c / n) ** k, "with replacement the estimate is biased low"


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        pytest.param(10_000, 3, 5000, 0.875, id="PK-04"),
        pytest.param(10_000, 9_999, 1, 0.9999, id="PK-04-nearly-all"),
        pytest.param(10_000, 1, 10_000, 1.0, id="PK-04-every-try"),
        pytest.param(10_000, 0, 10_000, 0.0, id="PK-04-none"),
    ],
)
def test_many_rollouts_neither_overflow_nor_need_sampling(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(expected, abs=1e-3)
    assert pass_at_k(n, c, k) == pass_at_k(n, c, k)


@pytest.mark.parametrize(
    "lost",
    [pytest.param(1, id="PK-09"), pytest.param(3, id="PK-09-several"), pytest.param(8, id="PK-09-all")],
)
def test_a_task_whose_rollouts_all_failed_is_excluded_with_a_count(lost: int) -> None:
    rows: list[Rollout] = [broken(task_key=f"q{i}") for i in range(lost) for _ in range(2)]
    rows += [scored(i % 2 == 0, task_key=f"q{i}") for i in range(lost, 8) for _ in range(2)]
    report = make_report([digest(row) for row in rows])
    (found,) = report.finals
    kept = [i % 2 == 0 for i in range(lost, 8)]
    if kept:
        assert found.left_out[1].value == sum(kept) / len(kept)
        assert (found.left_out[1].tasks, found.left_out[1].excluded) == (8 - lost, lost)
    else:
        assert found.left_out == {} and found.coverage == 0
    assert found.counted_as_wrong[1].value == sum(kept) / 8
    assert "NaN" not in str(to_json(report)) and not _numbers_are_nan(to_json(report))


def test_pk_09_an_empty_group_alone_gives_no_figure() -> None:
    found = estimates({"pass@1": pass_column(np.asarray([0]), np.asarray([0]), 1)})["pass@1"]
    assert (found.value, found.low, found.high, found.tasks, found.excluded) == (None, None, None, 0, 1)


@pytest.mark.parametrize(
    ("gold", "answer", "expected"),
    [
        pytest.param("5 June 1998", "June 5, 1998", "near miss", id="EM-12"),
        pytest.param("poet", "Swedish poet", "near miss", id="EM-13"),
        pytest.param("Rotterdam", "the city of Rotterdam", "near miss", id="EM-13-seed"),
        pytest.param("The Hague", "Hague", "near miss", id="EM-13-article-missing"),
        pytest.param("A", "the B", "wrong", id="EM-13-gold-is-an-article"),
        pytest.param("Rotterdam", "the old harbour of Rotterdam", "wrong", id="EM-13-too-many-words"),
        pytest.param("Rotterdam", "Rotterdam city", "near miss", id="EM-13-behind"),
        pytest.param("5 June 1998", "5 June 1998", "correct", id="EM-12-same-order"),
        pytest.param("poet", "novelist", "wrong", id="EM-13-other-word"),
    ],
)
def test_the_bucket_of_an_answer(gold: str, answer: str, expected: str) -> None:
    """`the city of Rotterdam` is seed 1's own example of a near miss: F1 0.4 as written, 0.5 without the article."""
    reply = f"So it is <<{answer}>>"
    assert bucket(reply, {"answer": gold, "aliases": []}) == expected
    if expected == "near miss":
        assert exact_match(reply, [gold]) == 0 and 0 < partial_credit(reply, [gold]) < 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("<<Lund>>", "correct"),
        ("<<Visby>> no, <<Lund, Sweden>>", "correct"),
        ("<<Lund Cathedral>>", "near miss"),
        ("<<Visby>>", "wrong"),
        ("<<?>>", "wrong"),
        ("Lund", "no answer"),
        ("<<>>", "no answer"),
        ("", "no answer"),
        ("<think><<Lund>></think>It is Lund.", "no answer"),
    ],
)
def test_every_reply_is_in_exactly_one_bucket(reply: str, expected: str) -> None:
    assert bucket(reply, {"answer": "Lund", "aliases": ["Lund, Sweden"]}) == expected


def test_bucket_counts_add_up_and_the_first_matches_pass_at_1() -> None:
    replies = ["<<Lund>>", "<<Lund Cathedral>>", "<<Visby>>", ""]
    rows = [
        scored(reply == "<<Lund>>", reply=reply, task_key=f"q{i}") for i in range(5) for reply in (*replies, "<<Lund>>")
    ]
    rows.append(broken(task_key="q0"))
    (found,) = make_report([digest(row) for row in rows]).finals
    assert found.buckets == dict(zip(BUCKETS, (10, 5, 5, 5), strict=True))
    assert sum(found.buckets.values()) == found.rollouts - found.infrastructure
    assert found.buckets["correct"] / 25 == found.left_out[1].value
    assert found.bucket_mismatches == 0


def test_a_recorded_score_that_todays_rule_denies_is_pointed_out() -> None:
    report = make_report([digest(scored(True, reply="<<Visby>>")), digest(scored(True, task_key="q1"))])
    assert report.finals[0].bucket_mismatches == 1
    assert any("rescore" in warning for warning in report.warnings)


def _numbers_are_nan(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_numbers_are_nan, value.values()))
    if isinstance(value, list):
        return any(map(_numbers_are_nan, value))
    return isinstance(value, float) and math.isnan(value)
