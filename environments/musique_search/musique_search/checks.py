"""Checks of one row without a model: gold and reward, hops and passages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from musique_search.corpus import Corpus, Hop, Question
from musique_search.tokenise import tokens
from musique_search.tools import passage_id, show, shown
from slm_rewards import exact_match, partial_credit

if TYPE_CHECKING:
    from musique_search.taskset import HopData, MusiqueData

_REFERENCE = re.compile(r"#(\d+)")


def filled(hops: list[Hop] | list[HopData], number: int) -> str:
    """The question of hop `number` (from 0) with the true answers of earlier hops for `#1`, `#2`.

    Raises ValueError for a reference to the hop itself, a later one or none.
    """

    def answer(match: re.Match[str]) -> str:
        if not 0 < int(match[1]) <= number:
            raise ValueError(f"hop {number + 1} refers to {match[0]}, which is no earlier hop")
        return hops[int(match[1]) - 1].answer

    return _REFERENCE.sub(answer, hops[number].question)


def states(text: str, answer: str) -> bool:
    """Whether all words of the answer stand in the text in a row, in any case and without accents."""
    return f" {' '.join(tokens(answer))} " in f" {' '.join(tokens(text))} "


def check_task(task: MusiqueData, corpus: Corpus) -> list[str]:
    """What is wrong with a row, as short sentences; empty if it is sound."""
    return [*_check_reward(task, corpus.questions), *_check_hops(task, corpus)]


def _check_reward(task: MusiqueData, questions: list[Question]) -> list[str]:
    problems = []
    for gold in task.golds:
        if exact_match(f"So it is <<{gold}>>.", task.golds) != 1.0:
            problems.append(f"a reply with the gold {gold!r} does not score 1")
    own = {word for gold in task.golds for word in tokens(gold)}
    other = next((q for q in questions if not own & set(tokens(q.answer))), None)
    if other and exact_match(f"<<{other.answer}>>", task.golds):
        problems.append(f"the gold of {other.id} scores 1")
    gold = task.answer
    for reply in (None, "", "<<>>", gold, f"<<{gold}", f"{gold}>>", f"<<or>> {gold}", f"<think><<{gold}>></think> yes"):
        if exact_match(reply, task.golds) or partial_credit(reply, task.golds) == 1.0:
            problems.append(f"the reply {reply!r} scores 1")
    return problems


def _check_hops(task: MusiqueData, corpus: Corpus) -> list[str]:
    problems = []
    known = [hop.passage for hop in task.hops if hop.passage is not None]
    if list(dict.fromkeys(known)) != task.supporting:
        problems.append(f"the hops name the passages {known}, supporting is {task.supporting}")
    for number, hop in enumerate(task.hops):
        try:
            filled(task.hops, number)
        except ValueError as e:
            problems.append(str(e))
        if hop.passage is None:
            continue
        if not 0 <= hop.passage < len(corpus.passages):
            problems.append(f"hop {number + 1} names passage {hop.passage} of {len(corpus.passages)}")
            continue
        passage = corpus.passages[hop.passage]
        if shown(show([passage])) != [hop.passage_id] or passage_id(*passage) != hop.passage_id:
            problems.append(f"hop {number + 1}: passage {hop.passage} in a tool result is not {hop.passage_id}")
        if not states(f"{passage.title}\n{passage.text}", hop.answer):
            problems.append(f"hop {number + 1}: passage {hop.passage} does not state {hop.answer!r}")
    return problems
