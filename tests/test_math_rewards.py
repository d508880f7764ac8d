import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slm_rewards.math import cosine, english, format_reward, length_penalty, measure, repetition
from slm_rewards.math.rewards import COSINE, Preset

presets = st.sampled_from(list(COSINE))
maximum = st.floats(min_value=1, max_value=1e6)
share = st.floats(min_value=0, max_value=1)
long_share = st.floats(min_value=0, max_value=50)


@given(st.booleans(), long_share, maximum, presets, st.booleans())
def test_cosine_stays_in_its_range(correct: bool, length: float, top: float, preset: Preset, clamp: bool) -> None:
    reward = cosine(correct, length * top, top, preset, clamp)
    low, high = (0.5, 1.0) if correct else (-0.5, 0.0)
    assert low <= reward <= high


@given(share, long_share, maximum, presets)
def test_cosine_right_short_beats_right_long_beats_wrong(a: float, b: float, top: float, preset: Preset) -> None:
    short, long = sorted((a * top, b * top))
    assert cosine(True, short, top, preset) >= cosine(True, long, top, preset)
    assert cosine(True, long, top, preset) > cosine(False, short, top, preset)
    assert cosine(True, long, top, preset) > cosine(False, long, top, preset)


@given(share, share, maximum)
def test_cosine_is_monotone_to_the_maximum(a: float, b: float, top: float) -> None:
    short, long = sorted((a * top, b * top))
    assert cosine(False, short, top, "paper") <= cosine(False, long, top, "paper")
    assert cosine(False, short, top, "code") >= cosine(False, long, top, "code")
    for preset in COSINE:
        assert cosine(True, short, top, preset) >= cosine(True, long, top, preset)


def test_cosine_at_its_ends() -> None:
    assert [cosine(True, n, 1000, "paper") for n in (0, 500, 1000, 5000)] == pytest.approx([1.0, 0.75, 0.5, 0.5])
    assert [cosine(False, n, 1000, "paper") for n in (0, 500, 1000, 5000)] == pytest.approx([-0.5, -0.25, 0.0, 0.0])
    assert [cosine(False, n, 1000, "code") for n in (0, 500, 1000, 5000)] == pytest.approx([0.0, -0.25, -0.5, -0.5])


def test_cosine_is_strict_inside() -> None:
    for preset in COSINE:
        lengths = [cosine(True, n, 1000, preset) for n in range(0, 1001, 50)]
        assert all(a > b for a, b in itertools.pairwise(lengths))


@given(st.booleans(), long_share, maximum, st.floats(min_value=0, max_value=0.999))
def test_length_penalty_stays_in_its_range(correct: bool, length: float, top: float, lam: float) -> None:
    reward = length_penalty(correct, length * top, top, lam)
    assert (1 - lam <= reward <= 1) if correct else reward == 0.0


@given(long_share, long_share, maximum, st.floats(min_value=0.001, max_value=0.999))
def test_length_penalty_right_short_beats_right_long_beats_wrong(a: float, b: float, top: float, lam: float) -> None:
    short, long = sorted((a * top, b * top))
    assert length_penalty(True, short, top, lam) >= length_penalty(True, long, top, lam) > 0.0
    assert length_penalty(False, short, top, lam) == 0.0


def test_length_penalty_as_published() -> None:
    assert length_penalty(True, 250, 500, 0.2) == pytest.approx(0.9)
    assert length_penalty(True, 500, 500, 0.5) == pytest.approx(0.5)
    assert length_penalty(True, 9000, 500, 0.5) == pytest.approx(0.5)
    assert length_penalty(True, 250, 500, 0.0) == 1.0


@pytest.mark.parametrize("lam", [-0.1, 1.0, 1.5, math.nan])
def test_lam_outside_its_range_is_an_error(lam: float) -> None:
    with pytest.raises(ValueError, match=r"lam: .* is outside"):
        length_penalty(True, 1, 2, lam)


@pytest.mark.parametrize(("length", "top", "name"), [(1, 0, "max_length"), (-1, 5, "length"), (math.nan, 5, "length")])
def test_lengths_are_checked(length: float, top: float, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        cosine(True, length, top)
    with pytest.raises(ValueError, match=f"^{name}: "):
        length_penalty(True, length, top, 0.2)


def test_measure_names_its_unit() -> None:
    assert measure("öö ö", tokens=7) == 7
    assert measure("öö ö", tokens=7, unit="characters") == 4
    assert measure(None, tokens=None, unit="characters") == 0
    with pytest.raises(ValueError, match="tokens: missing"):
        measure("x", tokens=None)
    with pytest.raises(ValueError, match="unit: 'words'"):
        measure("x", 1, "words")  # ty: ignore[invalid-argument-type]


FORMAT = [
    ("<think>because</think>\\boxed{4}", 1.0, 1.0),
    ("  <think>\nbecause\n</think>\n\\boxed{4}", 1.0, 1.0),
    ("because</think> \\boxed{4}", 0.0, 1.0),
    ("<think>because</think> 4", 0.0, 0.0),
    ("<think>\\boxed{4}</think>", 0.0, 0.0),
    ("<think>because \\boxed{4}", 0.0, 0.0),
    ("\\boxed{4}", 0.0, 0.0),
    ("<think>a</think></think>\\boxed{4}", 0.0, 0.0),
    ("<think>a</think><think>b</think>\\boxed{4}", 0.0, 0.0),
    ("<think><think>a</think>\\boxed{4}", 0.0, 0.0),
    ("Sure! <think>a</think>\\boxed{4}", 0.0, 0.0),
    ("<think>a</think>\\boxed{}", 0.0, 0.0),
    ("", 0.0, 0.0),
    (None, 0.0, 0.0),
]


@pytest.mark.parametrize(("reply", "plain", "prefilled"), FORMAT)
def test_format(reply: str | None, plain: float, prefilled: float) -> None:
    assert format_reward(reply) == plain
    assert format_reward(reply, prefilled=True) == prefilled


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("a\n</think>\n4", 1.0),
        ("<think>\na\n</think>\n", 1.0),
        ("<think>a</think>\\boxed{4}", 0.0),
        ("a\n</think>\nb\n</think>\n", 0.0),
        (None, 0.0),
    ],
)
def test_format_as_the_open_rs_code_has_it(reply: str | None, expected: float) -> None:
    assert format_reward(reply, "open_rs") == expected


def test_unknown_names_are_errors() -> None:
    with pytest.raises(ValueError, match="variant: 'xml' is unknown"):
        format_reward("", "xml")  # ty: ignore[invalid-argument-type]
    with pytest.raises(ValueError, match="preset: 'mine' is unknown; use 'paper' or 'code'"):
        cosine(True, 1, 2, "mine")  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("We add the numbers.", 1.0),
        ("Größe naïve façade", 1.0),
        ("", 1.0),
        (None, 1.0),
        ("12 + 34 = 46", 1.0),
        ("所以答案是四", 0.0),
        ("так как", 0.0),
        ("abcd这是答案", 0.5),
        ("so $α + β = γ$ and \\(ψ\\)", 1.0),
        ("the angle θ is small", 1.0),
        ("\\text{答案} is \\boxed{答}", 0.5),
        ("<think>мы</think> we", 0.5),
        ("ｆｕｌｌ", 1.0),
    ],
)
def test_english_is_the_share_of_latin_letters(reply: str | None, expected: float) -> None:
    assert english(reply) == pytest.approx(expected)


def test_repetition() -> None:
    assert repetition("one two three four five six seven eight nine") == 0.0
    assert repetition("") == repetition(None) == 0.0
    assert repetition("the answer is not 4 but 5, wait. " * 100) > 0.95
    once = " ".join(f"word{n}" for n in range(100))
    assert repetition(once) == 0.0
    assert repetition(f"{once} {once}") == pytest.approx(0.5, abs=0.05)
    assert repetition("所以答案是四因为" * 50) > 0.9


@given(st.text())
def test_metrics_stay_in_their_range_for_any_text(reply: str) -> None:
    assert 0.0 <= english(reply) <= 1.0
    assert 0.0 <= repetition(reply) < 1.0
    for variant in ("tags", "open_rs"):
        assert format_reward(reply, variant) in (0.0, 1.0)
