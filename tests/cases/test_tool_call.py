"""Reported faults of tool calls and chat templates; the ids are those of the public reports they were learnt from.

Training rollouts are read by the renderer (TC-01, TC-02, TC-12 with Qwen3's); in evaluations the server's parser has
done it, and a scripted server says what it made of the text. TC-08, TC-09 and TC-10 need a server's own template and
stand with the launch commands; TC-09's empty content is also a rollout of test_chat_loop.py.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from pydantic import TypeAdapter
from renderers.base import ToolCallParseStatus
from verifiers.v1.clients.train import response_from_generate
from verifiers.v1.types import AssistantMessage

import slm_rewards
from data_build.report.buckets import NO_ANSWER, bucket
from scripted_server import Reply, by_prompt, serve
from scripted_tasks import run_scripted, serve_tools
from slm_rewards.math import format_reward
from slm_rewards.normalise import strip_calls
from supplier_invoices.taskset import rows
from supplier_invoices.tools import InvoiceTools, Text
from tiny_qwen import renderer, text

CALL = '<tool_call>{"name": "search", "arguments": {"query": "%s"}}</tool_call>'
TWO = (
    '<tool_call>{"name": "search", "arguments": {"query": "<<Lund>>"}}\n{"name": "search", "arguments": {}}</tool_call>'
)
LEFTOVER = {
    "two objects in one tag": TWO,
    "text after the object": '<tool_call>{"name": "search", "arguments": {"query": "<<Lund>>"}} so</tool_call>',
    "cut off": '<tool_call>{"name": "search", "arguments": {"query": "<<Lund>> 67484',
    "closing tag alone": "</tool_call>",
}


def parsed(reply: str) -> Any:
    """What training makes of a sampled reply: Qwen3's renderer, then verifiers' client."""
    tiny = renderer()
    found = tiny.parse_response(tiny._tokenizer.encode(f"{reply}<|im_end|>", add_special_tokens=False))
    result = {
        "content": found.content,
        "reasoning_content": found.reasoning_content,
        "tool_calls": found.tool_calls,
        "finish_reason": "stop",
    }
    return found, response_from_generate(result, "m").message


def test_tc_01_a_call_inside_the_think_block_is_not_made() -> None:
    _, message = parsed(f"<think>I could do {CALL % 'x'}</think>{CALL % 'y'}")
    assert [json.loads(call.arguments) for call in message.tool_calls] == [{"query": "y"}]
    assert CALL % "x" in message.reasoning_content and not message.content
    _, message = parsed(f"<think>I could do {CALL % 'x'}</think>No.")
    assert message.tool_calls is None and message.content == "No."


def test_tc_01_every_recipe_with_tools_cuts_the_think_block_before_it_looks_for_calls() -> None:
    from recipes.check.recipe import load_all, shipped
    from recipes.check.rules.serving import _uses_tools, model_of

    root = Path(__file__).parents[2]
    recipes = [made for file in shipped(root) for made in load_all(file, root)[0] if made.kind == "rl"]
    thinking = [made for made in recipes if _uses_tools(made) and "Qwen3" in model_of(made)]
    assert thinking
    for made in thinking:
        assert made.get("inference.vllm.reasoning_parser") == "qwen3", made.name
        assert made.get("orchestrator.renderer.name") == "qwen3", made.name


def test_tc_02_in_training_two_objects_in_one_tag_are_no_call_and_no_answer() -> None:
    found, message = parsed(TWO)
    assert [call.status for call in found.tool_calls] == [ToolCallParseStatus.INVALID_JSON]
    assert message.tool_calls is None and not message.content


@pytest.fixture(scope="module")
def leftovers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, vf.Trace]]:
    """Replies whose calls the server's parser left in the text, and two that are none."""
    replies = LEFTOVER | {
        "clean": "<<Lund>>",
        "in thought": f"<think>{CALL % 'x'}</think><<Lund>>",
        "prefilled thought": f"{CALL % 'x'}</think><<Lund>>",
    }
    script = by_prompt({name: [Reply(reply)] for name, reply in replies.items()})
    with serve_tools() as tools, serve(script) as server:
        run = run_scripted(
            server.url,
            tmp_path_factory.mktemp("run"),
            {"id": "chat-loop"},
            prompts=list(replies),
            tools_url=tools,
        )
        yield dict(zip(replies, asyncio.run(run), strict=True))


@pytest.mark.parametrize("name", LEFTOVER)
def test_tc_02_leftover_tags_are_counted_and_never_an_answer(name: str, leftovers: dict[str, vf.Trace]) -> None:
    trace = leftovers[name]
    assert trace.ok and trace.stop_condition == "agent_completed"
    assert trace.metrics["malformed_tool_call"] == 1.0
    reply = trace.last_reply
    assert slm_rewards.last_answer(reply) is None
    assert slm_rewards.exact_match(reply, ["Lund"]) == 0.0
    assert bucket(reply, {"answer": "Lund", "aliases": []}) == NO_ANSWER
    assert slm_rewards.gold_fraction(reply, ["67484", "Lund"]) == 0.0


def test_tc_02_a_clean_reply_is_not_counted(leftovers: dict[str, vf.Trace]) -> None:
    for name in ("clean", "in thought", "prefilled thought"):
        assert leftovers[name].metrics["malformed_tool_call"] == 0.0, name
        assert slm_rewards.exact_match(leftovers[name].last_reply, ["Lund"]) == 1.0, name


def test_tc_02_only_the_call_is_taken_out() -> None:
    assert strip_calls(f"a {CALL % '1'} b {CALL % '2'} c").split() == ["a", "b", "c"]
    assert strip_calls("a </tool_call> b").split() == ["a", "b"]
    assert slm_rewards.exact_match(f"{CALL % 'x'}\n<<Lund>>", ["Lund"]) == 1.0
    assert strip_calls("<tool_call>" * 200_000) == "\n"


ARGUMENTS = {
    "TC-03 cut off": ('{"text": "3f', "error: invalid JSON in tool arguments"),
    "TC-04 encoded twice": ('"{\\"text\\": \\"x\\"}"', "error: tool arguments must be a JSON object, got str"),
    "TC-07 a list": ("[67484]", "error: tool arguments must be a JSON object, got list"),
    "TC-07 a number": ("67484", "error: tool arguments must be a JSON object, got int"),
    "TC-07 null": ("null", "error: tool arguments must be a JSON object, got NoneType"),
}


def test_tc_03_04_07_bad_arguments_are_a_tool_error_and_the_rollout_goes_on(tmp_path: Path) -> None:
    scripts = {
        name: [Reply(calls=[("echo", arguments)]), Reply(calls=[("echo", '{"text": "again"}')]), Reply("ok")]
        for name, (arguments, _) in ARGUMENTS.items()
    }
    with serve_tools() as tools, serve(by_prompt(scripts)) as server:
        traces = asyncio.run(
            run_scripted(server.url, tmp_path, {"id": "chat-loop"}, prompts=list(scripts), tools_url=tools)
        )
    for (name, (_, words)), trace in zip(ARGUMENTS.items(), traces, strict=True):
        results = [str(message.content) for message in trace.tool_messages]
        assert results[0].startswith(words) and results[1] == "again", name
        assert "Traceback" not in results[0]
        assert trace.ok and trace.reward == 1.0 and trace.num_turns == 3, name


@pytest.mark.parametrize("reply", [f"<think>a</think>{CALL % 'y'}".replace("}}<", '"<'), '<tool_call>{"name": "sea'])
def test_tc_03_in_training_a_call_cut_off_ends_the_rollout_without_a_crash(reply: str) -> None:
    found, message = parsed(reply)
    assert [call.status for call in found.tool_calls] != [ToolCallParseStatus.OK]
    assert message.tool_calls is None


def test_tc_04_in_training_arguments_encoded_twice_reach_the_loop_as_text() -> None:
    _, message = parsed('<tool_call>{"name": "search", "arguments": "{\\"query\\": \\"x\\"}"}</tool_call>')
    [call] = message.tool_calls
    assert json.loads(call.arguments) == {"query": "x"}  # the client decodes one layer: the call is made


@pytest.mark.parametrize("number", ['"67484"', "67484.0", '"#67484"', "67484", '" 67484 "'])
def test_tc_07_a_number_in_any_clothing_finds_the_same_row(number: str) -> None:
    """By the argument type and the body of the tool; test_supplier_invoices_tools.py asks the running server."""
    tools, argument = InvoiceTools(vf.SharedToolsetConfig()), TypeAdapter(Text)
    calls = [call for row in rows() for call in row.path if "sub_no" in call["arguments"]]
    sub_no = str(calls[0]["arguments"]["sub_no"])

    def looked_up(value: object) -> str:
        result = tools.get_order_by_subscription(argument.validate_python(value))
        return asyncio.run(result) if asyncio.iscoroutine(result) else result

    wanted = looked_up(sub_no)
    assert wanted and not wanted.startswith("error") and sub_no in wanted
    assert looked_up(json.loads(number.replace("67484", sub_no))) == wanted


def test_tc_12_rendered_turns_are_the_sampled_ones_past_thinking_included() -> None:
    """Two tool turns with reasoning: the second prompt repeats the first reply token for token."""
    tiny = renderer()
    tools: Any = [{"name": "search", "description": "", "parameters": {"type": "object", "properties": {}}}]
    asked: list[Any] = [{"role": "user", "content": "Where?"}]
    sampled = [f"<think>\nfirst thought\n</think>\n\n{CALL % 'x'}".replace("<tool_call>", "<tool_call>\n"), ""]
    sampled[0] = sampled[0].replace("</tool_call>", "\n</tool_call>")
    found = tiny.parse_response(tiny._tokenizer.encode(f"{sampled[0]}<|im_end|>", add_special_tokens=False))
    calls = [
        {"id": "c", "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in found.tool_calls
    ]
    first: Any = {"role": "assistant", "reasoning_content": found.reasoning_content, "content": "", "tool_calls": calls}
    result: Any = {"role": "tool", "tool_call_id": "c", "name": "search", "content": "rows"}
    before = text(tiny, tiny.render(asked, tools=tools, add_generation_prompt=True).token_ids)
    after = text(tiny, tiny.render([*asked, first, result], tools=tools, add_generation_prompt=True).token_ids)
    assert after.startswith(f"{before}{sampled[0]}<|im_end|>")


@pytest.mark.parametrize("variant", ["tags", "open_rs"])
def test_tc_13_a_prefilled_opening_tag_is_no_fault_of_the_format(variant: Any) -> None:
    reply = "short thought\n</think>\nThe answer is \\boxed{4}"
    assert format_reward(reply, variant, prefilled=True) == 1.0
    assert format_reward(f"<think>{reply}", variant) == 1.0


def test_tc_13_the_taskset_knows_that_the_template_prefills() -> None:
    from math_reasoning.rollout import reply_text
    from rollout_fixtures import ScriptedTask, episode

    reply = "short thought\n</think>\nThe answer is \\boxed{4}"
    trace = episode(ScriptedTask("q", 1.0), [AssistantMessage(content=reply)]).traces[0]
    assert format_reward(reply_text(trace, prefilled=True)) == 1.0
    assert format_reward(reply_text(trace, prefilled=False)) == 0.0


def test_tc_16_several_think_blocks_are_not_the_format() -> None:
    for reply in ("<think>a</think><think>b</think>\\boxed{1}", "<think>a<think>b</think>\\boxed{1}"):
        assert format_reward(reply) == 0.0
    assert format_reward("<think>a</think>\n\n</think>\n\\boxed{1}", "open_rs") == 1.0  # the published rule sees one
    assert format_reward("a\n</think>\nb\n</think>\n\\boxed{1}", "open_rs") == 0.0
