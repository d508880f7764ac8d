r"""Reported faults of mathematical verdicts; the ids are those of the public reports they were learnt from.

MV-12: a bare list is refused where the gold is a pair (math-verify's own tests accept it). MV-21: a rounded decimal is
refused. MV-38 and MV-39: another unit or base is another value.
"""

import pytest

from slm_rewards.math import accuracy_blocking, check_golds, judge_blocking

PMATRIX = r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"
CASES = [
    pytest.param(r"\frac{1}{2^{90}}", r"\frac{1}{2^{91}}", False, id="MV-01"),
    pytest.param(r"\frac{1}{40!}", r"\frac{1}{41!}", False, id="MV-02"),
    pytest.param("k=2,5,9", "k=1,5,9", False, id="MV-04"),
    pytest.param("12:30", "1:30", False, id="MV-05"),
    pytest.param(r"\{2,6,11\}", r"\{2,6\}", False, id="MV-07"),
    pytest.param("(3,8)", "3<x<8", True, id="MV-08"),
    pytest.param("[3,8)", "(3,8)", False, id="MV-10"),
    pytest.param(r"(-\infty,2)\cup(9,\infty)", r"x<2 \text{ or } x>9", True, id="MV-11"),
    pytest.param("(2,7)", "2,7", False, id="MV-12"),
    pytest.param("(2,7)", "(7,2)", False, id="MV-13"),
    pytest.param("y=3x-4", "3x-y-4=0", True, id="MV-14"),
    pytest.param("6", r"6\sqrt(2)", False, id="MV-17"),
    pytest.param("e^{12}-1", "-1+exp(12)", True, id="MV-19"),
    pytest.param("9-i", "9.0 + -1.0i", True, id="MV-20"),
    pytest.param(r"\frac{100}{7}", "14.29", False, id="MV-21"),
    pytest.param(r"\frac{1}{3}", r"\frac13", True, id="MV-23"),
    pytest.param(r"\frac{5}{12}", "5/12", True, id="MV-24"),
    pytest.param("29", r"\$29.00", True, id="MV-25"),
    pytest.param("31", "31.", True, id="MV-26"),
    pytest.param("31", "**31**", True, id="MV-27"),
    pytest.param("25", "25 dollars", True, id="MV-28"),
    pytest.param("25", "25 €", True, id="MV-29"),
    pytest.param("12450", "12 450", True, id="MV-31"),
    pytest.param("12450", "12\u00a0450", True, id="MV-33"),
    pytest.param(r"\text{(C)}", r"\text{(B)}", False, id="MV-37"),
    pytest.param(r"5\text{ cm}", r"5\text{ m}", False, id="MV-38"),
    pytest.param("2516_8", "2516_9", False, id="MV-39"),
    pytest.param("123456789012345678", "123456789012345679", False, id="MV-40"),
    pytest.param(PMATRIX, PMATRIX.replace("pmatrix", "bmatrix"), True, id="MV-41"),
    pytest.param(r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1&2\end{pmatrix}", False, id="MV-42"),
    pytest.param(r"(3,\frac{\pi}{2})", r"\left( 3 ,\; \frac{\pi}{2} \right)", True, id="MV-43"),
    pytest.param(r"\text{Tuesday}", r"\text{Thursday}", False, id="MV-46"),
    pytest.param("5", "five", True, id="MV-48"),
    pytest.param(r"\boxed{11}", r"\boxed{11}", True, id="MV-52"),
]


@pytest.mark.parametrize(("gold", "answer", "same"), CASES)
def test_verdict(gold: str, answer: str, same: bool) -> None:
    assert judge_blocking(answer, gold) is same
    assert accuracy_blocking(rf"so it is $\boxed{{{answer}}}$.", gold) == float(same)


def test_mv_49_the_gold_comes_first_and_an_interval_may_be_written_as_an_inequality() -> None:
    """math-verify refuses this pair gold first and accepts it swapped; here the gold is named, and MV-08 holds."""
    assert judge_blocking(answer="2<x<7", gold="(2,7)")
    assert judge_blocking(answer="(2,7)", gold="2<x<7")
    assert not judge_blocking(answer="2,7", gold="(2,7)")
    assert judge_blocking(answer="(2,7)", gold="2,7"), "swapped arguments would pass: the order matters"


def test_mv_50_a_gold_that_cannot_be_parsed_is_refused_at_load_and_never_rewarded() -> None:
    golds = {str(row): "4" for row in range(199)} | {"199": "see the figure"}
    assert list(check_golds(golds)) == ["199"]
    assert not judge_blocking("4", "see the figure")
    assert accuracy_blocking(r"\boxed{4}", "see the figure") == 0.0
