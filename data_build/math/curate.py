"""What each step of Open-RS keeps and why it drops the rest; no files here.

Every function returns the rows kept and `dropped`: id → reason, or pass rate.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

from data_build.math.parts import noise
from math_reasoning.contamination import overlaps
from math_reasoning.rows import Row, comparable
from slm_rewards.math import check_golds, extract_answer

Kept = tuple[list[Row], dict[str, str]]
UNSCORED = "no scored rollout"


def boxed(rows: Sequence[Row]) -> Kept:
    """Rows whose solution ends in a boxed answer, which becomes their gold."""
    kept, dropped = [], {}
    for row in rows:
        answer = extract_answer(row.solution, "boxed")
        if answer is not None:
            kept.append(row.model_copy(update={"answer": answer}))
        else:
            box = "\\boxed" in (row.solution or "")
            dropped[row.id] = "empty or unclosed box" if box else "no box"
    return kept, dropped


def unsolved(rows: Sequence[Row], rates: Mapping[str, float], easy_at: float) -> Kept:
    """Rows that the model of `rates` solves in less than the share `easy_at` of its rollouts.

    Rows without a scored rollout are dropped: whether they are easy is not known. So are rows whose gold cannot be
    judged: math-reasoning leaves them out of every run.
    """
    refused = check_golds({row.id: row.answer for row in rows})

    def reason(row: Row) -> str | None:
        rate = rates.get(row.id)
        if row.id in refused or rate is None:
            return refused.get(row.id, UNSCORED)
        return f"easy: pass rate {rate:.4f}" if rate >= easy_at else None

    return _split(rows, reason)


def clean_by_rule(rows: Sequence[Row]) -> Kept:
    """Rows that the rules of `parts` pass."""
    return _split(rows, lambda row: noise(row.question))


def clean_by_judge(rows: Sequence[Row], verdicts: Mapping[str, float]) -> Kept:
    """Rows that most verdicts keep."""

    def reason(row: Row) -> str | None:
        verdict = verdicts.get(row.id)
        return UNSCORED if verdict is None else "judge" if verdict <= 0.5 else None

    return _split(rows, reason)


def usable(rows: Sequence[Row], benchmarks: Sequence[Row]) -> Kept:
    """Rows whose gold can be judged and whose text holds no benchmark problem and is not that of an earlier row."""
    refused = check_golds({row.id: row.answer for row in rows})
    tests = overlaps(rows, benchmarks)
    seen: set[str] = set()

    def reason(row: Row) -> str | None:
        if row.id in tests:
            return f"in a benchmark: {tests[row.id]}"
        if row.id in refused:
            return refused[row.id]
        text = comparable(row.question)
        if text in seen:
            return "duplicate"
        seen.add(text)
        return None

    return _split(rows, reason)


def draw(rows: Sequence[Row], count: int, seed: int, name: str) -> list[Row]:
    """`count` rows in an order that only seed and ids decide. Raises ValueError where there are fewer."""
    if len(rows) < count:
        raise ValueError(f"mix: {count:,} problems of {name} are wanted, there are {len(rows):,}; lower the number")
    return sorted(rows, key=lambda row: hashlib.sha256(f"{seed}:{row.id}".encode()).digest())[:count]


def _split(rows: Sequence[Row], reason: Callable[[Row], str | None]) -> Kept:
    reasons = [(row, reason(row)) for row in rows]
    return [row for row, why in reasons if why is None], {row.id: why for row, why in reasons if why is not None}
