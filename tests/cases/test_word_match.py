"""Reported faults of matching values in text; the ids are those of the public reports they were learnt from."""

import pytest

from slm_rewards import extra_values, gold_fraction

CASES = [
    pytest.param(["Nordkust Service AB (publ)"], "Leverantör: Nordkust Service AB (publ).", 1.0, id="WM-01"),
    pytest.param(["50%"], "Rabatten är 50% i maj.", 1.0, id="WM-02"),
    pytest.param(["Bo"], "Bo\u0308rje svarade", 0.0, id="WM-05"),
    pytest.param(["1234.50"], "Summan är 1\u00a0234,50 kr.", 1.0, id="WM-06"),
    pytest.param(["5"], "Saldot är -5.", 0.0, id="WM-09"),
    pytest.param(["5987-1236"], "Bankgiro 59871236", 1.0, id="WM-11"),
    pytest.param(["SE559900123601"], "org.nr 559900-1236", 0.0, id="WM-12"),
    pytest.param(["IT"], "It is not clear which department.", 0.0, id="WM-15"),
    pytest.param(["2024-03-01"], "perioden börjar 1 mars 2024", 1.0, id="WM-18"),
]


@pytest.mark.parametrize(("gold_values", "reply", "expected"), CASES)
def test_gold_fraction(gold_values: list[str], reply: str, expected: float) -> None:
    assert gold_fraction(reply, gold_values) == expected


def test_wm_13_a_reply_that_lists_every_row_is_flagged() -> None:
    gold = ["Kontorspapper A4", "Ekonomi"]
    products = [f"Produkt nr {i} X" for i in range(39)] + gold[:1]
    departments = [f"Avdelning {i}" for i in range(11)] + gold[1:]
    reply = "\n".join(products + departments)
    assert gold_fraction(reply, gold) == 1.0
    assert extra_values(reply, products + departments, gold) == 50
