"""Verdicts for callers: one pool for the whole process, started with the first verdict that needs math-verify."""

import asyncio
import atexit
import os
import threading
from concurrent.futures import Future
from dataclasses import replace

from slm_rewards.math.compare import Undecided, decide, undecided
from slm_rewards.math.extract import Style, extract_answer
from slm_rewards.math.pool import Pool, Settings

_lock = threading.Lock()
_pool = Pool(Settings())
_past: dict[str, int] = {"inline": 0}


def configure(workers: int | None = None, deadline: float | None = None, memory_mb: int | None = None) -> Settings:
    """Sets the number of judging processes, seconds per verdict, and MiB of one process; returns all settings.

    What is left out stays as it is. Running workers are ended: call it before the first verdict. Raises ValueError for
    values out of range.
    """
    global _pool
    given = {"workers": workers, "deadline": deadline, "memory_mb": memory_mb}
    with _lock:
        settings = replace(_pool.settings, **{name: value for name, value in given.items() if value is not None})
        old, _pool = _pool, Pool(settings)
        _keep_counts(old)
    old.close()
    return settings


def stats() -> dict[str, int]:
    """Counts since this process started.

    `inline` (decided without a worker), `judged` (by a worker), and of these `timeouts` (cut at the deadline),
    `crashes` (the worker ended or ran out of memory) and `errors` (math-verify failed), all three False; `starts`
    of workers.
    """
    with _lock:
        return {**_past, **{name: _past.get(name, 0) + number for name, number in _pool.counts.items()}}


def worker_pids() -> list[int]:
    """Process ids of the judging processes that run."""
    return _pool.pids()


async def judge(answer: str | None, gold: str) -> bool:
    """Whether the answer states the gold; gold and answer are what `extract_answer` returns, or plain text.

    False for None, for an answer that is too long or too deep, and after `deadline` seconds. Works on any number of
    event loops and never blocks one. Raises ImportError where math-verify is missing, and nothing for any text.
    """
    verdict = _decided(answer, gold)
    if isinstance(verdict, bool):
        return verdict
    return await asyncio.wrap_future(verdict)


def judge_blocking(answer: str | None, gold: str) -> bool:
    """`judge` for code without an event loop, from any thread."""
    verdict = _decided(answer, gold)
    return verdict if isinstance(verdict, bool) else verdict.result()


async def accuracy(reply: str | None, gold: str, style: Style = "any") -> float:
    """1.0 if the reply's answer (`extract_answer`) states the gold, else 0.0.

    The gold must have passed `check_golds` where the task was built.
    """
    return float(await judge(extract_answer(reply, style), gold))


def accuracy_blocking(reply: str | None, gold: str, style: Style = "any") -> float:
    """`accuracy` for code without an event loop, from any thread."""
    return float(judge_blocking(extract_answer(reply, style), gold))


def submit(gold: str, answer: str | None) -> "Future[bool]":
    """A verdict by a worker, whatever it needs; for batches and benchmarks."""
    for _ in range(3):
        try:
            return _pool.submit(gold, answer)
        except RuntimeError:  # `configure` has just put another pool in its place
            continue
    return _pool.submit(gold, answer)


def _decided(answer: str | None, gold: str) -> "bool | Future[bool]":
    if answer is None:
        return False
    try:
        verdict = decide(answer, gold, undecided)
    except Undecided:
        return submit(gold, answer)
    with _lock:
        _past["inline"] += 1
    return verdict


def _keep_counts(pool: Pool) -> None:
    for name, number in pool.counts.items():
        _past[name] = _past.get(name, 0) + number


def _after_fork() -> None:
    global _pool, _lock
    _lock = threading.Lock()
    old, _pool = _pool, Pool(_pool.settings)
    old.abandon()


def _at_exit() -> None:
    _pool.close(wait=True)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
