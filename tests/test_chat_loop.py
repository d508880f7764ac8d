"""chat-loop against verifiers' `null` harness: the same scripted server, the same traces."""

import asyncio
import gc
import warnings
from asyncio.base_subprocess import BaseSubprocessTransport
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import verifiers.v1 as vf

from chat_loop import transport
from scripted_server import OVERFLOW_MESSAGE, Reply, Request, by_prompt, serve
from scripted_tasks import run_scripted, serve_tools

OK = Reply("ok")
HARNESSES = ("null", "chat-loop")


@dataclass(frozen=True)
class Case:
    """One rollout: the script's turns, and what its trace must say with either harness."""

    turns: list[Reply | list[Reply]]
    results: list[str] | None = None
    """How each tool result starts."""
    num_turns: int = 2
    ok: bool = True
    stop: str = "agent_completed"
    reward: float | None = 1.0
    requests: int | None = None
    """Requests that reached the provider, when it is not one per turn."""


def calls(*pairs: tuple[str, str], **fields) -> Reply:
    return Reply(calls=pairs, **fields)


def failing(**fields) -> Case:
    """A provider that never recovers: not ok, not scored, three requests."""
    return Case([Reply(**fields)], [], 0, ok=False, stop="provider_error", reward=None, requests=3)


def recovering(*failures: Reply) -> Case:
    return Case([[*failures, OK]], [], 1, requests=len(failures) + 1)


CASES = {
    "plain": Case([OK], [], 1),
    "TC-09 reasoning only": Case([Reply(thinking="<<Lund>>")], [], 1, reward=0.0),
    "tool": Case([calls(("add", '{"a": 1, "b": 2}')), OK], ["3"]),
    "text beside the call": Case([calls(("echo", '{"text": "x"}'), text="let me see", thinking="hm"), OK], ["x"]),
    "parallel calls": Case(
        [calls(("add", '{"a": 1, "b": 2}'), ("echo", '{"text": "x"}'), ("boom", "{}")), OK],
        ["3", "x", "Error executing tool boom"],
    ),
    "unknown tool": Case([calls(("nosuch", "{}")), OK], ["error: unknown tool 'nosuch'"]),
    "TC-03 truncated arguments": Case([calls(("echo", '{"text": "3f')), OK], ["error: invalid JSON in tool arguments"]),
    "TC-04 double-encoded arguments": Case(
        [calls(("echo", '"{\\"text\\": \\"x\\"}"')), OK], ["error: tool arguments must be a JSON object, got str"]
    ),
    "TC-07 a list as arguments": Case(
        [calls(("echo", "[67484]")), OK], ["error: tool arguments must be a JSON object, got list"]
    ),
    "no arguments": Case([calls(("boom", "")), OK], ["Error executing tool boom"]),
    "missing argument": Case([calls(("add", '{"a": 1}')), OK], ["Error executing tool add"]),
    "wrong type": Case([calls(("add", '{"a": "x", "b": 2}')), OK], ["Error executing tool add"]),
    "numbers as strings": Case([calls(("add", '{"a": "1", "b": "2"}')), OK], ["3"]),
    "huge output": Case([calls(("huge", '{"lines": 4000}')), OK], ["Warning: truncated output (original token"]),
    "list of rows": Case([calls(("rows", '{"count": 2}'), ("rows", '{"count": 0}')), OK], ['{\n  "row": 0', "[]"]),
    "image": Case([calls(("picture", "{}")), OK], ["a picture"]),
    "turn cap": Case([calls(("echo", '{"text": "again"}'))], ["again"] * 4, 4, stop="max_turns", reward=0.0),
    "429 then fine": recovering(Reply(status=429, retry_after=0.1)),
    "500 and 503 then fine": recovering(Reply(status=500), Reply(status=503)),
    "dropped then fine": recovering(Reply(drop=True)),
    "cut midway then fine": recovering(Reply("ok", drop_midway=True)),
    "500 in a later turn": Case([calls(("echo", '{"text": "x"}')), [Reply(status=500), OK]], ["x"], requests=3),
    "429 for ever": failing(status=429),
    "500 for ever": failing(status=500),
    "dropped for ever": failing(drop=True),
    "400": Case([Reply(status=400)], [], 0, ok=False, stop="provider_error", reward=None, requests=1),
    "too slow": Case([Reply("ok", delay=60)], [], 0, stop="agent_timeout", reward=0.0, requests=1),
}
SECONDS = {"too slow": 8.0}
OVERFLOW = Reply(OVERFLOW_MESSAGE, status=400)
OVERFLOWS = {
    "overflow at once": [OVERFLOW],
    "overflow later": [calls(("echo", '{"text": "x"}')), OVERFLOW],
}


@dataclass(frozen=True)
class Runs:
    """Traces by harness and prompt, and the requests the provider saw by harness."""

    traces: dict[str, dict[str, vf.Trace]]
    requests: dict[str, list[Request]]

    def bodies(self, harness: str, prompt: str) -> list[dict]:
        return [request.body for request in self.requests[harness] if request.prompt == prompt]


async def end_nulls_children() -> None:
    """Sees the children of `null` off while their event loop still runs.

    A cancelled or timed-out `null` rollout kills its child without waiting for it; a transport whose loop has closed
    meanwhile complains in whatever test collects it.
    """
    async with asyncio.timeout(30):
        while running := [
            thing
            for thing in gc.get_objects()
            if issubclass(type(thing), BaseSubprocessTransport) and thing.get_returncode() is None
        ]:
            for child in running:
                with suppress(ProcessLookupError):
                    child.kill()
            del running
            await asyncio.sleep(0.1)
    await asyncio.sleep(0.1)  # for the callbacks that close the pipes


async def seeing_children_off(run: Coroutine[None, None, list[vf.Trace]]) -> list[vf.Trace]:
    traces = await run
    await end_nulls_children()
    return traces


def collect_nulls_leftovers() -> None:
    """Collect the transports that `null` never closes: no warning of them in a later test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def tools_url() -> Iterator[str]:
    with serve_tools() as url:
        yield url


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    scripts = {name: case.turns for name, case in CASES.items()} | OVERFLOWS
    result = Runs({}, {})
    for harness in HARNESSES:
        with serve(by_prompt(scripts)) as server:
            run = run_scripted(
                server.url,
                tmp_path_factory.mktemp(harness),
                {"id": harness},
                agent={"max_turns": 4},
                concurrent=6,
                prompts=list(scripts),
                seconds=SECONDS,
            )
            traces = asyncio.run(seeing_children_off(run))
        result.traces[harness] = dict(zip(scripts, traces, strict=True))
        result.requests[harness] = server.requests
    collect_nulls_leftovers()
    return result


def view(trace: vf.Trace) -> dict:
    """What must not depend on the harness."""
    return {
        "messages": [node.message.model_dump() for node in trace.nodes],
        "tools": [tool.model_dump() for tool in trace.tools],
        "calls": [
            (call.model, call.endpoint, call.finish_reason, call.node, call.error and call.error.type)
            for call in trace.calls
        ],
        "usage": trace.usage and trace.usage.model_dump(),
        "errors": [(error.type, error.message) for error in trace.errors],
        "ok": trace.ok,
        "stop": trace.stop_condition,
        "turns": trace.num_turns,
        "truncated": trace.is_truncated,
        "rewards": {name: reward and reward.value for name, reward in trace.rewards.items()},
    }


def text_of(content: vf.MessageContent) -> str:
    return content if isinstance(content, str) else "".join(getattr(part, "text", "") for part in content)


@pytest.mark.parametrize("harness", HARNESSES)
@pytest.mark.parametrize("name", CASES)
def test_outcome(runs: Runs, name: str, harness: str) -> None:
    case, trace = CASES[name], runs.traces[harness][name]
    assert (trace.ok, trace.stop_condition, trace.num_turns) == (case.ok, case.stop, case.num_turns), trace.errors
    assert trace.reward == (case.reward or 0.0)
    assert bool(trace.rewards) == (case.reward is not None)
    assert len(runs.bodies(harness, name)) == (case.requests or case.num_turns)
    results = [text_of(message.content) for message in trace.tool_messages]
    # The results after the last turn that a cap allows never reach the trace.
    expected = (case.results or [])[: len(results)] if case.stop == "max_turns" else case.results or []
    assert len(results) == len(expected)
    for result, start in zip(results, expected, strict=True):
        assert result.startswith(start)


@pytest.mark.parametrize("name", CASES)
def test_same_trace(runs: Runs, name: str) -> None:
    assert view(runs.traces["chat-loop"][name]) == view(runs.traces["null"][name])


@pytest.mark.parametrize("name", CASES)
def test_same_requests(runs: Runs, name: str) -> None:
    def plain(body: dict) -> dict:
        body = {key: value for key, value in body.items() if key not in ("stream", "stream_options")}
        for message in body["messages"]:
            for call in message.get("tool_calls", []):
                call.pop("index", None)
        return body

    ours, theirs = runs.bodies("chat-loop", name), runs.bodies("null", name)
    assert [plain(body) for body in ours] == [plain(body) for body in theirs]


@pytest.mark.parametrize("name", OVERFLOWS)
def test_context_overflow_is_an_error_not_a_zero(runs: Runs, name: str) -> None:
    turns = len(OVERFLOWS[name]) - 1
    ours, theirs = runs.traces["chat-loop"][name], runs.traces["null"][name]
    assert (theirs.ok, theirs.reward, theirs.errors) == (True, 0.0, [])  # what chat-loop is there to correct
    assert (ours.ok, ours.rewards, ours.stop_condition) == (False, {}, "provider_error")
    assert [error.type for error in ours.errors] == ["ProviderError"]
    assert "maximum context length" in ours.errors[0].message
    assert ours.num_turns == theirs.num_turns == turns
    assert len(runs.bodies("chat-loop", name)) == turns + 1  # no retries


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_refused_call_never_runs(harness: str, tmp_path: Path, tools_url: str) -> None:
    turn = calls(("boom", "{}"), ("echo", '{"text": "x"}'))
    with serve(by_prompt({"policy": [turn, OK]})) as server:
        run = run_scripted(
            server.url, tmp_path, {"id": harness}, taskset="scripted-gate", prompts=["policy"], tools_url=tools_url
        )
        (trace,) = asyncio.run(run)
    assert trace.ok
    assert trace.reward == 1.0
    assert [text_of(message.content) for message in trace.tool_messages] == ["refused by policy", "x"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_cancelled_rollouts_leave_nothing_open(harness: str, tmp_path: Path, tools_url: str) -> None:
    turns = [calls(("echo", '{"text": "x"}')), Reply("ok", delay=60)]

    async def main(url: str) -> set[asyncio.Task]:
        run = run_scripted(url, tmp_path, {"id": harness}, prompts=["stuck"], copies=2, tools_url=tools_url)
        task = asyncio.create_task(run)
        async with asyncio.timeout(60):
            while server.open < 2 or len(server.requests) < 4:
                await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(10):
            while server.open:
                await asyncio.sleep(0.05)
        if harness == "null":
            await end_nulls_children()
        return asyncio.all_tasks() - {asyncio.current_task()}

    with serve(by_prompt({"stuck": turns})) as server:
        assert asyncio.run(main(server.url)) == set()
        assert len(server.requests) == 4
    assert transport._SHARED == {}
    if harness == "null":
        collect_nulls_leftovers()


def test_nothing_left_open(tmp_path: Path, tools_url: str) -> None:
    script = by_prompt({"tool": [calls(("echo", '{"text": "x"}')), OK], "cut": [[Reply(drop=True), OK]]})

    async def main(url: str) -> set[asyncio.Task]:
        traces = await run_scripted(
            url, tmp_path, {"id": "chat-loop"}, prompts=["tool", "cut"], copies=8, tools_url=tools_url
        )
        assert [trace.reward for trace in traces] == [1.0] * 16
        assert transport._SHARED == {}
        return asyncio.all_tasks() - {asyncio.current_task()}

    with serve(script) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert asyncio.run(main(server.url)) == set()
        gc.collect()
    assert [str(warning.message) for warning in caught if issubclass(warning.category, ResourceWarning)] == []


def test_many_in_flight(tmp_path: Path, tools_url: str) -> None:
    script = by_prompt({"tool": [calls(("echo", '{"text": "x"}')), OK]})
    with serve(script) as server:
        run = run_scripted(
            server.url, tmp_path, {"id": "chat-loop"}, concurrent=128, prompts=["tool"], copies=256, tools_url=tools_url
        )
        traces = asyncio.run(run)
    assert [(trace.ok, trace.reward, trace.num_turns) for trace in traces] == [(True, 1.0, 2)] * 256


def test_disabled_tools_are_not_offered(tmp_path: Path, tools_url: str) -> None:
    script = by_prompt({"tool": [calls(("boom", "{}")), OK]})
    with serve(script) as server:
        harness = {"id": "chat-loop", "disabled_tools": ["boom"]}
        (trace,) = asyncio.run(run_scripted(server.url, tmp_path, harness, prompts=["tool"], tools_url=tools_url))
    assert "boom" not in [tool.name for tool in trace.tools]
    assert text_of(trace.tool_messages[0].content) == "error: unknown tool 'boom'"


def test_a_tool_that_hangs_ends_the_rollout_with_an_error(
    tmp_path: Path, tools_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat_loop.mcp.ATTEMPTS", 2)
    script = by_prompt({"hang": [calls(("slow", '{"seconds": 30}')), OK]})
    with serve(script) as server:
        harness = {"id": "chat-loop", "tool_timeout": 1.0}
        (trace,) = asyncio.run(run_scripted(server.url, tmp_path, harness, prompts=["hang"], tools_url=tools_url))
    assert not trace.ok
    assert [error.type for error in trace.errors] == ["HarnessError"]
