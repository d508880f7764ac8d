"""How different the mails are: exact copies, and each mail's nearest neighbour by word 5-grams.

The similarity of two mails is the Jaccard index of their sets of word 5-grams (case folded,
punctuation dropped). It is exact: an inverted index from 5-gram to mails counts the overlap
of every pair that shares anything at all, so no pair is sampled or missed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LIMIT = 0.6
"""The 99th percentile of nearest-neighbour similarity stays below this."""


@dataclass(frozen=True)
class DiversityReport:
    """What `report` measured. `similarity` has one number in [0, 1] a mail; `neighbour` is that mail's index, or -1
    when it shares no 5-gram with any other."""

    mails: int
    duplicates: list[tuple[int, int]]
    """Pairs of equal mails (whitespace and case aside): the first of its kind, and the copy."""
    similarity: np.ndarray
    neighbour: np.ndarray
    closest: tuple[int, int]
    """The most alike pair, or (-1, -1) when no two mails share a 5-gram."""

    @property
    def p99(self) -> float:
        """99th percentile of the nearest-neighbour similarity."""
        return self.percentile(99)

    @property
    def ok(self) -> bool:
        """No two mails equal, and the 99th percentile below `LIMIT`."""
        return not self.duplicates and self.p99 < LIMIT

    def percentile(self, q: float) -> float:
        """The q-th percentile (0 to 100) of the nearest-neighbour similarity; 0.0 for no mails."""
        return float(np.percentile(self.similarity, q)) if self.mails else 0.0

    def __str__(self) -> str:
        figures = "  ".join(
            f"{name} {self.percentile(q):.3f}"
            for name, q in (("min", 0), ("median", 50), ("p90", 90), ("p99", 99), ("max", 100))
        )
        return (
            f"{self.mails} mails, {len(self.duplicates)} equal pairs; nearest-neighbour 5-gram Jaccard: {figures}; "
            f"closest pair {self.closest[0]} and {self.closest[1]}"
        )


def normalised(mail: str) -> str:
    """The mail with runs of whitespace folded to one space, case-folded: what counts as the same mail."""
    return " ".join(mail.split()).casefold()


def ngrams(mail: str, n: int = 5) -> set[tuple[str, ...]]:
    """The word n-grams of a mail; a mail shorter than n words is one n-gram of what it has."""
    words = re.findall(r"\w+", mail.casefold())
    if len(words) < n:
        return {tuple(words)} if words else set()
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def report(mails: Sequence[str]) -> DiversityReport:
    """Measures all mails against all others; under a second for 2,000 mails."""
    first: dict[str, int] = {}
    duplicates = []
    for i, mail in enumerate(mails):
        j = first.setdefault(normalised(mail), i)
        if j != i:
            duplicates.append((j, i))

    sets = [ngrams(mail) for mail in mails]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    similarity = np.zeros(len(mails))
    neighbour = np.full(len(mails), -1)
    for i, grams in enumerate(sets):
        shared = Counter(j for gram in grams for j in holders[gram])
        for j, n in shared.items():
            score = n / (len(grams) + len(sets[j]) - n)
            for a, b in ((i, j), (j, i)):
                if score > similarity[a]:
                    similarity[a], neighbour[a] = score, b
        for gram in grams:
            holders[gram].append(i)
    closest = (-1, -1)
    if len(mails) and similarity.max() > 0:
        i = int(similarity.argmax())
        closest = (i, int(neighbour[i]))
    return DiversityReport(len(mails), duplicates, similarity, neighbour, closest)


def by_group(mails: Sequence[str], groups: Sequence[str]) -> dict[str, DiversityReport]:
    """One report for each group of mails (for example a language, or a question type), the groups in order of name.

    Indices inside a report count within its group."""
    return {
        name: report([mail for mail, group in zip(mails, groups, strict=True) if group == name])
        for name in sorted(set(groups))
    }
