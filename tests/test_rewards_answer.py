import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slm_rewards import check_golds, exact_match, last_answer, partial_credit, unigram_f1

SAME = [
    ("Lund", "lund."),
    ("Lund", "**Lund**"),
    ("New York", "NEW\u00a0YORK"),
    ("New York", "New-York"),
    ("U.S. Army", "US Army"),
    ("Conan O'Brien", "Conan O’Brien"),
    ("Hawaiʻi", "Hawai'i"),
    ("Jean-Paul Sartre", "Jean–Paul Sartre"),
    ("İstanbul", "istanbul"),
    ("हिन्दी", "हिन्दी"),
    ("ﬁn", "fin"),
    ("1,000", "1000"),
    ("1,234,567.5", "$1234567.5"),
    ("50%", "50 %"),
    ("June 5, 1998", "June 5 1998"),
    ("2004–05", "2004 - 05"),
    ("−5", "-5"),
    ("Boeing 747", "Boeing-747"),
    ("September 1939", "sep\u00adtember\u200b 1939"),
    ("5½", "5 1/2"),
]
DIFFERENT = [
    ("1.5", "15"),
    ("1.5", "1 5"),
    ("1.5", "1,5"),
    ("1.000", "1000"),
    ("1,00", "100"),
    ("9/11", "911"),
    ("9/11", "9 11"),
    ("12:50", "1250"),
    ("1998-99", "199899"),
    ("5 11", "511"),
    ("5'11", "511"),
    ("-5", "5"),
    ("10²", "102"),
    ("5½", "51/2"),
    ("Москва", "Мосва"),
    ("北京", "东京"),
    ("Łódź", "Lodz"),
    ("Malmö", "Malmo"),
    ("किताब", "कताब"),
    ("Beatles", "The Beatles"),
    ("Lund", "Lunds"),
    ("Lund", "Lund, Sweden"),
]


@pytest.mark.parametrize(("gold", "answer"), SAME)
def test_one_answer_in_two_forms(gold: str, answer: str) -> None:
    assert exact_match(f"<<{answer}>>", [gold]) == exact_match(f"<<{gold}>>", [answer]) == 1.0


@pytest.mark.parametrize(("gold", "answer"), DIFFERENT)
def test_two_answers_stay_apart(gold: str, answer: str) -> None:
    assert exact_match(f"<<{answer}>>", [gold]) == exact_match(f"<<{gold}>>", [answer]) == 0.0


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It is <<Lund>>, not <<Visby>>", "Visby"),
        ("<<<Lund>>>", "Lund"),
        ("<<<<Lund>>>>", "Lund"),
        ("<<\n  Lund\n>>", "Lund"),
        ("```\n<<Lund>>\n```", "Lund"),
        ("<<Lund>> and then <<cut", "Lund"),
        ("<<cut and then <<Lund>>", "Lund"),
        ("<<5 < 6 > 4>>", "5 < 6 > 4"),
        ("<think><<Visby>></think><<Lund>>", "Lund"),
        ("<<Lund>><think><<Visby>></think>", "Lund"),
        ("<<Lund>>. Wait: <<>>", None),
        ("<Lund>", None),
        ("«Lund»", None),
        ("Lund", None),
        ("", None),
    ],
)
def test_the_last_block_outside_reasoning_is_the_answer(reply: str, answer: str | None) -> None:
    assert last_answer(reply) == answer


def test_any_alias_counts_and_the_nearest_gold_decides() -> None:
    golds = ["Republic of Finland", "Finland", "Suomi"]
    assert exact_match("<<suomi>>", golds) == 1.0
    assert partial_credit("<<southern Finland>>", golds) == pytest.approx(1.25 * 0.5 / (0.25 * 0.5 + 1))
    assert unigram_f1("<<southern Finland>>", golds) == pytest.approx(2 / 3)


def test_precision_counts_more_than_recall() -> None:
    assert partial_credit("<<Ada>>", ["Ada Lovelace"]) > partial_credit("<<Ada Lovelace>>", ["Ada"]) > 0
    assert partial_credit("<<Uppsala or Lund or Visby or Kalmar>>", ["Uppsala"]) < 0.2


def test_repeated_words_count_once() -> None:
    assert partial_credit("<<Lund Lund Lund Lund>>", ["Lund"]) == pytest.approx(1.25 * 0.25 / (0.25 * 0.25 + 1))


def test_exact_match_without_shared_words_has_full_credit() -> None:
    assert partial_credit("<<NewYork>>", ["New York"]) == unigram_f1("<<NewYork>>", ["New York"]) == 1.0


@pytest.mark.parametrize("golds", [[], [""], ["Lund", " "], ["…"], ["\u0301"], ["A >> B"], ["a <think>b"]])
def test_gold_that_no_reply_could_state_is_refused(golds: list[str]) -> None:
    with pytest.raises(ValueError, match="golds: "):
        check_golds(golds)
    for score in (exact_match, partial_credit, unigram_f1):
        with pytest.raises(ValueError, match="golds: "):
            score("<<anything>>", golds)


def test_gold_that_is_not_text_is_refused() -> None:
    with pytest.raises(TypeError, match="golds: 12 is int"):
        check_golds(["a", 12])  # ty: ignore[invalid-argument-type]


def test_one_string_is_one_gold_and_not_its_letters() -> None:
    assert check_golds("Lund") == ["Lund"]
    assert exact_match("<<L>>", "Lund") == 0.0


def test_a_megabyte_of_reply_is_judged() -> None:
    for reply in ("<<" * 500_000, "<<a " * 250_000, "<<" + "1 - " * 50_000 + ">>", "<<" + "1,111" * 50_000 + ">>"):
        assert exact_match(reply, ["Lund"]) == partial_credit(reply, ["Lund"]) == 0.0


words = st.text(st.characters(categories=["L", "N", "M", "Zs", "P", "S", "Cf"]), max_size=20)


def usable(gold: str) -> bool:
    try:
        return bool(check_golds([gold]))
    except ValueError:
        return False


golds_lists = st.lists(words.filter(usable), min_size=1, max_size=3)


@given(st.text(max_size=100) | words.map(lambda w: f"so <<{w}>>"), golds_lists)
def test_scores_keep_their_range_and_order(reply: str, golds: list[str]) -> None:
    exact, partial, f1 = (score(reply, golds) for score in (exact_match, partial_credit, unigram_f1))
    assert exact in (0.0, 1.0) and 0.0 <= partial <= 1.0 and 0.0 <= f1 <= 1.0
    assert (partial == 1.0) == (exact == 1.0)
    total = exact + 0.3 * partial
    assert total == 1.3 if exact else total < 0.3
    if last_answer(reply) is None:
        assert total == f1 == 0.0


@given(golds_lists, st.integers(0, 2))
def test_every_gold_scores_full_in_any_case_and_unicode_form(golds: list[str], which: int) -> None:
    gold = golds[which % len(golds)]
    assume("<<" not in gold)
    for form in (gold, unicodedata.normalize("NFC", gold), unicodedata.normalize("NFD", gold)):
        assert exact_match(f"thus <<{form}>>", golds) == 1.0
        assert exact_match(f"<<x>> thus <<\n{form} >>", golds) == 1.0
    assert exact_match(gold, golds) == 0.0


@given(st.permutations(["north", "of", "Kalmar", "1998"]))
def test_the_words_in_another_order_are_not_the_answer(order: list[str]) -> None:
    gold = "north of Kalmar 1998"
    reply = f"<<{' '.join(order)}>>"
    assert unigram_f1(reply, [gold]) == 1.0
    assert (partial_credit(reply, [gold]) == 1.0) == (" ".join(order) == gold)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_are_equal_only_to_themselves(a: int, b: int) -> None:
    assert exact_match(f"<<{a:,}>>", [str(b)]) == float(a == b)
    assert exact_match(f"<<{a}.{b}>>", [f"{a}{b}"]) == exact_match(f"<<{a} {b}>>", [f"{a}{b}"]) == 0.0
