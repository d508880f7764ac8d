"""Checks of one row without a model: its gold scores 1 in every form asked for, anything else 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from slm_rewards.math import accuracy

if TYPE_CHECKING:
    from slm_rewards.math.extract import Style

ALIEN = "123456789.125"
"""Stands in where a data set has no other gold."""


def gold_replies(gold: str, style: Style) -> list[str]:
    """Replies in the forms that `style` reads, after prose and after a think block that names another box."""
    boxed = [
        f"\\boxed{{{gold}}}",
        f"First \\boxed{{{ALIEN}}}, then again. The answer is $\\boxed{{{gold}}}$.",
        f"<think>\nperhaps \\boxed{{{ALIEN}}}\n</think>\nSo it is \\[\\boxed{{{gold}}}\\]",
    ]
    marked = [f"#### {gold}", f"<think>\n#### {ALIEN}\n</think>\nSo many.\n#### {gold}\n"]
    return {"boxed": boxed, "gsm8k": marked, "any": boxed + marked}[style]


def bad_replies(gold: str, style: Style) -> list[str]:
    """Replies without an answer, although they name the gold."""
    cut = [f"<think>\n\\boxed{{{gold}}}\n#### {gold}\n", f"\\boxed{{{gold}", "\\boxed{}", "####", ""]
    if style == "boxed":
        return [*cut, f"#### {gold}", f"The answer is {gold}."]
    return [*cut, f"The answer is {gold}."] + ([f"\\boxed{{{gold}}}"] if style == "gsm8k" else [])


async def check_task(gold: str, others: Iterable[str], style: Style) -> list[str]:
    """What is wrong with a row, as short sentences; empty if it is sound.

    `others` are golds of other rows with another text. One that is judged equal must be so both ways (1/2 and 0.5), and
    not all may be.
    """
    problems = []
    for reply in gold_replies(gold, style):
        if await accuracy(reply, gold, style) != 1.0:
            problems.append(f"the gold {gold!r} does not score 1 in {reply[-60:]!r}")
    others = list(others) or [ALIEN]
    equal = []
    for other in others:
        if await accuracy(gold_replies(other, style)[0], gold, style) != 0.0:
            equal.append(other)
            if await accuracy(gold_replies(gold, style)[0], other, style) != 1.0:
                problems.append(f"the gold {other!r} of another row scores above 0, and not the other way round")
    if len(equal) == len(others):
        problems.append(f"the golds of other rows all score above 0: {equal}")
    for reply in bad_replies(gold, style):
        if await accuracy(reply, gold, style) != 0.0:
            problems.append(f"the reply {reply!r} scores above 0")
    return problems
