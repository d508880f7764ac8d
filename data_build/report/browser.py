"""The rollouts that the page can show, packed: an index that is read at once, texts that are unpacked when opened."""

import base64
import gzip
import hashlib
import heapq
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from data_build.report.digest import Digest
from data_build.report.solved import is_solved
from data_build.rollouts.read import Rollout

BLOCK = 16
"""Rollouts packed together: neighbours share prompts, and a search unpacks block by block."""
PAGE_BYTES = 36_000_000
"""Most bytes of packed texts; base64 makes 48 MB of them."""
SHOWN_ALREADY = ("prompt", "system_prompt", "idx")
"""Task fields that the conversation shows already."""
GOLD = ("answer", "aliases", "gold_values")
SOLVED, NOT_SOLVED, INFRASTRUCTURE = "solved", "not solved", "infrastructure failure"


@dataclass(frozen=True)
class Packed:
    index: list[dict[str, Any]]
    """One entry a rollout, in the order of the blocks."""
    blocks: list[str]
    """Base64 of the gzipped JSON list of `BLOCK` rollouts."""
    total: int
    """Rollouts read; `index` may hold fewer."""


class Shelf:
    """Keeps up to `limit` rollouts while a run streams by: all rollouts of as many tasks as fit, the same in each run.

    Tasks are drawn by a seeded hash, so that two runs show the same questions.
    """

    def __init__(self, limit: int, seed: int = 0) -> None:
        self.limit, self.seed = limit, seed
        self.total = 0
        self._heap: list[tuple[int, int, int, bytes, Digest]] = []

    def add(self, rollout: Rollout, digest: Digest) -> None:
        rank = hashlib.sha256(f"{self.seed}\n{digest.taskset}\n{digest.task}".encode()).digest()[:8]
        # A heap keeps the smallest on top; the largest rank is to go first.
        order = (-int.from_bytes(rank, "big"), -rollout.number, -self.total)
        self.total += 1
        if len(self._heap) == self.limit and (not self._heap or order < self._heap[0][:3]):
            return
        # NaN, which task data may hold, is no JSON for a browser.
        item = (*order, zlib.compress(to_json(record(rollout, digest), inf_nan_mode="null"), 1), digest)
        (heapq.heappushpop if len(self._heap) == self.limit else heapq.heappush)(self._heap, item)

    def pack(self, solved_by: dict[str, str], threshold: float) -> Packed:
        """The kept rollouts by taskset, task and run. `solved_by`: name of the score, by taskset."""
        room, kept = PAGE_BYTES, []
        for *order, packed, d in sorted(self._heap, key=lambda item: item[:3], reverse=True):
            room -= len(packed)
            if room < 0:
                break
            kept.append((d.taskset, d.task, -order[2], packed, d))
        kept.sort(key=lambda item: item[:3])
        index = [entry(d, solved_by[d.taskset], threshold) for *_, d in kept]
        texts = [packed for *_, packed, _ in kept]
        blocks = [_block(texts[i : i + BLOCK]) for i in range(0, len(texts), BLOCK)]
        return Packed(index, blocks, self.total)


def entry(digest: Digest, solved_by: str, threshold: float) -> dict[str, Any]:
    """What lists and filters need: run, taskset, task, step, bucket, tokens, turns and calls."""
    return {
        "run": digest.arm,
        "set": digest.taskset,
        "task": digest.task,
        "step": digest.step,
        "bucket": category(digest, solved_by, threshold),
        "tokens": digest.tokens,
        "turns": digest.turns,
        "calls": digest.tool_calls,
        "answer": (digest.answer or "")[:80],
    }


def category(digest: Digest, solved_by: str, threshold: float) -> str:
    """One of the four buckets for retrieval, else solved or not; infrastructure failures are a kind of their own."""
    if digest.infrastructure:
        return INFRASTRUCTURE
    return digest.bucket or (SOLVED if is_solved(digest, solved_by, threshold) else NOT_SOLVED)


def record(rollout: Rollout, digest: Digest) -> dict[str, Any]:
    """All that the page shows of one rollout."""
    task = {name: value for name, value in rollout.task.items() if name not in SHOWN_ALREADY and value is not None}
    return {
        "messages": rollout.messages,
        "gold": {name: task.pop(name) for name in GOLD if name in task},
        "task": task,
        "reward": rollout.reward,
        "scores": digest.scores,
        "errors": rollout.errors,
        "stop": rollout.stop_condition,
        "truncated": rollout.truncated,
        "prompt_tokens": rollout.prompt_tokens,
        "model": rollout.model,
        "number": rollout.number,
        "source": rollout.source,
    }


def _block(texts: Sequence[bytes]) -> str:
    rows = b",".join(map(zlib.decompress, texts))
    return base64.b64encode(gzip.compress(b"[" + rows + b"]", 6, mtime=0)).decode()
