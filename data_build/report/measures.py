"""What is reported beside pass@k."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """How the report names and reads a figure."""

    title: str
    unit: str
    better: str
    """`higher`, `lower` or `neither`."""
    share: bool = False
    """Whether every task's value lies in [0, 1]."""


MEASURES = {
    "tokens_per_solved": Measure("Tokens per solved", "completion tokens", "lower"),
    "median_tokens_correct": Measure("Median tokens, correct", "completion tokens", "lower"),
    "tokens": Measure("Tokens per rollout", "completion tokens", "lower"),
    "length_gap": Measure("Correct − wrong length", "completion tokens", "neither"),
    "pass_gap": Measure("pass@K − pass@1", "", "neither", share=True),
    "distinct_answers": Measure("Distinct answers", "per task in K attempts", "neither"),
    "entropy": Measure("Token entropy", "nats per token", "neither"),
    "tool_calls": Measure("Tool calls", "per rollout", "neither"),
    "turns": Measure("Turns", "per rollout", "neither"),
    "truncated": Measure("Truncated", "share of rollouts", "lower", share=True),
    "failed": Measure("Failed by itself", "share of rollouts", "lower", share=True),
    "gold_recall": Measure("Gold passage recall", "share of passages", "higher", share=True),
}
"""In the order of the report."""
PAIRED = ("tokens", "pass_gap", "distinct_answers", "tool_calls", "turns", "truncated", "failed", "gold_recall")
"""Measures with a value for each task, the mean of its rollouts. Differences weigh tasks alike, the tables rollouts.

The others weigh tokens or solved rollouts, or (`length_gap`) exist only where a task was both solved and failed.
"""
