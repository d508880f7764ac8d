"""The check that every mail passes, whoever wrote it.

A fact is stated, and a gold value leaked, by the reward's own matching (`slm_rewards.text.gold_fraction`), so that
what would earn a point can never stand in the mail. Dates, numbers and statuses are also looked for in forms that
the reward does not count but that give the answer away: "mars 2024" for 2024-03-01, "tre" for 3, "uppsagd".
"""

import re
from collections.abc import Iterator

from data_build.invoices.mails.language import wrong_language
from data_build.invoices.mails.leaks import leaks
from data_build.invoices.scenario import Scenario
from slm_rewards.text import gold_fraction

WORDS = (25, 400)
"""Least and most words of a mail, subject and signature included."""
SUBJECT = {"sv": "Ämne", "en": "Subject"}
"""The first line of a mail is this word, a colon and the subject; then a blank line and the body."""

ASKED = {
    "product_name": {
        "sv": r"produkt|artikel|vara\b|tidning|titel|vad .{0,40}(?:för något|avser|gäller)",
        "en": r"product|item|title|what .{0,60}(?:for|is|covers|bought|buying|paying|getting)",
    },
    "department_name": {"sv": r"avdelning|enhet", "en": r"department|unit|team"},
    "period_start": {
        "sv": r"start|börja|inled|från och med|fr\.?o\.?m|från vilket|period|första dag|från när",
        "en": r"start|beg[ai]n|first day|period|runs? from|from when",
    },
    "period_end": {
        "sv": r"slut|till och med|t\.?o\.?m|till vilket|period|sista dag|upphör|tar slut|hur länge",
        "en": r"\bend|last day|finish|period|runs? (?:to|until)|until when|how long|up to",
    },
    "status": {"sv": r"status|läge|hur .{0,40}ligger till", "en": r"status|state\b|where .{0,40}stands?"},
    "subscription_number": {
        "sv": r"prenumerationsn|abonnemangsn|pren(?:umerations)?\.? ?(?:nr|nummer)|"
        r"numret på (?:prenumeration|abonnemang)|vilket nummer",
        "en": r"subscription (?:no\b|nr|number|id)|sub(?:scription)?\.? ?no|"
        r"number (?:of|for|on) (?:the|that|this|our|my) subscription",
    },
    "subscriber_name": {"sv": r"prenumerant|mottagare|vem ", "en": r"subscriber|recipient|who\b|whose"},
    "unit_price": {"sv": r"pris|kostar|kostnad", "en": r"price|cost|charge"},
    "supplier_name": {"sv": r"leverantör|företag|bolag|vem |vilka ", "en": r"supplier|vendor|company|who\b|whose"},
    "iban": {"sv": r"iban", "en": r"iban"},
    "bankgiro": {"sv": r"bankgiro|\bbg\b", "en": r"bankgiro|\bbg\b"},
    "postgiro": {"sv": r"postgiro|plusgiro|\bpg\b", "en": r"postgiro|plusgiro|\bpg\b"},
    "vat_number": {"sv": r"moms|\bvat\b", "en": r"\bvat\b"},
    "email": {"sv": r"e-?post|mejl|mail", "en": r"e-?mail"},
}
"""How a mail can ask for a column, by language: at least one of these must be found for each asked column."""


KIND = {
    "subscription_number": r"prenumer|abonnemang|\bpren\b|subscri|\bsub\b",
    "bankgiro": r"bankgiro|\bbg\b",
    "postgiro": r"postgiro|plusgiro|\bpg\b",
    "vat_number": r"moms|\bvat\b",
}
"""What tells the reader which sort of number a stated one is; an IBAN speaks for itself."""


def _shape(mail: str, scenario: Scenario) -> Iterator[str]:
    label = SUBJECT[scenario.language]
    if not re.match(rf"{label}: \S[^\n]*\n\n\S", mail):
        yield f"does not begin with '{label}: …', a blank line and a body"
    words = len(mail.split())
    if not WORDS[0] <= words <= WORDS[1]:
        yield f"{words} words, not {WORDS[0]} to {WORDS[1]}"
    for leftover in re.findall(r"\{[^}\n]*\}|\[[^\]\n]*\]|<\w+>|\bX{3,}\b|\bTODO\b|lorem ipsum|```|\*\*", mail, re.I):
        yield f"placeholder or markup left: {leftover!r}"


def _invented(mail: str, scenario: Scenario) -> Iterator[str]:
    """Identifiers that are no facts: a made-up subscription number or account sends the reader the wrong way."""
    given = {re.sub(r"[\s-]", "", value).upper() for value in scenario.facts.values()}
    for match in re.findall(r"(?<![\w+-])\d{5}(?![\w-]| \d{6})|\bSE ?\d{2}(?: ?\d{4}){5}\b|\bSE ?\d{12}\b", mail):
        if re.sub(r"[\s-]", "", match).upper() not in given:
            yield f"states {match!r}, which is no fact"


def problems(mail: str, scenario: Scenario) -> list[str]:
    """What is wrong with the mail, empty when it is good. Never raises on any text.

    Checked: outer shape and length, no placeholder, the right language throughout, every fact stated and named for
    what it is, every asked column asked for, no gold value given away in any form, no invented identifier.
    """
    found = list(_shape(mail, scenario))
    found += [
        f"lacks {column}: {value!r}" for column, value in scenario.facts.items() if gold_fraction(mail, [value]) < 1
    ]
    found += [
        f"does not say that the number is a {column}"
        for column, words in KIND.items()
        if column in scenario.facts and not re.search(words, mail, re.I)
    ]
    found += [
        f"does not ask for {column}"
        for column in scenario.asked
        if not re.search(ASKED[column][scenario.language], mail, re.I)
    ]
    return [*found, *leaks(mail, scenario), *_invented(mail, scenario), *wrong_language(mail, scenario)]
