"""Writes the things of an invented world as short encyclopaedic passages, each fact in exactly one of them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from data_build.musique.phrases import KINDS, SLOTS
from data_build.musique.world import Literal, Thing, World

SHORTEST, LONGEST = 40, 120  # words
SECOND_SHARE = {"person": 0.2, "town": 0.3, "river": 0.3, "region": 0.5, "country": 1.0, "lake": 0.3}
DEFAULT_SECOND_SHARE = 0.1


@dataclass
class Passage:
    """A title and a text; `thing` is what it is about, `states` the relations that it states."""

    title: str
    text: str
    thing: Thing
    states: set[str] = field(default_factory=set)


class Writer:
    """Fills the sentence templates for one thing, and remembers what it has used."""

    def __init__(self, world: World, rng: random.Random, thing: Thing) -> None:
        self.thing, self.rng = thing, rng
        self.kind = KINDS[thing.kind]
        country = world.countries[thing.country]
        self.demonym, self.land = country.demonym, country.by_kind["country"][0].name
        self.mentions = 0
        self.colours = rng.sample(self.kind.colour, len(self.kind.colour))

    def slot(self, match: re.Match[str]) -> str:
        return self.rng.choice(SLOTS[match[1]])

    def fill(self, template: str, **objects: str) -> str:
        """One template with mentions, objects and slots filled in, first letter upper case."""
        thing = self.thing
        self.mentions += 1
        if thing.kind == "person":
            he, his, him = ("she", "her", "her") if thing.female else ("he", "his", "him")
            subject = thing.name.split()[-1] if self.mentions % 4 == 3 and not self.opening(template) else he.title()
            subject = subject if template.startswith("{S}") else he.title()
        else:
            he, his, him = "it", "its", "it"
            subject = f"The {self.kind.noun}" if self.mentions % 2 else "It"
        values = {
            "n": thing.ref, "N": thing.ref[0].upper() + thing.ref[1:], "S": subject, "s": he, "his": his, "him": him,
            "His": his.title(), "land": self.land, **objects,
        }  # fmt: skip
        if "o" in objects:
            values["O"] = objects["o"][0].upper() + objects["o"][1:]
        template = template.replace("{occ}", thing.occupation).replace("{dem}", self.demonym)
        template = re.sub(r"\b([Aa]) (?=[aeioAEIO])", r"\1n ", re.sub(r"<(\w+)>", self.slot, template))
        text = template.format(**values)
        return text[0].upper() + text[1:]

    @staticmethod
    def opening(template: str) -> bool:
        return "{n}" in template or "{N}" in template

    def sentence(self, relation: str) -> str:
        """A sentence that states a relation of the thing."""
        value = self.thing.facts[relation]
        template = self.rng.choice(self.kind.relations[relation].says)
        if isinstance(value, tuple):
            first, second = self.rng.sample(value, 2)
            return self.fill(template, a=first.ref, b=second.ref)
        return self.fill(template, o=value.text if isinstance(value, Literal) else value.ref)

    def passage(self, openings: list[str], relations: list[str]) -> Passage:
        """A passage that opens with one of the templates, states the relations and is long enough."""
        opening = self.rng.choice(openings)
        years = {k: v.text for k in ("birth_year", "death_year") if isinstance(v := self.thing.facts.get(k), Literal)}
        states = {k for k in years if "{" + k + "}" in opening}
        sentences = [self.fill(opening, **years)]
        for relation in relations:
            sentences.append(self.sentence(relation))
            if self.colours and self.rng.random() < 0.3 and len(" ".join(sentences).split()) < 60:
                sentences.append(self.fill(self.colours.pop()))
        while len(" ".join(sentences).split()) < SHORTEST:
            if not self.colours:
                raise ValueError(f"the kind {self.kind.name!r} has too few colour sentences; add some")
            sentences.insert(self.rng.randint(1, len(sentences)), self.fill(self.colours.pop()))
        return Passage(self.thing.name, " ".join(sentences), self.thing, states | set(relations))


def write_passages(world: World) -> list[Passage]:
    """All passages of a world, one or two for each thing that has templates."""
    rng = random.Random(f"passages-{world.rng.random()}")
    passages: list[Passage] = []
    for thing in world.things:
        if thing.kind not in KINDS:
            continue
        writer = Writer(world, rng, thing)
        relations = [r for r in thing.facts if writer.kind.relations[r].says]
        rng.shuffle(relations)
        if "region" in relations and rng.random() < 0.7:
            relations.sort(key=lambda r: r != "region")
        second = rng.random() < SECOND_SHARE.get(thing.kind, DEFAULT_SECOND_SHARE)
        second = len(relations) > 5 or (second and len(relations) > 1)
        cut = rng.randint(1, len(relations) - 1) if second else len(relations)
        passages.append(writer.passage(writer.kind.openings, relations[:cut]))
        if second:
            passages.append(writer.passage(writer.kind.second_openings, relations[cut:]))
    return passages
