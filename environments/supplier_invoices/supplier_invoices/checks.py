"""Checks of one row without a model: gold against the database, the reward, and a scripted solver."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import verifiers.v1 as vf

from slm_rewards import gold_fraction, solved
from supplier_invoices import queries
from supplier_invoices.tools import InvoiceTools

if TYPE_CHECKING:
    from supplier_invoices.taskset import InvoiceData

_TOOLS = {
    "GetOrderBySubscription": InvoiceTools.get_order_by_subscription,
    "SearchSupplier": InvoiceTools.search_supplier,
    "LookupOrderRows": InvoiceTools.lookup_order_rows,
}


def solve(path: list[dict]) -> list[dict]:
    """The records that the last call of a scripted path returns, through the tools themselves.

    `"$supplier_id"` stands for the id of the one supplier that the call before returned. Raises ValueError
    with the tool's message where a call fails, or where a step returns several suppliers.
    """
    tools = InvoiceTools(vf.SharedToolsetConfig())
    records: list[dict] = []
    for call in path:
        arguments = dict(call["arguments"])
        if arguments.get("supplier_id") == "$supplier_id":
            if len(records) != 1:
                raise ValueError(f"{len(records)} suppliers instead of one before {call['name']}")
            arguments["supplier_id"] = records[0]["id"]
        result = _TOOLS[call["name"]](tools, **arguments)
        if not result.startswith("{"):
            raise ValueError(f"{call['name']}({arguments}): {result}")
        records = [json.loads(line) for line in result.splitlines() if line.startswith("{")]
    return records


def check_task(task: InvoiceData, rows: list[InvoiceData]) -> list[str]:
    """What is wrong with a row, as short sentences; empty if it is sound. `rows` is the whole data set."""
    problems = []
    gold = task.gold_values
    if queries.gold(queries.DATABASE, task.gold_sql) != gold:
        problems.append("gold_sql does not return gold_values")
    if gold_fraction(f"Svar: {', '.join(gold)}.", gold) != 1.0:
        problems.append("a reply that states the gold does not score 1")
    if gold_fraction(task.question, gold) > 0:
        problems.append("the e-mail already states a gold value")
    here = next(i for i, row in enumerate(rows) if row.id == task.id)
    other = next(row for row in rows[here + 1 :] + rows[:here] if not set(row.gold_values) & set(gold))
    if gold_fraction(", ".join(other.gold_values), gold) != 0.0:
        problems.append(f"the gold of {other.id} scores above 0")
    malformed = f'<tool_call>{{"name": "SearchSupplier", "arguments": {{"name": "{gold[0][:1]}'
    for reply in ("", malformed, f"<think>{' '.join(gold)}"):
        if solved(reply, gold) or gold_fraction(reply, gold):
            problems.append(f"the reply {reply[:30]!r} scores above 0")
    try:
        records = solve(task.path)
    except ValueError as e:
        problems.append(f"the scripted path fails: {e}")
    else:
        found = {str(value) for value in records[0].values()}
        if not set(gold) <= found:
            problems.append(f"the scripted path does not show {sorted(set(gold) - found)} first")
        if task.question_type not in ("subscription_product", "subscription_period") and len(records) != 1:
            problems.append(f"the scripted path ends with {len(records)} records instead of one")
    return problems
