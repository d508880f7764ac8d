"""How far a searcher who knows every bridge answer gets on a corpus, and how far the original question gets.

    python -m musique_search.report --corpus validation

prints, for questions of 2, 3 and 4 hops, how often each hop's supporting passage is among the hits of the hop's own
question with the true bridge answers filled in, and of the original question. These shares are a property of the
data, no pass mark.
"""

import sys
from collections import defaultdict
from typing import NamedTuple

from pydantic import Field
from pydantic_config import BaseConfig, cli

from musique_search.checks import filled
from musique_search.corpus import Corpus
from musique_search.tools import open_named


class ReportConfig(BaseConfig):
    corpus: str = "invented"
    """Corpus as in the taskset's config."""
    top_k: int = Field(5, ge=1)
    """Hits of one search."""


class HopRecall(NamedTuple):
    """Counts over the questions with one number of hops."""

    hops: int
    hop: str
    """`1` …, or `all`: every hop's passage found."""
    known: int
    """Questions whose passage the source names."""
    by_hop: int
    """Of these, found by the hop's question with the bridges filled in."""
    by_question: int
    """Found by the original question."""


def hop_recall(corpus: Corpus, top_k: int) -> list[HopRecall]:
    """Which supporting passages are among the `top_k` hits of either query, by number of hops and hop."""
    counts: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for question in corpus.questions:
        by_question = {number for number, _ in corpus.index.search(question.question, top_k)}
        found = []
        for number, hop in enumerate(question.hops):
            if hop.passage is None:
                continue
            by_hop = {number for number, _ in corpus.index.search(filled(question.hops, number), top_k)}
            found.append((str(number + 1), hop.passage in by_hop, hop.passage in by_question))
        if len(found) == len(question.hops):
            found.append(("all", all(hit for _, hit, _ in found), all(hit for _, _, hit in found)))
        for hop, *hits in found:
            count = counts[len(question.hops), hop]
            count[:] = [count[0] + 1, *(n + hit for n, hit in zip(count[1:], hits, strict=True))]
    return [HopRecall(*key, *count) for key, count in sorted(counts.items())]


def report(corpus: Corpus, top_k: int) -> str:
    """`hop_recall` as a Markdown table in percent, with totals over all questions."""
    rows = hop_recall(corpus, top_k)
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        totals[row.hop] = [total + count for total, count in zip(totals[row.hop], row[2:], strict=True)]
    lines = [
        f"{corpus.manifest.questions} questions, {corpus.manifest.passages} passages, top {top_k}",
        "",
        "| questions | hop | known | found by the hop's question | found by the original question |",
        "|---|---|---|---|---|",
    ]
    lines += [_line(f"{row.hops}-hop", row.hop, *row[2:]) for row in rows]
    lines += [_line("all", hop, *count) for hop, count in sorted(totals.items())]
    return "\n".join(lines)


def _line(questions: str, hop: str, known: int, by_hop: int, by_question: int) -> str:
    return f"| {questions} | {hop} | {known} | {by_hop / known:.1%} | {by_question / known:.1%} |"


if __name__ == "__main__":
    config = cli(ReportConfig)
    try:
        print(report(open_named(config.corpus), config.top_k))
    except ValueError as e:
        sys.exit(f"error: {e}")
