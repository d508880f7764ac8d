"""Fresh word problems by seed: the GSM-symbolic templates of reasoning-gym, with unsound rows filtered out.

Row `i` of a seed depends on the seed and on `i` alone, so `n` may grow and no row changes. A draw that fails a check is
drawn again; `Generated.refused` counts the draws refused, by reason. Of reasoning-gym (Apache-2.0) only the two modules
with the templates are loaded: importing the package takes seconds and needs a C compiler for one of its requirements.
"""

import ast
import importlib
import importlib.util
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Literal

from math_reasoning.rows import Row, fingerprint

Split = Literal["train", "test"] | None

UNFINISHED = {32, 35, 37, 61, 63, 65, 74, 76, 77, 79, 86, 87, 90, 97, 98}
"""Templates that reasoning-gym itself leaves out (`tasks_need_fix`)."""
BROKEN = {
    14: "a bare number where 'twice' or 'three times' belongs",
    25: "more eaten than the bag holds",
    51: "a bare number where 'twice' or 'three times' belongs",
    52: "a bare number where 'twice' or 'half' belongs",
    70: "more coins found again than were dropped",
    93: "a bare number where 'twice' or 'half' belongs",
}
"""Templates whose English does not say what the answer assumes."""
TEMPLATES = [number for number in range(100) if number not in UNFINISHED]

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]")
_TAIL = re.compile(r"[-+*/().\d\s]*$")
_HEAD = re.compile(r"\s*(?:\([\d.]+/100\)|-?\d+(?:\.\d+)?(?:\s*[-+*/]\s*\d+(?:\.\d+)?)*)")
_NOISE = re.compile(r"\d\.\d{4,}")
_CURRENCIES = {
    "dollar": re.compile(r"\$|\bdollars?\b", re.IGNORECASE),
    "euro": re.compile(r"€|\beuros?\b", re.IGNORECASE),
    "pound": re.compile(r"£"),
    "cent": re.compile(r"\bcents?\b", re.IGNORECASE),
}
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ROUNDING = Fraction(1, 100)


@dataclass(frozen=True)
class Generated:
    """The rows, and the draws refused on the way by reason."""

    rows: list[Row]
    refused: Counter[str]


def generate(n: int, seed: int, split: Split = None) -> Generated:
    """Rows 0 to `n - 1` of a seed; no text of `train` is in `test`, whatever the seeds are (None draws from both).

    Raises ImportError naming the extra where reasoning-gym is missing.
    """
    refused: Counter[str] = Counter()
    return Generated([_row(seed, index, split, refused) for index in range(n)], refused)


def _row(seed: int, index: int, split: Split, refused: Counter[str]) -> Row:
    for attempt in range(1000):
        rng = Random(f"{seed}:{index}:{attempt}")
        template = rng.choice(TEMPLATES)
        try:
            drawn = _templates()[template](rng, 1.0)
        except (ValueError, ZeroDivisionError):  # the template found no numbers that fit, or none it can print
            refused["no answer"] += 1
            continue
        solution = drawn["metadata"]["answer_cot"]
        reason = "wording" if template in BROKEN else problem(drawn["question"], drawn["answer"], solution)
        if reason is None and split is not None and _split(drawn["question"]) != split:
            reason = "other split"
        if reason is None:
            return Row(
                id=f"gsm_symbolic-{split or 'all'}-{seed}-{index:05d}",
                question=drawn["question"],
                answer=drawn["answer"],
                solution=solution.rpartition("####")[0].strip(),
                source=f"reasoning-gym gsm_symbolic, template {template}",
            )
        refused[reason] += 1
    raise RuntimeError(f"seed {seed}, row {index}: 1000 draws refused")


def _split(question: str) -> Split:
    return "test" if int(fingerprint(question), 16) % 5 == 0 else "train"


def problem(question: str, answer: str, solution: str) -> str | None:
    """Why a drawn problem cannot be a row, None if it can.

    - `gold`: no plain number, or one that is negative or no multiple of 0.01;
    - `solution`: the worked solution ends with another number;
    - `arithmetic`: one of its steps is false (a rounded count), or a quantity is negative;
    - `decimals`: the question shows floating-point noise;
    - `currency`: the question mixes currencies.
    """
    if not re.fullmatch(r"\d+(?:\.\d{1,2})?", answer):
        return "gold"
    final = _NUMBER.search(solution.rpartition("####")[2].replace(",", ""))
    if final is None or Fraction(final[0]) != Fraction(answer):
        return "solution"
    if _NOISE.search(question):
        return "decimals"
    named = [name for name, sign in _CURRENCIES.items() if sign.search(question)]
    if len(named) > 1 and named != ["dollar", "cent"]:
        return "currency"
    if any(result < 0 or abs(result - stated) > _ROUNDING for result, stated in steps(solution)):
        return "arithmetic"
    return None


def steps(solution: str) -> Iterator[tuple[Fraction, Fraction]]:
    """The equations of a worked solution as (value of the left side, number on the right), units left out.

    A side that is no plain arithmetic (an unknown, a word problem in words) gives none.
    """
    for line in solution.rpartition("####")[0].splitlines():
        line = re.sub(r"[£$€,]", "", re.sub(r"^\s*[-•]", "", line)).replace("half *", "0.5 *").replace("×", "*")
        line = re.sub(r"(\d+(?:\.\d+)?)\s*%", r"(\1/100)", re.sub(r"÷\s*(\d+/\d+)", r"/(\1)", line)).replace("÷", "/")
        line = _WORD.sub(" ", re.sub(r"(?<=[\w)])/[A-Za-z]+", " ", line))
        sides = re.sub(r"(?<=[\s\d])x(?=\s*\d)", "*", line).split("=")
        for left, right in pairwise(sides):
            result, stated = _value(_TAIL.search(left)), _value(_HEAD.match(right))
            if result is not None and stated is not None and re.search(r"[\d)]\s*[-+*/]", left):
                yield result, stated


def _value(found: re.Match[str] | None) -> Fraction | None:
    """Of the longest end of the text that is arithmetic: numbers of the prose before it are no part of it."""
    if found is None or (found[0].strip()[:1] in "-+*/" and found.string[: found.start()].strip()):
        return None  # it goes on from an unknown
    text = re.sub(r"(?<=\d)\s*(?=\()", "*", found[0].strip().rstrip("."))
    if "**" in text:
        return None
    for start in [0, *(number.start() for number in re.finditer(r"(?<![\d.])[\d(]", text))]:
        try:
            return _evaluate(ast.parse(text[start:], mode="eval").body, text[start:])
        except (SyntaxError, ValueError, ZeroDivisionError):
            continue
    return None


def _evaluate(node: ast.expr, text: str) -> Fraction:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left, text), _evaluate(node.right, text))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand, text)
    if isinstance(node, ast.Constant):
        return Fraction(ast.get_source_segment(text, node) or "")
    raise ValueError(f"not arithmetic: {text!r}")


@cache
def _templates() -> dict[int, Callable[[Random, float], dict[str, Any]]]:
    found = importlib.util.find_spec("reasoning_gym")
    if found is None or not found.submodule_search_locations:
        raise ImportError(
            "dataset: gsm_symbolic needs reasoning-gym; install math-reasoning[procedural], or choose another dataset"
        )
    templates = {}
    with _bare_packages(Path(found.submodule_search_locations[0])) as package:
        for name in ("generators_00_49", "generators_50_99"):
            module = importlib.import_module(f"{package}.{name}")
            for function in dir(module):
                if function.startswith("generate_"):
                    templates[int(function.removeprefix("generate_"))] = getattr(module, function)
    return templates


@contextmanager
def _bare_packages(root: Path) -> Generator[str]:
    """Stands in for the packages above the templates, so that none of their `__init__` runs; leaves no trace."""
    names = ["reasoning_gym", "reasoning_gym.arithmetic", "reasoning_gym.arithmetic.gsm_symbolic"]
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "reasoning_gym"}
    try:
        if not before:
            for name in names:
                package = ModuleType(name)
                package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
                sys.modules[name] = package
        yield names[-1]
    finally:
        if not before:
            for name in [name for name in sys.modules if name.split(".")[0] == "reasoning_gym"]:
                del sys.modules[name]
