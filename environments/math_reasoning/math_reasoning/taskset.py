"""math-reasoning: a problem in, a reply with one final answer out; a symbolic verdict on that answer.

The reward reads the answer in the one form that the prompt asks for. Everything about form, length and language is
recorded beside it with weight 0, so that a recipe can give it a weight.
"""

import random
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field

from math_reasoning import procedural
from math_reasoning.checks import check_task
from math_reasoning.contamination import refuse_overlaps
from math_reasoning.known_bad import KNOWN_BAD
from math_reasoning.pools import in_pool, with_usable_gold, without_known_bad
from math_reasoning.prompts import PROMPTS, STYLES, Prompt
from math_reasoning.rollout import completion_tokens, reply_text, verdict
from math_reasoning.rows import Row
from math_reasoning.sources import load_rows
from slm_rewards import math
from slm_rewards.math.extract import Style

Dataset = Literal[
    "gsm_symbolic", "gsm8k", "math", "math500", "aime24", "amc23", "minerva", "olympiadbench", "open_rs", "deepscaler"
]


class MathData(vf.TaskData):
    id: str | None = None
    """`<data set>-<fingerprint of the question>`, or `gsm_symbolic-<split>-<seed>-<index>`."""
    dataset: str
    question: str
    answer: str
    """The gold alone; self-distillation gives it to the teacher as a hint."""
    solution: str | None
    level: int | None
    source: str
    """Repository and revision, file, or template."""
    prompt_style: Prompt
    known_bad: str | None = None
    """What is wrong with the gold, for rows that a config loads in spite of it."""


class MathTaskConfig(vf.TaskConfig):
    extraction: Literal["prompt", "any"] = "prompt"
    """Where the answer is read from: the form that the prompt asks for, or a box or a `####` line (base models)."""
    prefilled: bool = False
    """The chat template opens the think block, so that replies begin inside it."""
    format_variant: Literal["tags", "open_rs"] = "tags"
    """Rule of `format`: one think block and a box after it, or the narrower one of the Open-RS code."""
    max_length: int = Field(3584, gt=0)
    """Length at which `cosine` and `length_penalty` reach their end; set it to the token limit of the run."""
    length_unit: Literal["tokens", "characters"] = "tokens"
    cosine_preset: Literal["paper", "code"] = "paper"
    """Direction of `cosine` for wrong answers: a longer one loses less (`paper`) or more (`code`)."""
    cosine_clamp: bool = True
    """Beyond `max_length` the cosine stays where it is; off, it turns back as in the Open-RS code."""
    lam: float = Field(0.2, ge=0, lt=1)
    """Strength of `length_penalty`; the GSM8K study ran 0.2 and 0.5."""


class MathTask(vf.Task[MathData, vf.State, MathTaskConfig]):
    config: MathTaskConfig
    other_golds: tuple[str, ...] = ()
    """Golds of other rows, for `validate`."""

    @property
    def key(self) -> str:
        return self.data.id or self.hash

    @property
    def style(self) -> Style:
        return "any" if self.config.extraction == "any" else STYLES[self.data.prompt_style]

    def reply(self, trace: vf.Trace) -> str:
        return reply_text(trace, self.config.prefilled)

    def length(self, trace: vf.Trace) -> int:
        """In the unit of the config; a rollout whose tokens nobody counted has the full length."""
        tokens = completion_tokens(trace)
        if self.config.length_unit == "tokens" and tokens is None:
            return self.config.max_length
        return math.measure(self.reply(trace), tokens, self.config.length_unit)

    async def correct(self, trace: vf.Trace) -> bool:
        return await verdict(self.reply(trace), self.data.answer, self.style, trace.id) == 1.0

    @vf.reward(weight=1.0)
    async def accuracy(self, trace: vf.Trace) -> float:
        """1.0 if the answer of the final reply states the gold."""
        return float(await self.correct(trace))

    @vf.reward(weight=0.0)
    async def format(self, trace: vf.Trace) -> float:
        """1.0 for a reply of the form that the think prompts ask for."""
        return math.format_reward(self.reply(trace), self.config.format_variant)

    @vf.reward(weight=0.0)
    async def cosine(self, trace: vf.Trace) -> float:
        """Accuracy scaled by length on a cosine (Open-RS); in a recipe it stands in for `accuracy`."""
        config = self.config
        correct, length = await self.correct(trace), self.length(trace)
        return math.cosine(correct, length, config.max_length, config.cosine_preset, config.cosine_clamp)

    @vf.reward(weight=0.0)
    async def length_penalty(self, trace: vf.Trace) -> float:
        """1 - lam * length for a right answer, 0 for a wrong one (GSM8K study); stands in for `accuracy`."""
        config = self.config
        return math.length_penalty(await self.correct(trace), self.length(trace), config.max_length, config.lam)

    @vf.reward(weight=0.0)
    async def english(self, trace: vf.Trace) -> float:
        """Share of the letters outside formulas that are Latin; 0 for an empty reply."""
        reply = self.reply(trace)
        return math.english(reply) if reply else 0.0

    @vf.metric
    async def repetition(self, trace: vf.Trace) -> float:
        """Share of the 8-grams that stood in the reply before."""
        return math.repetition(self.reply(trace))

    @vf.metric
    async def tokens(self, trace: vf.Trace) -> dict[str, float]:
        """`completion_tokens`, where the server counts them."""
        count = completion_tokens(trace)
        return {} if count is None else {"completion_tokens": float(count)}

    @vf.metric
    async def truncated(self, trace: vf.Trace) -> float:
        """1.0 if a limit ended the rollout."""
        return float(trace.is_truncated)

    @vf.metric
    async def answered(self, trace: vf.Trace) -> float:
        """1.0 if the reply holds an answer, right or wrong."""
        return float(math.extract_answer(self.reply(trace), self.style) is not None)

    @vf.metric
    async def known_bad(self, trace: vf.Trace) -> float:
        """1.0 for a row whose gold is known to be bad (loaded only with `exclude_known_bad = false`)."""
        return float(self.data.known_bad is not None)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether gold and reward agree on this row (`checks.check_task`); raises with the reason if not."""
        if problems := await check_task(self.data.answer, self.other_golds, self.style):
            raise ValueError(f"{self.data.id}: " + "; ".join(problems))
        return True


class MathReasoningConfig(vf.TasksetConfig):
    task: MathTaskConfig = MathTaskConfig()  # ty: ignore[incompatible-mutable-override]
    dataset: Dataset = "gsm_symbolic"
    """`gsm_symbolic` makes fresh problems and needs no download; the others are fetched from the hub."""
    split: Literal["train", "test"] | None = None
    """Of gsm8k and math (default: test) and of gsm_symbolic (default: both)."""
    levels: list[int] | None = None
    """Keep only these MATH levels, 1 (easiest) to 5."""
    path: str | None = None
    """A JSON lines file, plain or .gz, instead of the hub; `dataset` then only names the rows."""
    pool: str | None = None
    """A file of ids, one JSON array or one a line: only these rows."""
    exclude_known_bad: bool = True
    """Leave out the rows that `known_bad.py` lists."""
    strict_golds: bool = False
    """A gold that cannot be judged fails the load; otherwise its row is left out with a warning."""
    benchmarks: list[str] = Field(default_factory=list)
    """Data sets or files whose problems must not be among the rows; a row that is fails the load."""
    prompt: Prompt = "boxed"
    """`gsm8k` (`#### n`), `boxed`, `think` (tags and a box), `think_english` (the same, in English only)."""
    n: int = Field(1000, gt=0)
    """Rows of gsm_symbolic."""
    seed: int = 0
    """Of gsm_symbolic."""
    shuffle: int | None = None
    """Seed of a random order of the rows; none keeps the order of their source. Trainers walk tasks in this order."""


def config_rows(config: MathReasoningConfig) -> list[Row]:
    """The rows of a config in its order. Raises ValueError naming the field that does not fit."""
    if config.dataset == "gsm_symbolic" and config.path is None:
        if config.levels is not None:
            raise ValueError("levels: gsm_symbolic has none; leave levels out")
        rows = procedural.generate(config.n, config.seed, config.split).rows
    else:
        rows = load_rows(config.dataset, config.split, config.levels, config.path)
    if config.pool is not None:
        rows = in_pool(rows, config.pool)
    if config.exclude_known_bad:
        rows = without_known_bad(rows)
    refuse_overlaps(rows, config.benchmarks)
    rows = with_usable_gold(rows, config.strict_golds)
    if config.shuffle is not None:
        random.Random(config.shuffle).shuffle(rows)
    return rows


class MathReasoningTaskset(vf.Taskset[MathTask, MathReasoningConfig]):  # ty: ignore[invalid-type-arguments]
    def load(self) -> list[MathTask]:
        config = self.config
        rows = config_rows(config)
        golds = list(dict.fromkeys(row.answer for row in rows))
        place = {gold: i for i, gold in enumerate(golds)}
        tasks = []
        for number, row in enumerate(rows):
            data = MathData(
                idx=number,
                prompt=row.question,
                system_prompt=PROMPTS[config.prompt],
                dataset=config.dataset,
                prompt_style=config.prompt,
                known_bad=KNOWN_BAD.get(row.id),
                **row.model_dump(),
            )
            task = MathTask(data, config.task)
            after = place[row.answer] + 1
            task.other_golds = tuple((golds[after : after + 3] + golds[:3])[: min(3, len(golds) - 1)])
            tasks.append(task)
        return tasks


class MathReasoningEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(
        harness={"id": "chat-loop"},
        runtime=vf.SubprocessConfig(),
        max_turns=1,
    )


# The second base names the config class; vf-replay accepts subclasses of SingleAgentEnv only.
class MathReasoningEnv(vf.SingleAgentEnv, vf.Env[MathReasoningEnvConfig]):  # ty: ignore[invalid-generic-class]
    """The single agent with defaults that run anywhere: one turn of the chat loop in this process."""
