import asyncio
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import verifiers.v1 as vf

from supplier_invoices import queries
from supplier_invoices.tools import MAX_ROWS, InvoiceTools

Call = Callable[[str, dict], str]


@pytest.fixture(scope="module")
def tools() -> InvoiceTools:
    return InvoiceTools(vf.SharedToolsetConfig())


@pytest.fixture(scope="module")
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(f"{queries.DATABASE.as_uri()}?mode=ro", uri=True)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """Calls a tool of the real server over HTTP, as the harness does."""
    port_file = tmp_path_factory.mktemp("mcp") / "port"
    environment = os.environ | {"MCP_PORT_FILE": str(port_file), "VF_CONFIG": "{}"}
    command = [sys.executable, "-m", "supplier_invoices.tools"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60

    def port() -> int:
        return int(port_file.read_text() or 0) if port_file.exists() else 0

    while time.monotonic() < deadline:
        if port():
            try:
                socket.create_connection(("127.0.0.1", port()), timeout=1).close()
                break
            except OSError:
                pass
        time.sleep(0.1)
    client = httpx.Client(headers={"Accept": "application/json, text/event-stream"}, timeout=30)

    def post(name: str, arguments: dict) -> str:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for _ in range(100):
            try:
                result = client.post(f"http://127.0.0.1:{port()}/mcp", json=body).json()["result"]
                return "\n".join(part["text"] for part in result["content"])
            except httpx.TransportError:  # bound but not yet serving
                time.sleep(0.1)
        raise AssertionError("the tool server did not come up")

    yield post
    client.close()
    server.kill()
    server.wait()


def records(result: str) -> list[dict]:
    return [json.loads(line) for line in result.splitlines() if line.startswith("{")]


def test_subscription_rows_come_newest_first(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    number, count = db.execute(
        "SELECT subscription_number, count(*) FROM order_rows GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
    ).fetchone()
    rows = records(tools.get_order_by_subscription(number))
    starts = [row["period_start"] for row in rows]
    assert len(rows) == count > 1
    assert starts == sorted(starts, reverse=True)
    assert {row["subscription_number"] for row in rows} == {number}


def test_sq_06_identifiers_match_without_blanks_and_dashes(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    columns = ("iban", "bankgiro", "postgiro", "vat_number")
    for identity, *values in db.execute(f"SELECT id, {', '.join(columns)} FROM suppliers"):
        for column, value in zip(columns, values, strict=True):
            digits = queries.bare(value)
            spaced = " ".join(digits[i : i + 4] for i in range(0, len(digits), 4)).lower()
            for form in (value, digits, spaced, f" {value} "):
                found = records(tools.search_supplier(**{column: form}))
                assert [row["id"] for row in found] == [identity], (column, form)


def test_all_given_arguments_must_match(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    (a, a_iban), (b, _) = db.execute("SELECT name, iban FROM suppliers ORDER BY name LIMIT 2").fetchall()
    assert [row["name"] for row in records(tools.search_supplier(name=a, iban=a_iban))] == [a]
    assert tools.search_supplier(name=b, iban=a_iban).startswith("error: no supplier matches name ")


def test_names_match_in_any_case_and_in_part(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    name = db.execute("SELECT name FROM suppliers WHERE name GLOB '*[ÅÄÖåäö]*' LIMIT 1").fetchone()[0]
    for form in (name.upper(), name.lower(), name[1:-1], f"  {name} "):
        assert name in [row["name"] for row in records(tools.search_supplier(name=form))]


def test_wildcards_and_quotes_are_literal(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    supplier = db.execute("SELECT id FROM suppliers LIMIT 1").fetchone()[0]
    for text in ("%a", "a_b", "x' OR '1'='1", '"; DROP TABLE suppliers; --'):
        assert tools.search_supplier(name=text).startswith("error: no supplier matches")
        assert tools.lookup_order_rows(supplier, product_name=text).startswith("no order row of this supplier matches")
    quoted = db.execute("SELECT name FROM suppliers WHERE name LIKE '%''%' LIMIT 1").fetchone()
    assert quoted is not None, "the data should hold a name with an apostrophe"
    assert records(tools.search_supplier(name=quoted[0]))[0]["name"] == quoted[0]


def test_period_filter_is_overlap(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    supplier, start, end = db.execute(
        "SELECT p.supplier_id, o.period_start, o.period_end FROM order_rows o JOIN products p ON p.id = o.product_id"
    ).fetchone()

    def shown(**period: str) -> set[tuple[str, str]]:
        result = records(tools.lookup_order_rows(supplier, **period))
        return {(row["period_start"], row["period_end"]) for row in result}

    assert (start, end) in shown(period_start=end, period_end=end)
    assert (start, end) in shown(period_start=start, period_end=start)
    assert (start, end) not in shown(period_end="1999-12-31")
    assert (start, end) not in shown(period_start="2099-01-01")


def test_long_results_are_cut_and_say_so(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    total = db.execute("SELECT count(*) FROM suppliers WHERE name LIKE '%a%'").fetchone()[0]
    lines = tools.search_supplier(name="a").splitlines()
    assert len(lines) == MAX_ROWS + 1
    assert lines[-1].startswith(f"({total - MAX_ROWS} more rows not shown; ")


def test_bad_arguments_are_messages_that_say_what_to_do(call: Call, db: sqlite3.Connection) -> None:
    supplier = db.execute("SELECT id FROM suppliers LIMIT 1").fetchone()[0]
    wrong = {
        ("SearchSupplier", "{}"): "give name, iban, bankgiro, postgiro or vat_number",
        ("SearchSupplier", '{"name": "", "iban": null}'): "give name, iban, bankgiro, postgiro or vat_number",
        ("SearchSupplier", '{"bankgiro": "---"}'): "has no letter or digit",
        ("GetOrderBySubscription", "{}"): "Field required",
        ("GetOrderBySubscription", '{"sub_no": ""}'): "sub_no is missing",
        ("GetOrderBySubscription", '{"sub_no": "abc"}'): "sub_no is missing",
        ("GetOrderBySubscription", '{"sub_no": "00000"}'): "check the number",
        ("LookupOrderRows", '{"supplier_id": "nobody"}'): "ids come from SearchSupplier",
        ("LookupOrderRows", '{"supplier_id": null}'): "find the supplier with SearchSupplier first",
    }
    for day in ("2024-02-30", "2024", "1 mars 2024", "20240301", "2024-W09-5"):
        wrong["LookupOrderRows", json.dumps({"supplier_id": supplier, "period_start": day})] = "write YYYY-MM-DD"
    reversed_period = {"supplier_id": supplier, "period_start": "2024-05-01", "period_end": "2024-04-30"}
    wrong["LookupOrderRows", json.dumps(reversed_period)] = "swap them"
    for (name, arguments), expected in wrong.items():
        result = call(name, json.loads(arguments))
        assert result.lower().startswith("error"), (name, arguments, result)
        assert expected in result, (name, arguments, result)
        assert "Traceback" not in result


def test_tc_07_number_forms_of_a_subscription_find_one_row(call: Call, db: sqlite3.Connection) -> None:
    number = db.execute("SELECT subscription_number FROM order_rows LIMIT 1").fetchone()[0]
    expected = call("GetOrderBySubscription", {"sub_no": number})
    assert records(expected)[0]["subscription_number"] == number
    for form in (int(number), float(number), f"#{number}", f" {number[:2]} {number[2:]} "):
        assert call("GetOrderBySubscription", {"sub_no": form}) == expected


def test_sq_01_sq_02_parallel_calls_answer_as_serial_ones(tools: InvoiceTools, db: sqlite3.Connection) -> None:
    numbers = [n for (n,) in db.execute("SELECT DISTINCT subscription_number FROM order_rows LIMIT 64")]
    names = [n for (n,) in db.execute("SELECT name FROM suppliers LIMIT 64")]
    serial = [
        tools.get_order_by_subscription(n) + tools.search_supplier(name=m) for n, m in zip(numbers, names, strict=True)
    ]
    with ThreadPoolExecutor(64) as pool:
        parallel = list(
            pool.map(
                lambda pair: tools.get_order_by_subscription(pair[0]) + tools.search_supplier(name=pair[1]),
                zip(numbers, names, strict=True),
            )
        )
    assert parallel == serial


def test_parallel_http_calls_answer_as_serial_ones(call: Call, db: sqlite3.Connection) -> None:
    numbers = [n for (n,) in db.execute("SELECT DISTINCT subscription_number FROM order_rows LIMIT 64")]
    serial = [call("GetOrderBySubscription", {"sub_no": n}) for n in numbers]

    async def all_at_once() -> list[str]:
        return await asyncio.gather(
            *(asyncio.to_thread(call, "GetOrderBySubscription", {"sub_no": n}) for n in numbers)
        )

    assert asyncio.run(all_at_once()) == serial


def test_sq_03_database_is_opened_read_only(tmp_path: Path) -> None:
    copy = tmp_path / "folder" / "invoices.db"
    copy.parent.mkdir()
    shutil.copy(queries.DATABASE, copy)
    copy.chmod(0o444)
    copy.parent.chmod(0o555)
    connection = queries.connect(copy)
    assert connection.execute("SELECT count(*) FROM suppliers").fetchone()[0] == 149
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM suppliers")
    assert [p.name for p in copy.parent.iterdir()] == ["invoices.db"]
    copy.parent.chmod(0o755)


def test_sq_05_a_wildcard_alone_finds_nothing(tools: InvoiceTools) -> None:
    for text in ("%", "_", "%%"):
        assert tools.search_supplier(name=text).startswith("error: name")


def test_missing_database_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.db does not exist; reinstall"):
        queries.connect(tmp_path / "none.db")
