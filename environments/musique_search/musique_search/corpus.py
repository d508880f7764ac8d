"""The corpus: every paragraph of every question pooled once, the questions that it can answer, and its index.

A paragraph's identity is title and text together. Pooling by title would keep one text of each title and
lose gold evidence for a quarter of MuSiQue's questions.
"""

import fcntl
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from musique_search import index, tokenise
from musique_search.folders import new_folder
from musique_search.index import Index, build_index, corpus_hash
from musique_search.rows import Hop, Manifest, Passage, Pool, Question, collect, held_out_texts, question_key
from musique_search.sources import Row, Source, find_source
from musique_search.strings import Strings, write_strings

__all__ = ["Corpus", "Hop", "Manifest", "Passage", "Question", "build_corpus", "corpus_folder", "open_corpus"]

FORMAT = 1
"""Changes with the folder's layout or with what goes into it."""
MANIFEST = "manifest.json"
_AGAIN = "delete the folder and build it again (`data-build musique`; one in the cache is rebuilt on its next use)"


class Passages(Sequence[Passage]):
    """The passages by number, read from the mapped files when asked for."""

    def __init__(self, folder: Path) -> None:
        self._titles, self._texts = Strings(folder, "titles"), Strings(folder, "texts")

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> list[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | list[Passage]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return Passage(self._titles[index], self._texts[index])


class Corpus:
    """An opened corpus folder. Questions and index are loaded when first used."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self.passages = Passages(path)

    @cached_property
    def questions(self) -> list[Question]:
        """In the source's order. Raises ValueError where the file is damaged or not this corpus's."""
        import pyarrow.parquet

        try:
            rows = pyarrow.parquet.read_table(self.path / "questions.parquet").to_pylist()
            questions = [Question.model_validate(row) for row in rows]
        except (OSError, ValueError) as error:
            raise ValueError(f"{self.path / 'questions.parquet'} cannot be read ({error}): {_AGAIN}") from None
        if _questions_hash(questions) != self.manifest.questions_sha256:
            raise ValueError(f"{self.path / 'questions.parquet'} does not belong to its manifest: {_AGAIN}")
        return questions

    @cached_property
    def index(self) -> Index:
        """Raises ValueError for an index that is damaged or of another corpus."""
        return Index.open(self.path / "index", self.manifest.corpus_sha256)


def indexed_text(passage: Passage) -> str:
    """What is searched: title and text."""
    return f"{passage.title}\n{passage.text}"


def inputs_key(source: dict[str, Any], eval_ratio: float = 0.1, seed: int = 0) -> str:
    """Names the content that these inputs give."""
    formats = [FORMAT, index.FORMAT, tokenise.VERSION]
    inputs = {"formats": formats, "source": source, "eval_ratio": eval_ratio, "seed": seed}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def build_corpus(
    rows: Iterable[Row],
    output: Path,
    *,
    eval_ratio: float = 0.1,
    seed: int = 0,
    source: dict[str, Any],
    passages: Iterable[tuple[str, str]] = (),
) -> Manifest:
    """Pools the paragraphs of `rows` (original format), splits the questions, builds the index.

    `passages` (title, text) are pooled first, for sources that keep them apart. `source` goes into the
    manifest and must name the content (a revision, a sha256). The folder appears under its name only when
    complete; an older corpus there is replaced. Raises ValueError naming the row and field for a bad row,
    for an id that occurs twice, and where no question is left.
    """
    if not 0 <= eval_ratio < 1:
        raise ValueError(f"eval_ratio must be at least 0 and below 1, not {eval_ratio}")
    if output.exists() and not (output / MANIFEST).is_file():
        raise ValueError(f"output: {output} exists and is no corpus folder; name a new folder")
    pool = Pool()
    for title, text in passages:
        pool.add(title, text)
    drafts, counts = collect(rows, pool)
    if not drafts:
        raise ValueError("no question is left: every row is unanswerable or lacks a supporting passage")
    held_out = held_out_texts([draft["question"] for draft in drafts], eval_ratio, seed)
    questions = [
        Question(**draft, split="validation" if question_key(draft["question"]) in held_out else "train")
        for draft in drafts
    ]
    texts = [indexed_text(passage) for passage in pool.passages]
    splits = Counter(question.split for question in questions)
    manifest = Manifest(
        **counts,
        key=inputs_key(source, eval_ratio, seed),
        format=FORMAT,
        source=source,
        eval_ratio=eval_ratio,
        seed=seed,
        questions=len(questions),
        unidentified=sum(any(hop.passage is None for hop in question.hops) for question in questions),
        kept_by_hops=dict(sorted(Counter(len(question.hops) for question in questions).items())),
        splits={"train": splits["train"], "validation": splits["validation"]},
        paragraphs=pool.seen,
        passages=len(pool.passages),
        titles=len({passage.title for passage in pool.passages}),
        corpus_sha256=corpus_hash(texts),
        questions_sha256=_questions_hash(questions),
    )
    with new_folder(output) as work:
        write_strings(work, "titles", (passage.title for passage in pool.passages))
        write_strings(work, "texts", (passage.text for passage in pool.passages))
        _write_questions(work / "questions.parquet", questions)
        build_index(texts, work / "index")
        (work / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return manifest


def open_corpus(path: Path) -> Corpus:
    """Opens a built folder. Raises ValueError, saying how to rebuild, where it is not a whole corpus."""
    try:
        manifest = Manifest.model_validate_json((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise ValueError(
            f"{path} is no corpus folder ({MANIFEST} is missing): make it with `data-build musique`"
        ) from None
    except ValueError:
        raise ValueError(f"{path / MANIFEST} cannot be read: {_AGAIN}") from None
    if manifest.format != FORMAT:
        raise ValueError(f"{path} has format {manifest.format}, this version reads {FORMAT}: {_AGAIN}")
    try:
        corpus = Corpus(path, manifest)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is damaged ({error}): {_AGAIN}") from None
    if len(corpus.passages) != manifest.passages:
        raise ValueError(f"{path} has {len(corpus.passages)} passages, its manifest says {manifest.passages}: {_AGAIN}")
    return corpus


def corpus_folder(name_or_path: str | Path, cache: Path | None = None) -> Path:
    """The built folder (index included) of a corpus, built on its first use.

    `name_or_path`: `invented` (shipped), `validation` or `train` (hub, pinned), a built folder, a JSON lines
    file in the original format, or a folder with the questions + passages pair. Builds go to `cache`, by default
    `slm-rl/musique` in the user's cache folder, under a name made from the inputs. Workers that ask at the same
    time wait for the first one. Raises ValueError where the source cannot be found or read.
    """
    if (folder := Path(name_or_path).expanduser()).joinpath(MANIFEST).is_file():
        return folder
    source = find_source(name_or_path)
    folder = cache_folder(source, cache)
    build_once(source, folder)
    return folder


def cache_folder(source: Source, cache: Path | None = None, eval_ratio: float = 0.1, seed: int = 0) -> Path:
    """Where the cache keeps the corpus of these inputs."""
    cache = cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "slm-rl/musique"
    return cache / f"{source.name}-{inputs_key(source.identity, eval_ratio, seed)[:12]}"


def build_once(source: Source, folder: Path, eval_ratio: float = 0.1, seed: int = 0) -> bool:
    """Builds `folder` unless it already is the corpus of these inputs; returns whether it was built.

    A folder that is damaged or of other inputs is replaced. Of several processes one builds and the
    others wait for it.
    """
    if _is_built(source, folder, eval_ratio, seed):
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released by the system when its holder dies
        if _is_built(source, folder, eval_ratio, seed):
            return False
        rows, passages = source.read()
        build_corpus(rows, folder, eval_ratio=eval_ratio, seed=seed, source=source.identity, passages=passages)
    return True


def _is_built(source: Source, folder: Path, eval_ratio: float, seed: int) -> bool:
    try:
        corpus = open_corpus(folder)
        return corpus.manifest.key == inputs_key(source.identity, eval_ratio, seed) and corpus.index.passages > 0
    except ValueError:
        return False


def _questions_hash(questions: Iterable[Question]) -> str:
    lines = (question.model_dump_json() + "\n" for question in questions)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _write_questions(path: Path, questions: Sequence[Question]) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    hop = pa.struct([("question", pa.string()), ("answer", pa.string()), ("passage", pa.int32())])
    schema = pa.schema(
        [
            *((name, pa.string()) for name in ("id", "question", "answer")),
            ("aliases", pa.list_(pa.string())),
            ("hops", pa.list_(hop)),
            ("supporting", pa.list_(pa.int32())),
            ("split", pa.string()),
        ]
    )
    table = pa.Table.from_pylist([question.model_dump() for question in questions], schema=schema)
    pyarrow.parquet.write_table(table, path)
