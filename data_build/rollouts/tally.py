"""How often each task was solved: counts that fit in memory however long the rollouts are."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from data_build.report.solved import NAMES, REWARD, TOLERANCE
from data_build.report.stats import pass_at_k
from data_build.rollouts.command import TaskId, task_id
from data_build.rollouts.read import Rollout

COMPLETE = 0.9
"""Coverage below which a result is called incomplete."""


@dataclass
class Count:
    rollouts: int = 0
    """Failures of the infrastructure are not among them."""
    right: int = 0
    infrastructure: int = 0


@dataclass
class Tally:
    """Counts by task. `reward` and `threshold` are those of `Selection`."""

    reward: str | None
    threshold: float
    tasks: dict[TaskId, Count] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    """Scores met."""
    models: Counter[str] = field(default_factory=Counter)
    tasksets: Counter[str] = field(default_factory=Counter)

    def add(self, rollout: Rollout) -> bool:
        """Counts a rollout; whether it is right."""
        count = self.tasks.setdefault(task_id(rollout), Count())
        self.models[rollout.model] += 1
        self.tasksets[rollout.taskset] += 1
        if rollout.infrastructure:
            count.infrastructure += 1
            return False
        right = self.right(rollout)
        count.rollouts += 1
        count.right += right
        return right

    def right(self, rollout: Rollout) -> bool:
        """Whether the score reaches the threshold; one that failed, or lacks the score, is not right."""
        scores = rollout.metrics | rollout.rewards
        self.names |= scores.keys()
        if not rollout.ok:
            return False
        if self.reward is None:
            self.reward = next((name for name in NAMES if name in scores), REWARD)
        score = scores.get(self.reward, rollout.reward if self.reward == REWARD else None)
        return score is not None and score >= self.threshold - TOLERANCE

    def check(self) -> None:
        """Raises ValueError where there was nothing to count, or no rollout carried the score asked for."""
        if not self.tasks:
            raise ValueError("RUNS: no rollouts are left to look at; see what was left out, and the folders given")
        if self.reward not in (None, REWARD, *self.names):
            known = ", ".join(sorted(self.names)) or "none"
            raise ValueError(f"reward: no rollout has a score {self.reward!r}; they have {known}; `reward` is the sum")

    @property
    def infrastructure(self) -> int:
        return sum(count.infrastructure for count in self.tasks.values())

    @property
    def coverage(self) -> float:
        """Share of the rollouts that the infrastructure did not lose."""
        total = sum(count.rollouts + count.infrastructure for count in self.tasks.values())
        return 1 - self.infrastructure / total if total else 0.0

    def pass_line(self) -> str:
        """pass@1 and pass@n for the n that most tasks have, failures of infrastructure left out and as wrong."""
        sizes = Counter(count.rollouts for count in self.tasks.values() if count.rollouts)
        ks = sorted({1, max(sizes, key=lambda n: (sizes[n], n))}) if sizes else []
        parts = [f"pass@{k} {self.pass_at(k)[0]:.3f}" for k in ks]
        line = f"{', '.join(parts) or 'no scored rollout'} over {sum(sizes.values()):,} questions"
        if short := [f"{less:,} have too few rollouts for pass@{k}" for k in ks if (less := self.pass_at(k)[1])]:
            line += f" ({'; '.join(short)})"
        if self.infrastructure:
            wrong = ", ".join(f"pass@{k} {self.pass_at(k, as_wrong=True)[0]:.3f}" for k in ks)
            line += f"; infrastructure failures left out: {self.infrastructure:,} (counted as wrong: {wrong})"
            if self.coverage < COMPLETE:
                line += (
                    f"; INCOMPLETE: the runs cover {self.coverage:.0%} of their rollouts, start the failed ones again"
                )
        return line

    def pass_at(self, k: int, as_wrong: bool = False) -> tuple[float, int]:
        """(mean pass@k over the tasks with at least `k` rollouts, number of tasks with fewer but some)."""
        counted = list(self._counted(as_wrong))
        values = [pass_at_k(n, right, k) for n, right in counted if n >= k]
        return (sum(values) / len(values) if values else float("nan")), len(counted) - len(values)

    def _counted(self, as_wrong: bool) -> Iterator[tuple[int, int]]:
        for count in self.tasks.values():
            if n := count.rollouts + (count.infrastructure if as_wrong else 0):
                yield n, count.right


def is_try(rollout: Rollout) -> bool:
    """Whether it is an attempt at the task: a judge's or a simulated user's trace has no rewards and trains nothing."""
    return rollout.trainable or bool(rollout.rewards) or not rollout.ok
