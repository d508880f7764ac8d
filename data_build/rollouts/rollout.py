"""One rollout, from the plain JSON of a saved episode."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from data_build.rollouts.runs import TraceFile
from data_build.rollouts.wire import content_text, tool_wire, wire

MODEL_STOPS = {
    "agent_timeout",
    "compaction_failed",
    "max_turns",
    "max_input_tokens",
    "max_output_tokens",
    "max_total_tokens",
}
"""Stop conditions by which the model itself ran out of something."""
DEADLINE_STOPS = {"setup_timeout", "finalize_timeout", "scoring_timeout"}
"""Deadlines of the machinery. verifiers calls such a rollout ok and scores what there is; here it is a failure."""
LIMIT_STOPS = MODEL_STOPS - {"agent_timeout"}
"""Those that verifiers calls a truncation (`Trace.is_truncated`)."""
OVERFLOW = (
    "context length",
    "context_length",
    "context window",
    "max_model_len",
    "maximum model length",
    "prompt is too long",
    "too many tokens",
)
"""Words of a provider's error that mean: the model's own conversation grew too long."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One trace, or a failed episode without any."""

    run: str
    """Short name of the run; prime-rl's are `name/train` and `name/eval`."""
    model: str
    taskset: str
    task_key: str
    """Unique within a taskset."""
    task: dict[str, Any]
    """Fields of the task's data."""
    number: int
    """From 0 among the rollouts of this task in this run (and step)."""
    ok: bool
    """Ran to its end and was scored. A truncated one is ok."""
    errors: list[str]
    """`Type: message`, oldest first; those of an ok rollout were mended by a retry."""
    infrastructure: bool
    """Failed for reasons that are not the model's: see `_infrastructure`."""
    stop_condition: str | None
    truncated: bool
    """A limit ended it: turns, tokens, or the length of the last reply."""
    reward: float | None
    """Weighted sum; None where nothing was scored or a score is null."""
    rewards: dict[str, float | None]
    """Scores by name, without weights."""
    metrics: dict[str, float | None]
    messages: list[dict[str, Any]]
    """The last branch in OpenAI wire form: `reasoning_content`, tool arguments as JSON text, tool results."""
    tools: list[dict[str, Any]]
    """Schemas shown to the model, `{"type": "function", "function": {…}}`."""
    reply: str
    """Text of the last message if it is the model's and calls no tool; else empty."""
    prompt_tokens: int | None
    """Tokens sent, summed over all calls, those read from a cache included; None where the server counted none."""
    completion_tokens: int | None
    """Tokens generated, thinking included, summed over all calls; None where the server counted none."""
    length: int | None
    """Tokens of the last call's prompt and reply: the whole conversation as the model saw it."""
    turns: int
    """Model replies."""
    tool_calls: int
    """Tool calls in all replies."""
    logprobs: list[float] | None
    """Of the sampled tokens, where the run recorded them."""
    entropies: list[float] | None
    """Nats per sampled token, where a trainer recorded them."""
    trainable: bool
    step: int | None
    """prime-rl's training step."""
    agent: str
    trace_id: str
    """Empty for an episode without a trace."""
    run_id: str
    """Id that verifiers gave the run; empty where it gave none."""
    source: str
    """`file:line`."""


def episode_rollouts(row: dict[str, Any], file: TraceFile, place: str, numbers: Counter[tuple]) -> Iterator[Rollout]:
    """The rollouts of one saved episode; `numbers` counts those of each task so far.

    Raises:
        KeyError, TypeError, ValueError, AttributeError, IndexError: `row` is no episode.
    """
    task, traces = row["task"], row["traces"]
    env = row.get("env") or {}
    taskset = ((file.config.get("env") or {}).get("taskset") or {}).get("id") or str(env.get("id") or "").split("+")[-1]
    # An error of the environment voids an episode whose traces are fine by themselves.
    void = not row["ok"] and bool(row.get("errors"))
    traceless: dict[str, Any] = {"ok": False, "nodes": []}
    for trace in traces or [traceless]:
        own = trace.get("task") or task
        key = str(own.get("key") or own["data"].get("id") or own.get("hash") or own["data"]["idx"])
        agent = trace.get("agent") or {}
        which = (file.run, file.step, taskset, key, agent.get("name"))
        yield _rollout(
            trace,
            ok=bool(trace["ok"]) and not void and trace.get("stop_condition") not in DEADLINE_STOPS,
            errors=[*(trace.get("errors") or []), *(row.get("errors") or [])],
            late=bool(row.get("is_timeout")),
            run=file.run,
            step=file.step if file.step is not None else ((row.get("run") or {}).get("work") or {}).get("step"),
            model=(agent.get("config") or {}).get("model") or str(file.config.get("model") or ""),
            taskset=taskset,
            task_key=key,
            task=own["data"],
            number=numbers[which],
            trainable=bool(agent.get("trainable", True)),
            agent=agent.get("name") or "agent",
            run_id=str((row.get("run") or {}).get("id") or ""),
            source=place,
        )
        numbers[which] += 1


def _rollout(trace: dict[str, Any], *, ok: bool, errors: list[dict], late: bool, **given: Any) -> Rollout:
    nodes, calls = trace["nodes"], trace.get("calls") or []
    path = _last_branch(nodes)
    sampled = [node for node in nodes if node.get("sampled")]
    last = sampled[-1]["message"] if sampled else {}
    final = path[-1]["message"] if path else {}
    reply = content_text(last.get("content")) if final is last and not last.get("tool_calls") else ""
    usages = [call["usage"] for call in calls if call.get("usage")]
    stop = trace.get("stop_condition")
    finished = [call for call in calls if not call.get("error")]
    rewards = {name: _score(reward) for name, reward in (trace.get("rewards") or {}).items()}
    return Rollout(
        **given,
        ok=ok,
        errors=[f"{error.get('type', 'Error')}: {error.get('message', '')}" for error in errors],
        infrastructure=not ok and _infrastructure(stop, errors, late),
        stop_condition=stop,
        truncated=stop in LIMIT_STOPS or bool(finished and finished[-1].get("finish_reason") == "length"),
        reward=_weighted(trace.get("rewards") or {}) if ok else None,
        rewards=rewards,
        metrics=dict(trace.get("metrics") or {}),
        messages=[wire(node["message"]) for node in path],
        tools=[tool_wire(tool) for tool in (path[0].get("tools") if path else None) or trace.get("tools") or []],
        reply=reply.strip(),
        prompt_tokens=sum(map(_sent, usages)) if usages else None,
        completion_tokens=sum(u["completion_tokens"] for u in usages) if usages else _masked(nodes),
        length=_sent(usages[-1]) + usages[-1]["completion_tokens"] if usages else _held(path),
        turns=len(sampled),
        tool_calls=sum(len(node["message"].get("tool_calls") or []) for node in sampled),
        logprobs=_tokenwise(sampled, "logprobs"),
        entropies=_tokenwise(sampled, "entropies"),
        trace_id=trace.get("id") or "",
    )


def _last_branch(nodes: list[dict]) -> list[dict]:
    """Root to the last leaf (`Trace.messages`)."""
    parents = [node.get("parent") for node in nodes]
    for number, (node, parent) in enumerate(zip(nodes, parents, strict=True)):
        node["message"]["role"]  # a node without is no message
        if parent is not None and not 0 <= parent < number:
            raise ValueError(f"message {number} follows message {parent}")
    inner = set(parents)
    number = next((n for n in reversed(range(len(nodes))) if n not in inner), None)
    path: list[dict] = []
    while number is not None:
        path.append(nodes[number])
        number = parents[number]
    return path[::-1]


def _infrastructure(stop: str | None, errors: list[dict], late: bool) -> bool:
    """Whether a rollout that is not ok failed for reasons that are not the model's.

    So does everything but the model's own limits (`MODEL_STOPS`) and a conversation that outgrew the context, which
    the provider reports as an error: providers, the interception, tool servers, sandboxes, the harness, the
    environment's and the task's own code, deadlines of set-up, finalize and scoring, and what has no name.
    """
    if late:
        return True
    if stop in MODEL_STOPS:
        return False
    last = errors[-1] if errors else {}
    status, text = last.get("status_code"), str(last.get("message", "")).lower()
    overflow = status in (None, 400, 413, 422) and any(words in text for words in OVERFLOW)
    return not (last.get("type") == "ProviderError" and overflow)


def _score(reward: Any) -> float | None:
    score = reward.get("score") if isinstance(reward, dict) else reward
    return score if score is not None and math.isfinite(score) else None


def _weighted(rewards: dict[str, Any]) -> float | None:
    total = 0.0
    for reward in rewards.values():
        score = _score(reward)
        if score is None:
            return None
        total += score * (reward.get("weight", 1.0) if isinstance(reward, dict) else 1.0)
    return total if rewards else None


def _sent(usage: dict[str, Any]) -> int:
    return usage["prompt_tokens"] + (usage.get("cached_input_tokens") or 0)


def _masked(nodes: list[dict]) -> int | None:
    return sum(sum(node.get("mask") or []) for node in nodes) or None


def _held(path: list[dict]) -> int | None:
    return sum(len(node.get("token_ids") or []) for node in path) or None


def _tokenwise(sampled: list[dict], name: str) -> list[float] | None:
    values = [value for node in sampled for value in node.get(name) or []]
    return values or None
