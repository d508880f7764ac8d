"""Saved messages and tools in OpenAI wire form, as `verifiers.v1.dialects.chat` writes them, from plain JSON."""

from typing import Any


def wire(message: dict[str, Any]) -> dict[str, Any]:
    """A saved message as OpenAI's chat completions have it.

    Thinking is `reasoning_content` always: the signed blocks that some providers want back (`provider_state`) mean
    nothing outside their conversation.
    """
    role = message["role"]
    if role == "assistant":
        calls = message.get("tool_calls") or []
        content = message.get("content")
        result = {"role": role, "content": "" if content is None and not calls else content}
        if message.get("reasoning_content") is not None:
            result["reasoning_content"] = message["reasoning_content"]
        if calls:
            result["tool_calls"] = [_call(call) for call in calls]
        return result
    result = {"role": role, "content": message.get("content") or ""}
    if role == "tool":
        result["tool_call_id"] = message["tool_call_id"]
        if message.get("name"):
            result["name"] = message["name"]
    return result


def _call(call: dict[str, Any]) -> dict[str, Any]:
    kind = call.get("type") or "function"
    body = {"name": call["name"], "input" if kind == "custom" else "arguments": call["arguments"]}
    return {"id": call["id"], "type": kind, kind: body}


def tool_wire(tool: dict[str, Any]) -> dict[str, Any]:
    """A saved tool schema as OpenAI's `tools` have it."""
    function = {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "parameters": tool.get("parameters") or {},
    }
    if tool.get("strict") is not None:
        function["strict"] = tool["strict"]
    return {"type": "function", "function": function}


def content_text(content: Any) -> str:
    """The text of a message's content, whose parts may be images too."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content or [] if part.get("type") == "text")
