"""Training problems that are nearly a benchmark's; `math_reasoning.contamination` finds those with equal text."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from math_reasoning.rows import Row

WINDOW = 8
"""Words of one piece; shorter pieces are phrases that unrelated problems share."""
NEAR = 0.6
"""Share of the shorter problem's pieces that the other must contain."""


def near(train: Sequence[Row], benchmark: Sequence[Row]) -> dict[str, str]:
    """Training id → benchmark id of the problems that share at least `NEAR` of the pieces of the shorter one.

    A piece is `WINDOW` words in a row without case; problems with fewer words never match. Problems of one template
    with other numbers match when the template is long: these pairs are for a person to read.
    """
    holders: dict[int, list[int]] = defaultdict(list)
    sizes = []
    for number, row in enumerate(benchmark):
        pieces = set(_pieces(row.question))
        sizes.append(len(pieces))
        for piece in pieces:
            holders[piece].append(number)
    found = {}
    for row in train:
        pieces = set(_pieces(row.question))
        counts = Counter(number for piece in pieces for number in holders.get(piece, ()))
        shares = {number: count / min(len(pieces), sizes[number]) for number, count in counts.items()}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and shares[best] >= NEAR:
            found[row.id] = benchmark[best].id
    return found


def _pieces(question: str) -> Iterator[int]:
    words = question.casefold().replace("$", " ").split()
    return (hash(tuple(words[i : i + WINDOW])) for i in range(len(words) - WINDOW + 1))
