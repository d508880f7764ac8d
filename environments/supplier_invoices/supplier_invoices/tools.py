"""The three tools the agent has. Whatever is wrong with a call becomes a message that says what to do."""

# No `from __future__ import annotations` here: the server reads the annotations of these methods.
import json
import re
from datetime import date
from pathlib import Path
from typing import Annotated

import verifiers.v1 as vf
from pydantic import BeforeValidator, Field, WithJsonSchema

from supplier_invoices import queries

MAX_ROWS = 20
"""Rows that one call shows; the rest is counted in a last line."""

_NOT_GIVEN = {"", "null", "none"}


def _as_text(value: object) -> str | None:
    """What a model sends for a text argument: text, a number, null. An integral float is its integer."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return None if text.strip().lower() in _NOT_GIVEN else text.strip()


# The model sees a plain string argument without `null`; a number it sends instead is taken as text.
Text = Annotated[str | None, BeforeValidator(_as_text), WithJsonSchema({"type": "string"})]


def _show(rows: list[dict], narrow: str) -> str:
    """Rows as JSON objects, one a line; `narrow` says how to see what was cut."""
    lines = [json.dumps(row, ensure_ascii=False) for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        lines.append(f"({len(rows) - MAX_ROWS} more rows not shown; {narrow})")
    return "\n".join(lines)


def _check_period(period_start: str | None, period_end: str | None) -> str | None:
    """What is wrong with the dates of a call, None if nothing is."""
    for name, value in (("period_start", period_start), ("period_end", period_end)):
        try:
            if value is not None and date.fromisoformat(value).isoformat() != value:
                raise ValueError
        except ValueError:
            return f"error: {name} {value!r} is not a date; write YYYY-MM-DD, for example 2024-03-01"
    if period_start and period_end and period_start > period_end:
        return f"error: period_start {period_start} is after period_end {period_end}; swap them"
    return None


class InvoiceTools(vf.Toolset[vf.SharedToolsetConfig]):
    """Lookups in the supplier-invoice database. One server serves every rollout of a worker."""

    TOOL_PREFIX = None
    database: Path = queries.DATABASE

    async def setup(self) -> None:
        queries.connect(self.database)

    @vf.tool(name="GetOrderBySubscription")
    def get_order_by_subscription(
        self, sub_no: Annotated[Text, Field(description="Subscription number, five digits, for example 67484.")]
    ) -> str:
        """Order rows of one subscription, newest delivery period first."""
        number = re.sub(r"\D", "", sub_no or "")
        if not number:
            return "error: sub_no is missing; give the five-digit subscription number from the e-mail"
        rows = queries.order_rows_by_subscription(self.database, number)
        if not rows:
            return (
                f"error: no subscription has number {sub_no}; check the number in the e-mail, or find the supplier "
                "with SearchSupplier and its order rows with LookupOrderRows"
            )
        return _show(rows, "the newest are shown")

    @vf.tool(name="SearchSupplier")
    def search_supplier(
        self,
        name: Annotated[Text, Field(description="Supplier name or part of it.")] = None,
        iban: Annotated[Text, Field(description="IBAN, with or without spaces.")] = None,
        bankgiro: Annotated[Text, Field(description="Bankgiro number, with or without dash.")] = None,
        postgiro: Annotated[Text, Field(description="Postgiro (plusgiro) number, with or without dash.")] = None,
        vat_number: Annotated[Text, Field(description="VAT number, for example SE559900123601.")] = None,
    ) -> str:
        """Supplier records with id and bank details. Give at least one argument; all given must match."""
        arguments = {"name": name, "iban": iban, "bankgiro": bankgiro, "postgiro": postgiro, "vat_number": vat_number}
        given = {key: value for key, value in arguments.items() if value is not None}
        if not given:
            return "error: no argument given; give name, iban, bankgiro, postgiro or vat_number"
        for key, value in given.items():
            if not queries.bare(value):
                return f"error: {key} {value!r} has no letter or digit; give the {key} as the e-mail states it"
        rows = queries.suppliers(self.database, **given)
        if not rows:
            stated = ", ".join(f"{key} {value}" for key, value in given.items())
            return f"error: no supplier matches {stated}; check the spelling, or give fewer arguments"
        return _show(rows, "give more of the name, or a number")

    @vf.tool(name="LookupOrderRows")
    def lookup_order_rows(
        self,
        supplier_id: Annotated[Text, Field(description="The supplier's id (UUID) from SearchSupplier.")],
        period_start: Annotated[Text, Field(description="Rows that end on or after this day, YYYY-MM-DD.")] = None,
        period_end: Annotated[Text, Field(description="Rows that begin on or before this day, YYYY-MM-DD.")] = None,
        product_name: Annotated[Text, Field(description="Product name or part of it.")] = None,
        subscriber_name: Annotated[Text, Field(description="Subscriber name or part of it.")] = None,
    ) -> str:
        """Order rows of one supplier, newest delivery period first; the optional filters narrow them."""
        supplier = (supplier_id or "").lower()
        if not supplier:
            return "error: supplier_id is missing; find the supplier with SearchSupplier first and give its id"
        if not queries.supplier_exists(self.database, supplier):
            return f"error: no supplier has id {supplier_id}; ids come from SearchSupplier"
        if problem := _check_period(period_start, period_end):
            return problem
        filters = {
            "period_start": period_start,
            "period_end": period_end,
            "product_name": product_name,
            "subscriber_name": subscriber_name,
        }
        rows = queries.order_rows_by_supplier(self.database, supplier, **filters)
        if not rows:
            stated = ", ".join(f"{key} {value}" for key, value in filters.items() if value is not None)
            return f"no order row of this supplier matches{f' {stated}; try fewer filters' if stated else ''}"
        return _show(rows, "filter by period, product_name or subscriber_name")


if __name__ == "__main__":
    InvoiceTools.run()
