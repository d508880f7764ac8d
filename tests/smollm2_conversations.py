"""Three conversations with tool calls and results: one call, two at once, several rounds. All names are invented."""

import copy
import json
from typing import Any


def tool(name, description, /, **parameters) -> Any:
    properties = {
        key: {"default": None, "description": text, "title": key.title(), "type": "string"}
        for key, text in parameters.items()
    }
    schema = {"type": "object", "title": f"{name}Arguments", "properties": properties, "required": list(properties)[:1]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def call(name, arguments, number=0):
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def result(content, number=0):
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}


TOOLS: list[Any] = [
    tool("SearchSupplier", "Supplier records. Give “one” argument.", name="Name or <part> of it.", iban="IBAN's & co."),
    tool("LookupOrderRows", "", supplier_id="The supplier's id (UUID).", period_start="YYYY-MM-DD."),
    {"type": "function", "function": {"name": "Now", "description": None, "parameters": None}},
]
SYSTEM = {"role": "system", "content": "You answer e-mails.\nNever guess. "}
SINGLE: list[Any] = [
    SYSTEM,
    {"role": "user", "content": "  Ämne: fråga\n\nVad heter avdelningen på pren.nr 68851?\n\n/Åsa 😀"},
    {"role": "assistant", "tool_calls": [call("SearchSupplier", {"name": 'O\'Keddy & "Åkers" <AB>', "iban": None})]},
    result('{"id": "67a73ff9", "name": "Åkers", "n": 12}\n{"id": "68"}'),
    {"role": "assistant", "content": "Hej Åsa!\n\nDet är Arkiv Söder."},
]
PARALLEL: list[Any] = [
    {"role": "user", "content": "Two at once, 2024-01-31 <|x|>"},
    {
        "role": "assistant",
        "content": "I look them up.",
        "tool_calls": [
            call("SearchSupplier", {"name": "A"}),
            call("LookupOrderRows", {"supplier_id": "1", "n": [1, 2.5]}, 1),
        ],
    },
    result('{"id": 1}'),
    result("", 1),
    {"role": "assistant", "content": "12"},
]
RETRY: list[Any] = [
    SYSTEM,
    {"role": "user", "content": "When does it end?"},
    {"role": "assistant", "content": None, "tool_calls": [call("LookupOrderRows", {"supplier_id": "x"})]},
    result("error: no supplier has id x; ids come from SearchSupplier"),
    {"role": "assistant", "content": "", "tool_calls": [call("SearchSupplier", {"name": "Rönn\n\tmossa"})]},
    result('{"id": "7", "period_end": "2025-09-30"}'),
    {"role": "assistant", "content": "  On 2025-09-30.\n"},
    {"role": "user", "content": "\n\nTack! Och Now?"},
    {"role": "assistant", "content": "5", "tool_calls": [call("Now", {})]},
    result("\n 2026 \n"),
    {"role": "assistant", "content": "Klart."},
]
CONVERSATIONS = [SINGLE, PARALLEL, RETRY]


def as_wire(messages):
    """As verifiers hands them over: arguments as JSON text, in which letters are escaped."""
    messages = copy.deepcopy(messages)
    for message in messages:
        for each in message.get("tool_calls") or []:
            each["function"]["arguments"] = json.dumps(each["function"]["arguments"])
    return messages
