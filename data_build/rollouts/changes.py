"""What another scoring of the same rollouts changed, score by score."""

from dataclasses import dataclass, field

from data_build.rollouts.read import Rollout

TOLERANCE = 1e-9
SUM = "weighted sum"


@dataclass
class Change:
    """One score over the rollouts of a run."""

    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    up: int = 0
    down: int = 0
    new: int = 0
    """Rollouts that lacked the score."""
    gone: int = 0
    """Rollouts that have lost it: it needs the rollout's runtime, or the task no longer gives it."""
    examples: list[str] = field(default_factory=list)


@dataclass
class Changes:
    """`limit` is how many examples a score keeps."""

    limit: int
    rollouts: int = 0
    failed: int = 0
    """Failed rollouts; they are not scored."""
    broken: list[str] = field(default_factory=list)
    """`file:line: error` of rollouts whose scoring failed now."""
    scores: dict[str, Change] = field(default_factory=dict)

    def add(self, before: Rollout, after: Rollout) -> None:
        """The same rollout, scored then and now."""
        self.rollouts += 1
        if not before.ok:
            self.failed += 1
            return
        if not after.ok:
            self.broken.append(f"{before.source}: {after.errors[-1] if after.errors else after.stop_condition}")
        old, new = _scores(before), _scores(after)
        for name in old | new:
            self._compare(self.scores.setdefault(name, Change()), old.get(name), new.get(name), before)

    def _compare(self, change: Change, old: float | None, new: float | None, rollout: Rollout) -> None:
        if old is not None:
            change.before.append(old)
        if new is not None:
            change.after.append(new)
        if old is None and new is None:
            return
        if old is None:
            change.new += 1
            return
        if new is None:
            change.gone += 1
        elif new > old + TOLERANCE:
            change.up += 1
        elif new < old - TOLERANCE:
            change.down += 1
        else:
            return
        if len(change.examples) < self.limit:
            change.examples.append(f"{rollout.task_key} ({rollout.source}): {_show(old)} → {_show(new)}")

    def lines(self, run: str) -> list[str]:
        again = self.rollouts - self.failed
        lines = [f"{run}: {again:,} rollouts scored again, {self.failed:,} failed ones left as they were"]
        width = max((len(name) for name in self.scores), default=0)
        for name, change in self.scores.items():
            counts = {"up": change.up, "down": change.down, "new": change.new, "gone": change.gone}
            changed = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "unchanged"
            lines.append(f"  {name:<{width}}  mean {_mean(change.before)} → {_mean(change.after)}  {changed}")
            lines += [f"    {example}" for example in change.examples]
        lines += [f"  scoring failed: {place}" for place in self.broken[: self.limit]]
        if len(self.broken) > self.limit:
            lines.append(f"  scoring failed for {len(self.broken) - self.limit:,} more")
        return lines


def _scores(rollout: Rollout) -> dict[str, float | None]:
    return {SUM: rollout.reward} | rollout.rewards | rollout.metrics


def _show(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


def _mean(values: list[float]) -> str:
    return f"{sum(values) / len(values):.4f}" if values else "none"
