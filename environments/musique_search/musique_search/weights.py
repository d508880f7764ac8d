"""What each term adds to each passage's score, from BM25Okapi's statistics, laid out for adding up."""

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rank_bm25 import BM25Okapi

FULL_ROW_SHARE = 0.1
"""Terms in more than this share of the passages get a full row: adding one is faster than scattering a list."""


def weight_table(bm25: "BM25Okapi") -> dict[str, Any]:
    """Name → array of the saved index, and under `terms` the list of terms in table order.

    Empties `bm25.doc_freqs` on the way: at 85,000 passages the dictionaries hold most of the memory.
    """
    from scipy.sparse import csr_array

    count = bm25.corpus_size
    columns = {term: i for i, term in enumerate(bm25.idf)}
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum([len(document) for document in bm25.doc_freqs], out=starts[1:])
    total = int(starts[-1])
    column = np.fromiter(map(columns.__getitem__, chain.from_iterable(bm25.doc_freqs)), np.int32, total)
    frequency = np.fromiter(chain.from_iterable(d.values() for d in bm25.doc_freqs), np.int64, total)
    bm25.doc_freqs = []
    by_term = csr_array((frequency, column, starts), shape=(count, len(columns))).tocsc()
    del column, frequency

    # The same operations in the same order as BM25Okapi.get_scores, so that even the last bit agrees.
    norm = bm25.k1 * (1 - bm25.b + bm25.b * np.array(bm25.doc_len) / bm25.avgdl)
    spread = np.diff(by_term.indptr)
    idf = np.repeat(np.fromiter(bm25.idf.values(), np.float64, len(columns)), spread)
    weights = idf * (by_term.data * (bm25.k1 + 1) / (by_term.data + norm[by_term.indices]))
    del idf

    return _arrange(list(columns), by_term.indptr.astype(np.int64), by_term.indices.astype(np.int32), weights, count)


def _arrange(terms: list[str], starts: np.ndarray, passages: np.ndarray, weights: np.ndarray, count: int) -> dict:
    """The saved arrays: terms in order of their hash, frequent ones moved from the lists to full rows."""
    hashes = np.fromiter(map(term_hash, terms), np.uint64, len(terms))
    order = np.argsort(hashes)
    sizes = np.diff(starts)[order]
    frequent = sizes > count * FULL_ROW_SHARE
    full_rows = np.zeros((int(frequent.sum()), count))
    full_row_of = np.full(len(terms), -1, dtype=np.int32)
    full_row_of[frequent] = np.arange(len(full_rows))
    for row, term in zip(full_rows, order[frequent], strict=True):
        span = slice(starts[term], starts[term + 1])
        row[passages[span]] = weights[span]
    listed = np.where(frequent, 0, sizes)
    new_starts = np.concatenate([[0], np.cumsum(listed)])
    # Where each list entry stands now: its term's old start, plus its place in the list.
    moved = np.repeat(starts[:-1][order] - new_starts[:-1], listed) + np.arange(new_starts[-1])
    return {
        "terms": [terms[term] for term in order],
        "hashes": hashes[order],
        "starts": new_starts,
        "passages": passages[moved],
        "weights": weights[moved],
        "full_rows": full_rows,
        "full_row_of": full_row_of,
    }


def term_hash(term: str) -> int:
    """64 bits of BLAKE2b; terms are looked up by it."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")
