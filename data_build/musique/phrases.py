"""What can be said and asked about each kind of thing, read from the three phrase texts.

Notation, one item a line: `@kind a noun phrase`; `^` opening sentence of a first passage, `~` of a second one;
`-` colour without a fact; `%relation label | kinds of the object` (two kinds: a relation that two things have
with the subject together, `{a}` and `{b}`); below a relation `+` a sentence that states it, `?` a question, `=` a noun
phrase for the object. `{n}` name, `{S} {s} {his} {him}` mentions of the subject, `{o}` object, `{x} {y}` what is
asked about, `<word>` a choice from `SLOTS`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from data_build.musique import phrases_bodies, phrases_colour, phrases_people, phrases_places


@dataclass
class Relation:
    """One relation of one kind of subject: how to state it, to ask for it and to name its object."""

    name: str
    label: str
    objects: list[str]
    says: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)

    @property
    def is_pair(self) -> bool:
        return len(self.says) > 0 and "{a}" in self.says[0]

    @property
    def is_literal(self) -> bool:
        return self.objects == ["literal"]


@dataclass
class Kind:
    """One kind of thing: its noun, opening sentences, colour sentences and relations by name."""

    name: str
    noun: str
    openings: list[str] = field(default_factory=list)
    second_openings: list[str] = field(default_factory=list)
    colour: list[str] = field(default_factory=list)
    relations: dict[str, Relation] = field(default_factory=dict)


SLOTS = {
    "few": "two three four five six seven eight nine".split(),
    "many": "twelve fifteen eighteen twenty thirty forty sixty seventy eighty ninety".split(),
    "season": "spring summer autumn winter".split(),
    "century": ["twelfth century", "thirteenth century", "fourteenth century", "fifteenth century",
                "sixteenth century", "seventeenth century", "eighteenth century"],
    "trade": "baker cooper ferryman clockmaker saddler printer tailor miller pharmacist notary glazier gardener "
             "chandler locksmith beekeeper bookbinder".split(),
    "goods": "lace|glassware|cheese|clocks|pottery|linen|rope|felt hats|paper|brass fittings|barrels|fishing nets|"
             "sewing machines|bicycles|candles|leather gloves|roof tiles|stoves".split("|"),
    "goods2": "cutlery|mustard|woollen cloth|salt|wicker chairs|bells|ink|matches|dried fruit|soap|ploughs|"
              "needles|umbrellas|carved toys|vinegar|lamp oil".split("|"),
    "craft": "wood carving|engraving|choral singing|mapmaking|weaving|bookbinding|shipbuilding|printing|"
             "landscape gardening|medicine|astronomy|bridge building".split("|"),
    "rural": "hilly|windswept|thinly settled|fertile|wooded|quiet|remote|flat".split("|"),
    "coast": "with a long western coast|on a deeply indented coast|between the mountains and the sea|"
             "with a flat eastern coast".split("|"),
    "manner": "dry wit|stubborn exactness|restless energy|careful workmanship|plain style|great patience|"
              "sense of drama|long silences|sharp tongue|modest habits".split("|"),
    "temper": "shy and exact|generous but quarrelsome|cheerful|vain but kind|melancholy|quick to laugh|"
              "severe with pupils|absent-minded".split("|"),
    "filmtype": "crime comedy romantic adventure war silent".split(),
}  # fmt: skip


def _parse(text: str) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    kind: Kind | None = None
    relation: Relation | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        sign, rest = line[0], line[1:].strip()
        if sign == "@":
            name, _, noun = rest.partition(" ")
            kind, relation = Kind(name, re.sub(r"^an? ", "", noun)), None
            kinds[name] = kind
        elif kind is None:
            raise ValueError(f"phrase text: {line!r} comes before any @kind")
        elif sign == "%":
            head, _, objects = rest.partition("|")
            name, _, label = head.strip().partition(" ")
            relation = kind.relations[name] = Relation(name, label, objects.split())
        elif sign in "^~-":
            {"^": kind.openings, "~": kind.second_openings, "-": kind.colour}[sign].append(rest)
        elif relation is not None and sign in "+?=":
            {"+": relation.says, "?": relation.asks, "=": relation.phrases}[sign].append(rest)
        else:
            raise ValueError(f"phrase text: cannot read {line!r}")
    return kinds


KINDS: dict[str, Kind] = _parse(phrases_places.TEXT + phrases_people.TEXT + phrases_bodies.TEXT)
for _names, _lines in phrases_colour.TEXT.items():
    for _name in _names.split():
        KINDS[_name].colour.extend(filter(None, map(str.strip, _lines.splitlines())))
