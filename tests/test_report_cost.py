"""Costs against the first study's own figures."""

import pytest
from pydantic import ValidationError

from data_build.report.cost import Cost, Price, api_cost, run_cost, saving, savings
from data_build.report.digest import digest
from data_build.report.figures import make_report
from report_rollouts import broken, scored

API = Price(input=1.0, output=5.0)
"""Haiku 4.5 at list price, per million tokens."""
CARD = Price(gpu_hour=0.53, gpu_hours=50 / 60, training_gpu_hours=305)
"""RTX A6000 for the 50 minutes of the evaluation, and the recipe's training."""
QUESTIONS = 242 * 3


def test_study_1_costs_a_question_and_breaks_even_as_published() -> None:
    api = Cost("haiku", "api", QUESTIONS, 16.50, 16.50 / QUESTIONS, 0.0)
    card = run_cost("ours", CARD, QUESTIONS, None, None)
    found = saving(api, card)
    assert card.training == pytest.approx(162, abs=0.5)
    assert card.total == pytest.approx(0.4417, abs=1e-4)
    assert found.saved_per_question == pytest.approx(0.022, abs=5e-4)
    assert found.ratio == pytest.approx(37, abs=0.5)
    assert found.break_even == pytest.approx(7300, abs=50)


def test_study_1_from_rollouts_to_the_report() -> None:
    # 10,000 tokens sent and 1,848,000 / 726 generated make $16.50 at these prices.
    tokens = [2545 + (i < 330) for i in range(QUESTIONS)]
    rows = [
        scored(i % 2 == 0, run=run, task_key=f"q{i % 242}", prompt_tokens=10_000, completion_tokens=tokens[i])
        for run in ("haiku", "ours")
        for i in range(QUESTIONS)
    ]
    report = make_report([digest(r) for r in rows], prices={"haiku": API, "ours": CARD})
    assert [c.total for c in report.costs] == pytest.approx([16.50, 0.4417], abs=1e-4)
    (found,) = report.savings
    assert (found.api, found.gpu) == ("haiku", "ours")
    assert found.ratio is not None and round(found.ratio) == 37
    assert found.break_even == pytest.approx(7300, abs=50)


def test_thinking_is_billed_at_the_output_rate() -> None:
    """Completion tokens hold the thinking; a million of each costs the sum of both prices."""
    assert api_cost(1_000_000, 1_000_000, 1.0, 5.0) == 6.0
    assert api_cost(0, 200_000, 1.0, 5.0) == 1.0


def test_what_the_infrastructure_lost_is_no_question() -> None:
    rows = [scored(True, task_key="a"), broken(task_key="b", prompt_tokens=None, completion_tokens=None)]
    report = make_report([digest(r) for r in rows], prices={"base": API})
    assert report.costs == [Cost("base", "api", 1, 0.0015, 0.0015, 0.0)]


def test_training_that_never_pays_and_sampling_for_nothing() -> None:
    cheap = Cost("api", "api", 10, 0.1, 0.01, 0.0)
    dear = Cost("card", "gpu", 10, 1.0, 0.1, 50.0)
    free = Cost("own", "gpu", 10, 0.0, 0.0, 0.0)
    assert saving(cheap, dear).break_even is None and saving(cheap, dear).saved_per_question < 0
    assert saving(cheap, free).ratio is None and saving(cheap, free).break_even == 0
    assert [(s.api, s.gpu) for s in savings([dear, cheap, free])] == [("api", "card"), ("api", "own")]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"input": 1.0},
        {"input": 1.0, "output": 5.0, "gpu_hour": 0.5},
        {"gpu_hour": 0.5},
        {"input": 1.0, "output": 5.0, "training_gpu_hours": 3.0},
        {"input": -1.0, "output": 5.0},
        {"gpu_hour": 0.5, "gpu_hours": 0.0},
        {"inptu": 1.0, "output": 5.0},
    ],
)
def test_a_price_is_one_kind_and_whole(fields: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Price.model_validate(fields)


def test_costs_that_cannot_be_known_are_refused() -> None:
    rows = [digest(scored(True)), digest(scored(True, completion_tokens=None))]
    with pytest.raises(ValueError, match=r"cost.base: some rollouts have no token counts; give gpu_hour"):
        make_report(rows, prices={"base": API})
    with pytest.raises(ValueError, match="cost: no run is named 'haiku'; the runs are base"):
        make_report(rows, prices={"haiku": API})
    with pytest.raises(ValueError, match="has no rollouts"):
        run_cost("base", CARD, 0, None, None)
