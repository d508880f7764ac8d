"""Format-valid numbers of invented companies: check digits from python-stdnum, ranges that nobody holds.

Where a series is reserved or cannot be assigned, numbers come from it. Bankgiro and plusgiro have no such
series: those numbers are valid in form only, and a real account may have the same one by chance.
"""

import random
from collections.abc import Callable

from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from data_build.invoices.scenario import Language

# Telephone series set aside for fiction: PTS (numbers for books and films) and Ofcom (numbers for drama use).
_PHONE_SERIES = {
    "Stockholm": ("08-465 004 ", 2),
    "Göteborg": ("031-390 06 ", 2),
    "Malmö": ("040-628 04 ", 2),
    "Kiruna": ("0980-319 2", 2),
    "London": ("020 7946 0", 3),
    "Leeds": ("0113 496 0", 3),
    "Manchester": ("0161 496 0", 3),
    "Edinburgh": ("0131 496 0", 3),
}
_POSTCODE_AREAS = {"London": "SE", "Leeds": "LS", "Manchester": "M", "Edinburgh": "EH"}


def _digits(rng: random.Random, count: int) -> str:
    return "".join(str(rng.randrange(10)) for _ in range(count))


def with_luhn(payload: str) -> str:
    """`payload` (digits) and its Luhn check digit."""
    return payload + luhn.calc_check_digit(payload)


def org_number(rng: random.Random) -> str:
    """Organisation number NNNNNN-NNNN."""
    # A leading 4 belongs to no legal form (1-3 and 5-9 do); a third digit of 2 or more makes it no person's number.
    number = with_luhn(f"4{rng.randrange(10)}{rng.randrange(2, 10)}{_digits(rng, 6)}")
    return f"{number[:6]}-{number[6:]}"


def vat_number(org: str) -> str:
    """Swedish VAT number of an organisation number: SE, its ten digits, 01."""
    return f"SE{org.replace('-', '')}01"


def iban(rng: random.Random) -> str:
    """Swedish IBAN, 24 characters without blanks."""
    # Bank ids follow clearing numbers, which run from 1000 to 9999: an id below 100 is no bank's.
    bban = f"0{rng.randrange(10, 100)}00000{_digits(rng, 12)}"
    return f"SE{mod_97_10.calc_check_digits(bban + 'SE')}{bban}"


def bankgiro(rng: random.Random) -> str:
    """Bankgiro number NNN-NNNN or NNNN-NNNN."""
    # No series is reserved; a first digit of 1-8 stays clear of the 90 series of charities.
    number = with_luhn(f"{rng.randrange(1, 9)}{_digits(rng, rng.choice((5, 6)))}")
    return f"{number[:-4]}-{number[-4:]}"


def postgiro(rng: random.Random) -> str:
    """Plusgiro (postgiro) number, six to eight digits, the check digit after the dash."""
    # No series is reserved; a first digit of 1-8 stays clear of the 90 series of charities. Short numbers
    # (two to five digits) are valid too, but they look like other numbers.
    number = with_luhn(f"{rng.randrange(1, 9)}{_digits(rng, rng.choice((4, 5, 6)))}")
    return f"{number[:-1]}-{number[-1]}"


def ocr(rng: random.Random) -> str:
    """Payment reference of an invoice, ten digits with a Luhn check digit."""
    return with_luhn(f"{rng.randrange(1, 10)}{_digits(rng, 8)}")


def phone(rng: random.Random, city: str) -> str:
    """A telephone number in `city` from a series reserved for fiction."""
    prefix, free = _PHONE_SERIES[city]
    return prefix + _digits(rng, free)


def postal_code(rng: random.Random, language: Language, city: str) -> str:
    """A postal code that no place has."""
    if language == "sv":
        return f"99{rng.randrange(10)} {rng.randrange(10, 100)}"  # Swedish codes end at 984 99
    # The inward part of a British code never uses the letters C, I, K, M, O and V.
    inward = f"{rng.randrange(1, 10)}{rng.choice('CIKMOV')}{rng.choice('CIKMOV')}"
    return f"{_POSTCODE_AREAS[city]}{rng.randrange(1, 20)} {inward}"


class Unique:
    """Draws until a number has not been seen under this object."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._seen: set[str] = set()

    def draw(self, make: Callable[[random.Random], str]) -> str:
        """A number from `make` whose digits are new."""
        while True:
            number = make(self._rng)
            digits = "".join(c for c in number if c.isdigit())
            if digits not in self._seen:
                self._seen.add(digits)
                return number
