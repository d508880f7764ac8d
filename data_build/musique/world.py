"""An invented world from a seed: things of some thirty kinds and the facts that hold between them.

Everything is synthetic. A fact is (subject, relation) -> object, so that each question about it has one answer;
a pair relation (the railway between two towns, the child of two persons) holds for one subject only.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from data_build.musique.names import GRAMMARS, Grammar, Namer, fold


@dataclass(frozen=True)
class Literal:
    """A year, date, number or word as an answer, with other ways to write it."""

    text: str
    aliases: tuple[str, ...] = ()


@dataclass(eq=False)
class Thing:
    """One entity. `facts` maps a relation to a Thing, a Literal or, for a pair relation, two Things.

    `article` says that running text puts "the" before the name; `homonym` that another thing has the same title.
    """

    number: int
    kind: str
    name: str
    country: int
    article: bool = False
    female: bool = False
    occupation: str = ""
    born: int = 0
    died: int = 0
    homonym: bool = False
    aliases: list[str] = field(default_factory=list)
    facts: dict[str, Thing | Literal | tuple[Thing, Thing]] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """The name as it stands in running text."""
        return f"the {self.name}" if self.article else self.name


ARTICLES = frozenset(
    "river line treaty final university orchestra museum theatre bridge award ship newspaper sea".split()
)
MONTHS = "January February March April May June July August September October November December".split()


@dataclass
class Country:
    """A country while it is being filled: its grammar, shared word stems, and its things by kind."""

    index: int
    grammar: Grammar
    stems: list[str]
    demonym: str
    by_kind: dict[str, list[Thing]] = field(default_factory=dict)


class World:
    """Things in the order of their making, and helpers that draw names, dates and objects."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"musique-invented-{seed}")
        self.namer = Namer(self.rng)
        self.things: list[Thing] = []
        self.titles: set[str] = set()
        self.countries: list[Country] = []
        for index, grammar in enumerate(self.rng.sample(GRAMMARS, len(GRAMMARS))):
            stems = [self.namer.word(grammar, grammar.towns) for _ in range(55)]
            self.countries.append(Country(index, grammar, stems, ""))

    def add(self, kind: str, name: str, country: Country, **extra: object) -> Thing:
        """A new thing; its name must be new unless `homonym` is set."""
        if fold(name) in self.titles and not extra.get("homonym"):
            raise ValueError(f"name {name!r} is taken")
        self.titles.add(fold(name))
        thing = Thing(len(self.things), kind, name, country.index, article=kind in ARTICLES, **extra)  # ty: ignore
        self.things.append(thing)
        country.by_kind.setdefault(kind, []).append(thing)
        return thing

    def free_name(self, country: Country, patterns: list[str]) -> str:
        """A name from a pattern with `{w}` (a stem of the country), `{f}` or `{g}` (family names), not yet taken."""
        families = self.families(country)
        for attempt in range(2_000):
            stems = country.stems if attempt < 1_000 else [self.namer.word(country.grammar, country.grammar.towns)]
            f, g = self.rng.sample(families, 2)
            name = self.rng.choice(patterns).format(w=self.rng.choice(stems), f=f, g=g)
            if fold(name) not in self.titles:
                return name
        raise ValueError(f"no free name left for {patterns}")

    def families(self, country: Country) -> list[str]:
        """The family names of a country, drawn once; few, so that many persons share one."""
        return self._pool(country, "_family", country.grammar.family, 26)

    def given(self, country: Country, female: bool) -> list[str]:
        endings = country.grammar.given_f if female else country.grammar.given_m
        return self._pool(country, f"_given{female}", endings, 22)

    def _pool(self, country: Country, key: str, endings: str, size: int) -> list[str]:
        pools = self.__dict__.setdefault("_pools", {})
        if (country.index, key) not in pools:
            pools[country.index, key] = [self.namer.word(country.grammar, endings) for _ in range(size)]
        return pools[country.index, key]

    def pick(self, country: Country, kind: str, exclude: object = None) -> Thing:
        """A thing of the kind that shares its title with nothing; mostly of the same country."""
        home = country if self.rng.random() < 0.85 else self.rng.choice(self.countries)
        found = [t for t in home.by_kind.get(kind, []) if not t.homonym and t is not exclude]
        return self.rng.choice(found or [t for t in country.by_kind[kind] if not t.homonym and t is not exclude])

    def person(self, country: Country, occupations: str = "", **bounds: int) -> Thing:
        """A person with one of the occupations, born within `first`..`last` where somebody is."""
        found = [t for t in country.by_kind["person"] if not t.homonym]
        found = [t for t in found if not occupations or t.occupation in occupations.split("|")]
        near = [t for t in found if bounds.get("first", 0) <= t.born <= bounds.get("last", 9999)]
        return self.rng.choice(near or found)

    def year_of(self, person: Thing, earliest: int = 22) -> int:
        """A year in the working life of a person."""
        return self.rng.randint(person.born + earliest, max(person.born + earliest + 2, person.died - 2))

    def date(self, year: int) -> Literal:
        day, month = self.rng.randint(1, 28), self.rng.choice(MONTHS)
        return Literal(f"{day} {month} {year}", (f"{month} {day}, {year}", f"{month} {day} {year}"))

    def measure(self, low: int, high: int, unit: str, short: str) -> Literal:
        n = self.rng.randint(low, high)
        forms = dict.fromkeys((f"{n:,} {unit}", f"{n:,} {short}", f"{n} {unit}", f"{n} {short}"))
        text, *aliases = forms
        return Literal(text, tuple(aliases))

    def count(self, low: int, high: int) -> Literal:
        n = self.rng.randint(low, high)
        return Literal(f"{n:,}", (str(n),))


def year(value: int) -> Literal:
    return Literal(str(value))
