"""What a reply is written in, and how much it repeats itself."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

MAX_CHARACTERS = 400_000
"""Of a reply; the rest is not read."""
_FORMULA = re.compile(
    r"\$\$.{0,4000}?\$\$|\$[^$\n]{1,2000}\$|\\\[.{0,4000}?\\\]|\\\(.{0,2000}?\\\)|\\boxed\s*\{[^\n]{0,2000}?\}|\\[A-Za-z]+|</?think>",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+")
_UNIT = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")
_GRAM = 8


def english(reply: str | None) -> float:
    """Share of the letters outside formulas that are of Latin script, in [0, 1]; 1.0 for a reply without letters.

    The think block counts too: drift shows there first. A Greek letter that stands alone is a formula. Other languages
    in Latin script are not told apart. Source: seed 4, where a language reward is suggested and untested.
    """
    letters: Counter[bool] = Counter()
    for word in _WORD.findall(_FORMULA.sub(" ", (reply or "")[:MAX_CHARACTERS])):
        if word.isascii():
            letters[True] += len(word)
        elif len(word) > 1 or _script(word) != "GREEK":
            letters.update(_script(letter) == "LATIN" for letter in word)
    total = letters.total()
    return letters[True] / total if total else 1.0


def repetition(reply: str | None) -> float:
    """Share of the 8-grams (words, numbers and signs) that have stood in the reply before, in [0, 1).

    0.0 for a reply that never repeats eight units in a row; a loop comes near 1.
    """
    units = _UNIT.findall((reply or "")[:MAX_CHARACTERS])
    total = len(units) - _GRAM + 1
    if total < 1:
        return 0.0
    distinct = len(set(zip(*(units[start:] for start in range(_GRAM)), strict=False)))
    return 1.0 - distinct / total


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").removeprefix("FULLWIDTH ").removeprefix("MODIFIER LETTER ").partition(" ")[0]
