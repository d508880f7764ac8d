"""The two corpora that Open-RS starts from."""

import re
import tempfile
from pathlib import Path

from math_reasoning.rows import Row, comparable
from math_reasoning.sources import load_rows

S1 = "simplescaling/data_ablation_full59K"
"""The 59,029 problems of s1 (arXiv:2501.19393)."""


def load_s1(path: Path | None, revision: str | None) -> tuple[list[Row], int]:
    """The s1 corpus, each problem once, and how many repeated rows were left out.

    Raises ValueError for a file that is none, and where neither a file nor a full commit hash is given.
    """
    if path is not None:
        return _once(load_rows("s1", path=path))
    if not re.fullmatch(r"[0-9a-f]{40}", revision or ""):
        raise ValueError(
            f"--s1-revision: {revision!r} is no full commit hash of {S1}; give the one to pin, or a file with --s1"
        )
    from datasets import load_dataset

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "s1.jsonl"
        try:
            rows = load_dataset(S1, split="train", revision=revision)
        except OSError as error:
            raise ValueError(f"{S1} cannot be loaded: {error}; connect once, or give a file with --s1") from error
        rows.select_columns(["question", "solution"]).to_json(lines)
        source = f"{S1}@{(revision or '')[:12]}"
        return _once([row.model_copy(update={"source": source}) for row in load_rows("s1", path=lines)])


def load_deepscaler(path: Path | None) -> tuple[list[Row], int]:
    """DeepScaleR, each problem once, and how many repeated rows were left out; from the hub without a file."""
    return _once(load_rows("deepscaler", path=path))


def _once(rows: list[Row]) -> tuple[list[Row], int]:
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(comparable(row.question), row)
    return list(first.values()), len(rows) - len(first)
