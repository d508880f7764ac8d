"""Whether processes of an earlier start of the same run are still alive.

`kill -9` on `rl` reaches the launcher; the trainer runs in a session of its own and lives on. A later start in the same
folder then has two trainers: both take its batches and write its checkpoints. Met in a run on 2026-11-30.
Source: prime-rl `entrypoints/rl.py` and `sft.py` at the pinned commit, which start every part with
`@ <run folder>/configs/…`.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil

from recipes.launch.resume import dry_run, run_folder


def problem(command: str, config: dict[str, Any]) -> str | None:
    """One line with the process ids if parts of this run are alive on this machine; None otherwise.

    Args:
        command: "rl", "sft" or "inference"; only the first two have a run folder.
        config: the settings as `preflight.settings` merges them, flags still text.
    """
    folder = run_folder(config)
    if command not in ("rl", "sft") or folder is None or dry_run(config):
        return None
    if not (found := " ".join(map(str, alive(folder)))):
        return None
    return (
        f"run.name: {folder} has processes of an earlier start, which would take this one's batches: "
        f"end them first (kill {found}), or use another name"
    )


def alive(folder: Path) -> list[int]:
    """Ids of the processes started with `@` and a file of `<folder>/configs`, but for this one and those above it."""
    configs = (folder / "configs").resolve()
    here = psutil.Process()
    own = {process.pid for process in (here, *here.parents())}
    found = []
    for process in psutil.process_iter():
        if process.pid in own:
            continue
        try:
            files = _given(process.cmdline())
            if any((Path(process.cwd()) / file).resolve().is_relative_to(configs) for file in files):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue  # it has ended, or is another user's
    return found


def _given(words: Sequence[str]) -> list[str]:
    return [file for mark, file in pairwise(words) if mark == "@"]
