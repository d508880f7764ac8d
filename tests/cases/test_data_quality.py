"""Reported faults of mathematics data, by id: wrong golds, and benchmark problems inside training data."""

import re
from pathlib import Path

import pytest

from math_reasoning.contamination import overlaps, refuse_overlaps
from math_reasoning.known_bad import KNOWN_BAD
from math_reasoning.rows import Row
from math_reasoning.sources import load_rows
from math_reasoning.taskset import MathReasoningConfig, MathReasoningTaskset

SHARED = Path(__file__).parents[3] / "shared" / "data"


def row(identity: str, question: str) -> Row:
    return Row(id=identity, question=question, answer="1", source="test")


def test_dq_01_known_bad_golds_are_listed_with_the_data_and_left_out() -> None:
    files = [SHARED / f"gsm8k_{split}.jsonl.gz" for split in ("train", "test")]
    if not all(path.exists() for path in files):
        pytest.skip("GSM8K is not beside the repository")
    golds = {row.id: row.answer for path in files for row in load_rows("gsm8k", path=path)}
    assert len(KNOWN_BAD) == 23
    for identity, reason in KNOWN_BAD.items():
        assert re.match(rf"gold {golds[identity]}\b", reason), identity

    def load(exclude: bool) -> list:
        config = MathReasoningConfig(dataset="gsm8k", path=str(files[1]), exclude_known_bad=exclude)
        return list(MathReasoningTaskset(config))

    without, everything = load(True), load(False)
    assert (len(without), len(everything)) == (1309, 1319)
    flagged = {task.data.id: task.data.known_bad for task in everything if task.data.known_bad}
    assert set(flagged) == {task.data.id for task in everything} - {task.data.id for task in without}
    assert all(reason == KNOWN_BAD[str(identity)] for identity, reason in flagged.items())


TRAINING = [
    pytest.param("Find  k such that\n$\\left( 3k+1 \\right)^2 = \\dfrac{49}{4}$ and k is positive.", id="DQ-02"),
    pytest.param("FIND K SUCH THAT $(3k+1)^2=\\frac{49}{4}$ AND K IS POSITIVE.", id="DQ-02-case"),
    pytest.param("Find\\,k such that $(3k\\,+\\,1)^2 \\;=\\; \\tfrac{49}{4}$ and k is positive.", id="DQ-02-spaces"),
    pytest.param(" Find k such that $(3k+1)^2 = \\frac{49}{4}$ and k is positive. ", id="DQ-03"),
    pytest.param(
        "Problem: Find k such that $(3k+1)^2 = \\frac{49}{4}$ and k is positive. Put the answer in a box.",
        id="DQ-02-inside",
    ),
]
BENCHMARK = row("math500-1", "Find k such that $(3k+1)^2 = \\frac{49}{4}$ and k is positive.")


@pytest.mark.parametrize("question", TRAINING)
def test_a_benchmark_problem_in_training_rows_is_found(question: str) -> None:
    assert overlaps([row("train-1", question)], [BENCHMARK]) == {"train-1": "math500-1"}


@pytest.mark.parametrize(
    "question",
    [
        "Find k such that $(3k-1)^2 = \\frac{49}{4}$ and k is positive.",
        "Find k such that $(3k+1)^2 = \\frac{49}{4}$ and k is negative.",
        "Find k such that $(3k+1)^3 = \\frac{49}{4}$ and k is positive.",
    ],
)
def test_dq_02_another_problem_of_the_same_words_is_none(question: str) -> None:
    assert overlaps([row("train-1", question)], [BENCHMARK]) == {}


def test_dq_03_a_short_problem_counts_whole_and_not_inside_another() -> None:
    benchmark = [row("b-1", "Sam bought 13 books.")]
    assert overlaps([row("t-1", " Sam bought 13 books. ")], benchmark) == {"t-1": "b-1"}
    assert overlaps([row("t-1", "Sam bought 13 books. How many pages are they?")], benchmark) == {}


def test_dq_02_an_overlap_is_an_error_with_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "bench.jsonl"
    path.write_text('{"problem": "Find  k such that it is the least prime above one hundred.", "answer": "101"}')
    training = [row("t-1", "Find k such that it is the least prime above one hundred."), row("t-2", "Find m.")]
    with pytest.raises(
        ValueError, match=r"benchmarks: 1 training rows contain a problem of bench\.jsonl: t-1 = bench-"
    ):
        refuse_overlaps(training, [str(path)])
    refuse_overlaps(training[1:], [str(path)])
    with pytest.raises(ValueError, match="benchmarks: 'nowhere' is neither a file nor one of gsm8k"):
        refuse_overlaps(training, ["nowhere"])


def test_dq_02_a_training_config_with_a_benchmark_inside_is_refused() -> None:
    training, benchmark = SHARED / "deepscaler_aime_1983_2023.jsonl.gz", SHARED / "math500.jsonl.gz"
    if not (training.exists() and benchmark.exists()):
        pytest.skip("DeepScaleR and MATH-500 are not beside the repository")
    config = MathReasoningConfig(dataset="deepscaler", path=str(training), benchmarks=[str(benchmark)])
    with pytest.raises(
        ValueError, match=r"benchmarks: 5 training rows contain a problem of math500\.jsonl\.gz: deepscaler-"
    ):
        MathReasoningTaskset(config).load()
