"""Samples the 2,000 scenarios from a database: facts, question, gold, and the calls that reach it.

Each slot of the mix (`mix.validation_slots`, nine times over for training) is filled with an order row, a
subscription or a supplier of its side that no other slot of its kind has used.
"""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from data_build.invoices.database import FIRST_VALIDATION_CORPORATION
from data_build.invoices.lookup import (
    SUPPLIER_COLUMNS,
    Row,
    gold_sql,
    open_database,
    order_rows,
    scripted_path,
    suppliers,
)
from data_build.invoices.mix import (
    ASKED_OF_ORDERS,
    ASKED_OF_SUBSCRIPTIONS,
    FILTERS,
    TRAIN,
    VALIDATION,
    Slot,
    validation_slots,
)
from data_build.invoices.names import LANGUAGES, Distinct, People
from data_build.invoices.scenario import Language, Scenario, Split
from slm_rewards import gold_fraction

_STAFF_PER_CORPORATION = 6
_STAFF_SEED = 1_000_000
"""Added to the seed for the names of staff: with the same seed Faker would draw the subscribers again."""


def sample_scenarios(db: Path, seed: int) -> list[Scenario]:
    """All scenarios in index order: 0-1799 train, 1800-1999 validation. A function of database and seed alone.

    Raises ValueError if the database has too few order rows that facts single out for a slot.
    """
    rng = random.Random(seed)
    with open_database(db) as connection:
        rows, all_suppliers = order_rows(connection), suppliers(connection)
        taken = Distinct()
        for name in sorted({row["subscriber_name"] for row in rows}):
            taken.add(name)
        staff = _staff(rows, People(seed + _STAFF_SEED, taken))
        scenarios: list[Scenario] = []
        for split, times in (("train", TRAIN // VALIDATION), ("validation", 1)):
            sampler = _Sampler(rng, split, rows, all_suppliers, staff)
            filled = [sampler.fill(slot) for slot in sampler.in_order(validation_slots() * times)]
            rng.shuffle(filled)
            scenarios += filled
    return [scenario.model_copy(update={"index": index}) for index, scenario in enumerate(scenarios)]


def _staff(rows: list[Row], people: People) -> dict[int, list[str]]:
    """Invented employees by corporation id; none bears the name of a subscriber."""
    languages: dict[int, Language] = {row["corporation_id"]: row["language"] for row in rows}
    return {
        corporation_id: [people.new(languages[corporation_id]) for _ in range(_STAFF_PER_CORPORATION)]
        for corporation_id in sorted(languages)
    }


class _Sampler:
    """Fills the slots of one split and remembers what was used."""

    def __init__(
        self, rng: random.Random, split: Split, rows: list[Row], all_suppliers: list[Row], staff: dict[int, list[str]]
    ) -> None:
        validation = split == "validation"
        self.rng, self.split, self.staff = rng, split, staff
        self.rows = [r for r in rows if (r["corporation_id"] >= FIRST_VALIDATION_CORPORATION) == validation]
        rng.shuffle(self.rows)
        traded = {row["supplier_id"] for row in self.rows}
        self.suppliers = [s for s in all_suppliers if s["supplier_id"] in traded]
        rng.shuffle(self.suppliers)
        self.homes = {
            language: sorted({(r["corporation_id"], r["corporation"]) for r in self.rows if r["language"] == language})
            for language in LANGUAGES
        }
        self.latest: dict[str, Row] = {}
        for row in sorted(self.rows, key=lambda r: r["period_start"]):
            self.latest[row["subscription_number"]] = row
        self.used: set[tuple[str, object]] = set()
        self.counts: Counter[tuple[object, ...]] = Counter()
        self.pools: dict[tuple[Language, tuple[str, ...]], list[Row]] = {}
        for filters in FILTERS:
            singled_out = [row for row in self.rows if self._singles_out(row, filters)]
            for language in LANGUAGES:
                self.pools[language, filters] = [row for row in singled_out if row["language"] == language]

    def in_order(self, slots: Iterable[Slot]) -> list[Slot]:
        """Slots with the least choice first."""
        return sorted(slots, key=lambda s: (FILTERS.index(s.filters) if s.filters else len(FILTERS), s.sender))

    def _singles_out(self, row: Row, filters: tuple[str, ...]) -> bool:
        """Whether a lookup of the row's supplier with these facts returns this row only."""
        facts = {name: row[name] for name in filters}
        start, end = facts.get("period_start", "0000-01-01"), facts.get("period_end", "9999-12-31")
        return all(
            other is row
            or other["supplier_id"] != row["supplier_id"]
            or other["period_end"] < start
            or other["period_start"] > end
            or any(facts[name] not in other[name] for name in ("product_name", "subscriber_name") if name in facts)
            for other in self.rows
        )

    def fill(self, slot: Slot) -> Scenario:
        """A scenario for a slot, from the least used supplier that fits. Raises ValueError if nothing fits."""
        if slot.question_type == "supplier_details":
            candidates, key = self.suppliers, slot.given
        elif slot.filters:
            candidates, key = self.pools[slot.language, slot.filters], "order row"
        else:
            candidates = [row for row in self.latest.values() if row["language"] == slot.language]
            key = slot.question_type
        identity = "supplier_id" if slot.question_type == "supplier_details" else "id"
        free = [row for row in candidates if (key, row[identity]) not in self.used]
        # An answer that no other task has comes first, then the least used supplier; ties keep their random order.
        asked = ASKED_OF_SUBSCRIPTIONS.get(slot.question_type, ())
        free.sort(
            key=lambda r: (
                self.counts[slot.question_type, *(r[name] for name in asked)],
                self.counts[slot.question_type, r["supplier_id"]],
                self.counts[r["supplier_id"],],
            )
        )
        for row in free:
            scenario = self._scenario(slot, row)
            if scenario is not None:
                self.used.add((key, row[identity]))
                self.counts[slot.question_type, *(row[name] for name in asked)] += 1
                self.counts[slot.question_type, row["supplier_id"]] += 1
                self.counts[row["supplier_id"],] += 1
                return scenario
        raise ValueError(f"{self.split}: no order row or supplier is left for {slot}")

    def _asked(self, slot: Slot, facts: dict[str, str], about: str) -> list[tuple[str, ...]]:
        """What the slot can ask, least asked so far first: about this subscription or supplier, then at all."""
        if slot.question_type in ASKED_OF_SUBSCRIPTIONS:
            return [ASKED_OF_SUBSCRIPTIONS[slot.question_type]]
        options = ASKED_OF_ORDERS
        if slot.question_type == "supplier_details":
            options = list(combinations(SUPPLIER_COLUMNS, slot.asked_count))
            # An address alone can be guessed from the name.
            options = [asked for asked in options if asked != ("email",)]
        options = [asked for asked in options if len(asked) == slot.asked_count and not set(asked) & set(facts)]
        self.rng.shuffle(options)
        return sorted(options, key=lambda a: (self.counts[about, a], self.counts[slot.question_type, slot.language, a]))

    def _scenario(self, slot: Slot, row: Row) -> Scenario | None:
        facts = {name: row[name] for name in (slot.given, *slot.filters)}
        if slot.question_type == "supplier_details":
            homes = self.homes[slot.language]
            corporation_id, corporation = min(homes, key=lambda home: self.counts["details", home[0]])
        else:
            corporation_id, corporation = row["corporation_id"], row["corporation"]
        if slot.sender == "customer":
            sender_name = row["subscriber_name"]
        else:
            staff = self.staff[corporation_id]
            sender_name = staff[self.counts["staff", corporation_id] % len(staff)]
        stated = "\n".join([*facts.values(), sender_name, corporation])
        about = row.get("subscription_number", row["supplier_id"])
        for asked in self._asked(slot, facts, about):
            gold = [row[name] for name in asked]
            if gold_fraction(stated, gold) > 0:
                continue
            self.counts[slot.question_type, slot.language, asked] += 1
            self.counts[about, asked] += 1
            self.counts["staff", corporation_id] += slot.sender == "staff"
            self.counts["details", corporation_id] += slot.question_type == "supplier_details"
            return Scenario(
                index=0,
                split=self.split,
                question_type=slot.question_type,
                language=slot.language,
                sender=slot.sender,
                sender_name=sender_name,
                corporation=corporation,
                facts=facts,
                asked=list(asked),
                gold_sql=gold_sql(slot.question_type, facts, list(asked)),
                gold_values=gold,
                path=scripted_path(slot.question_type, facts),
                supplier_ids=[row["supplier_id"]],
                corporation_ids=[corporation_id],
            )
        return None
