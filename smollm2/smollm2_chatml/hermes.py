"""Tools, tool calls and replies as text, as `template.jinja` writes them and as vLLM's `hermes` parser reads them."""

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from renderers.base import ParsedToolCall, ToolCallParseStatus

HEAD = "\n\nTools:\n<tools>\n"
FOOT = '</tools>\nTo call a tool, write:\n<tool_call>\n{"name": "<tool>", "arguments": {<arguments>}}\n</tool_call>'
OPEN, CLOSE = "<tool_call>", "</tool_call>"
BLOCK = re.compile(r"<tool_call>(.*?)</tool_call>|<tool_call>(.*)", re.DOTALL)
"""The blocks that vLLM's `hermes` parser finds: the last one may lack its end."""


def tools_text(tools: Sequence[Mapping[str, Any]]) -> str:
    """What stands behind the system message: one JSON line a tool, and how to call it."""
    return HEAD + "".join(f"{_tool(tool)}\n" for tool in tools) + FOOT


def _tool(tool: Mapping[str, Any]) -> str:
    function = tool.get("function") or tool
    parameters = function.get("parameters") or {}
    shown = {key: _schema(schema) for key, schema in (parameters.get("properties") or {}).items()}
    line = {"name": function["name"], "description": function.get("description") or "", "parameters": shown}
    return _json(line | {key: parameters[key] for key in ("required", "$defs") if parameters.get(key)})


def _schema(schema: Any) -> Any:
    # Titles and defaults repeat what name and description say; a small model pays for every token.
    if not isinstance(schema, Mapping):
        return schema
    return {key: value for key, value in schema.items() if key not in ("title", "default")}


def assistant_text(content: str, calls: Sequence[Mapping[str, Any]]) -> str:
    """An assistant turn: its text without outer blanks, then each call on lines of its own."""
    return "\n".join([part for part in (content.strip(),) if part] + [_call(call) for call in calls])


def _call(call: Mapping[str, Any]) -> str:
    function = call.get("function") or call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        # vLLM and prime-rl's SFT hand the template an object; in text it may be spaced and escaped otherwise.
        with contextlib.suppress(ValueError, RecursionError):
            arguments = _json(json.loads(arguments))
    else:
        arguments = _json(arguments)
    return f'{OPEN}\n{{"name": {_json(function["name"])}, "arguments": {arguments}}}\n{CLOSE}'


def read_reply(text: str) -> tuple[str, list[ParsedToolCall]]:
    """Text and calls of a reply, as vLLM's `hermes` parser has them.

    Like there, calls count all or none: one block that is no call makes the whole reply plain text. Its blocks are
    still listed, each with a status other than OK and without a name, because verifiers runs every call with a name.
    Text behind the first block is dropped, a missing end of the last block is forgiven. Never raises.

    Differs from vLLM in one point: a call whose name is empty counts as no call.
    """
    blocks = [closed or unclosed for closed, unclosed in BLOCK.findall(text)]
    if not blocks:
        return text.strip(), []
    read = [_read(block) for block in blocks]
    if all(call.status == ToolCallParseStatus.OK for call in read):
        return text[: text.find(OPEN)].strip(), read
    for call in read:
        if call.status == ToolCallParseStatus.OK:
            call.name, call.status = None, ToolCallParseStatus.MALFORMED_STRUCTURE
    if CLOSE not in text[text.rfind(OPEN) :]:
        read[-1].status = ToolCallParseStatus.UNCLOSED_BLOCK
    return text.strip(), read


def _read(block: str) -> ParsedToolCall:
    raw = block.strip()
    try:
        call = json.loads(block)
    except (ValueError, RecursionError):
        return ParsedToolCall(raw=raw, status=ToolCallParseStatus.INVALID_JSON)
    if not isinstance(call, dict) or "arguments" not in call:
        return ParsedToolCall(raw=raw, status=ToolCallParseStatus.MALFORMED_STRUCTURE)
    if not isinstance(call.get("name"), str) or not call["name"]:
        return ParsedToolCall(raw=raw, status=ToolCallParseStatus.MISSING_NAME)
    arguments = call["arguments"]
    if not isinstance(arguments, dict):  # its JSON text, which the tool loop answers with a message
        arguments = _json(arguments)
    return ParsedToolCall(raw=raw, name=call["name"], arguments=arguments)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
