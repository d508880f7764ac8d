import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slm_rewards import check_gold, extra_values, gold_fraction, solved
from slm_rewards.dates import days
from slm_rewards.normalise import normalise, strip_think
from slm_rewards.numbers import numbers

PRESENT = [
    ("active", "The subscription is **active**."),
    ("active", "Status:ACTIVE"),
    ("active", "- active"),
    ("active", "status=active,"),
    ("Nordic Print AB (publ)", "Leverantör: Nordic Print AB (publ)."),
    ("Nordic Print AB (publ)", "nordic\nprint ab (PUBL)"),
    ("Nordic Print AB (publ)", "__Nordic Print AB \\(publ\\)__"),
    ("Kundtjänst Ö", unicodedata.normalize("NFD", "hos KUNDTJÄNST Ö.")),
    (unicodedata.normalize("NFD", "Åre Möbler"), "Från Åre Möbler"),
    ("Kontorspapper A4", "*Kontorspapper* `A4`"),
    ("Kontorspapper A4", "| Kontorspapper A4 | 3 |"),
    ("Smith's Ltd", "from Smith’s Ltd"),
    ("Anna Berg", "Anna Berg's order"),
    ("12", "12 st"),
    ("12", "12."),
    ("12", "(12)"),
    ("12", "sidorna 10–12"),
    ("12", "Antal: **12**, pris 4"),
    ("1234", "1,234 items"),
    ("67484", "#67484"),
    ("67484", "67 484"),
    ("1234.50", "1 234,50 kr"),
    ("1234.50", "£1,234.50"),
    ("1234.50", "1.234,50 EUR"),
    ("1234.50", "1234,5"),
    ("450.00", "450 kr"),
    ("-5", "Saldot är −5."),
    ("50%", "Rabatten är 50 % i maj"),
    ("50%", "(50%)"),
    ("5987-1236", "bankgiro 5987 1236"),
    ("5987-1236", "bankgiro 5987–1236."),
    ("12-3", "postgiro 12-3"),
    ("SE0899990000000012345678", "IBAN: se08 9999 0000 0000 1234 5678"),
    ("SE559900123601", "VAT SE 559900-1236 01"),
    ("2024-03-01", "den 1 mars 2024"),
    ("2024-03-01", "den 1:a mars 2024"),
    ("2024-03-01", "1st of March 2024"),
    ("2024-03-01", "March 1st, 2024"),
    ("2024-03-01", "2024-03-01–2024-05-31"),
    ("2024-05-31", "2024-03-01 - 2024-05-31"),
    ("2024-05-31", "2024-03-01-2024-05-31"),
    ("2024-03-01", "2024-03-01-2024-05-31"),
    ("2024-03-01", "1 mars – 31 maj 2024"),
    ("2024-03-01", "from 1 March to 31 May 2024"),
    ("2024-03-01", "från den 1 mars till och med den 31 maj 2024"),
    ("2024-03-01", "March 1 – May 31, 2024"),
    ("2024-03-01", "1–31 mars 2024"),
    ("2024-03-31", "31/03/2024"),
    ("2024-03-01", "20240301"),
    ("2024-03-01", "2024-03-01T00:00:00"),
    ("IT", "avdelningen IT,"),
]
ABSENT = [
    ("active", "inactive"),
    ("active", "pro-active"),
    ("active", "active-passive"),
    ("active", "in**active**"),
    ("active", "active_user"),
    ("active", "activé"),
    ("Bo", "Bosse"),
    ("Anna Berg", "Anna Bergs"),
    ("A4", "A4.5"),
    ("A4", "A45"),
    ("12", "12,50"),
    ("12", "12.50"),
    ("12", "2012"),
    ("12", "12-34"),
    ("12", "12-pack"),
    ("12", "12:50"),
    ("12", "1/12"),
    ("12", "12 500 kr"),
    ("234", "1 234,50"),
    ("12", "12,00"),
    ("12", "12,50x"),
    ("5", "-5"),
    ("5", "–5"),
    ("-5", "5"),
    ("7", "007"),
    ("1234.50", "1234.55"),
    ("50%", "12,50%"),
    ("50%", "50"),
    ("5987-1236", "5987-12367"),
    ("5987-1236", "15987-1236"),
    ("5987-1236", "SE08 5987 1236 0000"),
    ("559900-1236", "SE559900123601"),
    ("559900-1236", "SE 559900-1236 01"),
    ("SE559900123601", "559900-1236"),
    ("12-3", "12-34"),
    ("2024-03-01", "2024-03-011"),
    ("2024-03-01", "2024-03"),
    ("2024-03-01", "01/03/2024"),
    ("2024-03-01", "mars 2024"),
    ("2024-03-01", "11 mars 2024"),
    ("2024-03-01", "1 mars 20245"),
    ("IT", "It is not clear"),
    ("active", "<think>it is active</think> I do not know."),
    ("active", "it is active</think> I do not know."),
    ("active", "Not known. <think>it is active"),
    ("active", ""),
]


@pytest.mark.parametrize(("gold", "reply"), PRESENT)
def test_value_is_found(gold: str, reply: str) -> None:
    assert gold_fraction(reply, [gold]) == 1.0


@pytest.mark.parametrize(("gold", "reply"), ABSENT)
def test_value_is_not_found(gold: str, reply: str) -> None:
    assert gold_fraction(reply, [gold]) == 0.0


def test_fraction_counts_distinct_values_and_solved_needs_all() -> None:
    reply = "Produkten är Kontorspapper A4."
    assert gold_fraction(reply, ["Kontorspapper A4", "kontorspapper  a4", "Ekonomi"]) == 0.5
    assert solved(reply, ["Kontorspapper A4", "Ekonomi"]) == 0.0
    assert solved(reply, ["Kontorspapper A4"]) == 1.0


@pytest.mark.parametrize("gold", [[], [""], ["ok", " "], ["–"], ["**"], ["\u00a0"]])
def test_gold_with_nothing_to_find_is_refused(gold: list[str]) -> None:
    with pytest.raises(ValueError, match="gold_values"):
        check_gold(gold)
    with pytest.raises(ValueError, match="gold_values"):
        gold_fraction("anything", gold)


def test_gold_that_is_not_text_is_refused() -> None:
    with pytest.raises(TypeError, match="gold_values: 12 is int"):
        check_gold(["a", 12])  # ty: ignore[invalid-argument-type]


def test_none_reply_scores_zero() -> None:
    assert gold_fraction(None, ["Lund"]) == 0.0


def test_think_blocks_go_wherever_they_stand() -> None:
    assert strip_think("a<think>b</think>c<THINK>d</THINK>e").split() == ["a", "c", "e"]
    assert strip_think("b</think>c").split() == ["c"]
    assert strip_think("c<thinking>b").split() == ["c"]
    assert strip_think("<think>a<think>b</think>c</think>d").split() == ["d"]


def test_extra_values_flags_a_reply_that_dumps_rows() -> None:
    rows = ["Kontorspapper A4", "Pärm", "Toner", "Ekonomi", "67484"]
    expected = ["Kontorspapper A4", "Ekonomi", "67484"]
    assert extra_values("Kontorspapper A4 för Ekonomi", rows, expected) == 0
    assert extra_values("\n".join(rows), rows, expected) == 2


def test_impossible_days_and_long_numbers_are_no_values() -> None:
    assert days(normalise("30 February 2024, 2024-13-01, 0000-01-01")) == set()
    assert days(normalise("29 feb 2024")) == {date(2024, 2, 29)}
    assert numbers("9" * 100) == set()


def test_a_megabyte_of_reply_is_judged() -> None:
    for reply in ("<think>" * 150_000, "1 " * 500_000, "2024-03-" * 120_000, "1 mars " * 140_000, "9" * 1_000_000):
        assert gold_fraction(reply, ["Nordic Print AB (publ)", "2024-03-01", "5987-1236"]) == 0.0


text_values = st.from_regex(r"[A-ZÅÄÖa-zåäö]{4,8}( [A-ZÅÄÖa-zåäö]{4,8})?", fullmatch=True)


@given(
    text_values, st.sampled_from(["{}", "Svar: {}.", "**{}**", "({})", "a\u00a0{}\u00a0b", "`{}`", "_{}_", "- {}\n"])
)
def test_any_text_value_is_found_whole_and_in_any_form(value: str, frame: str) -> None:
    for form in (value, value.upper(), value.lower(), unicodedata.normalize("NFD", value)):
        assert gold_fraction(frame.format(form), [value]) == 1.0
    for broken in (f"x{value}", f"{value}x", f"{value}-x", f"x-{value}", f"{value}7"):
        assert gold_fraction(broken, [value]) == 0.0


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2050, 1, 1)), st.dates())
def test_a_day_is_found_and_no_other(day: date, other: date) -> None:
    sv = "januari februari mars april maj juni juli augusti september oktober november december".split()
    written = f"den {day.day} {sv[day.month - 1]} {day.year}"
    assert days(normalise(written)) == {day} == days(normalise(day.strftime("%B %d, %Y")))
    assert gold_fraction(written, [other.isoformat()]) == float(other == day)


@given(st.text(max_size=200), st.text(min_size=1, max_size=20))
def test_never_raises_on_any_reply(reply: str, value: str) -> None:
    try:
        check_gold([value])
    except ValueError:
        return
    assert gold_fraction(reply, [value]) in (0.0, 1.0)
