"""`data-build report RUNS… --out report/`: one HTML page, its charts as PNG, and every number as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_config import BaseConfig
from rich.console import Console

from data_build.config import read_config
from data_build.report.browser import Shelf
from data_build.report.charts import charts
from data_build.report.cost import Price
from data_build.report.digest import Digest, digest
from data_build.report.figures import Report, make_report, to_json
from data_build.report.page import render
from data_build.report.terminal import print_headline
from data_build.rollouts.command import split_runs
from data_build.rollouts.read import Problems, read_rollouts
from data_build.rollouts.tally import is_try

WIDTH = 120
"""Columns where the output is no terminal."""


class ReportConfig(BaseConfig):
    runs: list[Path] = Field(min_length=1)
    """Run folders of vf-eval, output folders of prime-rl, folders of these, or traces.jsonl files; also without the
    flag, in front of the others. Runs whose names differ by a trailing `step-100` are checkpoints of one."""
    out: Path = Path("report")
    """Folder of index.html, report.json and the PNG files."""
    baseline: str | None = None
    """Run that the others are compared with; by default the first."""
    solved: str | None = None
    """Score by which a rollout is solved; by default the first there is of solved (invoices), exact_match (retrieval)
    and accuracy (mathematics), else the reward where it is only 0 or 1."""
    threshold: float = 1.0
    """Least score of a solved rollout; 0.5 where the score is a weighted reward of 1.3 or 0.3."""
    infrastructure: Literal["left_out", "wrong"] = "left_out"
    """How the headline treats rollouts that failed for infrastructure reasons; the page shows both."""
    coverage: float = Field(0.95, ge=0, le=1)
    """Share of rollouts without such a failure below which a run is marked incomplete."""
    cost: dict[str, Price] = Field(default_factory=dict)
    """Prices by run, for the rollouts of its last checkpoint: `--cost.haiku.input 1 --cost.haiku.output 5`, or
    `--cost.ours.gpu-hour 0.53 --cost.ours.gpu-hours 0.83 --cost.ours.training-gpu-hours 305`; a name with a dot needs
    a TOML file."""
    transcripts: int = Field(3000, ge=0)
    """Rollouts that the page can show, at most."""
    seed: int = 0
    """Of the bootstrap, and of which tasks the page can show."""


def main(arguments: Sequence[str]) -> None:
    config = read_config(ReportConfig, "report", with_runs(arguments))
    try:
        report, total = build(config)
    except (ValueError, OSError) as error:
        raise SystemExit(f"data-build report: {error}") from None
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    print_headline(report, console)
    page = config.out / "index.html"
    console.print(f"wrote {page} ({page.stat().st_size / 1e6:.1f} MB) on {total:,} rollouts", highlight=False)


def with_runs(arguments: Sequence[str]) -> list[str]:
    """The command line with its leading words put behind `--runs`."""
    runs, rest = split_runs(arguments)
    return [*(["--runs", *map(str, runs)] if runs else []), *rest]


def build(config: ReportConfig) -> tuple[Report, int]:
    """Reads the runs, writes page, charts and JSON; returns the figures and the number of rollouts.

    Raises ValueError for runs, scores or prices that are not there, and for a gold that no reply can match.
    """
    problems = Problems()
    shelf = Shelf(config.transcripts, config.seed)
    digests: list[Digest] = []
    for rollout in filter(is_try, read_rollouts(config.runs, problems=problems)):
        digests.append(digest(rollout))
        shelf.add(rollout, digests[-1])
    report = make_report(
        digests,
        solved=config.solved,
        threshold=config.threshold,
        wrong=config.infrastructure == "wrong",
        baseline=config.baseline,
        coverage=config.coverage,
        prices=config.cost,
        seed=config.seed,
        warnings=[problems.summary().removeprefix("warning: ")] if problems else [],
    )
    drawn = charts(report)
    packed = shelf.pack({e.taskset: e.solved_by for e in report.evaluations}, config.threshold)
    numbers = to_json(report) | {
        "rollouts": {
            "lines": problems.lines,
            "torn": problems.torn,
            "unparsable": problems.unparsable,
            "null_rewards": problems.null_rewards,
            "read": len(digests),
            "in_page": len(packed.index),
        }
    }
    config.out.mkdir(parents=True, exist_ok=True)
    for chart in drawn:
        write(config.out / f"{chart.name}.png", chart.light)
        write(config.out / f"{chart.name}-dark.png", chart.dark)
    write(config.out / "index.html", render(report, drawn, packed).encode())
    # Last: its presence says that the report is whole.
    write(config.out / "report.json", json.dumps(numbers, indent=1, allow_nan=False, ensure_ascii=False).encode())
    return report, len(digests)


def write(path: Path, data: bytes) -> None:
    """By renaming: a killed run leaves the old file or the new one."""
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    part.replace(path)
