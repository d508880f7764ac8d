"""`uv run rl|sft|inference …`: prime-rl's commands from this repository's folder, every argument passed on.

The process is replaced (exec), so signals, exit code and terminal are those of prime-rl's own command.
"""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from recipes.launch import clone as pin
from recipes.launch import preflight
from recipes.launch.clone import SETUP, Clone, environment, head, here, misplaced, uv
from recipes.launch.errors import LaunchError, one_line
from recipes.launch.resume import dry_run


def rl() -> None:
    launch("rl", sys.argv[1:])


def sft() -> None:
    launch("sft", sys.argv[1:])


def inference() -> None:
    launch("inference", sys.argv[1:])


def launch(command: str, arguments: Sequence[str]) -> NoReturn:
    """Replace this process by prime-rl's `command`; ends with one line per problem where that cannot go well."""
    with one_line(command):
        clone = here()
        settings = preflight.settings(arguments)
        asks = dry_run(settings) or any(word in ("-h", "--help") for word in arguments)
        problem = not_ready(clone, asks)
        if problem:
            raise LaunchError(problem)
        problems = preflight.problems(command, list(arguments))
        if problems and not asks:
            raise LaunchError(f"\n{command}: ".join(problems))
        for line in problems:
            print(f"{command}: note: {line}", file=sys.stderr)
        if head(clone) != pin.COMMIT:
            print(
                f"{command}: note: {clone.path} is not at {pin.COMMIT[:7]}, which the recipes were checked with; "
                f"{SETUP} puts it back",
                file=sys.stderr,
            )
        # Without --no-sync uv would first bring the environment to prime-rl's lock, fetching torch for a dry run.
        argv = [uv(), "run", "--project", str(clone.path), "--no-sync", command, *arguments]
        os.execve(argv[0], argv, environment())


def not_ready(clone: Clone, only_reads: bool) -> str | None:
    """Why `clone` cannot run a command, in one line, or None. `only_reads`: a dry run or a help text."""
    mode = clone.mode
    if mode == "absent":
        return (
            f"prime-rl is not set up in {clone.path}: run {SETUP} on the GPU machine, or "
            "`uv run setup-prime-rl --configs-only` for dry runs without a GPU"
        )
    if mode == "configs-only" and not only_reads:
        return f"{clone.path} has only prime-rl's configurations: add --dry-run here, or run {SETUP} on a GPU machine"
    wrong = misplaced(clone)
    again = SETUP if mode == "full" else "`uv run setup-prime-rl --configs-only`"
    return f"{wrong}: run {again} again" if wrong else None
