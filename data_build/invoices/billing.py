"""Invoices over the order rows; every amount adds up to the hundredth."""

import random
from datetime import date, timedelta

from data_build.invoices import numbers
from data_build.invoices.orders import AS_OF, Row, weighted

VAT_RATE = {"media": 6}  # per cent, by product category; printed matter has the reduced rate
_STANDARD_VAT = 25


def make_invoices(
    rng: random.Random,
    count: int,
    order_rows: list[Row],
    products: list[Row],
    departments: list[Row],
    terms: dict[str, int],
) -> tuple[list[Row], list[Row]]:
    """`count` invoices and their rows; an order row stands on one invoice at most, a pending one on none.

    All rows of an invoice have one supplier, organisation and currency. `terms`: payment terms in days by
    supplier. Raises ValueError if the order rows cannot fill `count` invoices.
    """
    product = {p["id"]: p for p in products}
    corporation = {d["id"]: d["corporation_id"] for d in departments}
    groups: dict[tuple[str, int, str], list[Row]] = {}
    for row in sorted(order_rows, key=lambda r: (r["period_start"], r["id"])):
        if row["status"] != "pending":
            key = (product[row["product_id"]]["supplier_id"], corporation[row["department_id"]], row["currency"])
            groups.setdefault(key, []).append(row)
    batches = list(groups.items())
    rng.shuffle(batches)
    # Surplus batches stay without an invoice yet; missing ones come from cutting the longest in two.
    batches = batches[:count]
    while len(batches) < count:
        longest = max(range(len(batches)), key=lambda i: len(batches[i][1]))
        key, rows = batches[longest]
        if len(rows) < 2:
            raise ValueError(f"{len(order_rows)} order rows cannot fill {count} invoices")
        batches[longest] = (key, rows[: len(rows) // 2])
        batches.append((key, rows[len(rows) // 2 :]))
    batches.sort(key=lambda batch: (batch[1][-1]["period_start"], batch[1][-1]["id"]))
    invoices: list[Row] = []
    lines: list[Row] = []
    ocr = numbers.Unique(rng)
    for number, ((supplier_id, corporation_id, currency), rows) in enumerate(batches, 1):
        total = 0
        for row in rows:
            net = row["quantity"] * round(row["unit_price"] * 100)
            rate = VAT_RATE.get(product[row["product_id"]]["category"], _STANDARD_VAT)
            vat = (net * rate + 50) // 100
            total += net + vat
            line = {"id": len(lines) + 1, "invoice_id": number, "order_row_id": row["id"]}
            lines.append(line | {"net_amount": net / 100, "vat_amount": vat / 100})
        newest = date.fromisoformat(rows[-1]["period_start"])
        issued = min(newest + timedelta(days=rng.randrange(20)), AS_OF)
        due = issued + timedelta(days=terms[supplier_id])
        if due >= AS_OF:
            status = weighted(rng, {"unpaid": 80, "paid": 20})
        else:
            status = weighted(rng, {"paid": 90, "overdue": 6, "credited": 4})
        invoices.append(
            {
                "id": number,
                "invoice_number": f"F{issued.year}-{number:04d}",
                "supplier_id": supplier_id,
                "corporation_id": corporation_id,
                "ocr": ocr.draw(numbers.ocr),
                "invoice_date": issued.isoformat(),
                "due_date": due.isoformat(),
                "total": total / 100,
                "currency": currency,
                "status": status,
            }
        )
    return invoices, lines
