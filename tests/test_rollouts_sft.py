"""`data-build sft`: which rollouts it takes."""

import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import verifiers.v1 as vf
from verifiers.v1.types import (
    AssistantMessage,
    ImageUrlContentPart,
    ImageUrlSource,
    Message,
    TextContentPart,
    ToolCall,
    ToolMessage,
)

from data_build.rollouts.sft import SftConfig, build
from rollout_fixtures import (
    ScriptedTask,
    SearchTask,
    episode,
    episodes,
    provider_failure,
    write_prime_rl,
    write_run,
)
from sft_sets import ALWAYS, ANSWER, dropped, made, play
from tiny_qwen import rows


def test_the_funnel_counts_what_the_policy_did(tmp_path: Path) -> None:
    """The study's four numbers, recounted from the policy's own choices."""
    rng = random.Random(3)
    tasks = [SearchTask(f"q{i}", rng.random() ** 2, evidence_rate=0.5) for i in range(40)]
    held_out = [SearchTask(f"v{i}", 0.5, split="validation") for i in range(5)]
    saved = list(itertools.chain(episodes(tasks, 8, seed=1), episodes(held_out, 8, seed=2)))
    right = [e for e in saved[: 40 * 8] if e.traces[0].reward == 1.0]
    seen = [e for e in right if len(e.traces[0].tool_messages) == 2]
    kept = sum(min(2, count) for count in Counter(e.task.key for e in seen).values())
    printed, found = made(tmp_path, saved, require_evidence=True, exclude_split=["validation"])
    questions = {stage: len({e.task.key for e in some}) for stage, some in (("right", right), ("seen", seen))}
    assert printed[0] == "scripted on musique-search: 320 rollouts of 40 questions"
    assert printed[1] == "left out (split validation): 5 questions"
    assert f"pass@1 {len(right) / 320:.3f}, pass@8 {questions['right'] / 40:.3f} over 40 questions" in printed[2]
    stages = {line.split("  ")[1]: line.split() for line in printed if line.startswith("  ") and "over" in line}
    numbers = {stage: (words[-6], words[-3]) for stage, words in stages.items()}
    assert numbers == {
        "right": (str(len(right)), str(questions["right"])),
        "whole": (str(len(right)), str(questions["right"])),
        "evidence before the answer": (str(len(seen)), str(questions["seen"])),
        "at most 2 per question": (str(kept), str(questions["seen"])),
    }
    assert len(found) == kept
    assert dropped(printed) == {"evidence not seen before the answer": len(right) - len(seen)}
    assert not {row["task_key"] for row in found} & {task.key for task in held_out}


def test_infrastructure_failures_are_shown_both_ways(tmp_path: Path) -> None:
    failed = [episode(ALWAYS, play(), error=provider_failure()) for _ in range(4)]
    printed, _ = made(tmp_path, [*episodes([ALWAYS], 4), *failed])
    assert "pass@1 1.000, pass@4 1.000 over 1 questions; infrastructure failures left out: 4" in printed[1]
    assert "(counted as wrong: pass@1 0.500, pass@4 0.986)" in printed[1]


@pytest.mark.parametrize("choose", ["first", "shortest", "random"])
def test_choice_within_a_task(tmp_path: Path, choose: str) -> None:
    lengths = [300, 100, 400, 90]
    saved = [episode(ScriptedTask("q", 1.0), play(ScriptedTask("q", 1.0), n), tokens=t) for n, t in enumerate(lengths)]
    order = [e.traces[0].id for e in saved]
    expected = {"first": {order[0], order[1]}, "shortest": {order[1], order[3]}}
    _, found = made(tmp_path, saved, choose=choose)
    chosen = {row["trace_id"] for row in found}
    assert len(chosen) == 2 and chosen == expected.get(choose, chosen)


def test_a_random_choice_follows_its_seed_and_covers_all(tmp_path: Path) -> None:
    task = ScriptedTask("q", 1.0)
    saved = [episode(task, play(task, n)) for n in range(4)]
    run = write_run(tmp_path / "run", saved)
    chosen = []
    for seed in (*range(12), 0):
        config = SftConfig(out=tmp_path / "sft", choose="random", seed=seed, max_per_task=1)
        build([run], config)
        chosen.append(pq.read_table(tmp_path / "sft/train.parquet")["trace_id"].to_pylist())
    assert chosen[0] == chosen[-1]
    assert {one for [one] in chosen} == {e.traces[0].id for e in saved}


def test_shortest_needs_token_counts(tmp_path: Path) -> None:
    bare = episode(ALWAYS, play())
    for call in bare.traces[0].calls:
        call.usage = None
    with pytest.raises(ValueError, match="choose: the server counted no completion tokens"):
        made(tmp_path, [bare], choose="shortest")


def test_an_evaluation_split_is_refused_until_someone_decides(tmp_path: Path) -> None:
    saved = list(episodes([SearchTask("t", 1.0), SearchTask("v", 1.0, split="validation")], 1))
    with pytest.raises(ValueError, match=r"1 tasks of split 'validation'.* --exclude-split validation, or .*--allow"):
        made(tmp_path, saved)
    assert not (tmp_path / "sft").exists()
    _, left = made(tmp_path / "a", saved, exclude_split=["validation"])
    printed, both = made(tmp_path / "b", saved, allow_evaluation=True)
    assert ({r["task_key"] for r in left}, {r["task_key"] for r in both}) == ({"t"}, {"t", "v"})
    assert "warning: 1 questions of validation are among these" in "\n".join(printed)
    assert "do not evaluate on them" in (tmp_path / "b/sft/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", ["v\n\n w \n", '["v", "w"]'])
def test_keys_of_a_file_stay_out(tmp_path: Path, content: str) -> None:
    (tmp_path / "keys").write_text(content, encoding="utf-8")
    saved = episodes([SearchTask("t", 1.0), SearchTask("v", 1.0, split="validation")], 1)
    printed, found = made(tmp_path, saved, exclude_keys=tmp_path / "keys")
    assert [row["task_key"] for row in found] == ["t"]
    assert "left out (listed keys): 1 questions" in printed


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "holds no key"), ("{", "begins like JSON but is none"), ('{"a": 1}', "must be a list of strings")],
)
def test_a_file_without_keys_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "keys").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=f"exclude_keys: .*{message}"):
        made(tmp_path, [episode(ALWAYS, play())], exclude_keys=tmp_path / "keys")


def test_a_question_that_stays_out_does_not_come_in_under_another_key(tmp_path: Path) -> None:
    twin = SearchTask("t", 1.0, fields={"question": "question  V?"})
    saved = episodes([twin, SearchTask("v", 1.0, split="validation", fields={"question": "Question v?"}), ALWAYS], 1)
    printed, found = made(tmp_path, saved, exclude_split=["validation"])
    assert [row["task_key"] for row in found] == ["q0"]
    assert dropped(printed) == {"asks the question of a task that stays out": 1}


def test_nothing_but_tasks_that_stay_out(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="all 1 questions of these runs stay out"):
        made(tmp_path, episodes([SearchTask("v", 1.0, split="validation")], 1), exclude_split=["validation"])


def test_tasks_without_a_split_are_named(tmp_path: Path) -> None:
    saved = episode(ScriptedTask("q", 1.0, fields={"split": None}), play())
    printed, _ = made(tmp_path, [saved])
    assert "note: 1 questions name no split" in "\n".join(printed)


def image_result() -> list[Message]:
    picture = ImageUrlContentPart(image_url=ImageUrlSource(url="data:image/png;base64,AA"))
    call = ToolCall(id="c", name="search", arguments="{}")
    return [
        AssistantMessage(tool_calls=[call]),
        ToolMessage(tool_call_id="c", content=[TextContentPart(text="a"), picture]),
    ]


def bad_call(arguments: str) -> list[Message]:
    call = ToolCall(id="c", name="search", arguments=arguments)
    return [AssistantMessage(tool_calls=[call]), ToolMessage(tool_call_id="c", content="error")]


UNUSABLE = [
    pytest.param([ANSWER], {"finish": "length"}, "cut off by a limit", id="length"),
    pytest.param(bad_call("{}"), {"stop": "max_turns"}, "cut off by a limit", id="turns"),
    pytest.param(bad_call("{}"), {}, "no final reply", id="no-reply"),
    pytest.param([AssistantMessage(content=" ")], {}, "no final reply", id="empty-reply"),
    pytest.param([ANSWER], {"trainable": False}, "not trainable", id="not-trainable"),
    pytest.param([*bad_call('{"query": "x'), ANSWER], {}, "tool arguments", id="torn-arguments"),
    pytest.param([*bad_call('"x"'), ANSWER], {}, "tool arguments", id="text-arguments"),
    pytest.param([*image_result(), ANSWER], {}, "images", id="image"),
]


@pytest.mark.parametrize(("played", "changes", "reason"), UNUSABLE)
def test_right_rollouts_that_are_no_examples_are_dropped_with_a_count(
    tmp_path: Path, played: list[Message], changes: dict[str, Any], reason: str
) -> None:
    saved = [episode(ALWAYS, played, **changes), episode(ALWAYS, play())]
    printed, found = made(tmp_path, saved)
    assert [row["trace_id"] for row in found] == [saved[1].traces[0].id]
    [(why, count)] = dropped(printed).items()
    assert why.startswith(reason) and count == 1


def test_example_turns_of_a_prompt_are_not_trained(tmp_path: Path) -> None:
    shown = episode(ALWAYS, [AssistantMessage(content="<<Example>>"), ANSWER])
    shown.traces[0].nodes[2].sampled = False
    with pytest.raises(ValueError, match="1 assistant messages that the model did not write"):
        made(tmp_path, [shown])


def test_words_said_twice_are_kept_once(tmp_path: Path) -> None:
    printed, found = made(tmp_path, [episode(ALWAYS, play(seed=7)) for _ in range(3)])
    assert len(found) == 1
    assert dropped(printed) == {"says word for word what another of the task says": 2}


@pytest.mark.parametrize(
    ("config", "right"),
    [
        ({}, 2),
        ({"reward": "partial_credit", "threshold": 0.5}, 3),
        ({"reward": "reward", "threshold": 1.2}, 2),
        ({"reward": "hop1"}, 1),
    ],
)
def test_the_score_that_decides(tmp_path: Path, config: dict[str, Any], right: int) -> None:
    scores = [(1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.6, 1.0), (0.0, 0.2, 0.0)]
    saved = [
        episode(
            ALWAYS,
            play(seed=n),
            rewards={"exact_match": exact, "partial_credit": part},
            weights={"exact_match": 1.0, "partial_credit": 0.3},
            metrics={"hop1": hop},
        )
        for n, (exact, part, hop) in enumerate(scores)
    ]
    _, found = made(tmp_path, saved, max_per_task=9, **config)
    assert len(found) == right


def test_an_unknown_score_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"reward: no rollout has a score 'f1'; they have exact_match, partial_credit"):
        made(tmp_path, episodes([ALWAYS], 1), reward="f1")


def test_prime_rl_rollouts_are_a_teacher_too(tmp_path: Path) -> None:
    write_prime_rl(tmp_path / "grpo", 5, "train", "all", episodes([ALWAYS], 2))
    build([tmp_path / "grpo"], SftConfig(out=tmp_path / "sft"))
    assert {row["run"] for row in rows(tmp_path / "sft", tmp_path / "cache")} == {"grpo/train"}


def test_unreadable_rows_are_reported(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([ALWAYS], 2))
    with (run / "traces.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n{")
    printed = build([run], SftConfig(out=tmp_path / "sft"))
    assert any("1 torn last line dropped" in line and "1 row does not parse" in line for line in printed)


def test_multi_agent_judges_are_no_attempts(tmp_path: Path) -> None:
    judged = episode(ALWAYS, play())
    judge = episode(ALWAYS, [AssistantMessage(content="fine")], rewards={}, trainable=False).traces[0]
    judged.traces.append(judge)
    assert isinstance(judge, vf.Trace)
    printed, _ = made(tmp_path, [judged])
    assert printed[0].endswith("1 rollouts of 1 questions") and "pass@1 1.000" in printed[1]
