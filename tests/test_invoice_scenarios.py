"""The sampled scenarios: mix, gold and separation, and that every check fails on what it is there for."""

import shutil
import sqlite3
from collections import Counter

import pytest

from data_build.invoices.checks import check_scenarios
from data_build.invoices.database import build_database
from data_build.invoices.lookup import call_tool, open_database
from data_build.invoices.scenario import ToolCall
from data_build.invoices.scenarios import sample_scenarios

SEED = 11


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("invoices") / "invoices.db"
    build_database(path, SEED)
    return path


@pytest.fixture(scope="module")
def scenarios(db):
    return sample_scenarios(db, SEED)


def one(scenarios, question_type, **wanted):
    """The first scenario of a kind."""
    return next(
        s
        for s in scenarios
        if s.question_type == question_type and all(getattr(s, key) == value for key, value in wanted.items())
    )


def problems_of(db, scenario):
    """Problems of one scenario by itself; a list of one has the wrong mix, which is another matter."""
    return [p for p in check_scenarios(db, [scenario]) if p.startswith(f"scenario {scenario.index}:")]


def test_no_problem_is_found(db, scenarios):
    assert check_scenarios(db, scenarios) == []


def test_counts_and_mix_are_those_of_the_study(scenarios):
    assert len(scenarios) == 2000
    assert Counter(s.split for s in scenarios) == {"train": 1800, "validation": 200}
    for split in ("train", "validation"):
        part = [s for s in scenarios if s.split == split]
        easy = [
            s for s in part if s.question_type in ("subscription_product", "subscription_period", "supplier_details")
        ]
        assert len(easy) / len(part) == 0.58
        assert all(len(s.path) == 1 for s in easy)
        assert all(len(s.path) == 2 for s in part if s.question_type.startswith("orders_by"))
        assert sum(s.sender == "staff" for s in part) / len(part) == 0.85
        assert sum(s.language == "sv" for s in part) / len(part) == 0.5
        assert len({s.question_type for s in part}) == 5


def test_the_splits_share_no_name(scenarios):
    seen: dict[str, set[str]] = {"train": set(), "validation": set()}
    for s in scenarios:
        words = {value for key, value in s.facts.items() if key.endswith("_name")}
        words |= {v for key, v in zip(s.asked, s.gold_values, strict=True) if key in ("product_name", "supplier_name")}
        seen[s.split] |= words | {s.sender_name, s.corporation, *s.supplier_ids}
    assert len(seen["validation"]) > 100
    assert not seen["train"] & seen["validation"]


def test_an_order_row_is_the_answer_of_one_lookup_at_most(scenarios):
    lookups = Counter(tuple(sorted(s.facts.items())) for s in scenarios if s.question_type.startswith("orders_by"))
    assert max(lookups.values()) == 1


def test_the_filters_of_a_lookup_are_needed(db, scenarios):
    with open_database(db) as connection:
        for s in scenarios[::10]:
            if s.question_type.startswith("orders_by"):
                assert (
                    len(
                        call_tool(
                            connection, ToolCall(name="LookupOrderRows", arguments={"supplier_id": s.supplier_ids[0]})
                        )
                    )
                    >= 3
                )


def test_quotes_in_names_survive_the_gold_sql(db, scenarios):
    quoted = [s for s in scenarios if "'" in s.facts.get("supplier_name", "")]
    assert quoted
    with open_database(db) as connection:
        for s in quoted:
            assert [list(map(str, row)) for row in connection.execute(s.gold_sql)] == [s.gold_values]


def test_same_seed_same_scenarios(db, scenarios):
    assert sample_scenarios(db, SEED) == scenarios


def test_another_seed_gives_other_scenarios(db, scenarios):
    other = sample_scenarios(db, SEED + 1)
    assert other != scenarios
    assert check_scenarios(db, other) == []


def test_tools_match_identifiers_and_names_loosely(db, scenarios):
    s = one(scenarios, "orders_by_bank_identifier")
    (key, value), *_ = s.facts.items()
    loose = " ".join(value.replace("-", "")).lower()
    with open_database(db) as connection:
        (found,) = call_tool(connection, ToolCall(name="SearchSupplier", arguments={key: loose}))
        assert found["supplier_id"] == s.supplier_ids[0]
        part = found["supplier_name"].split()[0].upper()
        names = call_tool(connection, ToolCall(name="SearchSupplier", arguments={"name": part}))
        assert found in names
        other = call_tool(connection, ToolCall(name="SearchSupplier", arguments={"name": "no such", key: loose}))
        assert other == []


@pytest.mark.parametrize("question_type", ["subscription_product", "supplier_details", "orders_by_supplier_name"])
def test_a_scenario_by_itself_has_no_problem(db, scenarios, question_type):
    assert problems_of(db, one(scenarios, question_type)) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: {"gold_values": ["x", *s.gold_values[1:]]}, "gold SQL returns"),
        (lambda s: {"gold_sql": "SELECT nothing FROM nowhere"}, "gold SQL fails"),
        (lambda s: {"gold_sql": s.gold_sql.split(" WHERE ")[0]}, "gold SQL returns"),
        (lambda s: {"gold_values": []}, "empty list"),
        (lambda s: {"asked": [*s.asked, "status"]}, "asks for"),
        (lambda s: {"asked": ["shoe_size"]}, "unknown columns"),
        (lambda s: {"asked": ["status"]}, "asks only for what can be guessed"),
        (lambda s: {"facts": s.facts | {"note": s.gold_values[0]}}, "stands in the facts or names"),
        (lambda s: {"sender_name": s.gold_values[0]}, "stands in the facts or names"),
        (lambda s: {"facts": s.facts | {"subscriber_name": "Nobody Atall"}}, "fact subscriber_name"),
        (lambda s: {"path": []}, "path fails: no calls"),
        (lambda s: {"path": s.path[1:]}, "path fails: LookupOrderRows needs one supplier"),
        (lambda s: {"path": [ToolCall(name="GetOrderBySubscription", arguments={})]}, "path fails"),
        (lambda s: {"path": [ToolCall(name="SearchSupplier", arguments={}), s.path[1]]}, "path fails"),
        (
            lambda s: {
                "path": [s.path[0], ToolCall(name="LookupOrderRows", arguments={"supplier_id": "$supplier_id"})]
            },
            "records match the facts",
        ),
        (lambda s: {"supplier_ids": []}, "supplier_ids lacks"),
        (lambda s: {"corporation_ids": []}, "corporation_ids lacks"),
        (lambda s: {"corporation": "Elsewhere Ltd"}, "another organisation"),
        (lambda s: {"language": "sv" if s.language == "en" else "en"}, "writes in the other language"),
        (lambda s: {"split": "validation"}, "belongs to the other split"),
        (lambda s: {"sender": "customer"}, "a customer must be the subscriber"),
    ],
)
def test_a_broken_scenario_is_caught(db, scenarios, change, expected):
    scenario = one(scenarios, "orders_by_supplier_name", split="train", sender="staff")
    broken = scenario.model_copy(update=change(scenario))
    assert any(expected in problem for problem in problems_of(db, broken))


@pytest.fixture
def altered(db, tmp_path):
    """A copy of the database and a function that changes it."""
    copy = tmp_path / "altered.db"
    shutil.copy(db, copy)

    def change(sql, values=()):
        connection = sqlite3.connect(copy)
        with connection:
            assert connection.execute(sql, values).rowcount != 0
        connection.close()
        return copy

    return change


def test_a_tie_for_the_latest_period_is_caught(altered, scenarios):
    s = one(scenarios, "subscription_period")
    # The schema forbids such a tie, so the table is made anew without its constraints.
    for sql in ("CREATE TABLE loose AS SELECT * FROM order_rows", "DROP TABLE order_rows"):
        altered(sql)
    altered("ALTER TABLE loose RENAME TO order_rows")
    path = altered(
        "INSERT INTO order_rows SELECT 99999, subscription_number, product_id, department_id, subscriber_name, "
        "period_start, period_end, quantity, unit_price, currency, status FROM order_rows "
        "WHERE subscription_number = ? ORDER BY period_start DESC LIMIT 1",
        [s.facts["subscription_number"]],
    )
    found = problems_of(path, s)
    assert any("gold SQL returns" in p for p in found) and any("two rows tie" in p for p in found)


def test_a_second_department_on_a_subscription_is_caught(db, altered, scenarios):
    with open_database(db) as connection:
        for s in scenarios:
            rows = call_tool(connection, s.path[0]) if s.question_type == "subscription_product" else []
            if len(rows) > 1:
                break
        else:
            pytest.fail("no subscription with two periods")
    sql = "UPDATE order_rows SET department_id = 1 + department_id % 300 WHERE id = ?"
    found = problems_of(altered(sql, [rows[0]["id"]]), s)
    assert any("gold SQL returns" in p for p in found) and any("differ in product or department" in p for p in found)


def test_a_supplier_name_inside_another_is_caught(altered, scenarios):
    s = one(scenarios, "orders_by_supplier_name")
    sql = "UPDATE suppliers SET name = ? WHERE id != ? AND id = (SELECT min(id) FROM suppliers WHERE id != ?)"
    path = altered(sql, [f"Nya {s.facts['supplier_name']}", s.supplier_ids[0], s.supplier_ids[0]])
    assert any("needs one supplier" in p for p in problems_of(path, s))


def test_a_second_row_in_the_period_is_caught(altered, scenarios):
    s = next(s for s in scenarios if set(s.facts) == {"supplier_name", "period_start", "period_end"})
    sql = (
        "UPDATE order_rows SET period_end = '2026-12-31', period_start = '2022-01-02' WHERE id = (SELECT min(o.id) "
        "FROM order_rows o JOIN products p ON p.id = o.product_id WHERE p.supplier_id = ? AND o.period_start != ?)"
    )
    path = altered(sql, [s.supplier_ids[0], s.facts["period_start"]])
    assert any("2 records match the facts" in p for p in problems_of(path, s))


def test_changed_gold_in_the_database_is_caught(altered, scenarios):
    s = one(scenarios, "supplier_details", asked=["iban"])
    path = altered("UPDATE suppliers SET iban = 'SE00' WHERE id = ?", s.supplier_ids)
    assert any("gold SQL returns" in p for p in problems_of(path, s))


def test_a_short_list_is_caught(db, scenarios):
    problems = check_scenarios(db, scenarios[:3])
    assert any("indexes are not" in p for p in problems)
    assert any("0 tasks of ('supplier_details'" in p for p in problems if p.startswith("validation"))


def test_a_repeated_task_is_caught(db, scenarios):
    first = scenarios[0]
    place = next(s.index for s in scenarios if s.question_type != first.question_type)
    problems = check_scenarios(
        db, [first.model_copy(update={"index": s.index}) if s.index == place else s for s in scenarios]
    )
    assert any(p.startswith("2 tasks state") for p in problems)
    assert sum(p.startswith("train: ") for p in problems) == 2  # one cell has a task too many, one too few


def test_a_supplier_in_both_splits_is_caught(db, scenarios):
    shared = scenarios[0].supplier_ids
    last = scenarios[-1].model_copy(update={"supplier_ids": [*scenarios[-1].supplier_ids, *shared]})
    assert f"{shared[0]} is touched by both splits" in check_scenarios(db, [*scenarios[:-1], last])
