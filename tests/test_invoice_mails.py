"""The template writer, the validator and the diversity measure of the invoice e-mails."""

import random
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from data_build.invoices.database import build_database
from data_build.invoices.lookup import COLUMNS
from data_build.invoices.mails import MailReport, TemplateWriter, by_group, problems, report, write, write_all
from data_build.invoices.mails import en as english
from data_build.invoices.mails import sv as swedish
from data_build.invoices.mails.build import REWRITES, NotWritten
from data_build.invoices.mails.diversity import LIMIT, ngrams
from data_build.invoices.mails.language import language_counts
from data_build.invoices.mails.leaks import date_mentions
from data_build.invoices.mails.spin import DATE_STYLES, expand, fill, lower, written_date, written_identifier
from data_build.invoices.mails.validate import ASKED
from data_build.invoices.scenario import Language, Scenario
from data_build.invoices.scenarios import sample_scenarios
from slm_rewards.text import gold_fraction

SV_MAIL = """Ämne: Fråga om prenumeration

Hej!

Jag går igenom våra kostnader och hittar en rad som ingen känns vid. Det gäller prenumeration 67484.
Kan ni se vilken produkt det är och vilken avdelning den hör till?

Tack på förhand
Åsa Testberg, The Northern Company of England
"""
EN_MAIL = """Subject: Supplier to check

Hello,

The invoice has nothing but an IBAN on it: SE45 5000 0000 0583 9825 7466. Could you tell me who the supplier is and
what their bankgiro number is? We want to check the details before we pay.

Kind regards,
Och Till Avdelning
"""


def scenario(**changes: object) -> Scenario:
    """The Swedish subscription of `SV_MAIL`, with changes."""
    fields: dict[str, object] = {
        "index": 3,
        "split": "train",
        "question_type": "subscription_product",
        "language": "sv",
        "sender": "staff",
        "sender_name": "Åsa Testberg",
        "corporation": "The Northern Company of England",
        "facts": {"subscription_number": "67484"},
        "asked": ["product_name", "department_name"],
        "gold_sql": "SELECT 1",
        "gold_values": ["Fruktkorg Komet", "Inköp Norr"],
        "path": [],
        "supplier_ids": ["s"],
        "corporation_ids": [1],
    }
    return Scenario.model_validate(fields | changes)


def english_scenario() -> Scenario:
    return scenario(
        question_type="supplier_details",
        language="en",
        sender_name="Och Till Avdelning",
        corporation="Vi Och Ni AB",
        facts={"iban": "SE4550000000058398257466"},
        asked=["supplier_name", "bankgiro"],
        gold_values=["Larchmere Press Ltd", "5987-1236"],
    )


def period_scenario(*gold: str) -> Scenario:
    return scenario(
        question_type="subscription_period",
        asked=["period_start", "period_end", "status"],
        gold_values=list(gold or ("2024-03-01", "2024-05-31", "active")),
    )


PERIOD_MAIL = SV_MAIL.replace(
    "vilken produkt det är och vilken avdelning den hör till",
    "när den senaste leveransperioden börjar och slutar och vilken status den har",
)


def test_good_mails_have_no_problems() -> None:
    assert problems(SV_MAIL, scenario()) == []
    assert problems(EN_MAIL, english_scenario()) == []
    assert problems(PERIOD_MAIL, period_scenario()) == []


def test_missing_fact_is_found() -> None:
    assert problems(SV_MAIL.replace("67484", "67485"), scenario())[0] == "lacks subscription_number: '67484'"
    # The IBAN without its last digit is not the IBAN.
    assert any(p.startswith("lacks iban") for p in problems(EN_MAIL.replace("7466", "746"), english_scenario()))


@pytest.mark.parametrize("form", ["SE4550000000058398257466", "SE45-5000-0000-0583-9825-7466"])
def test_facts_may_be_written_differently(form: str) -> None:
    mail = EN_MAIL.replace("SE45 5000 0000 0583 9825 7466", form)
    assert not any(p.startswith("lacks") for p in problems(mail, english_scenario()))


def test_leaked_name_and_identifier_are_found() -> None:
    assert "leaks department_name: 'Inköp Norr'" in problems(SV_MAIL + "Inköp  norr\n", scenario())
    assert "leaks bankgiro: '5987-1236'" in problems(EN_MAIL + "(bg 59871236)\n", english_scenario())


@pytest.mark.parametrize(
    "leak",
    ["1 mars 2024", "2024-03-01", "mars 2024", "2024-03", "March 1st, 2024", "den 1 mars", "03/2024", "240301", "1/3"],
)
def test_leaked_date_is_found_in_every_form(leak: str) -> None:
    found = problems(PERIOD_MAIL + f"Kanske {leak}?\n", period_scenario())
    assert any(p.startswith("leaks period_start") for p in found), found


@pytest.mark.parametrize("harmless", ["mars 2023", "2 mars", "2024-04", "den 1 april", "i mars"])
def test_other_dates_are_no_leak(harmless: str) -> None:
    assert problems(PERIOD_MAIL + f"Kanske {harmless}?\n", period_scenario()) == []


def test_a_stated_date_does_not_leak_another_of_its_month() -> None:
    facts = {"supplier_name": "Larchmere Press Ltd", "period_start": "2024-03-01"}
    task = scenario(
        question_type="orders_by_supplier_name", facts=facts, asked=["period_end"], gold_values=["2024-03-31"]
    )
    mail = SV_MAIL.replace("prenumeration 67484", "Larchmere Press Ltd, perioden från 1 mars 2024").replace(
        "vilken produkt det är och vilken avdelning den hör till", "när perioden slutar"
    )
    assert problems(mail, task) == []
    assert any(p.startswith("leaks") for p in problems(mail + "Slutet av mars 2024?\n", task))


def test_leaked_numbers_are_found_in_words_and_rounded() -> None:
    ask = ("vilken produkt det är och vilken avdelning den hör till", "vad styckpriset är")
    mail = SV_MAIL.replace(*ask)
    price = {"asked": ["unit_price"], "gold_values": ["1234.50"]}
    assert problems(mail, scenario(**price)) == []
    assert problems(mail + "Ungefär 1234 kr.\n", scenario(**price)) == ["leaks unit_price: '1234.50' rounded"]
    assert problems(mail + "Avtal 1234, rad 1234.\n", scenario(**price)) == []
    assert problems(mail + "Priset 1 234,50 kr.\n", scenario(**price)) == ["leaks unit_price: '1234.50'"]
    price["gold_values"] = ["12.00"]
    assert problems(mail, scenario(**price)) == []
    assert problems(mail + "Tolv kronor, tror jag.\n", scenario(**price)) == ["leaks unit_price: '12.00' in words"]
    assert problems(mail + "Det är nog 12 kr.\n", scenario(**price)) == ["leaks unit_price: '12.00'"]


@pytest.mark.parametrize("word", ["active", "paused", "uppsagd", "Aktivt", "gått ut"])
def test_no_status_is_named_where_the_status_is_asked(word: str) -> None:
    assert any(p.startswith("names a status") for p in problems(PERIOD_MAIL + f"Är den {word}?\n", period_scenario()))
    assert problems(SV_MAIL + f"Är den {word}?\n", scenario()) == []


def test_unasked_column_is_found() -> None:
    mail = SV_MAIL.replace(" och vilken avdelning den hör till", "")
    assert problems(mail, scenario()) == ["does not ask for department_name"]


def test_number_of_unknown_kind_is_found() -> None:
    mail = SV_MAIL.replace("prenumeration", "nummer")
    assert problems(mail, scenario()) == ["does not say that the number is a subscription_number"]


def test_wrong_and_mixed_language_is_found() -> None:
    assert any(p.startswith("not in en") for p in problems(SV_MAIL, scenario(language="en")))
    assert any(p.startswith("not in sv") for p in problems(EN_MAIL, scenario()))
    mixed = SV_MAIL + "I would like to know what the answer is and if you can help us with this.\n"
    assert any("not in sv" in p for p in problems(mixed, scenario()))


def test_names_do_not_fool_the_language_check() -> None:
    assert language_counts("The Northern Company of England")["en"] > 1  # so that the name is a real trap
    assert not any("not in" in p for p in problems(SV_MAIL, scenario()))


@pytest.mark.parametrize("leftover", ["{name}", "[avdelning]", "<sender>", "XXXX", "TODO", "**viktigt**"])
def test_placeholders_are_found(leftover: str) -> None:
    assert any(p.startswith("placeholder") for p in problems(SV_MAIL + leftover + "\n", scenario()))


def test_shape_and_length() -> None:
    assert any(p.startswith("does not begin") for p in problems(SV_MAIL.replace("Ämne:", "Subject:"), scenario()))
    assert any(p.startswith("does not begin") for p in problems(SV_MAIL.replace("\n\n", "\n"), scenario()))
    assert any("words" in p for p in problems("Ämne: 67484\n\nVilken produkt och avdelning är det?\n", scenario()))
    assert any("words" in p for p in problems(SV_MAIL + "ja " * 400, scenario()))


def test_invented_identifier_is_found() -> None:
    assert "states '12345', which is no fact" in problems(SV_MAIL + "Eller 12345?\n", scenario())
    assert problems(SV_MAIL + "Ring 07700 900123\n", scenario()) == []


@pytest.mark.parametrize("text", ["", "\x00", "Ämne: ", "[" * 50, "99/99/2024 0 mars 99999999999", "e\u0301" * 300])
def test_problems_never_raises(text: str) -> None:
    assert problems(text, scenario())


def test_date_mentions() -> None:
    assert set(date_mentions("maj 2024, 3rd of May, 2024-05-03")) == {(2024, 5, None), (None, 5, 3), (2024, 5, 3)}
    assert list(date_mentions("you may 20 times, or in May")) == [(None, 5, 20)]  # errs on the safe side


# --- grammar


def test_spin() -> None:
    rng = random.Random(0)
    assert {expand("[a[1|2]|b|]", rng) for _ in range(100)} == {"a1", "a2", "b", ""}
    assert expand("x [|] , y", rng) == "x, y"
    assert lower("Hej <First> DU") == "hej <First> du"
    assert fill("<a>|<b>", {"a": "<b>", "b": "[x]"}.__getitem__) == "<b>|[x]"
    with pytest.raises(KeyError):
        fill("<missing>", {}.__getitem__)


def phrases_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from phrases_of(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from phrases_of(item)


@pytest.mark.parametrize("grammar", [swedish, english])
def test_phrases_are_well_formed(grammar: ModuleType) -> None:
    phrases = [p for name, value in vars(grammar).items() if name.isupper() for p in phrases_of(value)]
    assert len(phrases) > 300
    for phrase in phrases:
        depth = 0
        for c in phrase:
            depth += (c == "[") - (c == "]")
            assert depth >= 0, phrase
        assert depth == 0, phrase
        assert "|" not in re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", phrase)))


@pytest.mark.parametrize("grammar", [swedish, english])
def test_both_grammars_offer_the_same_parts(grammar: ModuleType) -> None:
    def parts(module: ModuleType) -> set[str]:
        return {name for name in vars(module) if name.isupper()}

    assert parts(grammar) == parts(swedish)
    assert set(grammar.ASK) >= {*COLUMNS, "period", "order_period"} and set(ASKED) == {*COLUMNS}
    assert all(set(forms) == {"noun", "clause", "question", "label"} for forms in grammar.ASK.values())


@pytest.mark.parametrize("language", ["sv", "en"])
def test_written_forms_are_the_same_value(language: Language) -> None:
    for iso in ("2024-03-01", "2025-12-31", "2022-10-12", "2023-05-22"):
        for style in DATE_STYLES[language]:
            text = written_date(iso, style, language)
            assert gold_fraction(f"x {text} y", [iso]) == 1.0, text
    identifiers = {
        "iban": "SE4550000000058398257466", "vat_number": "SE559900123601", "bankgiro": "598-1236",
        "postgiro": "1234567-8", "subscription_number": "67484",
    }  # fmt: skip
    for column, value in identifiers.items():
        for seed in range(40):
            text = written_identifier(column, value, random.Random(seed))
            assert gold_fraction(f"nr {text}.", [value]) == 1.0, text


def test_write_depends_on_scenario_and_rng_only() -> None:
    mails = [write(scenario(), random.Random(5)) for _ in range(3)]
    assert len(set(mails)) == 1
    assert len({write(scenario(), random.Random(seed)) for seed in range(200)}) == 200


# --- driver


class Scripted:
    """Gives the listed mails in turn; `None` stands for a refusal."""

    def __init__(self, *mails: str | None) -> None:
        self.mails, self.earlier, self.closed = list(mails), [], False

    async def write(self, scenario: Scenario, rng: random.Random, attempt: int, earlier: Sequence[str]) -> str:
        self.earlier.append(list(earlier))
        mail = self.mails.pop(0)
        if mail is None:
            raise NotWritten("stopped for refusal")
        return mail

    async def close(self) -> None:
        self.closed = True


def test_failing_mail_is_written_again() -> None:
    writer = Scripted(SV_MAIL + "Inköp Norr\n", None, SV_MAIL)
    out = write_all([scenario()], writer, 0, progress=False)
    assert out.mails == {3: SV_MAIL} and out.failures == [] and out.attempts == {3: 3} and out.rewritten == 1
    assert writer.earlier == [[], ["leaks department_name: 'Inköp Norr'"], ["stopped for refusal"]]
    assert writer.closed


def test_mail_that_stays_bad_is_reported() -> None:
    writer = Scripted(*[SV_MAIL.replace("67484", "okänd")] * (REWRITES + 1))
    out = write_all([scenario()], writer, 0, progress=False)
    assert out.mails == {} and writer.mails == []
    assert [(f.index, f.problems) for f in out.failures] == [(3, ["lacks subscription_number: '67484'"])]
    assert "scenario 3: lacks" in str(out)


def test_equal_mails_are_written_again() -> None:
    other = SV_MAIL.replace("Hej!", "Hej igen!")
    writer = Scripted(SV_MAIL, SV_MAIL.replace("Hej!", " hej! "), other)
    out = write_all([scenario(index=1), scenario(index=2)], writer, 0, concurrency=1, progress=False)
    assert out.mails == {1: SV_MAIL, 2: other}
    assert out.attempts == {1: 1, 2: 2}


def test_any_other_error_ends_the_run() -> None:
    writer = Scripted()  # its pop raises IndexError
    with pytest.raises(ExceptionGroup):
        write_all([scenario()], writer, 0, progress=False)
    assert writer.closed


# --- diversity


def test_ngrams_and_jaccard() -> None:
    assert ngrams("A b c, d e f") == {("a", "b", "c", "d", "e"), ("b", "c", "d", "e", "f")}
    assert ngrams("one two") == {("one", "two")} and ngrams(" ") == set()
    out = report(["a b c d e f", "a b c d e g", "p q r s t"])
    assert out.similarity.tolist() == [1 / 3, 1 / 3, 0.0]
    assert out.neighbour.tolist() == [1, 0, -1] and out.closest == (0, 1) and out.duplicates == []


def test_copies_are_counted_and_fail() -> None:
    out = report(["Hej du glade ta en spade", "hej  du glade\nta en spade", "något helt annat står här nu"])
    assert out.duplicates == [(0, 1)] and not out.ok and out.percentile(100) == 1.0
    assert report([]).percentile(99) == 0.0 and report([]).closest == (-1, -1)


def test_similarity_equals_brute_force() -> None:
    mails = [write(scenario(), random.Random(seed)) for seed in range(60)]
    out = report(mails)
    sets = [ngrams(mail) for mail in mails]
    for i, a in enumerate(sets):
        best = max(len(a & b) / len(a | b) for j, b in enumerate(sets) if j != i)
        assert out.similarity[i] == pytest.approx(best)


# --- the real scenarios


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Scenario]]:
    db = tmp_path_factory.mktemp("invoices") / "invoices.db"
    build_database(db, 1)
    return db, sample_scenarios(db, 1)


@pytest.fixture(scope="module")
def written(tasks: tuple[Path, list[Scenario]]) -> MailReport:
    return write_all(tasks[1], TemplateWriter(), 7, concurrency=1, progress=False)


def test_every_scenario_gets_a_mail(tasks: tuple[Path, list[Scenario]], written: MailReport) -> None:
    assert list(written.mails) == [s.index for s in tasks[1]]
    assert written.failures == [] and written.rewritten < 20
    assert max(written.attempts.values()) <= REWRITES


def test_mails_are_diverse(tasks: tuple[Path, list[Scenario]], written: MailReport) -> None:
    mails = list(written.mails.values())
    out = report(mails)
    assert out.ok and out.p99 < 0.4 < LIMIT, str(out)
    for name, part in by_group(mails, [f"{s.language} {s.question_type}" for s in tasks[1]]).items():
        assert part.p99 < LIMIT, f"{name}: {part}"
    assert len({mail.split("\n\n")[1] for mail in mails}) > 100  # ways to begin


def test_same_seed_same_mails_whatever_the_concurrency(tasks: tuple[Path, list[Scenario]], written: MailReport) -> None:
    some = tasks[1][::10]
    again = write_all(some, TemplateWriter(), 7, concurrency=50, progress=False)
    assert again.mails == {s.index: written.mails[s.index] for s in some}
    other = write_all(some, TemplateWriter(), 8, progress=False)
    assert not set(other.mails.values()) & set(again.mails.values())


def test_mails_do_not_name_an_unknown_supplier(tasks: tuple[Path, list[Scenario]], written: MailReport) -> None:
    db, scenarios = tasks
    connection = sqlite3.connect(db)
    names = dict(connection.execute("SELECT id, name FROM suppliers"))
    connection.close()
    unknown = [s for s in scenarios if "supplier_name" not in s.facts and s.question_type.endswith("identifier")]
    assert len(unknown) > 300
    for s in unknown:
        assert all(gold_fraction(written.mails[s.index], [names[i]]) == 0 for i in s.supplier_ids)
