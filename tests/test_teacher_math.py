"""The scripted teacher on math-reasoning: published solutions in the form that the prompt asks for."""

import asyncio
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from math_reasoning.prompts import PROMPTS, Prompt
from math_reasoning.sources import HUB, read_rows
from math_reasoning.taskset import MathReasoningConfig, MathReasoningTaskset, config_rows
from recipes.teacher import math
from recipes.teacher.config import TeacherConfig
from recipes.teacher.conversation import Rollouts
from recipes.teacher.server import Teacher, _characters, load_teacher
from slm_rewards.math import accuracy_blocking
from slm_rewards.math.extract import Style

GSM8K = Path(__file__).parents[2] / "shared" / "data" / "gsm8k_train.jsonl.gz"
FORMS: list[Style] = ["gsm8k", "boxed"]
ROWS = [
    {
        "question": "Ann picks 24 figs and twice as many plums. How many is that?",
        "answer": "2*24 = <<2*24=48>>48 plums.\n24+48 = <<24+48=72>>72 pieces of fruit.\n#### 72",
    },
    {
        "question": "A mill grinds 540 sacks a day. How many in two days?",
        "answer": "540*2 = <<540*2=1080>>1,080.\n#### 1,080",
    },
    {
        "question": "It was 3 degrees and fell by 5. How cold is it?",
        "answer": "3-5 = <<3-5=-2>>-2 degrees.\n#### -2",
    },
]
ALGEBRA = [
    {"problem": "Simplify $2/4$.", "solution": r"Halving both gives $\boxed{\frac{1}{2}}$.", "level": "Level 1"},
    {"problem": "Solve $x^2 = 4$.", "solution": r"So $x = \boxed{2}$ or, below zero, $\boxed{-2}$."},
    {"problem": "Add 1 and 1.", "answer": "2"},
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    def writer(rows: list[dict[str, Any]], name: str = "rows.jsonl") -> str:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return writer


def teacher(problems: dict[str, math.Problem], slip_rate: float = 0.0, seed: int = 0) -> Teacher:
    return Teacher({}, {}, slip_rate, Rollouts(seed), _characters, problems)


def ask(played: Teacher, question: str, prompt: Prompt) -> str:
    messages = [{"role": "system", "content": PROMPTS[prompt]}, {"role": "user", "content": question}]
    choice = played.answer({"model": "m", "messages": messages})["choices"][0]
    assert choice["finish_reason"] == "stop"
    return choice["message"]["content"]


def test_the_solution_comes_without_calculator_marks_in_the_form_of_the_prompt(write):
    played = load_teacher(TeacherConfig(corpora=[], math=[write(ROWS)]))
    lines = "2*24 = 48 plums.\n24+48 = 72 pieces of fruit.\n"
    assert ask(played, ROWS[0]["question"], "gsm8k") == lines + "#### 72"
    assert ask(played, ROWS[0]["question"], "boxed") == lines + r"\boxed{72}"
    # Mails are still known: one server plays all.
    assert len(played.mails) == 2000


@pytest.mark.parametrize("form", FORMS)
def test_every_task_of_the_taskset_is_known_and_scores_one(write, form):
    path = write(ROWS)
    played = teacher(math.load_problems([path]))
    tasks = MathReasoningTaskset(MathReasoningConfig(dataset="gsm8k", path=path, prompt=form)).load()
    assert len(tasks) == len(ROWS)
    for task in tasks:
        reply = ask(played, str(task.data.prompt), form)
        for style in (form, "any"):
            assert accuracy_blocking(reply, task.data.answer, style) == 1.0, reply


def test_a_box_in_the_solution_gives_way_to_the_last_line(write):
    problems = math.load_problems([write(ALGEBRA)])
    assert set(problems) == {ALGEBRA[0]["problem"]}  # two boxes; no solution
    played = teacher(problems)
    half = r"Halving both gives $\frac{1}{2}$."
    assert ask(played, ALGEBRA[0]["problem"], "boxed") == half + "\n" + r"\boxed{\frac{1}{2}}"
    assert ask(played, ALGEBRA[0]["problem"], "gsm8k") == half + "\n" + r"#### \frac{1}{2}"


@pytest.mark.parametrize("form", FORMS)
def test_a_slip_is_a_wrong_number_and_as_frequent_as_told(write, form):
    problems = math.load_problems([write(ROWS), write(ALGEBRA, "algebra.jsonl")])
    always = teacher(problems, 1.0)
    for question, problem in problems.items():
        for _ in range(20):
            reply = ask(always, question, form)
            stated = reply.splitlines()[-1].strip("# {}").removeprefix("\\boxed{")
            assert re.fullmatch(r"-?\d+", stated), reply
            assert accuracy_blocking(reply, problem.answer, "any") == 0.0, reply
    some = teacher(problems, 0.25)
    question, problem = next(iter(problems.items()))
    wrong = [accuracy_blocking(ask(some, question, form), problem.answer, form) == 0.0 for _ in range(400)]
    assert 70 <= sum(wrong) <= 130
    again = teacher(problems, 0.25)
    assert wrong == [accuracy_blocking(ask(again, question, form), problem.answer, form) == 0.0 for _ in range(400)]


def test_decimals_and_thousands_slip_too():
    for answer in ("0.5", "1,080", "109,200,000", "-2", r"\text{no}"):
        for seed in range(30):
            wrong = math._wrong(answer, random.Random(seed))
            assert accuracy_blocking(f"#### {wrong}", answer, "gsm8k") == 0.0, (answer, wrong)


def test_another_prompt_and_an_unknown_problem_are_told_in_one_line(write):
    played = teacher(math.load_problems([write(ROWS)]))
    for prompt in ("think", "think_english"):
        with pytest.raises(ValueError, match=r"its prompts gsm8k and boxed alone; set env\.taskset\.prompt"):
            ask(played, ROWS[0]["question"], prompt)
    with pytest.raises(ValueError, match=r"is no task that the scripted teacher knows .*--math"):
        ask(played, "What is 1 + 1?", "gsm8k")


def test_a_data_set_is_loaded_with_all_its_splits(write, monkeypatch):
    split_rows = {
        split: read_rows(Path(write([row], f"{split}.jsonl")))
        for split, row in zip(HUB["gsm8k"].splits, ROWS[:2], strict=True)
    }
    monkeypatch.setattr(math, "load_rows", lambda name, split: split_rows[split])
    assert set(math.load_problems(["gsm8k"])) == {row["question"] for row in ROWS[:2]}


def test_the_first_of_equal_questions_counts(write):
    other = {"question": ROWS[0]["question"], "answer": "It is 73.\n#### 73"}
    problems = math.load_problems([write([ROWS[0], other]), write([other], "other.jsonl")])
    assert [problem.answer for problem in problems.values()] == ["72"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("gsm9k", "math: 'gsm9k' is no file and no data set; give a JSON lines file or one of gsm8k, "),
        ([ALGEBRA[2]], "math: no row of .* has a worked solution and an answer"),
        ([{"text": "no question"}], "math: rows.jsonl line 1: no question"),
    ],
)
def test_wrong_sources_are_named(write, source, message):
    with pytest.raises(ValueError, match=message):
        load_teacher(TeacherConfig(corpora=[], math=[source if isinstance(source, str) else write(source)]))


@pytest.mark.parametrize("form", FORMS)
def test_200_solutions_of_gsm8k_score_one(form):
    if not GSM8K.is_file():
        pytest.skip("gsm8k_train.jsonl.gz is not beside the repository")
    played = teacher(math.load_problems([str(GSM8K)]))
    rows = config_rows(MathReasoningConfig(dataset="gsm8k", split="train", path=str(GSM8K)))
    for row in random.Random(0).sample(rows, 200):
        reply = ask(played, row.question, form)
        assert accuracy_blocking(reply, row.answer, form) == 1.0, reply
        assert "<<" not in reply and ">>" not in reply


def test_the_server_answers_400_to_a_think_prompt(write):
    from aiohttp.test_utils import TestClient, TestServer

    from recipes.teacher.server import application

    played = teacher(math.load_problems([write(ROWS)]))
    messages = [{"role": "system", "content": PROMPTS["think"]}, {"role": "user", "content": ROWS[0]["question"]}]

    async def scenario() -> tuple[int, str]:
        async with TestClient(TestServer(application(played))) as client:
            reply = await client.post("/v1/chat/completions", json={"messages": messages})
            return reply.status, (await reply.json())["error"]["message"]

    status, message = asyncio.run(scenario())
    assert status == 400 and message.startswith("messages: the scripted teacher answers math-reasoning under")
