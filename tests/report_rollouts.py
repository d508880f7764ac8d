"""Rollouts as the reader gives them, without files: for the report's figures."""

import dataclasses
from typing import Any

import numpy as np

from data_build.report.digest import Digest, digest
from data_build.report.figures import Report, make_report
from data_build.rollouts.read import Rollout

GOLD = {"answer": "Lund", "aliases": ["Lund, Sweden"]}


def rollout(**changes: Any) -> Rollout:
    """A solved single-turn retrieval rollout; `changes` replace its fields."""
    reply = changes.get("reply", "<<Lund>>")
    fields: dict[str, Any] = {
        "run": "base",
        "model": "small",
        "taskset": "musique-search",
        "task_key": "q0",
        "task": GOLD,
        "number": 0,
        "ok": True,
        "errors": [],
        "infrastructure": False,
        "stop_condition": "agent_completed",
        "truncated": False,
        "reward": 1.0,
        "rewards": {"exact_match": 1.0},
        "metrics": {},
        "messages": [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": reply}],
        "reply": reply,
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "turns": 1,
        "tool_calls": 0,
        "logprobs": None,
        "entropies": None,
        "step": None,
        "source": "base/traces.jsonl:1",
    }
    # Fields that the report does not look at are None.
    unused: dict[str, Any] = {field.name: None for field in dataclasses.fields(Rollout)}
    return Rollout(**(unused | fields | changes))


def scored(solved: bool, **changes: Any) -> Rollout:
    """A rollout with the right or a wrong answer, and the score that goes with it."""
    score = float(solved)
    given = {"reply": "<<Lund>>" if solved else "<<Visby>>", "reward": score, "rewards": {"exact_match": score}}
    return rollout(**(given | changes))


def broken(**changes: Any) -> Rollout:
    """A rollout that the infrastructure lost."""
    lost = {"ok": False, "infrastructure": True, "reward": None, "rewards": {}, "reply": "", "messages": []}
    return rollout(**(lost | {"errors": ["ProviderError: Internal Server Error"], "stop_condition": None} | changes))


def policy(rates: np.ndarray, n: int, rng: np.random.Generator, **changes: Any) -> list[Digest]:
    """n rollouts of a task for each success rate, as digests."""
    wins = rng.random((len(rates), n)) < rates[:, None]
    right, wrong = digest(scored(True, **changes)), digest(scored(False, **changes))
    return [dataclasses.replace(right if won else wrong, task=f"q{t}") for t, row in enumerate(wins) for won in row]


def report_of(*rollouts: Rollout, **options: Any) -> Report:
    return make_report([digest(r) for r in rollouts], **options)
