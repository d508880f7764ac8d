"""The tools of one rollout: what the model is offered, and what happens when it calls one."""

import aiohttp
import verifiers.v1 as vf

from chat_loop.mcp import RequestRefused, ToolServer
from chat_loop.truncate import truncate
from chat_loop.wire import Call, Result


class RolloutStopped(Exception):
    """The rollout's tool gate ended the rollout."""


class Toolbox:
    """Tools of a rollout's servers under the names the model sees."""

    def __init__(
        self, session: aiohttp.ClientSession, config: vf.HarnessConfig, secret: str, gate_url: str | None = None
    ) -> None:
        self.session = session
        self.config = config
        self.secret = secret
        self.gate_url = gate_url
        self.servers: list[ToolServer] = []
        self.routes: dict[str, tuple[ToolServer, str]] = {}
        self.descriptions: list[dict] = []

    async def connect(self, urls: dict[str, str]) -> None:
        """List the tools of each server in `urls` (server name to URL).

        Raises:
            ValueError: two tools with one name.
        """
        for prefix, url in urls.items():
            server = ToolServer(url, self.config.tool_timeout, self.session)
            self.servers.append(server)
            for tool in await server.list_tools():
                name = f"{prefix}_{tool['name']}" if prefix else tool["name"]
                if name in (self.config.disabled_tools or ()):
                    continue
                if name in self.routes:
                    raise ValueError(f"duplicate tool name {name!r}; keep MCP tool names qualified")
                self.routes[name] = (server, tool["name"])
                self.descriptions.append({**tool, "name": name})

    async def close(self) -> None:
        for server in self.servers:
            await server.close()

    async def run(self, call: Call) -> Result:
        """The result of `call`, bounded. Anything wrong with the call itself is a text for the model.

        Raises:
            RolloutStopped: the gate ended the rollout.
        """
        result = await self._denied(call) or await self._execute(call)
        if isinstance(result.content, str):
            return Result(truncate(result.content), result.is_error)
        return result

    async def _execute(self, call: Call) -> Result:
        if call.error:
            return Result(call.error, is_error=True)
        if not isinstance(call.arguments, dict):
            kind = type(call.arguments).__name__
            return Result(f"error: tool arguments must be a JSON object, got {kind}; resend as an object", True)
        if call.name not in self.routes:
            return Result(f"error: unknown tool {call.name!r}", is_error=True)
        server, name = self.routes[call.name]
        try:
            return await server.call(name, call.arguments)
        except RequestRefused as e:  # such as half a surrogate pair in a string
            return Result(f"error: {e}", is_error=True)
        except RecursionError:
            return Result("error: tool arguments are nested too deeply", is_error=True)

    async def _denied(self, call: Call) -> Result | None:
        """The result that the task's policy puts in the call's place, or None to run it."""
        if self.gate_url is None:
            return None
        async with self.session.post(
            self.gate_url,
            headers={"Authorization": f"Bearer {self.secret}"},
            json={"tool_call_id": call.id, "name": call.name, "arguments": call.arguments},
        ) as response:
            response.raise_for_status()
            decision = await response.json()
        if decision["action"] == "stop":
            raise RolloutStopped(decision["reason"])
        return Result(decision["message"]["content"]) if decision["action"] == "deny" else None
