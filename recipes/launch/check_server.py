"""`uv run check-server MODEL --base-url URL`: ask a served model six things before a run depends on them.

Each is a fault that leaves no error message: tool calls that stay in the text, whole replies in the reasoning field,
a thinking switch without effect, an adapter that changes nothing, a cache that still answers for the last adapter,
answers that turn to garbage beside others (load_check.py).
"""

import json
import os
import re
import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
from pydantic import Field
from pydantic_config import BaseConfig, cli

from recipes.launch.errors import LaunchError, one_line
from recipes.launch.load_check import beside_others, reasoning

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search an encyclopedia.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What to look for."}},
            "required": ["query"],
        },
    },
}
ASK_TOOL = "Call the search tool with the query 'harbour Lund'. Do not answer yourself."
ASK_TEXT = "Which number is larger, 17 or 71? Reply with the number only."
PROBES = ("Name three things found in a harbour.", "Continue: The first train left", "Write one line about rain.")
THINK = re.compile(r"</?think>")


class CheckConfig(BaseConfig):
    base_url: str = "http://localhost:8000/v1"
    """Address of the OpenAI-compatible API, with /v1."""

    base: str | None = None
    """Name under which the same server has the model without the adapter: both must answer differently."""

    tools: bool = True
    """Whether the run uses tools; --no-tools leaves that check out."""

    max_tokens: int = Field(1024, ge=16)
    """Longest reply of the checks in tokens, thinking included."""

    concurrency: int = Field(64, ge=1)
    """Requests in flight of the last check; 1 leaves it out."""

    timeout: float = Field(300.0, gt=0)
    """Seconds to wait for one reply."""

    api_key_var: str = "OPENAI_API_KEY"
    """Name of the variable with the key; unset sends "EMPTY"."""


@dataclass(frozen=True)
class Finding:
    """`level`: "ok", "warning" or "fail"."""

    level: str
    text: str


@dataclass
class Server:
    client: httpx.Client
    max_tokens: int

    def chat(self, model: str, prompt: str, **body: Any) -> dict[str, Any]:
        """The first choice of a completion at temperature 0, `prompt_tokens` added.

        Raises:
            LaunchError: no server, or it refuses the request; with the server's own reason.
        """
        request = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0.0}
        try:
            reply = self.client.post("chat/completions", json=request | {"max_tokens": self.max_tokens} | body)
        except httpx.HTTPError as error:
            why = error or type(error).__name__
            raise LaunchError(f"--base-url {self.client.base_url}: no answer ({why})") from None
        if reply.status_code != 200:
            raise LaunchError(f"{model} at {self.client.base_url}: HTTP {reply.status_code}: {_reason(reply)}")
        answer = reply.json()
        return answer["choices"][0] | {"prompt_tokens": (answer.get("usage") or {}).get("prompt_tokens")}


def main() -> None:
    with one_line("check-server"):
        words = sys.argv[1:]
        if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")) or words[0] == "@":
            raise LaunchError("name the served model first: `uv run check-server MODEL --base-url URL`")
        # pydantic-config words errors for people only where it reads sys.argv itself.
        sys.argv = ["check-server MODEL", *(words if words[0].startswith("-") else words[1:])]
        findings = check(words[0], cli(CheckConfig))
        for finding in findings:
            print(f"{finding.level:8}{finding.text}")
        failed = sum(finding.level == "fail" for finding in findings)
        if failed:
            raise LaunchError(f"{failed} of {len(findings)} checks failed: do not start the run yet")


def check(model: str, config: CheckConfig) -> list[Finding]:
    """All findings for `model`, in the order of the checks.

    Raises:
        LaunchError: no server, or it refuses a request that carries no tools.
    """
    headers = {"Authorization": f"Bearer {os.environ.get(config.api_key_var) or 'EMPTY'}"}
    limits = httpx.Limits(max_connections=config.concurrency)
    with httpx.Client(base_url=config.base_url, headers=headers, timeout=config.timeout, limits=limits) as client:
        server = Server(client, config.max_tokens)
        findings = _text(server, model)
        if config.tools:
            findings += _tools(server, model)
        if config.base is not None:
            findings += _adapter(server, model, config.base)
        if config.concurrency > 1:
            findings.append(Finding(*beside_others(partial(server.chat, model), config.concurrency)))
    return findings


def _text(server: Server, model: str) -> list[Finding]:
    findings = []
    on = server.chat(model, ASK_TEXT)
    off = server.chat(model, ASK_TEXT, chat_template_kwargs={"enable_thinking": False})
    for name, choice in (("default", on), ("thinking off", off)):
        message = choice["message"]
        if (message.get("content") or "").strip():
            findings.append(Finding("ok", f"{name}: the answer is in the content"))
        elif choice.get("finish_reason") == "length":
            findings.append(Finding("fail", f"{name}: still thinking after {server.max_tokens} tokens: --max-tokens"))
        elif reasoning(message).strip():
            text = "the whole answer is in the reasoning field and the content is empty: unset or change"
            findings.append(Finding("fail", f"{name}: {text} inference.vllm.reasoning_parser"))
        else:
            findings.append(Finding("fail", f"{name}: the reply is empty"))
    message = off["message"]
    content = message.get("content") or ""
    # A reasoning parser puts a plain answer there too (seen above); with both filled, the model did think.
    if THINK.search(content) or (content.strip() and reasoning(message).strip()):
        same = on["prompt_tokens"] is not None and on["prompt_tokens"] == off["prompt_tokens"]
        cause = "its chat template ignores enable_thinking" if same else "it was not trained to obey the empty block"
        fix = "take the tokenizer and chat template of the original model"
        findings.append(Finding("fail", f"thinking off: the model thinks nevertheless, {cause}: {fix}"))
    else:
        findings.append(Finding("ok", "thinking off: no think block"))
    return findings


def _tools(server: Server, model: str) -> list[Finding]:
    findings = []
    forced = {"type": "function", "function": {"name": "search"}}
    for name, choice in (("auto", "auto"), ("forced", forced)):
        try:
            thinking = {"enable_thinking": True}
            answer = server.chat(model, ASK_TOOL, tools=[SEARCH], tool_choice=choice, chat_template_kwargs=thinking)
        except LaunchError as error:
            fix = "set inference.vllm.tool_call_parser (Qwen3: hermes)"
            findings.append(Finding("fail", f"tool call, {name}: {error}: {fix}"))
            continue
        findings.append(_call(answer, name))
    return findings


def _call(choice: dict[str, Any], name: str) -> Finding:
    message = choice["message"]
    calls = message.get("tool_calls") or []
    if calls:
        function = calls[0].get("function") or {}
        try:
            query = json.loads(function.get("arguments") or "")["query"]
        except (ValueError, KeyError, TypeError):
            query = None
        if function.get("name") != "search" or not isinstance(query, str):
            return Finding("fail", f"tool call, {name}: parsed, but not as search(query): {json.dumps(function)[:200]}")
        return Finding("ok", f"tool call, {name}: parsed")
    for place, text in (("content", message.get("content") or ""), ("reasoning field", reasoning(message))):
        if "<tool_call>" in text or re.search(r'"name"\s*:\s*"search"', text):
            fix = "set inference.vllm.tool_call_parser (Qwen3: hermes), and if it is set, turn thinking off"
            return Finding("fail", f"tool call, {name}: it stays in the {place} and is not parsed: {fix}")
    if choice.get("finish_reason") == "length":
        return Finding("fail", f"tool call, {name}: no call within the tokens allowed: raise --max-tokens")
    said = (message.get("content") or "")[:80]
    return Finding("fail", f"tool call, {name}: none was made, so parsing is not shown (it said {said!r})")


def _adapter(server: Server, model: str, base: str) -> list[Finding]:
    """Whether `model` differs from `base`, measured against what `base` differs from itself."""
    if model == base:
        raise LaunchError(f"--base {base}: this is the model itself; name the one without the adapter")
    gaps, noise = [], []
    for prompt in PROBES:
        one, two, other = (server.chat(name, prompt, logprobs=True, max_tokens=32) for name in (base, base, model))
        noise.append(gap(one, two))
        gaps.append(gap(one, other))
    shown = f"largest difference {max(gaps):.2g}, {max(noise):.2g} between two answers of {base}"
    if max(gaps) > 2 * max(noise) and max(gaps) > 0:
        findings = [Finding("ok", f"{model} answers differently from {base} ({shown})")]
    else:
        why = "the adapter is not loaded, is untrained, or was not merged"
        findings = [Finding("fail", f"{model} answers like {base} ({shown}): {why}")]
    if not re.search(r"step[-_]?\d+", model):
        text = f"{model} names no step: a server that reloads it under this name may answer from the old one's cache"
        findings.append(Finding("warning", f"{text}; serve it as {model}-step_<N>"))
    return findings


def gap(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Largest difference of the log-probabilities (nats) of two choices, up to where their tokens part.

    Where the server returns none, 0.0 for equal text and 1.0 for different text.
    """
    first, second = _tokens(one), _tokens(other)
    if not first or not second:
        same = [(each["message"].get("content"), reasoning(each["message"])) for each in (one, other)]
        return 0.0 if same[0] == same[1] else 1.0
    largest = 0.0
    for (token, logprob), (other_token, other_logprob) in zip(first, second, strict=False):
        largest = max(largest, abs(logprob - other_logprob))
        if token != other_token:
            break
    return largest


def _tokens(choice: dict[str, Any]) -> list[tuple[str, float]]:
    content = (choice.get("logprobs") or {}).get("content") or []
    return [(each["token"], float(each["logprob"])) for each in content]


def _reason(reply: httpx.Response) -> str:
    try:
        body = reply.json()
        error = body.get("error", body)
        return str(error.get("message", error) if isinstance(error, dict) else error).splitlines()[0][:200]
    except (ValueError, AttributeError, IndexError):
        return reply.text[:200]
