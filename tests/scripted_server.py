"""A model server whose replies a test writes down.

Speaks OpenAI chat completions (streamed and not) and Anthropic Messages on a free loopback port, from its own
thread, so that both the test's event loop and child processes can call it:

    script = by_prompt({"add": [Reply(calls=[("add", '{"a": 1, "b": 2}')]), Reply("3")]})
    with serve(script) as server:
        ...  # post to f"{server.url}/chat/completions" or f"{server.url}/messages"
    assert len(server.requests) == 2

A script is a function of one `Request`; it runs on the server's thread.
"""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web

OVERFLOW_MESSAGE = "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens."


@dataclass(frozen=True)
class Reply:
    """One assistant turn, or one failure.

    `calls` are (tool name, arguments as JSON text). A `status` of 400 or more answers with an error body that
    holds `text`. `drop` closes the connection without an answer, after half the events when `drop_midway`.
    """

    text: str | None = None
    calls: Sequence[tuple[str, str]] = ()
    thinking: str | None = None
    status: int = 200
    retry_after: float | None = None
    drop: bool = False
    drop_midway: bool = False
    delay: float = 0.0
    """Seconds before the answer."""


@dataclass(frozen=True)
class Request:
    """One request as it came in. `attempt` counts earlier requests with the same body."""

    api: str
    """"chat" or "anthropic"."""
    body: dict
    headers: Mapping[str, str]
    attempt: int

    @property
    def prompt(self) -> str:
        """Text of the first user message."""
        content = next(m["content"] for m in self.body["messages"] if m["role"] == "user")
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

    @property
    def turn(self) -> int:
        """Assistant turns that the request already holds."""
        return sum(m["role"] == "assistant" for m in self.body["messages"])


Script = Callable[[Request], Reply]


def by_prompt(scripts: Mapping[str, Sequence[Reply | Sequence[Reply]]]) -> Script:
    """A script per first user message: one entry per turn, the last one repeated.

    An entry that is a list answers the first, second, … attempt at that turn; its last reply is repeated too.
    """

    def reply(request: Request) -> Reply:
        turns = scripts[request.prompt]
        entry = turns[min(request.turn, len(turns) - 1)]
        return entry if isinstance(entry, Reply) else entry[min(request.attempt, len(entry) - 1)]

    return reply


@dataclass
class ScriptedServer:
    """A running server. `requests` grows as they come in; `open` counts requests now being answered."""

    script: Script
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    open: int = 0
    _attempts: Counter[bytes] = field(default_factory=Counter)

    async def handle(self, http: web.Request) -> web.StreamResponse:
        raw = await http.read()
        api = "anthropic" if http.path.endswith("/messages") else "chat"
        request = Request(api, json.loads(raw), dict(http.headers), self._attempts[raw])
        self._attempts[raw] += 1
        self.requests.append(request)
        self.open += 1
        try:
            reply = self.script(request)
            if reply.delay:
                await asyncio.sleep(reply.delay)
            return await self._answer(http, request, reply)
        finally:
            self.open -= 1

    async def _answer(self, http: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        if reply.status >= 400:
            headers = {} if reply.retry_after is None else {"retry-after": str(reply.retry_after)}
            error = {"type": "error", "error": {"type": "scripted_error", "message": reply.text or "scripted"}}
            return web.json_response(error, status=reply.status, headers=headers)
        if reply.drop and http.transport is not None:
            http.transport.close()
            return web.Response()
        number = request.turn + 1  # the same ids whatever else is going on
        if request.api == "anthropic":
            assert not request.body.get("stream"), "the scripted Messages API does not stream"
            return web.json_response(_message(reply, request.body["model"], number))
        completion = _completion(reply, request.body["model"], number)
        if not request.body.get("stream"):
            if reply.drop_midway:
                return await _cut(http, "application/json", [json.dumps(completion).encode()])
            return web.json_response(completion)
        events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in _chunks(completion)]
        if reply.drop_midway:
            return await _cut(http, "text/event-stream", events)
        return web.Response(body=b"".join([*events, b"data: [DONE]\n\n"]), content_type="text/event-stream")


@contextmanager
def serve(script: Script) -> Generator[ScriptedServer]:
    """Run a server for `script` on a thread of its own until the block ends."""
    server = ScriptedServer(script)
    started = threading.Event()
    stop: list[Callable[[], object]] = []

    async def main() -> None:
        app = web.Application(client_max_size=1024**3)
        app.router.add_post("/v1/chat/completions", server.handle)
        app.router.add_post("/v1/messages", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
        started.set()
        await stopped.wait()
        await runner.cleanup()

    thread = threading.Thread(target=asyncio.run, args=(main(),), daemon=True)
    thread.start()
    assert started.wait(10), "the scripted server did not start"
    try:
        yield server
    finally:
        stop[0]()
        thread.join(10)


def _calls(reply: Reply, number: int) -> list[tuple[str, str, str]]:
    return [(f"call_{number}_{i}", name, arguments) for i, (name, arguments) in enumerate(reply.calls)]


def _completion(reply: Reply, model: str, number: int) -> dict:
    message: dict = {"role": "assistant", "content": reply.text}
    if reply.thinking is not None:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in _calls(reply, number)
        ]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _chunks(completion: dict) -> list[dict]:
    """`completion` as stream chunks: the message in two deltas, the finish reason, the usage."""
    head = {key: completion[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    message = completion["choices"][0]["message"]
    first, second = dict(message), {}
    if message.get("content"):
        middle = len(message["content"]) // 2
        first["content"], second["content"] = message["content"][:middle], message["content"][middle:]
    if message.get("tool_calls"):
        first["tool_calls"] = [
            {**call, "index": i, "function": {**call["function"], "arguments": call["function"]["arguments"][:3]}}
            for i, call in enumerate(message["tool_calls"])
        ]
        second["tool_calls"] = [
            {"index": i, "function": {"arguments": call["function"]["arguments"][3:]}}
            for i, call in enumerate(message["tool_calls"])
        ]
    finish = completion["choices"][0]["finish_reason"]
    deltas = [(first, None), (second, None), ({}, finish)]
    chunks = [{**head, "choices": [{"index": 0, "delta": d, "finish_reason": f}]} for d, f in deltas]
    return [*chunks, {**head, "choices": [], "usage": completion["usage"]}]


def _message(reply: Reply, model: str, number: int) -> dict:
    blocks: list[dict] = []
    if reply.thinking is not None:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": f"signature-{number}"})
    if reply.text is not None:
        blocks.append({"type": "text", "text": reply.text})
    for call_id, name, arguments in _calls(reply, number):
        blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": json.loads(arguments)})
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


async def _cut(http: web.Request, content_type: str, parts: list[bytes]) -> web.StreamResponse:
    """Send half of `parts` under a length that promises all of them, then close."""
    body = b"".join(parts)
    response = web.StreamResponse(headers={"Content-Type": content_type, "Content-Length": str(len(body))})
    await response.prepare(http)
    await response.write(body[: len(body) // 2])
    if http.transport is not None:
        http.transport.close()
    return response
