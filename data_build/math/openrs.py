"""`data-build openrs`: the data of Open-RS, from the s1 corpus and DeepScaleR, one step at a time.

    s1 → s1-boxed → s1-hard → open-s1 ─┐
    deepscaler → open-deepscaler ──────┴→ mix

A step reads the file of the step before it and writes `<step>.jsonl` (kept), `<step>.dropped.jsonl` (id and reason) and
`<step>.manifest.json` (inputs with their sha256, settings, counts); it does nothing if that is there already. The two
model filters read a `vf-eval` run over the file of the step before, by whatever model; a judge is read the same way.

The paper does not say how it chose its 1,000 easier problems. Ours are drawn from those that `open-deepscaler` dropped
as easy: DeepScaleR problems that the filter model solves.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.config import read_config
from data_build.math import curate
from data_build.math.corpus import load_deepscaler, load_s1
from data_build.math.files import digest, read_manifest, read_reasons, read_rows, write_lines, write_manifest
from data_build.math.rates import Rates, check_coverage, rates
from data_build.rollouts.runs import trace_files
from math_reasoning.rows import Row

REPOSITORY = Path(__file__).parents[2]
Step = Literal["s1", "s1-boxed", "s1-hard", "open-s1", "deepscaler", "open-deepscaler", "mix"]
BEFORE: dict[Step, tuple[Step, ...]] = {
    "s1": (),
    "s1-boxed": ("s1",),
    "s1-hard": ("s1-boxed",),
    "open-s1": ("s1-hard",),
    "deepscaler": (),
    "open-deepscaler": ("deepscaler",),
    "mix": ("open-s1", "deepscaler", "open-deepscaler"),
}
PAPER = {
    "s1": 59_029,
    "s1-boxed": 31_323,
    "s1-hard": 21_533,
    "open-s1": 18_615,
    "deepscaler": 40_315,
    "open-deepscaler": 21_044,
    "mix": 7_000,
}
"""Problems after each step (seed 004, section 2)."""
S1_SET = "open-rs-s1.jsonl"
"""The training set of experiment 1, all usable problems of open-s1; `mix` writes it beside the mix of the others."""


class OpenRsConfig(BaseConfig):
    step: Step | Literal["all"] = "all"
    """One step, or all in order."""
    output: Path = REPOSITORY / "data/openrs"
    """Folder of all steps."""
    s1: Path | None = None
    """JSON lines (plain or gzip) of the s1 corpus; none for the hub, which needs `s1_revision`."""
    s1_revision: str | None = None
    """Commit of the corpus on the hub."""
    deepscaler: Path | None = None
    """JSON lines of DeepScaleR; none for the hub at the revision that math-reasoning pins."""
    s1_runs: list[Path] = Field(default_factory=list)
    """Runs of a small model over s1-boxed.jsonl (the paper: DeepSeek-R1-Distill-Qwen-1.5B)."""
    judge_runs: list[Path] = Field(default_factory=list)
    """Runs of a judge over s1-hard.jsonl whose reward `judge_reward` is 1 for a problem to keep, 0 for a noisy or
    multi-part one (the paper: Qwen2.5-7B-Instruct); none for the rules in data_build/math/parts.py."""
    deepscaler_runs: list[Path] = Field(default_factory=list)
    """Runs of a model over deepscaler.jsonl (the paper: Qwen2.5-Math-7B-Instruct)."""
    reward: str = "accuracy"
    """Reward that says whether a rollout is correct."""
    judge_reward: str = "keep"
    easy_at: float = Field(1.0, gt=0, le=1)
    """A problem is easy when the model solves this share of its rollouts; with one rollout each, when it solves it."""
    coverage: float = Field(0.99, gt=0, le=1)
    """Share of the problems that must have a scored rollout."""
    benchmarks: list[Path] = Field(default_factory=list)
    """Row files of `data-build math` whose problems are kept out of the mixes."""
    from_s1: int = Field(3000, ge=0)
    """Problems of open-s1 in the small mix."""
    from_deepscaler: int = Field(3000, ge=0)
    """Problems of open-deepscaler in it."""
    easier: int = Field(1000, ge=0)
    """Problems in it that open-deepscaler dropped as easy."""
    seed: int = 0
    """Which problems are drawn, and their order."""


class Work:
    """Where one step reads and writes."""

    def __init__(self, config: OpenRsConfig, step: Step) -> None:
        self.config, self.step = config, step
        self.manifest = config.output / f"{step}.manifest.json"

    def file(self, step: Step) -> Path:
        return self.config.output / f"{step}.jsonl"

    def dropped(self, step: Step) -> Path:
        return self.config.output / f"{step}.dropped.jsonl"

    def rows(self, step: Step) -> list[Row]:
        return read_rows(self.file(step))

    def finish(self, made_with: dict, kept: Sequence[Row], dropped: dict[str, str], facts: dict | None = None) -> dict:
        write_lines(self.file(self.step), (row.model_dump() for row in kept))
        write_lines(self.dropped(self.step), ({"id": i, "reason": why} for i, why in dropped.items()))
        reasons = Counter(why.split(":")[0] for why in dropped.values())
        counts = {"kept": len(kept), "dropped": dict(sorted(reasons.items())), **(facts or {})}
        files = [self.file(self.step), self.dropped(self.step)]
        files += [self.config.output / S1_SET] if self.step == "mix" else []
        return write_manifest(self.manifest, made_with, files, step=self.step, counts=counts)


def main(arguments: Sequence[str]) -> None:
    config = read_config(OpenRsConfig, "openrs", arguments)
    steps = tuple(BEFORE) if config.step == "all" else (config.step,)
    try:
        for step in steps:
            print(run_step(config, step))
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"data-build openrs: {error}") from None


def run_step(config: OpenRsConfig, step: Step) -> str:
    """Does the step unless it is done, and returns its line of counts beside the paper's.

    Raises ValueError where the step before is missing, and for inputs that cannot be used.
    """
    work = Work(config, step)
    for before in BEFORE[step]:
        if not work.file(before).is_file():
            raise ValueError(f"{step}: {work.file(before)} is missing; run --step {before} first")
    made_with = {"inputs": _inputs(work), "settings": _settings(config, step)}
    done = read_manifest(work.manifest, made_with)
    return line(done or STEPS[step](work, made_with), done is not None)


def line(manifest: dict[str, Any], done: bool) -> str:
    step, counts = manifest["step"], dict(manifest["counts"])
    kept, dropped = counts.pop("kept"), counts.pop("dropped")
    parts = [f"{name} {count:,}" for name, count in dropped.items()]
    parts += [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in counts.items()]
    detail = f" ({'; '.join(parts)})" if parts else ""
    return f"{step:16} {kept:>7,}   paper {PAPER[step]:>7,}{'   already done' if done else ''}{detail}"


def _inputs(work: Work) -> dict[str, str]:
    """File → sha256 of all that the step reads."""
    config, step = work.config, work.step
    given = {"s1": config.s1, "deepscaler": config.deepscaler}.get(step)
    files = [*(work.file(before) for before in BEFORE[step]), *([given] if given else [])]
    if step == "mix":
        files += [work.dropped("open-deepscaler"), *config.benchmarks]
    if runs := _runs(config, step):
        files += [file.path for file in trace_files(runs)]
    for file in files:
        if not file.is_file():
            raise ValueError(f"{step}: {file} is no file")
    return {str(file): digest(file) for file in files}


def _runs(config: OpenRsConfig, step: Step) -> list[Path]:
    return {"s1-hard": config.s1_runs, "open-s1": config.judge_runs, "open-deepscaler": config.deepscaler_runs}.get(
        step, []
    )


def _settings(config: OpenRsConfig, step: Step) -> dict[str, Any]:
    names = {
        "s1": ["s1_revision"],
        "s1-hard": ["reward", "easy_at", "coverage"],
        "open-s1": ["judge_reward", "coverage"] if config.judge_runs else [],
        "open-deepscaler": ["reward", "easy_at", "coverage"],
        "mix": ["from_s1", "from_deepscaler", "easier", "seed"],
    }
    return {name: getattr(config, name) for name in names.get(step, [])}


def _read(work: Work, made_with: dict) -> dict:
    config = work.config
    s1 = work.step == "s1"
    rows, repeated = load_s1(config.s1, config.s1_revision) if s1 else load_deepscaler(config.deepscaler)
    return work.finish(made_with, rows, {}, {"read": len(rows) + repeated, "repeated": repeated})


def _boxed(work: Work, made_with: dict) -> dict:
    return work.finish(made_with, *curate.boxed(work.rows("s1")))


def _hard(before: Step, option: str) -> Callable[[Work, dict], dict]:
    def step(work: Work, made_with: dict) -> dict:
        rows = work.rows(before)
        found = _rates(work, rows, before, option, work.config.reward)
        facts = {"rollouts": found.scored, "rollouts failed": found.failed, "of other problems": found.foreign}
        return work.finish(made_with, *curate.unsolved(rows, found.by_id, work.config.easy_at), facts)

    return step


def _open_s1(work: Work, made_with: dict) -> dict:
    rows = work.rows("s1-hard")
    if not work.config.judge_runs:
        return work.finish(made_with, *curate.clean_by_rule(rows), {"by": "rules"})
    found = _rates(work, rows, "s1-hard", "judge-runs", work.config.judge_reward, whole=False)
    return work.finish(made_with, *curate.clean_by_judge(rows, found.by_id), {"by": "judge"})


def _rates(work: Work, rows: list[Row], before: Step, option: str, reward: str, whole: bool = True) -> Rates:
    runs = _runs(work.config, work.step)
    if not runs:
        raise ValueError(
            f"{work.step}: name the rollouts with --{option} FOLDER; make them with `vf-eval math-reasoning "
            f"--env.taskset.path {work.file(before)} -m MODEL`"
        )
    found = rates(runs, rows, reward, whole=whole)
    print(found.reading)
    check_coverage(rows, found, work.config.coverage, work.file(before), option)
    return found


def _mix(work: Work, made_with: dict) -> dict:
    config = work.config
    easy = {i for i, why in read_reasons(work.dropped("open-deepscaler")).items() if why.startswith("easy")}
    s1, hard = work.rows("open-s1"), work.rows("open-deepscaler")
    easier = [row for row in work.rows("deepscaler") if row.id in easy]
    tests = [row for file in config.benchmarks for row in read_rows(file)]
    kept, dropped = curate.usable([*s1, *hard, *easier], tests)
    ids = {row.id for row in kept}
    s1, hard, easier = ([row for row in part if row.id in ids] for part in (s1, hard, easier))
    write_lines(config.output / S1_SET, (row.model_dump() for row in s1))
    mixed = curate.draw(s1, config.from_s1, config.seed, "open-s1")
    mixed += curate.draw(hard, config.from_deepscaler, config.seed, "open-deepscaler")
    mixed += curate.draw(easier, config.easier, config.seed, "those dropped as easy")
    mixed = curate.draw(mixed, len(mixed), config.seed, "the mix")
    return work.finish(made_with, mixed, dropped, {"open-rs-s1 (paper 18,615)": len(s1), "usable": len(kept)})


STEPS: dict[Step, Callable[[Work, dict], dict]] = {
    "s1": _read,
    "s1-boxed": _boxed,
    "s1-hard": _hard("s1-boxed", "s1-runs"),
    "open-s1": _open_s1,
    "deepscaler": _read,
    "open-deepscaler": _hard("deepscaler", "deepscaler-runs"),
    "mix": _mix,
}
