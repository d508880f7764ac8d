"""`data-build rescore RUNS…`: today's rewards on saved rollouts, without a model, and what changed.

`vf-replay` scores: the taskset's package must be installed, and rewards that need the rollout's sandbox are not
computed again. It is given a few rollouts at a time, because it holds all of a run at once, and only rows that can be
read, because it stops at a torn line. The old run stays as it is.
"""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.config import read_config
from data_build.rollouts.changes import Changes
from data_build.rollouts.command import split_runs
from data_build.rollouts.files import new_folder
from data_build.rollouts.read import Problems, read_rollouts
from data_build.rollouts.runs import FILE, TraceFile, trace_files

BATCH = 64
"""Episodes that vf-replay holds at a time."""


class RescoreConfig(BaseConfig):
    out: Path | None = None
    """New folder for the re-scored runs, one folder each, which every command here reads; by default
    `outputs/rescored-` and the time."""
    examples: int = Field(5, ge=0)
    """Tasks to name per reward whose score changed."""


def main(arguments: Sequence[str]) -> None:
    runs, rest = split_runs(arguments)
    config = read_config(RescoreConfig, "rescore RUNS…", rest)
    try:
        print("\n".join(rescore(runs, config)))
    except ValueError as e:
        raise SystemExit(f"data-build rescore: {e}") from None


def rescore(runs: Sequence[Path], config: RescoreConfig) -> list[str]:
    """Writes every run scored anew to a folder of its name in `config.out`; what to print.

    Raises:
        ValueError: `out` is taken, a run without its config, a run that vf-replay does not score, a taskset that is
            not installed.
    """
    out = config.out or Path("outputs") / f"rescored-{datetime.now():%Y%m%d-%H%M%S}"
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"out: {out} is there already; name a new folder")
    lines: list[str] = []
    with new_folder(out) as folder:
        files = trace_files(runs)
        asyncio.run(_write_all(files, folder))
        for file in files:
            problems = Problems()
            changes = Changes(config.examples)
            old = read_rollouts([file.path], problems=problems)
            new = read_rollouts([folder / file.run / FILE], problems=Problems())
            for before, after in zip(old, new, strict=True):
                changes.add(before, after)
            lines += changes.lines(file.run)
            if problems:
                lines.append(f"  {problems.summary()}")
    return [*lines, f"wrote {out}; the old runs are as they were"]


async def _write_all(files: Sequence[TraceFile], folder: Path) -> None:
    # One event loop for all: judges and verdict workers of a taskset may hold on to theirs.
    for file in files:
        await write_scored(file, folder / file.run)


async def write_scored(file: TraceFile, target: Path) -> None:
    """A run folder like that of `file`, its scores made anew and all else as it was."""
    saved = file.path.parent / "configs/resolved/eval.json"
    if not file.config:
        raise ValueError(
            f"{file.path}: no configs/resolved/eval.json beside it, and vf-replay scores by the run's config; "
            "rollouts of prime-rl cannot be scored again"
        )
    (target / "configs/resolved").mkdir(parents=True)
    shutil.copy(saved, target / "configs/resolved/eval.json")
    with (target / FILE).open("w", encoding="utf-8") as out:
        for rows in _batches(file.path):
            scores = await _replay(rows, saved)
            for row in rows:
                for trace in row["traces"]:
                    trace.update(scores[trace["id"]])
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _batches(path: Path) -> Iterator[list[dict[str, Any]]]:
    """The episodes of a file that the reader reads, a few at a time."""
    problems = Problems()
    readable = {rollout.source for rollout in read_rollouts([path], problems=problems)}
    rows: list[dict[str, Any]] = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if f"{path}:{number}" in readable:
                rows.append(json.loads(line))
            if len(rows) == BATCH:
                yield rows
                rows = []
    if rows:
        yield rows


async def _replay(rows: list[dict[str, Any]], saved: Path) -> dict[str, dict[str, Any]]:
    """What vf-replay changes in each trace of `rows`, by the trace's id. `saved` is the run's config."""
    from verifiers.v1.cli.replay import run_replay
    from verifiers.v1.cli.resolve import narrow_taskset_config
    from verifiers.v1.configs.cli.replay import ReplayConfig

    config = json.loads(saved.read_text(encoding="utf-8")) | {"rich": False}
    taskset = config["env"]["taskset"]["id"]
    with tempfile.TemporaryDirectory() as work:
        source, out = Path(work) / "source", Path(work) / "out"
        (source / "configs/resolved").mkdir(parents=True)
        shutil.copy(saved, source / "configs/resolved/eval.json")
        with (source / FILE).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(_loadable(row)) + "\n" for row in rows)
        with _one_line_errors(taskset):
            replay = narrow_taskset_config(ReplayConfig, taskset).model_validate(config)
            traces = await run_replay(replay, source, out)
    changed = {"rewards", "metrics", "info", "extra_usage", "ok", "errors", "stop_condition"}
    return {trace.id: trace.model_dump(mode="json", include=changed, exclude_none=True) for trace in traces}


@contextmanager
def _one_line_errors(taskset: str) -> Generator[None]:
    try:
        yield
    except ModuleNotFoundError as e:
        raise ValueError(f"taskset {taskset!r} is not installed here ({e}); install its package") from None
    except SystemExit as e:
        raise ValueError(str(e)) from None


def _loadable(row: dict[str, Any]) -> dict[str, Any]:
    """The episode without null scores, which verifiers cannot read back; they are made anew."""
    traces = []
    for trace in row["traces"]:
        rewards = {name: r for name, r in (trace.get("rewards") or {}).items() if r and r.get("score") is not None}
        metrics = {name: m for name, m in (trace.get("metrics") or {}).items() if m is not None}
        traces.append(trace | {"rewards": rewards, "metrics": metrics})
    return row | {"traces": traces}
