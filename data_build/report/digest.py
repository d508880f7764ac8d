"""What the figures need of one rollout: a few hundred bytes, so that 20,000 long rollouts fit in memory."""

import re
import unicodedata
from dataclasses import dataclass
from math import isfinite

from data_build.report.buckets import bucket, is_retrieval
from data_build.rollouts.read import Rollout
from slm_rewards.answer import last_answer
from slm_rewards.math.canonical import clean
from slm_rewards.math.extract import extract_answer

_STEP = re.compile(r"[-_./]?(?:step|checkpoint|ckpt)[-_]?(\d+)$", re.IGNORECASE)
_MATH_ID = re.compile(r"(.+)-[0-9a-f]{10}")
_WORD = re.compile(r"\w+")
_HOP = re.compile(r"hop\d+")


@dataclass(slots=True)
class Digest:
    """One rollout without its text."""

    arm: str
    """The run's name without a trailing step: `grpo-step-100` and `grpo-step-200` are two checkpoints of `grpo`."""
    model: str
    taskset: str
    """Id, for math with the data set: `math-reasoning/gsm8k`."""
    task: str
    step: int | None
    infrastructure: bool
    failed: bool
    """Not scored, for reasons of the model's own."""
    truncated: bool
    scores: dict[str, float]
    """Rewards and metrics by name, those that are no finite number left out."""
    reward: float | None
    tokens: int | None
    """Completion tokens, thinking included, of all calls."""
    prompt_tokens: int | None
    turns: int
    tool_calls: int
    entropy: float | None
    """Nats, summed over the sampled tokens: entropies where recorded, else −log p (its unbiased estimate)."""
    entropy_tokens: int
    entropy_from: str | None
    """`entropies` or `logprobs`."""
    bucket: str | None
    """None for tasks that are no retrieval, and for infrastructure failures."""
    answer: str | None
    """Final answer in comparable spelling; None where there is none or the taskset has free text."""
    source: str


def digest(rollout: Rollout) -> Digest:
    """Raises ValueError naming file and line for a gold that no reply can match."""
    arm, step = arm_and_step(rollout.run, rollout.step)
    values = rollout.entropies or [-p for p in rollout.logprobs or []]
    retrieval = is_retrieval(rollout.task)
    try:
        kind = bucket(rollout.reply, rollout.task) if retrieval and not rollout.infrastructure else None
    except (TypeError, ValueError) as e:
        raise ValueError(f"{rollout.source}: task {rollout.task_key}: {e}") from None
    scores = hop_scores(rollout) | rollout.metrics | rollout.rewards
    return Digest(
        arm=arm,
        model=rollout.model,
        taskset=set_name(rollout),
        task=rollout.task_key,
        step=step,
        infrastructure=rollout.infrastructure,
        failed=not rollout.ok and not rollout.infrastructure,
        truncated=rollout.truncated,
        scores={name: float(value) for name, value in scores.items() if value is not None and isfinite(value)},
        reward=rollout.reward,
        tokens=rollout.completion_tokens,
        prompt_tokens=rollout.prompt_tokens,
        turns=rollout.turns,
        tool_calls=rollout.tool_calls,
        entropy=sum(values) if values else None,
        entropy_tokens=len(values),
        entropy_from="entropies" if rollout.entropies else "logprobs" if values else None,
        bucket=kind,
        answer=final_answer(rollout),
        source=rollout.source,
    )


def arm_and_step(run: str, step: int | None) -> tuple[str, int | None]:
    """A run's name and checkpoint; a step that the rollout itself carries wins over one in the name."""
    match = _STEP.search(run)
    if step is not None or not match or not match.start():
        return run, step
    return run[: match.start()], int(match[1])


def set_name(rollout: Rollout) -> str:
    """Taskset, and the data set where one taskset serves several."""
    taskset = rollout.taskset or "unknown"
    name = rollout.task.get("dataset")
    if not isinstance(name, str) and (match := _MATH_ID.fullmatch(str(rollout.task.get("id") or ""))):
        name = match[1]
    return f"{taskset}/{name}" if isinstance(name, str) else taskset


def final_answer(rollout: Rollout) -> str | None:
    """What the reply commits to, spelt so that equal answers are equal strings; None for free text.

    Retrieval: the words of the `<<...>>` block. Mathematics: the boxed or marked answer in one LaTeX spelling (`1/2`
    and `0.5` stay two answers). Anything else has no short answer to count.
    """
    if is_retrieval(rollout.task):
        answer = last_answer(rollout.reply)
        return (answer and " ".join(_WORD.findall(unicodedata.normalize("NFKC", answer).casefold()))) or None
    if isinstance(rollout.task.get("answer"), str):
        answer = extract_answer(rollout.reply)
        return clean(answer) if answer else None
    return None


def hop_scores(rollout: Rollout) -> dict[str, float]:
    """`hop1` … and `gold_recall` from the tool results, for a rollout whose taskset did not record them."""
    hops = rollout.task.get("hops")
    if not isinstance(hops, list) or any(_HOP.fullmatch(name) for name in rollout.metrics):
        return {}
    from musique_search.tools import shown

    texts = [message.get("content") for message in rollout.messages if message["role"] == "tool"]
    seen = {identity for text in texts if isinstance(text, str) for identity in shown(text)}
    named = {f"hop{i}": hop.get("passage_id") for i, hop in enumerate(hops, start=1)}
    wanted = {name: identity for name, identity in named.items() if identity}
    recall = {"gold_recall": len(seen & set(wanted.values())) / len(set(wanted.values()))} if wanted else {}
    return recall | {name: float(identity in seen) for name, identity in wanted.items()}
