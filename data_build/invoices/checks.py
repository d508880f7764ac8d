"""Checks of the sampled scenarios against the database that is shipped. A build with a problem is not shipped.

Nothing is taken from the sampler: gold SQL is run again, the path is walked with the tools' semantics, and
the mix and the separation of the splits are counted on the finished list.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from data_build.invoices.database import FIRST_VALIDATION_CORPORATION
from data_build.invoices.lookup import COLUMNS, IDENTIFIERS, SUPPLIER_ID, Row, call_tool, open_database
from data_build.invoices.mix import TRAIN, VALIDATION, validation_slots
from data_build.invoices.orders import MAX_ROWS_PER_SUPPLIER, MIN_ROWS_PER_SUPPLIER
from data_build.invoices.scenario import Scenario, ToolCall
from slm_rewards import check_gold, gold_fraction

_NOT_ALONE = {"status", "department_name", "email"}
"""Values that can be guessed or hit by chance; another one must be asked for beside them."""


def check_scenarios(db: Path, scenarios: list[Scenario]) -> list[str]:
    """Every problem found, one line each, with the index of the scenario; empty if all is well.

    Checked for each scenario: the gold SQL returns one row and it is `gold_values`; the path, under the tools'
    semantics, ends in exactly one record (or one subscription without ties) that holds the gold; facts, sender
    and language agree with the database; no gold value stands in the facts or names; what the path touches is
    listed. For the whole: number and order, the mix of both splits, no repeats, no supplier or organisation in
    both splits. Raises sqlite3.OperationalError if `db` cannot be opened.
    """
    problems: list[str] = []
    with open_database(db) as connection:
        rows_of_supplier: dict[str, int] = dict(
            connection.execute(
                "SELECT p.supplier_id, count(*) FROM order_rows o JOIN products p ON p.id = o.product_id GROUP BY 1"
            ).fetchall()
        )
        corporations: dict[int, Row] = {
            row["id"]: dict(row) for row in connection.execute("SELECT id, name, language FROM corporations")
        }
        for scenario in scenarios:
            for problem in _check_one(connection, scenario, rows_of_supplier, corporations):
                problems.append(f"scenario {scenario.index}: {problem}")
    return problems + list(_check_all(scenarios))


def _check_one(
    connection: sqlite3.Connection, scenario: Scenario, rows_of_supplier: dict[str, int], corporations: dict[int, Row]
) -> Iterator[str]:
    gold = scenario.gold_values
    try:
        returned = [[str(value) for value in row] for row in connection.execute(scenario.gold_sql)]
    except sqlite3.Error as error:
        returned = []
        yield f"gold SQL fails: {error}"
    if returned != [gold]:
        yield f"gold SQL returns {returned}, gold values are {gold}"
    try:
        check_gold(gold)
    except ValueError as error:
        yield str(error)
        return
    if len(scenario.asked) != len(gold):
        yield f"asks for {len(scenario.asked)} values, has {len(gold)}"
    if unknown := (set(scenario.asked) | set(scenario.facts)) - COLUMNS.keys():
        yield f"unknown columns {sorted(unknown)}"
    if set(scenario.asked) <= _NOT_ALONE:
        yield f"asks only for what can be guessed: {scenario.asked}"
    if set(scenario.asked) & set(scenario.facts):
        yield "asks for a value that the facts state"
    stated = "\n".join([*scenario.facts.values(), scenario.sender_name, scenario.corporation])
    for value in gold:
        if gold_fraction(stated, [value]) > 0:
            yield f"gold value {value!r} stands in the facts or names"
    try:
        visited = _walk(connection, scenario.path)
    except (KeyError, ValueError) as error:
        yield f"path fails: {error}"
        return
    results = visited[-1]
    yield from _check_results(scenario, results)
    record = results[0]
    for column, value in scenario.facts.items():
        if record.get(column) != value:
            yield f"fact {column} is {value!r}, the record has {record.get(column)!r}"
    reached = [record.get(column) for column in scenario.asked]
    if reached != gold:
        yield f"the path ends at {reached}, gold values are {gold}"
    suppliers = {row["supplier_id"] for rows in visited for row in rows}
    if not suppliers <= set(scenario.supplier_ids):
        yield "supplier_ids lacks a supplier that the path touches"
    if any(not MIN_ROWS_PER_SUPPLIER <= rows_of_supplier.get(s, 0) <= MAX_ROWS_PER_SUPPLIER for s in suppliers):
        yield f"a supplier has fewer than {MIN_ROWS_PER_SUPPLIER} or more than {MAX_ROWS_PER_SUPPLIER} order rows"
    touched = {row["corporation_id"] for rows in visited for row in rows if "corporation_id" in row}
    named = [
        c for c in scenario.corporation_ids if c in corporations and corporations[c]["name"] == scenario.corporation
    ]
    if not touched <= set(scenario.corporation_ids) or not named:
        yield "corporation_ids lacks an organisation that the path touches or the mail names"
    if any(corporations[c]["language"] != scenario.language for c in named):
        yield "the organisation writes in the other language"
    if any((c >= FIRST_VALIDATION_CORPORATION) != (scenario.split == "validation") for c in scenario.corporation_ids):
        yield "an organisation belongs to the other split"
    if scenario.question_type != "supplier_details":
        if record["corporation"] != scenario.corporation:
            yield "the order row belongs to another organisation"
        if (record["subscriber_name"] == scenario.sender_name) != (scenario.sender == "customer"):
            yield "a customer must be the subscriber, a member of staff must not"


def _check_results(scenario: Scenario, results: list[Row]) -> Iterator[str]:
    """Whether the last call leaves one answer. `results` is not empty."""
    if scenario.question_type == "subscription_product":
        if len({tuple(row[column] for column in scenario.asked) for row in results}) > 1:
            yield "the rows of the subscription differ in product or department"
    elif scenario.question_type == "subscription_period":
        if sum(row["period_start"] == results[0]["period_start"] for row in results) > 1:
            yield "two rows tie for the latest delivery period"
    elif len(results) > 1:
        yield f"{len(results)} records match the facts"


def _walk(connection: sqlite3.Connection, path: list[ToolCall]) -> list[list[Row]]:
    """The records of each call of a path. Raises ValueError where a call finds nothing or leaves a choice."""
    visited: list[list[Row]] = []
    supplier_id: str | None = None
    for call in path:
        if call.arguments.get("supplier_id") == SUPPLIER_ID:
            if not visited or len(visited[-1]) != 1:
                raise ValueError(f"{call.name} needs one supplier, the step before returned no single one")
            supplier_id = visited[-1][0]["supplier_id"]
        rows = call_tool(connection, call, supplier_id)
        if not rows:
            raise ValueError(f"{call.name} finds nothing for {call.arguments}")
        visited.append(rows)
    if not visited:
        raise ValueError("no calls")
    return visited


def _check_all(scenarios: list[Scenario]) -> Iterator[str]:
    if [s.index for s in scenarios] != list(range(TRAIN + VALIDATION)):
        yield f"indexes are not 0 to {TRAIN + VALIDATION - 1} in order"
    if any((s.split == "validation") != (s.index >= TRAIN) for s in scenarios):
        yield f"the splits are not cut at {TRAIN}"
    slots = validation_slots()
    expected = Counter((s.question_type, s.language, s.sender, s.given, s.filters) for s in slots)
    suppliers: dict[str, set[str]] = {"train": set(), "validation": set()}
    organisations: dict[str, set[int]] = {"train": set(), "validation": set()}
    for split, times in (("train", TRAIN // VALIDATION), ("validation", 1)):
        part = [s for s in scenarios if s.split == split]
        cells = Counter((s.question_type, s.language, s.sender, *_given(s)) for s in part)
        for cell in sorted(cells.keys() | expected.keys()):
            if cells[cell] != times * expected[cell]:
                yield f"{split}: {cells[cell]} tasks of {cell}, {times * expected[cell]} expected"
        for s in part:
            suppliers[split].update(s.supplier_ids)
            organisations[split].update(s.corporation_ids)
    for shared in (suppliers["train"] & suppliers["validation"], organisations["train"] & organisations["validation"]):
        for one in shared:
            yield f"{one} is touched by both splits"
    tasks = Counter((s.language, tuple(sorted(s.facts.items())), tuple(sorted(s.asked))) for s in scenarios)
    for (_, facts, asked), count in tasks.items():
        if count > 1:
            yield f"{count} tasks state {dict(facts)} and ask for {asked}"


def _given(scenario: Scenario) -> tuple[str, tuple[str, ...]]:
    """How the mail names the subscription or supplier, and the further facts: the last parts of a cell."""
    keys = list(scenario.facts)
    main = [key for key in keys if key in ("subscription_number", "supplier_name", *IDENTIFIERS)]
    return "+".join(main), tuple(key for key in keys if key not in main)
