"""Where problems come from: the hub at a pinned revision, or any JSON lines file with the usual field names.

Public data is fetched from its own repository and never copied into the package. Every revision below is the commit
that public code pins for that repository; they were found by searching it, not by asking the hub.
"""

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from math_reasoning.rows import Row, fingerprint
from slm_rewards.math import extract_answer

__all__ = ["HUB", "Hub", "Row", "load_rows", "read_rows"]

_MATH = ("algebra", "counting_and_probability", "geometry", "intermediate_algebra", "number_theory")
_MATH += ("prealgebra", "precalculus")


class Hub(NamedTuple):
    """A data set on the hub."""

    repository: str
    revision: str
    """Full commit hash."""
    splits: dict[str | None, str]
    """Split as configured → split of the repository; `None` alone where there is only one."""
    configs: tuple[str | None, ...] = (None,)
    """Configurations whose rows are put together."""


_ONE, _TEST = {None: "train"}, {None: "test"}
_BOTH: dict[str | None, str] = {"train": "train", "test": "test"}
HUB = {
    "gsm8k": Hub("openai/gsm8k", "740312add88f781978c0658806c59bc2815b9866", _BOTH, ("main",)),
    "math": Hub("EleutherAI/hendrycks_math", "21a5633873b6a120296cce3e2df9d5550074f4a3", _BOTH, _MATH),
    "math500": Hub("HuggingFaceH4/MATH-500", "6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be", _TEST),
    "aime24": Hub("HuggingFaceH4/aime_2024", "2fe88a2f1091d5048c0f36abc874fb997b3dd99a", _ONE),
    "amc23": Hub("math-ai/amc23", "80815d37005feb82cd7f8fbc6901d5d3eff43057", _TEST),
    "minerva": Hub("math-ai/minervamath", "ee46ddc498933b1977577953250ca5c66be64f96", _TEST),
    "olympiadbench": Hub("math-ai/olympiadbench", "4faaf1e6ec17d11a4218a9bf4c049ecaf954dd84", _TEST),
    "open_rs": Hub("knoveleng/open-rs", "8de2b2d11162d97b45c7606902eae2bb1ff629b4", _ONE),
    "deepscaler": Hub("agentica-org/DeepScaleR-Preview-Dataset", "b6ae8c60f5c1f2b594e2140b91c49c9ad0949e29", _ONE),
}
"""Data sets by the name that a config gives."""

QUESTION = ("question", "problem")
ANSWER = ("answer", "final_answer", "answer_val")
"""Field names that rows are read from, the first one present wins; a solution with a box may stand in for an answer."""


def load_rows(
    dataset: str, split: str | None = None, levels: Collection[int] | None = None, path: str | Path | None = None
) -> list[Row]:
    """All rows of a data set in its order, from `path` where one is given, else from the hub.

    `dataset` is a key of `HUB`; with a path it only names the rows. `split` is `train` or `test` where the data set has
    both (None is `test`). `levels` keeps rows of these levels. Golds are as published: empty where a row has none.
    Raises ValueError, naming the field, for an unknown name, split, level or file, and for a row without a question.
    """
    if path is not None:
        found = Path(path).expanduser()
        if not found.is_file():
            raise ValueError(f"path: {str(path)!r} is no file; give a JSON lines file, plain or .gz")
        rows = read_rows(found, dataset)
    else:
        if dataset not in HUB:
            raise ValueError(f"dataset: {dataset!r} is unknown; use one of {', '.join(HUB)}, or give a path")
        rows = _name_rows(dataset, _fetch(dataset, split))
    if levels is None:
        return rows
    if not any(row.level for row in rows):
        raise ValueError(f"levels: {dataset} rows carry no level; leave levels out")
    chosen = [row for row in rows if row.level in levels]
    if not chosen:
        raise ValueError(f"levels: no row of {dataset} has level {sorted(levels)}; there are 1 to 5")
    return chosen


def read_rows(path: Path, dataset: str | None = None) -> list[Row]:
    """The rows of a JSON lines file; `dataset` (default: the file's name) goes into their ids."""
    lines = ((f"{path.name} line {number}", path.name, row) for number, row in _read_lines(path))
    return _name_rows(dataset or path.name.split(".")[0], lines)


def _name_rows(dataset: str, raw: Iterator[tuple[str, str, dict[str, Any]]]) -> list[Row]:
    seen: Counter[str] = Counter()
    rows = []
    for place, source, fields in raw:
        row = _row(fields, place, source)
        identity = f"{dataset}-{fingerprint(row.question)}"
        seen[identity] += 1  # the same text twice: the second is -2
        suffix = f"-{seen[identity]}" if seen[identity] > 1 else ""
        rows.append(row.model_copy(update={"id": identity + suffix}))
    if not rows:
        raise ValueError(f"dataset: {dataset} has no rows")
    return rows


def _row(fields: dict[str, Any], place: str, source: str) -> Row:
    question = next((fields[name] for name in QUESTION if fields.get(name)), None)
    if not isinstance(question, str):
        raise ValueError(f"{place}: no question; it needs the field {' or '.join(QUESTION)}")
    if isinstance(context := fields.get("context"), str):
        question = f"{context}\n\n{question}"
    name = next((name for name in ANSWER if name in fields), None)
    solution = fields.get("solution")
    if isinstance(solution, list):
        solution = "\n\n".join(map(str, solution))
    if name is None and not isinstance(solution, str):
        raise ValueError(f"{place}: no answer; it needs the field {', '.join(ANSWER)}, or a solution with a box")
    answer = _plain(fields[name]) if name else ""
    if "####" in answer:  # GSM8K: the worked solution, then the number
        solution, _, answer = answer.rpartition("####")
    elif not answer:
        answer = extract_answer(solution, "boxed") or ""
    level = re.fullmatch(r"(?:level\s*)?([1-9])", str(fields.get("level", "")).strip(), re.IGNORECASE)
    return Row(
        id="",
        question=question.strip(),
        answer=answer.strip(),
        solution=solution.strip() if isinstance(solution, str) and solution.strip() else None,
        level=int(level[1]) if level else None,
        source=source,
    )


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(part) for part in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _fetch(dataset: str, split: str | None) -> Iterator[tuple[str, str, dict[str, Any]]]:
    hub = HUB[dataset]
    if split is None and None not in hub.splits:
        split = "test"
    if split not in hub.splits:
        choices = (
            "no splits; leave split out" if None in hub.splits else f"the splits {', '.join(map(str, hub.splits))}"
        )
        raise ValueError(f"split: {dataset} has {choices}, not {split!r}")
    from datasets import load_dataset

    source = f"{hub.repository}@{hub.revision[:12]}"
    for config in hub.configs:
        try:
            rows = load_dataset(hub.repository, config, split=hub.splits[split], revision=hub.revision)
        except OSError as error:
            raise ValueError(
                f"dataset: {source} cannot be loaded: {error}; connect once, or give a local file as path"
            ) from error
        for number, row in enumerate(rows):
            yield f"{source} row {number}", source, dict(row)


def _read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON lines file, plain or gzip (told by its first bytes), with their line numbers."""
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError(f"{path.name} line {number}: expected a JSON object, found {type(row).__name__}")
                yield number, row
    except json.JSONDecodeError as error:
        raise ValueError(f"{path.name} line {number}: not JSON ({error.msg}); one object a line is needed") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(f"{path.name}: gzip data is damaged or cut after line {number}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: not UTF-8 text after line {number}") from None
