r"""Numbers with their unit, percent sign or base, read exactly; nothing here needs sympy.

`parse_quantity` reads integers with thousands separators (`12,450`, `12 450`), decimals, fractions, mixed numbers,
scientific notation, number words, a currency, unit or degree sign, a percent sign and a base (`204_5`). Anything else
is None and left to math-verify.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from slm_rewards.math.canonical import compact
from slm_rewards.math.units import split_unit

_MAX_DIGITS = 400
_INT = r"(?:\d{1,3}(?:[,']\d{3})+|\d{1,3}(?:[ ]\d{3})+|\d+)"
_DECIMAL = rf"(?:{_INT}(?:\.\d+)?|\.\d+)"
_FRACTION = rf"(?:\\frac\{{([+-]?{_DECIMAL})\}}\{{([+-]?{_DECIMAL})\}}|({_DECIMAL})\s?/\s?({_DECIMAL}))"
_PLAIN = re.compile(rf"([+-]?)\s?({_DECIMAL})")
_RATIO = re.compile(rf"([+-]?)\s?{_FRACTION}")
_MIXED = re.compile(r"([+-]?)\s?(\d+)\s?(?:\\frac\{(\d+)\}\{(\d+)\}|(?<=\s)(\d+)/(\d+))")
_SCIENTIFIC = re.compile(
    rf"([+-]?)\s?(?:({_DECIMAL})\s?(?:\\times|\\cdot|\*|x)\s?)?10\s?\^\s?(?:\{{\s?([+-]?\d{{1,3}})\s?\}}|([+-]?\d{{1,3}}))"
)
_EXPONENT = re.compile(rf"([+-]?)({_DECIMAL})[eE]([+-]?\d{{1,3}})")
_BASE = re.compile(r"([0-9A-Z]+)_(?:\{(?:\\text\{)?([a-z]+|\d{1,2})\}?\}|(\d{1,2}))")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_WORDS: dict[str, int] = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS: dict[str, int] = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
_ROUNDED_DIGITS = 6


@dataclass(frozen=True)
class Quantity:
    """An exact number as it was written."""

    value: Fraction
    decimals: int | None = None
    """Digits after the point, None for a number that is not written as a decimal."""
    unit: str | None = None
    percent: bool = False
    base: int | None = None
    """The base that a subscript names; `value` then reads the digits in it."""
    digits: str = ""
    listed: bool = False
    """Its commas may also separate a list: `100,200`."""


@lru_cache(maxsize=8192)
def parse_quantity(text: str) -> Quantity | None:
    """The number that a cleaned answer is, None for anything else."""
    core, unit = split_unit(text)
    percent = unit == "%"
    value = _number(core)
    if value is None:
        return _in_base(compact(core), unit)
    number, decimals = value
    listed = _THOUSANDS.fullmatch(core) is not None
    return Quantity(number, decimals, None if percent else unit, percent, digits=compact(core), listed=listed)


def _number(core: str) -> tuple[Fraction, int | None] | None:
    core = core.strip()
    while core.startswith("(") and core.endswith(")"):
        core = core[1:-1].strip()
    if not core or len(core) > _MAX_DIGITS:
        return None
    if match := _PLAIN.fullmatch(core):
        number, decimals = _decimal(match[2])
        return (-number if match[1] == "-" else number), decimals
    if match := _RATIO.fullmatch(core):
        above, below = _decimal(match[2] or match[4])[0], _decimal(match[3] or match[5])[0]
        return _signed(match[1], above / below) if below else None
    if match := _MIXED.fullmatch(core):
        above, below = int(match[3] or match[5]), int(match[4] or match[6])
        return _signed(match[1], int(match[2]) + Fraction(above, below)) if 0 < above < below else None
    if match := _SCIENTIFIC.fullmatch(core):
        return _signed(match[1], _decimal(match[2] or "1")[0] * Fraction(10) ** int(match[3] or match[4]))
    if match := _EXPONENT.fullmatch(core):
        return _signed(match[1], _decimal(match[2])[0] * Fraction(10) ** int(match[3]))
    return _spelt(core)


def _signed(sign: str, value: Fraction) -> tuple[Fraction, None]:
    return (-value if sign == "-" else value), None


def _decimal(text: str) -> tuple[Fraction, int | None]:
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    digits = re.sub(r"[,' ]", "", digits)
    value = Fraction(digits if digits[0] != "." else "0" + digits)
    return (-value if sign == "-" else value), len(digits.partition(".")[2]) if "." in digits else None


def _spelt(core: str) -> tuple[Fraction, None] | None:
    words = re.sub(r"\\text\{([^{}]*)\}", r"\1", core).strip().lower()
    tens, _, ones = words.replace(" ", "-").partition("-")
    if words in _WORDS:
        return Fraction(_WORDS[words]), None
    if tens in _TENS and (not ones or 0 < _WORDS.get(ones, 0) < 10):
        return Fraction(_TENS[tens] + _WORDS.get(ones, 0)), None
    return None


_BASE_NAMES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def _in_base(core: str, unit: str | None) -> Quantity | None:
    match = _BASE.fullmatch(core)
    if not match:
        return None
    base = int(match[3]) if match[3] else _BASE_NAMES.get(match[2]) or (int(match[2]) if match[2].isdigit() else 0)
    try:
        return Quantity(Fraction(int(match[1], base)), unit=unit, base=base, digits=match[1]) if base >= 2 else None
    except ValueError:  # a digit that the base does not have
        return None


def same_quantity(gold: Quantity, answer: Quantity) -> bool:
    """Whether the answer states the gold number.

    - A unit or base that the gold or the answer leaves out is taken as understood; two known units or two bases that
      differ are two values. A noun (`apples`, `students`) is no unit.
    - Where one side alone has a percent sign, `28%` is `28` (the question asks for percent) or `0.28`; a number up to
      1 is no percentage without its sign.
    - A rounded decimal equals an exact value only from six significant digits on, the last of them rounded.
    """
    if gold.unit and answer.unit and gold.unit != answer.unit:
        return False
    if (gold.base is None) != (answer.base is None):
        based, plain = (gold, answer) if gold.base else (answer, gold)
        return plain.value == based.value if based.base == 10 else plain.digits == based.digits
    if gold.base != answer.base:
        return False
    if gold.percent != answer.percent:
        plain, marked = (answer, gold) if gold.percent else (gold, answer)
        as_percent = abs(plain.value) > 1 and _close(plain, marked)
        return as_percent or _close(plain, Quantity(marked.value / 100))
    return _close(gold, answer)


def _close(gold: Quantity, answer: Quantity) -> bool:
    if gold.value == answer.value:
        return True
    written = [q for q in (gold, answer) if q.decimals is not None]
    if not written:
        return False
    shorter = min(written, key=lambda q: q.decimals or 0)
    longer = answer if shorter is gold else gold
    decimals = shorter.decimals or 0
    significant = len(str(abs(shorter.value.numerator * 10**decimals // shorter.value.denominator)))
    if decimals < _ROUNDED_DIGITS or significant < _ROUNDED_DIGITS or not shorter.value:
        return False
    return abs(longer.value - shorter.value) * 2 * 10**decimals <= 1
