"""Reported faults of rewards by length; the ids are those of the public reports they were learnt from.

LR-08 (auxiliary rewards that lift a wrong answer over the pass threshold) concerns the weights of a recipe; here its
half that the functions answer for: no right answer is worth less than a wrong one.
"""

import pytest

from slm_rewards.math import cosine, format_reward, length_penalty, measure


def test_lr_01_the_cosine_does_not_turn_back_beyond_the_maximum() -> None:
    assert [cosine(True, n, 1000) for n in (1000, 1500, 2000)] == [0.5, 0.5, 0.5]
    assert [cosine(True, n, 1000, clamp=False) for n in (1000, 2000)] == pytest.approx([0.5, 1.0]), "the published code"
    assert [cosine(False, n, 1000, "code") for n in (1000, 1500, 2000)] == [-0.5, -0.5, -0.5]


def test_lr_02_lengths_are_tokens_unless_characters_are_asked_for() -> None:
    text = "ö" * 2700
    assert measure(text, tokens=900) == 900
    assert measure(text, tokens=900, unit="characters") == 2700
    assert cosine(True, measure(text, tokens=900), 1000) > cosine(True, measure(text, None, "characters"), 1000)


@pytest.mark.parametrize(("preset", "ends"), [("paper", [-0.5, 0.0]), ("code", [0.0, -0.5])])
def test_lr_03_both_directions_for_wrong_answers_by_name(preset: str, ends: list[float]) -> None:
    got = [cosine(False, n, 1000, preset) for n in (0, 1000)]  # ty: ignore[invalid-argument-type]
    assert got == pytest.approx(ends)


def test_lr_04_the_penalty_has_the_right_sign() -> None:
    assert length_penalty(True, 20, 200, 0.5) > length_penalty(True, 200, 200, 0.5)
    assert cosine(True, 20, 200) > cosine(True, 200, 200)


def test_lr_08_a_wrong_answer_in_good_form_stays_below_a_right_one() -> None:
    form = format_reward("<think>a</think>\\boxed{5}")
    best_wrong = 0.3 * form + max(cosine(False, n, 100) for n in range(101))
    worst_right = min(cosine(True, n, 100) for n in range(101))
    assert best_wrong == pytest.approx(0.3)
    assert best_wrong < worst_right
