"""Reads a run's `traces.jsonl` (one episode a line, as `vf-eval` writes it) and prints its figures."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

SOLVED = "solved"
"""The reward of supplier-invoices that says whether the final reply states every gold value."""


@dataclass(frozen=True)
class Figures:
    """Figures of a run. Every rollout counts in every denominator: one that failed has reward 0 and is not solved."""

    rollouts: int
    tasks: int
    pass_at_1: float
    """Share of rollouts that are solved."""
    mean_reward: float
    mean_tool_calls: float
    errors: tuple[str, ...]
    """One reason per rollout that ended in an error or got no reward."""


def read_figures(traces: Path) -> Figures:
    """Figures of all rollouts in `traces`; a last line cut short by a kill counts as one error.

    Raises:
        OSError: the file cannot be read.
    """
    rewards: list[float] = []
    solved: list[float] = []
    calls: list[int] = []
    errors: list[str] = []
    tasks: set[str] = set()
    for number, line in enumerate(traces.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        episode: dict[str, Any]
        try:
            episode = json.loads(line)
        except json.JSONDecodeError:
            episode = {"errors": [{"type": "cut short", "message": f"line {number} is not complete JSON"}]}
        task = episode.get("task") or {}
        tasks.add(task.get("key") or task.get("hash") or f"line {number}")
        scores = _scores(episode)
        if not episode.get("ok") or scores is None:
            errors.append(_reason(episode))
            scores = (0.0, 0.0)
        rewards.append(scores[0])
        solved.append(scores[1])
        calls.append(_tool_calls(episode))
    count = max(1, len(rewards))
    return Figures(
        rollouts=len(rewards),
        tasks=len(tasks),
        pass_at_1=sum(solved) / count,
        mean_reward=sum(rewards) / count,
        mean_tool_calls=sum(calls) / count,
        errors=tuple(errors),
    )


def _scores(episode: dict[str, Any]) -> tuple[float, float] | None:
    """Weighted sum of the rewards and the `solved` score; None if one is missing or not a finite number."""
    rewards: dict[str, Any] = {}
    for trace in episode.get("traces") or []:
        rewards |= trace.get("rewards") or {}
    total = 0.0
    for reward in rewards.values():
        score = reward.get("score") if isinstance(reward, dict) else None
        if not isinstance(score, int | float) or not math.isfinite(score):
            return None
        total += score * reward.get("weight", 1.0)
    return (total, rewards[SOLVED]["score"]) if SOLVED in rewards else None


def _tool_calls(episode: dict[str, Any]) -> int:
    nodes = [node for trace in episode.get("traces") or [] for node in trace.get("nodes") or []]
    return sum(len(node["message"].get("tool_calls") or []) for node in nodes if node.get("sampled"))


def _reason(episode: dict[str, Any]) -> str:
    """Why a rollout has no reward, in one line."""
    found = [*(episode.get("errors") or [])]
    for trace in episode.get("traces") or []:
        found += trace.get("errors") or []
    if not found:
        return "no usable reward recorded"
    message = " ".join(str(found[-1].get("message", "")).split())
    return f"{found[-1].get('type', 'error')}: {message}"[:200]


def print_report(console: Console, figures: Figures, model: str, seconds: float, traces: Path) -> None:
    """Print the table of figures, the reasons of failed rollouts, and where the traces are."""
    table = Table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in (
        ("model", model),
        ("tasks", str(figures.tasks)),
        ("rollouts", str(figures.rollouts)),
        ("pass@1", f"{figures.pass_at_1:.3f}"),
        ("mean reward", f"{figures.mean_reward:.3f}"),
        ("tool calls per rollout", f"{figures.mean_tool_calls:.1f}"),
        ("errors", str(len(figures.errors))),
        ("seconds", f"{seconds:.0f}"),
    ):
        table.add_row(label, value)
    console.print(table)
    for reason in dict.fromkeys(figures.errors):
        console.print(f"error in {figures.errors.count(reason)} rollout(s): {reason}", soft_wrap=True, markup=False)
    # Paths on lines of their own and never wrapped, so that they can be copied.
    console.print(f"traces: {traces}", soft_wrap=True, markup=False, highlight=False)
