"""A scenario: everything that is true of one task before anybody writes its e-mail."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["sv", "en"]
Sender = Literal["staff", "customer"]
Split = Literal["train", "validation"]
QuestionType = Literal[
    "subscription_product",  # easy: a subscription's product and department
    "subscription_period",  # easy: its latest delivery period and status
    "supplier_details",  # easy: a supplier's other details, from one identifier or its name
    "orders_by_supplier_name",  # medium: order rows of a supplier known by name
    "orders_by_bank_identifier",  # hard: order rows of a supplier known by a bank identifier only
]


class ToolCall(BaseModel):
    """One step of the scripted path. The argument value `"$supplier_id"` stands for the `id` of the
    one supplier that the step before returned."""

    model_config = ConfigDict(extra="forbid")

    name: Literal["GetOrderBySubscription", "SearchSupplier", "LookupOrderRows"]
    arguments: dict[str, str]


class Scenario(BaseModel):
    """Facts, question and gold of one task, in one language."""

    model_config = ConfigDict(extra="forbid")

    index: int = Field(ge=0)
    """Position in the data set: 0-1799 train, 1800-1999 validation."""
    split: Split
    question_type: QuestionType
    language: Language
    sender: Sender
    sender_name: str
    """Who writes: a member of staff of `corporation`, or the subscriber."""
    corporation: str
    """Client organisation: the sender's employer, or (customer) the one that pays the subscription."""
    facts: dict[str, str]
    """What the mail must state, by column (`subscription_number`, `supplier_name`, `iban`, `bankgiro`,
    `postgiro`, `vat_number`, `product_name`, `subscriber_name`, `period_start`, `period_end`), as stored."""
    asked: list[str]
    """What the mail must ask for, by column, in the order of `gold_values`."""
    gold_sql: str
    """One self-contained SELECT that returns one row: the gold values, as text."""
    gold_values: list[str]
    path: list[ToolCall]
    """The calls of the real tools that reach the gold."""
    supplier_ids: list[str]
    corporation_ids: list[int]
    """Every supplier and organisation that the gold rows or a call of the path touch."""
