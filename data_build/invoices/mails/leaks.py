"""Whether a mail gives a gold value away, in the reward's own matching or in a form that only a reader understands."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from data_build.invoices.scenario import Scenario
from slm_rewards.dates import MONTHS
from slm_rewards.text import gold_fraction

STATUS_FORMS = {
    "active": r"activ\w*|aktiv\w*",
    "pending": r"pending|väntande|inväntar|avvaktande",
    "paused": r"paus\w*|on hold|vilande",
    "cancelled": r"cancel\w*|uppsag[dt]\w*|avslutad\w*|avslutat|avbeställ[dt]\w*|makulera\w*|avbruten",
    "expired": r"expir\w*|utgången|utgånget|gått ut|löpt ut|lapsed",
}
"""When the status is asked for, no status may be named in the mail in either language: naming the others tells too."""

_MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + ")"
_DATES = [
    re.compile(
        rf"(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|:[ae]|\.)?\s+(?:of\s+)?)?\b{_MONTH}\b\.?"
        r"(?:\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?(?!\d))?,?(?:\s+(?P<year>(?:19|20)\d\d)\b(?!-\d))?",
        re.I,
    ),
    re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)"),
    re.compile(r"(?<![\d/.-])(?P<day>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<![\d/.-])(?P<m>\d{1,2})[-/.](?P<day>\d{1,2})[-/.](?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<![\d/.-])(?P<m>\d{1,2})[/.-](?P<year>(?:19|20)\d\d)(?!\d)"),
    re.compile(r"(?<![\d/])(?P<day>\d{1,2})/(?P<m>\d{1,2})(?![\d/])"),
    re.compile(r"(?<![\d-])(?P<year>(?:19|20)?\d\d)(?P<m>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])(?![\d-])"),
]

NUMBER_WORDS = {
    2: "två two",
    3: "tre three",
    4: "fyra four",
    5: "fem five",
    6: "sex six",
    7: "sju seven",
    8: "åtta eight",
    9: "nio nine",
    10: "tio ten",
    11: "elva eleven",
    12: "tolv twelve dozen dussin",
    13: "tretton thirteen",
    14: "fjorton fourteen",
    15: "femton fifteen",
    16: "sexton sixteen",
    17: "sjutton seventeen",
    18: "arton eighteen",
    19: "nitton nineteen",
    20: "tjugo twenty",
    30: "trettio thirty",
    40: "fyrtio forty",
    45: "fyrtiofem forty-five",
    50: "femtio fifty",
    60: "sextio sixty",
    90: "nittio ninety",
    100: "hundra hundred",
}


class DateMention(NamedTuple):
    """A date as far as a text gives it."""

    year: int | None
    month: int
    day: int | None


def date_mentions(text: str) -> Iterator[DateMention]:
    """Every date in the text that gives a month and at least a day or a year, in Swedish, English or figures."""
    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            day = groups.get("day") or groups.get("day2")
            year = groups.get("year")
            month = MONTHS[groups["month"].lower()] if "month" in groups else int(groups["m"])
            if month <= 12 and (day or year):
                full_year = None if year is None else int(year) + (2000 if len(year) == 2 else 0)
                yield DateMention(full_year, month, int(day) if day else None)


def _iso(value: str) -> DateMention | None:
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", value)
    return DateMention(*map(int, match.groups())) if match else None


def _tells(mention: DateMention, gold: DateMention) -> bool:
    """Whether the mention, without being another full date, gives the gold date away."""
    if mention.month != gold.month:
        return False
    if mention.year is None:
        return mention.day == gold.day
    return mention.year == gold.year and mention.day in (None, gold.day)


def leaks(mail: str, scenario: Scenario) -> Iterator[str]:
    """One problem for each gold value that the mail gives away, and for each status named where it is asked for."""
    stated = {date for value in scenario.facts.values() if (date := _iso(value))}
    mentions = {mention for mention in date_mentions(mail) if mention not in stated}
    for column, value in zip(scenario.asked, scenario.gold_values, strict=True):
        if gold_fraction(mail, [value]) > 0:
            yield f"leaks {column}: {value!r}"
        elif (gold := _iso(value)) and any(_tells(mention, gold) for mention in mentions):
            yield f"leaks {column}: a form of {value!r}"
        elif match := re.fullmatch(r"(\d+)(\.\d+)?", value):
            whole, decimals = match[1], match[2] or ""
            words = "" if decimals.strip(".0") else NUMBER_WORDS.get(int(whole), "")
            if words and re.search(rf"\b(?:{'|'.join(words.split())})\b", mail, re.I):
                yield f"leaks {column}: {value!r} in words"
            # Only as an amount of money: a stated date or account may well contain the same digits.
            elif decimals and re.search(
                rf"(?:€|£|\b(?:SEK|EUR|GBP|kr)) ?{whole}(?!\d|[.,]\d)"
                rf"|(?<![\d.,]){whole} ?(?:€|£|:-|(?:SEK|EUR|GBP|kr|kronor|euros?|pounds?)\b)",
                mail,
                re.I,
            ):
                yield f"leaks {column}: {value!r} rounded"
    if "status" in scenario.asked:
        for status, forms in STATUS_FORMS.items():
            if re.search(rf"\b(?:{forms})\b", mail, re.I):
                yield f"names a status: {status}"
