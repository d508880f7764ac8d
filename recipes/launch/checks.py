"""What `setup-prime-rl` verifies at the end: commit, versions, imports, GPUs."""

import json
import subprocess
from dataclasses import dataclass

from recipes.launch import clone as pin
from recipes.launch.clone import Clone, environment, misplaced, packages
from recipes.launch.errors import LaunchError
from recipes.launch.source import git

SMALL = 40.0
"""GiB; the recipes are sized for cards of 48 GB."""

SCALE = "recipes/scale"
"""Folder of the overlays for other machines."""

# Runs in the clone's environment: names on the command line, versions and failed imports as JSON on the last line.
PROBE = """
import importlib, importlib.metadata as metadata, json, sys
names, modules = json.loads(sys.argv[1])
versions, failed, cuda = {}, {}, None
for name in names:
    try:
        versions[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        versions[name] = None
for module in modules:
    try:
        importlib.import_module(module)
    except Exception as error:
        failed[module] = f"{type(error).__name__}: {error}".splitlines()[0]
if "torch" in sys.modules and "torch" in modules:
    cuda = bool(sys.modules["torch"].cuda.is_available())
print()
print(json.dumps({"versions": versions, "failed": failed, "cuda": cuda}))
"""


@dataclass(frozen=True)
class Gpu:
    name: str
    memory: float
    """GiB."""


def gpus() -> list[Gpu] | None:
    """GPUs that nvidia-smi lists, or None where it is missing or fails."""
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    rows = [line.rpartition(",") for line in done.stdout.splitlines() if "," in line]
    return [Gpu(name.strip(), float(memory) / 1024) for name, _, memory in rows if memory.strip().isdigit()]


def gpu_problem(found: list[Gpu] | None) -> str | None:
    if found is None:
        return "no GPU: nvidia-smi is missing or fails on this machine"
    return None if found else "no GPU: nvidia-smi lists none"


def hints(found: list[Gpu] | None) -> list[str]:
    """The GPUs in words, and which overlay fits them."""
    if not found:
        return ["no GPU on this machine: start runs where there is one"]
    least = min(gpu.memory for gpu in found)
    lines = [f"{len(found)} × {found[0].name}, {least:.0f} GiB"]
    if least < SMALL:
        lines.append(
            f"the recipes are sized for 48 GB per GPU; one of 24 GB holds the trial run, `@ {SCALE}/smoke.toml`"
        )
    if len(found) == 1 and least >= SMALL:
        lines.append(
            f"one GPU does both halves when named twice: CUDA_VISIBLE_DEVICES=0,0 and `@ {SCALE}/one_80gb.toml`"
        )
    return lines


def inspect(clone: Clone, configs_only: bool) -> tuple[list[str], list[str]]:
    """Look at the finished clone.

    Returns:
        What it holds, and what is wrong with it, one line each.
    """
    heavy = [] if configs_only else ["torch", "vllm"]
    ours = packages(clone.root)
    modules = ["prime_rl.configs.rl", "prime_rl.entrypoints.rl", "verifiers.v1", *heavy]
    modules += [module for package in ours for module in package.modules]
    names = ["prime-rl", "verifiers", *heavy, *(package.name for package in ours)]
    found = _probe(clone, names, modules)
    commit = git(clone.path, "rev-parse", "HEAD")
    lines = [f"commit {commit}", ", ".join(f"{name} {version}" for name, version in found["versions"].items())]
    problems = [f"{name} is not installed" for name, version in found["versions"].items() if version is None]
    problems += [f"`import {module}` fails: {reason}" for module, reason in found["failed"].items()]
    if commit != pin.COMMIT:
        problems.append(f"{clone.path} is at {commit}, not at {pin.COMMIT}")
    wrong = misplaced(clone)
    if wrong:
        problems.append(wrong)
    if found["cuda"] is False and gpus():
        problems.append("nvidia-smi lists a GPU that torch cannot use: update the NVIDIA driver to one for CUDA 12.8")
    return lines, problems


def _probe(clone: Clone, names: list[str], modules: list[str]) -> dict:
    command = [str(clone.python), "-c", PROBE, json.dumps([names, modules])]
    done = subprocess.run(command, env=environment(), cwd=clone.root, capture_output=True, text=True)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise LaunchError(f"{clone.python} ended with code {done.returncode}: {last}") from None
