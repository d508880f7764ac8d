"""Run folders as `vf-eval` writes them, played by a scripted policy of known pass rates, without a model.

    tasks = [ScriptedTask("q0", rate=0.5), ScriptedTask("q1", rate=0.1, split="validation")]
    write_run(tmp_path / "baseline", episodes(tasks, rollouts=8, seed=0))

Every record goes through verifiers' own classes (`vf.Episode`), so the files are those of a real run. Two kinds of
task: single-turn questions (`ScriptedTask`), and searches whose results show supporting passages as musique-search
shows them (`SearchTask`).
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.configs.cli.eval import EvalConfig
from verifiers.v1.episode import EnvInfo
from verifiers.v1.graph import MessageNode
from verifiers.v1.task import WireTaskData
from verifiers.v1.trace import AgentInfo, Error, ModelCall, Reward, TraceTask
from verifiers.v1.types import (
    AssistantMessage,
    FinishReason,
    Message,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from verifiers.v1.utils.loaders import resolve_env_config
from verifiers.v1.utils.trace_store import write_episode

from musique_search.rows import Passage
from musique_search.tools import passage_id, show

SEARCH = Tool(
    name="search",
    description="Search the passages for words.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
OTHER = Passage("Gävle", "Gävle is a town on the Baltic.")
"""A passage that supports nothing."""


@dataclass(frozen=True)
class ScriptedTask:
    key: str
    rate: float
    """Probability that the policy answers right."""
    split: str = "train"
    answer: str = "Lund"
    tokens: tuple[int, int] = (40, 400)
    """Least and most completion tokens of a rollout."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Further fields of the task's data."""

    def data(self) -> dict[str, Any]:
        own = {"split": self.split, "question": f"Question {self.key}?", "answer": self.answer, "aliases": []}
        return own | self.fields

    def play(self, correct: bool, rng: random.Random) -> list[Message]:
        """The policy's part of the conversation, tool results included."""
        wrong = rng.choice(["Visby", "Umeå", "Lund Cathedral"])
        answer = self.answer if correct else wrong
        thought = f"Thought {rng.randrange(10**9)}."  # no two rollouts say the same
        return [AssistantMessage(content=f"<<{answer}>>", reasoning_content=thought)]


@dataclass(frozen=True)
class SearchTask(ScriptedTask):
    supporting: tuple[Passage, ...] = (Passage("Lund", "Lund has a cathedral."), Passage("Skåne", "Lund is in Skåne."))
    evidence_rate: float = 1.0
    """Probability that the searches of a rollout show every supporting passage; otherwise the last one is missing."""

    def data(self) -> dict[str, Any]:
        hops = [
            {"question": "?", "answer": p.title, "passage": i, "passage_id": passage_id(*p)}
            for i, p in enumerate(self.supporting)
        ]
        own = {"hops": hops, "supporting": list(range(len(hops))), "corpus": "invented"}
        return super().data() | own | self.fields

    def play(self, correct: bool, rng: random.Random) -> list[Message]:
        seen = self.supporting if rng.random() < self.evidence_rate else self.supporting[:-1]
        messages: list[Message] = []
        for number, passage in enumerate(seen):
            messages += search_turn(f"call_{number}", passage.title, [passage, OTHER])
        return [*messages, *super().play(correct, rng)]


def search_turn(call: str, query: str, passages: Sequence[Passage]) -> list[Message]:
    """A search and its result."""
    arguments = f'{{"query": "{query}"}}'
    return [
        AssistantMessage(
            reasoning_content=f"I look for {query}.",
            tool_calls=[ToolCall(id=call, name="search", arguments=arguments)],
        ),
        ToolMessage(tool_call_id=call, name="search", content=show(passages)),
    ]


def episodes(
    tasks: Iterable[ScriptedTask], rollouts: int = 8, seed: int = 0, model: str = "scripted", **changes: Any
) -> Iterator[vf.Episode]:
    """`rollouts` of every task, task by task. `changes` go to `episode`."""
    rng = random.Random(seed)
    for index, task in enumerate(tasks):
        for _ in range(rollouts):
            correct = rng.random() < task.rate
            tokens = rng.randint(*task.tokens)
            yield episode(task, task.play(correct, rng), index, correct, tokens, model, **changes)


def episode(
    task: ScriptedTask,
    played: Sequence[Message],
    index: int = 0,
    correct: bool = True,
    tokens: int = 100,
    model: str = "scripted",
    *,
    taskset: str = "musique-search",
    rewards: dict[str, float] | None = None,
    weights: dict[str, float] | None = None,
    metrics: dict[str, float] | None = None,
    stop: str = "agent_completed",
    finish: FinishReason = "stop",
    error: Error | None = None,
    trainable: bool = True,
    system: str = "Answer with the search tool.",
) -> vf.Episode:
    """One saved rollout; with `error`, one that failed and was not scored."""
    data = WireTaskData.model_validate(
        {"idx": index, "id": task.key, "prompt": f"Question {task.key}?", "system_prompt": system} | task.data()
    )
    own = TraceTask(type="MusiqueTask", data=data, key=task.key, hash=f"hash-{task.key}")
    messages: list[Message] = [SystemMessage(content=system), UserMessage(content=f"Question {task.key}?"), *played]
    nodes = [
        MessageNode(
            parent=n - 1 if n else None,
            message=message,
            tools=[SEARCH] if n == 0 else [],
            sampled=isinstance(message, AssistantMessage),
        )
        for n, message in enumerate(messages)
    ]
    sampled = [n for n, node in enumerate(nodes) if node.sampled]
    calls = [
        ModelCall(
            node=n,
            model=model,
            finish_reason=finish if n == sampled[-1] else "tool_calls",
            usage=Usage(prompt_tokens=50 * (n + 1), completion_tokens=tokens // len(sampled), cached_input_tokens=5),
        )
        for n in sampled
    ]
    scores = {"exact_match": float(correct), "partial_credit": float(correct)} if rewards is None else rewards
    weights = {"exact_match": 1.0, "partial_credit": 0.0} if weights is None else weights
    trace = vf.Trace(
        task=own,
        agent=AgentInfo(
            config=vf.AgentConfig(harness={"id": "chat-loop"}, runtime=vf.SubprocessConfig(), model=model),
            trainable=trainable,
        ),
        tools=[SEARCH],
        nodes=nodes,
        calls=calls,
        rewards={} if error else {name: Reward(score=s, weight=weights.get(name, 1.0)) for name, s in scores.items()},
        metrics={} if error else (metrics or {}),
        is_completed=True,
        ok=error is None,
        stop_condition=stop if error is None else f"{error.type.removesuffix('Error').lower()}_error",
        errors=[error] if error else [],
    )
    return vf.Episode(env=EnvInfo(id=taskset), task=own, traces=[trace], ok=error is None)


def provider_failure() -> Error:
    """What a rollout records whose server kept failing."""
    return Error(type="ProviderError", message="Internal Server Error", status_code=500)


def write_run(
    folder: Path, saved: Iterable[vf.Episode], taskset: str = "musique-search", model: str = "scripted"
) -> Path:
    """A run folder with these episodes: `traces.jsonl` and the resolved config."""
    (folder / "configs/resolved").mkdir(parents=True)
    (folder / "traces.jsonl").touch()
    for one in saved:
        write_episode(folder, one)
    config = EvalConfig(env=resolve_env_config({"taskset": {"id": taskset}}), model=model, push=False, rich=None)
    (folder / "configs/resolved/eval.json").write_text(config.model_dump_json(indent=2), encoding="utf-8")
    return folder


def write_prime_rl(folder: Path, step: int, kind: str, subset: str, saved: Iterable[vf.Episode]) -> Path:
    """Adds episodes to prime-rl's output folder, in the places and the form of its `FileMonitor`."""
    target = folder / "rollouts" / f"step_{step}" / kind / subset
    target.mkdir(parents=True)
    with (target / "traces.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one.to_record()) + "\n" for one in saved)
    return folder
