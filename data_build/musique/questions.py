"""Composes questions of 2, 3 and 4 hops over a world, in MuSiQue's six shapes.

`2hop`, `3hop1` and `4hop1` are chains; `3hop2` asks what two things have together; `4hop2` asks on from there;
`4hop3` is `3hop2` with one branch of two hops.
"""

from __future__ import annotations

import random
from collections import Counter

from data_build.musique.names import fold
from data_build.musique.passages import Passage
from data_build.musique.phrases import KINDS
from data_build.musique.wording import Hop, name_words, named
from data_build.musique.world import Literal, Thing, World

SHAPES = {"2hop": 156, "3hop1": 72, "3hop2": 21, "4hop1": 28, "4hop2": 9, "4hop3": 14}


class Composer:
    """Draws questions; rarely used relations are preferred, so that all occur."""

    def __init__(self, world: World, passages: list[Passage]) -> None:
        self.rng = random.Random(f"questions-{world.rng.random()}")
        self.where = {(p.thing.number, r): i for i, p in enumerate(passages) for r in p.states}
        self.passages = passages
        self.used: Counter[str] = Counter()
        self.starts: Counter[int] = Counter()
        self.things = [t for t in world.things if t.kind in KINDS and not (t.homonym and t.kind in ("person", "town"))]
        self.pairs = [t for t in self.things for v in t.facts.values() if isinstance(v, tuple)]
        self.pairs += [t for t in self.things if t.kind in ("opera", "film")]
        self.into: dict[int, list[tuple[Thing, str]]] = {}
        for thing in self.things:
            for relation, value in thing.facts.items():
                if isinstance(value, Thing) and not value.homonym:
                    self.into.setdefault(value.number, []).append((thing, relation))
        self.by_relation: dict[str, list[Thing]] = {}
        for thing in self.things:
            for relation, value in thing.facts.items():
                if isinstance(value, Thing):
                    self.by_relation.setdefault(f"{thing.kind}.{relation}", []).append(thing)

    def least(self, keys: list[str]) -> str:
        """One of the keys, one that has been used little."""
        return min(keys, key=lambda k: (self.used[k] + self.rng.random() * 2.5, k))

    def step(self, thing: Thing, last: bool) -> str | None:
        """A relation to go on with from a thing; to another thing unless it is the last hop."""
        options = []
        for relation, value in thing.facts.items():
            if isinstance(value, tuple) or (thing.number, relation) not in self.where:
                continue
            if last if isinstance(value, Literal) else not value.homonym and (last or value.kind in KINDS):
                options.append(f"{thing.kind}.{relation}")
        return self.least(options).split(".")[1] if options else None

    def chain(self, start: Thing, first: str, hops: int, offset: int = 0) -> list[Hop] | None:
        """A chain of hops from a thing by a given relation; later hops refer to earlier ones by number."""
        chain = [Hop(start, first, (start,))]
        while len(chain) < hops:
            thing = chain[-1].answer
            relation = self.step(thing, last=len(chain) == hops - 1) if isinstance(thing, Thing) else None
            if relation is None or not isinstance(thing, Thing):
                return None
            chain.append(Hop(thing, relation, (len(chain) + offset,)))
        return chain

    def branch(self, goal: Thing, avoid: Thing, hops: int = 1, offset: int = 0) -> list[Hop] | None:
        """One or two hops that end at the goal."""
        options = [(t, r) for t, r in self.into.get(goal.number, []) if t is not avoid and r != "spouse"]
        if not options:
            return None
        thing, relation = self.rng.choice(options)
        if hops == 1:
            return [Hop(thing, relation, (thing,))]
        before = self.branch(thing, avoid, 1, offset)
        return before and [*before, Hop(thing, relation, (offset + 1,))]

    def converge(self, shape: str) -> list[Hop] | None:
        """Two branches that meet in a pair relation, with a hop more before (`4hop3`) or after (`4hop2`)."""
        kind = self.rng.choice(sorted({t.kind for t in self.pairs}))
        thing = self.rng.choice([t for t in self.pairs if t.kind == kind])
        joint = {"opera": ("composer", "librettist"), "film": ("director", "star")}.get(kind)
        if joint:
            ends = tuple(v for r in joint if isinstance(v := thing.facts[r], Thing))
            relation = "+".join(joint)
            if len({self.where[thing.number, r] for r in joint}) > 1:
                return None
        else:
            relation = next(r for r, v in thing.facts.items() if isinstance(v, tuple))
            value = thing.facts[relation]
            ends = value if isinstance(value, tuple) else ()
        if joint and sum(all(t.facts.get(r) is e for r, e in zip(joint, ends, strict=True)) for t in self.pairs) > 1:
            return None
        ends = tuple(self.rng.sample(ends, 2)) if not joint else ends
        long = 2 if shape == "4hop3" else 1
        first = self.branch(ends[0], thing, long)
        second = self.branch(ends[1], thing, 1, long)
        if not first or not second:
            return None
        hops = [*first, *second]
        numbers = (len(first), len(hops))
        page = self.where[thing.number, relation.split("+")[0]]
        asks = [r for r, v in thing.facts.items() if isinstance(v, Literal) and self.where[thing.number, r] == page]
        ask = self.rng.choice(asks) if asks and shape != "4hop2" and self.rng.random() < 0.5 else None
        hops.append(Hop(thing, relation, numbers, pair=True, ask=ask))
        if shape == "4hop2":
            further = self.step(thing, last=True)
            if further is None or further in relation.split("+"):
                return None
            hops.append(Hop(thing, further, (3,)))
        return hops

    def draw(self, shape: str) -> list[Hop] | None:
        """The hops of one question, or None where the draw led nowhere or is not fit."""
        if shape in ("2hop", "3hop1", "4hop1"):
            key = self.least(sorted(self.by_relation))
            start = self.rng.choice(self.by_relation[key])
            hops = self.chain(start, key.split(".")[1], int(shape[0]))
        else:
            hops = self.converge(shape)
        return hops if hops and self.fit(hops) else None

    def page(self, hop: Hop) -> int:
        return self.where.get((hop.thing.number, hop.relation.split("+")[0]), -1)

    def fit(self, hops: list[Hop]) -> bool:
        """Whether every hop is needed and no name gives a later answer away."""
        pages = [self.page(hop) for hop in hops]
        answers = [named(hop.answer) for hop in hops]
        starts = [s for hop in hops for s in hop.subjects if isinstance(s, Thing)]
        if -1 in pages or len(set(pages)) < len(pages) or len({fold(a) for a in answers}) < len(answers):
            return False
        if any(isinstance(h.answer, Thing) and h.answer.homonym for h in hops) or any(
            self.starts[s.number] > 1 for s in starts
        ):
            return False
        shown = set().union(*(name_words(s.name) for s in starts))
        if any(shown & name_words(a) for a in answers):
            return False
        texts = [f" {fold(self.passages[p].text)} " for p in pages]
        return not any(f" {fold(a)} " in texts[i] for j, a in enumerate(answers) for i in range(j))

    def commit(self, hops: list[Hop]) -> None:
        for hop in hops:
            self.used[f"{hop.thing.kind}.{hop.relation}"] += 1
            for subject in hop.subjects:
                if isinstance(subject, Thing):
                    self.starts[subject.number] += 1
