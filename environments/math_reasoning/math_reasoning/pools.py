"""Which rows of a source become tasks."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path

from math_reasoning.known_bad import KNOWN_BAD
from math_reasoning.rows import Row
from slm_rewards.math import check_golds

logger = logging.getLogger(__name__)

_verdicts: dict[str, str | None] = {}
"""Gold → what is wrong with it; a process asks once."""


def read_pool(path: str | Path) -> list[str]:
    """The ids of a pool file: one JSON array, or one id a line. Raises ValueError for anything else."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise ValueError(f"pool: {str(path)!r} is no file; give a file of ids, a JSON array or one a line")
    text = file.read_text(encoding="utf-8").strip()
    if text.startswith("["):
        try:
            ids = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"pool: {file.name} is not JSON ({error.msg}); give one array of ids") from None
        if not all(isinstance(identity, str) for identity in ids):
            raise ValueError(f"pool: {file.name} holds more than ids; give one array of strings")
    else:
        ids = [line.strip() for line in text.splitlines() if line.strip()]
    if not ids:
        raise ValueError(f"pool: {file.name} names no rows")
    return ids


def in_pool(rows: Iterable[Row], path: str | Path) -> list[Row]:
    """The rows that a pool names, in their own order. Raises ValueError for ids that no row has."""
    rows = list(rows)
    wanted = set(read_pool(path))
    if unknown := sorted(wanted - {row.id for row in rows}):
        raise ValueError(
            f"pool: {len(unknown)} of {len(wanted)} ids name no row, first {', '.join(unknown[:5])}; "
            "use the dataset, split and levels that the pool was made from"
        )
    return [row for row in rows if row.id in wanted]


def without_known_bad(rows: Iterable[Row]) -> list[Row]:
    """The rows that `KNOWN_BAD` does not list."""
    rows = list(rows)
    kept = [row for row in rows if row.id not in KNOWN_BAD]
    if len(kept) < len(rows):
        logger.info("%d rows with a known bad gold left out of %d", len(rows) - len(kept), len(rows))
    return kept


def gold_problems(rows: Iterable[Row]) -> dict[str, str]:
    """Ids of the rows that no reply could be judged by → why."""
    rows = list(rows)
    new = {row.answer: row.answer for row in rows if row.answer not in _verdicts}
    problems = check_golds(new) if new else {}
    _verdicts.update({gold: problems.get(gold) for gold in new})
    return {row.id: problem for row in rows if (problem := _verdicts[row.answer])}


def with_usable_gold(rows: Iterable[Row], strict: bool) -> list[Row]:
    """The rows whose gold can be judged; the others are refused and named in a warning, or in a ValueError if `strict`.

    Raises ValueError where none is left.
    """
    rows = list(rows)
    problems = gold_problems(rows)
    kept = [row for row in rows if row.id not in problems]
    if problems:
        listed = "\n".join(f"  {identity}: {problem}" for identity, problem in problems.items())
        text = f"golds: {len(problems)} of {len(rows)} rows refused, no reply could be judged by them:\n{listed}"
        if strict or not kept:
            raise ValueError(text)
        logger.warning(text)
    return kept
