"""Reported faults of generated task data and of answers that leak into the question, by id."""

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from data_build.invoices.checks import check_scenarios
from data_build.invoices.mails import problems, write
from data_build.invoices.scenario import Scenario
from data_build.invoices.scenarios import sample_scenarios
from slm_rewards import gold_fraction
from supplier_invoices import queries
from supplier_invoices.checks import check_task
from supplier_invoices.taskset import rows


@pytest.fixture(scope="module")
def scenarios() -> list[Scenario]:
    return sample_scenarios(queries.DATABASE, 0)


def good_mail(scenario: Scenario) -> str:
    mails = (write(scenario, random.Random(seed)) for seed in range(20))
    return next(mail for mail in mails if not problems(mail, scenario))


def test_wm_16_gold_in_the_mail_is_a_leak_in_every_form_the_reward_counts(scenarios: list[Scenario]) -> None:
    scenario = next(s for s in scenarios if "department_name" in s.asked)
    value = scenario.gold_values[scenario.asked.index("department_name")]
    mail = good_mail(scenario)
    for form in (value, value.upper(), f"**{value}**", value.replace(" ", "\u00a0")):
        assert f"leaks department_name: {value!r}" in problems(f"{mail}\n{form}\n", scenario)


@pytest.mark.parametrize("form", ["{y}-{m:02}", "{d} {sv} {y}", "{en} {y}", "{d}/{m} {y}", "{d}/{m}", "{en} {d}, {y}"])
def test_wm_17_gold_day_in_another_form_is_a_leak(scenarios: list[Scenario], form: str) -> None:
    sv = "januari februari mars april maj juni juli augusti september oktober november december".split()
    en = "January February March April May June July August September October November December".split()
    scenario = next(s for s in scenarios if s.question_type == "subscription_period")
    year, month, day = (int(part) for part in scenario.gold_values[0].split("-"))
    told = form.format(y=year, m=month, d=day, sv=sv[month - 1], en=en[month - 1])
    found = problems(f"{good_mail(scenario)}\n{told}\n", scenario)
    assert any(problem.startswith("leaks period_start") for problem in found), found


def test_dq_06_gold_that_its_sql_does_not_return_is_found(scenarios: list[Scenario]) -> None:
    wrong = scenarios[3].model_copy(update={"gold_values": scenarios[4].gold_values})
    changed = [*scenarios[:3], wrong, *scenarios[4:]]
    assert check_scenarios(queries.DATABASE, scenarios) == []
    found = check_scenarios(queries.DATABASE, changed)
    assert [problem.split(" returns ")[0] for problem in found if "gold SQL" in problem] == ["scenario 3: gold SQL"]


def test_dq_07_a_second_row_that_fits_the_facts_is_found(scenarios: list[Scenario], tmp_path: Path) -> None:
    copy = tmp_path / "invoices.db"
    shutil.copy(queries.DATABASE, copy)
    scenario = next(s for s in scenarios if s.question_type == "orders_by_supplier_name" and s.asked[0] != "status")
    names = {"product_name": "p.name", "subscriber_name": "o.subscriber_name"}
    columns = {**names, "period_start": "o.period_start", "period_end": "o.period_end", "supplier_name": "s.name"}
    where = " AND ".join(f"{columns[name]} = ?" for name in scenario.facts)
    with sqlite3.connect(copy) as connection:
        tables = "order_rows o JOIN products p ON p.id = o.product_id JOIN suppliers s ON s.id = p.supplier_id"
        (row,) = connection.execute(f"SELECT o.id FROM {tables} WHERE {where}", tuple(scenario.facts.values()))
        others = "product_id, department_id, subscriber_name, period_start, period_end, quantity, unit_price, currency"
        connection.execute(
            f"INSERT INTO order_rows (subscription_number, {others}, status) "
            f"SELECT '00001', {others}, status FROM order_rows WHERE id = ?",
            row,
        )
    connection.close()
    assert check_scenarios(copy, scenarios) != []


def test_dq_11_every_row_has_full_zero_and_malformed_fixtures() -> None:
    row = rows()[0]
    assert check_task(row, rows()) == []
    assert gold_fraction(", ".join(row.gold_values), row.gold_values) == 1.0
    for reply in ("", None, '<tool_call>{"name": "SearchSupplier"', "<think>" + " ".join(row.gold_values)):
        assert gold_fraction(reply, row.gold_values) == 0.0
