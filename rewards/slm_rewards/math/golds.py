"""Golds are checked where tasks are built: one that cannot be judged is a row to refuse, never a free point."""

import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from slm_rewards.math.canonical import balanced, clean
from slm_rewards.math.compare import MAX_NESTING, nesting, ratio
from slm_rewards.math.extract import MAX_ANSWER
from slm_rewards.math.shapes import Assignment, Leaf, Node, Parts, Words
from slm_rewards.math.structure import parse
from slm_rewards.math.units import split_unit
from slm_rewards.math.verdicts import submit

_MAX_WORDS = 2
NONSENSE = r"\text{qzxw}"
"""A formula that is no task's answer."""
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:see|figure|diagram|graph|picture|table|proof|prove|shown|answers? (?:may )?var\w*|not given|n/?a)\b",
    re.I,
)


def check_golds(golds: Mapping[str, str]) -> dict[str, str]:
    """The golds that no answer could be judged by, id → what is wrong with them; empty if all are sound.

    A sound gold is a number, an option letter, at most two plain words, words set as `\\text{}`, or formulas that
    math-verify reads, holds equal to themselves and does not hold equal to nonsense. Raises ImportError where
    math-verify is missing.
    """
    problems: dict[str, str] = {}
    pending: dict[str, Future[bool]] = {}
    for key, gold in golds.items():
        problem = _problem(gold)
        if problem:
            problems[key] = problem
        elif _has_formula(parse(clean(gold))):
            pending[key] = submit(gold, None)
    for key, sound in pending.items():
        if not sound.result():
            problems[key] = f"gold: math-verify cannot read {golds[key][:80]!r}; mend the gold or leave the row out"
    return {key: problems[key] for key in golds if key in problems}


def sound(gold: str, equal: Callable[[str, str], bool], readable: Callable[[str], bool]) -> bool:
    """Whether every formula of a gold can be judged; runs in a worker."""
    formulas = _formulas(parse(clean(gold)))
    return all(readable(formula) and equal(formula, formula) and not equal(formula, NONSENSE) for formula in formulas)


def _problem(gold: str) -> str | None:
    if not isinstance(gold, str) or not gold.strip():
        return f"gold: {gold!r} is empty; leave the row out"
    if len(gold) > MAX_ANSWER or nesting(gold) > MAX_NESTING:
        return f"gold: longer than {MAX_ANSWER} characters or nested deeper than {MAX_NESTING}; leave the row out"
    text = clean(gold)
    if not text or not balanced(text):
        return f"gold: {gold[:80]!r} has no value or an unclosed brace; mend the gold or leave the row out"
    shape = parse(text)
    if isinstance(shape, Words) and _POINTS_ELSEWHERE.search(shape.text):
        return f"gold: {gold[:80]!r} states no value of its own; leave the row out"
    if isinstance(shape, Words) and "\\text" not in text and len(shape.text.split()) > _MAX_WORDS:
        return f"gold: {gold[:80]!r} is a sentence; write the answer alone, or set it as \\text{{}}"
    return None


def _has_formula(node: Node) -> bool:
    return bool(_formulas(node))


def _formulas(node: Node) -> list[str]:
    """The leaves that math-verify would have to read."""
    if isinstance(node, Parts):
        return [formula for item in node.items for formula in _formulas(item)]
    if isinstance(node, Assignment):
        return _formulas(node.value)
    if isinstance(node, Leaf) and (terms := ratio(node.text)):
        return [formula for term in terms for formula in _formulas(term)]
    if isinstance(node, Leaf) and node.quantity is None and node.text not in ("\\infty", "-\\infty", "+\\infty"):
        return [split_unit(node.text)[0]]
    return []
