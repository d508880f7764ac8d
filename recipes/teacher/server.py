"""The teacher's HTTP side: OpenAI chat completions on a loopback port. It remembers no conversation."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from recipes.teacher import invoices, math, musique
from recipes.teacher.config import TeacherConfig
from recipes.teacher.conversation import Conversation, Reply, Rollouts, draws, read_conversation

MODEL = "scripted-teacher"
CHARACTERS_A_TOKEN = 4
LARGEST_BODY = 64 * 1024 * 1024

Count = Callable[[list[dict], list[dict] | None, bool], int]
"""Tokens of messages with tools, with or without the generation prompt."""


@dataclass
class Teacher:
    """The tasks it knows and how it plays them."""

    mails: dict[str, dict]
    questions: dict[str, Any]
    slip_rate: float
    rollouts: Rollouts
    count: Count
    problems: dict[str, math.Problem] = field(default_factory=dict)

    def answer(self, body: Any) -> dict[str, Any]:
        """A chat completion. Raises ValueError, saying why, for a request that it cannot play."""
        if not isinstance(body, dict):
            raise ValueError("body: not a JSON object")
        if body.get("stream"):
            raise ValueError("stream: the scripted teacher does not stream; leave it out")
        messages = body.get("messages") or []
        conversation = read_conversation(messages)
        mark = self.rollouts.mark(conversation, body.get("seed"))
        message = _message(self._reply(conversation, messages, mark), mark, len(conversation.calls))
        prompt = self.count(messages, body.get("tools"), True)
        total = self.count([*messages, message], body.get("tools"), False)
        return {
            "id": f"chatcmpl-{mark}-{len(conversation.calls)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body.get("model") or MODEL,
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
            ],
            "usage": {"prompt_tokens": prompt, "completion_tokens": total - prompt, "total_tokens": total},
        }

    def _reply(self, conversation: Conversation, messages: list[dict], mark: str) -> Reply:
        rng = draws(mark)
        slip = rng.random() < self.slip_rate
        task = conversation.prompt.strip()
        if task in self.mails:
            return invoices.next_turn(self.mails[task], conversation, rng, slip)
        if task in self.questions:
            return musique.next_turn(self.questions[task], conversation, rng, slip)
        if task in self.problems:
            return math.next_turn(self.problems[task], messages, rng, slip)
        raise ValueError(
            f"messages: {task[:60]!r} is no task that the scripted teacher knows (supplier-invoices, musique-search "
            "on the corpora of --corpora, math-reasoning on the data sets of --math)"
        )


def load_teacher(config: TeacherConfig) -> Teacher:
    """Raises ValueError for a corpus, a data set or a tokenizer that cannot be read."""
    count = _characters if config.tokenizer is None else _tokens(config)
    return Teacher(
        invoices.load_mails(),
        musique.load_questions(config.corpora),
        config.slip_rate,
        Rollouts(config.seed),
        count,
        math.load_problems(config.math),
    )


def application(teacher: Teacher) -> web.Application:
    async def complete(request: web.Request) -> web.Response:
        try:
            return web.json_response(teacher.answer(await request.json()))
        except (ValueError, KeyError, TypeError) as e:
            error = {"message": str(e), "type": "invalid_request_error"}
            return web.json_response({"error": error}, status=400)

    async def models(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/v1/models", models)
    return app


def _message(reply: Reply, mark: str, number: int) -> dict[str, Any]:
    if reply.call is None:
        return {"role": "assistant", "content": reply.text}
    arguments = json.dumps(reply.call.arguments, ensure_ascii=False)
    call = {
        "id": f"call_{mark}_{number}",
        "type": "function",
        "function": {"name": reply.call.name, "arguments": arguments},
    }
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _characters(messages: list[dict], tools: list[dict] | None, generation: bool) -> int:
    text = json.dumps([tools, messages] if tools else messages, ensure_ascii=False)
    return len(text) // CHARACTERS_A_TOKEN + generation


def _tokens(config: TeacherConfig) -> Count:
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(config.tokenizer))
    except (OSError, ValueError) as e:
        raise ValueError(f"tokenizer: {config.tokenizer} cannot be read ({str(e).splitlines()[0]})") from None
    if not tokenizer.chat_template:
        raise ValueError(f"tokenizer: {config.tokenizer} has no chat template")

    def count(messages: list[dict], tools: list[dict] | None, generation: bool) -> int:
        text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=generation)
        return len(tokenizer.encode(text, add_special_tokens=False))

    return count
