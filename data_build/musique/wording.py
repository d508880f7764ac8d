"""The words of a question: how a hop asks, how it is named inside a longer question, and which names are alike."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from data_build.musique.names import fold
from data_build.musique.phrases import KINDS, Relation
from data_build.musique.world import Literal, Thing

LONGEST_QUESTION = 45  # words
AWKWARD = re.compile(r"\b(\w+) \1\b|\b(the \w+ (?:who|that|where|of|in which)) \w+ .*\b\2\b", re.IGNORECASE)
GENERIC = frozenset(
    "river lake mount peak province county district sea university of the and for at by over from to in a last works "
    "steel motors textiles company navigation instruments brothers sons press books publishing house records sound "
    "film pictures courier gazette post morning news philharmonic symphony orchestra park stadium arena athletic "
    "rovers united wanderers museum art gallery collection theatre opera bridge prize medal award star maid queen "
    "line valley railway peace treaty cup final north south upper lower new old great little kilometres km metres m "
    "square songs nights back variations suite overture case night road train view evening bride miller first "
    "lantern ferry orchard mirror winter garden key bell tower letter stranger clock harvest s".split()
)


@dataclass(frozen=True)
class Hop:
    """One step: the thing whose passage states it, the relation, and how it asks about its subjects.

    `subjects` are things named outright or, as numbers from 1, answers of earlier hops. For a pair hop `ask` is the
    relation asked about the pair's thing, None where the thing itself is the answer.
    """

    thing: Thing
    relation: str
    subjects: tuple[Thing | int, ...]
    pair: bool = False
    ask: str | None = None

    @property
    def answer(self) -> Thing | Literal:
        if not self.pair:
            value = self.thing.facts[self.relation]
        else:
            value = self.thing if self.ask is None else self.thing.facts[self.ask]
        if isinstance(value, tuple):
            raise ValueError(f"{self.thing.name}: a pair relation cannot be an answer")
        return value


def named(answer: Thing | Literal) -> str:
    return answer.text if isinstance(answer, Literal) else answer.name


def name_words(text: str) -> set[str]:
    """The words of a name that tell it from others: not generic, and no single letters."""
    return {w for w in fold(text).split() if w not in GENERIC and (len(w) > 2 or w.isdigit())}


def mention(thing: Thing, kind_word: bool) -> str:
    """The thing as a question names it; works with "the novel" and the like before them where needed."""
    works = ("novel", "opera", "film", "album")
    if thing.kind in works and (thing.homonym or kind_word):
        return f"the {KINDS[thing.kind].noun} {thing.name}"
    return thing.ref


def pair_asks(hop: Hop) -> tuple[list[str], list[str]]:
    """Questions and noun phrases of a pair hop, with `{x}` and `{y}` for its two subjects."""
    if hop.relation == "composer+librettist":
        asks = ["Which opera did {x} and {y} write together?", "For which opera of {x} did {y} write the libretto?"]
        phrases = ["the opera that {x} and {y} wrote together", "the opera of {x} with a libretto by {y}"]
    elif hop.relation == "director+star":
        asks = [
            "In which film by {x} does {y} play the leading part?",
            "Which film was directed by {x} with {y} in the lead?",
        ]
        phrases = [
            "the film that {x} directed with {y} in the lead",
            "the film by {x} in which {y} plays the leading part",
        ]
    else:
        relation = KINDS[hop.thing.kind].relations[hop.relation]
        asks, phrases = relation.asks, relation.phrases
    if hop.ask is not None:
        outer = KINDS[hop.thing.kind].relations[hop.ask].asks
        asks = [a.replace("{x}", p) for a in outer for p in phrases]
    return asks, phrases


def compose(rng: random.Random, hops: list[Hop]) -> tuple[str, list[str]]:
    """The composed question and the questions of the hops, with `#1` for earlier answers.

    Of many drafts the first that is short enough and repeats no word at once or phrase opening, else the shortest.
    """
    drafts = []
    for _ in range(40):
        question, singles = draft(rng, hops)
        if len(question.split()) <= LONGEST_QUESTION and not AWKWARD.search(question):
            return question, singles
        drafts.append((len(question), question, singles))
    return min(drafts)[1:]


def draft(rng: random.Random, hops: list[Hop]) -> tuple[str, list[str]]:
    """One way to ask."""
    phrases: list[str] = []
    singles: list[str] = []
    question = ""
    for hop in hops:
        relation: Relation | None = KINDS[hop.thing.kind].relations.get(hop.relation)
        asks, nouns = pair_asks(hop) if hop.pair else (relation.asks, relation.phrases) if relation else ([], [])
        kind_word = rng.random() < 0.5
        whole = [phrases[s - 1] if isinstance(s, int) else mention(s, kind_word) for s in hop.subjects]
        apart = [f"#{s}" if isinstance(s, int) else mention(s, kind_word) for s in hop.subjects]
        names = ("x", "y")[: len(whole)]
        ask = rng.choice(asks)
        if relation and not hop.pair and rng.random() < 0.4:
            subject = hop.subjects[0]
            plain = subject.name if isinstance(subject, Thing) and subject.article else apart[0]
            singles.append(f"{plain} >> {relation.label}")
        else:
            singles.append(rng.choice(asks).format(**dict(zip(names, apart, strict=True))))
        if nouns:
            phrases.append(rng.choice(nouns).format(**dict(zip(names, whole, strict=True))))
        else:
            phrases.append("")
        question = ask.format(**dict(zip(names, whole, strict=True)))
    return question, singles
