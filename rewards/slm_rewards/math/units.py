r"""The unit, currency, percent or degree sign that stands with a number."""

import re

_NAMES = {
    "mm": "mm millimeter millimetre", "cm": "cm centimeter centimetre", "m": "m meter metre",
    "km": "km kilometer kilometre", "in": "in inch inche", "ft": "ft foot feet", "yd": "yd yard", "mi": "mi mile",
    "mg": "mg milligram", "g": "g gram gramme", "kg": "kg kilogram kilo", "lb": "lb pound", "oz": "oz ounce",
    "t": "ton tonne", "ms": "ms millisecond", "s": "s sec second", "min": "min minute", "h": "h hr hour",
    "day": "day", "week": "week wk", "month": "month", "year": "year yr", "l": "l liter litre",
    "ml": "ml milliliter millilitre", "gal": "gallon gal", "$": "$ dollar usd buck", "€": "€ euro eur",
    "£": "£ gbp", "¥": "¥ yen", "₹": "₹ rupee inr", "cent": "cent ¢ penny pennie pence",
    "kr": "kr kronor krona sek", "degree": "degree deg", "rad": "radian rad", "mi/h": "mph", "km/h": "kph kmh kmph",
    "n": "newton", "j": "joule", "w": "watt", "v": "volt", "hz": "hertz hz", "mol": "mol mole", "k": "kelvin",
    "°c": "celsius", "°f": "fahrenheit",
}  # fmt: skip
_CANONICAL = {alias: unit for unit, aliases in _NAMES.items() for alias in aliases.split()}
_LETTERS = frozenset("m g s h l t".split())
_NO_UNIT = frozenset(
    "and or more less least most not no if when where mod through to for than over all any each except only either "
    "neither both undefined infinity true false sqrt sin cos tan log ln exp max min gcd lcm".split()
)
_NOUNS = re.compile(r"[^\W\d_]+(?:[- ][^\W\d_]+)*")
_NO_FIRST = frozenset(
    "hundred thousand million billion trillion dozen pair half halves third thirds quarter quarters fourths fifths "
    "sixths tenths squared cubed factorial times plus minus divided by root modulo pi e i".split()
)
"""Words that make another number of the one before them."""
_NUMBER_END = r"(?:\d|\}|\))"
_PERCENT = re.compile(
    r"^(.*\S)\s?(?:%|\\text\{\s*(?:%|percent|per cent|pct|percentage)\s*\}|\s(?:percent|per cent|pct)\b)$", re.I
)
_DEGREE = re.compile(r"^(.*\S)\s?\^\\circ(?: ?(?:\\text\{)?\s*([CF])\s*\}?)?$")
_SET = re.compile(r"^(.*\S)\s?\\text\{([^{}]*)\}\s?(?:\^\s?(?:\{(-?\d)\}|(\d)))?$")
_BARE = re.compile(rf"^(.*{_NUMBER_END})\s?([A-Za-z][A-Za-z./ ]*?)\s?(?:\^\s?(?:\{{(-?\d)\}}|(\d)))?$")
_PREFIX = re.compile(r"^([+-]?)\s?(?:\\text\{\s*)?(US\$|[$€£¥₹]|USD|EUR|GBP|Rs\.?)(?:\s*\})?\s?([\d.\\(+-].*)$")
_SUFFIX = re.compile(rf"^(.*{_NUMBER_END})\s?([$€£¥₹¢])$")


def split_unit(text: str) -> tuple[str, str | None]:
    """A cleaned answer without its unit, and the unit: `%`, a known unit in one spelling, `""` for a noun, else None.

    Words count where LaTeX sets them as text, or where they follow a number; a single letter that follows a number
    without being set as text is a variable (`5m`), and so is any word shorter than four letters that is no unit.
    """
    if match := _PERCENT.match(text):
        return match[1], "%"
    if match := _DEGREE.match(text):
        return match[1], f"°{match[2].lower()}" if match[2] else "degree"
    if match := _PREFIX.match(text):
        core, unit = split_unit(match[3])
        if unit in (None, "$", ""):
            return match[1] + core, _known(match[2].replace("US$", "$"))
    if match := _SUFFIX.match(text):
        return match[1], _known(match[2])
    if match := _SET.match(text):
        unit = _unit(match[2], match[3] or match[4], letters=True)
        return (match[1], unit) if unit is not None else (text, None)
    if match := _BARE.match(text):
        unit = _unit(match[2], match[3] or match[4], letters=False)
        return (match[1], unit) if unit is not None else (text, None)
    return text, None


def _known(word: str) -> str:
    word = word.lower().strip(".")
    return _CANONICAL.get(word) or _CANONICAL.get(word.removesuffix("s")) or ("₹" if word == "rs" else "")


def _unit(phrase: str, power: str | None, letters: bool) -> str | None:
    """One spelling of a unit phrase (`square feet`, `miles per hour`), `""` for other nouns, None for no unit."""
    words = phrase.replace("/", " per ").replace(".", " ").lower().split()
    if (
        not words
        or set(words) & _NO_UNIT
        or len(words) > 8
        or not re.fullmatch(r"[^\W\d_ /]+(?:[- ][^\W\d_]+)*", " ".join(words))
    ):
        return None
    exponent = power or ""
    for word, number in (("square", "2"), ("sq", "2"), ("cubic", "3"), ("cu", "3")):
        if words[0] == word and len(words) > 1:
            words, exponent = words[1:], number
    if len(words) > 1 and words[-1] in ("squared", "cubed"):
        words, exponent = words[:-1], "2" if words[-1] == "squared" else "3"
    if words[0] in _NO_FIRST:
        return None
    if not letters and (len(words[0]) == 1 or (len(words[0]) < 4 and not _known(words[0]))):
        return None
    parts = []
    for word in words:
        if word == "per":
            parts.append("/")
        else:
            known = _known(word)
            if not known:
                return ""
            parts.append(known)
    return "".join(parts) + (f"^{exponent}" if exponent else "")
