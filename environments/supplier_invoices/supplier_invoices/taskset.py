"""supplier-invoices: answer e-mails about subscriptions and suppliers from a database behind three tools.

The reward reads the outcome only: the share of gold values that the final reply states. How the agent
routes its calls is its own affair; a wrong route does not reach the answer.
"""

import json
from functools import cache
from pathlib import Path
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field, field_validator

import slm_rewards
from supplier_invoices.checks import check_task
from supplier_invoices.tools import InvoiceTools

TASKS = Path(__file__).parent / "data" / "tasks.jsonl"

QuestionType = Literal[
    "subscription_product",
    "subscription_period",
    "supplier_details",
    "orders_by_supplier_name",
    "orders_by_bank_identifier",
]
"""What an e-mail asks for; the last two need two calls, the others one."""

SYSTEM = """\
You answer e-mails to the customer service of a subscription agency, from staff of client organisations and from \
subscribers. Look up every fact with the tools; never guess. LookupOrderRows needs a supplier's id, which \
SearchSupplier returns.
When you have found what the e-mail asks for, reply to the sender in the language of the e-mail. State the values \
exactly as the tools show them: names, numbers, dates as YYYY-MM-DD, status words untranslated. State what was asked \
for and nothing else from the database."""


class InvoiceData(vf.TaskData):
    id: str | None = None
    """Durable name of the row, `invoices-0000` to `invoices-1999`."""
    split: Literal["train", "validation"]
    question_type: QuestionType
    language: Literal["sv", "en"]
    sender: Literal["staff", "customer"]
    question: str
    """The e-mail."""
    gold_values: list[str]
    """What the reply must state: the one row that `gold_sql` returns."""
    gold_sql: str
    facts: dict[str, str]
    """What the e-mail states, by column."""
    path: list[dict]
    """Tool calls that reach the gold, for the check of the data."""

    @field_validator("gold_values")
    @classmethod
    def _usable_gold(cls, values: list[str]) -> list[str]:
        return slm_rewards.check_gold(values)


def final_reply(trace: vf.Trace) -> str:
    """The text of the last message if it is a reply; empty while the agent was still calling tools."""
    last = trace.assistant_messages[-1] if trace.assistant_messages else None
    return (last.content or "") if last is not None and not last.tool_calls else ""


def tool_texts(trace: vf.Trace) -> list[str]:
    """Every tool result of the rollout as text."""
    texts = []
    for message in trace.tool_messages:
        parts = message.content
        texts.append(parts if isinstance(parts, str) else "\n".join(p.text for p in parts if p.type == "text"))
    return texts


def values_of(result: str) -> list[str]:
    """The values of the records in one tool result, without lines that are no record."""
    records = [json.loads(line) for line in result.splitlines() if line.startswith("{") and line.endswith("}")]
    return [str(value) for record in records for value in record.values()]


class InvoiceTask(vf.Task[InvoiceData]):
    @property
    def key(self) -> str:
        return self.data.id or self.hash

    @vf.reward(weight=1.0)
    async def gold_fraction(self, trace: vf.Trace) -> float:
        """Share of the gold values that the final reply states."""
        return slm_rewards.gold_fraction(final_reply(trace), self.data.gold_values)

    @vf.reward(weight=0.0)
    async def solved(self, trace: vf.Trace) -> float:
        """1.0 if it states all of them; evaluations give it weight 1 for pass@k."""
        return slm_rewards.solved(final_reply(trace), self.data.gold_values)

    @vf.metric
    async def tool_calls(self, trace: vf.Trace) -> float:
        return float(sum(len(m.tool_calls or []) for m in trace.assistant_messages))

    @vf.metric
    async def tool_errors(self, trace: vf.Trace) -> float:
        """Tool results that are an error message: bad arguments, an unknown id or tool, nothing found."""
        return float(sum(text.lower().startswith("error") for text in tool_texts(trace)))

    @vf.metric
    async def extra_values(self, trace: vf.Trace) -> float:
        """Values of the tool results in the reply that are neither gold nor stated by the e-mail."""
        shown = [value for text in tool_texts(trace) for value in values_of(text)]
        stated = slm_rewards.found_values(self.data.question, shown)
        return float(slm_rewards.extra_values(final_reply(trace), shown, [*self.data.gold_values, *stated]))

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether gold, reward and tools agree on this row (`checks.check_task`); raises with the reason if not."""
        if problems := check_task(self.data, rows()):
            raise ValueError(f"{self.data.id}: " + "; ".join(problems))
        return True


class SupplierInvoicesConfig(vf.TasksetConfig):
    split: Literal["train", "validation", "all"] = "validation"
    """1,800 rows to train on, 200 to evaluate on; no supplier or organisation is in both."""
    language: Literal["sv", "en", "both"] = "both"
    """Language of the e-mails; half of each split is Swedish."""
    question_types: list[QuestionType] | None = Field(None, min_length=1)
    """Kinds of e-mail to keep, to train on those that still fail; all by default."""
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    """Where the tool server runs; `url` points at one that is running already."""


@cache
def rows() -> list[InvoiceData]:
    """All 2,000 rows in order. Raises ValueError naming the line of a row that cannot be a task."""
    loaded = []
    for number, line in enumerate(TASKS.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            loaded.append(InvoiceData(idx=number - 1, prompt=row["question"], system_prompt=SYSTEM, **row))
        except (ValueError, KeyError) as e:
            raise ValueError(f"{TASKS.name} line {number}: {e}") from e
    return loaded


class SupplierInvoicesTaskset(vf.Taskset[InvoiceTask, SupplierInvoicesConfig]):
    @classmethod
    def toolsets(cls, config: SupplierInvoicesConfig) -> list[vf.Toolset]:
        return [InvoiceTools(config.tools)]

    def load(self) -> list[InvoiceTask]:
        wanted_splits = ("train", "validation") if self.config.split == "all" else (self.config.split,)
        wanted_languages = ("sv", "en") if self.config.language == "both" else (self.config.language,)
        return [
            InvoiceTask(row, self.config.task)
            for row in rows()
            if row.split in wanted_splits
            and row.language in wanted_languages
            and (self.config.question_types is None or row.question_type in self.config.question_types)
        ]


class SupplierInvoicesEnvConfig(vf.SingleAgentEnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(
        harness={"id": "chat-loop"},
        runtime=vf.SubprocessConfig(),
        max_turns=8,
    )
    """Eight turns are four times what the hardest rows need."""


# The second base names the config class; vf-replay accepts subclasses of SingleAgentEnv only.
class SupplierInvoicesEnv(vf.SingleAgentEnv, vf.Env[SupplierInvoicesEnvConfig]):  # ty: ignore[invalid-generic-class]
    """The single agent with defaults that run anywhere: chat loop and tools in local processes."""
