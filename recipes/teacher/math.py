"""math-reasoning: the data set's own worked solution, ending in the form that the system prompt asks for.

The teacher works nothing out. Every rollout of a problem has the same text, a slip aside.
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from math_reasoning.prompts import PROMPTS
from math_reasoning.rows import Row
from math_reasoning.sources import HUB, load_rows, read_rows
from recipes.teacher.conversation import Reply

Form = Literal["gsm8k", "boxed"]
"""Prompts of math-reasoning that it can answer; the others want a think block, which no worked solution has."""
LAST_LINES: dict[Form, str] = {"gsm8k": "#### {}", "boxed": "\\boxed{{{}}}"}

_CALCULATOR = re.compile(r"<<[^\n]*?>>")
"""GSM8K's mark before a result: 48/2 = <<48/2=24>>24."""
_BOX = re.compile(r"\\f?box(?:ed)?\b")


@dataclass(frozen=True)
class Problem:
    solution: str
    """Worked solution without calculator marks and without a box."""
    answer: str


def load_problems(sources: list[str]) -> dict[str, Problem]:
    """Problems by question, from data sets of `HUB` (all splits) and JSON lines files; the first of equal questions.

    Rows without a solution or an answer stay out, and so do those with a box that holds another text than the answer.
    Raises ValueError for a source that cannot be read or of which no row is left.
    """
    known: dict[str, Problem] = {}
    for source in sources:
        try:
            rows = _rows(source)
        except ValueError as e:
            raise ValueError(f"math: {e}") from None
        usable = {row.question: problem for row in reversed(rows) if (problem := _problem(row))}
        if not usable:
            raise ValueError(f"math: no row of {source} has a worked solution and an answer; leave it out")
        known = usable | known
    return known


def next_turn(problem: Problem, messages: list[dict[str, Any]], rng: random.Random, slip: bool) -> Reply:
    """The solution and the answer; a slip states a wrong number. Raises ValueError for another system prompt."""
    answer = _wrong(problem.answer, rng) if slip else problem.answer
    return Reply(text=f"{problem.solution}\n{LAST_LINES[_form(messages)].format(answer)}")


def _rows(source: str) -> list[Row]:
    if Path(source).expanduser().is_file():
        return read_rows(Path(source).expanduser())
    if source not in HUB:
        raise ValueError(f"{source!r} is no file and no data set; give a JSON lines file or one of {', '.join(HUB)}")
    return [row for split in HUB[source].splits for row in load_rows(source, split)]


def _problem(row: Row) -> Problem | None:
    solution = _CALCULATOR.sub("", row.solution or "").replace(f"\\boxed{{{row.answer}}}", row.answer).strip()
    # A box left within the text could be taken for the answer.
    return Problem(solution, row.answer) if solution and row.answer and not _BOX.search(solution) else None


def _form(messages: list[dict[str, Any]]) -> Form:
    systems = [message.get("content") for message in messages if message["role"] == "system"]
    for form in LAST_LINES:
        if PROMPTS[form] in systems:
            return form
    raise ValueError(
        "messages: the scripted teacher answers math-reasoning under its prompts gsm8k and boxed alone; "
        "set env.taskset.prompt to one of them"
    )


def _wrong(answer: str, rng: random.Random) -> str:
    """A number that is not the answer."""
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", answer.replace(",", ""))
    if number:
        value = float(number[0]) + rng.choice((-10, -2, -1, 1, 2, 10))
        return f"{value:.10g}"
    return str(rng.choice([n for n in range(2, 100) if str(n) not in answer]))
