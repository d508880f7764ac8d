"""The clone of prime-rl in `.prime-rl/`: where it is, what is installed in its virtual environment, how it is called.

prime-rl is on no package index and pins Python 3.12, so it lives in a folder and an environment of its own.
Everything here reads files only, so that the launchers add no noticeable time.
"""

import json
import os
import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recipes.launch.errors import LaunchError

ROOT = Path(__file__).parents[2]
"""This repository, when the package is installed editable as `uv sync` does."""

URL = "https://github.com/PrimeIntellect-ai/prime-rl"
COMMIT = "559b44772e471d1538537b8805cc77f3824a5e64"
"""prime-rl 0.8.0 as of 2026-08-21: what the recipes were checked against."""

SETUP = "`uv run setup-prime-rl`"

# Each would point the inner uv at another project's environment or interpreter, or git at another repository.
FOREIGN = (
    "VIRTUAL_ENV UV_PROJECT UV_PROJECT_ENVIRONMENT UV_PYTHON UV_NO_SYNC UV_FROZEN UV_LOCKED "
    "PYTHONHOME GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE"
).split()


@dataclass(frozen=True)
class Package:
    """One of our packages: distribution name, folder, and the modules it installs."""

    name: str
    folder: Path
    modules: tuple[str, ...]


@dataclass(frozen=True)
class Clone:
    root: Path
    """This repository's folder."""

    @property
    def path(self) -> Path:
        return self.root / ".prime-rl"

    @property
    def python(self) -> Path:
        return self.path / ".venv" / "bin" / "python"

    def command(self, name: str) -> Path:
        return self.path / ".venv" / "bin" / name

    def metadata(self, name: str) -> Path | None:
        """Folder of the installed distribution's metadata, or None."""
        stem = re.sub(r"[-_.]+", "_", name).lower()
        return next(self.path.glob(f".venv/lib/python3*/site-packages/{stem}-*.dist-info"), None)

    def version(self, name: str) -> str | None:
        found = self.metadata(name)
        return None if found is None else found.name.removesuffix(".dist-info").split("-")[1]

    @property
    def mode(self) -> Literal["absent", "configs-only", "full"]:
        """What is installed: configs-only reads and checks configurations but cannot train."""
        if not (self.path / ".git").exists() or not self.command("rl").exists():
            return "absent"
        return "full" if self.version("torch") else "configs-only"


def here() -> Clone:
    """The clone that belongs to this repository, whether or not it exists.

    Raises:
        LaunchError: this package was installed from a wheel, so there is no repository around it.
    """
    if not (ROOT / "pyproject.toml").is_file():
        raise LaunchError(
            f"{Path(__file__).parent} is not inside a clone of this repository: clone it, run `uv sync` there, and "
            "call this command there with `uv run`"
        )
    return Clone(ROOT)


def packages(root: Path) -> list[Package]:
    """Our packages: the members of the uv workspace in `root`, by folder.

    Raises:
        LaunchError: `root` declares no workspace, or a member has no name.
    """
    workspace = _toml(root / "pyproject.toml").get("tool", {}).get("uv", {}).get("workspace", {})
    excluded = {folder for pattern in workspace.get("exclude", []) for folder in root.glob(pattern)}
    folders = {folder for pattern in workspace.get("members", []) for folder in root.glob(pattern)} - excluded
    found = []
    for folder in sorted(folders):
        if not (folder / "pyproject.toml").is_file():
            continue
        config = _toml(folder / "pyproject.toml")
        name = config.get("project", {}).get("name")
        if not name:
            raise LaunchError(f"{folder / 'pyproject.toml'}: no project.name")
        wheel = config.get("tool", {}).get("hatch", {}).get("build", {}).get("targets", {}).get("wheel", {})
        modules = tuple(Path(each).name for each in wheel.get("packages", [])) or (name.replace("-", "_"),)
        found.append(Package(name, folder, modules))
    if not found:
        raise LaunchError(f"{root / 'pyproject.toml'}: [tool.uv.workspace] members names no package")
    return found


def environment() -> dict[str, str]:
    """This process's environment for a uv or git that works on the clone instead of our own project."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def uv() -> str:
    """Path of uv: the one that runs us, else the one on PATH.

    Raises:
        LaunchError: there is none.
    """
    found = os.environ.get("UV") or shutil.which("uv")
    if found is None:
        raise LaunchError("uv is not on PATH: install it (https://docs.astral.sh/uv/) and start this with `uv run`")
    return found


def misplaced(clone: Clone) -> str | None:
    """What is wrong with the packages in the clone's environment, in one line, or None."""
    missing = [package.name for package in packages(clone.root) if clone.metadata(package.name) is None]
    if missing:
        return f"{', '.join(missing)} not installed in {clone.path}/.venv (a plain `uv sync` there removes them)"
    source = clone.metadata("verifiers")
    if source is None:
        return f"verifiers is not installed in {clone.path}/.venv"
    url = source / "direct_url.json"
    origin = json.loads(url.read_text(encoding="utf-8"))["url"] if url.is_file() else "a package index"
    if not origin.endswith("/.prime-rl/deps/verifiers"):
        version = clone.version("verifiers")
        return f"verifiers {version} in {clone.path}/.venv came from {origin}, and prime-rl trains only with its own"
    return None


def head(clone: Clone) -> str:
    """Commit that the clone has checked out, or the branch's name where it is on one."""
    file = clone.path / ".git" / "HEAD"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def _toml(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LaunchError(f"{path}: {error}") from None
