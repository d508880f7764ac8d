"""The supplier-invoice database, filled in one pass from a seed (all contents are synthetic).

Suppliers and client organisations fall into two sides, one for each split of the tasks. An order row joins a
supplier and an organisation of one side only, so that whatever a validation task touches is unknown to
training by construction.
"""

import random
import uuid
from pathlib import Path

from sqlite_utils import Database

from data_build.invoices import names, numbers
from data_build.invoices.billing import make_invoices
from data_build.invoices.orders import Row, Side, make_order_rows
from data_build.invoices.scenario import Language

SCHEMA = Path(__file__).with_name("schema.sql")
SUPPLIERS, PRODUCTS, CORPORATIONS, ORDER_ROWS, INVOICES = 149, 597, 96, 1329, 600
VALIDATION_SUPPLIERS, VALIDATION_CORPORATIONS, VALIDATION_ORDER_ROWS = 15, 10, 150
FIRST_VALIDATION_CORPORATION = CORPORATIONS - VALIDATION_CORPORATIONS + 1
"""Organisations with this id or a higher one are the validation side, and with them their suppliers."""
_ENGLISH_SUPPLIERS = 60


def populate(seed: int) -> dict[str, list[Row]]:
    """Every table's rows, by table name, in the order of the schema. A function of `seed` alone."""
    rng = random.Random(seed)
    stems = {language: names.shuffled_stems(rng, language) for language in names.LANGUAGES}
    suppliers, branches = _suppliers(rng, stems)
    products = _products(rng, suppliers, branches)
    corporations = _corporations(rng, stems)
    corporation_language: dict[int, Language] = {c["id"]: c["language"] for c in corporations}
    departments = _departments(rng, corporations)
    supplier_ids = [s["id"] for s in suppliers]
    held_out = rng.sample(supplier_ids, VALIDATION_SUPPLIERS)
    sides = [
        Side(
            [s for s in supplier_ids if s not in held_out],
            list(range(1, FIRST_VALIDATION_CORPORATION)),
            ORDER_ROWS - VALIDATION_ORDER_ROWS,
        ),
        Side(held_out, list(range(FIRST_VALIDATION_CORPORATION, CORPORATIONS + 1)), VALIDATION_ORDER_ROWS),
    ]
    currency = {
        s["id"]: "SEK" if s["city"] in names.CITIES["sv"] else rng.choice(("GBP", "GBP", "EUR", "SEK"))
        for s in suppliers
    }
    people = names.People(seed)
    order_rows = make_order_rows(rng, sides, products, departments, corporation_language, currency, people)
    terms = {s["id"]: s["payment_terms_days"] for s in suppliers}
    invoices, invoice_rows = make_invoices(rng, INVOICES, order_rows, products, departments, terms)
    return {
        "suppliers": suppliers,
        "products": products,
        "corporations": corporations,
        "departments": departments,
        "order_rows": order_rows,
        "invoices": invoices,
        "invoice_rows": invoice_rows,
    }


def build_database(path: Path, seed: int) -> None:
    """Write the database of `seed` to `path`.

    It is written to a temporary name beside `path` and renamed: a killed build leaves the old file. The same
    seed gives the same rows (and, with one SQLite version, the same bytes).
    """
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.unlink(missing_ok=True)
    try:
        database = Database(unfinished)
        try:
            database.executescript(SCHEMA.read_text(encoding="utf-8"))
            for table, rows in populate(seed).items():
                database.table(table).insert_all(rows)
            database.vacuum()
        finally:
            database.close()
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _suppliers(
    rng: random.Random, stems: dict[Language, list[str]]
) -> tuple[list[Row], dict[str, tuple[Language, names.Branch]]]:
    """Suppliers, and each one's language and line of business by supplier id."""
    languages: list[Language] = ["en"] * _ENGLISH_SUPPLIERS + ["sv"] * (SUPPLIERS - _ENGLISH_SUPPLIERS)
    rng.shuffle(languages)
    unique = numbers.Unique(rng)
    distinct = names.Distinct()
    rows: list[Row] = []
    branches: dict[str, tuple[Language, names.Branch]] = {}
    for number, language in enumerate(languages):
        options = names.SUPPLIER_BRANCHES[language]
        branch = options[number % len(options)]
        name = names.supplier_name(rng, language, stems[language].pop(), branch)
        while not distinct.add(name):
            name = names.supplier_name(rng, language, stems[language].pop(), branch)
        supplier_id = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        city = rng.choice(names.CITIES[language])
        mailbox = rng.choice(("faktura", "ekonomi", "kund") if language == "sv" else ("billing", "accounts", "orders"))
        org = unique.draw(numbers.org_number)
        rows.append(
            {
                "id": supplier_id,
                "name": name,
                "org_number": org,
                "vat_number": numbers.vat_number(org),
                "iban": unique.draw(numbers.iban),
                "bankgiro": unique.draw(numbers.bankgiro),
                "postgiro": unique.draw(numbers.postgiro),
                "email": f"{mailbox}@{names.email_domain(name)}",
                "phone": numbers.phone(rng, city),
                "street": f"{rng.choice(names.STREETS[language])} {rng.randrange(1, 90)}",
                "postal_code": numbers.postal_code(rng, language, city),
                "city": city,
                "payment_terms_days": rng.choice((10, 20, 30, 30, 45)),
            }
        )
        branches[supplier_id] = (language, branch)
    return rows, branches


def _products(
    rng: random.Random, suppliers: list[Row], branches: dict[str, tuple[Language, names.Branch]]
) -> list[Row]:
    """PRODUCTS products, four of nearly every supplier and of its line of business."""
    free: dict[str, list[str]] = {}
    for language, options in names.SUPPLIER_BRANCHES.items():
        for branch in options:
            pool = [f"{p} {line}" for p in branch.products for line in names.PRODUCT_LINES[language]]
            rng.shuffle(pool)
            free[language + branch.category] = pool
    distinct = names.Distinct()
    extra = PRODUCTS - 4 * len(suppliers)
    counts = [4 + 1] * extra + [4] * (len(suppliers) - extra)
    rng.shuffle(counts)
    rows: list[Row] = []
    for supplier, count in zip(suppliers, counts, strict=True):
        language, branch = branches[supplier["id"]]
        for _ in range(count):
            name = free[language + branch.category].pop()
            while not distinct.add(name):
                name = free[language + branch.category].pop()
            rows.append({"id": len(rows) + 1, "supplier_id": supplier["id"], "name": name, "category": branch.category})
    return rows


def _corporations(rng: random.Random, stems: dict[Language, list[str]]) -> list[Row]:
    """Client organisations, Swedish and English in turn, so that each side has as many of both."""
    unique = numbers.Unique(rng)
    distinct = names.Distinct()
    rows: list[Row] = []
    for number in range(1, CORPORATIONS + 1):
        language: Language = "sv" if number % 2 else "en"
        name = names.client_name(rng, language, stems[language].pop())
        while not distinct.add(name):
            name = names.client_name(rng, language, stems[language].pop())
        org = unique.draw(numbers.org_number)
        city = rng.choice(names.CITIES[language])
        rows.append({"id": number, "name": name, "org_number": org, "city": city, "language": language})
    return rows


def _departments(rng: random.Random, corporations: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for corporation in corporations:
        chosen = names.department_names(rng, corporation["language"], rng.randrange(3, 7))
        centers = rng.sample(range(1000, 10000), len(chosen))
        for name, center in zip(chosen, centers, strict=True):
            row = {"id": len(rows) + 1, "corporation_id": corporation["id"], "name": name}
            rows.append(row | {"cost_center": f"K{center}"})
    return rows
