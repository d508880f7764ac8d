"""What an answer can be: one value, words, several values, or a named value (`structure` reads them)."""

from dataclasses import dataclass, field

from slm_rewards.math.quantity import Quantity


@dataclass(frozen=True)
class Leaf:
    """A formula or number that has no parts to compare."""

    text: str
    quantity: Quantity | None = None


@dataclass(frozen=True)
class Words:
    """An answer in words, or an option letter; `letter` is set for `(C)`, `\\text{C}` and `C`."""

    text: str
    letter: str | None = None


@dataclass(frozen=True)
class Parts:
    """Several values: kind `list` and `set` (any order), `tuple` (ordered), `union` (of intervals and sets)."""

    kind: str
    items: tuple["Node", ...]
    brackets: str = ""
    """Of a tuple: `()` also for an open interval, `[)` and so on."""
    variable: str = field(default="", compare=False)
    """Of an inequality: what it bounds."""
    source: str = field(default="", compare=False)
    """Of an inequality: its text."""


@dataclass(frozen=True)
class Assignment:
    """`name = value`."""

    name: str
    value: "Node"
    text: str


Node = Leaf | Words | Parts | Assignment
