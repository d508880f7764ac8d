"""`data-build sft RUNS… --out FOLDER`: right rollouts of a teacher as training data for prime-rl's `sft`.

Two passes over the runs: the first counts and remembers where the right rollouts stand, the second copies the chosen
ones. So memory holds one conversation, and the choice among a task's rollouts sees all of them.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from data_build.config import read_config
from data_build.rollouts.command import Exclusion, Selection, TaskId, question_digest, split_runs, task_id
from data_build.rollouts.evidence import FIELD, seen_before_answer, supporting
from data_build.rollouts.read import Problems, Rollout, read_rollouts
from data_build.rollouts.tally import Tally, is_try


class SftConfig(Selection):
    out: Path
    """Folder to write: `train.parquet`, `keys.json`, `README.md`, `manifest.json`; this is prime-rl's `data.name`."""
    require_evidence: bool = False
    """Keep a rollout only if its tool results showed every supporting passage before it answered."""
    evidence_field: str = FIELD
    """Field of the task data that names them: passage ids of musique-search, or texts to find in the results."""
    max_per_task: int = Field(2, ge=1)
    """Most rollouts of one task."""
    choose: Literal["first", "shortest", "random"] = "first"
    """Which of them: the first read, those with the fewest completion tokens, or drawn by `seed`."""
    seed: int = 0
    seq_len: int | None = Field(None, ge=1)
    """Leave out conversations of more tokens: prime-rl's `data.seq_len` would cut their answers off."""


@dataclass(frozen=True)
class Candidate:
    task: TaskId
    source: str
    trace_id: str
    tokens: int | None
    """Completion tokens."""
    digest: bytes
    """Of the conversation."""
    question: bytes


@dataclass
class Funnel:
    """Rollouts and questions that pass each stage, and why the others did not."""

    rollouts: int = 0
    questions: set[TaskId] = field(default_factory=set)
    stages: dict[str, list[TaskId]] = field(default_factory=dict)
    """Stage → task of each rollout that passes it."""
    dropped: Counter[str] = field(default_factory=Counter)

    def passes(self, stage: str, task: TaskId) -> None:
        self.stages.setdefault(stage, []).append(task)

    def rows(self) -> list[tuple[str, int, int]]:
        """(stage, rollouts, questions) in order."""
        return [(stage, len(tasks), len(set(tasks))) for stage, tasks in self.stages.items()]


@dataclass
class Selected:
    """What the first pass found."""

    tally: Tally
    funnel: Funnel
    exclusion: Exclusion
    chosen: list[Candidate]


def main(arguments: Sequence[str]) -> None:
    runs, rest = split_runs(arguments)
    config = read_config(SftConfig, "sft RUNS…", rest)
    try:
        print("\n".join(build(runs, config)))
        print(f"which tokens are trained: data-build sft-show {config.out} --model MODEL")
    except ValueError as e:
        raise SystemExit(f"data-build sft: {e}") from None


def build(runs: Sequence[Path], config: SftConfig) -> list[str]:
    """Writes the folder; what to print: the funnel, what was left out, what could not be read.

    Raises:
        ValueError: evaluation tasks would leak, no rollout is left, or an option does not fit the runs.
    """
    from data_build.rollouts.sft_files import check_folder, write

    check_folder(config.out)
    problems = Problems()
    selected = select(runs, config, problems)
    lines = report(selected, config)
    if problems:
        lines.append(problems.summary())
    if not selected.chosen:
        raise ValueError("no rollout is left to train on:\n" + "\n".join(lines))
    written = write(config, runs, lines, selected, _copies(runs, selected.chosen))
    return [*lines, written]


def select(runs: Sequence[Path], config: SftConfig, problems: Problems) -> Selected:
    """First pass: which rollouts to train on."""
    tally, funnel, exclusion = Tally(config.reward, config.threshold), Funnel(), Exclusion(config)
    candidates: list[Candidate] = []
    for rollout in read_rollouts(runs, problems=problems):
        if not is_try(rollout) or exclusion.covers(rollout):
            continue
        task = task_id(rollout)
        funnel.rollouts += 1
        funnel.questions.add(task)
        if not tally.add(rollout):
            continue
        funnel.passes("right", task)
        if reason := unusable(rollout):
            funnel.dropped[reason] += 1
            continue
        funnel.passes("whole", task)
        if config.require_evidence:
            if reason := _no_evidence(rollout, config.evidence_field):
                funnel.dropped[reason] += 1
                continue
            funnel.passes("evidence before the answer", task)
        if config.seq_len is not None:
            if rollout.length is None:
                raise ValueError(f"seq_len: {rollout.source} records no token counts to compare with; leave it out")
            if rollout.length > config.seq_len:
                funnel.dropped[f"longer than {config.seq_len:,} tokens"] += 1
                continue
            funnel.passes(f"at most {config.seq_len:,} tokens", task)
        candidates.append(_candidate(rollout, task))
    exclusion.check(tally.tasks)
    tally.check()
    return Selected(tally, funnel, exclusion, _choose(_distinct(candidates, exclusion, funnel), config, funnel))


def unusable(rollout: Rollout) -> str | None:
    """Why a right rollout is no training example; None for one that is."""
    messages = rollout.messages
    if not rollout.trainable:
        return "not trainable (an attempt that select-one did not keep, or another agent's)"
    if rollout.truncated:
        return "cut off by a limit"
    if not rollout.reply:
        return "no final reply"
    if sum(message["role"] == "assistant" for message in messages) > rollout.turns:
        return "assistant messages that the model did not write"
    if any(isinstance(m["content"], list) and any(p.get("type") != "text" for p in m["content"]) for m in messages):
        return "images"
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    if not all(call["type"] == "function" and _is_object(call["function"]["arguments"]) for call in calls):
        return "tool arguments that are no JSON object (prime-rl cannot read them)"
    return None


def report(selected: Selected, config: SftConfig) -> list[str]:
    """The funnel as the study prints it."""
    tally, funnel = selected.tally, selected.funnel
    questions = len(funnel.questions)
    score = f"{tally.reward} >= {tally.threshold:g}"
    lines = [
        f"{', '.join(tally.models)} on {', '.join(tally.tasksets)}: {funnel.rollouts:,} rollouts of "
        f"{questions:,} questions",
        *selected.exclusion.lines(),
        f"teacher ({score}): {tally.pass_line()}",
    ]
    width = max(map(len, funnel.stages), default=0)
    lines += [
        f"  {stage:<{width}}  {count:>7,} rollouts over {tasks:>6,} questions ({tasks / questions:.0%})"
        for stage, count, tasks in funnel.rows()
    ]
    lines += [f"  dropped: {count:,} {reason}" for reason, count in funnel.dropped.most_common()]
    return lines


def _no_evidence(rollout: Rollout, field_name: str) -> str | None:
    wanted = supporting(rollout.task, field_name)
    if wanted is None:
        return "evidence that the task data do not name"
    return None if seen_before_answer(rollout.messages, wanted) else "evidence not seen before the answer"


def _candidate(rollout: Rollout, task: TaskId) -> Candidate:
    # Ids of tool calls differ between rollouts that say the same.
    said = [(m["role"], m["content"], m.get("reasoning_content"), _said(m)) for m in rollout.messages]
    digest = hashlib.blake2b(json.dumps(said).encode(), digest_size=16).digest()
    question = question_digest(rollout.task)
    return Candidate(task, rollout.source, rollout.trace_id, rollout.completion_tokens, digest, question)


def _said(message: dict[str, Any]) -> list[tuple[str, str]]:
    return [(c["function"]["name"], c["function"]["arguments"]) for c in message.get("tool_calls") or []]


def _distinct(candidates: list[Candidate], exclusion: Exclusion, funnel: Funnel) -> Iterator[Candidate]:
    seen: set[tuple[TaskId, bytes]] = set()
    for candidate in candidates:
        if exclusion.asks_again(candidate.question):
            funnel.dropped["asks the question of a task that stays out"] += 1
        elif (candidate.task, candidate.digest) in seen:
            funnel.dropped["says word for word what another of the task says"] += 1
        else:
            seen.add((candidate.task, candidate.digest))
            yield candidate


def _choose(candidates: Iterator[Candidate], config: SftConfig, funnel: Funnel) -> list[Candidate]:
    by_task: dict[TaskId, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_task[candidate.task].append(candidate)
    chosen = []
    for task, own in by_task.items():
        if config.choose == "shortest":
            if any(candidate.tokens is None for candidate in own):
                raise ValueError("choose: the server counted no completion tokens, which `shortest` compares")
            own.sort(key=lambda candidate: candidate.tokens or 0)
        elif config.choose == "random":
            own.sort(
                key=lambda candidate: hashlib.sha256(f"{config.seed}:{task}:".encode() + candidate.digest).digest()
            )
        for candidate in own[: config.max_per_task]:
            funnel.passes(f"at most {config.max_per_task} per question", task)
            chosen.append(candidate)
    return chosen


def _copies(runs: Sequence[Path], chosen: Sequence[Candidate]) -> Iterator[Rollout]:
    """Second pass: the chosen rollouts in file order."""
    places = {(candidate.source, candidate.trace_id) for candidate in chosen}
    for rollout in read_rollouts(runs, problems=Problems(), sources={candidate.source for candidate in chosen}):
        if (rollout.source, rollout.trace_id) in places:
            yield rollout


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
