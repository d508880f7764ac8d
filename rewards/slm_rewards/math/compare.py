"""The verdict on one answer: what has a shape is compared part by part, what has none goes to math-verify.

`decide` needs no sympy: plain numbers, words and equal spellings are decided here, exactly. The rest is asked of
`leaf(gold, answer)`, which in a worker is `symbolic.equal` (math-verify) and in the caller's process raises
`Undecided`, so that sympy never runs there. Gold first, always: math-verify is not symmetric.
"""

import re
from collections.abc import Callable, Sequence

from slm_rewards.math.canonical import clean, compact
from slm_rewards.math.extract import MAX_ANSWER
from slm_rewards.math.quantity import Quantity, parse_quantity, same_quantity
from slm_rewards.math.shapes import Assignment, Leaf, Node, Parts, Words
from slm_rewards.math.structure import parse, split_top
from slm_rewards.math.units import split_unit

MAX_NESTING = 60
"""Brackets inside brackets; a deeper answer is False without parsing."""

_RELATION = re.compile(r"[<>=]|\\(?:le|ge|in|neq|wedge|land)(?![A-Za-z])")

LeafRule = Callable[[str, str], bool]


class Undecided(Exception):
    """The verdict needs math-verify."""


def undecided(gold: str, answer: str) -> bool:
    """The leaf rule of the caller's process: raises Undecided."""
    raise Undecided


def decide(answer: str, gold: str, leaf: LeafRule) -> bool:
    """Whether the answer states the gold; raises nothing but what `leaf` raises.

    Too long or too deeply nested an answer is False.
    """
    if not answer or not gold or max(len(answer), len(gold)) > MAX_ANSWER:
        return False
    if max(nesting(answer), nesting(gold)) > MAX_NESTING:
        return False
    gold, answer = clean(gold), clean(answer)
    if not gold or not answer or max(len(answer), len(gold)) > 2 * MAX_ANSWER:
        return False
    if compact(gold) == compact(answer):
        return True
    return _same(parse(gold), parse(answer), leaf)


def nesting(text: str) -> int:
    """How deep brackets stand inside brackets."""
    deepest = depth = 0
    for sign in text:
        if sign in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in ")]}":
            depth -= 1
    return deepest


def _same(gold: Node, answer: Node, leaf: LeafRule) -> bool:
    if isinstance(gold, Assignment) or isinstance(answer, Assignment):
        return _same_assigned(gold, answer, leaf)
    if isinstance(gold, Words) or isinstance(answer, Words):
        return _same_words(gold, answer)
    if isinstance(gold, Parts) and isinstance(answer, Parts):
        return _same_parts(gold, answer, leaf)
    if isinstance(gold, Leaf) and isinstance(answer, Leaf):
        return _same_leaf(gold, answer, leaf)
    return _same_mixed(gold, answer, leaf)


def _same_assigned(gold: Node, answer: Node, leaf: LeafRule) -> bool:
    if isinstance(gold, Assignment) and isinstance(answer, Assignment):
        if _name(gold) == _name(answer):
            return _same(gold.value, answer.value, leaf)
        if any(isinstance(side.value, Leaf) and side.value.quantity is None for side in (gold, answer)):
            return leaf(gold.text, answer.text)
        return False
    if isinstance(gold, Assignment):
        if isinstance(answer, Leaf) and answer.quantity is None and "=" in answer.text:
            return leaf(gold.text, answer.text)
        return _same(gold.value, answer, leaf)
    assert isinstance(answer, Assignment)
    if isinstance(gold, Leaf) and "=" in gold.text:
        return leaf(gold.text, answer.text)
    return _same(gold, answer.value, leaf)


def _name(assignment: Assignment) -> str:
    return assignment.name.replace("{", "").replace("}", "")


def _same_words(gold: Node, answer: Node) -> bool:
    if not isinstance(gold, Words):
        # The gold is a formula or a variable: `odd` set plainly is the word, `r` is not `R`.
        plain = isinstance(answer, Words) and answer.letter is None and isinstance(gold, Leaf)
        return plain and _letters(gold) == answer.text
    if isinstance(answer, Words):
        if gold.letter and answer.letter:
            return gold.letter == answer.letter
        return gold.text == answer.text or _same_time(gold.text, answer.text)
    return (
        isinstance(answer, Leaf)
        and _letters(answer) == gold.text
        and (gold.letter is None or gold.letter in "ABCDEFGH")
    )


def _same_time(gold: str, answer: str) -> bool:
    """`5:00 pm` and `5:00`: the half of the day may be understood."""
    halves = (" am", " pm")
    return (
        (gold.endswith(halves) != answer.endswith(halves))
        and gold.partition(" ")[0] == answer.partition(" ")[0]
        and ":" in gold
    )


def _letters(leaf: Leaf) -> str:
    text = compact(leaf.text)
    return text.casefold() if text.isalpha() else ""


def _same_parts(gold: Parts, answer: Parts, leaf: LeafRule) -> bool:
    if gold.variable and answer.variable and gold.variable != answer.variable:
        return False
    if gold.kind == "tuple" and answer.kind == "tuple":
        return (
            gold.brackets == answer.brackets
            and len(gold.items) == len(answer.items)
            and _in_order(gold.items, answer.items, leaf)
        )
    # A bare list is no point and no interval; a point may well list values whose order is free.
    if gold.kind == "tuple" or (gold.kind == "union" and answer.kind == "tuple"):
        return False
    if answer.kind == "tuple" and answer.brackets != "()":
        return False
    if (gold.kind == "union") != (answer.kind == "union"):
        return False
    if _names(gold) != _names(answer) and len(gold.items) == len(answer.items) and (_names(gold) or _names(answer)):
        if _names(gold) and _names(answer):
            return False
        return _in_order(gold.items, answer.items, leaf)
    pairs = [[(wanted, given) for given in answer.items] for wanted in gold.items]
    return all(_any_same(row, leaf) for row in (*pairs, *zip(*pairs, strict=True)))


def _names(parts: Parts) -> list[str]:
    names = [_name(item) for item in parts.items if isinstance(item, Assignment)]
    return sorted(names) if len(set(names)) > 1 else []


def _in_order(gold: Sequence[Node], answer: Sequence[Node], leaf: LeafRule) -> bool:
    return all(_same(g, a, leaf) for g, a in zip(gold, answer, strict=True))


def _any_same(pairs: Sequence[tuple[Node, Node]], leaf: LeafRule) -> bool:
    """Whether any pair is the same; cheap comparisons come first."""
    left: list[tuple[Node, Node]] = []
    for gold, answer in pairs:
        try:
            if _same(gold, answer, undecided):
                return True
        except Undecided:
            left.append((gold, answer))
    return any(_same(gold, answer, leaf) for gold, answer in left)


def _same_leaf(gold: Leaf, answer: Leaf, leaf: LeafRule) -> bool:
    if compact(gold.text) == compact(answer.text):
        return True
    if gold.quantity and answer.quantity:
        return same_quantity(gold.quantity, answer.quantity)
    gold_terms, answer_terms = ratio(gold.text), ratio(answer.text)
    if gold_terms and answer_terms:
        return len(gold_terms) == len(answer_terms) and _in_order(gold_terms, answer_terms, leaf)
    gold_core, gold_unit = split_unit(gold.text)
    answer_core, answer_unit = split_unit(answer.text)
    if gold_unit and answer_unit and gold_unit != answer_unit:
        return False
    return leaf(gold_core, answer_core)


def ratio(text: str) -> list[Node]:
    """The terms of `7:32`, to compare one by one."""
    terms = split_top(text.replace(":", "|"), "|") if ":" in text else []
    return [parse(term, 1) for term in terms] if len(terms) > 1 and all(terms) else []


def _same_mixed(gold: Node, answer: Node, leaf: LeafRule) -> bool:
    """A formula against something with parts."""
    if isinstance(gold, Parts) and isinstance(answer, Leaf):
        if answer.quantity:
            listed = answer.quantity.listed and gold.kind in ("list", "set")
            if listed:
                return _same_parts(gold, _as_list(answer), leaf)
            return gold.kind in ("list", "set") and len(gold.items) == 1 and _same(gold.items[0], answer, leaf)
        # math-verify takes `-(1,2)` for `(1,2)`: only a relation can be the same as an interval.
        related = gold.kind in ("list", "set") or _RELATION.search(answer.text) is not None
        return related and leaf(_text(gold), answer.text)
    if isinstance(gold, Leaf) and isinstance(answer, Parts):
        if gold.quantity:
            if gold.quantity.listed and answer.kind in ("list", "set"):
                return _same_parts(_as_list(gold), answer, leaf)
            if answer.kind == "list" and _decimal_comma(gold.quantity, answer):
                return True
            return answer.kind in ("list", "set") and all(_same(gold, item, leaf) for item in answer.items)
        return leaf(gold.text, _text(answer))
    return False


def _decimal_comma(gold: Quantity, answer: Parts) -> bool:
    """Whether a list of two is the gold decimal with a comma for its point: `2,74` where the gold is `2.74`."""
    texts = [item.text for item in answer.items if isinstance(item, Leaf)]
    if len(texts) != 2 or len(answer.items) != 2 or not gold.decimals or not texts[1].isdigit():
        return False
    number = parse_quantity(".".join(texts))
    return number is not None and number.value == gold.value


def _as_list(leaf: Leaf) -> Parts:
    return Parts("list", tuple(parse(piece, 1) for piece in leaf.text.split(",")))


def _text(node: Node) -> str:
    r"""LaTeX of a node, for math-verify."""
    if isinstance(node, Parts):
        if node.source:
            return node.source
        if node.kind == "union":
            return r"\cup ".join(_text(item) for item in node.items)
        inside = ", ".join(_text(item) for item in node.items)
        if node.kind == "set":
            return rf"\{{{inside}\}}"
        return node.brackets[0] + inside + node.brackets[1] if node.kind == "tuple" else inside
    return rf"\text{{{node.text}}}" if isinstance(node, Words) else node.text
