"""Tool servers over plain JSON-RPC POSTs.

The servers that verifiers launches are stateless, so a call needs no handshake and no client of its own: one POST
where the MCP SDK opens streams and tasks per rollout. A server that insists on a session gets one.
"""

import itertools
import json
import socket
from contextlib import suppress
from dataclasses import dataclass, field

import aiohttp
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random

from chat_loop.wire import Result

ATTEMPTS = 6
"""Requests to a tool server before the failure ends the rollout, as with verifiers' own client."""
PROTOCOL_VERSION = "2025-06-18"
VERSION_HEADER = "MCP-Protocol-Version"
SESSION_HEADER = "Mcp-Session-Id"
QUICKACK = getattr(socket, "TCP_QUICKACK", None)
"""Linux only."""


class ToolServerError(Exception):
    """A tool server answered with an error that trying again cannot mend."""


class RequestRefused(ToolServerError):
    """A tool server read the request and found fault with it."""


@dataclass
class ToolServer:
    """One tool server of one rollout. `timeout` is seconds per request."""

    url: str
    timeout: float
    session: aiohttp.ClientSession
    headers: dict[str, str] = field(
        default_factory=lambda: {
            "Accept": "application/json, text/event-stream",
            VERSION_HEADER: PROTOCOL_VERSION,
        }
    )
    ids: itertools.count = field(default_factory=lambda: itertools.count(1))

    async def list_tools(self) -> list[dict]:
        """The server's tools as MCP describes them: `name`, `description`, `inputSchema`."""
        try:
            return (await self.request("tools/list", {}))["tools"]
        except ToolServerError:
            await self._open_session()
            return (await self.request("tools/list", {}))["tools"]

    async def call(self, name: str, arguments: dict) -> Result:
        """Run a tool. A tool that fails says so in its result; only the server's own failures raise."""
        result = await self.request("tools/call", {"name": name, "arguments": arguments})
        return Result(_content(result.get("content") or []), bool(result.get("isError")))

    async def request(self, method: str, params: dict) -> dict:
        """One JSON-RPC request, tried again while the server cannot be reached.

        Raises:
            RequestRefused: a JSON-RPC error.
            ToolServerError: any other HTTP 4xx.
            aiohttp.ClientError, TimeoutError: the last failure after `ATTEMPTS` requests.
        """
        retrying = AsyncRetrying(
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential(multiplier=0.5, max=30) + wait_random(0, 1),
            retry=retry_if_exception_type((aiohttp.ClientError, OSError, ValueError)),
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                reply = await self._post({"id": next(self.ids), "method": method, "params": params})
                if "error" in reply:
                    raise RequestRefused(str(reply["error"].get("message")))
                return reply["result"]
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def close(self) -> None:
        """End the server-side session, where there is one."""
        if SESSION_HEADER not in self.headers:
            return
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self.session.delete(self.url, headers=self.headers, timeout=aiohttp.ClientTimeout(total=5)):
                pass

    async def _open_session(self) -> None:
        client = {"name": "chat-loop", "version": "0.1.0"}
        params = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": client}
        # The version header belongs to the time after the handshake, which settles it.
        self.headers.pop(VERSION_HEADER, None)
        result = await self.request("initialize", params)
        self.headers[VERSION_HEADER] = result.get("protocolVersion", PROTOCOL_VERSION)
        await self._post({"method": "notifications/initialized"})

    async def _post(self, message: dict) -> dict:
        async with self.session.post(
            self.url,
            json={"jsonrpc": "2.0", **message},
            headers=self.headers,
            timeout=aiohttp.ClientTimeout(total=self.timeout),
        ) as response:
            _acknowledge(response)
            if response.status >= 500:
                response.raise_for_status()
            if response.status > 400 or (response.status == 400 and response.content_type != "application/json"):
                text = (await response.text())[:500]
                raise ToolServerError(f"{message['method']} failed: {response.status}: {text}")
            if SESSION_HEADER in response.headers:
                self.headers[SESSION_HEADER] = response.headers[SESSION_HEADER]
            if "id" not in message:
                return {}
            if response.content_type == "text/event-stream":
                return await _reply_from_events(response, message["id"])
            return json.loads(await response.read())


def _acknowledge(response: aiohttp.ClientResponse) -> None:
    """Acknowledge the headers at once.

    The servers write headers and body apart and hold the body back until the first is acknowledged (their sockets
    lack TCP_NODELAY); the kernel would let them wait 40 ms for it.
    """
    transport = response.connection.transport if response.connection else None
    sock = transport.get_extra_info("socket") if transport else None
    if QUICKACK is not None and sock is not None:
        with suppress(OSError):  # the peer may have closed already, with the answer in our hands
            sock.setsockopt(socket.IPPROTO_TCP, QUICKACK, 1)


async def _reply_from_events(response: aiohttp.ClientResponse, message_id: int) -> dict:
    """The reply to `message_id`; other messages on the stream are progress notes and pings."""
    data: list[str] = []
    # Not line by line: aiohttp bounds a line, and a tool result may be one long line.
    for line in (await response.text()).splitlines():
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            reply = json.loads("\n".join(data))
            data.clear()
            if reply.get("id") == message_id:
                return reply
    raise aiohttp.ClientPayloadError("the tool server's event stream ended without a reply")


def _content(blocks: list[dict]) -> str | list[dict]:
    """MCP content blocks as chat content: one text, or parts when there is an image among them."""
    parts = [_part(block) for block in blocks]
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts) if parts else "[]"
    return parts


def _part(block: dict) -> dict:
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    if block["type"] == "image":
        url = f"data:{block['mimeType']};base64,{block['data']}"
        return {"type": "image_url", "image_url": {"url": url}}
    # Audio and resources have no chat form: the model sees what verifiers' client shows, the SDK object's repr.
    from mcp.types import ContentBlock
    from pydantic import TypeAdapter

    return {"type": "text", "text": str(TypeAdapter(ContentBlock).validate_python(block))}
