"""The invoice database: counts, numbers, links and amounts, and the same content from the same seed."""

import hashlib
import os
import re
import sqlite3
import subprocess
import sys
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import stdnum.iban
from stdnum import luhn
from stdnum.se import orgnr, vat

from data_build.invoices import database, numbers
from data_build.invoices.database import build_database, populate
from data_build.invoices.names import Distinct
from data_build.invoices.orders import AS_OF

SEED = 11
SUBSCRIPTIONS = "SELECT * FROM order_rows ORDER BY subscription_number, period_start"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    path = tmp_path_factory.mktemp("invoices") / "invoices.db"
    build_database(path, SEED)
    return path


@pytest.fixture(scope="module")
def connection(built):
    connection = sqlite3.connect(built)
    connection.row_factory = sqlite3.Row
    yield connection
    connection.close()


def test_counts_are_those_of_the_study(connection):
    expected = {"suppliers": 149, "products": 597, "corporations": 96, "order_rows": 1329, "invoices": 600}
    assert {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in expected} == expected


def test_schema_is_executed_as_written_and_every_link_holds(connection):
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == set(re.findall(r"CREATE TABLE (\w+)", database.SCHEMA.read_text(encoding="utf-8")))
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_stdnum_confirms_every_number(connection):
    for supplier in connection.execute("SELECT * FROM suppliers"):
        assert stdnum.iban.validate(supplier["iban"]) == supplier["iban"]
        assert re.fullmatch(r"SE\d{22}", supplier["iban"])
        assert orgnr.is_valid(supplier["org_number"]) and re.fullmatch(r"\d{6}-\d{4}", supplier["org_number"])
        assert vat.is_valid(supplier["vat_number"])
        assert supplier["vat_number"] == f"SE{supplier['org_number'].replace('-', '')}01"
        assert re.fullmatch(r"\d{3,4}-\d{4}", supplier["bankgiro"])
        assert luhn.is_valid(supplier["bankgiro"].replace("-", ""))
        assert re.fullmatch(r"\d{1,7}-\d", supplier["postgiro"])
        assert luhn.is_valid(supplier["postgiro"].replace("-", ""))
    for (number,) in connection.execute("SELECT org_number FROM corporations"):
        assert orgnr.is_valid(number)
    for (number,) in connection.execute("SELECT ocr FROM invoices"):
        assert luhn.is_valid(number)


def test_numbers_stay_outside_real_ranges(connection):
    series = re.compile(
        r"08-465 004 \d\d|031-390 06 \d\d|040-628 04 \d\d|0980-319 2\d\d|020 7946 0\d{3}|01\d\d 496 0\d{3}"
    )
    for supplier in connection.execute("SELECT * FROM suppliers"):
        assert supplier["org_number"][0] == "4" and supplier["org_number"][2] >= "2"
        assert int(supplier["iban"][4:7]) < 100
        assert series.fullmatch(supplier["phone"]), supplier["phone"]
        assert supplier["email"].endswith(".example") and supplier["email"].isascii()
        assert re.fullmatch(r"99\d \d\d|[A-Z]{1,2}\d+ \d[CIKMOV]{2}", supplier["postal_code"])


def test_a_wrong_check_digit_would_be_noticed():
    number = numbers.with_luhn("12345")
    assert luhn.is_valid(number)
    assert not luhn.is_valid(number[:-1] + str((int(number[-1]) + 1) % 10))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name FROM suppliers",
        "SELECT name FROM products",
        "SELECT name FROM corporations",
        "SELECT DISTINCT subscriber_name FROM order_rows",
    ],
)
def test_no_name_stands_inside_another(connection, query):
    distinct = Distinct()
    assert all(distinct.add(name) for (name,) in connection.execute(query))


def test_distinct_refuses_names_inside_names():
    distinct = Distinct()
    assert distinct.add("Östholm AB (publ)")
    assert not distinct.add("ÖSTHOLM AB")
    assert not distinct.add("Ostholm AB (publ) i Kiruna")
    assert distinct.add("Ostholm HB")


def test_names_are_difficult_enough(connection):
    names = " ".join(name for (name,) in connection.execute("SELECT name FROM suppliers"))
    for sign in ("'", "&", "(publ)", "-", "å", "ä", "ö"):
        assert sign in names


def test_periods_follow_each_other_and_statuses_follow_the_periods(connection):
    rows = connection.execute(SUBSCRIPTIONS).fetchall()
    for row, following in [*pairwise(rows), (rows[-1], None)]:
        start, end = date.fromisoformat(row["period_start"]), date.fromisoformat(row["period_end"])
        assert date(2022, 1, 1) <= start < end <= date(2026, 12, 31)
        assert re.fullmatch(r"\d{5}", row["subscription_number"])
        assert row["quantity"] >= 1 and 0 < row["unit_price"] == round(row["unit_price"], 2)
        if following is not None and following["subscription_number"] == row["subscription_number"]:
            assert date.fromisoformat(following["period_start"]) == end + timedelta(days=1)
            assert row["status"] == "expired"
            for column in ("product_id", "department_id", "subscriber_name", "currency"):
                assert following[column] == row[column]
        elif end < AS_OF:
            assert row["status"] in ("expired", "cancelled")
        elif start > AS_OF:
            assert row["status"] == "pending"
        else:
            assert row["status"] in ("active", "paused", "cancelled", "pending")


def test_every_amount_adds_up(connection):
    lines = connection.execute(
        "SELECT r.*, o.quantity, o.unit_price FROM invoice_rows r JOIN order_rows o ON o.id = r.order_row_id"
    ).fetchall()
    totals: dict[int, int] = {}
    for line in lines:
        assert round(line["net_amount"] * 100) == line["quantity"] * round(line["unit_price"] * 100)
        assert round(line["vat_amount"] * 100) in (
            (round(line["net_amount"] * 100) * rate + 50) // 100 for rate in (6, 25)
        )
        amount = round(line["net_amount"] * 100) + round(line["vat_amount"] * 100)
        totals[line["invoice_id"]] = totals.get(line["invoice_id"], 0) + amount
    invoices = {row["id"]: round(row["total"] * 100) for row in connection.execute("SELECT id, total FROM invoices")}
    assert totals == invoices


def test_an_invoice_has_one_supplier_organisation_and_currency(connection):
    lines = connection.execute(
        "SELECT i.*, r.order_row_id, p.supplier_id AS s, d.corporation_id AS c, o.currency AS cur, o.status AS st "
        "FROM invoices i JOIN invoice_rows r ON r.invoice_id = i.id JOIN order_rows o ON o.id = r.order_row_id "
        "JOIN products p ON p.id = o.product_id JOIN departments d ON d.id = o.department_id"
    ).fetchall()
    assert {line["id"] for line in lines} == set(range(1, 601))
    assert len({line["order_row_id"] for line in lines}) == len(lines)
    for line in lines:
        assert (line["supplier_id"], line["corporation_id"], line["currency"]) == (line["s"], line["c"], line["cur"])
        assert line["st"] != "pending"
        assert line["invoice_date"] <= AS_OF.isoformat() and line["invoice_date"] <= line["due_date"]


def test_the_sides_do_not_trade_with_each_other(connection):
    sides: dict[str, set[bool]] = {}
    for supplier, corporation in connection.execute(
        "SELECT p.supplier_id, d.corporation_id FROM order_rows o JOIN products p ON p.id = o.product_id "
        "JOIN departments d ON d.id = o.department_id"
    ):
        sides.setdefault(supplier, set()).add(corporation >= database.FIRST_VALIDATION_CORPORATION)
    assert len(sides) == 149
    assert all(len(side) == 1 for side in sides.values())
    assert sum(True in side for side in sides.values()) == database.VALIDATION_SUPPLIERS


def test_same_seed_same_content(built, tmp_path):
    again = tmp_path / "again.db"
    build_database(again, SEED)
    assert again.read_bytes() == built.read_bytes()
    with_rows = sqlite3.connect(again)
    for table, rows in populate(SEED).items():
        assert [tuple(row.values()) for row in rows] == with_rows.execute(f"SELECT * FROM {table}").fetchall()
    with_rows.close()


def test_another_seed_gives_other_content():
    one, other = populate(SEED), populate(SEED + 1)
    for table in one:
        assert one[table] != other[table]


def test_content_does_not_depend_on_hash_order_or_time_zone():
    script = (
        "import hashlib; from data_build.invoices.database import populate; "
        f"print(hashlib.sha256(repr(populate({SEED})).encode()).hexdigest())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati"}
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", script], env=environment, cwd=root, capture_output=True, check=True)
    assert done.stdout.decode().strip() == hashlib.sha256(repr(populate(SEED)).encode()).hexdigest()


def test_a_killed_build_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "invoices.db"
    path.write_bytes(b"old")

    def killed(seed):
        raise KeyboardInterrupt

    monkeypatch.setattr(database, "populate", killed)
    with pytest.raises(KeyboardInterrupt):
        build_database(path, SEED)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
