"""What is reported beside pass@k."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    title: str
    unit: str
    better: str
    """`higher`, `lower` or `neither`."""


MEASURES = {
    "tokens_per_solved": Measure("Tokens per solved", "completion tokens", "lower"),
    "median_tokens_correct": Measure("Median tokens, correct", "completion tokens", "lower"),
    "tokens": Measure("Tokens per rollout", "completion tokens", "lower"),
    "length_gap": Measure("Correct − wrong length", "completion tokens", "neither"),
    "pass_gap": Measure("pass@K − pass@1", "", "neither"),
    "distinct_answers": Measure("Distinct answers", "per task in K attempts", "neither"),
    "entropy": Measure("Token entropy", "nats per token", "neither"),
    "tool_calls": Measure("Tool calls", "per rollout", "neither"),
    "turns": Measure("Turns", "per rollout", "neither"),
    "truncated": Measure("Truncated", "share of rollouts", "lower"),
    "failed": Measure("Failed by itself", "share of rollouts", "lower"),
    "gold_recall": Measure("Gold passage recall", "share of passages", "higher"),
}
"""In the order of the report."""
PAIRED = ("tokens", "pass_gap", "distinct_answers", "tool_calls", "turns", "truncated", "failed", "gold_recall")
"""Measures that are a mean of one value a task; the others weigh tasks by their tokens or solved rollouts."""
