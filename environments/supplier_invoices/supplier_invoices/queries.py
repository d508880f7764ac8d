"""Read-only queries over the shipped database: the SQL behind the three tools.

The file is opened immutable and one connection belongs to one thread, so any number of parallel calls
read without locks, also from a read-only file system. SQL text is constant; values are parameters.
Text is compared with `fold`, a Python function, because SQLite's own LIKE knows no case beyond ASCII and
treats `%` and `_` as wildcards.
"""

import sqlite3
import threading
import unicodedata
from pathlib import Path

DATABASE = Path(__file__).parent / "data" / "invoices.db"

_ORDER_ROWS = """
SELECT o.subscription_number, p.name AS product_name, d.name AS department_name, c.name AS corporation_name,
       s.name AS supplier_name, o.subscriber_name, o.period_start, o.period_end, o.quantity,
       printf('%.2f', o.unit_price) AS unit_price, o.currency, o.status
FROM order_rows o
JOIN products p ON p.id = o.product_id
JOIN suppliers s ON s.id = p.supplier_id
JOIN departments d ON d.id = o.department_id
JOIN corporations c ON c.id = d.corporation_id
WHERE {where}
ORDER BY o.period_start DESC, o.subscription_number, o.id
"""
_BY_SUBSCRIPTION = _ORDER_ROWS.format(where="o.subscription_number = :sub_no")
_BY_SUPPLIER = _ORDER_ROWS.format(
    where="""p.supplier_id = :supplier_id
  AND (:period_start IS NULL OR o.period_end >= :period_start)
  AND (:period_end IS NULL OR o.period_start <= :period_end)
  AND (:product_name IS NULL OR instr(fold(p.name), fold(:product_name)) > 0)
  AND (:subscriber_name IS NULL OR instr(fold(o.subscriber_name), fold(:subscriber_name)) > 0)"""
)
_SUPPLIERS = """
SELECT id, name, org_number, vat_number, iban, bankgiro, postgiro, email, phone, street, postal_code, city,
       payment_terms_days
FROM suppliers
WHERE (:name IS NULL OR instr(fold(name), fold(:name)) > 0)
  AND (:iban IS NULL OR bare(iban) = bare(:iban))
  AND (:bankgiro IS NULL OR bare(bankgiro) = bare(:bankgiro))
  AND (:postgiro IS NULL OR bare(postgiro) = bare(:postgiro))
  AND (:vat_number IS NULL OR bare(vat_number) = bare(:vat_number))
ORDER BY name
"""

_connections = threading.local()


def fold(text: str) -> str:
    """Text for comparing names: composed letters, any case, single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def bare(identifier: str) -> str:
    """An identifier without blanks, dashes and case (`5987-1236`, `5987 1236` and `59871236` are one)."""
    return "".join(c for c in unicodedata.normalize("NFKC", identifier) if c.isalnum()).upper()


def connect(database: Path) -> sqlite3.Connection:
    """This thread's connection to `database`. Raises FileNotFoundError if there is no such file."""
    open_files = _connections.__dict__.setdefault("by_path", {})
    if database not in open_files:
        if not database.is_file():
            raise FileNotFoundError(f"database: {database} does not exist; reinstall the supplier-invoices package")
        connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        connection.row_factory = sqlite3.Row
        connection.create_function("fold", 1, fold, deterministic=True)
        connection.create_function("bare", 1, bare, deterministic=True)
        open_files[database] = connection
    return open_files[database]


def _rows(database: Path, sql: str, **parameters: str | None) -> list[dict]:
    return [dict(row) for row in connect(database).execute(sql, parameters)]


def order_rows_by_subscription(database: Path, sub_no: str) -> list[dict]:
    """Order rows of one subscription, newest delivery period first."""
    return _rows(database, _BY_SUBSCRIPTION, sub_no=sub_no)


def suppliers(database: Path, **given: str | None) -> list[dict]:
    """Suppliers that match every given one of name (part of it), iban, bankgiro, postgiro, vat_number."""
    empty = dict.fromkeys(("name", "iban", "bankgiro", "postgiro", "vat_number"))
    return _rows(database, _SUPPLIERS, **empty | given)


def supplier_exists(database: Path, supplier_id: str) -> bool:
    return bool(_rows(database, "SELECT 1 FROM suppliers WHERE id = :supplier_id", supplier_id=supplier_id))


def order_rows_by_supplier(database: Path, supplier_id: str, **given: str | None) -> list[dict]:
    """A supplier's order rows, newest first: period overlap, part of product and subscriber name."""
    empty = dict.fromkeys(("period_start", "period_end", "product_name", "subscriber_name"))
    return _rows(database, _BY_SUPPLIER, supplier_id=supplier_id, **empty | given)


def gold(database: Path, sql: str) -> list[str]:
    """The one row that a task's gold SQL returns, as text. Raises ValueError for none or several rows."""
    rows = connect(database).execute(sql).fetchall()
    if len(rows) != 1:
        raise ValueError(f"gold_sql: {len(rows)} rows instead of one: {sql}")
    return [str(value) for value in rows[0]]
