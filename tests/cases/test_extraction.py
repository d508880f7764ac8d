r"""Reported faults of reading the final answer off a mathematical reply; the ids are those of the public reports.

EX-04: several boxes are one answer with a blank after each comma. EX-10: a run-on question ends the search for `####`.
EX-11: an unmarked answer scores 0; `lenient` accuracy is a matter of the baseline, not of the reward.
"""

import pytest

from slm_rewards.math import accuracy_blocking, extract_answer

CASES = [
    pytest.param(r"\boxed{3}, \boxed{5}, \boxed{7}", "3,5,7", "3, 5, 7", 1.0, id="EX-04"),
    pytest.param("I think the total could be 42 or maybe 57", "42", None, 0.0, id="EX-05"),
    pytest.param(r"<think>maybe it is \boxed{9} but let me check", "9", None, 0.0, id="EX-06"),
    pytest.param(r"<think>\boxed{9}</think> The result is \boxed{4}.", "4", "4", 1.0, id="EX-07"),
    pytest.param(r"<think>try \boxed{9}</think> The answer is 4", "9", None, 0.0, id="EX-08"),
    pytest.param("#### 42\n" + "and so on. " * 60, "42", "42", 1.0, id="EX-09"),
    pytest.param("#### 12\nQuestion: next one\nAnswer: #### 99", "12", "12", 1.0, id="EX-10"),
    pytest.param("The total is 18.", "18", None, 0.0, id="EX-11"),
    pytest.param(r"\boxed{\text{E}}", "E", r"\text{E}", 1.0, id="EX-15"),
    pytest.param(r"so \boxed{7", "7", None, 0.0, id="EX-16"),
]


@pytest.mark.parametrize(("reply", "gold", "answer", "score"), CASES)
def test_extraction(reply: str, gold: str, answer: str | None, score: float) -> None:
    assert extract_answer(reply) == answer
    assert accuracy_blocking(reply, gold) == score
