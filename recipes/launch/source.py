"""The source tree in `.prime-rl/`: the pinned commit and its submodules, made or repaired without losing a change."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from recipes.launch import clone as pin
from recipes.launch.clone import Clone, environment
from recipes.launch.errors import LaunchError

ALL = ("deps/verifiers", "deps/renderers", "deps/prime-envs", "deps/pydantic-config")
"""Submodules that prime-rl's lock file installs from; deps/prime-kernels is not among them."""

CONFIGS_ONLY = ("deps/verifiers",)
"""What reading configurations needs: renderers and pydantic-config have releases on the package index."""


def checkout(clone: Clone, submodules: Sequence[str]) -> list[str]:
    """Bring `clone.path` to the pinned commit, and `submodules` to the commits it names.

    Every step can be repeated, so an interrupted run is finished by the next one. Local commits that no branch holds
    get a branch `kept-<commit>`.

    Returns:
        What was changed, one line each.

    Raises:
        LaunchError: edited files, a folder that is no clone, no network.
    """
    path = clone.path
    if path.exists() and not (path / ".git").exists() and any(path.iterdir()):
        raise LaunchError(f"{path} holds files but is no clone of prime-rl: move it away, then run this again")
    for repository in [path, *(path / each for each in ALL)]:
        _refuse_edits(repository)
    done = []
    path.mkdir(exist_ok=True)
    if not (path / ".git").exists():
        git(path, "init", "--quiet")
        git(path, "remote", "add", "origin", pin.URL)
    if not _has(path, pin.COMMIT):
        git(path, "fetch", "--quiet", "--depth", "1", pin.URL, pin.COMMIT)
        done.append(f"fetched prime-rl {pin.COMMIT[:7]} from {pin.URL}")
    if _head(path) != pin.COMMIT:
        done += _keep(path)
        git(path, "checkout", "--quiet", "--detach", pin.COMMIT)
        done.append(f"checked out {pin.COMMIT[:7]} in {path}")
    for each in submodules:
        done += _submodule(path, each)
    return done


def _submodule(path: Path, folder: str) -> list[str]:
    wanted = git(path, "rev-parse", f"HEAD:{folder}")
    repository = path / folder
    before = _head(repository) if (repository / ".git").exists() else None
    if before == wanted:
        return []
    done = _keep(repository) if before else []
    git(path, "submodule", "--quiet", "init", "--", folder)
    # .gitmodules names some of them over ssh, which needs a key at GitHub. The address is written into the clone's
    # configuration, not rewritten by `insteadOf`, so that a mirror of https://github.com still applies to it.
    name = _submodule_name(path, folder)
    git(path, "config", f"submodule.{name}.url", https(git(path, "config", f"submodule.{name}.url")))
    # With history and tags: verifiers takes its version from them, and pip compares that version.
    git(path, "submodule", "--quiet", "update", "--init", "--", folder)
    return [*done, f"checked out {folder} at {wanted[:7]}"]


def _submodule_name(path: Path, folder: str) -> str:
    lines = git(path, "config", "--file", ".gitmodules", "--get-regexp", r"^submodule\..*\.path$").splitlines()
    for line in lines:
        key, _, value = line.partition(" ")
        if value == folder:
            return key.removeprefix("submodule.").removesuffix(".path")
    raise LaunchError(f"{path / '.gitmodules'} has no submodule {folder}")


def https(url: str) -> str:
    """`git@host:owner/name` or `ssh://git@host/owner/name` as an https address; others as they are."""
    return re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", url)


def _refuse_edits(repository: Path) -> None:
    if not (repository / ".git").exists():
        return
    # Submodules are looked at one by one, and untracked files are in nobody's way.
    edits = git(repository, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all").splitlines()
    if edits and _head(repository):
        first, more = edits[0][2:].strip(), f" and {len(edits) - 1} more" if len(edits) > 1 else ""
        raise LaunchError(
            f"{repository} has uncommitted changes ({first}{more}): commit them on a branch there or drop them with "
            f"`git -C {repository} checkout -- .`, then run this again"
        )


def _keep(repository: Path) -> list[str]:
    """Give the checked-out commit a branch if none, and no tag, holds it; returns what was done."""
    commit = _head(repository)
    if not commit or git(repository, "for-each-ref", "--contains", commit, "--count=1"):
        return []
    name = f"kept-{commit[:10]}"
    git(repository, "branch", name, commit)
    return [f"{repository} was at {commit[:7]}, which no branch held: kept as branch {name}"]


def _head(repository: Path) -> str:
    return git(repository, "rev-parse", "--verify", "--quiet", "HEAD", check=False)


def _has(repository: Path, commit: str) -> bool:
    # --verify alone accepts any 40 digits; the object's type shows that it is there.
    return git(repository, "cat-file", "-t", commit, check=False) == "commit"


def git(repository: Path, *arguments: str, check: bool = True) -> str:
    """Output of a git command in `repository`, stripped.

    Raises:
        LaunchError: git is missing, or the command failed; with git's own reason.
    """
    command = ["git", "-C", str(repository), *arguments]
    # A broken `.git` must not make git climb up and change the repository around it.
    kept = environment() | {"GIT_CEILING_DIRECTORIES": str(repository.parent), "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(command, env=kept, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise LaunchError("git is not on PATH: install it") from None
    if check and done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
        network = " (no network?)" if arguments[0] in ("fetch", "submodule") else ""
        raise LaunchError(f"`git {' '.join(arguments)}` in {repository} failed{network}: {reason}")
    return done.stdout.strip()
