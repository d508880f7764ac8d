"""Rollouts of saved runs, one line in memory at a time.

    problems = Problems()
    for rollout in read_rollouts([Path("outputs/baseline")], problems=problems):
        ...
    print(problems.summary())

A line is one episode; each of its traces is one rollout, and so is a failed episode that has none: what failed must
stay in the denominator. verifiers' own loader reads a whole run at once and stops at a torn line or at a reward that
is null (a NaN that verifiers wrote); this one names them and goes on.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from data_build.rollouts.rollout import Rollout, episode_rollouts
from data_build.rollouts.runs import trace_files

__all__ = ["Problems", "Rollout", "read_rollouts"]


@dataclass
class Problems:
    """What could not be read, by file and line."""

    lines: int = 0
    """Lines read, those below included; blank lines are not counted."""
    torn: list[str] = field(default_factory=list)
    """`file:line` of last lines that a killed run left unfinished; dropped."""
    unparsable: list[str] = field(default_factory=list)
    """`file:line: reason` of rows that are no episode; not among the rollouts."""
    null_rewards: list[str] = field(default_factory=list)
    """`file:line` of rollouts whose reward is NaN or null; read, with `reward` None."""

    def __bool__(self) -> bool:
        return bool(self.torn or self.unparsable or self.null_rewards)

    def summary(self, shown: int = 5) -> str:
        """One line; names up to `shown` places of each kind."""
        if not self:
            return f"{self.lines:,} lines read, all of them whole"
        kinds = [
            ("torn last line dropped", "torn last lines dropped", self.torn),
            ("row does not parse", "rows do not parse", self.unparsable),
            ("rollout has a null reward", "rollouts have a null reward", self.null_rewards),
        ]
        parts = []
        for one, many, places in kinds:
            if places:
                more = f", and {len(places) - shown:,} more" if len(places) > shown else ""
                parts.append(f"{len(places):,} {one if len(places) == 1 else many} ({', '.join(places[:shown])}{more})")
        return f"warning: of {self.lines:,} lines: " + "; ".join(parts)


def read_rollouts(
    runs: Sequence[Path], *, problems: Problems, sources: Collection[str] | None = None
) -> Iterator[Rollout]:
    """The rollouts of `runs` (see `runs.trace_files`) in file order; what is wrong goes to `problems`.

    With `sources`, only the lines of these `Rollout.source`, and `number` counts among those alone.

    Raises:
        ValueError: a path without rollouts, or two paths to the same file.
    """
    numbers: Counter[tuple] = Counter()
    for file in trace_files(runs):
        for place, row in _rows(file.path, problems, sources):
            try:
                rollouts = list(episode_rollouts(row, file, place, numbers))
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as e:
                problems.unparsable.append(f"{place}: {_reason(e)}")
                continue
            if any(None in rollout.rewards.values() for rollout in rollouts):
                problems.null_rewards.append(place)
            yield from rollouts


def _rows(path: Path, problems: Problems, sources: Collection[str] | None) -> Iterator[tuple[str, Any]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            problems.lines += 1
            place = f"{path}:{number}"
            if sources is not None and place not in sources:
                continue
            try:
                row = from_json(line, cache_strings="keys")
            except ValueError as e:
                if line.endswith(b"\n"):
                    problems.unparsable.append(f"{place}: not JSON: {_text(e)}")
                else:
                    problems.torn.append(place)
                continue
            yield place, row


def _reason(error: Exception) -> str:
    return f"no field {_text(error)}" if isinstance(error, KeyError) else f"not an episode: {_text(error)}"


def _text(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
