"""`invent(seed)`: a small invented world as rows in MuSiQue's own format, about 300 questions and 3,000 passages.

Everything is synthetic: the places, persons, works and bodies exist nowhere else, their names are drawn from
syllable grammars (`names.py`), their facts from a seed (`world.py`), and the sentences from hand-written phrases
(`phrases.py`), so no question can be answered from memory. A likeness to a real name is chance.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from data_build.musique.invent_checks import check, hop_query
from data_build.musique.names import fold
from data_build.musique.passages import Passage, write_passages
from data_build.musique.populate import populate
from data_build.musique.questions import SHAPES, Composer
from data_build.musique.wording import Hop, compose, named

__all__ = ["check", "invent"]

PARAGRAPHS = 20
NEAR = 3  # look-alikes for each hop's question and for the whole question
FIRST_ID = 1_000_000  # above every sub-question id of MuSiQue


def invent(seed: int) -> list[dict]:
    """Rows of one invented world, in MuSiQue's format; the same rows for the same seed.

    Raises ValueError where the world yields too few questions, which would be a fault of the grammars.
    """
    world = populate(seed)
    passages = write_passages(world)
    composer = Composer(world, passages)
    facts = [(thing.number, relation) for thing in world.things for relation in thing.facts]
    numbers = {fact: i for i, fact in enumerate(facts)}
    rows = [_row(composer, hops, numbers) for hops in _draw_all(composer)]
    _add_paragraphs(rows, passages, composer.rng)
    order = composer.rng.sample(rows, len(rows))
    for row in order:
        del row["gold"]
    return order


def _draw_all(composer: Composer) -> list[list[Hop]]:
    drawn: list[list[Hop]] = []
    seen: set[tuple] = set()
    for shape, wanted in sorted(SHAPES.items(), reverse=True):
        got = 0
        for _ in range(20_000):
            hops = composer.draw(shape)
            key = tuple((h.thing.number, h.relation, h.ask) for h in hops or ())
            if hops is None or key in seen:
                continue
            seen.add(key)
            composer.commit(hops)
            drawn.append(hops)
            got += 1
            if got == wanted:
                break
        else:
            raise ValueError(f"only {got} of {wanted} questions of the shape {shape}; enlarge the world")
    return drawn


def _shape(hops: list[Hop]) -> str:
    pair = next((i for i, hop in enumerate(hops) if hop.pair), None)
    if pair is None:
        return "2hop" if len(hops) == 2 else f"{len(hops)}hop1"
    return "3hop2" if len(hops) == 3 else "4hop2" if pair == 2 else "4hop3"


def _row(composer: Composer, hops: list[Hop], numbers: dict[tuple[int, str], int]) -> dict:
    question, singles = compose(composer.rng, hops)
    ids = []
    for hop in hops:
        known = numbers[hop.thing.number, hop.ask or hop.relation.split("+")[0]]
        ids.append(FIRST_ID + 2 * known + hop.pair)
    last = hops[-1].answer
    return {
        "id": f"{_shape(hops)}__{'_'.join(map(str, ids))}",
        "paragraphs": [],
        "question": question,
        "question_decomposition": [
            {"id": number, "question": single, "answer": named(hop.answer), "paragraph_support_idx": -1}
            for number, single, hop in zip(ids, singles, hops, strict=True)
        ],
        "answer": named(last),
        "answer_aliases": list(last.aliases),
        "answerable": True,
        "gold": [composer.page(hop) for hop in hops],
    }


def _bm25(documents: list[list[str]], k1: float = 1.5, b: float = 0.75) -> Callable[[list[str]], np.ndarray]:
    """A scorer by Okapi BM25; only the choice of distractors hangs on it."""
    lengths = np.array([len(document) for document in documents], dtype=float)
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    postings: dict[str, dict[int, int]] = {}
    for i, document in enumerate(documents):
        for term in document:
            counts = postings.setdefault(term, {})
            counts[i] = counts.get(i, 0) + 1
    weights = {}
    for term, counts in postings.items():
        at, tf = np.array(list(counts)), np.array(list(counts.values()), dtype=float)
        idf = np.log(1 + (len(documents) - len(at) + 0.5) / (len(at) + 0.5))
        weights[term] = (at, idf * tf * (k1 + 1) / (tf + norm[at]))

    def score(query: list[str]) -> np.ndarray:
        total = np.zeros(len(documents))
        for term in query:
            if term in weights:
                at, weight = weights[term]
                total[at] += weight
        return total

    return score


def _add_paragraphs(rows: list[dict], passages: list[Passage], rng: random.Random) -> None:
    """Twenty paragraphs a row: the gold ones, those a search ranks next to them, and the rest of the world."""
    score_all = _bm25([fold(f"{p.title} {p.text}").split() for p in passages])
    chosen: list[list[int]] = []
    scores: list[np.ndarray] = []
    for row in rows:
        mine = list(row["gold"])
        total = np.zeros(len(passages))
        for query in (row["question"], *(hop_query(row, i) for i in range(len(mine)))):
            score = np.round(score_all(fold(query).split()), 6)
            total += score
            ranked = [int(i) for i in np.argsort(-score, kind="stable")[: NEAR + PARAGRAPHS] if int(i) not in mine]
            mine += ranked[: min(NEAR, PARAGRAPHS - len(mine))]
        chosen.append(mine)
        scores.append(total)
    left = sorted(set(range(len(passages))) - {i for mine in chosen for i in mine})
    room = [PARAGRAPHS - len(mine) for mine in chosen]
    for passage in left:
        best = max((r for r in range(len(rows)) if room[r]), key=lambda r: (scores[r][passage], -r), default=None)
        if best is None:
            break
        chosen[best].append(passage)
        room[best] -= 1
    for mine, score in zip(chosen, scores, strict=True):
        for passage in np.argsort(-score, kind="stable"):
            if len(mine) >= PARAGRAPHS:
                break
            if int(passage) not in mine:
                mine.append(int(passage))
    for row, mine in zip(rows, chosen, strict=True):
        order = rng.sample(mine, len(mine))
        row["paragraphs"] = [
            {
                "idx": i,
                "title": passages[p].title,
                "paragraph_text": passages[p].text,
                "is_supporting": p in row["gold"],
            }
            for i, p in enumerate(order)
        ]
        for step, page in zip(row["question_decomposition"], row["gold"], strict=True):
            step["paragraph_support_idx"] = order.index(page)
