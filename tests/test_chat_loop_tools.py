"""chat-loop's tool client: servers with and without sessions, broken connections, results, truncation."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager

import aiohttp
import pytest
import uvicorn
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from mcp.server.mcpserver import MCPServer
from verifiers.v1 import HarnessConfig
from verifiers.v1.harnesses.utils.compaction import truncate_tool_output
from verifiers.v1.harnesses.utils.mcp import mcp_content_to_chat_content

from chat_loop.chat import ChatWire
from chat_loop.mcp import RequestRefused, ToolServer, ToolServerError
from chat_loop.tools import Toolbox
from chat_loop.transport import shared_session
from chat_loop.truncate import truncate
from chat_loop.wire import Call, Result
from scripted_tasks import serve_tools


@pytest.fixture(scope="module")
def tools_url() -> Iterator[str]:
    with serve_tools() as url:
        yield url


def text_result(message: dict, text: str) -> web.Response:
    content = [{"type": "text", "text": text}]
    return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"content": content}})


@asynccontextmanager
async def tool_server(handler: Callable[[web.Request, dict, int], web.Response], timeout: float = 5.0):
    """A hand-written tool server and its client."""
    count = 0

    async def handle(request: web.Request) -> web.Response:
        nonlocal count
        count += 1
        return handler(request, await request.json(), count)

    app = web.Application()
    app.router.add_post("/mcp", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with shared_session() as session:
            yield ToolServer(f"http://127.0.0.1:{runner.addresses[0][1]}/mcp", timeout, session)
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("failure", ["drop", "503", "not json"])
def test_a_broken_answer_is_asked_for_again(failure: str) -> None:
    def handle(request: web.Request, message: dict, count: int) -> web.Response:
        if count > 1:
            return text_result(message, f"answer {count}")
        if failure == "drop" and request.transport:
            request.transport.close()
        return web.Response(status=503) if failure == "503" else web.Response(text="{", content_type="application/json")

    async def main() -> Result:
        async with tool_server(handle) as server:
            return await server.call("any", {})

    assert asyncio.run(main()) == Result("answer 2")


@pytest.mark.parametrize(("status", "error"), [(200, RequestRefused), (400, RequestRefused), (404, ToolServerError)])
def test_a_refusal_is_not_asked_for_again(status: int, error: type[Exception]) -> None:
    seen = []

    def handle(request: web.Request, message: dict, count: int) -> web.Response:
        seen.append(message)
        refusal = {"code": -32602, "message": "no such thing"}
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "error": refusal}, status=status)

    async def main() -> None:
        async with tool_server(handle) as server:
            await server.call("any", {})

    with pytest.raises(error, match="no such thing"):
        asyncio.run(main())
    assert len(seen) == 1


def nested(depth: int) -> dict:
    value: dict = {}
    for _ in range(depth):
        value = {"deeper": value}
    return value


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ('{"text": "half a pair \\ud83d"}', "error: Parse error"),
        ("[" * 100_000, "error: invalid JSON in tool arguments"),
        ('{"text": ' + "1" * 10_000 + "}", "error: invalid JSON in tool arguments"),
        (json.dumps({"text": "x", "more": nested(900)}), ""),
        ('{"text": "nul \\u0000"}', "nul \0"),
        ('{"text": NaN}', "Error executing tool echo"),
    ],
    ids=["surrogate", "brackets", "digits", "depth", "nul", "nan"],
)
def test_no_arguments_end_the_rollout(tools_url: str, arguments: str, start: str) -> None:
    wire = ChatWire("m", None, "hello", [])
    call = {"id": "1", "type": "function", "function": {"name": "echo", "arguments": arguments}}
    (read,) = wire.read({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]})

    async def main() -> Result:
        async with shared_session() as session:
            box = Toolbox(session, HarnessConfig(), "secret")
            await box.connect({"": tools_url})
            return await box.run(read)

    assert str(asyncio.run(main()).content).startswith(start)


def test_a_server_that_stays_away_raises_after_the_last_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat_loop.mcp.ATTEMPTS", 2)

    async def main() -> None:
        async with shared_session() as session:
            await ToolServer("http://127.0.0.1:9/mcp", 5.0, session).call("any", {})

    with pytest.raises(aiohttp.ClientConnectionError):
        asyncio.run(main())


def test_an_event_stream_is_read_to_the_reply() -> None:
    def handle(request: web.Request, message: dict, count: int) -> web.Response:
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        reply = {
            "jsonrpc": "2.0",
            "id": message["id"],
            "result": {"content": [{"type": "text", "text": "x" * 200_000}]},
        }
        body = f"event: message\ndata: {json.dumps(note)}\n\nevent: message\ndata: {json.dumps(reply)}\n\n"
        return web.Response(text=body, content_type="text/event-stream")

    async def main() -> Result:
        async with tool_server(handle) as server:
            return await server.call("any", {})

    assert asyncio.run(main()) == Result("x" * 200_000)


@contextmanager
def session_server() -> Generator[str]:
    """The MCP SDK's own server with sessions and event streams, as third parties run it."""
    mcp = MCPServer("third-party")

    @mcp.tool()
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    app = mcp.streamable_http_app(stateless_http=False, json_response=False)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        thread.join(10)


def test_a_server_that_wants_a_session_gets_one() -> None:
    async def main(url: str) -> tuple[list[dict], list[Result]]:
        async with shared_session() as session:
            box = Toolbox(session, HarnessConfig(), "secret")
            await box.connect({"third": url})
            calls = [
                Call("1", "third_double", {"number": 4}),
                Call("2", "third_double", {"number": "x"}),
                Call("3", "double", {"number": 4}),
            ]
            results = [await box.run(call) for call in calls]
            await box.close()
            return box.descriptions, results

    with session_server() as url:
        (description,), (doubled, wrong, unknown) = asyncio.run(main(url))
    assert (description["name"], description["description"]) == ("third_double", "Double a number.")
    assert doubled == Result("8")
    assert wrong.is_error
    assert "double" in str(wrong.content)
    assert unknown == Result("error: unknown tool 'double'", is_error=True)


def test_two_tools_with_one_name_are_refused() -> None:
    def handle(request: web.Request, message: dict, count: int) -> web.Response:
        tools = [{"name": "same", "inputSchema": {"type": "object"}}]
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools * 2}})

    async def main() -> None:
        async with tool_server(handle) as server:
            await Toolbox(server.session, HarnessConfig(), "secret").connect({"": server.url})

    with pytest.raises(ValueError, match="duplicate tool name 'same'"):
        asyncio.run(main())


BLOCKS = [
    [],
    [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
    [{"type": "text", "text": "a"}, {"type": "image", "data": "eA==", "mimeType": "image/png"}],
    [{"type": "audio", "data": "eA==", "mimeType": "audio/wav"}],
    [{"type": "resource_link", "uri": "file:///a", "name": "a"}],
]


@pytest.mark.parametrize("blocks", BLOCKS, ids=lambda blocks: "+".join(b["type"] for b in blocks) or "empty")
def test_results_look_as_with_verifiers_own_client(blocks: list[dict]) -> None:
    from mcp.types import CallToolResult

    def handle(request: web.Request, message: dict, count: int) -> web.Response:
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"content": blocks}})

    async def main() -> Result:
        async with tool_server(handle) as server:
            return await server.call("any", {})

    theirs = mcp_content_to_chat_content(CallToolResult.model_validate({"content": blocks}).content)
    assert asyncio.run(main()).content == theirs


@given(st.text(max_size=40), st.integers(0, 2000), st.text(max_size=40))
def test_truncation_is_verifiers_own(head: str, repeats: int, tail: str) -> None:
    text = head + "åß日\n" * repeats + "x" * (10 * repeats) + tail
    assert truncate(text) == truncate_tool_output(text)


def test_half_a_surrogate_pair_in_a_result_becomes_a_question_mark() -> None:
    assert truncate("half \ud83d") == "half ?"
