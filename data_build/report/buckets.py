"""The four outcomes of a retrieval rollout, in the order of seed 1; each rollout is in exactly one."""

import re
from collections.abc import Sequence
from typing import Any

from slm_rewards.answer import exact_match, last_answer, unigram_f1

CORRECT, NEAR_MISS, WRONG, NO_ANSWER = BUCKETS = ("correct", "near miss", "wrong", "no answer")
NEAR = 0.5
"""Unigram F1 from which a wrong answer is a near miss."""
_ARTICLE = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


def is_retrieval(task: dict[str, Any]) -> bool:
    """Whether the task's data have an answer and its aliases, as multi-hop retrieval does."""
    return isinstance(task.get("answer"), str) and isinstance(task.get("aliases"), list)


def bucket(reply: str, task: dict[str, Any]) -> str:
    """The bucket of a final reply (empty while the model was still calling tools).

    - correct: exact match with the answer or an alias, by the reward's own rule;
    - near miss: an answer whose words overlap with a gold, F1 of at least 0.5, with or without articles (seed 1's
      `the city of Rotterdam` for `Rotterdam` has 0.4 with its article and 0.5 without);
    - wrong: any other answer;
    - no answer: no `<<...>>` block in the last message, or an empty one.

    Raises ValueError or TypeError for a gold that no reply can match.
    """
    golds = [task["answer"], *task["aliases"]]
    if exact_match(reply, golds):
        return CORRECT
    answer = last_answer(reply)
    if answer is None:
        return NO_ANSWER
    return NEAR_MISS if max(unigram_f1(reply, golds), _f1_without_articles(answer, golds)) >= NEAR else WRONG


def _f1_without_articles(answer: str, golds: Sequence[str]) -> float:
    bare = [gold for gold in (_ARTICLE.sub(" ", g) for g in golds) if any(map(str.isalnum, gold))]
    return unigram_f1(f"<<{_ARTICLE.sub(' ', answer)}>>", bare) if bare else 0.0
