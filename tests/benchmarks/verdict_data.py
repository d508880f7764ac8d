"""Labelled answers for the benchmarks of verdicts, from the data folder beside the repository; empty without it."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

from slm_rewards.math import extract_answer

SHARED = Path(__file__).parents[3] / "shared"
Labelled = tuple[str, str, bool]
"""Gold, answer, label."""

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)", re.DOTALL)
_WORDS = re.compile(r"[A-Za-z']{3,}\s+[A-Za-z']+\s|Answer|[A-Za-z]+ ?: |[A-Za-z]{3,} [a-z]+: ")


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of `shared/data/<name>.jsonl.gz`."""
    path = SHARED / "data" / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def gsm8k_answers() -> list[Labelled]:
    """Answers of four GPT-3 models to the GSM8K test questions, labelled by the publisher's string match."""
    found = []
    for row in rows("gsm8k_model_solutions"):
        gold = row["ground_truth"].split("A:")[-1].strip()
        for model in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            _, marker, answer = row[model]["solution"].rpartition("A:")
            found.append((gold, answer.strip() if marker else "", bool(row[model]["is_correct"])))
    return found


def math_rollouts() -> list[Labelled]:
    """Boxed answers of a Qwen model to 100 MATH problems, labelled by another checker (not by people)."""
    return [
        (row["gt"], extract_answer(reply, "boxed") or "", bool(score))
        for row in rows("math_rollouts_qwen_100x8")
        for reply, score in zip(row["response"], row["score"], strict=True)
    ]


def unlabelled_rollouts() -> list[tuple[str, str]]:
    """Boxed answers of Qwen3-8B-Base to 128 MATH problems: gold and answer."""
    pairs = [
        (row["answer"], extract_answer(reply, "boxed"))
        for row in rows("math_rollouts_qwen3_8b_base_128")
        for reply in row["outputs"]
    ]
    return [(gold, answer) for gold, answer in pairs if answer]


def math_verify_pairs() -> tuple[list[Labelled], int]:
    """math-verify's own test pairs, each text cut to its box or last formula; and how many are prose without either."""
    found, prose = [], 0
    for row in rows("math_verify_pairs"):
        gold, answer = _short(row["gold"]), _short(row["pred"])
        if gold is None or answer is None:
            prose += 1
        else:
            found.append((gold, answer, bool(row["expected"])))
    return found, prose


def _short(text: str) -> str | None:
    """The box, the text itself if it is an answer alone, or the last formula if no number follows it in prose."""
    box = extract_answer(text, "boxed")
    if box is not None:
        return box
    formulas = list(_FORMULA.finditer(text))
    outside = re.sub(r"\b(?:and|or)\b", " ", _FORMULA.sub(" ", text))
    if not _WORDS.search(outside):
        return text
    if not formulas or len(text) - formulas[-1].end() > 20 or re.search(r"\d", text[formulas[-1].end() :]):
        return None
    return next(filter(None, formulas[-1].groups()))


def cases() -> list[Labelled]:
    """The reported faults of verdicts with a gold, an answer and a verdict."""
    path = SHARED / "cases" / "cases.jsonl"
    if not path.exists():
        return []
    reported = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        (case["input"]["gold"], case["input"]["prediction"], case["expected"])
        for case in reported
        if case["area"] == "math-verdict" and isinstance(case["expected"], bool)
    ]
