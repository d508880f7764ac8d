"""A taskset for the scripted server: one task per prompt, scored 1 when the last reply is `ok`.

Runs on verifiers 0.3.1 as well as 0.4. Task id: `scripted-tasks`.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import verifiers.v1 as vf
from pydantic import Field

from scripted_tools import ScriptedTools


class ScriptedData(vf.TaskData):
    id: str | None = None
    """Named here because verifiers 0.3.1 has no such field."""


class ScriptedTask(vf.Task[ScriptedData]):
    @vf.reward
    async def said_ok(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == "ok")


class ScriptedConfig(vf.TasksetConfig):
    prompts: list[str] = Field(default_factory=list)
    """One task each."""
    copies: int = 1
    """Tasks per prompt."""
    seconds: dict[str, float] = Field(default_factory=dict)
    """Time for the agent, by prompt."""
    tools: bool = True
    """Serve the scripted tools."""
    tools_url: str | None = None
    """A server of them that runs already (see `serve_tools`)."""


class ScriptedTaskset(vf.Taskset[ScriptedTask, ScriptedConfig]):
    def load(self) -> list[ScriptedTask]:
        names = [prompt for prompt in self.config.prompts for _ in range(self.config.copies)]
        return [
            ScriptedTask(
                ScriptedData(
                    idx=i,
                    id=f"{prompt}-{i}",
                    prompt=prompt,
                    system_prompt="Reply as the script says.",
                    timeout=vf.TaskTimeout(agent=self.config.seconds.get(prompt)),
                ),
                self.config.task,
            )
            for i, prompt in enumerate(names)
        ]

    @classmethod
    def toolsets(cls, config: ScriptedConfig) -> list[vf.Toolset]:
        return [ScriptedTools(vf.SharedToolsetConfig(url=config.tools_url))] if config.tools else []


@contextmanager
def serve_tools() -> Generator[str]:
    """Run the scripted tools in a process of their own and yield their URL: several runs then share one start-up."""
    with tempfile.TemporaryDirectory() as directory:
        port = Path(directory) / "port"
        env = {**os.environ, "MCP_PORT_FILE": str(port), "VF_CONFIG": "{}"}
        command = [sys.executable, "-m", "scripted_tools"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not (port.exists() and _answers(int(port.read_text() or 0))):
                assert process.poll() is None and time.monotonic() < deadline, "the scripted tools did not start"
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port.read_text()}/mcp"
        finally:
            process.kill()
            process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


async def run_scripted(
    url: str,
    output_dir: Path,
    harness: dict,
    agent: dict | None = None,
    sampling: dict | None = None,
    concurrent: int = 8,
    taskset: str = "scripted-tasks",
    **fields: object,
) -> list[vf.Trace]:
    """Evaluate the scripted tasks at `url` in this process (verifiers 0.4): one trace per task, in task order.

    `harness`, `agent` and `sampling` are config tables; `fields` are those of `ScriptedConfig`.
    """
    from verifiers.v1.cli.eval.runner import run_eval
    from verifiers.v1.configs.cli.eval import EvalConfig
    from verifiers.v1.utils.loaders import resolve_env_config

    agent = {"harness": harness, "runtime": {"type": "subprocess"}, **(agent or {})}
    config = EvalConfig(
        env=resolve_env_config({"taskset": {"id": taskset} | fields, "agent": agent}),
        model="scripted",
        client=vf.EvalClientConfig(base_url=url, api_key_var="SCRIPTED_KEY"),
        sampling=vf.SamplingConfig.model_validate(sampling or {}),
        max_concurrent=concurrent,
        push=False,
        rich=None,
        output_dir=output_dir,
    )
    episodes = await run_eval(config)
    return sorted((trace for e in episodes for trace in e.traces), key=lambda trace: trace.task.data.idx or 0)


__all__ = ["ScriptedTaskset"]
