"""What a request says, and what the teacher answers."""

import hashlib
import json
import random
import re
from dataclasses import dataclass, field
from typing import Any

_CALL_ID = re.compile(r"call_([0-9a-f]{12})_\d+$")


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """One assistant turn: a tool call, or the text that ends the conversation."""

    text: str | None = None
    call: Call | None = None


@dataclass(frozen=True)
class Conversation:
    prompt: str
    """The first user message."""
    calls: list[Call]
    results: list[str]
    """Texts of the tool results, in order."""
    rollout: str | None
    """The mark that the teacher's own call ids carry; None before the first call."""


@dataclass
class Rollouts:
    """Gives each rollout a mark, twelve hexadecimal digits. It travels in the ids of the tool calls, so that a
    rollout's later turns draw from the same numbers without the server remembering the conversation."""

    seed: int
    begun: dict[str, int] = field(default_factory=dict)
    """Rollouts begun, by first user message."""

    def mark(self, conversation: Conversation, sampling_seed: object) -> str:
        if conversation.rollout:
            return conversation.rollout
        number = self.begun.get(conversation.prompt, 0)
        self.begun[conversation.prompt] = number + 1
        key = json.dumps([self.seed, sampling_seed, number, conversation.prompt], default=str)
        return hashlib.blake2b(key.encode(), digest_size=6).hexdigest()


def draws(mark: str) -> random.Random:
    """The random numbers of a rollout, the same in each of its turns."""
    return random.Random(mark)


def read_conversation(messages: list[dict[str, Any]]) -> Conversation:
    """Raises ValueError for messages without a user message."""
    prompt, calls, results, rollout = None, [], [], None
    for message in messages:
        if message["role"] == "user" and prompt is None:
            prompt = _text(message)
        elif message["role"] == "tool":
            results.append(_text(message))
        for call in message.get("tool_calls") or []:
            calls.append(Call(call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")))
            match = _CALL_ID.match(call.get("id") or "")
            rollout = rollout or (match[1] if match else None)
    if prompt is None:
        raise ValueError("messages: no user message")
    return Conversation(prompt, calls, results, rollout)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text") or "" for part in content)
