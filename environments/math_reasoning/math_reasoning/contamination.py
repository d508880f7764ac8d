"""Problems of a benchmark inside training rows, by text: case, blanks and the setting of formulas do not matter.

A problem counts as contained where its whole text stands in a training row, so an appended instruction hides nothing;
short problems (under `SHORT` comparable characters) must be the whole row.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from math_reasoning.rows import Row, comparable
from math_reasoning.sources import HUB, load_rows, read_rows

SHORT = 40
"""Comparable characters."""


def overlaps(training: Iterable[Row], benchmark: Iterable[Row]) -> dict[str, str]:
    """Ids of the training rows that contain a problem of the benchmark → the id of that problem."""
    whole: dict[str, str] = {}
    starts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in benchmark:
        text = comparable(row.question)
        whole.setdefault(text, row.id)
        if len(text) >= SHORT:
            starts[text[:SHORT]].append((text, row.id))
    found = {}
    for row in training:
        text = comparable(row.question)
        if text in whole:
            found[row.id] = whole[text]
            continue
        for at in range(len(text) - SHORT):
            for problem, identity in starts.get(text[at : at + SHORT], ()):
                if text.startswith(problem, at):
                    found[row.id] = identity
    return found


def refuse_overlaps(training: Sequence[Row], benchmarks: Iterable[str]) -> None:
    """Raises ValueError with the ids where training rows contain a problem of a benchmark.

    A benchmark is the name of a data set (its test split) or a JSON lines file.
    """
    for name in benchmarks:
        path = Path(name).expanduser()
        if name in HUB:
            rows = load_rows(name)
        elif path.is_file():
            rows = read_rows(path)
        else:
            raise ValueError(f"benchmarks: {name!r} is neither a file nor one of {', '.join(HUB)}")
        if found := overlaps(training, rows):
            pairs = ", ".join(f"{ours} = {theirs}" for ours, theirs in list(found.items())[:20])
            more = f" and {len(found) - 20} more" if len(found) > 20 else ""
            raise ValueError(
                f"benchmarks: {len(found)} training rows contain a problem of {path.name}: {pairs}{more}; "
                "leave them out with a pool, or the benchmark out of the recipe"
            )
