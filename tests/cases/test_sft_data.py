"""Reported faults of SFT data; the ids are those of the public reports they were learnt from."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import verifiers.v1 as vf
from verifiers.v1.clients.train import tool_to_wire
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.types import AssistantMessage, Tool, ToolCall, ToolMessage

from chat_loop.messages import MessagesWire
from chat_loop.wire import Result
from data_build.rollouts.sft import SftConfig, build
from rollout_fixtures import SEARCH, SearchTask, episode, search_turn, write_run
from tiny_qwen import renderer, rows, text, training_sample

TASK = SearchTask("q", 1.0)
SUB = Tool(name="sub", description="Order rows.", parameters={"type": "object", "properties": {"sub_no": {}}})
NAME = Tool(name="name", description="", parameters={"type": "object", "properties": {"name": {}, "iban": {}}})


def called(name: str, arguments: str) -> vf.Episode:
    """A rollout that calls one tool, of three that it was shown, and answers."""
    played = [
        AssistantMessage(reasoning_content="so", tool_calls=[ToolCall(id="c", name=name, arguments=arguments)]),
        ToolMessage(tool_call_id="c", name=name, content="rows"),
        AssistantMessage(content=f"<<{name}>>"),
    ]
    saved = episode(TASK, played)
    trace = saved.traces[0]
    trace.tools = trace.nodes[0].tools = [SEARCH, SUB, NAME]
    return saved


def made(folder: Path, *saved: vf.Episode, **config: Any) -> tuple[list[str], list[dict[str, Any]]]:
    run = write_run(folder / "run", saved)
    printed = build([run], SftConfig.model_validate({"out": folder / "sft"} | config))
    return printed, rows(folder / "sft", folder / "cache")


def test_sf_01_tools_are_json_text_and_arguments_render_as_an_object(tmp_path: Path) -> None:
    _, [row] = made(tmp_path, called("search", '{"query":"x"}'))
    assert json.loads(row["tools"]) == [tool_to_wire(tool) for tool in (SEARCH, SUB, NAME)]
    assert row["messages"][2]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query":"x"}'}
    tiny = renderer()
    rendered = text(tiny, training_sample(tiny, row).token_ids)
    assert '{"name": "search", "arguments": {"query": "x"}}' in rendered
    assert json.dumps({"query": "x"}).replace('"', '\\"') not in rendered


def test_sf_02_no_foreign_null_keys_after_a_reload(tmp_path: Path) -> None:
    arguments = ['{"sub_no": 1}', '{"name": "x", "iban": null}']
    _, found = made(tmp_path, called("sub", arguments[0]), called("name", arguments[1]))
    assert [row["messages"][2]["tool_calls"][0]["function"]["arguments"] for row in found] == arguments
    schema = pq.read_schema(tmp_path / "sft/train.parquet")
    assert str(schema.field("tools").type) == "string" and "arguments: string" in str(schema.field("messages").type)
    tiny = renderer()
    rendered = [text(tiny, training_sample(tiny, row).token_ids) for row in found]
    assert '"arguments": {"sub_no": 1}}' in rendered[0] and '"iban": null' not in rendered[0]
    assert '"arguments": {"name": "x", "iban": null}}' in rendered[1]


@pytest.mark.parametrize("seq_len", [2048])
def test_sf_03_a_row_beyond_the_context_is_dropped_with_a_count(tmp_path: Path, seq_len: int) -> None:
    fits, longer = called("search", "{}"), called("name", "{}")
    longer.traces[0].calls[-1].usage = vf.Usage(prompt_tokens=2100, completion_tokens=20)
    printed, found = made(tmp_path, fits, longer, seq_len=seq_len)
    assert [row["trace_id"] for row in found] == [fits.traces[0].id]
    assert "  dropped: 1 longer than 2,048 tokens" in printed
    longer.traces[0].calls[-1].usage = None
    longer.traces[0].calls = []
    with pytest.raises(ValueError, match=r"seq_len: .* records no token counts"):
        made(tmp_path / "uncounted", longer, seq_len=seq_len)


def test_sf_04_the_prompt_of_every_turn_is_the_rl_prompt(tmp_path: Path) -> None:
    """Three tools; what verifiers' training client renders before a turn is, token by token, how the row begins."""
    played = [
        *search_turn("a", "Lund", TASK.supporting),
        *search_turn("b", "Skåne", TASK.supporting[1:]),
        *TASK.play(True, random.Random(0))[-1:],
    ]
    saved = episode(TASK, played)
    trace = saved.traces[0]
    trace.tools = trace.nodes[0].tools = [SEARCH, SUB, NAME]
    _, [row] = made(tmp_path, saved)
    tiny = renderer()
    sample = training_sample(tiny, row)
    wire: list[Any] = [message_to_wire(node.message) for node in trace.nodes]
    tools: list[Any] = [tool_to_wire(tool) for tool in trace.tools]
    turns = [n for n, message in enumerate(wire) if message["role"] == "assistant"]
    assert len(turns) == 3
    for turn in turns:
        prompt = tiny.render_ids(wire[:turn], tools=tools, add_generation_prompt=True)
        assert sample.token_ids[: len(prompt)] == prompt
        assert text(tiny, prompt).count('"type": "function"') == 3
        assert sample.loss_mask[len(prompt)] and not sample.loss_mask[len(prompt) - 1]


def blocks(*thoughts: str) -> list[dict[str, Any]]:
    thinking = [{"type": "thinking", "thinking": t, "signature": f"sig{n}"} for n, t in enumerate(thoughts, start=1)]
    return [*thinking, {"type": "tool_use", "id": "c", "name": "search", "input": {"query": "x"}}]


@pytest.mark.parametrize(
    "thoughts",
    [pytest.param((" padded \n",), id="SF-08"), pytest.param(("one", "two"), id="SF-09")],
)
def test_thinking_blocks_are_replayed_byte_by_byte(thoughts: tuple[str, ...]) -> None:
    """The body of the second request; `test_chat_loop_messages` sends it to a server."""
    sent = blocks(*thoughts)
    wire = MessagesWire("m", None, "question", [], 100)
    [call] = wire.read({"content": json.loads(json.dumps(sent))})
    wire.answer([(call, Result("found"))])
    roles = [message["role"] for message in wire.body["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert json.dumps(wire.body["messages"][1]["content"]) == json.dumps(sent)
