"""Installs one environment in an empty project of its own, from built wheels, and runs a rollout there."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from scripted_server import Reply, serve

REPOSITORY = Path(__file__).parents[1]
# The project's own variables would point uv at this repository's environment.
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONPATH", "UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV")
}


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, env=CLEAN, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("wheels")
    for package in ("slm-rewards", "chat-loop", "supplier-invoices"):
        run("uv", "build", "--quiet", "--wheel", "--package", package, "--out-dir", folder, cwd=REPOSITORY)
    return sorted(folder.glob("*.whl"))


def test_wheel_ships_its_data(wheels: list[Path]) -> None:
    (wheel,) = (w for w in wheels if w.name.startswith("supplier_invoices"))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {f"supplier_invoices/data/{name}" for name in ("invoices.db", "tasks.jsonl", "manifest.json")} <= names


def test_an_environment_runs_in_an_empty_project(wheels: list[Path], tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    run("uv", "init", "--bare", "--quiet", cwd=project)
    run("uv", "add", "--quiet", *wheels, cwd=project)
    with serve(lambda request: Reply("Hej, jag vet inte.")) as server:
        vf_eval = project / ".venv" / "bin" / "vf-eval"
        flags = ["--client.base-url", server.url, "-n", "1", "--no-push", "-o", "out", "--run.dir", "run"]
        run(vf_eval, "supplier-invoices", "-m", "scripted", *flags, cwd=project)
    (line,) = (project / "out" / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    episode = json.loads(line)
    assert episode["ok"] is True
    assert episode["task"]["key"] == "invoices-1800"
    assert episode["traces"][0]["rewards"]["gold_fraction"]["score"] == 0.0
    assert len(server.requests[0].body["tools"]) == 3
