"""Search over the pooled corpus: rank-bm25, bm25s and the saved index, side by side on the same real questions.

Query time is from the question's text to scores (rank-bm25), or to the five best passages (the others): the
comparison favours rank-bm25. Build time is from texts in memory to a finished index, on disk for ours. All times are
processor time, so that other work on the machine does not count. Memory is what the kernel counts as private to a
worker process, beyond what the process had before it opened the index.
"""

import multiprocessing
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from musique_search.corpus import corpus_folder, indexed_text, open_corpus
from musique_search.index import Index, build_index, corpus_hash
from musique_search.rows import Passage
from musique_search.sources import read_pair
from musique_search.tokenise import tokens

SHARED = Path(__file__).parents[3] / "shared/data"
SIZES = {21_100: 100.0, 84_600: 200.0}
"""Passages (MuSiQue's validation and train) → goal: times as fast as rank-bm25."""
BUILD_GOAL = 3.0
OPEN_GOAL_S = 1.0
MEMORY_GOAL_MB = 30.0
WORKERS = (1, 2, 4)
QUERIES = 24
ROUNDS = 3
TOP = 5
CHANGED_WORDS = 0.3
"""Share of the words that a copied passage replaces."""


@dataclass(frozen=True)
class Result:
    passages: int
    query_ms: dict[str, float]
    build_s: dict[str, float]
    open_s: float
    difference: float
    """Largest difference from rank-bm25's scores over the queries."""
    same_order: bool
    memory_mb: dict[int, list[tuple[float, float]]]
    """Workers → (dirty, clean) private memory of each."""


def run() -> int:
    """Prints the tables; returns 1 when a goal is missed."""
    console = Console(width=120)
    texts, questions, origin = _material()
    rng = random.Random(0)
    queries = rng.sample(questions, QUERIES)
    console.print(
        f"[bold]search[/bold] {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores ({platform.machine()}), "
        f"Python {platform.python_version()}, numpy {version('numpy')}, rank-bm25 {version('rank-bm25')}, "
        f"bm25s {version('bm25s')}\nmaterial: {origin}; {QUERIES} of its questions as queries, {ROUNDS} rounds\n"
        f"sizes beyond the {len(texts):,} passages at hand are filled with copies in which {CHANGED_WORDS:.0%} of the "
        "words are replaced by words drawn from all passages"
    )
    results = [_measure(enlarge(texts, size), queries, questions) for size in SIZES]
    console.print(_speed_table(results))
    console.print(_memory_table(results))
    missed = [problem for result in results for problem in _missed(result)]
    console.print("\n".join(f"[red]missed[/red] {problem}" for problem in missed) or "[green]all goals reached[/green]")
    return 1 if missed else 0


def _material() -> tuple[list[str], list[str], str]:
    """Indexed texts, questions, and what they are."""
    if SHARED.is_dir():
        rows, passages = read_pair(SHARED)
        texts = [indexed_text(Passage(title, text)) for title, text in passages]
        return texts, [row["question"] for row in rows], "MuSiQue passages and questions of ../shared/data"
    corpus = open_corpus(corpus_folder("invented"))
    texts = [indexed_text(passage) for passage in corpus.passages]
    return texts, [question.question for question in corpus.questions], "the invented corpus (no ../shared/data here)"


def enlarge(texts: Sequence[str], size: int) -> list[str]:
    """`size` texts: the given ones (cut to size), then changed copies of them. Seeded."""
    rng = np.random.default_rng(0)
    words = np.array([word for text in texts for word in text.split()], dtype=object)
    enlarged = list(texts[:size])
    while len(enlarged) < size:
        copy = np.array(texts[len(enlarged) % len(texts)].split(), dtype=object)
        changed = rng.random(len(copy)) < CHANGED_WORDS
        copy[changed] = words[rng.integers(len(words), size=int(changed.sum()))]
        enlarged.append(" ".join(copy))
    return enlarged


def _measure(texts: list[str], queries: list[str], questions: list[str]) -> Result:
    import bm25s
    from rank_bm25 import BM25Okapi

    build_s: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        build_s["tokenise"], words = _timed(lambda: [tokens(text) for text in texts])
        seconds, reference = _timed(lambda: BM25Okapi(words))
        build_s["rank-bm25"] = build_s["tokenise"] + seconds
        build_s["ours"] = _timed(lambda: build_index(texts, path))[0]
        digest = corpus_hash(texts)
        # Before this process maps the index: what two processes map is no longer private to one.
        memory = _memory(path, digest, questions)
        peer = bm25s.BM25(method="atire", k1=reference.k1, b=reference.b)
        build_s["bm25s"] = build_s["tokenise"] + _timed(lambda: peer.index(words, show_progress=False))[0]
        open_s, index = _timed(lambda: Index.open(path, digest))
        searchers: dict[str, Callable[[str], object]] = {
            "rank-bm25": lambda query: reference.get_scores(tokens(query)),
            "bm25s": lambda query: peer.retrieve([tokens(query)], k=TOP, show_progress=False),
            "ours": lambda query: index.search(query, TOP),
        }
        times: dict[str, list[float]] = {name: [] for name in searchers}
        difference, same_order = 0.0, True
        for part in range(ROUNDS):
            outcomes: dict[str, list[Any]] = {}
            for name, search in searchers.items():
                repeats = 1 if name == "rank-bm25" else 3
                runs = [[_timed(partial(search, query)) for _ in range(repeats)] for query in queries[part::ROUNDS]]
                times[name] += [statistics.median(seconds for seconds, _ in run) for run in runs]
                outcomes[name] = [run[0][1] for run in runs]
            for query, expected, found in zip(
                queries[part::ROUNDS], outcomes["rank-bm25"], outcomes["ours"], strict=True
            ):
                difference = max(difference, float(np.abs(expected - index.scores(query)).max()))
                order = np.lexsort((np.arange(len(expected)), -expected))[: len(found)]
                same_order &= [number for number, _ in found] == order.tolist()
    query_ms = {name: statistics.mean(values) * 1e3 for name, values in times.items()}
    return Result(len(texts), query_ms, build_s, open_s, difference, same_order, memory)


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time and the result; the clock on the wall would count what else the machine does."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def _private_mb() -> tuple[float, float]:
    """Private (dirty, clean) memory of this process; clean pages are files that no other process has mapped."""
    lines = (line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines())
    sizes = {line[0]: int(line[1]) / 1024 for line in lines if line[0].startswith("Private")}
    return sizes["Private_Dirty:"], sizes["Private_Clean:"]


def _worker(path: Path, digest: str, queries: list[str], commands: Connection) -> None:
    """Opens the index when told to, and sends how much private memory (dirty, clean) that has added."""
    index, before = None, (0.0, 0.0)
    while commands.recv() == "measure":
        if index is None:
            before = _private_mb()
            index = Index.open(path, digest)
            for query in queries:
                index.search(query, TOP)
            commands.send("ready")
        else:
            now = _private_mb()
            commands.send((now[0] - before[0], now[1] - before[1]))


def _memory(path: Path, digest: str, questions: list[str]) -> dict[int, list[tuple[float, float]]]:
    """Workers → (dirty, clean) MB that the index adds to each, all alive and each after its own queries."""
    context = multiprocessing.get_context("spawn")
    share = len(questions) // max(WORKERS)
    pipes, measured = [], {}
    for i in range(max(WORKERS)):
        ours, theirs = context.Pipe()
        part = questions[i * share : (i + 1) * share]
        context.Process(target=_worker, args=(path, digest, part, theirs), daemon=True).start()
        pipes.append(ours)
    opened = 0
    for workers in WORKERS:
        for pipe in pipes[opened:workers]:
            pipe.send("measure")
            pipe.recv()
        opened = workers
        for pipe in pipes[:workers]:
            pipe.send("measure")
        measured[workers] = [pipe.recv() for pipe in pipes[:workers]]
    for pipe in pipes:
        pipe.send("stop")
    return measured


def _speed_table(results: list[Result]) -> Table:
    table = Table("", *(f"{result.passages:,} passages" for result in results), title="processor time")

    def row(label: str, cell: Callable[[Result], str]) -> None:
        table.add_row(label, *(cell(result) for result in results))

    for name in ("rank-bm25", "bm25s", "ours"):
        row(f"query, mean ms: {name}", lambda result, name=name: f"{result.query_ms[name]:.3f}")
    row("rank-bm25 / ours", lambda result: f"{_speedup(result):.0f}x (goal {SIZES[result.passages]:.0f}x)")
    row("bm25s / ours", lambda result: f"{result.query_ms['bm25s'] / result.query_ms['ours']:.1f}x")
    row("largest score difference from rank-bm25", lambda result: f"{result.difference:.1e}")
    row("same order as rank-bm25", lambda result: "yes" if result.same_order else "no")
    for name in ("tokenise", "rank-bm25", "bm25s", "ours"):
        row(f"build, s: {name}", lambda result, name=name: f"{result.build_s[name]:.2f}")
    row(
        "build without tokenising: ours / rank-bm25",
        lambda result: f"{_build_ratio(result):.2f}x (goal at most {BUILD_GOAL:.0f}x)",
    )
    row("opening, ms", lambda result: f"{result.open_s * 1e3:.1f} (goal under {OPEN_GOAL_S * 1e3:.0f})")
    return table


def _memory_table(results: list[Result]) -> Table:
    table = Table(
        "passages", "workers", "private dirty", "private clean", title="MB that the index adds to each worker"
    )
    for result in results:
        for workers, added in result.memory_mb.items():
            dirty, clean = (", ".join(f"{value:.1f}" for value in column) for column in zip(*added, strict=True))
            table.add_row(f"{result.passages:,}", str(workers), dirty, clean)
    return table


def _speedup(result: Result) -> float:
    return result.query_ms["rank-bm25"] / result.query_ms["ours"]


def _build_ratio(result: Result) -> float:
    """Of the indexing alone: the tokens are the same work on both sides."""
    return (result.build_s["ours"] - result.build_s["tokenise"]) / (
        result.build_s["rank-bm25"] - result.build_s["tokenise"]
    )


def _missed(result: Result) -> list[str]:
    """The goals that a result misses. One worker alone owns every page it reads, so memory counts from two on."""
    at = f"at {result.passages:,} passages"
    worst = max(sum(added) for workers, all_added in result.memory_mb.items() if workers > 1 for added in all_added)
    checks = {
        f"query {_speedup(result):.0f}x rank-bm25 {at}": _speedup(result) >= SIZES[result.passages],
        f"scores differ by {result.difference:.1e} {at}": result.difference <= 1e-9,
        f"order differs from rank-bm25 {at}": result.same_order,
        f"build {_build_ratio(result):.2f}x rank-bm25 {at}": _build_ratio(result) <= BUILD_GOAL,
        f"opening {result.open_s:.2f} s {at}": result.open_s < OPEN_GOAL_S,
        f"{worst:.1f} MB private memory in one of several workers {at}": worst < MEMORY_GOAL_MB,
    }
    return [text for text, reached in checks.items() if not reached]
