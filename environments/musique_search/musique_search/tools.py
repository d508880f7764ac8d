"""The one tool, and the text form of its hits. Whatever is wrong with a call becomes a message that says what to do."""

# No `from __future__ import annotations` here: the server reads the annotations of these methods.
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import verifiers.v1 as vf
from pydantic import BeforeValidator, Field, WithJsonSchema

from musique_search.corpus import MANIFEST, Corpus, Passage, corpus_folder, open_corpus
from musique_search.rows import normal

NAMES = ("invented", "validation", "train")
"""Corpora that need no path."""
NO_QUERY = "error: the query is empty; write a few words to look for, for example a name from the question"
NO_WORDS = (
    "error: the query has no letter or digit; write a few words to look for, for example a name from the question"
)
NOTHING_FOUND = (
    "nothing found: no passage has any word of this query; try other words, for example a name exactly as the question "
    "or an earlier passage writes it"
)


def _as_text(value: object) -> str:
    """What a model sends for a text argument: text, a number, null, a list. An integral float is its integer."""
    if isinstance(value, list):
        return " ".join(_as_text(item) for item in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


# The model sees a plain string argument; what it sends instead is taken as text.
Text = Annotated[str, BeforeValidator(_as_text), WithJsonSchema({"type": "string"})]


def located(corpus: str) -> str:
    """The corpus' name, or its absolute path: the tool server runs in another folder."""
    path = Path(corpus).expanduser()
    return corpus if corpus in NAMES and not (path / MANIFEST).is_file() else str(path.resolve())


def open_named(corpus: str) -> Corpus:
    """The corpus of that name or path, built first if it is not there yet.

    Opens its index too, because a tool server that fails to start lets the run hang: raises ValueError, saying what
    to do, for an unknown, a damaged or an unindexed one.
    """
    opened = open_corpus(corpus_folder(corpus))
    if opened.index.passages != len(opened.passages):
        raise ValueError(f"corpus {corpus}: its index has {opened.index.passages} of {len(opened.passages)} passages")
    return opened


def show(passages: Iterable[Passage]) -> str:
    """Hits as the model reads them: a line with rank and title, a line with the text, a blank line between two.

    The rank says nothing about the passage; passage numbers would, because a question's paragraphs lie together.
    """
    blocks = (f"[{rank}] {normal(p.title)}\n{normal(p.text)}" for rank, p in enumerate(passages, start=1))
    return "\n\n".join(blocks)


def shown(result: str) -> list[str]:
    """Ids (`passage_id`) of the passages that a tool result shows, in order; none for a message."""
    ids = []
    for block in result.split("\n\n"):
        head, _, text = block.partition("\n")
        rank, bracket, title = head.partition("] ")
        if bracket and rank.startswith("[") and rank[1:].isdigit():
            ids.append(passage_id(title, text))
    return ids


def passage_id(title: str, text: str) -> str:
    """16 hexadecimal digits that name a passage by what it says, in whatever corpus it stands."""
    return hashlib.sha256(f"{normal(title)}\n{normal(text)}".encode()).hexdigest()[:16]


class SearchConfig(vf.SharedToolsetConfig):
    corpus: str = "invented"
    """Corpus to search; must be the taskset's."""
    top_k: int = Field(5, ge=1)
    """Hits of one call, at most."""


class SearchTools(vf.Toolset[SearchConfig]):
    """Search over one corpus. One server serves every rollout of a worker."""

    TOOL_PREFIX = None

    async def setup(self) -> None:
        self.corpus = open_named(self.config.corpus)

    @vf.tool(name="search")
    def search(self, query: Annotated[Text, Field(description="A few words to look for, for example a name.")]) -> str:
        """Search the passages for words. Returns the best matches, each with its title and text."""
        if not query.strip():
            return NO_QUERY
        if not any(c.isalnum() for c in query):
            return NO_WORDS
        hits = self.corpus.index.search(query, self.config.top_k)
        return show(self.corpus.passages[number] for number, _ in hits) if hits else NOTHING_FOUND


if __name__ == "__main__":
    SearchTools.run()
