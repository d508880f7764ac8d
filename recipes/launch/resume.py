"""Whether `--resume` has a checkpoint to start from that is whole.

A prime-rl `rl` run that breaks off leaves `checkpoints/step_<N>` with the orchestrator's part alone: the orchestrator
writes it on its way out, whatever the reason, and the trainer does not. A bare `--resume` takes the highest number,
looks for the trainer's part and ends after a minute. Source: prime-rl `orchestrator/orchestrator.py` (teardown),
`utils/pathing.py` and `trainer/ckpt.py` at the pinned commit; met in a run on 2026-11-30.
"""

import re
from pathlib import Path
from typing import Any

PARTS = {"rl": {"trainer": ".metadata", "orchestrator": "progress.pt"}, "sft": {"trainer": ".metadata"}}
"""Command → part of a checkpoint → the file in it that is written last."""


def problem(command: str, config: dict[str, Any]) -> str | None:
    """One line if the settings resume from what is not there or not whole, with the fix; None otherwise.

    Args:
        command: "rl", "sft" or "inference"; only the first two resume.
        config: the settings as `preflight.settings` merges them, flags still text.
    """
    resume = config.get("resume")
    if command not in PARTS or resume is None or resume in (False, "None"):
        return None
    resume = _table(config, "resume")
    if "dir" in resume:
        folder = Path(str(resume["dir"]))
        return _told(f"resume.dir: {folder}", _missing(command, folder), "name a whole one")
    folder = run_folder(config)
    if folder is None:
        return None  # prime-rl says it itself: a run without a name cannot be resumed
    checkpoints = Path(_table(config, "ckpt").get("output_dir") or folder) / "checkpoints"
    steps = sorted(
        int(match[1]) for each in checkpoints.glob("step_*") if (match := re.fullmatch(r"step_(\d+)", each.name))
    )
    if not steps:
        return f"resume: {checkpoints} holds no checkpoint: check run.name, or start without --resume (--clean)"
    whole = [step for step in steps if not _missing(command, checkpoints / f"step_{step}")]
    fix = f"use --resume.step {whole[-1]}" if whole else "none is whole, start over with --clean instead of --resume"
    key = "resume.step" if "step" in resume else "resume"
    chosen = checkpoints / f"step_{resume.get('step', steps[-1])}"
    return _told(f"{key}: {chosen}", _missing(command, chosen), fix)


def run_folder(config: dict[str, Any]) -> Path | None:
    """Where prime-rl keeps the run's settings, logs and checkpoints; None for a run without a name."""
    run = _table(config, "run")
    name = run.get("dir") or run.get("name")
    return Path(config.get("output_dir", "outputs")) / name if name else None


def dry_run(config: dict[str, Any]) -> bool:
    """Whether the settings ask prime-rl to write its configuration and start nothing."""
    return config.get("dry_run") in (True, "True")


def _table(config: dict[str, Any], key: str) -> dict[str, Any]:
    value = config.get(key)
    return value if isinstance(value, dict) else {}


def _missing(command: str, folder: Path) -> list[str]:
    """Parts that a checkpoint lacks or that were cut off while they were written."""
    return [part for part, last in PARTS[command].items() if not (folder / part / last).is_file()]


def _told(what: str, missing: list[str], fix: str) -> str | None:
    if not missing:
        return None
    return f"{what} has no whole {' and no whole '.join(missing)} part, as after a run that broke off: {fix}"
