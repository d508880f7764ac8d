"""Invented words: eight syllable grammars, and the real names and words that they must not hit.

A word is drawn until it is new, not one edit of case or accent away from an earlier one, and not among the
names and words that Faker knows (cities, regions, countries, given and family names of its Latin-script locales,
plus its English word list) nor in `BLOCKED`, words found by comparing many seeds with real encyclopaedic text.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
import unicodedata
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Grammar:
    """A language: onsets, vowels and codas of its syllables, and the endings of its names (split strings)."""

    onsets: str
    vowels: str
    codas: str
    towns: str
    given_m: str
    given_f: str
    family: str
    land: str


GRAMMARS = [
    Grammar("v sk br tr h l m st g", "a o ö å i u", "rn lk ss ld n", "vika hult borra nessa tveit", "ulf en var mund",
            "hild ya dis frea", "sson vold krane mar", "mark"),
    Grammar("c m l v t pr br n s", "a e i o au", "n r l s", "ello anza ueno ivo ara", "enzo aldo ico iero",
            "essa ina etta ora", "ucci anti olesi ardo", "onia"),
    Grammar("d z k str m v kr n b", "a o e u y", "v k r n sk", "ovec itza ograd ava inek", "omir islav otek ek",
            "inka ova esha ena", "ovič enko ský arič", "uvia"),
    Grammar("k h l p t m v s", "aa ee ii u o ä y", "l n s rr", "kylä lampi saare järva nitta", "uko ari enno il",
            "iikka elmi una eija", "nenko lainu pelto säri", "maa"),
    Grammar("gw ll c tr m p n rh", "a e y o i u", "n th rd r", "wyth ennac llan oreth vagh", "ddoc wyn arth eg",
            "wenna eth ynid ora", "rrow thweg nnock lveth", "rion"),
    Grammar("z b kh t m sh n q", "a i u e", "r m d sh l", "abad-Sur ashir emdar uq ohar", "amir ezan udin ash",
            "ayeh irin una eshta", "ouri azdan emchi abi", "estan"),
    Grammar("t m n r f h l w", "a e i o u", "", "ato'a ua ohi anake ere", "iki ano ohe au", "ea ila oana ui",
            "tofa runga hani laupe", "nesi"),
    Grammar("ç k g t y d b ş", "a e i ö ü u", "n r k l z", "köy ören daği aşar ümlü", "han emir ur azmet",
            "gül ise ena ay", "oğan demer kaya ürek", "dür"),
]  # fmt: skip
BLOCKED = frozenset({"borislav", "caddoc", "delay", "gavar", "kahan", "kohan", "marash", "nenek", "surena"})


def fold(text: str) -> str:
    """Lower case without accents, every run of other than letters and digits one space."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return " ".join(re.findall(r"[^\W_]+", plain))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [x for pair in value.items() for x in _strings(pair[0]) + _strings(pair[1])]
    if isinstance(value, list | tuple | set | frozenset):
        return [x for item in value for x in _strings(item)]
    return []


@cache
def real_words() -> frozenset[str]:
    """Folded names and words of Faker's person, address and word-list providers, and their single words."""
    found: set[str] = set(BLOCKED)
    for part in ("person", "address", "lorem"):
        package = importlib.import_module(f"faker.providers.{part}")
        for locale in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
            provider = importlib.import_module(f"{package.__name__}.{locale}").Provider
            for name, value in vars(provider).items():
                if not name.startswith("_") and not callable(value):
                    for text in _strings(value):
                        if len(text) < 40 and "{" not in text:
                            found.update(fold(text).split())
                            found.add(fold(text).replace(" ", ""))
    return frozenset(found)


class Namer:
    """Draws words that are new in this world and, as far as `real_words` reaches, outside it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.used: set[str] = set()

    def syllable(self, grammar: Grammar, closed: bool) -> str:
        coda = self.rng.choice(grammar.codas.split()) if closed and grammar.codas else ""
        return self.rng.choice(grammar.onsets.split()) + self.rng.choice(grammar.vowels.split()) + coda

    def word(self, grammar: Grammar, endings: str, shortest: int = 5, longest: int = 12) -> str:
        """A capitalised word with one of the endings, 5 to 12 letters long by default."""
        for _ in range(10_000):
            ending = self.rng.choice(endings.split())
            count = self.rng.choice((1, 1, 2)) if grammar.codas else self.rng.choice((1, 2, 2))
            vowel_first = fold(ending)[0] in "aeiouy"
            stem = "".join(
                self.syllable(grammar, closed=self.rng.random() < 0.4 or (i == count - 1 and vowel_first))
                for i in range(count)
            )
            if vowel_first and fold(stem)[-1] in "aeiouyw":
                stem += self.rng.choice("n r l m v t".split())
            text = "-".join(part[0].upper() + part[1:] for part in (stem + ending).split("-"))
            key = fold(text).replace(" ", "")
            if not shortest <= len(key) <= longest or re.search(r"(.)\1\1|[^aeiouyw]{5}", key):
                continue
            if key in self.used or set(fold(text).split()) & real_words() or key in real_words():
                continue
            self.used.add(key)
            return text
        raise ValueError(f"no new word left with the endings {endings!r}; use a larger grammar")
