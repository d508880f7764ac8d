"""Evidence: whether a rollout saw what its task needs before it answered."""

from pathlib import Path
from typing import Any

import pytest
from verifiers.v1.types import (
    AssistantMessage,
    Message,
)

from data_build.rollouts.evidence import answer_position, seen_before_answer, supporting
from musique_search.rows import Passage
from rollout_fixtures import (
    OTHER,
    SearchTask,
    episode,
    search_turn,
)
from sft_sets import ALWAYS, ANSWER, made, play

LUND, SKANE = ALWAYS.supporting


def test_evidence_must_come_before_the_answer() -> None:
    first, second = search_turn("a", "Lund", [LUND, OTHER]), search_turn("b", "Skåne", [SKANE])
    early = [AssistantMessage(content="I know: <<lund>>"), *second]
    wanted = supporting(ALWAYS.data())
    assert wanted is not None and len(wanted) == 2

    def seen(*messages: Message) -> bool:
        return seen_before_answer([m.model_dump(exclude_none=True) for m in messages], wanted)

    assert seen(*first, *second, ANSWER)
    assert not seen(*first, ANSWER)
    assert not seen(*first, *early, ANSWER)
    assert seen(*first, AssistantMessage(content="perhaps <<Visby>>"), *second, ANSWER)
    assert not seen(*first, *search_turn("c", "Skåne", [SKANE._replace(text="Lund is in")]), ANSWER)


def test_the_answer_stands_where_it_is_given_first() -> None:
    messages = [{"role": r, "content": c} for r, c in (("user", "<<Lund>>"), ("assistant", "<<lund>>"), ("tool", "x"))]
    assert answer_position([*messages, {"role": "assistant", "content": "so: <<Lund>>"}]) == 1
    assert answer_position([*messages, {"role": "assistant", "content": "no block"}]) == 3


@pytest.mark.parametrize(
    ("task", "field", "expected"),
    [
        ({"hops": [{"passage_id": "a"}, {"passage_id": "b"}]}, "hops.passage_id", ["a", "b"]),
        ({"hops": [{"passage_id": "a"}, {"passage_id": None}]}, "hops.passage_id", None),
        ({"hops": [{"passage_id": "a"}, {}]}, "hops.passage_id", None),
        ({"hops": [{}]}, "hops.passage_id", None),
        ({"hops": []}, "hops.passage_id", None),
        ({"gold_values": ["Ö 1", "2"]}, "gold_values", ["Ö 1", "2"]),
        ({"gold": 4}, "gold", ["4"]),
    ],
)
def test_evidence_fields(task: dict[str, Any], field: str, expected: list[str] | None) -> None:
    assert supporting(task, field) == expected


def test_evidence_that_the_task_does_not_name_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"evidence_field: the task data have no 'hops'.*there are answer"):
        supporting({"answer": "x"})


def test_texts_are_evidence_too() -> None:
    messages = [{"role": "tool", "content": "Order\n  row: 17"}, {"role": "assistant", "content": "17"}]
    assert seen_before_answer(messages, ["row: 17"])
    assert not seen_before_answer(messages, ["row: 17", "18"])


def test_a_passage_that_the_source_does_not_name_proves_nothing(tmp_path: Path) -> None:
    """verifiers leaves null fields out of its files, so the hop comes back without the field."""
    unnamed = SearchTask("u", 1.0, fields={"hops": [{"passage_id": None}]})
    with pytest.raises(ValueError, match="1 evidence that the task data do not name"):
        made(tmp_path, [episode(unnamed, play(unnamed))], require_evidence=True)


def test_passages_are_recognised_as_the_environment_shows_them(tmp_path: Path) -> None:
    """Against musique-search itself: its metric `gold_recall` and our check agree."""
    from musique_search.taskset import shown_passages

    passage = Passage("A  title", "Text\nover lines")
    task = SearchTask("q", 1.0, supporting=(passage,))
    saved = episode(task, play(task))
    assert set(supporting(task.data()) or []) <= shown_passages(saved.traces[0])
    _, found = made(tmp_path, [saved], require_evidence=True)
    assert len(found) == 1
