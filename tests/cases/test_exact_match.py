"""Reported faults of matching short answers; the ids are those of the public reports they were learnt from."""

import unicodedata

import pytest

from slm_rewards import check_golds, exact_match, last_answer, partial_credit, unigram_f1

CASES = [
    pytest.param(["The The"], "Oasis", 0.0, id="EM-01"),
    pytest.param(["Москва"], "北京", 0.0, id="EM-02"),
    pytest.param(["Łódź"], "D", 0.0, id="EM-03"),
    pytest.param([unicodedata.normalize("NFC", "Malmö")], unicodedata.normalize("NFD", "Malmö"), 1.0, id="EM-04"),
    pytest.param(["An Lushan"], "Lushan", 0.0, id="EM-05"),
    pytest.param(["5 June 1998"], "June 5, 1998", 0.0, id="EM-12"),
    pytest.param(["poet"], "Swedish poet", 0.0, id="EM-13"),
    pytest.param(["Straße"], "STRASSE", 1.0, id="EM-15"),
    pytest.param(["Uppsala"], "Uppsala or Lund or Visby", 0.0, id="EM-16"),
]


@pytest.mark.parametrize(("golds", "prediction", "expected"), CASES)
def test_exact_match(golds: list[str], prediction: str, expected: float) -> None:
    assert exact_match(f"<<{prediction}>>", golds) == expected
    assert exact_match(f"<<{golds[0]}>>", golds) == 1.0


def test_em_07_a_gold_without_content_is_refused_so_that_nothing_can_match_it() -> None:
    """The report expects False; here such a gold is an error where the task is built."""
    with pytest.raises(ValueError, match="golds: '–' has no letter or digit"):
        check_golds(["–"])
    with pytest.raises(ValueError, match="golds: '–' has no letter or digit"):
        exact_match("", ["–"])


def test_em_12_the_same_day_in_another_order_is_a_near_miss() -> None:
    reply, golds = "<<June 5, 1998>>", ["5 June 1998"]
    assert unigram_f1(reply, golds) == 1.0
    assert 0.5 < partial_credit(reply, golds) < 1.0


def test_em_13_an_extra_qualifier_earns_part_of_the_credit() -> None:
    reply, golds = "<<Swedish poet>>", ["poet"]
    assert partial_credit(reply, golds) == pytest.approx(1.25 * 0.5 / (0.25 * 0.5 + 1))
    assert unigram_f1(reply, golds) == pytest.approx(2 / 3)


def test_em_14_articles_alone_share_nothing() -> None:
    assert exact_match("<<a>>", ["the"]) == partial_credit("<<a>>", ["the"]) == unigram_f1("<<a>>", ["the"]) == 0.0
    assert exact_match("<<the>>", ["the"]) == 1.0


EXTRACTION = [
    pytest.param("Lund", "The format was <<ANSWER>>. <<Lund>>", "Lund", 1.0, id="EX-18"),
    pytest.param("Luleå", "<<maybe <<Umeå>> >> final: <<Luleå>>", "Luleå", 1.0, id="EX-19"),
    pytest.param("Luleå", "<<answer>> Luleå", "answer", 0.0, id="EX-20"),
    pytest.param("Visby", "done", None, 0.0, id="EX-21-last-turn-without-a-block"),
    pytest.param("Visby", "<think>it is <<Visby>></think> done", None, 0.0, id="EX-21-closed-think-block"),
    pytest.param("Visby", "it is <<Visby>></think> done", None, 0.0, id="EX-21-prefilled-think-block"),
    pytest.param("Visby", "<think>it is <<Visby>>", None, 0.0, id="EX-21-cut-while-thinking"),
    pytest.param("Visby", "final: <<Visby", None, 0.0, id="EX-22-unclosed"),
    pytest.param("Visby", "final: Visby>>", None, 0.0, id="EX-22-unopened"),
    pytest.param("Visby", "final: <<>>", None, 0.0, id="EX-22-empty"),
    pytest.param("Visby", "final: <<  \n>>", None, 0.0, id="EX-22-blank"),
]


@pytest.mark.parametrize(("gold", "reply", "extracted", "verdict"), EXTRACTION)
def test_answer_block(gold: str, reply: str, extracted: str | None, verdict: float) -> None:
    assert last_answer(reply) == extracted
    assert exact_match(reply, [gold]) == verdict


def test_tc_09_no_content_is_no_answer() -> None:
    assert last_answer(None) is None
    assert exact_match(None, ["Lund"]) == partial_credit(None, ["Lund"]) == unigram_f1(None, ["Lund"]) == 0.0
