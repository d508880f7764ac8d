"""From source rows to questions over one pool of passages."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from musique_search.sources import Row

Split = Literal["train", "validation"]


class Passage(NamedTuple):
    title: str
    """Empty where the source has none."""
    text: str


class Hop(BaseModel):
    """One step of a question's decomposition."""

    question: str
    """May name earlier answers as `#1`, `#2`."""
    answer: str
    passage: int | None
    """Number of the supporting passage; None where the source does not say which it is (only the pair)."""


class Question(BaseModel):
    """An answerable question whose supporting passages are all in the corpus."""

    id: str
    question: str
    answer: str
    aliases: list[str]
    hops: list[Hop]
    """In hop order."""
    supporting: list[int]
    """Passage numbers in hop order, each once; the identified ones."""
    split: Split


class Manifest(BaseModel):
    """What a corpus folder was made from and what is in it."""

    key: str
    """sha256 of the inputs: source, eval_ratio, seed, format. Equal keys mean equal content."""
    format: int
    source: dict[str, Any]
    eval_ratio: float
    seed: int
    rows: int
    """Rows read."""
    unanswerable: int
    """Rows left out because `answerable` is false; their paragraphs are left out too."""
    uncovered: int
    """Rows left out because a supporting passage is not in the corpus."""
    questions: int
    """Questions kept."""
    unidentified: int
    """Of these, questions with a hop whose passage is in the corpus but not identified."""
    by_hops: dict[int, int]
    """Answerable rows by number of hops, uncovered ones included."""
    kept_by_hops: dict[int, int]
    splits: dict[Split, int]
    paragraphs: int
    """Paragraphs pooled, repeats included."""
    passages: int
    """Distinct passages."""
    titles: int
    """Distinct titles among them."""
    corpus_sha256: str
    """Hash of the indexed texts, in order; the index carries it too."""
    questions_sha256: str
    """sha256 of the questions as JSON lines (a parquet file's bytes depend on the version that wrote it)."""


class _Paragraph(BaseModel):
    idx: int
    title: str | None
    paragraph_text: str


class _Step(BaseModel):
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    paragraph_support_idx: int | None


class _Row(BaseModel):
    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    answer_aliases: list[str] = []
    answerable: bool = True
    paragraphs: list[_Paragraph]
    question_decomposition: list[_Step] = Field(min_length=1)
    gold_in_corpus: bool = False
    """Set by sources that know the passages to be there without knowing which they are."""


def normal(text: str) -> str:
    """Text with Unicode NFC and single blanks: equal for texts that differ only in how they were typed."""
    return " ".join(unicodedata.normalize("NFC", text).split())


class Pool:
    """Distinct passages, numbered in order of first appearance; the first spelling is kept."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.seen = 0
        """Paragraphs added, repeats included."""
        self._numbers: dict[tuple[str, str], int] = {}

    def add(self, title: str | None, text: str) -> int:
        """The passage's number. Title and text together are its identity: titles alone are not unique."""
        self.seen += 1
        key = normal(title or ""), normal(text)
        number = self._numbers.setdefault(key, len(self.passages))
        if number == len(self.passages):
            self.passages.append(Passage(title or "", text))
        return number


def collect(rows: Iterable[Row], pool: Pool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Fields of the questions to keep (all of `Question` but `split`) and the manifest's counts of rows.

    Raises ValueError naming row and field for a bad row, and for an id that occurs twice.
    """
    drafts: list[dict[str, Any]] = []
    ids: set[str] = set()
    by_hops: Counter[int] = Counter()
    read = unanswerable = uncovered = 0
    for read, raw in enumerate(rows, 1):
        row = _parse(raw, read)
        if row.id in ids:
            raise ValueError(f"row {read}: id {row.id!r} occurs twice; ids must be unique in a corpus")
        ids.add(row.id)
        if not row.answerable:
            unanswerable += 1
            continue
        by_hops[len(row.question_decomposition)] += 1
        numbers = {p.idx: pool.add(p.title, p.paragraph_text) for p in row.paragraphs}
        steps = row.question_decomposition
        hops = [
            Hop(question=s.question, answer=s.answer, passage=numbers.get(s.paragraph_support_idx))
            if s.paragraph_support_idx is not None
            else Hop(question=s.question, answer=s.answer, passage=None)
            for s in steps
        ]
        gold = [hop.passage for hop in hops if hop.passage is not None]
        if len(gold) < len(hops) and not row.gold_in_corpus:
            uncovered += 1
            continue
        drafts.append(
            {
                "id": row.id,
                "question": row.question,
                "answer": row.answer,
                "aliases": [alias for alias in dict.fromkeys(row.answer_aliases) if alias.strip()],
                "hops": hops,
                "supporting": list(dict.fromkeys(gold)),
            }
        )
    counts = {
        "rows": read,
        "unanswerable": unanswerable,
        "uncovered": uncovered,
        "by_hops": dict(sorted(by_hops.items())),
    }
    return drafts, counts


def question_key(question: str) -> str:
    """Equal for questions that a reader takes for the same text."""
    return normal(question).casefold()


def held_out_texts(questions: Sequence[str], eval_ratio: float, seed: int) -> set[str]:
    """Keys of the question texts that go to the eval side, together `round(eval_ratio * n)` questions.

    Texts are drawn in order of a seeded hash, so neither row order nor Python's random generator matters;
    a text whose repeats no longer fit is passed over.
    """
    sizes = Counter(question_key(question) for question in questions)
    wanted = round(eval_ratio * len(questions))
    held_out: set[str] = set()
    for key in sorted(sizes, key=lambda key: hashlib.sha256(f"{seed}\n{key}".encode()).digest()):
        if sizes[key] <= wanted:
            held_out.add(key)
            wanted -= sizes[key]
        if not wanted:
            break
    return held_out


def _parse(raw: Row, number: int) -> _Row:
    try:
        return _Row.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "row"
        raise ValueError(
            f"row {number} ({raw.get('id', 'no id')}): {field}: {first['msg']}; rows need MuSiQue's original format"
        ) from None
