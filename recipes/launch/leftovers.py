"""Whether processes of an earlier start of the same run are still alive.

`kill -9` on `rl` or its process group reaches the launcher; `torchrun` starts the trainer in a session of its own, and
it lives on. A later start in the same folder then has two trainers: both take its batches and write its checkpoints.
Met twice on 2026-11-30. prime-rl renames its processes (`PRIME-RL::Trainer`), so that a command line names no run; but
every part writes its output to `<run folder>/logs/attempt_<n>/` (entrypoints/rl.py and sft.py at the pinned commit).
"""

import os
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
    """Ids of the processes that write to a file of `<folder>/logs`.

    Not counted: this process and those above it, and its process group, in which a `tee` of its own output runs.
    """
    logs = (folder / "logs").resolve()
    here = psutil.Process()
    own = {process.pid for process in (here, *here.parents())}
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid not in own and os.getpgid(process.pid) != os.getpgrp() and _writes_to(process, logs):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue  # it has ended, or is another user's
    return found


def _writes_to(process: psutil.Process, logs: Path) -> bool:
    # Only Linux, where prime-rl trains, tells how a file is open.
    return any(
        getattr(file, "mode", "w") != "r" and Path(file.path).is_relative_to(logs) for file in process.open_files()
    )
