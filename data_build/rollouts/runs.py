"""Where the rollouts of a run lie: `vf-eval` run folders and the folders that prime-rl writes.

Layouts (verifiers 0.4.0 and 0.3.1; prime-rl 0.8.0, its `FileMonitor`):

    <run>/traces.jsonl, <run>/configs/resolved/eval.json                         vf-eval, vf-replay
    <run>/rollouts/step_<N>/{train,eval}/{all,effective}/traces.jsonl            prime-rl

Of prime-rl's two subsets `all` is read where it exists: `effective` leaves the failed rollouts out, and a share of the
right answers among the survivors would be too high.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = "traces.jsonl"
STEP = re.compile(r"step_(\d+)")
KINDS = ("train", "eval")
SUBSETS = ("all", "effective")
"""In order of preference."""


@dataclass(frozen=True)
class TraceFile:
    path: Path
    run: str
    """Short name of the run; prime-rl's training and evaluation rollouts are runs of their own, `name/train` and
    `name/eval`."""
    step: int | None
    """prime-rl's training step; None for other runs."""
    config: dict[str, Any]
    """`configs/resolved/eval.json` of a vf-eval run; empty where there is none."""


def trace_files(runs: Sequence[Path]) -> list[TraceFile]:
    """The files of `runs` in reading order: each a run folder, a folder of run folders, or a `traces.jsonl`.

    Raises:
        ValueError: a path without rollouts, or a file that two of the paths reach.
    """
    if not runs:
        raise ValueError("RUNS: name at least one folder that vf-eval or prime-rl wrote")
    found: list[tuple[Path, Path, str]] = []
    for run in runs:
        files = _files(run)
        if not files:
            raise ValueError(f"{run}: no {FILE} here; give a run folder of vf-eval or the output folder of prime-rl")
        found += files
    resolved = Counter(path.resolve() for path, _, _ in found)
    if repeated := next((path for path, count in resolved.items() if count > 1), None):
        raise ValueError(f"{repeated}: two of the runs given reach this file, which would count its rollouts twice")
    names = _short_names({root.resolve() for _, root, _ in found})
    return [
        TraceFile(path, names[root.resolve()] + kind, _step(path), _config(path.parent)) for path, root, kind in found
    ]


def _files(run: Path) -> list[tuple[Path, Path, str]]:
    """(file, run folder, `/train` or `/eval` or nothing) of the rollouts at `run`."""
    if run.is_file():
        # A single file of a prime-rl run is chosen on purpose: whatever its subset.
        return [(run, *_owner(run))] if run.suffix == ".jsonl" else []
    if (run / FILE).is_file():
        return [(run / FILE, *_owner(run / FILE))]
    paths = [path for path in run.rglob(FILE) if path.parent.name not in SUBSETS or _preferred(path)]
    return [(path, *_owner(path)) for path in sorted(paths, key=_order)]


def _preferred(path: Path) -> bool:
    """Whether no better subset lies beside the file's."""
    better = SUBSETS[: SUBSETS.index(path.parent.name)]
    return not any((path.parent.parent / subset / FILE).is_file() for subset in better)


def _owner(path: Path) -> tuple[Path, str]:
    folder = path.parent
    if folder.name in SUBSETS and folder.parent.name in KINDS and STEP.fullmatch(folder.parents[1].name):
        rollouts = folder.parents[2]
        root = rollouts.parent if rollouts.name == "rollouts" else rollouts
        return root, f"/{folder.parent.name}"
    return folder, ""


def _step(path: Path) -> int | None:
    _, kind = _owner(path)
    match = STEP.fullmatch(path.parents[2].name) if kind else None
    return int(match[1]) if match else None


def _order(path: Path) -> tuple[str, str, int, str]:
    root, kind = _owner(path)
    return (str(root), kind, _step(path) or 0, str(path))


def _short_names(roots: set[Path]) -> dict[Path, str]:
    """Folder names, with as many parents as it takes to tell them apart."""
    names = {root: root.name or str(root) for root in roots}
    depth = 1
    while repeated := {name for name, count in Counter(names.values()).items() if count > 1}:
        depth += 1
        names = {root: "/".join(root.parts[-depth:]) if name in repeated else name for root, name in names.items()}
    return names


def _config(run: Path) -> dict[str, Any]:
    path = run / "configs/resolved/eval.json"
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:
        raise ValueError(f"{path}: not JSON ({e}); restore it or remove it") from None
    return config if isinstance(config, dict) else {}
