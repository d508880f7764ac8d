"""The `--writer anthropic` half: a Claude model writes the mails.

Retries are the SDK's own: `anthropic` waits for `retry-after` (seconds, milliseconds or a date) when the server gives
one and otherwise backs off with jitter, on connection errors and on 408, 409, 429 and every 5xx, 529 included.
`RETRIES` only raises how often. What is still refused after that counts as a failed attempt at that mail.
"""

import hashlib
import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic

from data_build.invoices.mails.build import NotWritten
from data_build.invoices.mails.validate import SUBJECT, WORDS
from data_build.invoices.scenario import Scenario

RETRIES = 8
MAX_TOKENS = 8192
"""Far above any mail: a model that thinks first spends its thoughts from the same allowance."""

PRICES: dict[str, tuple[float, float]] = {
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-sonnet-4-5": (3.0, 15.0),
    "claude-sonnet-4-6": (3.0, 15.0),
    "claude-sonnet-5-5": (2.0, 10.0),
    "claude-opus-4-5": (5.0, 25.0),
    "claude-opus-4-6": (5.0, 25.0),
    "claude-opus-5": (5.0, 25.0),
    "claude-opus-5-5": (4.0, 20.0),
}
"""US dollars for a million input and a million output tokens, as the vendor's model pages gave them in November 2026.
A dated model name (`-20251001`) has the price of the name without its date."""

PERSONAS = (
    "a terse accountant who writes three lines and no small talk",
    "a chatty assistant who tells a little about the day before the question comes",
    "a polite elderly person who writes e-mails the way one writes letters",
    "a hurried manager between two meetings, on a phone, with short sentences",
    "a formal controller with numbered questions and complete sentences",
    "someone new at the job who apologises for not knowing how things are called",
    "someone who writes in lower case only, with dashes instead of full stops",
    "someone a little annoyed: this is the second time of asking, but they stay civil",
    "a careful administrator who lists what is known first and what is missing after it",
    "someone who forwards a colleague's or supplier's short message, quoted with > signs, and adds the question",
    "someone whose mother tongue is another, with correct but simple sentences",
    "a friendly, informal person who uses an exclamation mark or two",
)
COLUMNS = {
    "product_name": "the name of the product",
    "department_name": "the name of the department that it belongs to",
    "period_start": "the first day of the delivery period",
    "period_end": "the last day of the delivery period",
    "status": "the status",
    "subscription_number": "the subscription number",
    "subscriber_name": "the name of the subscriber",
    "supplier_name": "the name of the supplier",
    "iban": "the supplier's IBAN",
    "bankgiro": "the supplier's bankgiro",
    "postgiro": "the supplier's postgiro (plusgiro)",
    "vat_number": "the supplier's VAT number",
    "org_number": "the supplier's organisation number",
    "cost_center": "the cost centre of the department",
    "unit_price": "the unit price",
    "payment_terms_days": "the payment terms in days",
}
TOPICS = {
    "subscription_product": "one subscription",
    "subscription_period": "the newest delivery period of one subscription",
    "supplier_details": "one supplier, of whom only the one fact below is known to the writer",
    "orders_by_supplier_name": "an order from a supplier known by name",
    "orders_by_bank_identifier": "an order from a supplier whose name the writer does not know: "
    "there is only the bank or VAT identifier",
}
SYSTEM = """You write one realistic e-mail to a service that handles subscriptions, supplier records and invoices for \
organisations. Answer with the e-mail only: the first line is the subject line, then a blank line, then the body with \
a greeting, the message and a signature. Rules:
- State every given fact exactly, each at least once. An identifier may be written with or without spaces and dashes; \
a date may be written as YYYY-MM-DD or with the month's name, day and year always included.
- Ask for everything listed, in words of your own, so that it is clear that the writer does not know it.
- Invent no other numbers, dates, prices, identifiers, names of products, suppliers or departments. Name no status of \
a subscription (active, paused and the like) and no month other than in the given dates.
- Write in the given language throughout. No placeholders, no brackets, no markdown, no comment about the e-mail."""


def prompt(scenario: Scenario, rng: random.Random, earlier: Sequence[str]) -> str:
    """The user message: who writes, in what manner, the facts and what is asked; never a gold value."""
    language = {"sv": "Swedish", "en": "English"}[scenario.language]
    role = (
        f"works at {scenario.corporation}"
        if scenario.sender == "staff"
        else f"is the subscriber, a private person; {scenario.corporation} pays for the subscription"
    )
    facts = "\n".join(f"- {column}: {value}" for column, value in scenario.facts.items())
    asked = "\n".join(f"- {COLUMNS.get(column, column.replace('_', ' '))}" for column in scenario.asked)
    text = (
        f"Language: {language}\nSubject line begins with: {SUBJECT[scenario.language]}:\n"
        f"Length: {WORDS[0] + 10} to {rng.choice((60, 90, 130, 180))} words\n"
        f"Writer: {scenario.sender_name}, who {role}\nManner: {rng.choice(PERSONAS)}\n"
        f"About: {TOPICS[scenario.question_type]}\n\nFacts to state:\n{facts}\n\nTo ask for:\n{asked}"
    )
    # The problems of the attempt before name what leaked, so only their kind may go back to the model.
    kinds = sorted({problem.split(":")[0] for problem in earlier})
    return text + ("\n\nAn earlier e-mail was refused because it: " + "; ".join(kinds) if kinds else "")


@dataclass
class Usage:
    """Tokens paid for, and how often. Replies read from the cache are not counted as calls or tokens."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def cost(self, model: str) -> float | None:
        """US dollars, or None for a model without a known price."""
        name = model if model in PRICES else model.rsplit("-", 1)[0]
        if name not in PRICES:
            return None
        into, out = PRICES[name]
        return (self.input_tokens * into + self.output_tokens * out) / 1e6

    def line(self, model: str) -> str:
        """One line to print after a run."""
        cost = self.cost(model)
        price = "price unknown" if cost is None else f"${cost:.2f}"
        return (
            f"{model}: {self.calls} calls, {self.cached} replies from the cache, "
            f"{self.input_tokens} input and {self.output_tokens} output tokens, {price}"
        )


class AnthropicWriter:
    """A `Writer` over the Messages API with a cache on disk.

    Each reply is stored as one file in `cache`, by the hash of model, prompts, scenario and attempt, as soon as it
    arrives and before it is judged: a killed run asks again only for what it has not paid for. How many calls run at
    the same time is `write_all`'s `concurrency`.

    Args:
        model: the model's API name.
        cache: folder of the replies; made if missing.
        client: an `AsyncAnthropic`; left out, one is made that takes its key from the environment.
    """

    def __init__(self, model: str, cache: Path, client: anthropic.AsyncAnthropic | None = None) -> None:
        self.model = model
        self.cache = cache
        self.client = client
        self._own = client is None
        self.usage = Usage()
        cache.mkdir(parents=True, exist_ok=True)

    async def write(self, scenario: Scenario, rng: random.Random, attempt: int, earlier: Sequence[str]) -> str:
        """The model's mail. Raises `NotWritten` for a refusal, a cut-off or empty reply, or an API that stays
        unavailable; any other API error (a bad key, an unknown model) is raised as it is."""
        user = prompt(scenario, rng, earlier)
        key = json.dumps([self.model, SYSTEM, user, scenario.model_dump(), attempt], sort_keys=True)
        path = self.cache / f"{scenario.index:05d}-{attempt}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        if path.exists():
            reply = json.loads(path.read_text(encoding="utf-8"))
            self.usage.cached += 1
        else:
            reply = await self._ask(user)
            self._store(path, reply)
        if reply["stop_reason"] != "end_turn":
            raise NotWritten(f"stopped for {reply['stop_reason']}")
        if not reply["text"].strip():
            raise NotWritten("empty reply")
        return reply["text"].strip() + "\n"

    async def close(self) -> None:
        """Closes the client that the writer made for itself."""
        if self._own and self.client is not None:
            await self.client.close()
            self.client = None

    async def _ask(self, user: str) -> dict[str, Any]:
        if self.client is None:
            self.client = anthropic.AsyncAnthropic()
        try:
            message = await self.client.with_options(max_retries=RETRIES).messages.create(
                model=self.model,
                max_tokens=MAX_TOKENS,
                system=SYSTEM,
                messages=[{"role": "user", "content": user}],
            )
        except (anthropic.RateLimitError, anthropic.InternalServerError, anthropic.APIConnectionError) as error:
            raise NotWritten(f"the API stayed unavailable: {error}") from error
        self.usage.calls += 1
        self.usage.input_tokens += message.usage.input_tokens
        self.usage.output_tokens += message.usage.output_tokens
        return {
            "text": "".join(block.text for block in message.content if block.type == "text"),
            "stop_reason": message.stop_reason,
            "input_tokens": message.usage.input_tokens,
            "output_tokens": message.usage.output_tokens,
        }

    @staticmethod
    def _store(path: Path, reply: dict[str, Any]) -> None:
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(reply, ensure_ascii=False), encoding="utf-8")
        part.replace(path)
