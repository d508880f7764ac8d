"""Reported faults of BM25 search and of pooling passages; the ids are those of the public reports."""

import statistics
import time
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from musique_search.corpus import build_corpus, open_corpus
from musique_search.index import Index, build_index, corpus_hash
from musique_search.tokenise import tokens

FILLER = [f"alfa{i} beta{i} gamma{i}" for i in range(25)]
"""Passages that make a corpus large enough for positive idf values."""


def index_of(texts: list[str], folder: Path) -> Index:
    build_index(texts, folder / "index")
    return Index.open(folder / "index", corpus_hash(texts))


def hits(texts: list[str], query: str, folder: Path, k: int = 10) -> list[int]:
    return [number for number, _ in index_of(texts, folder).search(query, k)]


def test_bm_02_no_match_is_ranked_below_a_passage_without_the_word(tmp_path: Path) -> None:
    """In a tiny corpus rank-bm25 scores matches below 0; those are no hits, and nothing else is one either."""
    texts = ["a b", "a c"]
    assert (BM25Okapi([tokens(text) for text in texts]).get_scores(["a"]) < 0).all()
    assert hits(texts, "a", tmp_path) == []
    assert hits([*texts, *FILLER], "a", tmp_path) == [0, 1]


@pytest.mark.parametrize("query", ["of the", "", "  ", "?!", "…"], ids=lambda query: f"BM-03 {query!r}")
def test_bm_03_a_query_that_matches_nothing_finds_nothing(query: str, tmp_path: Path) -> None:
    assert hits([*FILLER, "last passage of all"][:-1], query, tmp_path) == []


@pytest.mark.parametrize("query", [["alfa"], None, b"alfa", 3])
def test_bm_04_a_query_is_text_and_is_tokenised(query: object, tmp_path: Path) -> None:
    index = index_of(["alfa romeo", *FILLER], tmp_path)
    assert [number for number, _ in index.search("alfa", 3)] == [0]
    with pytest.raises(TypeError, match="must be a str"):
        index.search(query, 3)  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize("texts", [["", ""], [], ["  ", "?!"]], ids=lambda texts: f"BM-05 {texts}")
def test_bm_05_a_corpus_without_words_is_refused(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to index: no passage contains a word"):
        build_index(texts, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_bm_06_accented_words_stay_whole(tmp_path: Path) -> None:
    """The case expects the token `örebro`; here accents are folded as well, so that `Orebro` finds it too."""
    assert tokens("Örebro slott") == ["orebro", "slott"]
    for query in ("Örebro", "ÖREBRO", "O\u0308rebro", "orebro"):
        assert hits([*FILLER, "Örebro slott"], query, tmp_path) == [25]


def test_bm_07_punctuation_is_no_part_of_a_word(tmp_path: Path) -> None:
    assert hits([*FILLER, "He moved to Lund."], "Lund", tmp_path) == [25]


def test_bm_10_equal_matches_rank_first_with_equal_scores(tmp_path: Path) -> None:
    found = index_of(["foo", "dog", "baz", "quick cat", "quick fox"], tmp_path).search("quick", 5)
    assert [number for number, _ in found] == [3, 4]
    assert found[0][1] == found[1][1] > 0


def test_bm_11_k_may_exceed_the_corpus(tmp_path: Path) -> None:
    assert sorted(hits(["ada x", "bea y", "cid z"], "ada bea cid", tmp_path, k=10)) == [0, 1, 2]


def test_bm_13_a_query_takes_milliseconds(tmp_path: Path) -> None:
    """The budget of 20 ms at 84,600 passages, here as its share for 8,460; `bench search` measures the full size."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(20_000)])
    ranks = 1 / np.arange(1, len(words) + 1)
    texts = [" ".join(row) for row in rng.choice(words, size=(8_460, 85), p=ranks / ranks.sum())]
    index = index_of(texts, tmp_path)
    seconds = []
    for _ in range(25):
        query = " ".join(rng.choice(words, size=6, p=ranks / ranks.sum()))
        start = time.perf_counter()
        index.search(query, 5)
        seconds.append(time.perf_counter() - start)
    assert statistics.median(seconds) < 0.002


def row(id_: str, paragraphs: list[tuple[str, str]], gold: list[int]) -> dict:
    """A row of the original format whose hops are supported by the paragraphs numbered `gold`."""
    return {
        "id": id_,
        "question": f"question {id_}?",
        "answer": "B",
        "answer_aliases": [],
        "answerable": True,
        "paragraphs": [
            {"idx": i, "title": title, "paragraph_text": text, "is_supporting": i in gold}
            for i, (title, text) in enumerate(paragraphs)
        ],
        "question_decomposition": [
            {"id": i, "question": "step", "answer": "B", "paragraph_support_idx": number}
            for i, number in enumerate(gold)
        ],
    }


def test_bm_14_passages_that_share_a_title_are_all_kept(tmp_path: Path) -> None:
    rows = [row("q", [("Springfield", "text A"), ("Springfield", "text B (gold)")], [1])]
    manifest = build_corpus(rows, tmp_path / "corpus", source={"kind": "test"})
    corpus = open_corpus(tmp_path / "corpus")
    assert (manifest.passages, manifest.titles) == (2, 1)
    assert corpus.passages[corpus.questions[0].supporting[0]] == ("Springfield", "text B (gold)")


def test_bm_16_an_id_may_occur_once(tmp_path: Path) -> None:
    rows = [row("q1", [("A", "text A")], [0]), row("q1", [("B", "text B")], [0])]
    with pytest.raises(ValueError, match=r"row 2: id 'q1' occurs twice"):
        build_corpus(rows, tmp_path / "corpus", source={"kind": "test"})
    assert not (tmp_path / "corpus").exists()


def test_scores_are_those_of_rank_bm25_in_a_tiny_corpus_too(tmp_path: Path) -> None:
    texts = ["a b", "a c", "a a d", ""]
    reference = BM25Okapi([tokens(text) for text in texts])
    index = index_of(texts, tmp_path)
    for query in ("a", "b", "a b a", "d c b a", "z", "a z"):
        np.testing.assert_array_equal(index.scores(query), reference.get_scores(tokens(query)))
