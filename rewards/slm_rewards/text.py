"""Rewards that look for gold values in a free-text reply.

A value is found whole or not at all: it must not continue a longer word or number. What counts as the
same value is decided by its kind, which is read off the gold:

- a day (`2024-03-01`): any unambiguous Swedish or English way to write it (`dates.days`);
- a number (`67484`, `1234.50`, `-5`): the same number, however its digits are grouped and its decimals
  marked; a whole number does not match one with decimals (`12` is not in `12,00`), a price may drop
  trailing zeros (`450.00` is in `450 kr`);
- an identifier (five digits or more with few letters: `5987-1236`, `SE0899990000000012345678`): the same
  characters with blanks and dashes ignored, never inside a longer identifier (the organisation number in
  a VAT number does not count);
- text: the same words, any case, across line breaks. A word of at most three capitals (`IT`) must be in
  capitals, because it is an ordinary word otherwise.

Case, Unicode form, no-break blanks and Markdown emphasis never matter; text in a think block never counts.
A reply that lists everything finds every value: read `extra_values` beside the reward.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from slm_rewards.dates import days, parse_iso
from slm_rewards.normalise import normalise, strip_calls, strip_think
from slm_rewards.numbers import numbers, parse_number

_IDENTIFIER = re.compile(r"[A-Za-z]{0,4}[ -]?\d[\dA-Za-z -]*")
_GAP = r"[ \-–—.]?"


def check_gold(gold_values: Iterable[str]) -> list[str]:
    """The gold values of one task, checked where the task is built.

    Raises ValueError for an empty list and for a value with nothing in it to find (empty, blanks,
    punctuation or Markdown signs only), TypeError for anything but strings.
    """
    values = list(gold_values)
    if not values:
        raise ValueError("gold_values: empty list; a task needs at least one value to find")
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"gold_values: {value!r} is {type(value).__name__}, not str; write it as text")
        if not any(c.isalnum() for c in normalise(value)):
            raise ValueError(f"gold_values: {value!r} has no letter or digit; nothing to find in a reply")
    return values


def gold_fraction(reply: str | None, gold_values: Iterable[str]) -> float:
    """Share of the distinct gold values that the reply states, in [0, 1].

    `reply` is the final message as text (None counts as empty). Raises what `check_gold` raises, and
    nothing for any reply. Source: seed 1, supplier invoices: outcome-only reward.
    """
    values = {normalise(value).strip(): value for value in check_gold(gold_values)}
    return len(found_values(reply, values.values())) / len(values)


def solved(reply: str | None, gold_values: Iterable[str]) -> float:
    """1.0 if the reply states every gold value, else 0.0; errors as in `gold_fraction`."""
    return float(gold_fraction(reply, gold_values) == 1.0)


def extra_values(reply: str | None, tool_values: Iterable[str], expected: Iterable[str]) -> int:
    """How many distinct values of the tool results the reply states beyond the expected ones.

    `expected` is the gold and what the question itself said. A reply that dumps every row scores high
    here while its `gold_fraction` is 1.
    """
    known = {normalise(value).strip() for value in expected}
    others = {normalise(value).strip(): value for value in tool_values}
    return len(found_values(reply, [value for key, value in others.items() if key not in known]))


def found_values(reply: str | None, values: Iterable[str]) -> list[str]:
    """Those of `values` that the reply states whole, in their order (rules: module docstring)."""
    plain = normalise(strip_calls(strip_think(reply or "")), fold=False)
    folded = normalise(plain)
    stated_days, stated_numbers = days(folded), numbers(folded)
    found = []
    for value in values:
        gold = normalise(value, fold=False).strip()
        day, number = parse_iso(gold), parse_number(gold)
        if day is not None:
            hit = day in stated_days
        elif number is not None and number in stated_numbers:
            has_decimals = "." in gold or "," in gold
            hit = has_decimals or any(n == number and n.as_tuple().exponent == 0 for n in stated_numbers)
        else:
            hit = False
        if not hit and day is None:
            pattern = _pattern(gold)
            hit = pattern is not None and pattern.search(plain if _is_acronym(gold) else folded) is not None
        if hit:
            found.append(value)
    return found


def _is_acronym(gold: str) -> bool:
    return len(gold) <= 3 and gold.isalpha() and gold.isupper()


@lru_cache(maxsize=65536)
def _pattern(gold: str) -> re.Pattern[str] | None:
    """Where a value stands whole in normalised text; None for a number, which is compared by value."""
    digits = sum(c.isdigit() for c in gold)
    if _IDENTIFIER.fullmatch(gold) and digits >= 5 and 2 * digits > sum(c.isalnum() for c in gold):
        if parse_number(gold) is not None and digits < 7:
            return None
        return _identifier_pattern(normalise(gold))
    if parse_number(gold) is not None:
        return None
    words = gold if _is_acronym(gold) else normalise(gold)
    body = r"\s+".join(re.escape(word) for word in words.split()).replace("%", r"\s?%")
    before = r"(?<!\w)(?<!\w[-])"
    after = r"(?!\w|-\w)"
    if words[0].isdigit():
        before += r"(?<!\d[.,:/])(?<![-+])"
    if words[-1].isdigit():
        after += r"(?![.,:/]\d)"
    return re.compile(before + body + after)


def _identifier_pattern(gold: str) -> re.Pattern[str]:
    characters = [c for c in gold if c.isalnum()]
    solid, grouped = "".join(characters), _GAP.join(characters)
    # Digits on either side of a grouped match belong to the same, longer identifier (an IBAN in fours).
    edge = r"(?<!\w)(?<!\w[-.,:/])(?<!\bse[ -])"
    inside = r"(?<!\d )" if characters[0].isdigit() else ""
    after = r"(?!\w|[-.,:/]\w)"
    end = r"(?! \d)" if characters[-1].isdigit() else ""
    return re.compile(f"{edge}(?:{solid}{after}|{inside}{grouped}{after}{end})")
