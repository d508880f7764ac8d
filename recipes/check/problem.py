"""What a check finds: one line that names the key and the fix."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

CLOSE = 0.75
"""Similarity (difflib) from which a key that an open table would take is called a misspelling."""


@dataclass(frozen=True)
class Problem:
    recipe: str
    """As printed: `recipes/x.toml`, or `recipes/scale/y.toml over recipes/x.toml`."""
    key: str
    """Dotted; the elements of a list by number: `orchestrator.train.source.0.group_size`."""
    text: str
    """What is wrong and how to mend it."""

    def __str__(self) -> str:
        return " ".join(": ".join(part for part in (self.recipe, self.key, self.text) if part).split())


def dotted(parts: Sequence[str | int]) -> str:
    return ".".join(map(str, parts))


def written_location(location: Sequence[str | int], table: Any) -> list[str | int]:
    """pydantic's location of an error without the tags of unions and validators: what is written, and the last part."""
    kept: list[str | int] = []
    for part in location:
        in_table = isinstance(table, dict) and part in table
        if in_table or (isinstance(table, list) and isinstance(part, int) and part < len(table)):
            table = table[part]
        elif part is not location[-1]:
            continue
        kept.append(part)
    return [part for part in kept if not (isinstance(part, str) and part.startswith("function-"))]


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The text for a key that its table does not have, with the nearest one that it has."""
    names = sorted(known)
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; take it out (known: {', '.join(names)})"


def misspelt(key: str, known: Iterable[str]) -> bool:
    """Whether an open table's unknown key is most likely one of the known ones."""
    return bool(difflib.get_close_matches(key, list(known), n=1, cutoff=CLOSE))
