import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.verdict_pairs import KINDS
from slm_rewards.math import check_golds, extract_answer, judge_blocking
from slm_rewards.math.canonical import clean
from slm_rewards.math.compare import Undecided, decide, undecided
from slm_rewards.math.quantity import parse_quantity
from slm_rewards.math.structure import parse

PAIRS = [
    pytest.param(gold, answer, same, id=f"{kind}: {gold} | {answer}")
    for kind, pairs in KINDS.items()
    for gold, answer, same in pairs
]


@pytest.mark.parametrize(("gold", "answer", "same"), PAIRS)
def test_each_kind_of_difference_is_judged(gold: str, answer: str, same: bool) -> None:
    assert judge_blocking(answer, gold) is same


@pytest.mark.parametrize("gold", sorted({gold for pairs in KINDS.values() for gold, _, _ in pairs}))
def test_a_gold_equals_itself_and_nothing_never_does(gold: str) -> None:
    assert judge_blocking(gold, gold)
    assert judge_blocking(f"$\\displaystyle {gold}$", gold)
    assert not judge_blocking("", gold)
    assert not judge_blocking(None, gold)
    assert not judge_blocking(r"\text{no such answer}", gold)


def test_ordinary_answers_need_no_worker() -> None:
    ordinary = [("18", "$18"), ("1,234", "1234"), ("3.5", r"\frac72"), ("(1,2)", "(1, 3)"), (r"\text{east}", "west")]
    assert [decide(answer, gold, undecided) for gold, answer in ordinary] == [True, True, True, False, False]
    with pytest.raises(Undecided):
        decide("(x+1)^2", "x^2+2x+1", undecided)


whole = st.integers(min_value=-(10**30), max_value=10**30)


@given(whole, whole)
def test_two_whole_numbers_are_the_same_only_if_they_are_equal(gold: int, answer: int) -> None:
    assert decide(f"{answer:,}", str(gold), undecided) is (gold == answer)


@given(whole)
def test_every_spelling_of_a_number_is_that_number(number: int) -> None:
    digits = f"{number:,}"
    spellings = [digits, digits.replace(",", " "), digits.replace(",", "{,}"), digits.replace(",", r"\,")]
    spellings += [f"{number}.", f"{number}.00", f"\\${number}", f"{number} apples", f"x = {number}", f"**{number}**"]
    spellings += [
        rf"\boxed{{{number}}}",
        rf"\text{{{number}}}",
        rf"{number}\text{{ cm}}",
        f"{number}".replace("-", "−"),
    ]
    for spelling in spellings:
        assert decide(spelling, str(number), undecided), spelling
        assert not decide(spelling, str(number + 1), undecided), spelling
        assert not decide(spelling, str(number * 10 + 7), undecided), spelling


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_fractions_are_compared_exactly(gold: object, answer: object) -> None:
    assert decide(str(answer), str(gold), undecided) is (gold == answer)


PIECES = r"\frac \sqrt \text{ \pm \cup \{ \} \infty \pi \le \in \boxed{ \left( \right) ½ − ° √".split()
LATEX = st.lists(
    st.sampled_from([*r"0123456789abxyz+-*/^_=<>()[]{}|,;:.!%$ ", "\\", "\u00a0", " or ", " and ", *PIECES]),
    max_size=40,
).map("".join)


@settings(max_examples=400)
@given(LATEX, LATEX)
def test_no_text_raises_in_the_callers_process(gold: str, answer: str) -> None:
    for text in (gold, answer):
        assert clean(clean(text)) == clean(clean(clean(text)))
        parse(clean(text))
    try:
        verdict = decide(answer, gold, undecided)
    except Undecided:
        return
    assert isinstance(verdict, bool)
    assert not (verdict and not answer.strip())


@settings(max_examples=60, deadline=None)
@given(LATEX, LATEX)
def test_no_text_raises_in_a_worker(gold: str, answer: str) -> None:
    assert judge_blocking(answer, gold) in (True, False)


def test_long_and_deep_answers_are_false_without_parsing() -> None:
    assert decide("1" * 2001, "1" * 2001, undecided) is False
    assert decide("(" * 61 + "5" + ")" * 61, "5", undecided) is False
    assert decide("{" * 1_000_000, "5", undecided) is False


def test_a_quantity_is_read_with_its_unit() -> None:
    quantity = parse_quantity(clean(r"1,\!250.50\text{ square meters}"))
    assert quantity is not None
    assert (float(quantity.value), quantity.unit, quantity.decimals) == (1250.5, "m^2", 2)
    assert parse_quantity("x") is None
    assert parse_quantity("1" * 401) is None
    assert parse_quantity("1/0") is None


def test_golds_that_cannot_be_judged_are_named() -> None:
    golds = {
        "number": "1,234",
        "formula": r"\frac{x^2}{2}",
        "factorial": r"\frac{k!(k+1)!}{(2k)!}",
        "power": "e^{23110}",
        "tower": "9^{9^{9^{9}}}",
        "letter": "C",
        "word": "Evelyn",
        "words": r"\text{no such integers exist}",
        "interval": r"(-\infty, 3] \cup \{5\}",
        "empty": "",
        "blank": "  ",
        "figure": "see the figure",
        "set figure": r"\text{see the figure}",
        "sentence": "the sum of both numbers is even",
        "open brace": r"\frac{1}{2",
        "broken": r"\frac{1}{}",
        "operator": r"\div",
        "long": "1" * 3000,
        "not text": 5,
    }
    problems = check_golds(golds)  # ty: ignore[invalid-argument-type]
    assert list(problems) == [
        *("empty", "blank", "figure", "set figure", "sentence", "open brace", "broken", "operator", "long", "not text")
    ]
    assert all(problem.startswith("gold: ") and "\n" not in problem for problem in problems.values())
    assert check_golds({}) == {}


def test_an_unsound_gold_is_never_a_free_point() -> None:
    for gold in ("see the figure", r"\frac{1}{}", "", r"\div"):
        assert not judge_blocking(extract_answer(r"so \boxed{4}"), gold)
