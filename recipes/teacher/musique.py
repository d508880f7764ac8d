"""musique-search: one search a hop, each query made of the hop's question and of what earlier hits told.

A hop counts as found when its passage is among the hits; its answer may be used from then on. Where the first query
does not bring it up, others are tried, then the teacher gives up: it never knows what the hits did not say.
"""

import random
import re

from musique_search.checks import states
from musique_search.taskset import HopData, shared_corpus, task_data
from musique_search.tools import shown
from recipes.teacher.conversation import Call, Conversation, Reply
from recipes.teacher.wording import UNANSWERED, answered

_REFERENCE = re.compile(r"#(\d+)")


def load_questions(corpora: list[str]) -> dict[str, tuple[str, list[HopData], list[str]]]:
    """Question → (answer, hops, all accepted answers). Raises ValueError for a corpus that cannot be opened."""
    known = {}
    for name in corpora:
        corpus = shared_corpus(name)
        for question in corpus.questions:
            data = task_data(question, corpus, name, "")
            known[question.question.strip()] = (data.answer, data.hops, data.golds)
    return known


def next_turn(
    task: tuple[str, list[HopData], list[str]], conversation: Conversation, rng: random.Random, slip: bool
) -> Reply:
    """The next search, or the answer once every hop is found; a slip stops at an earlier hop's answer."""
    answer, hops, golds = task
    passages = {identity for result in conversation.results for identity in shown(result)}
    text = "\n".join(conversation.results)
    asked = [call.arguments.get("query", "") for call in conversation.calls]
    findings: list[str] = []
    for hop in hops:
        found = hop.passage_id in passages if hop.passage_id else bool(text) and states(text, hop.answer)
        if not found:
            queries = [query for query in _queries(hop, findings, conversation.prompt) if query not in asked]
            return Reply(call=Call("search", {"query": queries[0]})) if queries else Reply(text=rng.choice(UNANSWERED))
        findings.append(hop.answer)
    if findings[-1] not in golds:
        findings[-1] = answer
    return Reply(text=answered(findings[:-1] if slip and len(findings) > 1 else findings, rng))


def _queries(hop: HopData, findings: list[str], question: str) -> list[str]:
    """Queries for a hop, the best first, in the words of the question and of the findings."""
    named = [findings[int(number) - 1] for number in _REFERENCE.findall(hop.question)]
    filled = _REFERENCE.sub(lambda match: findings[int(match[1]) - 1], hop.question)
    plain = " ".join(filled.replace(">>", " ").rstrip("?").split())
    names = " ".join(re.findall(r"(?<!^)\b[^\W\d_a-zåäö][\w'’.-]*", plain))
    whole = f"{' '.join(named) or names} {question.strip().rstrip('?')}"
    return list(dict.fromkeys(query for query in (plain, " ".join(named), names, whole) if query))
