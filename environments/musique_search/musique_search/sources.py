"""Where MuSiQue rows come from: a file in the original format, the hub copy, or a questions + passages pair.

MuSiQue (Trivedi et al., TACL 2022) is licensed CC BY 4.0. A row of the original format has `id`, `question`,
`answer`, `answer_aliases`, `answerable`, `paragraphs` [{idx, title, paragraph_text, is_supporting}] and
`question_decomposition` [{id, question, answer, paragraph_support_idx}], whose questions name earlier answers
as `#1`, `#2`.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HUB_NAME = "dgslibisey/MuSiQue"
REVISION = "c8f4f8c9465fb69d31a8eae894c3fd509c4ca321"
"""Commit of the hub data set that every load reads."""
PAIR = ("musique_ans_dev_questions.jsonl.gz", "musique_passages.jsonl.gz")
"""File names of the normalised pair: questions with passage numbers, and the passages."""

INVENTED = Path(__file__).parent / "data/invented.jsonl.gz"
"""The corpus of our own making that the wheel ships."""

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """Objects of a JSON lines file, plain or gzip (told by its first bytes).

    Raises ValueError naming file and line for anything else, a cut gzip file among them.
    """
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
                yield row
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path.name} line {number}: not JSON ({error.msg}); the file needs one object a line"
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise ValueError(
            f"{path.name}: gzip data is damaged or cut after line {number}; fetch the file again"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: not UTF-8 text after line {number}") from None


def read_hub(split: str) -> Iterator[Row]:
    """Rows of `train` or `validation` of the hub data set, at the pinned revision."""
    if split not in ("train", "validation"):
        raise ValueError(f"split: {HUB_NAME} has train and validation, not {split!r}")
    from datasets import load_dataset

    try:
        rows = load_dataset(HUB_NAME, split=split, revision=REVISION)
    except OSError as error:
        raise ValueError(
            f"{HUB_NAME} ({split}, revision {REVISION[:12]}) cannot be loaded: {error}; "
            "connect once, or name a local file of MuSiQue rows as the corpus"
        ) from error
    for row in rows:
        yield dict(row)


def read_pair(folder: Path) -> tuple[Iterator[Row], Iterator[tuple[str, str]]]:
    """Rows in the original format and all (title, text) of the pair in `folder`.

    A row's paragraphs are its known gold passages; a step whose passage is not known has
    `paragraph_support_idx` None. `gold_in_corpus` is true where the passages are all there although not
    every one is identified (`corpus_complete_ket500`). A missing title becomes "".
    """
    questions, passages = (folder / name for name in PAIR)
    by_number = {row["pid"]: (row["title"] or "", row["text"]) for row in read_rows(passages)}

    def rows() -> Iterator[Row]:
        for row in read_rows(questions):
            gold = [number for number in row["gold_pids"] if number is not None]
            if missing := [number for number in gold if number not in by_number]:
                raise ValueError(f"{PAIR[0]} {row['id']}: gold_pids names passages that {PAIR[1]} lacks: {missing}")
            steps = zip(row["question_decomposition"], row["gold_pids"], strict=True)
            yield {
                **{key: row[key] for key in ("id", "question", "answer", "answer_aliases", "answerable")},
                "paragraphs": [
                    {"idx": number, "title": title, "paragraph_text": text, "is_supporting": True}
                    for number in dict.fromkeys(gold)
                    for title, text in [by_number[number]]
                ],
                "question_decomposition": [{**step, "paragraph_support_idx": number} for step, number in steps],
                "gold_in_corpus": row["gold_complete"] or row["corpus_complete_ket500"],
            }

    return rows(), iter(by_number.values())


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Source(NamedTuple):
    """Rows to build a corpus from, and what names their content."""

    name: str
    """Short, for folder names."""
    identity: dict[str, Any]
    """Goes into the manifest: kind, and revision or sha256. Names no folder: a file copied elsewhere is the same."""
    read: Callable[[], tuple[Iterable[Row], Iterable[tuple[str, str]]]]
    """Gives rows and separate passages (none in the original format)."""


def find_source(name_or_path: str | Path) -> Source:
    """`invented`, `validation`, `train`, a JSON lines file, or a folder with the questions + passages pair.

    Raises ValueError for anything else.
    """
    name = str(name_or_path)
    if name in ("train", "validation"):
        return Source(
            name, {"kind": "hub", "name": HUB_NAME, "revision": REVISION, "split": name}, lambda: (read_hub(name), ())
        )
    path = INVENTED if name == "invented" else Path(name_or_path).expanduser()
    if path.is_dir() and all((path / part).is_file() for part in PAIR):
        hashes = {part: file_hash(path / part) for part in PAIR}
        return Source("pair", {"kind": "pair", "sha256": hashes}, lambda: read_pair(path))
    if not path.is_file():
        if name == "invented":
            raise ValueError(
                f"the invented corpus ({path.name}) is missing: make it with `data-build musique --invent`"
            )
        raise ValueError(
            f"corpus: {name!r} is neither invented, validation, train, a built corpus, a JSON lines file, "
            f"nor a folder with {' and '.join(PAIR)}"
        )
    kind = "invented" if name == "invented" else "file"
    identity = {"kind": kind, "file": path.name, "sha256": file_hash(path)}
    return Source(path.name.split(".")[0], identity, lambda: (read_rows(path), ()))
