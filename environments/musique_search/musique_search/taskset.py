"""musique-search: multi-hop questions answered by searching one pooled corpus.

All paragraphs of all questions stand in one BM25 index, so retrieval is the task: a later hop's passage is found
only by a query that holds what an earlier passage revealed. The reward reads the outcome only: the answer in the
`<<...>>` block of the final reply, right or wrong. What was retrieved is recorded and never rewarded.
"""

import random
from functools import cache
from typing import Literal

import verifiers.v1 as vf
from pydantic import BaseModel, ConfigDict, Field, model_validator

import slm_rewards
from musique_search.checks import check_task
from musique_search.corpus import Corpus, Question
from musique_search.prompts import PROMPTS
from musique_search.tools import SearchConfig, SearchTools, located, open_named, passage_id, shown


class HopData(BaseModel):
    """One step of the question, in the order in which the steps can be taken."""

    model_config = ConfigDict(frozen=True)

    question: str
    """Names earlier answers as `#1`, `#2`."""
    answer: str
    passage: int | None
    """Number of the supporting passage in the corpus; None where the source does not say which it is."""
    passage_id: str | None
    """Its `tools.passage_id`, to find it in tool results without the corpus."""


class MusiqueData(vf.TaskData):
    id: str | None = None
    """MuSiQue's id, `2hop__460946_294723`; its prefix tells the shape of the question."""
    corpus: str
    """Corpus as configured."""
    split: Literal["train", "validation"]
    question: str
    answer: str
    aliases: list[str]
    hops: list[HopData]
    supporting: list[int]
    """Numbers of the supporting passages in hop order, each once."""

    @property
    def golds(self) -> list[str]:
        """All accepted answers."""
        return [self.answer, *self.aliases]

    @model_validator(mode="after")
    def _usable_gold(self) -> "MusiqueData":
        slm_rewards.check_golds(self.golds)
        return self


def final_reply(trace: vf.Trace) -> str:
    """The text of the last message if it is a reply; empty while the agent was still calling tools."""
    last = trace.assistant_messages[-1] if trace.assistant_messages else None
    return (last.content or "") if last is not None and not last.tool_calls else ""


def shown_passages(trace: vf.Trace) -> set[str]:
    """Ids of the passages in all tool results of the rollout."""
    texts = []
    for message in trace.tool_messages:
        parts = message.content
        texts.append(parts if isinstance(parts, str) else "\n".join(p.text for p in parts if p.type == "text"))
    return {identity for text in texts for identity in shown(text)}


class MusiqueTask(vf.Task[MusiqueData]):
    @property
    def key(self) -> str:
        return self.data.id or self.hash

    @vf.reward(weight=1.0)
    async def exact_match(self, trace: vf.Trace) -> float:
        """1.0 if the final reply's `<<...>>` block holds the answer or an alias."""
        return slm_rewards.exact_match(final_reply(trace), self.data.golds)

    @vf.reward(weight=0.0)
    async def partial_credit(self, trace: vf.Trace) -> float:
        """Share of the right words in a wrong answer; recipes give it weight 0.3."""
        return slm_rewards.partial_credit(final_reply(trace), self.data.golds)

    @vf.metric
    async def search_calls(self, trace: vf.Trace) -> float:
        """Calls of the search tool that the model made, one after a turn cap included."""
        calls = [call for message in trace.assistant_messages for call in message.tool_calls or []]
        return float(sum(call.name == "search" for call in calls))

    @vf.metric
    async def answered(self, trace: vf.Trace) -> float:
        """1.0 if the final reply holds an answer, right or wrong."""
        return float(slm_rewards.last_answer(final_reply(trace)) is not None)

    @vf.metric
    async def unigram_f1(self, trace: vf.Trace) -> float:
        """F1 of the answer's words; at least 0.5 without exact match is a near miss."""
        return slm_rewards.unigram_f1(final_reply(trace), self.data.golds)

    @vf.metric
    async def truncated(self, trace: vf.Trace) -> float:
        """1.0 if a limit ended the rollout: the turn cap, a token limit, the length of a reply."""
        return float(trace.is_truncated)

    @vf.metric
    async def retrieval(self, trace: vf.Trace) -> dict[str, float]:
        """`gold_recall`: share of the supporting passages in the tool results; `hop1` … `hop4`: was that hop's shown.

        A hop that the question lacks, or whose passage the source does not name, is not recorded.
        """
        seen = shown_passages(trace)
        hops = {f"hop{i}": hop.passage_id for i, hop in enumerate(self.data.hops, start=1) if hop.passage_id}
        wanted = set(hops.values())
        recall = {"gold_recall": len(wanted & seen) / len(wanted)} if wanted else {}
        return recall | {name: float(identity in seen) for name, identity in hops.items()}

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether gold, reward and corpus agree on this row (`checks.check_task`); raises with the reason if not."""
        if problems := check_task(self.data, shared_corpus(self.data.corpus)):
            raise ValueError(f"{self.data.id}: " + "; ".join(problems))
        return True


class MusiqueSearchConfig(vf.TasksetConfig):
    corpus: str = "invented"
    """`"invented"` (in the package, nothing to download), `"validation"` or `"train"` of MuSiQue, or a folder that
    `data-build musique` made."""
    split: Literal["train", "validation", "all"] = "validation"
    """A tenth of the corpus' questions is held out as `validation`; both parts search the same passages."""
    prompt: Literal["base", "detailed"] = "base"
    """`"detailed"` adds a turn budget, search advice, answer style and two worked examples."""
    turn_budget: int = Field(8, ge=2)
    """Turns that the detailed prompt announces; set it to `env.agent.max_turns`."""
    top_k: int = Field(5, ge=1)
    """Hits that one search shows."""
    seed: int = 0
    """Order of the tasks."""
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    """Where the tool server runs; `url` points at one that is running already."""


@cache
def shared_corpus(corpus: str) -> Corpus:
    """The opened corpus of a config, once a process. Raises ValueError, saying what to do, where it cannot be."""
    return open_named(corpus)


def task_data(question: Question, corpus: Corpus, name: str, system_prompt: str) -> MusiqueData:
    """A question of `corpus`, configured as `name`, as task data. Raises ValueError for an unusable gold."""
    hops = []
    for hop in question.hops:
        identity = None if hop.passage is None else passage_id(*corpus.passages[hop.passage])
        hops.append(HopData(**hop.model_dump(), passage_id=identity))
    fields = question.model_dump(exclude={"hops"})
    return MusiqueData(**fields, hops=hops, corpus=name, prompt=question.question, system_prompt=system_prompt)


class MusiqueSearchTaskset(vf.Taskset[MusiqueTask, MusiqueSearchConfig]):
    @classmethod
    def toolsets(cls, config: MusiqueSearchConfig) -> list[vf.Toolset]:
        own = {"corpus": located(config.corpus), "top_k": config.top_k}
        return [SearchTools(SearchConfig.model_validate(config.tools.model_dump() | own))]

    def load(self) -> list[MusiqueTask]:
        """The tasks in the order of `seed`. Raises ValueError naming the row of an unusable gold."""
        config = self.config
        corpus = shared_corpus(config.corpus)
        system_prompt = PROMPTS[config.prompt].format(turns=config.turn_budget)
        questions = [q for q in corpus.questions if config.split in ("all", q.split)]
        random.Random(config.seed).shuffle(questions)
        tasks = []
        for number, question in enumerate(questions):
            try:
                data = task_data(question, corpus, config.corpus, system_prompt)
            except ValueError as e:
                raise ValueError(f"corpus {config.corpus}, question {question.id}: {e}") from e
            tasks.append(MusiqueTask(data.model_copy(update={"idx": number}), config.task))
        return tasks


class MusiqueSearchEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(
        harness={"id": "chat-loop"},
        runtime=vf.SubprocessConfig(),
        max_turns=8,
    )
    """Eight turns are twice the hops of the longest questions; evaluations may give 16."""


# The second base names the config class; vf-replay accepts subclasses of SingleAgentEnv only.
class MusiqueSearchEnv(vf.SingleAgentEnv, vf.Env[MusiqueSearchEnvConfig]):  # ty: ignore[invalid-generic-class]
    """The single agent with defaults that run anywhere: chat loop and tool in local processes."""
