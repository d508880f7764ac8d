"""What the commands on rollouts share: `RUNS…` before the flags, which rollouts are right, which tasks stay out."""

import hashlib
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.rollouts.read import Rollout

EVALUATION = {"validation", "valid", "val", "dev", "test", "eval", "evaluation"}
"""Splits that training data must not hold."""

TaskId = tuple[str, str]
"""Taskset and key."""


class Selection(BaseConfig):
    reward: str | None = None
    """Score that says whether a rollout is right, a reward or a metric, without its weight; `reward` is the weighted
    sum. By default the first of solved, exact_match, accuracy that the rollouts carry, else the weighted sum."""
    threshold: float = Field(1.0, allow_inf_nan=False)
    """A rollout is right when that score reaches this."""
    exclude_split: list[str] = Field(default_factory=list)
    """Splits whose tasks stay out."""
    exclude_keys: Path | None = None
    """File with keys of tasks that stay out: one a line, or a JSON list as a pool is and `keys.json` of an SFT set."""
    allow_evaluation: bool = False
    """Take tasks of an evaluation split nevertheless."""


def split_runs(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """`RUNS…` and the rest, which begins at the first flag or `@ file.toml`."""
    count = next((i for i, a in enumerate(arguments) if a.startswith("-") or a == "@"), len(arguments))
    return [Path(a) for a in arguments[:count]], list(arguments[count:])


def task_id(rollout: Rollout) -> TaskId:
    return rollout.taskset, rollout.task_key


class Exclusion:
    """Which tasks stay out of training data, and whether one that should is about to get in.

    Raises ValueError for a file of keys that is missing, not readable or empty.
    """

    def __init__(self, config: Selection) -> None:
        self.splits = set(config.exclude_split)
        self.keys = read_keys(config.exclude_keys) if config.exclude_keys else set()
        self.allowed = config.allow_evaluation
        self.tasks: set[TaskId] = set()
        """Left out."""
        self.leaks: dict[str, set[TaskId]] = {}
        """Evaluation split → its tasks that were not left out."""
        self.without_split: set[TaskId] = set()
        self._questions: set[bytes] = set()

    def covers(self, rollout: Rollout) -> bool:
        """Whether the rollout's task stays out."""
        split = rollout.task.get("split")
        if split in self.splits or rollout.task_key in self.keys:
            self.tasks.add(task_id(rollout))
            self._questions.add(question_digest(rollout.task))
            return True
        if split is None:
            self.without_split.add(task_id(rollout))
        elif str(split).lower() in EVALUATION:
            self.leaks.setdefault(str(split), set()).add(task_id(rollout))
        return False

    def asks_again(self, digest: bytes) -> bool:
        """Whether a task that stays out asks the question of this `question_digest`. Ask after the last `covers`."""
        return digest in self._questions

    def check(self, tasks: Collection[TaskId]) -> None:
        """Raises ValueError where no task is left, or one of an evaluation split is and nobody said that it may."""
        if self.tasks and not tasks:
            raise ValueError(f"all {len(self.tasks):,} questions of these runs stay out; give runs on others")
        if self.leaks and not self.allowed:
            found = ", ".join(f"{len(tasks):,} tasks of split {split!r}" for split, tasks in sorted(self.leaks.items()))
            names = " ".join(sorted(self.leaks))
            raise ValueError(
                f"these runs hold {found}, and training on them would spoil the evaluation: leave them out with "
                f"--exclude-split {names}, or take them on purpose with --allow-evaluation"
            )

    def lines(self) -> list[str]:
        """What to print: how many tasks stay out, and what nobody could check."""
        lines = []
        if self.splits or self.keys:
            what = [f"split {split}" for split in sorted(self.splits)] + ["listed keys"] * bool(self.keys)
            lines.append(f"left out ({', '.join(what)}): {len(self.tasks):,} questions")
        if self.leaks:
            count = sum(map(len, self.leaks.values()))
            lines.append(f"warning: {count:,} questions of {', '.join(sorted(self.leaks))} are among these")
        if self.without_split:
            lines.append(
                f"note: {len(self.without_split):,} questions name no split; only --exclude-keys keeps evaluation "
                "questions out there"
            )
        return lines


def question_digest(task: dict[str, Any]) -> bytes:
    """Of the question's text, case and space aside."""
    question = task.get("question") or task.get("prompt") or task
    text = question if isinstance(question, str) else json.dumps(question, sort_keys=True)
    return hashlib.blake2b(" ".join(text.casefold().split()).encode(), digest_size=16).digest()


def read_keys(path: Path) -> set[str]:
    """Keys in a file: one a line, or a JSON list, which a pool of `data-build pool` is.

    Raises:
        ValueError: no such file, not a list of keys, no key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise ValueError(f"exclude_keys: {path} cannot be read ({e})") from None
    if text.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(text)
        except ValueError as e:
            raise ValueError(f"exclude_keys: {path} begins like JSON but is none ({e})") from None
        keys = value
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise ValueError(f"exclude_keys: {path} must be a list of strings")
    else:
        keys = [line.strip() for line in text.splitlines()]
    keys = {key for key in keys if key}
    if not keys:
        raise ValueError(f"exclude_keys: {path} holds no key")
    return keys
