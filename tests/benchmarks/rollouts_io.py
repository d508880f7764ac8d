"""Reading saved rollouts and counting what was solved, at 20,000 rollouts of about 16,000 tokens.

Each job runs in a process of its own, so that its peak memory is its own. Beside ours stand the two ways that
verifiers offers: `read_episodes`, which holds a run at once, and its record class line by line; both on the first part
of the same lines, in turns with ours.
"""

import argparse
import json
import multiprocessing
import os
import platform
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

ROLLOUTS = 20_000
TOKENS = 16_000
GROUP = 8
TURNS = 8
PART = 1_000
"""Rollouts that verifiers' own ways read."""
ROUNDS = 2
MEMORY_GOAL_MB = 1024.0
SPARE = 2.0
"""Free disk wanted, as a multiple of the file."""
CHARACTERS_PER_TOKEN = 4.2
"""Of English prose under Qwen3's tokenizer, roughly."""


class Result(NamedTuple):
    seconds: float
    peak_mb: float
    rollouts: int
    solved: int


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench rollouts-io", description="Reading saved rollouts.")
    parser.add_argument("--rollouts", type=int, default=ROLLOUTS)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="per rollout")
    options = parser.parse_args(arguments)
    sys.exit(measure(options.rollouts, options.tokens))


def run() -> int:
    """The measurement at full size; returns 1 when a goal is missed."""
    return measure(ROLLOUTS, TOKENS)


def measure(rollouts: int, tokens: int) -> int:
    """Writes the file, reads it in every way, prints the table; returns 1 when a goal is missed."""
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder) / "whole", Path(folder) / "part"
        size = int(rollouts * tokens * CHARACTERS_PER_TOKEN)
        if (free := shutil.disk_usage(folder).free) < size * SPARE:
            sys.exit(f"bench rollouts-io: {free / 1e9:.1f} GB free in {folder}; use --rollouts with a smaller number")
        start = time.perf_counter()
        solved = write(whole, rollouts, tokens)
        write_s = time.perf_counter() - start
        write(part, min(PART, rollouts), tokens)
        size = (whole / "traces.jsonl").stat().st_size
        console.print(
            f"[bold]rollouts-io[/bold] {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores ({platform.machine()}), "
            f"Python {platform.python_version()}, verifiers {version('verifiers')}, pydantic {version('pydantic')}\n"
            f"{rollouts:,} rollouts of about {tokens:,} tokens and {TURNS} turns, {GROUP} per task: "
            f"{size / 1e6:,.0f} MB, written in {write_s:.0f} s"
        )
        results = {"ours, all: read and count": _apart(count, whole)}
        results["ours, all: data-build sft"] = _apart(sft, whole)
        results["ours, all: data-build report"] = _apart(report, whole)
        sides: dict[str, Callable[[Path], int]] = {
            "ours, part": count,
            "verifiers' record, line by line": records,
            "verifiers' read_episodes": episodes,
        }
        for _ in range(ROUNDS):
            for name, job in sides.items():
                result = _apart(job, part)
                best = results.get(name)
                results[name] = result if best is None or result.seconds < best.seconds else best
    console.print(_table(results))
    missed = _missed(results, rollouts, solved)
    console.print("\n".join(f"[red]missed[/red] {problem}" for problem in missed) or "[green]all goals reached[/green]")
    return 1 if missed else 0


def write(run: Path, rollouts: int, tokens: int) -> int:
    """A run of `rollouts` records in verifiers' layout with words for text; how many are solved."""
    rng = random.Random(0)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 8))) for _ in range(4000)]
    length = max(20, int(tokens / TURNS * CHARACTERS_PER_TOKEN / 6))
    texts = [" ".join(rng.choices(words, k=length)) for _ in range(64)]
    (run / "configs/resolved").mkdir(parents=True)
    config = {"env": {"taskset": {"id": "bench"}}, "model": "scripted"}
    (run / "configs/resolved/eval.json").write_text(json.dumps(config), encoding="utf-8")
    solved = 0
    with (run / "traces.jsonl").open("w", encoding="utf-8") as file:
        for number in range(rollouts):
            right = rng.random() < 0.5
            solved += right
            file.write(json.dumps(_record(number, right, tokens, rng, texts)) + "\n")
    return solved


def _record(number: int, right: bool, tokens: int, rng: random.Random, texts: Sequence[str]) -> dict[str, Any]:
    key = f"task-{number // GROUP}"
    data = {"idx": number // GROUP, "id": key, "prompt": "question", "split": "train", "question": f"question {key}"}
    nodes: list[dict[str, Any]] = [{"message": {"role": "user", "content": f"question {key}"}, "sampled": False}]
    calls = []
    for turn in range(TURNS):
        last = turn == TURNS - 1
        half = rng.choice(texts)
        message: dict[str, Any] = {"role": "assistant", "reasoning_content": half[: len(half) // 2]}
        if last:
            message["content"] = f"<<{'right' if right else 'wrong'}>>"
        else:
            call = {"id": f"c{turn}", "type": "function", "name": "search", "arguments": json.dumps({"query": key})}
            message["tool_calls"] = [call]
        nodes.append({"parent": len(nodes) - 1, "message": message, "sampled": True})
        usage = {"prompt_tokens": tokens // TURNS * turn + 100, "completion_tokens": tokens // TURNS // 2}
        calls.append({"node": len(nodes) - 1, "model": "scripted", "finish_reason": "stop", "usage": usage})
        if not last:
            result = {"role": "tool", "tool_call_id": f"c{turn}", "content": half[len(half) // 2 :] + half[:100]}
            nodes.append({"parent": len(nodes) - 1, "message": result, "sampled": False})
    task = {"type": "BenchTask", "data": data, "key": key, "hash": key}
    trace = {
        "id": f"trace-{number}",
        "version": 1,
        "verifiers": {"version": "0.4.0"},
        "task": task,
        "agent": {"config": {"harness": {"id": "chat-loop"}, "model": "scripted"}, "name": "agent", "trainable": True},
        "tools": [],
        "nodes": nodes,
        "calls": calls,
        "rewards": {"exact_match": {"score": float(right), "weight": 1.0}},
        "metrics": {},
        "is_completed": True,
        "ok": True,
        "stop_condition": "agent_completed",
        "errors": [],
    }
    return {"id": f"e{number}", "env": {"id": "bench"}, "task": task, "ok": True, "errors": [], "traces": [trace]}


def count(run: Path) -> int:
    """Ours: solved rollouts, with the counts of every task in memory."""
    from data_build.rollouts.read import Problems, read_rollouts
    from data_build.rollouts.tally import Tally

    tally = Tally(reward=None, threshold=1.0)
    for rollout in read_rollouts([run], problems=Problems()):
        tally.add(rollout)
    return sum(c.right for c in tally.tasks.values())


def sft(run: Path) -> int:
    """The whole command: two passes and the files."""
    from data_build.rollouts.sft import SftConfig, build

    out = run.parent / "sft"
    build([run], SftConfig(out=out, choose="shortest"))
    return _right(json.loads((out / "manifest.json").read_text(encoding="utf-8"))["funnel"])


def report(run: Path) -> int:
    """The whole command: figures, charts and the page with its transcripts."""
    from data_build.report.build import ReportConfig, build

    figures, total = build(ReportConfig(runs=[run], out=run.parent / "report"))
    share = figures.evaluations[0].left_out[1].value  # every task has as many rollouts, so the mean over tasks is it
    return -1 if share is None else round(share * total)


def _right(funnel: list[dict[str, Any]]) -> int:
    return next(stage["rollouts"] for stage in funnel if stage["stage"] == "right")


def records(run: Path) -> int:
    """verifiers' record class, a line at a time."""
    import verifiers.v1 as vf

    with (run / "traces.jsonl").open(encoding="utf-8") as lines:
        found: Iterator[vf.WireEpisode] = (vf.WireEpisode.model_validate_json(line) for line in lines)
        return sum(trace.reward >= 1 for episode in found for trace in episode.traces)


def episodes(run: Path) -> int:
    """verifiers' loader, a run at once."""
    from verifiers.v1.trace import WireTrace
    from verifiers.v1.utils.trace_store import read_episodes

    return sum(trace.reward >= 1 for episode in read_episodes(run, WireTrace) for trace in episode.traces)


def _apart(job: Callable[[Path], int], run: Path) -> Result:
    """`job` in a fresh process; imports are not timed but count as memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_timed, job, run).result()


def _timed(job: Callable[[Path], int], run: Path) -> Result:
    if job in (records, episodes):
        import verifiers.v1  # noqa: F401
    else:
        import pyarrow.parquet  # noqa: F401

        import data_build.report.build
        import data_build.rollouts.sft_files
        import data_build.rollouts.tally  # noqa: F401
    start = time.perf_counter()
    solved = job(run)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with (run / "traces.jsonl").open("rb") as lines:
        rollouts = sum(1 for _ in lines)
    return Result(seconds, peak, rollouts, solved)


def _table(results: dict[str, Result]) -> Table:
    table = Table("job", "rollouts", "seconds", "rollouts/s", "peak memory, MB", "solved", title="saved rollouts")
    for name, result in results.items():
        speed = f"{result.rollouts / result.seconds:,.0f}"
        row = (f"{result.rollouts:,}", f"{result.seconds:.1f}", speed, f"{result.peak_mb:,.0f}", f"{result.solved:,}")
        table.add_row(name, *row)
    return table


def _missed(results: dict[str, Result], rollouts: int, solved: int) -> list[str]:
    whole = {name: result for name, result in results.items() if name.startswith("ours, all")}
    missed = [f"{name}: {r.peak_mb:.0f} MB" for name, r in whole.items() if r.peak_mb >= MEMORY_GOAL_MB]
    missed += [f"{name}: {r.solved:,} solved of {solved:,}" for name, r in whole.items() if r.solved != solved]
    missed += [f"{name}: read {r.rollouts:,} of {rollouts:,}" for name, r in whole.items() if r.rollouts != rollouts]
    return missed


if __name__ == "__main__":
    main(sys.argv[1:])
