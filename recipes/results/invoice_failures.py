"""What unsolved supplier-invoices rollouts failed at: `python -m recipes.results.invoice_failures RUN...`.

Each run is a folder of rollouts that `data-build report` reads. The route is not judged: what counts is what the last
tool result showed and whether the right row was in it. With several runs the last column pairs the first with the last
by task: difference of the share of rollouts, with its 95 % interval (`data_build.report.stats`).
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

import slm_rewards
from data_build.report.stats import Estimate, difference
from data_build.rollouts.read import Problems, Rollout, read_rollouts
from supplier_invoices.taskset import values_of

SOLVED = "solved"
KINDS = {
    "no call": "no tool was called",
    "refused": "the last call is refused: bad arguments, an unknown id or number, no such supplier",
    "half way": "the last call is SearchSupplier, and an order row was wanted",
    "no row": "the last call finds no row: a filter is wrong or invented",
    "wrong rows": "the last call shows rows, the right one is not among them",
    "several rows": "the right row is shown among others, the reply states something else",
    "right row": "the right row alone is shown, the reply states something else",
    "error": "the rollout ended with an error of the machinery",
}
"""Each kind of failure with its meaning, in the order in which a rollout can get stuck."""
FAILED = "a call failed"
MENDED = "mended"
BESIDE = {
    FAILED: "some call was refused or found no row, whatever came of it",
    MENDED: "a later turn of the same rollout called with success, and it is solved",
}
"""Counted beside the kinds, without errors of the machinery: does the model try again?"""


def kind(rollout: Rollout) -> str:
    """`SOLVED` or one of `KINDS`. Raises ValueError for a rollout of another taskset."""
    if "gold_values" not in rollout.task or "path" not in rollout.task:
        raise ValueError(f"{rollout.source}: {rollout.taskset} is not supplier-invoices")
    if rollout.infrastructure:
        return "error"
    if rollout.rewards.get("solved") == 1.0:
        return SOLVED
    results = [str(message["content"]) for message in rollout.messages if message["role"] == "tool"]
    if not results:
        return "no call"
    if results[-1].startswith("no order row"):
        return "no row"
    records = _records(results[-1])
    if not records:
        return "refused"
    gold = rollout.task["gold_values"]
    if any(slm_rewards.solved("\n".join(values_of(record)), gold) for record in records):
        return "right row" if len(records) == 1 else "several rows"
    wanted = rollout.task["path"][-1]["name"]
    return "half way" if _last_call(rollout) == "SearchSupplier" != wanted else "wrong rows"


def _records(result: str) -> list[str]:
    return [line for line in result.splitlines() if line.startswith("{")]


def _last_call(rollout: Rollout) -> str:
    calls = [call for message in rollout.messages for call in message.get("tool_calls") or []]
    return calls[-1]["function"]["name"]


def beside(rollout: Rollout, found: str) -> list[str]:
    """Which of `BESIDE` hold for a rollout of this kind."""
    turns: list[list[bool]] = []
    for message in rollout.messages:
        if message["role"] == "assistant":
            turns.append([])
        elif message["role"] == "tool":
            turns[-1].append(bool(_records(str(message["content"]))))
    failed = [i for i, hits in enumerate(turns) if not all(hits)]
    if not failed or found == "error":
        return []
    again = any(any(hits) for hits in turns[failed[0] + 1 :])
    return [FAILED, MENDED] if again and found == SOLVED else [FAILED]


def count(run: Path, calls: int | None) -> dict[str, Counter[str]]:
    """Rollouts by kind, and by `BESIDE`, for each task; `calls` keeps tasks whose shortest route has so many.

    Raises:
        ValueError: nothing to read, or another taskset.
    """
    problems = Problems()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for rollout in read_rollouts([run], problems=problems):
        found = kind(rollout)
        if calls is None or len(rollout.task["path"]) == calls:
            counts[rollout.task_key][found] += 1
            for name in beside(rollout, found):
                counts[rollout.task_key][name] += 1
    if problems:
        raise ValueError(problems.summary())
    if not counts:
        raise ValueError(f"{run}: no rollout of a task with {calls} calls")
    return dict(counts)


def shares(counts: dict[str, Counter[str]], name: str) -> dict[str, float]:
    """Share of a task's rollouts that are of this kind, by task."""
    return {key: of[name] / total(of) for key, of in counts.items()}


def total(counts: Counter[str]) -> int:
    """Rollouts, each counted once."""
    return sum(counts[name] for name in (*KINDS, SOLVED))


def table(runs: dict[str, dict[str, Counter[str]]]) -> Table:
    """One row a kind, one column a run, and the paired difference of the last run and the first."""
    made = Table("rollouts", *(Column(name, overflow="fold") for name in runs), pad_edge=False)
    if len(runs) > 1:
        made.add_column("difference (95 %)", no_wrap=True)
    first, last = next(iter(runs.values())), list(runs.values())[-1]

    def add(name: str) -> None:
        numbers = [sum(of[name] for of in counts.values()) for counts in runs.values()]
        cells = [str(number) for number in numbers]
        if len(runs) > 1 and any(numbers):
            cells.append(_shown(difference(shares(last, name), shares(first, name))))
        made.add_row(name, *cells)

    for name in (*KINDS, SOLVED):
        add(name)
    made.add_row("all", *(str(sum(map(total, counts.values()))) for counts in runs.values()), end_section=True)
    for name in BESIDE:
        add(name)
    return made


def _shown(shift: Estimate) -> str:
    if shift.value is None:
        return "no common task"
    if shift.low is None or shift.high is None:
        return f"{shift.value:+.3f} (one common task)"
    return f"{shift.value:+.3f} ({shift.low:+.3f} to {shift.high:+.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="invoice_failures", description="What unsolved invoice rollouts failed at.")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="folder of rollouts")
    parser.add_argument("--calls", type=int, choices=(1, 2), help="only tasks whose shortest route has so many calls")
    arguments = parser.parse_args()
    try:
        # prime-rl's folders are all called `all`: then the whole path tells them apart.
        alike = len({run.name for run in arguments.runs}) < len(arguments.runs)
        runs = {str(run) if alike else run.name: count(run, arguments.calls) for run in arguments.runs}
    except ValueError as e:
        raise SystemExit(f"invoice_failures: {e}") from None
    console = Console()
    console.print(table(runs))
    for name, meaning in (KINDS | BESIDE).items():
        console.print(f"{name}: {meaning}", style="dim", highlight=False)


if __name__ == "__main__":
    main()
