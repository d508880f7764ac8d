"""chat-loop with `api = "anthropic"`, against a local server that speaks the Messages API."""

import asyncio
from collections.abc import Iterator

import pytest
import verifiers.v1 as vf

from chat_loop.messages import MessagesWire
from scripted_server import Reply, Request, by_prompt, serve
from scripted_tasks import run_scripted, serve_tools

BUDGET = 4096
THINKING = {"type": "enabled", "budget_tokens": BUDGET}
SCRIPTS: dict[str, list[Reply | list[Reply]]] = {
    "plain": [Reply("ok")],
    "thinks": [
        Reply("let me see", thinking="3 is needed", calls=[("add", '{"a": 1, "b": 2}'), ("boom", "{}")]),
        Reply(thinking="now the text", calls=[("echo", '{"text": "x"}')]),
        Reply("ok", thinking="done"),
    ],
    "unknown tool": [Reply(calls=[("nosuch", "{}")]), Reply("ok")],
    "missing argument": [Reply(calls=[("add", '{"a": 1}')]), Reply("ok")],
    "image": [Reply(calls=[("picture", "{}")]), Reply("ok")],
    "huge output": [Reply(calls=[("huge", '{"lines": 4000}')]), Reply("ok")],
    "turn cap": [Reply(calls=[("echo", '{"text": "again"}')])],
    "429 and 529 then fine": [[Reply(status=429), Reply(status=529), Reply("ok")]],
    "dropped then fine": [[Reply(drop=True), Reply("ok")]],
    "529 for ever": [Reply(status=529)],
    "overflow": [Reply("prompt is too long: 9 tokens > 8 maximum", status=400)],
}


@pytest.fixture(scope="module")
def tools_url() -> Iterator[str]:
    with serve_tools() as url:
        yield url


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, tools_url: str) -> tuple[dict[str, vf.Trace], list[Request]]:
    with serve(by_prompt(SCRIPTS)) as server:
        run = run_scripted(
            server.url,
            tmp_path_factory.mktemp("messages"),
            {"id": "chat-loop", "api": "anthropic", "max_tokens": 1000},
            agent={"max_turns": 4},
            sampling={"thinking": THINKING},
            prompts=list(SCRIPTS),
            tools_url=tools_url,
        )
        return dict(zip(SCRIPTS, asyncio.run(run), strict=True)), server.requests


@pytest.fixture(scope="module")
def traces(run) -> dict[str, vf.Trace]:
    return run[0]


@pytest.fixture(scope="module")
def requests(run) -> dict[str, list[Request]]:
    return {name: [request for request in run[1] if request.prompt == name] for name in SCRIPTS}


ENDS_WELL = [name for name in SCRIPTS if name not in ("turn cap", "529 for ever", "overflow")]


@pytest.mark.parametrize("name", ENDS_WELL)
def test_ends_well(traces: dict[str, vf.Trace], name: str) -> None:
    trace = traces[name]
    assert (trace.ok, trace.stop_condition, trace.reward, trace.errors) == (True, "agent_completed", 1.0, [])


def test_request_shape(requests: dict[str, list[Request]]) -> None:
    (request,) = requests["plain"]
    body, headers = request.body, {name.lower(): value for name, value in request.headers.items()}
    assert headers["anthropic-version"] == "2023-06-01"
    assert headers["x-api-key"] == "EMPTY"  # the provider's key, not the rollout's secret
    assert body["system"] == "Reply as the script says."
    assert body["messages"] == [{"role": "user", "content": "plain"}]
    assert body["thinking"] == THINKING
    assert body["max_tokens"] == 1000 + BUDGET
    add = next(tool for tool in body["tools"] if tool["name"] == "add")
    assert set(add) == {"name", "description", "input_schema"}
    assert add["input_schema"]["required"] == ["a", "b"]


def test_thinking_is_replayed_and_parallel_calls_share_one_answer(
    traces: dict[str, vf.Trace], requests: dict[str, list[Request]]
) -> None:
    messages = requests["thinks"][-1].body["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    thinking, text, add, boom = messages[1]["content"]
    assert thinking == {"type": "thinking", "thinking": "3 is needed", "signature": "signature-1"}
    assert text == {"type": "text", "text": "let me see"}
    assert (add["type"], add["input"], boom["type"]) == ("tool_use", {"a": 1, "b": 2}, "tool_use")
    added, raised = messages[2]["content"]
    assert added == {"type": "tool_result", "tool_use_id": add["id"], "content": "3"}
    assert (raised["tool_use_id"], raised["is_error"]) == (boom["id"], True)
    trace = traces["thinks"]
    assert trace.num_turns == 3
    assert len(trace.branches) == 1
    assert [m.reasoning_content for m in trace.assistant_messages] == ["3 is needed", "now the text", "done"]
    assert [c.sampling and c.sampling.model_dump().get("thinking") for c in trace.calls] == [THINKING] * 3


@pytest.mark.parametrize(
    ("name", "start"),
    [("unknown tool", "error: unknown tool"), ("missing argument", "Error executing tool add")],
)
def test_a_wrong_call_is_answered_with_an_error(requests: dict[str, list[Request]], name: str, start: str) -> None:
    (result,) = requests[name][-1].body["messages"][-1]["content"]
    assert result["is_error"]
    assert result["content"].startswith(start)


def test_image_and_huge_results(requests: dict[str, list[Request]]) -> None:
    (image,) = requests["image"][-1].body["messages"][-1]["content"]
    assert [block["type"] for block in image["content"]] == ["text", "image"]
    assert image["content"][1]["source"]["media_type"] == "image/png"
    (huge,) = requests["huge output"][-1].body["messages"][-1]["content"]
    assert huge["content"].startswith("Warning: truncated output")
    assert len(huge["content"].encode()) < 20_200


def test_turn_cap_is_a_clean_stop(traces: dict[str, vf.Trace]) -> None:
    trace = traces["turn cap"]
    assert (trace.ok, trace.stop_condition, trace.num_turns, trace.errors) == (True, "max_turns", 4, [])


@pytest.mark.parametrize(("name", "attempts"), [("529 for ever", 3), ("overflow", 1)])
def test_failures_are_errors(
    traces: dict[str, vf.Trace], requests: dict[str, list[Request]], name: str, attempts: int
) -> None:
    trace = traces[name]
    assert (trace.ok, trace.rewards, trace.stop_condition) == (False, {}, "provider_error")
    assert [error.type for error in trace.errors] == ["ProviderError"]
    assert len(requests[name]) == attempts


def test_a_messages_prompt_becomes_blocks() -> None:
    state = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    prompt: vf.Messages = [
        vf.SystemMessage(content="second"),
        vf.UserMessage(content="question"),
        vf.AssistantMessage(
            content="looking",
            provider_state=state,
            tool_calls=[
                vf.ToolCall(id="1", name="a", arguments='{"x": 1}'),
                vf.ToolCall(id="2", name="b", arguments=""),
            ],
        ),
        vf.ToolMessage(tool_call_id="1", content="one"),
        vf.ToolMessage(tool_call_id="2", content="two"),
        vf.UserMessage(content="and?"),
    ]
    wire = MessagesWire("m", "first", prompt, [], 10)
    assert wire.body["system"] == [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]
    assert "tools" not in wire.body
    assert wire.body["messages"] == [
        {"role": "user", "content": "question"},
        {
            "role": "assistant",
            "content": [
                *state,
                {"type": "text", "text": "looking"},
                {"type": "tool_use", "id": "1", "name": "a", "input": {"x": 1}},
                {"type": "tool_use", "id": "2", "name": "b", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "2", "content": "two"},
            ],
        },
        {"role": "user", "content": "and?"},
    ]


def test_a_turn_is_kept_as_it_came_whatever_its_blocks() -> None:
    wire = MessagesWire("m", None, "hello", [], 10)
    content = [{"type": "redacted_thinking", "data": "xyz"}, {"type": "text", "text": "ok"}]
    assert wire.read({"content": content}) == []
    assert wire.messages[1] == {"role": "assistant", "content": content}
