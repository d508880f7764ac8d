"""The math-reasoning environment: prompts, rewards, checks of rows, and one scripted evaluation of all behaviours."""

import asyncio
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.types import AssistantMessage, ToolCall, Usage

from math_reasoning import checks
from math_reasoning.checks import ALIEN, check_task
from math_reasoning.prompts import PROMPTS, STYLES, Prompt
from math_reasoning.taskset import (
    MathReasoningConfig,
    MathReasoningTaskset,
    MathTask,
    MathTaskConfig,
    config_rows,
)
from scripted_server import Reply, Request, serve
from slm_rewards.math import extract_answer
from slm_rewards.math.extract import Style


def load(**config: object) -> list[MathTask]:
    return list(MathReasoningTaskset(MathReasoningConfig.model_validate(config)))


def test_the_default_needs_no_data_and_repeats() -> None:
    tasks = load(n=30)
    assert [task.key for task in tasks] == [f"gsm_symbolic-all-0-{i:05d}" for i in range(30)]
    assert [task.data.model_dump() for task in tasks] == [task.data.model_dump() for task in load(n=30)]
    assert all(task.data.prompt == task.data.question and task.data.answer and task.data.solution for task in tasks)


def test_a_file_a_pool_and_levels_select_rows(tmp_path: Path) -> None:
    rows = [{"problem": f"Compute ${i}+{i}$.", "answer": str(2 * i), "level": f"Level {i}"} for i in range(1, 6)]
    path = tmp_path / "math.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    easy = load(dataset="math", path=str(path), levels=[1, 2])
    assert [(task.data.answer, task.data.level) for task in easy] == [("2", 1), ("4", 2)]
    (tmp_path / "pool.json").write_text(json.dumps([easy[1].data.id]), encoding="utf-8")
    (kept,) = load(dataset="math", path=str(path), pool=str(tmp_path / "pool.json"))
    assert (kept.key, kept.data.answer, kept.data.dataset) == (easy[1].key, "4", "math")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"levels": [1]}, "levels: gsm_symbolic has none"),
        ({"pool": "nowhere"}, "pool: 'nowhere' is no file"),
        ({"dataset": "math500", "split": "test"}, "split: math500 has no splits"),
        ({"benchmarks": ["svamp"]}, "benchmarks: 'svamp' is neither"),
    ],
)
def test_fields_that_do_not_fit_are_named(config: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        config_rows(MathReasoningConfig.model_validate({"n": 5} | config))


@pytest.mark.parametrize("field", [{"dataset": "svamp"}, {"prompt": "cot"}, {"n": 0}, {"task": {"lam": 1.0}}])
def test_values_out_of_range_are_refused(field: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(field))):
        MathReasoningConfig.model_validate(field)


# prompts


@pytest.mark.parametrize("prompt", PROMPTS)
def test_pk_14_prompt_states_the_format_that_the_scorer_demands(prompt: Prompt) -> None:
    """The prompt's own example is read as an answer, and no other form is."""
    (task,) = load(n=1, prompt=prompt)
    assert task.data.system_prompt == PROMPTS[prompt]
    assert extract_answer(PROMPTS[prompt], task.style) == "42"
    assert ("####" in PROMPTS[prompt]) == (STYLES[prompt] == "gsm8k")
    assert (r"\boxed{" in PROMPTS[prompt]) == (STYLES[prompt] == "boxed")
    assert extract_answer("The answer is 42.", task.style) is None
    assert ("<think>" in PROMPTS[prompt]) == prompt.startswith("think")
    assert ("English" in PROMPTS[prompt]) == (prompt == "think_english")


def test_the_example_of_the_think_prompt_has_the_form_that_is_rewarded() -> None:
    example = PROMPTS["think"].partition(":\n")[2]
    assert score(trace_of(example), "42")["format"] == 1.0


# rewards


def trace_of(
    content: str | None, reasoning: str | None = None, tokens: int | None = None, calls: list[ToolCall] | None = None
) -> vf.Trace:
    message = AssistantMessage(content=content, reasoning_content=reasoning, tool_calls=calls)
    usage = None if tokens is None else Usage(prompt_tokens=1, completion_tokens=tokens)
    (task,) = load(n=1)
    return vf.Trace(
        task=vf.TraceTask(type="MathTask", data=task.data, key=task.key, hash=task.hash),
        state=vf.State(),
        agent=vf.AgentInfo(config=vf.AgentConfig(), name="test", trainable=False),
        nodes=[MessageNode(message=message, sampled=True)],
        calls=[vf.ModelCall(node=0, usage=usage)],
    )


def score(trace: vf.Trace, gold: str, **config: object) -> dict[str, float | None]:
    """All rewards and metrics of a rollout, as the framework records them."""
    task = MathTask(trace.task.data.model_copy(update={"answer": gold}), MathTaskConfig.model_validate(config))
    asyncio.run(task.score(trace))
    rewards = {name: reward.score if reward else None for name, reward in trace.rewards.items()}
    assert all(value is not None and math.isfinite(value) for value in rewards.values())
    return rewards | dict(trace.metrics)


def test_weight_one_is_on_accuracy_alone() -> None:
    trace = trace_of(r"\boxed{7}", tokens=5)
    score(trace, "7")
    assert {name: reward.weight for name, reward in trace.rewards.items() if reward} == {
        "accuracy": 1.0,
        "format": 0.0,
        "cosine": 0.0,
        "length_penalty": 0.0,
        "english": 0.0,
    }
    assert trace.reward == 1.0


def test_length_counts_in_the_unit_of_the_config() -> None:
    reply = r"So it is \boxed{7}"
    found = score(trace_of(reply, tokens=50), "7", max_length=100, lam=0.5)
    assert (found["length_penalty"], found["cosine"]) == (0.75, pytest.approx(0.75))
    found = score(trace_of(reply, tokens=50), "7", max_length=2 * len(reply), lam=0.5, length_unit="characters")
    assert found["length_penalty"] == 0.75
    wrong = score(trace_of(reply, tokens=0), "8", max_length=100)
    assert (wrong["length_penalty"], wrong["cosine"]) == (0.0, -0.5)
    assert score(trace_of(reply, tokens=0), "8", max_length=100, cosine_preset="code")["cosine"] == 0.0
    assert score(trace_of(reply, tokens=200), "7", max_length=100)["cosine"] == 0.5
    assert score(trace_of(reply, tokens=200), "7", max_length=100, cosine_clamp=False)["cosine"] == pytest.approx(1.0)


def test_a_rollout_without_usage_has_the_full_length() -> None:
    trace = trace_of(r"\boxed{7}")
    found = score(trace, "7", max_length=100, lam=0.5)
    assert (found["accuracy"], found["length_penalty"], found["cosine"]) == (1.0, 0.5, 0.5)
    assert "completion_tokens" not in trace.metrics
    assert score(trace_of(r"\boxed{7}", tokens=9), "7")["completion_tokens"] == 9


def test_reasoning_that_the_server_parsed_out_counts_as_a_think_block() -> None:
    found = score(trace_of(r"It is \boxed{7}.", reasoning=r"maybe \boxed{8}, 也许吧也许吧"), "7")
    assert (found["accuracy"], found["format"]) == (1.0, 1.0)
    assert (found["english"] or 0) < 1.0


def test_a_prefilled_think_block_hides_what_is_cut_inside_it() -> None:
    whole = score(trace_of("so\n</think>\nIt is \\boxed{7}."), "7", prefilled=True)
    assert (whole["accuracy"], whole["format"]) == (1.0, 1.0)
    cut = score(trace_of(r"perhaps \boxed{7}, let me see"), "7", prefilled=True)
    assert (cut["accuracy"], cut["answered"], cut["format"]) == (0.0, 0.0, 0.0)
    assert score(trace_of(r"perhaps \boxed{7}, let me see"), "7")["accuracy"] == 1.0


@pytest.mark.parametrize("content", [None, "", "   ", "no answer here", r"\boxed{", "<think>"])
def test_a_reply_without_an_answer_earns_nothing_for_it(content: str | None) -> None:
    found = score(trace_of(content, tokens=3), "7")
    assert (found["accuracy"], found["answered"], found["length_penalty"], found["format"]) == (0.0, 0.0, 0.0, 0.0)
    assert found["english"] == (1.0 if content else 0.0)


@pytest.mark.parametrize(
    ("reply", "accuracy", "form"),
    [
        ("<think>\n2x + 50 = 76\n</think>\nJohn has \\boxed{13} yards.", 1.0, 1.0),
        (r"John has \boxed{13.0\text{ yards}}.", 1.0, 0.0),
        ("<think>\n\\boxed{13}, or is it", 0.0, 0.0),
        ("John has 13 yards.", 0.0, 0.0),
    ],
)
def test_good_and_bad_replies_of_the_readme(reply: str, accuracy: float, form: float) -> None:
    found = score(trace_of(reply), "13")
    assert (found["accuracy"], found["format"]) == (accuracy, form)


def test_a_message_with_tool_calls_is_no_reply() -> None:
    call = ToolCall(id="1", name="look", arguments="{}")
    assert score(trace_of(r"\boxed{7}", calls=[call]), "7")["accuracy"] == 0.0


def test_extraction_any_reads_both_forms() -> None:
    assert score(trace_of("#### 7"), "7")["accuracy"] == 0.0
    assert score(trace_of("#### 7"), "7", extraction="any")["accuracy"] == 1.0
    assert score(trace_of(r"\boxed{7}"), "7", extraction="any")["accuracy"] == 1.0


def test_three_rewards_ask_for_one_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def accuracy(reply: str, gold: str, style: Style) -> float:
        asked.append(reply)
        return 1.0

    monkeypatch.setattr("slm_rewards.math.accuracy", accuracy)
    trace = trace_of(r"\boxed{7}", tokens=3)
    assert score(trace, "8")["cosine"] == pytest.approx(1.0, abs=0.01)
    assert asked == [r"\boxed{7}"]


# checks of rows


def check(gold: str, others: list[str], style: Style = "boxed") -> list[str]:
    return asyncio.run(check_task(gold, others, style))


@pytest.mark.parametrize("style", ["boxed", "gsm8k", "any"])
@pytest.mark.parametrize("gold", ["42", "3172.5", r"\frac{1}{2}", r"\left( 3, \frac{\pi}{2} \right)", r"\text{even}"])
def test_a_sound_row_passes(gold: str, style: Style) -> None:
    assert check(gold, ["17", r"\sqrt{2}"], style) == []


def test_equal_golds_of_other_rows_must_be_equal_both_ways() -> None:
    assert check("0.5", [r"\frac{1}{2}", "3"]) == []
    assert any("all score above 0" in problem for problem in check("0.5", [r"\frac{1}{2}"]))


def test_an_unusable_gold_is_found() -> None:
    assert any("does not score 1" in problem for problem in check(r"\frac{1}{2", ["3"]))


def test_a_reward_that_finds_anything_or_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, words in ((1.0, ("all score above 0", "the reply")), (0.0, ("does not score 1",))):

        async def accuracy(reply: str, gold: str, style: Style, value: float = value) -> float:
            return value

        monkeypatch.setattr(checks, "accuracy", accuracy)
        found = check("42", ["17"])
        assert all(any(word in problem for problem in found) for word in words)


def test_every_generated_row_passes_its_own_check() -> None:
    tasks = load(n=60)
    assert all(task.other_golds and task.data.answer not in task.other_golds for task in tasks)

    async def validate() -> list[bool]:
        return [await task.validate(None) for task in tasks]  # ty: ignore[invalid-argument-type]

    assert asyncio.run(validate()) == [True] * 60


# one evaluation, every behaviour

BEHAVIOURS = {
    0: lambda gold: f"<think>\nEasy.\n</think>\nThe answer is \\boxed{{{gold}}}.",
    1: lambda gold: f"The answer is \\boxed{{{gold}}}.",
    2: lambda gold: f"<think>\nEasy.\n</think>\nThe answer is \\boxed{{{ALIEN}}}.",
    3: lambda gold: f"<think>\nIt must be \\boxed{{{gold}}}, or",
    4: lambda gold: "",
    5: lambda gold: f"#### {gold}",
    6: lambda gold: "<think>\n" + "let me check that once again, it may be wrong. " * 20 + f"</think>\\boxed{{{gold}}}",
    7: lambda gold: f"<think>\n让我们一步一步地思考这个问题\n</think>\n答案是 \\boxed{{{gold}}}",
    8: lambda gold: "\\boxed{9^{9^{9^{9}}}}",
}
TOML = """
model = "scripted"
push = false
[select]
limit = 9
[env.taskset]
id = "math-reasoning"
prompt = "think_english"
seed = 5
[env.taskset.task]
max_length = 28
lam = 0.5
[env.taskset.task.rewards]
accuracy = { weight = 0.0 }
cosine = { weight = 1.0 }
format = { weight = 0.5 }
english = { weight = 0.25 }
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[vf.WireTrace]:
    """One trace per row of `vf-eval @ file` with weights from the file; the scripted replies have seven tokens each."""
    tasks = load(n=9, seed=5, prompt="think_english")
    numbers = {task.data.question: number for number, task in enumerate(tasks)}

    def reply(request: Request) -> Reply:
        number = numbers[request.prompt]
        return Reply(BEHAVIOURS[number](tasks[number].data.answer))

    out = tmp_path_factory.mktemp("eval")
    (out / "eval.toml").write_text(TOML, encoding="utf-8")
    with serve(reply) as server:
        command = [Path(sys.executable).parent / "vf-eval", "@", "eval.toml", "--client.base-url", server.url]
        subprocess.run([*command, "-o", out, "--run.dir", "run"], check=True, capture_output=True, timeout=300, cwd=out)
    assert {request.body["messages"][0]["content"] for request in server.requests} == {PROMPTS["think_english"]}
    assert len(server.requests) == 9, "one turn each"
    lines = (out / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    episodes = [vf.WireEpisode.model_validate_json(line) for line in lines]
    assert all(episode.ok for episode in episodes)
    by_key = {str(episode.task.key): episode.traces[0] for episode in episodes}
    return [by_key[task.key] for task in tasks]


def values(trace: vf.WireTrace) -> dict[str, float]:
    scores = {name: reward.score if reward else None for name, reward in trace.rewards.items()}
    found = {name: value for name, value in (scores | dict(trace.metrics)).items() if value is not None}
    assert len(found) == len(scores) + len(trace.metrics), "every reward and metric is a number"
    return found


def test_vf_eval_scores_every_behaviour(traces: list[vf.WireTrace]) -> None:
    found = [values(trace) for trace in traces]
    assert [row["accuracy"] for row in found] == [1, 1, 0, 0, 0, 0, 1, 1, 0]
    assert [row["answered"] for row in found] == [1, 1, 1, 0, 0, 0, 1, 1, 1]
    assert [row["format"] for row in found] == [1, 0, 1, 0, 0, 0, 1, 1, 0]
    assert [row["length_penalty"] for row in found] == [0.875 * row["accuracy"] for row in found]
    right, wrong = 0.5 + 0.25 * (1 + math.sqrt(0.5)), -0.25 * (1 + math.sqrt(0.5))
    assert [row["cosine"] for row in found] == pytest.approx([right if row["accuracy"] else wrong for row in found])
    assert found[6]["repetition"] > 0.8 > 0.1 > found[0]["repetition"]
    assert found[7]["english"] == 0.0
    assert [row["english"] for row in found[:6]] == [1, 1, 1, 1, 0, 1]
    assert {row["completion_tokens"] for row in found} == {7}
    assert {row["truncated"] for row in found} == {row["known_bad"] for row in found} == {0}


def test_weights_come_from_the_file(traces: list[vf.WireTrace]) -> None:
    for trace in traces:
        row = values(trace)
        assert trace.reward == pytest.approx(row["cosine"] + 0.5 * row["format"] + 0.25 * row["english"])


# the README

README = (Path(__file__).parents[1] / "environments/math_reasoning/README.md").read_text(encoding="utf-8")


def test_the_readme_shows_five_generated_rows() -> None:
    shown = re.findall(r"^\*\*(gsm_symbolic-all-0-(\d{5}))\*\* · gold: `(.+?)`\n```\n(.*?)\n```$", README, re.M | re.S)
    assert len(shown) == 5
    tasks = load(n=1 + max(int(number) for _, number, _, _ in shown))
    for identity, number, gold, question in shown:
        data = tasks[int(number)].data
        assert (data.id, data.answer, data.question) == (identity, gold, question)


def test_the_readme_lists_every_config_key_reward_and_metric() -> None:
    own = set(MathReasoningConfig.model_fields) - set(vf.TasksetConfig.model_fields)
    keys = own | {f"task.{key}" for key in set(MathTaskConfig.model_fields) - set(vf.TaskConfig.model_fields)}
    scored = score(trace_of(r"\boxed{7}", tokens=3), "7")
    for key in keys | set(scored):
        assert re.search(rf"^\| `{re.escape(key)}` \|", README, re.M), key
