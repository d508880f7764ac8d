"""The chat-completions wire."""

import json

import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire

from chat_loop.wire import Call, Result


class ChatWire:
    """A conversation as one chat-completions body.

    Requests are not streamed: the interception serves a turn whole either way, and the tool-call parsers of
    inference servers are more reliable on complete text than on deltas.
    """

    route = "/chat/completions"

    def __init__(self, model: str, system: str | None, prompt: str | vf.Messages | None, tools: list[dict]) -> None:
        """`tools` are MCP tool descriptions under their advertised names."""
        self.messages: list[dict] = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            if prompt:
                self.messages.append({"role": "user", "content": prompt})
        else:
            self.messages += [message_to_wire(message) for message in prompt or []]
        self.body: dict = {"model": model, "messages": self.messages}
        if tools:
            self.body["tools"] = [_declaration(tool) for tool in tools]

    def headers(self, secret: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {secret}"}

    def read(self, reply: dict) -> list[Call]:
        message = reply["choices"][0]["message"]
        # Strict servers reject null fields in the history.
        self.messages.append({key: value for key, value in message.items() if value is not None})
        return [_call(raw) for raw in message.get("tool_calls") or []]

    def answer(self, results: list[tuple[Call, Result]]) -> None:
        for call, result in results:
            self.messages.append(
                {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": result.content}
            )


def _declaration(tool: dict) -> dict:
    function = {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "parameters": tool["inputSchema"],
    }
    return {"type": "function", "function": function}


def _call(raw: dict) -> Call:
    function = raw.get("function") or {}
    text = function.get("arguments") or "{}"
    try:
        arguments, error = json.loads(text), None
    except (ValueError, RecursionError) as e:  # not JSON, a number of thousands of digits, thousands of brackets
        arguments = text
        error = f"error: invalid JSON in tool arguments ({e}); resend the call with valid JSON"
    return Call(raw["id"], function.get("name") or "", arguments, error)
