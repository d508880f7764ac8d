"""BM25 search over a fixed corpus: rank-bm25 defines the scores, a saved table of its weights serves them.

`BM25Okapi` scores a query by walking over every passage for every term. What a term adds to a passage does
not depend on the query, so each (term, passage) weight is computed once, from BM25Okapi's own statistics and
in its own order of operations, and a query only adds up the rows of its terms. Terms in more than a tenth of
the passages are kept as full rows, the others as lists of (passage, weight). All arrays are memory-mapped.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Self

import numpy as np

from musique_search import tokenise
from musique_search.folders import new_folder
from musique_search.strings import Strings, map_array, write_strings
from musique_search.tokenise import tokens
from musique_search.weights import term_hash, weight_table

FORMAT = 1
"""Changes with the files' layout."""
_BLOCK = 64
_FILES = ("hashes", "starts", "passages", "weights", "full_rows", "full_row_of", "terms.utf8", "terms.ends")
_MANIFEST = "index.json"


class CorpusHash:
    """sha256 over texts in order; two corpora have it in common only if every text is the same."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, text: str) -> None:
        data = text.encode()
        self._hash.update(len(data).to_bytes(8, "little") + data)

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def corpus_hash(texts: Iterable[str]) -> str:
    """The hash that `build_index` stores and `Index.open` asks for."""
    digest = CorpusHash()
    for text in texts:
        digest.add(text)
    return digest.hexdigest()


def build_index(texts: Iterable[str], output: Path) -> None:
    """Writes the index of `texts` (passage number = position) as the folder `output`, replacing an older one.

    Raises ValueError where there is nothing to index: no texts, or no word in any of them.
    """
    from rank_bm25 import BM25Okapi

    digest = CorpusHash()
    seen_word = False

    def documents() -> Iterator[list[str]]:
        nonlocal seen_word
        for text in texts:
            digest.add(text)
            # One object a distinct word keeps the statistics small.
            words = list(map(sys.intern, tokens(text)))
            seen_word = seen_word or bool(words)
            yield words

    try:
        bm25 = BM25Okapi(documents())
    except ZeroDivisionError:
        detail = "no passage contains a word" if not seen_word else "BM25 statistics are undefined"
        raise ValueError(f"nothing to index: {detail}; check the corpus's passage texts") from None

    arrays = weight_table(bm25)
    with new_folder(output) as work:
        write_strings(work, "terms", arrays.pop("terms"))
        for name, array in arrays.items():
            np.save(work / f"{name}.npy", array)
        manifest = {
            **_versions(),
            "corpus_sha256": digest.hexdigest(),
            "passages": bm25.corpus_size,
            "terms": len(bm25.idf),
            "parameters": {"k1": bm25.k1, "b": bm25.b, "epsilon": bm25.epsilon},
            "rank_bm25": version("rank-bm25"),
            "bytes": {name: (work / f"{name}.npy").stat().st_size for name in _FILES},
        }
        (work / _MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


class Index:
    """A saved index. Read-only and without state between queries, so threads may share one."""

    def __init__(self, path: Path, manifest: dict) -> None:
        self.passages = int(manifest["passages"])
        """Number of passages."""
        self._hashes, self._starts, self._lists, self._weights, self._full_rows, self._full_row_of = (
            map_array(path / f"{name}.npy") for name in _FILES[:6]
        )
        self._terms = Strings(path, "terms")

    @classmethod
    def open(cls, path: Path, corpus_hash: str) -> Self:
        """Maps the index in the folder `path`; the texts it was built from must have this `corpus_hash`.

        Raises ValueError, saying how to rebuild, for a missing, unfinished, truncated or foreign index.
        """

        def refuse(reason: str) -> ValueError:
            return ValueError(
                f"search index {path}: {reason}. Delete the corpus folder {path.parent} and build it again "
                "(`data-build musique`; a corpus in the cache is rebuilt on its next use)"
            )

        try:
            manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
            sizes = {name: (path / f"{name}.npy").stat().st_size for name in _FILES}
        except FileNotFoundError as error:
            raise refuse(f"{Path(error.filename).name} is missing") from None
        except json.JSONDecodeError:
            raise refuse(f"{_MANIFEST} is not JSON") from None
        for name, expected in _versions().items():
            if manifest.get(name) != expected:
                raise refuse(f"made with {name} {manifest.get(name)}, this version reads {expected}")
        if manifest["corpus_sha256"] != corpus_hash:
            raise refuse("it belongs to another corpus (corpus_sha256 differs)")
        for name, size in sizes.items():
            if size != manifest["bytes"][name]:
                raise refuse(f"{name}.npy has {size} bytes instead of {manifest['bytes'][name]}")
        return cls(path, manifest)

    def scores(self, query: str) -> np.ndarray:
        """float64 [passages]: what `BM25Okapi.get_scores(tokens(query))` returns, bit by bit.

        Terms are added one after the other in the query's order, repeats included, as BM25Okapi does:
        any other order rounds differently and would break ties at random.
        """
        return self._add_up(self._rows(tokens(query)))

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        """The `k` best (passage number, score), best first, ties by passage number.

        Only passages with a score above 0, what a passage without any of the words has; so there may be
        fewer than `k`, and none for a query without a known word. Raises ValueError for k < 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        rows = self._rows(tokens(query))
        if not rows:
            return []
        scores = self._add_up(rows)
        found = np.flatnonzero(scores >= _lower_bound(scores, k)) if k < len(scores) else np.flatnonzero(scores > 0)
        found = found[scores[found] > 0]
        best = found[np.lexsort((found, -scores[found]))][:k]
        return list(zip(best.tolist(), scores[best].tolist(), strict=True))

    def _rows(self, words: list[str]) -> list[int]:
        """Table rows of the words that the corpus knows, in the query's order."""
        hashes = np.fromiter(map(term_hash, words), np.uint64, len(words))
        starts = np.searchsorted(self._hashes, hashes).tolist()
        found = (self._find(*wanted) for wanted in zip(starts, hashes, words, strict=True))
        return [row for row in found if row is not None]

    def _find(self, row: int, hash_: np.uint64, word: str) -> int | None:
        """The row of `word` at `row` or, should two words share a hash, after it."""
        while row < len(self._hashes) and self._hashes[row] == hash_:
            if self._terms[row] == word:
                return row
            row += 1
        return None

    def _add_up(self, rows: list[int]) -> np.ndarray:
        scores = np.zeros(self.passages)
        for row in rows:
            full = self._full_row_of[row]
            if full >= 0:
                scores += self._full_rows[full]
            else:
                span = slice(self._starts[row], self._starts[row + 1])
                scores[self._lists[span]] += self._weights[span]
        return scores


def _lower_bound(scores: np.ndarray, k: int) -> float:
    """A value that at least `k` scores reach, close to the k-th best: the k-th best of blocks of scores.

    One pass over the scores; sorting out the few that reach it is then cheap.
    """
    blocks = len(scores) // _BLOCK
    if blocks < k:
        return float(np.partition(scores, len(scores) - k)[len(scores) - k])
    best = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(best, blocks - k)[blocks - k])


def _versions() -> dict[str, int]:
    return {"format": FORMAT, "tokeniser": tokenise.VERSION}
