"""`data-build pool RUNS… --out FILE`: freezes a problem pool by how often the untrained model solves each problem.

Seed 2: 8 rollouts of the untrained model, problems with 1 to 7 right ones kept, 1,500 of them. A group whose rollouts
all score alike has no advantage, so problems that are always or never solved teach nothing.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from data_build.config import read_config
from data_build.rollouts.command import Exclusion, Selection, split_runs, task_id
from data_build.rollouts.files import run_facts, write_file
from data_build.rollouts.preview import preview
from data_build.rollouts.read import Problems, read_rollouts
from data_build.rollouts.tally import Count, Tally, is_try

FORMAT = 1
SHOWN = 5
"""Keys that a message names."""


class PoolConfig(Selection):
    out: Path | None = None
    """File to write, a JSON array of keys as `taskset.pool` reads it; how they were chosen goes beside it, to
    `….manifest.json`. Not needed with --preview."""
    rollouts: int = Field(8, ge=1)
    """Rollouts per problem that count: the first so many; problems with fewer are refused."""
    min: int = Field(1, ge=0)
    """Fewest right ones."""
    max: int = Field(7, ge=0)
    """Most right ones."""
    size: int | None = Field(None, ge=1)
    """Problems to draw by `seed`; all that qualify by default."""
    seed: int = 0
    preview: bool = False
    """Print what the pool would give to training, and write nothing."""
    group: int = Field(8, ge=2)
    """Rollouts of a problem in one training step, for --preview."""

    @model_validator(mode="after")
    def _ordered(self) -> "PoolConfig":
        if not self.min <= self.max <= self.rollouts:
            raise ValueError(f"min {self.min}, max {self.max}, rollouts {self.rollouts}: need min <= max <= rollouts")
        if self.out is None and not self.preview:
            raise ValueError("out: name the file to write, or ask for --preview")
        return self


def main(arguments: Sequence[str]) -> None:
    runs, rest = split_runs(arguments)
    config = read_config(PoolConfig, "pool RUNS…", rest)
    try:
        print("\n".join(build(runs, config)))
    except ValueError as e:
        raise SystemExit(f"data-build pool: {e}") from None


def build(runs: Sequence[Path], config: PoolConfig) -> list[str]:
    """Writes the pool, or previews it; what to print.

    Raises:
        ValueError: runs of several models or tasksets, evaluation tasks, or too few problems that qualify.
    """
    problems = Problems()
    tally, exclusion, run_ids, unused = count(runs, config, problems)
    enough = {key: c for (_, key), c in tally.tasks.items() if c.rollouts == config.rollouts}
    refused = sorted(key for (_, key), c in tally.tasks.items() if c.rollouts < config.rollouts)
    [model], [taskset] = tally.models, tally.tasksets
    lines = [
        f"{model} on {taskset}: {len(tally.tasks):,} problems, right when {tally.reward} >= {config.threshold:g}",
        *exclusion.lines(),
    ]
    if refused:
        lines.append(
            f"refused: {len(refused):,} problems with fewer than {config.rollouts} rollouts ({_some(refused)}); "
            f"infrastructure failures, which are no rollouts of the model: {tally.infrastructure:,}"
        )
    if unused:
        lines.append(f"not counted: {unused:,} beyond the first {config.rollouts} rollouts of their problems")
    if problems:
        lines.append(problems.summary())
    if not enough:
        raise ValueError(
            f"no problem has {config.rollouts} rollouts; sample more, or lower --rollouts\n" + "\n".join(lines)
        )
    if config.preview:
        return [*lines, *preview(enough, config.rollouts, config.min, config.max, config.group)]
    keys = draw(enough, config)
    pool = {
        "format": FORMAT,
        "taskset": taskset,
        "model": model,
        "reward": tally.reward,
        "threshold": config.threshold,
        "rollouts": config.rollouts,
        "min": config.min,
        "max": config.max,
        "size": config.size,
        "seed": config.seed,
        "runs": run_facts(runs),
        "run_ids": run_ids,
        "counts": {
            "problems": len(tally.tasks),
            "refused": len(refused),
            "left_out": len(exclusion.tasks),
            "qualify": sum(config.min <= c.right <= config.max for c in enough.values()),
            "by_right": {str(n): c for n, c in sorted(Counter(c.right for c in enough.values()).items())},
        },
        "sha256": keys_digest(keys),
        "right": {key: enough[key].right for key in keys},
    }
    assert config.out is not None
    write_file(manifest_path(config.out), json.dumps(pool, indent=1, ensure_ascii=False) + "\n")
    write_file(config.out, json.dumps(keys, indent=1, ensure_ascii=False) + "\n")
    return [*lines, *_histogram(pool), f"wrote {config.out}: {len(keys):,} problems, sha256 {pool['sha256']}"]


def count(runs: Sequence[Path], config: PoolConfig, problems: Problems) -> tuple[Tally, Exclusion, list[str], int]:
    """(counts of each problem's first `config.rollouts`, what stays out, ids of the runs, rollouts not counted)."""
    tally, exclusion = Tally(config.reward, config.threshold), Exclusion(config)
    run_ids: dict[str, None] = {}
    unused = 0
    for rollout in read_rollouts(runs, problems=problems):
        if not is_try(rollout) or exclusion.covers(rollout):
            continue
        if rollout.run_id:
            run_ids[rollout.run_id] = None
        so_far = tally.tasks.get(task_id(rollout))
        if so_far and so_far.rollouts == config.rollouts:
            unused += 1
        else:
            tally.add(rollout)
    if not config.preview:
        exclusion.check(tally.tasks)
    tally.check()
    for what, found in (("models", tally.models), ("tasksets", tally.tasksets)):
        if len(found) > 1:
            raise ValueError(f"RUNS: they are of {len(found)} {what} ({_some(sorted(found))}); a pool is of one")
    return tally, exclusion, list(run_ids), unused


def draw(counts: dict[str, Count], config: PoolConfig) -> list[str]:
    """Keys of the pool, sorted. Raises ValueError where fewer qualify than `config.size`."""
    keys = sorted(key for key, c in counts.items() if config.min <= c.right <= config.max)
    if not keys:
        raise ValueError(
            f"no problem was solved {config.min} to {config.max} times of {config.rollouts}; try --preview"
        )
    if config.size is None:
        return keys
    if len(keys) < config.size:
        raise ValueError(
            f"size: {len(keys):,} problems qualify, fewer than {config.size:,}; sample more problems or lower --size"
        )
    return sorted(random.Random(config.seed).sample(keys, config.size))


def manifest_path(out: Path) -> Path:
    """`pools/gsm8k.json` → `pools/gsm8k.manifest.json`."""
    return out.with_name(f"{out.stem}.manifest.json")


def keys_digest(keys: Iterable[str]) -> str:
    """sha256 of the sorted keys, one a line."""
    return hashlib.sha256("".join(f"{key}\n" for key in sorted(keys)).encode()).hexdigest()


def _histogram(pool: dict[str, Any]) -> list[str]:
    by_right = ", ".join(f"{right}: {count:,}" for right, count in pool["counts"]["by_right"].items())
    return [
        f"problems by right rollouts of {pool['rollouts']}: {by_right}",
        f"{pool['counts']['qualify']:,} have {pool['min']} to {pool['max']}",
    ]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
