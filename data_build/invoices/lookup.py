"""What the three tools return, as the build sees it, and the gold SQL of a scenario.

The semantics are those of the environment's tools, written a second time on purpose: a task is sampled and
checked here, and the environment's own check runs the real tools over the shipped tasks. Text is compared
after `names.fold`, which is wider than the tools' caseless match: what is unique here is unique there.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data_build.invoices.names import fold
from data_build.invoices.scenario import QuestionType, ToolCall

Row = dict[str, Any]

SUPPLIER_ID = "$supplier_id"
IDENTIFIERS = ("iban", "bankgiro", "postgiro", "vat_number")

# One name per value that a mail can state or ask for, and where it is stored.
COLUMNS = {
    "subscription_number": "o.subscription_number",
    "product_name": "p.name",
    "department_name": "d.name",
    "subscriber_name": "o.subscriber_name",
    "period_start": "o.period_start",
    "period_end": "o.period_end",
    "unit_price": "printf('%.2f', o.unit_price)",
    "status": "o.status",
    "supplier_name": "s.name",
    "iban": "s.iban",
    "bankgiro": "s.bankgiro",
    "postgiro": "s.postgiro",
    "vat_number": "s.vat_number",
    "email": "s.email",
}
SUPPLIER_COLUMNS = ("supplier_name", *IDENTIFIERS, "email")
_JOINS = {
    "p": "JOIN products p ON p.id = o.product_id",
    "s": "JOIN suppliers s ON s.id = p.supplier_id",
    "d": "JOIN departments d ON d.id = o.department_id",
    "c": "JOIN corporations c ON c.id = d.corporation_id",
}
_ORDER_ROW = (
    "SELECT o.id, s.id AS supplier_id, d.corporation_id, c.name AS corporation, c.language, "
    + ", ".join(f"{sql} AS {name}" for name, sql in COLUMNS.items())
    + f" FROM order_rows o {' '.join(_JOINS.values())}"
)
_SUPPLIER = "SELECT s.id AS supplier_id, " + ", ".join(f"{COLUMNS[name]} AS {name}" for name in SUPPLIER_COLUMNS)


@contextmanager
def open_database(path: Path) -> Generator[sqlite3.Connection]:
    """The database at `path`, read only; rows are `sqlite3.Row`. Raises sqlite3.OperationalError if it is missing."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        connection.create_function("fold", 1, fold, deterministic=True)
        connection.create_function("compact", 1, _compact, deterministic=True)
        yield connection
    finally:
        connection.close()


def _compact(identifier: str) -> str:
    return "".join(c for c in identifier.upper() if c.isalnum())


def order_rows(connection: sqlite3.Connection) -> list[Row]:
    """Every order row with the names around it, oldest id first."""
    return [dict(row) for row in connection.execute(f"{_ORDER_ROW} ORDER BY o.id")]


def suppliers(connection: sqlite3.Connection) -> list[Row]:
    """Every supplier, by name."""
    return [dict(row) for row in connection.execute(f"{_SUPPLIER} FROM suppliers s ORDER BY s.name")]


def call_tool(connection: sqlite3.Connection, call: ToolCall, supplier_id: str | None = None) -> list[Row]:
    """Rows that a call returns; `supplier_id` replaces `$supplier_id`. Raises KeyError for a missing argument."""
    given = call.arguments
    if call.name == "GetOrderBySubscription":
        sql = f"{_ORDER_ROW} WHERE o.subscription_number = ? ORDER BY o.period_start DESC, o.id"
        return [dict(row) for row in connection.execute(sql, [given["sub_no"]])]
    if call.name == "SearchSupplier":
        conditions, values = ["1 = 1"], []
        for name, value in given.items():
            conditions.append(
                "instr(fold(s.name), fold(?)) > 0" if name == "name" else f"compact({COLUMNS[name]}) = compact(?)"
            )
            values.append(value)
        sql = f"{_SUPPLIER} FROM suppliers s WHERE {' AND '.join(conditions)} ORDER BY s.name"
        return [dict(row) for row in connection.execute(sql, values)]
    # A period given by one end only is open at the other.
    sql = (
        f"{_ORDER_ROW} WHERE s.id = ? AND o.period_end >= ? AND o.period_start <= ? "
        "AND instr(fold(p.name), fold(?)) > 0 AND instr(fold(o.subscriber_name), fold(?)) > 0 "
        "ORDER BY o.period_start DESC, o.id"
    )
    target = supplier_id if given["supplier_id"] == SUPPLIER_ID else given["supplier_id"]
    bounds = [given.get("period_start", "0000-01-01"), given.get("period_end", "9999-12-31")]
    texts = [given.get("product_name", ""), given.get("subscriber_name", "")]
    return [dict(row) for row in connection.execute(sql, [target, *bounds, *texts])]


def scripted_path(question_type: QuestionType, facts: dict[str, str]) -> list[ToolCall]:
    """The calls that lead from the facts to the gold."""
    if question_type in ("subscription_product", "subscription_period"):
        return [ToolCall(name="GetOrderBySubscription", arguments={"sub_no": facts["subscription_number"]})]
    found_by = {name: value for name, value in facts.items() if name in IDENTIFIERS}
    if "supplier_name" in facts:
        found_by["name"] = facts["supplier_name"]
    search = ToolCall(name="SearchSupplier", arguments=found_by)
    if question_type == "supplier_details":
        return [search]
    filters = {name: value for name, value in facts.items() if name not in SUPPLIER_COLUMNS}
    return [search, ToolCall(name="LookupOrderRows", arguments={"supplier_id": SUPPLIER_ID} | filters)]


def gold_sql(question_type: QuestionType, facts: dict[str, str], asked: list[str]) -> str:
    """One SELECT that returns the asked values as text. It returns two rows, never one of two, where rows tie."""
    wanted = ", ".join(COLUMNS[name] for name in asked)
    conditions = [f"{COLUMNS[name]} = {_quoted(value)}" for name, value in facts.items()]
    if question_type == "supplier_details":
        return f"SELECT {wanted} FROM suppliers s WHERE {' AND '.join(conditions)}"
    distinct = ""
    if question_type == "subscription_product":
        distinct = "DISTINCT "
    if question_type == "subscription_period":
        number = _quoted(facts["subscription_number"])
        latest = f"SELECT max(period_start) FROM order_rows WHERE subscription_number = {number}"
        conditions.append(f"o.period_start = ({latest})")
    tables = {COLUMNS[name].removeprefix("printf('%.2f', ")[0] for name in (*asked, *facts)}
    if "s" in tables:
        tables.add("p")
    joins = "".join(f" {join}" for table, join in _JOINS.items() if table in tables)
    return f"SELECT {distinct}{wanted} FROM order_rows o{joins} WHERE {' AND '.join(conditions)}"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
