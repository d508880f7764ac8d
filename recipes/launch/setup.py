"""`uv run setup-prime-rl`: the pinned clone of prime-rl, its environment, our packages in it, and a check of it all.

Running it again repairs what is missing or moved. `--configs-only` leaves out everything that needs a GPU: enough for
dry runs and for checking recipes on a laptop.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from pydantic_config import BaseConfig, cli

from recipes.launch.checks import gpu_problem, gpus, hints, inspect
from recipes.launch.clone import Clone, environment, here, packages, uv
from recipes.launch.errors import LaunchError, one_line
from recipes.launch.source import ALL, CONFIGS_ONLY, checkout

MIN_UV = (0, 11, 1)
"""prime-rl refuses older ones: they cannot read its release cooldown."""

LIGHT = ("psutil", "setproctitle", "loguru")
"""What prime-rl's launchers import besides its configuration package."""


class SetupConfig(BaseConfig):
    configs_only: bool = False
    """Install what dry runs and `check-recipes` need: no torch, no GPU, about 1 GB."""

    python: str | None = None
    """Python 3.12 for prime-rl: a path or a version. By default uv looks for one, and fetches one if it may."""

    allow_no_gpu: bool = False
    """Set up although this machine has no GPU, as on a cluster's login node."""


def main() -> None:
    with one_line("setup-prime-rl"):
        clone = here()
        set_up(clone, cli(SetupConfig))


def set_up(clone: Clone, config: SetupConfig) -> None:
    """Make or repair the clone, and print what it holds.

    Raises:
        LaunchError: anything missing or wrong, with its fix.
    """
    _check_uv()
    if not config.configs_only:
        if sys.platform != "linux":
            raise LaunchError("prime-rl trains on Linux only; for dry runs: `uv run setup-prime-rl --configs-only`")
        problem = gpu_problem(gpus())
        if problem and not config.allow_no_gpu:
            raise LaunchError(
                f"{problem}; for dry runs: `uv run setup-prime-rl --configs-only`; on a login node: --allow-no-gpu"
            )
    print(f"prime-rl in {clone.path} …")
    for line in checkout(clone, CONFIGS_ONLY if config.configs_only else ALL):
        print(f"  {line}")
    ours = [word for package in packages(clone.root) for word in ("--editable", str(package.folder))]
    if config.configs_only:
        _install_light(clone, config, ours)
    else:
        # Named for a new environment only: another interpreter would replace an old one.
        python = config.python or (None if clone.python.exists() else _find_python())
        named = () if python is None else ("--python", python)
        # Inexact: what a user added, and our own packages, stay while a run may be using them.
        _uv("sync", "--project", str(clone.path), "--locked", "--all-extras", "--inexact", *named)
        _pip(clone, *ours)
    lines, problems = inspect(clone, config.configs_only)
    for line in lines:
        print(f"  {line}")
    if problems:
        raise LaunchError("\nsetup-prime-rl: ".join(problems))
    if config.configs_only:
        print("ready for dry runs: uv run rl @ recipes/….toml --dry-run")
        return
    for line in hints(gpus()):
        print(f"  {line}")
    print("ready: uv run rl @ recipes/….toml")


def _install_light(clone: Clone, config: SetupConfig, ours: list[str]) -> None:
    if clone.mode == "full":
        raise LaunchError(
            f"{clone.path}/.venv can train already, and dry runs work in it; to replace it, delete {clone.path}/.venv"
        )
    if not clone.python.exists():
        _make_venv(clone.path / ".venv", config.python or _find_python())
    configs, verifiers = clone.path / "packages" / "prime-rl-configs", clone.path / "deps" / "verifiers"
    _pip(clone, "--editable", str(configs), "--editable", str(verifiers), *LIGHT, *ours)
    # prime-rl's commands themselves; its dependencies are what needs the GPU.
    _pip(clone, "--no-deps", "--editable", str(clone.path))


def _make_venv(folder: Path, python: str) -> None:
    command = [uv(), "venv", "--quiet", "--no-project", "--python", python, str(folder)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1].strip().removeprefix("cause: ")
        raise LaunchError(
            f"no environment with Python {python} could be made ({reason}): install a Python 3.12, "
            "or name one with --python PATH"
        )


def _find_python() -> str:
    """A Python 3.12 that is installed (UV_PYTHON, if that is one), else the version, which uv may fetch."""
    command = [uv(), "python", "find", "--no-project", "--no-python-downloads"]
    kept = environment()
    named = os.environ.get("UV_PYTHON")
    if named:
        shown = subprocess.run([*command, "--show-version", named], env=kept, capture_output=True, text=True)
        if shown.stdout.startswith("3.12."):
            return named
    found = subprocess.run([*command, "3.12"], env=kept, capture_output=True, text=True)
    if found.returncode != 0:
        # A version manager's shim without a version behind it stops uv's search: look past the shims.
        paths = [each for each in kept.get("PATH", "").split(":") if Path(each).name != "shims"]
        kept["PATH"] = ":".join(paths)
        found = subprocess.run([*command, "3.12"], env=kept, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else "3.12"


def _pip(clone: Clone, *arguments: str) -> None:
    _uv("pip", "install", "--quiet", "--python", str(clone.python), *arguments, folder=clone.root)


def _uv(*arguments: str, folder: Path | None = None) -> None:
    """Run uv with its own progress and messages on the terminal.

    Raises:
        LaunchError: it failed.
    """
    done = subprocess.run([uv(), *arguments], env=environment(), cwd=folder)
    if done.returncode != 0:
        shown = " ".join(arguments[:2] if arguments[0] == "pip" else arguments[:1])
        raise LaunchError(
            f"`uv {shown}` failed with code {done.returncode}, its reason is above (no network?); "
            "run this again to go on from there"
        )


def _check_uv() -> None:
    said = subprocess.run([uv(), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    if found is None or tuple(map(int, found.groups())) < MIN_UV:
        wanted = ".".join(map(str, MIN_UV))
        raise LaunchError(f"uv {wanted} or newer is needed, this is {said.strip()!r}: run `uv self update`")
