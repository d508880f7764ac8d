"""Calendar days as a Swedish or English text writes them."""

import re
from datetime import date

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januari jan",
            "february februari feb febr",
            "march mars mar",
            "april apr",
            "may maj",
            "june juni jun",
            "july juli jul",
            "august augusti aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
"""Month number by Swedish or English name or abbreviation, case-folded."""
_MONTH = "(" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?<![\d.,:/-])(\d{1,2})(?:st|nd|rd|th|:[ae]|\.)?"
_TO = (
    r"\s*(?:-|–|—|\bto\b|\btill\b|\buntil\b|\bthrough\b|\band\b|\boch\b|\bt\.?o\.?m\b\.?)"
    r"\s*(?:och med |including |den |the )*"
)
_YEAR = r"(\d{4})(?!\d|[.,]\d|-\d)"

_END = r"(?![.,:/]\d|-\w|(?!t\d\d:)\w)"
_TWO_DAYS = re.compile(r"(\d{4}-\d\d-\d\d)[-/](?=\d{4}-\d\d-\d\d)")
_YEAR_FIRST = re.compile(rf"(?<![\w.,:/-])(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_END}")
_COMPACT = re.compile(rf"(?<![\w.,:/-])((?:19|20)\d\d)(\d\d)(\d\d){_END}")
_DAY_FIRST = re.compile(rf"(?<![\w.,:/-])(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}){_END}")
_DAY_MONTH = re.compile(rf"{_DAY}\s+(?:of )?{_MONTH},?\s+{_YEAR}")
_MONTH_DAY = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}")
# The first day of a range borrows what the last one states: `1 januari – 31 mars 2024`, `1–31 mars 2024`.
_RANGE = re.compile(
    rf"{_DAY}(?:\s+(?:of )?{_MONTH})?{_TO}(\d{{1,2}})(?:st|nd|rd|th|:[ae]|\.)?\s+(?:of )?{_MONTH},?\s+{_YEAR}"
)
_RANGE_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?{_TO}(?:{_MONTH}\s+)?(\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}"
)


def parse_iso(value: str) -> date | None:
    """The day that a `YYYY-MM-DD` value names, None for anything else."""
    try:
        return date.fromisoformat(value) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else None
    except ValueError:
        return None


def days(text: str) -> set[date]:
    """Every day that a normalised, case-folded text states in full (`normalise`).

    Recognises ISO and other year-first forms, `20240301`, `1 mars 2024`, `den 1:a mars 2024`,
    `1st of March 2024`, `March 1, 2024`, ranges that share month or year, and day-first digits where
    they cannot be read month-first (`31/03/2024` is a day, `01/03/2024` is not).
    """
    found: set[date] = set()

    def add(year: str, month: str, day: str) -> None:
        try:
            found.add(date(int(year), MONTHS.get(month) or int(month), int(day)))
        except ValueError:  # 31 February, or year 0
            return

    for m in _YEAR_FIRST.finditer(_TWO_DAYS.sub(r"\1 – ", text)):
        add(m[1], m[3], m[4])
    for m in _COMPACT.finditer(text):
        add(m[1], m[2], m[3])
    for m in _DAY_FIRST.finditer(text):
        if int(m[1]) > 12 or m[1] == m[3]:
            add(m[4], m[3], m[1])
    for m in _DAY_MONTH.finditer(text):
        add(m[3], m[2], m[1])
    for m in _MONTH_DAY.finditer(text):
        add(m[3], m[1], m[2])
    for m in _RANGE.finditer(text):
        add(m[5], m[2] or m[4], m[1])
    for m in _RANGE_MONTH_FIRST.finditer(text):
        add(m[5], m[1], m[2])
        add(m[5], m[3] or m[1], m[4])
    return found
