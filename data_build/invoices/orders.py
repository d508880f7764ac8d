"""Order rows: subscriptions of consecutive delivery periods."""

import calendar
import random
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from data_build.invoices.names import People
from data_build.invoices.scenario import Language

Row = dict[str, Any]

AS_OF = date(2026, 3, 31)
"""The day that the database shows. A constant: what is generated must not depend on the day of the build."""
FIRST_MONTH = date(2022, 1, 1)
LAST_DAY = date(2026, 12, 31)
MAX_ROWS_PER_SUPPLIER = 18  # below the 20 rows or so that one lookup shows
MIN_ROWS_PER_SUPPLIER = 3  # fewer would make the filters of a lookup unnecessary
_PERIOD_MONTHS = {1: 2, 3: 3, 6: 2, 12: 3}  # length of a delivery period: weight
_PERIOD_COUNTS = [1] * 9 + [2] * 6 + [3] * 5 + [4] * 3 + [5] * 2  # delivery periods of each 25 subscriptions
_MODES = {"current": 66, "ended": 26, "ahead": 8}


@dataclass(frozen=True)
class Side:
    """Suppliers and client organisations that trade with each other only: one split of the data."""

    supplier_ids: list[str]
    corporation_ids: list[int]
    order_rows: int


def add_months(day: date, months: int) -> date:
    """The same day of the month, `months` later (the last day of a shorter month)."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def weighted(rng: random.Random, weights: dict[Any, int]) -> Any:
    """One key, drawn by its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def _periods(rng: random.Random, count: int) -> list[tuple[date, date]]:
    """`count` consecutive delivery periods, first and last day, all between FIRST_MONTH and LAST_DAY."""
    length = weighted(rng, _PERIOD_MONTHS)
    # Five years fit between the bounds only if they begin on the first day.
    day = 1 if count * length == 60 or rng.random() < 0.35 else rng.randrange(2, 29)
    mode = weighted(rng, _MODES)
    starts: dict[str, list[date]] = {"current": [], "ended": [], "ahead": []}
    for month in range(60):
        start = add_months(FIRST_MONTH.replace(day=day), month)
        end = add_months(start, count * length) - timedelta(days=1)
        if end > LAST_DAY:
            break
        latest = add_months(start, (count - 1) * length)
        # Only a subscription without earlier periods may lie ahead: earlier ones must have expired.
        if latest > AS_OF and count == 1:
            starts["ahead"].append(start)
        elif latest <= AS_OF:
            starts["ended" if end < AS_OF else "current"].append(start)
    start = rng.choice(starts[mode] or starts["ended"] or starts["current"])
    bounds = [add_months(start, step * length) for step in range(count + 1)]
    return [(first, after - timedelta(days=1)) for first, after in pairwise(bounds)]


def _status(rng: random.Random, start: date, end: date, latest: bool) -> str:
    if not latest:
        return "expired"
    if end < AS_OF:
        return weighted(rng, {"expired": 70, "cancelled": 30})
    if start > AS_OF:
        return "pending"
    return weighted(rng, {"active": 55, "paused": 17, "cancelled": 16, "pending": 12})


def make_order_rows(
    rng: random.Random,
    sides: list[Side],
    products: list[Row],
    departments: list[Row],
    corporation_language: dict[int, Language],
    currency: dict[str, str],
    people: People,
) -> list[Row]:
    """Order rows of every side, exactly `Side.order_rows` each, ids in random order over all sides.

    Every supplier gets MIN_ROWS_PER_SUPPLIER to MAX_ROWS_PER_SUPPLIER rows; subscriptions take turns between
    Swedish and English organisations. Raises ValueError if a side has too many or too few rows for that.
    """
    of_supplier: dict[str, list[Row]] = {}
    for product in products:
        of_supplier.setdefault(product["supplier_id"], []).append(product)
    of_corporation: dict[int, list[Row]] = {}
    for department in departments:
        of_corporation.setdefault(department["corporation_id"], []).append(department)
    sold = Counter[int]()
    taken: set[tuple[int, int]] = set()
    subscriptions: list[list[Row]] = []
    for side in sides:
        for supplier_id, corporation_id, count in _trades(rng, side, corporation_language):
            language = corporation_language[corporation_id]
            # Half of the subscriptions are to a product that the supplier has sold least.
            options = of_supplier[supplier_id]
            fewest = min(sold[p["id"]] for p in options)
            if rng.random() < 0.5:
                options = [p for p in options if sold[p["id"]] == fewest]
            product = rng.choice(options)
            sold[product["id"]] += 1
            # A department subscribes to a product once, or two subscriptions would look the same to a reader.
            free = [d for d in of_corporation[corporation_id] if (product["id"], d["id"]) not in taken]
            department = rng.choice(free or of_corporation[corporation_id])
            taken.add((product["id"], department["id"]))
            subscriptions.append(_subscription(rng, product, department, count, currency[supplier_id]))
            # Some subscribers hold several subscriptions of their organisation, so that a name alone is not enough.
            held = [s[0]["subscriber_name"] for s in subscriptions[:-1] if s[0]["corporation_id"] == corporation_id]
            name = rng.choice(held) if held and rng.random() < 0.15 else people.new(language)
            for row in subscriptions[-1]:
                row |= {"subscriber_name": name, "corporation_id": corporation_id}
    rng.shuffle(subscriptions)
    sub_numbers = rng.sample(range(10000, 100000), len(subscriptions))
    rows: list[Row] = []
    for number, subscription in zip(sub_numbers, subscriptions, strict=True):
        rows += [{"subscription_number": str(number)} | row for row in subscription]
    rng.shuffle(rows)
    order = ("subscription_number", "product_id", "department_id", "subscriber_name", "period_start", "period_end")
    order += ("quantity", "unit_price", "currency", "status")
    return [{"id": number} | {column: row[column] for column in order} for number, row in enumerate(rows, 1)]


def _trades(rng: random.Random, side: Side, corporation_language: dict[int, Language]) -> list[tuple[str, int, int]]:
    """Supplier, organisation and number of delivery periods of each subscription of a side."""
    total = len(side.supplier_ids)
    if not MIN_ROWS_PER_SUPPLIER * total <= side.order_rows <= (MAX_ROWS_PER_SUPPLIER - 4) * total:
        raise ValueError(f"{side.order_rows} order rows do not fit {total} suppliers")
    pools: dict[str, list[int]] = {"sv": [], "en": []}
    for corporation_id in side.corporation_ids:
        pools[corporation_language[corporation_id]].append(corporation_id)
    rows = dict.fromkeys(side.supplier_ids, 0)
    trades: list[tuple[str, int, int]] = []
    # Drawn from a deck for each language: rows that stand alone are rare on the small side, and tasks need them.
    decks: dict[str, list[int]] = {"sv": [], "en": []}
    left = side.order_rows
    while left:
        needy = [s for s, count in rows.items() if count < MIN_ROWS_PER_SUPPLIER]
        # Rows kept back so that every supplier can still reach the minimum.
        reserved = sum(MIN_ROWS_PER_SUPPLIER - rows[s] for s in needy)
        open_suppliers = needy or [s for s, count in rows.items() if count <= MAX_ROWS_PER_SUPPLIER - 5]
        supplier_id = rng.choice(open_suppliers)
        own = max(0, MIN_ROWS_PER_SUPPLIER - rows[supplier_id])
        # Organisations take turns, so that each has subscriptions and both languages have equally many.
        language = "sv" if len(trades) % 2 == 0 else "en"
        if not decks[language]:
            decks[language] = rng.sample(_PERIOD_COUNTS, len(_PERIOD_COUNTS))
        count = min(decks[language].pop(), left - reserved + own)
        pool = pools[language]
        trades.append((supplier_id, pool[len(trades) // 2 % len(pool)], count))
        rows[supplier_id] += count
        left -= count
    return trades


def _subscription(rng: random.Random, product: Row, department: Row, count: int, currency: str) -> list[Row]:
    """Rows of one subscription, oldest first, without number and subscriber."""
    quantity = rng.choice((1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 40))
    low, high = (9900, 189900) if currency == "SEK" else (900, 17900)  # hundredths
    price = rng.randrange(low, high)
    rows: list[Row] = []
    periods = _periods(rng, count)
    for position, (start, end) in enumerate(periods):
        # No whole amounts: a bare number is easily found in a reply by chance.
        price += price % 100 == 0
        rows.append(
            {
                "product_id": product["id"],
                "department_id": department["id"],
                "period_start": start.isoformat(),
                "period_end": end.isoformat(),
                "quantity": quantity,
                "unit_price": price / 100,
                "currency": currency,
                "status": _status(rng, start, end, position == len(periods) - 1),
            }
        )
        price += price * rng.randrange(1, 6) // 100
        quantity = max(1, quantity + rng.choice((0, 0, 0, 1, -1)))
    return rows
