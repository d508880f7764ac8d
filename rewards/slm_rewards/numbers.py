"""Numbers as a Swedish or English text writes them."""

import re
from decimal import Decimal

# Digit groups by blank or apostrophe first, else everything that digits and signs run into: `12-34`, `12:50`
# and `1/2` are one token, and no number.
_TOKEN = re.compile(
    r"(?<![\w+.,:/'-])(?:(?<!–)|(?<=\w–))([+-]|(?<!\w)–(?=\d))?"
    r"((?>\d{1,3}(?:[ ']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,:/'-]\d+)*))"
    r"(?![\w]|-\w)"
)
_MAX_DIGITS = 40
_PLAIN = re.compile(r"\d+(?:[.,]\d+)?")
_ENGLISH = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")


def parse_number(value: str) -> Decimal | None:
    """The number that a gold value is (`12`, `-5`, `1234.50`), None for anything else.

    A leading zero makes it an identifier, not a number.
    """
    if len(value) <= _MAX_DIGITS and re.fullmatch(r"[+-]?(?:0|[1-9]\d*)(?:[.,]\d+)?", value, re.ASCII):
        return Decimal(value.replace(",", "."))
    return None


def _readings(token: str) -> set[Decimal]:
    digits = token.replace(" ", "").replace("'", "")
    if len(digits) > _MAX_DIGITS or (len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()):
        return set()
    found = set()
    if _PLAIN.fullmatch(digits):
        found.add(Decimal(digits.replace(",", ".")))
    if _ENGLISH.fullmatch(digits):
        found.add(Decimal(digits.replace(",", "")))
    if _CONTINENTAL.fullmatch(digits):
        found.add(Decimal(digits.replace(".", "").replace(",", ".")))
    return found


def numbers(text: str) -> set[Decimal]:
    """Every number that a normalised text states (`normalise`), with its sign.

    `1 234,50`, `1,234.50`, `1.234,50`, `1'234.50` and `1234.50` are one number; `1,234` may be either
    reading. A number is not found inside a longer one, a range with hyphen, a time or an identifier.
    `Decimal` keeps the decimals that were written: `12` and `12.00` compare equal, their exponents differ.
    """
    found: set[Decimal] = set()
    for sign, token in _TOKEN.findall(text):
        for value in _readings(token):
            found.add(-value if sign in ("-", "–") else value)
    return found
