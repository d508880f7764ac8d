"""chat-loop on verifiers 0.3.1: installed with it in a venv of its own, one rollout with a tool."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripted_server import Reply, by_prompt, serve

ROOT = Path(__file__).parent.parent
UNREACHABLE = ("error sending request", "Failed to fetch", "Could not connect", "dns error", "no cached version")


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    uv = shutil.which("uv")
    assert uv, "uv makes this test's venv"
    # A copy, so that the build leaves nothing in the checkout.
    source = tmp_path_factory.mktemp("source") / "chat_loop"
    shutil.copytree(ROOT / "environments/chat_loop", source)
    path = tmp_path_factory.mktemp("venv") / "venv"
    subprocess.run([uv, "venv", "-q", "-p", sys.executable, str(path)], check=True)
    install = [uv, "pip", "install", "-q", "-p", str(path), "verifiers==0.3.1", str(source)]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
        pytest.skip(f"the package index cannot be reached: {done.stderr.strip()[-300:]}")
    assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("api", ["chat", "anthropic"])
def test_one_rollout_with_a_tool(venv: Path, tmp_path: Path, api: str) -> None:
    turn = Reply(thinking="hm", calls=[("add", '{"a": 1, "b": 2}'), ("boom", "{}"), ("add", '{"a": "x", "b": 2}')])
    with serve(by_prompt({"tool": [turn, Reply("ok")]})) as server:
        command = [
            str(venv / "bin/eval"),
            "scripted-tasks",
            *("-m", "scripted", "-n", "1", "-r", "1", "--no-push", "--no-rich", "--no-serve"),
            *("--client.base-url", server.url, "--client.api-key-var", "SCRIPTED_KEY"),
            *("--output-dir", str(tmp_path)),
            *("--env.agent.harness.id", "chat-loop", "--env.agent.harness.api", api),
            *("--env.agent.runtime.type", "subprocess"),
            *("--env.taskset.prompts", '["tool"]'),
        ]
        env = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Unclosed" not in done.stderr
    (path,) = tmp_path.rglob("traces.jsonl")
    (trace,) = json.loads(path.read_text())["traces"]
    assert trace["ok"], trace["errors"]
    assert trace["rewards"]["said_ok"]["score"] == 1.0
    results = [node["message"]["content"] for node in trace["nodes"] if node["message"]["role"] == "tool"]
    assert results[0] == "3"
    assert results[1].startswith("Error executing tool boom")
    assert results[2].startswith("Error executing tool add")
    assert [node["message"].get("reasoning_content") for node in trace["nodes"]].count("hm") == 1
