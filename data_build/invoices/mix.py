"""The mix of the tasks: question types, languages, senders, and what mails state and ask.

The validation split is written out slot by slot; training has each slot nine times, so that every cell of
the mix is the same in both splits.
"""

from dataclasses import dataclass

from data_build.invoices.lookup import IDENTIFIERS
from data_build.invoices.names import LANGUAGES
from data_build.invoices.scenario import Language, QuestionType, Sender

TRAIN, VALIDATION = 1800, 200
_PERIOD = ("period_start", "period_end")
_PRODUCT, _SUBSCRIBER = ("product_name",), ("subscriber_name",)
# How an order row is singled out, rarest first: slots are filled in this order, while there is most to choose from.
FILTERS: list[tuple[str, ...]] = [
    _PRODUCT,
    _SUBSCRIBER,
    _PRODUCT + _SUBSCRIBER,
    _PERIOD,
    _SUBSCRIBER + _PERIOD,
    _PRODUCT + _PERIOD,
]
ASKED_OF_SUBSCRIPTIONS: dict[QuestionType, tuple[str, ...]] = {
    "subscription_product": ("product_name", "department_name"),
    "subscription_period": ("period_start", "period_end", "status"),
}
# What a mail asks of an order row. Each has a value that cannot be guessed: a status is one of five, and
# departments repeat over organisations, so neither stands alone.
ASKED_OF_ORDERS: list[tuple[str, ...]] = [
    ("subscription_number",),
    ("unit_price",),
    ("product_name",),
    ("subscriber_name",),
    ("subscription_number", "status"),
    ("unit_price", "status"),
    ("product_name", "department_name"),
    ("subscriber_name", "department_name"),
    ("subscription_number", "unit_price"),
    ("period_start", "period_end"),
    ("product_name", "unit_price"),
    ("subscription_number", "department_name"),
    ("subscription_number", "unit_price", "status"),
    ("product_name", "department_name", "unit_price"),
    ("subscriber_name", "department_name", "subscription_number"),
    ("subscription_number", "product_name", "status"),
    ("period_start", "period_end", "status"),
    ("subscription_number", "department_name", "unit_price"),
]


@dataclass(frozen=True)
class Slot:
    """One cell of the mix, waiting for an order row, a subscription or a supplier."""

    question_type: QuestionType
    language: Language
    sender: Sender
    given: str = "subscription_number"
    """How the mail names the subscription or the supplier: a key of `Scenario.facts`."""
    filters: tuple[str, ...] = ()
    """Further facts that single out one order row."""
    asked_count: int = 0
    """Number of values to ask for; 0 where the question type fixes them."""


def validation_slots() -> list[Slot]:
    """The 200 slots of the validation split: each language has half of every question type and sender."""
    slots: list[Slot] = []
    named: list[tuple[str, ...]] = (
        [_PRODUCT, _SUBSCRIBER, *[_PRODUCT + _SUBSCRIBER] * 2]
        + [_PERIOD] * 2
        + [_SUBSCRIBER + _PERIOD] * 7
        + [_PRODUCT + _PERIOD] * 8
    )
    customer = [_PRODUCT + _SUBSCRIBER, *[_SUBSCRIBER + _PERIOD] * 2]
    identified: list[tuple[str, ...]] = (
        [_PRODUCT, _SUBSCRIBER] + [_PERIOD] * 2 + [_SUBSCRIBER + _PERIOD] * 7 + [_PRODUCT + _PERIOD] * 7
    )
    for language in LANGUAGES:
        for question_type in ("subscription_product", "subscription_period"):
            slots += [Slot(question_type, language, "staff")] * 14
            slots += [Slot(question_type, language, "customer")] * 6
        givens = ["supplier_name", *IDENTIFIERS, "supplier_name"]
        slots += [Slot("supplier_details", language, "staff", givens[i % 6], (), i // 6 + 1) for i in range(18)]
        slots += [
            Slot("orders_by_supplier_name", language, "staff", "supplier_name", filters, i % 3 + 1)
            for i, filters in enumerate(named)
        ]
        slots += [
            Slot("orders_by_supplier_name", language, "customer", "supplier_name", filters, i + 1)
            for i, filters in enumerate(customer)
        ]
        # One step further for the second language, which evens out the four identifiers.
        shift = LANGUAGES.index(language) * 2
        slots += [
            Slot("orders_by_bank_identifier", language, "staff", IDENTIFIERS[(i + shift) % 4], filters, i % 3 + 1)
            for i, filters in enumerate(identified)
        ]
    return slots
