import json
import random
from pathlib import Path

import pytest
import verifiers.v1 as vf
from verifiers.v1.clients.train import tool_to_wire
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.graph import MessageNode
from verifiers.v1.trace import Error
from verifiers.v1.types import AssistantMessage, ToolCall

from data_build.rollouts.read import Problems, Rollout, read_rollouts
from data_build.rollouts.wire import wire
from musique_search.rows import Passage
from rollout_fixtures import (
    ScriptedTask,
    SearchTask,
    episode,
    episodes,
    provider_failure,
    search_turn,
    write_prime_rl,
    write_run,
)

TASK = SearchTask("q0", rate=1.0, fields={"aliases": ["Lund, Sweden"]})


def read(*runs: Path) -> tuple[list[Rollout], Problems]:
    problems = Problems()
    return list(read_rollouts(runs, problems=problems)), problems


def lines(run: Path) -> list[str]:
    return (run / "traces.jsonl").read_text(encoding="utf-8").splitlines()


def one(folder: Path, *played: object, **changes: object) -> Rollout:
    """The rollout of a run that holds one."""
    messages = list(played) or TASK.play(True, random.Random(0))
    [rollout], problems = read(write_run(folder, [episode(TASK, messages, **changes)]))  # ty: ignore[invalid-argument-type]
    assert not problems.unparsable
    return rollout


def test_every_field_of_a_rollout_agrees_with_verifiers_own_reading(tmp_path: Path) -> None:
    rollout = one(tmp_path / "run", weights={"exact_match": 1.0, "partial_credit": 0.3}, metrics={"hop1": 1.0})
    trace = vf.WireEpisode.model_validate_json(lines(tmp_path / "run")[0]).traces[0]
    assert rollout.messages == [message_to_wire(message) for message in trace.messages]
    assert rollout.tools == [tool_to_wire(tool) for tool in trace.tools]
    assert rollout.reward == pytest.approx(trace.reward) == pytest.approx(1.3)
    assert rollout.rewards == {"exact_match": 1.0, "partial_credit": 1.0}
    assert rollout.metrics == trace.metrics == {"hop1": 1.0}
    assert trace.usage is not None
    assert rollout.completion_tokens == trace.usage.completion_tokens
    assert rollout.prompt_tokens == trace.usage.input_tokens > trace.usage.prompt_tokens
    assert rollout.length == trace.branches[-1].num_total_tokens
    assert (rollout.turns, rollout.tool_calls) == (trace.num_turns, 2)
    assert rollout.truncated is trace.is_truncated is False
    assert rollout.reply == trace.last_reply == "<<Lund>>"
    assert (rollout.model, rollout.taskset, rollout.task_key, rollout.run) == (
        "scripted",
        "musique-search",
        "q0",
        "run",
    )
    assert rollout.task["aliases"] == ["Lund, Sweden"] and rollout.task["hops"][0]["passage"] == 0
    assert rollout.source == f"{tmp_path}/run/traces.jsonl:1"
    assert (rollout.ok, rollout.errors, rollout.infrastructure, rollout.step) == (True, [], False, None)


def test_thinking_and_arguments_stay_as_the_model_wrote_them(tmp_path: Path) -> None:
    call = ToolCall(id="c", name="search", arguments='{"query":"Å",  "x": null}')
    rollout = one(tmp_path / "run", AssistantMessage(reasoning_content=" hm\n", tool_calls=[call]))
    assert rollout.messages[-1] == {
        "role": "assistant",
        "content": None,
        "reasoning_content": " hm\n",
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"query":"Å",  "x": null}'}}
        ],
    }
    assert rollout.reply == ""


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant"},
        {"role": "assistant", "content": "a", "tool_calls": []},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "tool", "tool_call_id": "c", "content": ""},
    ],
)
def test_wire_form_is_verifiers_own(message: dict) -> None:
    node = MessageNode.model_validate({"message": message})
    assert wire(message) == message_to_wire(node.message)


def test_no_reply_after_a_turn_cap(tmp_path: Path) -> None:
    beside = AssistantMessage(content="<<Lund>>", tool_calls=[ToolCall(id="c", name="search", arguments="{}")])
    rollout = one(tmp_path / "run", beside, stop="max_turns")
    assert (rollout.reply, rollout.truncated, rollout.ok, rollout.infrastructure) == ("", True, True, False)


def test_length_of_the_last_reply_is_a_truncation(tmp_path: Path) -> None:
    assert one(tmp_path / "run", finish="length").truncated


def test_numbers_count_within_task_and_run(tmp_path: Path) -> None:
    tasks = [ScriptedTask("a", 0.5), ScriptedTask("b", 0.5)]
    runs = [write_run(tmp_path / name, episodes(tasks, 3)) for name in ("x", "y")]
    rollouts, problems = read(*runs)
    assert [(r.run, r.task_key, r.number) for r in rollouts] == [
        (run, key, number) for run in "xy" for key in "ab" for number in range(3)
    ]
    assert problems.summary() == "12 lines read, all of them whole"


def test_a_torn_last_line_is_dropped_with_a_warning(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 3))
    text = (run / "traces.jsonl").read_bytes()
    (run / "traces.jsonl").write_bytes(text[:-200])
    rollouts, problems = read(run)
    assert len(rollouts) == 2
    assert problems.torn == [f"{run}/traces.jsonl:3"]
    assert problems.summary() == f"warning: of 3 lines: 1 torn last line dropped ({run}/traces.jsonl:3)"


def test_a_whole_last_line_without_its_newline_is_read(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 2))
    (run / "traces.jsonl").write_bytes((run / "traces.jsonl").read_bytes().rstrip(b"\n"))
    rollouts, problems = read(run)
    assert len(rollouts) == 2 and not problems


LOOP = json.dumps(
    {
        "task": {"data": {"id": "q"}},
        "traces": [{"ok": True, "nodes": [{"message": {"role": "user"}, "parent": 0}]}],
        "ok": True,
    }
)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not an episode"),
        ("7", "not an episode"),
        ('{"task": {}}', "no field 'traces'"),
        ('{"task": {"data": {}}, "traces": [{"nodes": []}], "ok": true}', "no field"),
        ('{"task": {"data": {"id": "q"}}, "traces": [{"ok": true, "nodes": [{"parent": 0}]}], "ok": true}', "no field"),
        (LOOP, "not an episode: message 0 follows message 0"),
        ('{"task": {"data": {"id": "q"}}, "traces": 3, "ok": true}', "not an episode"),
        ("\x00\x00", "not JSON"),
    ],
)
def test_a_row_that_does_not_parse_is_named_and_counted(tmp_path: Path, row: str, reason: str) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 2))
    first, second = lines(run)
    (run / "traces.jsonl").write_text(f"{first}\n\n{row}\n{second}\n", encoding="utf-8")
    rollouts, problems = read(run)
    assert len(rollouts) == 2
    [place] = problems.unparsable
    assert place.startswith(f"{run}/traces.jsonl:3: {reason}")
    assert "1 row does not parse" in problems.summary() and problems.lines == 3


def test_bytes_that_are_no_utf_8_are_a_row_that_does_not_parse(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 1))
    with (run / "traces.jsonl").open("ab") as file:
        file.write(b'{"task": "\xff\xfe"}\n')
    rollouts, problems = read(run)
    assert (len(rollouts), len(problems.unparsable)) == (1, 1)


@pytest.mark.parametrize("score", ["null", "NaN"])
def test_a_nan_reward_is_read_and_named(tmp_path: Path, score: str) -> None:
    run = write_run(tmp_path / "run", episodes([ScriptedTask("a", 1.0)], 1))
    text = lines(run)[0].replace('"exact_match":{"score":1.0', f'"exact_match":{{"score":{score}')
    (run / "traces.jsonl").write_text(text + "\n", encoding="utf-8")
    [rollout], problems = read(run)
    assert rollout.reward is None and rollout.rewards["exact_match"] is None
    assert problems.null_rewards == [rollout.source] and "null reward" in problems.summary()


INFRASTRUCTURE = [
    pytest.param(provider_failure(), True, id="provider"),
    pytest.param(Error(type="ProviderError", message="Unauthorized", status_code=401), True, id="key"),
    pytest.param(Error(type="InterceptionError", message="closed"), True, id="interception"),
    pytest.param(Error(type="ToolsetError", message="not built"), True, id="toolset"),
    pytest.param(Error(type="SandboxError", message="gone"), True, id="sandbox"),
    pytest.param(Error(type="HarnessError", message="exit 1"), True, id="harness"),
    pytest.param(Error(type="TaskError", message="reward raised"), True, id="reward"),
    pytest.param(Error(type="RuntimeError", message="?"), True, id="untyped"),
    pytest.param(
        Error(type="ProviderError", message="maximum context length is 4096 tokens", status_code=400),
        False,
        id="context",
    ),
    pytest.param(
        Error(type="ProviderError", message="server lost the context length table", status_code=503),
        True,
        id="not-the-context",
    ),
]


@pytest.mark.parametrize(("error", "infrastructure"), INFRASTRUCTURE)
def test_whose_failure_it_was(tmp_path: Path, error: Error, infrastructure: bool) -> None:
    rollout = one(tmp_path / "run", error=error)
    assert (rollout.ok, rollout.infrastructure) == (False, infrastructure)
    assert rollout.reward is None
    assert rollout.errors == [f"{error.type}: {error.message}"]


@pytest.mark.parametrize(
    ("stop", "ok", "infrastructure"),
    [
        ("setup_timeout", False, True),
        ("scoring_timeout", False, True),
        ("finalize_timeout", False, True),
        ("agent_timeout", True, False),
        ("max_output_tokens", True, False),
    ],
)
def test_deadlines_of_the_machinery_are_not_the_models(
    tmp_path: Path, stop: str, ok: bool, infrastructure: bool
) -> None:
    """verifiers scores a rollout whose set-up ran out of time, as wrong."""
    rollout = one(tmp_path / "run", stop=stop)
    assert (rollout.ok, rollout.infrastructure, rollout.reward is None) == (ok, infrastructure, not ok)


def test_an_episode_without_a_trace_is_a_failed_rollout(tmp_path: Path) -> None:
    failed = episode(TASK, TASK.play(True, random.Random(0)))
    failed.traces, failed.ok, failed.errors = [], False, [Error(type="EnvError", message="setup raised")]
    rollouts, _ = read(write_run(tmp_path / "run", [*episodes([TASK], 1), failed]))
    assert [(r.ok, r.infrastructure, r.task_key, r.number) for r in rollouts] == [
        (True, False, "q0", 0),
        (False, True, "q0", 0),
    ]


def test_an_episode_of_several_traces_gives_one_rollout_each(tmp_path: Path) -> None:
    several = episode(TASK, TASK.play(True, random.Random(0)))
    several.traces += episode(TASK, TASK.play(False, random.Random(1)), correct=False, trainable=False).traces
    rollouts, _ = read(write_run(tmp_path / "run", [several]))
    assert [(r.number, r.reward, r.trainable) for r in rollouts] == [(0, 1.0, True), (1, 0.0, False)]
    assert rollouts[0].source == rollouts[1].source and rollouts[0].trace_id != rollouts[1].trace_id


def test_an_error_of_the_environment_voids_the_episode(tmp_path: Path) -> None:
    void = episode(TASK, TASK.play(True, random.Random(0)))
    void.ok, void.errors = False, [Error(type="EnvError", message="finalize raised")]
    [rollout], _ = read(write_run(tmp_path / "run", [void]))
    assert (rollout.ok, rollout.infrastructure, rollout.errors) == (False, True, ["EnvError: finalize raised"])


def test_only_the_last_branch_is_the_conversation(tmp_path: Path) -> None:
    branched = episode(TASK, [*search_turn("a", "x", [Passage("X", "x")]), AssistantMessage(content="<<Lund>>")])
    nodes = branched.traces[0].nodes
    nodes[-1].parent = 1  # the history was rewritten: the final reply follows the question
    [rollout], _ = read(write_run(tmp_path / "run", [branched]))
    trace = vf.WireEpisode.model_validate_json(lines(tmp_path / "run")[0]).traces[0]
    assert rollout.messages == [message_to_wire(message) for message in trace.messages]
    assert [m["role"] for m in rollout.messages] == ["system", "user", "assistant"] and rollout.turns == 2


def test_logprobs_and_entropies_where_recorded(tmp_path: Path) -> None:
    sampled = episode(TASK, [AssistantMessage(content="<<Lund>>")])
    sampled.traces[0].nodes[-1].logprobs = [-0.5, -0.25]
    sampled.traces[0].nodes[-1].entropies = [1.0, 0.5]
    [rollout], _ = read(write_run(tmp_path / "run", [sampled]))
    assert (rollout.logprobs, rollout.entropies) == ([-0.5, -0.25], [1.0, 0.5])
    assert one(tmp_path / "plain").logprobs is None


def test_no_counts_where_the_server_gave_none(tmp_path: Path) -> None:
    bare = episode(TASK, [AssistantMessage(content="<<Lund>>")])
    for call in bare.traces[0].calls:
        call.usage = None
    [rollout], _ = read(write_run(tmp_path / "run", [bare]))
    assert (rollout.prompt_tokens, rollout.completion_tokens, rollout.length) == (None, None, None)


def test_prime_rl_folders_are_runs_by_kind_with_their_steps(tmp_path: Path) -> None:
    """Written as prime-rl's `FileMonitor` lays files out; `effective` is a part of `all` and is not read twice."""
    task = ScriptedTask("a", 1.0)
    run = tmp_path / "outputs/grpo"
    for step in (0, 100, 20):
        write_prime_rl(run, step, "eval", "all", episodes([task], 2))
        write_prime_rl(run, step, "eval", "effective", episodes([task], 1))
    write_prime_rl(run, 20, "train", "effective", episodes([task], 1))
    rollouts, _ = read(run)
    assert [(r.run, r.step, r.number) for r in rollouts] == [
        *[("grpo/eval", step, number) for step in (0, 20, 100) for number in (0, 1)],
        ("grpo/train", 20, 0),
    ]
    inner, _ = read(run / "rollouts/step_20/eval/effective")
    assert [(r.run, r.step) for r in inner] == [("grpo/eval", 20)]


def test_a_folder_of_runs_and_runs_of_the_same_name(tmp_path: Path) -> None:
    for parent in ("a", "b"):
        write_run(tmp_path / parent / "run", episodes([TASK], 1))
    write_run(tmp_path / "a/other", episodes([TASK], 1))
    rollouts, _ = read(tmp_path)
    assert {r.run for r in rollouts} == {"a/run", "b/run", "other"}
    file, _ = read(tmp_path / "a/other/traces.jsonl")
    assert [r.run for r in file] == ["other"]


def test_paths_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 1))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty: no traces\.jsonl here; give a run folder"):
        read(tmp_path / "empty")
    with pytest.raises(ValueError, match="would count its rollouts twice"):
        read(run, run / "traces.jsonl")
    with pytest.raises(ValueError, match="RUNS: name at least one folder"):
        read()
    (run / "configs/resolved/eval.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"eval\.json: not JSON"):
        read(run)


def test_a_second_reading_can_take_single_lines(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([TASK], 4))
    wanted = f"{run}/traces.jsonl:3"
    [rollout] = read_rollouts([run], problems=Problems(), sources={wanted})
    assert rollout.source == wanted
    assert rollout.trace_id == json.loads(lines(run)[2])["traces"][0]["id"]
