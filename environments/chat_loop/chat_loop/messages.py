"""The Anthropic Messages wire: Claude models in their own format, thinking blocks included."""

import json

import verifiers.v1 as vf
from pydantic import TypeAdapter
from verifiers.v1.dialects.anthropic import content_to_wire

from chat_loop.wire import Call, Result

ANTHROPIC_VERSION = "2023-06-01"

_PARTS = TypeAdapter(list[vf.ContentPart])


class MessagesWire:
    """A conversation as one Messages body.

    An assistant turn is replayed as the blocks that came in, unchanged: the API checks the signature of every
    thinking block that precedes a tool result.
    """

    route = "/messages"

    def __init__(
        self, model: str, system: str | None, prompt: str | vf.Messages | None, tools: list[dict], max_tokens: int
    ) -> None:
        """`tools` are MCP tool descriptions under their advertised names; `max_tokens` bounds one reply."""
        if isinstance(prompt, str):
            prompt = [vf.UserMessage(content=prompt)] if prompt else []
        systems: list[vf.MessageContent] = [system] if system else []
        self.messages: list[dict] = []
        for message in prompt or []:
            if message.role == "system":
                systems.append(message.content)
            else:
                self._append(_turn(message))
        self.body: dict = {"model": model, "max_tokens": max_tokens, "messages": self.messages}
        if len(systems) == 1:
            self.body["system"] = content_to_wire(systems[0])
        elif systems:
            self.body["system"] = [block for content in systems for block in _blocks(content)]
        if tools:
            self.body["tools"] = [_declaration(tool) for tool in tools]

    def headers(self, secret: str) -> dict[str, str]:
        return {"x-api-key": secret, "anthropic-version": ANTHROPIC_VERSION}

    def read(self, reply: dict) -> list[Call]:
        self.messages.append({"role": "assistant", "content": reply["content"]})
        return [
            Call(block["id"], block["name"], block.get("input") or {})
            for block in reply["content"]
            if block["type"] == "tool_use"
        ]

    def answer(self, results: list[tuple[Call, Result]]) -> None:
        # One user message for the whole turn: the API refuses a tool_use whose result is not in the next message.
        self.messages.append({"role": "user", "content": [_tool_result(call.id, result) for call, result in results]})

    def _append(self, turn: dict) -> None:
        last = self.messages[-1] if self.messages else None
        if last and _is_tool_results(last) and _is_tool_results(turn):
            last["content"] += turn["content"]
        else:
            self.messages.append(turn)


def _declaration(tool: dict) -> dict:
    return {"name": tool["name"], "description": tool.get("description") or "", "input_schema": tool["inputSchema"]}


def _turn(message: vf.Message) -> dict:
    if isinstance(message, vf.ToolMessage):
        return {"role": "user", "content": [_tool_result(message.tool_call_id, Result(_parts(message.content)))]}
    if not isinstance(message, vf.AssistantMessage):
        return {"role": "user", "content": content_to_wire(message.content)}
    blocks = list(message.provider_state or [])
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    for call in message.tool_calls or []:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)})
    return {"role": "assistant", "content": blocks}


def _input(arguments: str) -> dict:
    try:
        value = json.loads(arguments or "{}")
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _parts(content: vf.MessageContent) -> str | list[dict]:
    return content if isinstance(content, str) else [part.model_dump() for part in content]


def _blocks(content: vf.MessageContent) -> list[dict]:
    wire = content_to_wire(content)
    return [{"type": "text", "text": wire}] if isinstance(wire, str) else wire


def _tool_result(call_id: str, result: Result) -> dict:
    content = result.content
    block = {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": content if isinstance(content, str) else content_to_wire(_PARTS.validate_python(content)),
    }
    return {**block, "is_error": True} if result.is_error else block


def _is_tool_results(turn: dict) -> bool:
    content = turn["content"]
    return turn["role"] == "user" and isinstance(content, list) and content[0]["type"] == "tool_result"
