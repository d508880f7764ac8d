"""The scripted tasks under a policy: calls of `boom` are refused before they run. Task id: `scripted-gate`."""

import verifiers.v1 as vf

from scripted_tasks import ScriptedConfig, ScriptedTask, ScriptedTaskset


class GatedTask(ScriptedTask):
    @vf.intercept
    async def refuse_boom(self, request: vf.Request) -> vf.Request | None:
        last = request.messages[-1]
        if not isinstance(last, vf.ToolMessage) or last.name != "boom":
            return None
        refused = last.model_copy(update={"content": "refused by policy"})
        return request.model_copy(update={"messages": [*request.messages[:-1], refused]})


class GateTaskset(vf.Taskset[GatedTask, ScriptedConfig]):
    def load(self) -> list[GatedTask]:
        return [GatedTask(task.data, self.config.task) for task in ScriptedTaskset(self.config).load()]

    @classmethod
    def toolsets(cls, config: ScriptedConfig) -> list[vf.Toolset]:
        return ScriptedTaskset.toolsets(config)


__all__ = ["GateTaskset"]
