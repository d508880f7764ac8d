"""select-one: n attempts at a task in one episode; one correct attempt is trained on (rejection sampling), or all.

Attempts are played untrainable and made trainable at the end, so an episode that breaks off half-way trains nothing.
Only an Env sees the whole group before prime-rl does, so what a loss needs of it is written here: the group's standard
deviation (as loss weights) and a frozen model's logprobs.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from statistics import fmean, pstdev
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field, model_validator
from verifiers.v1.utils.generic import deep_merge

from select_one.reference import ReferenceConfig, score

ROUNDING = 1e-6
"""Weighted rewards that add up to the threshold may miss it by this much; a spread below it is none."""


class SelectOneEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "chat-loop"}, runtime=vf.SubprocessConfig())
    """Who attempts the task. What the taskset's own Env or harness sets comes before these defaults."""
    n: int = Field(8, ge=1)
    """Attempts per episode."""
    select: Literal["shortest", "random"] = "shortest"
    """Which correct attempt is kept: the one with the fewest completion tokens (the earliest of equals), or one drawn
    by `seed` and the task's key."""
    reward: str = ""
    """Name of the task's reward that says whether an attempt is correct, by its score without weight; empty for the
    weighted sum of all."""
    threshold: float = Field(1.0, allow_inf_nan=False)
    """An attempt is correct when that reward reaches this."""
    seed: int = 0
    """Of `select = "random"`."""
    train: Literal["selected", "all"] = "selected"
    """Which attempts are trained on: the selected one, or all that ran (a group in one episode)."""
    divide_by_std: bool = False
    """With `train = "all"`: gives each attempt's tokens the `rl` loss weight 1 / (population standard deviation of the
    group's rewards), for a loss that multiplies the advantage by it (`math_reasoning.losses.clipped_surrogate`)."""
    reference: ReferenceConfig | None = None
    """A frozen model whose logprobs of the trained tokens the loss gets as `ref_logprobs`."""

    @model_validator(mode="after")
    def _group(self) -> "SelectOneEnvConfig":
        if self.divide_by_std and self.train != "all":
            raise ValueError('divide_by_std: one attempt has no spread; set train = "all" or leave it out')
        return self

    @model_validator(mode="before")
    @classmethod
    def _taskset_defaults(cls, data: object) -> object:
        """Puts the agent defaults of the taskset's own Env (harness, runtime, turn cap) under what the run sets."""
        if isinstance(data, dict) and isinstance(data.get("agent", {}), dict):
            taskset = data.get("taskset")
            name = taskset.get("id") if isinstance(taskset, dict) else getattr(taskset, "id", None)
            data = data | {"agent": deep_merge(agent_defaults(name or ""), data.get("agent", {}))}
        return data


def agent_defaults(taskset_id: str) -> dict:
    """What the taskset sets for the single agent that plays it by default, as a config table; empty if nothing."""
    field = vf.env_config_type(taskset_id).model_fields.get("agent")
    own = field.default if field else None
    defaults = own.model_dump(include=own.model_fields_set) if isinstance(own, vf.AgentConfig) else {}
    if defaults.get("harness") is None and (harness := vf.default_harness_id(taskset_id)) != "bash":
        defaults["harness"] = {"id": harness}
    return defaults


class SelectOneEnv(vf.Env[SelectOneEnvConfig]):
    """Plays `n` attempts. Trainable is the selected one (none if none is correct), or with `train = "all"` all that
    ran."""

    async def setup(self, agents: vf.Agents) -> None:
        agents.agent.trainable = False

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        async def attempt(number: int) -> None:
            trace = await agents.agent.run(task)
            trace.record_metric("attempt", number)  # traces join the episode in the order in which they end

        async with asyncio.TaskGroup() as group:
            for number in range(self.config.n):
                group.create_task(attempt(number))

    async def finalize(self, task: vf.Task, episode: vf.Episode) -> None:
        ran = sorted((t for t in episode.traces if t.ok), key=attempt_number)
        correct = [t for t in ran if self._score(t) >= self.config.threshold - ROUNDING]
        kept = self._select(task, correct)
        facts = {
            "attempts_correct": len(correct),
            "attempts_failed": len(episode.traces) - len(ran),
            "selected_attempt": -1 if kept is None else attempt_number(kept),
        }
        if ran:
            facts["tokens_mean"] = fmean(map(tokens, ran))
        if kept is not None:
            facts["tokens_mean_correct"] = fmean(map(tokens, correct))
            facts["tokens_kept"] = tokens(kept)
        # Facts of the episode, on every trace of it: consumers read traces one by one.
        for trace in episode.traces:
            trace.record_metrics(facts)
            trace.record_metric("correct", any(trace is t for t in correct))
            trace.record_metric("selected", trace is kept)
        trained = ran if self.config.train == "all" else [t for t in ran if t is kept]
        if self.config.divide_by_std:
            weigh(trained)
        if self.config.reference is not None:
            await score(self.config.reference, task, trained)
        for trace in trained:
            trace.agent.trainable = True

    async def run_episode(
        self,
        task: vf.Task,
        ctx: vf.ModelContext,
        *,
        on_trace: Callable[[vf.Trace], None] | None = None,
        on_discard: Callable[[vf.Trace], None] | None = None,
    ) -> vf.Episode:
        """The base's episode, valid with one attempt that ran: a failed one is a fact on its own trace.

        prime-rl marks every trace of an invalid episode as failed, and `--resume` plays it again.
        """
        episode = await super().run_episode(task, ctx, on_trace=on_trace, on_discard=on_discard)
        episode.ok = not episode.errors and any(trace.ok for trace in episode.traces)
        return episode

    def _score(self, trace: vf.Trace) -> float:
        """The reward that decides. Raises ValueError where the task has no reward of that name."""
        if not self.config.reward:
            return trace.reward
        reward = trace.rewards.get(self.config.reward)
        if reward is None:
            known = ", ".join(trace.rewards) or "none"
            raise ValueError(f"env.reward: the task has no reward {self.config.reward!r}; it has: {known}")
        return reward.score

    def _select(self, task: vf.Task, correct: Sequence[vf.Trace]) -> vf.Trace | None:
        if not correct:
            return None
        if self.config.select == "shortest":
            if any(tokens(trace) == 0 for trace in correct):
                raise ValueError("the server reports no completion tokens, which select = 'shortest' compares")
            return min(correct, key=tokens)
        digest = hashlib.sha256(f"{self.config.seed}:{task.key}".encode()).digest()
        return correct[int.from_bytes(digest) % len(correct)]


def weigh(group: Sequence[vf.Trace]) -> None:
    """Writes the `rl` loss weight 1 / std(rewards) on every sampled node; 1.0 in a group without spread, whose
    advantages are 0. prime-rl hands it to the loss as `loss_weights`."""
    spread = pstdev(trace.reward for trace in group) if group else 0.0
    weight = 1 / spread if spread > ROUNDING else 1.0
    for trace in group:
        for node in trace.nodes:
            if any(node.mask):
                node.loss_weights = {"rl": [weight] * len(node.token_ids)}


def tokens(trace: vf.Trace) -> int:
    """Completion tokens of all calls of the attempt, as the server counted them; 0 where it did not."""
    return trace.usage.completion_tokens if trace.usage else 0


def attempt_number(trace: vf.Trace) -> float:
    return trace.metrics["attempt"] or 0.0
