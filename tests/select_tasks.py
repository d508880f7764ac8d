"""A taskset for select-one's tests: one task per name, right when the last reply is `right`. Task id: `select-tasks`.

Runs on verifiers 0.3.1 as well as 0.4.
"""

import json
from collections.abc import Mapping, Sequence

import verifiers.v1 as vf
from pydantic import Field

from scripted_server import Reply, Request, Script


class SelectData(vf.TaskData):
    id: str | None = None
    """Named here because verifiers 0.3.1 has no such field."""


class SelectTask(vf.Task[SelectData]):
    @property
    def key(self) -> str:
        return self.data.id or self.hash

    @vf.reward
    async def accuracy(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == "right")

    @vf.reward(weight=0.5)
    async def lower_case(self, trace: vf.Trace) -> float:
        return float(trace.last_reply.islower())


class SelectConfig(vf.TasksetConfig):
    names: list[str] = Field(default_factory=list)


class SelectTaskset(vf.Taskset[SelectTask, SelectConfig]):
    def load(self) -> list[SelectTask]:
        return [
            SelectTask(SelectData(idx=i, id=n, prompt=n), self.config.task) for i, n in enumerate(self.config.names)
        ]


class SelectTasksEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(harness={"id": "chat-loop", "tool_timeout": 5}, max_turns=6)
    """No runtime, so that the default of whoever plays it shows."""


class SelectTasksEnv(vf.SingleAgentEnv, vf.Env[SelectTasksEnvConfig]):  # ty: ignore[invalid-generic-class]
    pass


def play(attempts: Mapping[str, Sequence[tuple[int, str]]]) -> Script:
    """A script: attempt i at a task takes `attempts[task][i]` = (turns, last reply), at 7 completion tokens a turn.

    A last reply of `fail` is a refused model call. Attempts start in order.
    """

    def reply(request: Request) -> Reply:
        calls = [m["tool_calls"][0] for m in request.body["messages"] if m["role"] == "assistant"]
        number = json.loads(calls[0]["function"]["arguments"])["attempt"] if calls else request.attempt
        turns, text = attempts[request.prompt][number]
        if len(calls) + 1 < turns:
            return Reply(calls=[("think", json.dumps({"attempt": number}))])
        return Reply(text, status=400) if text == "fail" else Reply(text)

    return reply


__all__ = ["SelectTasksEnv", "SelectTaskset"]
