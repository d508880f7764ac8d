"""Whether a rollout saw its supporting passages before it answered: the answer of one that did not is from memory."""

from collections.abc import Sequence
from typing import Any

from data_build.rollouts.wire import content_text
from slm_rewards import last_answer

FIELD = "hops.passage_id"
"""Where musique-search names the supporting passages."""


def supporting(task: dict[str, Any], field: str = FIELD) -> list[str] | None:
    """The evidence that `field` of the task data names; lists on the way (`hops.passage_id`) are gone through.

    None where a part of it is missing: the source does not say which passage supports that step.

    Raises:
        ValueError: the task data have no such field.
    """
    first, *rest = field.split(".")
    if first not in task:
        raise ValueError(
            f"evidence_field: the task data have no {first!r}; name the field that holds the supporting texts or "
            f"passage ids (there are {', '.join(sorted(task))})"
        )
    values = _flat([task[first]])
    for name in rest:
        values = _flat([value.get(name) if isinstance(value, dict) else None for value in values])
    if not values or any(value is None for value in values):
        return None
    return [str(value) for value in values]


def _flat(values: list[Any]) -> list[Any]:
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def answer_position(messages: Sequence[dict[str, Any]]) -> int:
    """Index of the message that gives the answer: the first whose `<<...>>` block says what the last message's says.

    The last message itself where it holds no block. A block beside a tool call is an answer given before its result.
    """
    last = len(messages) - 1
    answer = _answer(messages[last])
    if answer is None:
        return last
    return next(i for i, m in enumerate(messages) if m["role"] == "assistant" and _answer(m) == answer)


def seen_before_answer(messages: Sequence[dict[str, Any]], wanted: Sequence[str]) -> bool:
    """Whether the tool results before the answer show all of `wanted`.

    A result shows an item whose text it contains (space aside), or the passage of which the item is
    `musique_search.tools.passage_id`.
    """
    from musique_search.tools import shown

    before = messages[: answer_position(messages)]
    results = [content_text(message.get("content")) for message in before if message["role"] == "tool"]
    ids = {identity for result in results for identity in shown(result)}
    texts = [" ".join(result.split()) for result in results]
    return all(item in ids or any(" ".join(item.split()) in text for text in texts) for item in wanted)


def _answer(message: dict[str, Any]) -> str | None:
    answer = last_answer(content_text(message.get("content")))
    return None if answer is None else " ".join(answer.casefold().split())
