"""Where math-reasoning's rows come from: files, the hub, generated problems, pools and known-bad rows."""

import gzip
import json
import random
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from math_reasoning import pools, procedural
from math_reasoning.known_bad import KNOWN_BAD
from math_reasoning.rows import Row, comparable
from math_reasoning.sources import HUB, load_rows, read_rows

SHARED = Path(__file__).parents[2] / "shared" / "data"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes rows as a JSON lines file and returns its path."""

    def writer(*rows: dict[str, Any], name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        text = "\n".join(json.dumps(row) for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return writer


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the repository")
    return path


@pytest.mark.parametrize(
    ("fields", "question", "answer", "level"),
    [
        ({"question": " How many? ", "answer": "2 + 2 = 4.\n#### 4"}, "How many?", "4", None),
        (
            {"problem": "Find x.", "solution": r"So $\boxed{\frac{1}{2}}$.", "level": "Level 5"},
            "Find x.",
            r"\frac{1}{2}",
            5,
        ),
        ({"problem": "Find x.", "answer": "1", "level": 2}, "Find x.", "1", 2),
        ({"problem": "Find x.", "answer": "1", "level": "Level ?"}, "Find x.", "1", None),
        ({"question": "How far?", "problem": "Other text", "answer": 27.0}, "How far?", "27", None),
        ({"question": "How far?", "answer": 2.5}, "How far?", "2.5", None),
        ({"question": "Find all.", "final_answer": ["1,3"], "solution": ["a", "b"]}, "Find all.", "1,3", None),
        ({"context": "Let a = 1.", "question": "Find b.", "final_answer": ["2"]}, "Let a = 1.\n\nFind b.", "2", None),
        ({"question": "Express it.", "answer_val": "x^2"}, "Express it.", "x^2", None),
        ({"problem": "Prove it.", "answer": None, "solution": "Clear."}, "Prove it.", "", None),
    ],
)
def test_fields_of_the_usual_files(
    write: Write, fields: dict[str, Any], question: str, answer: str, level: int | None
) -> None:
    (row,) = read_rows(write(fields, name="rows.jsonl.gz"))
    assert (row.question, row.answer, row.level, row.source) == (question, answer, level, "rows.jsonl.gz")


def test_a_worked_solution_is_kept_apart_from_the_gold(write: Write) -> None:
    (row,) = read_rows(write({"question": "How many?", "answer": "2 + 2 = 4.\n#### 4"}))
    assert (row.solution, row.answer) == ("2 + 2 = 4.", "4")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"question": "a", "answer": "1"}\n{"prompt": "b"}',
            r"rows\.jsonl line 2: no question; it needs the field quest",
        ),
        ('{"question": "a"}', r"rows\.jsonl line 1: no answer; it needs the field answer, final_answer"),
        ('{"question": "a", "answer": "1"}\n{oops', r"rows\.jsonl line 2: not JSON"),
        ("[1]", r"rows\.jsonl line 1: expected a JSON object, found list"),
        ("\n\n", r"dataset: rows has no rows"),
    ],
)
def test_unusable_files_are_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_rows(tmp_path / "rows.jsonl")


def test_a_cut_gzip_file_is_refused(write: Write) -> None:
    path = write(
        *({"question": f"{i} {random.Random(i).random()}", "answer": "1"} for i in range(500)), name="r.jsonl.gz"
    )
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match=r"r\.jsonl\.gz: gzip data is damaged or cut"):
        read_rows(path)


def test_ids_follow_the_text_and_not_the_order(write: Write) -> None:
    rows = [{"question": f"Find $x + {i}$.", "answer": str(i)} for i in range(5)]
    one = {row.question: row.id for row in read_rows(write(*rows), "math")}
    other = {row.question: row.id for row in read_rows(write(*reversed(rows)), "math")}
    assert one == other
    assert len(set(one.values())) == 5
    assert all(re.fullmatch(r"math-[0-9a-f]{10}", identity) for identity in one.values())


def test_the_same_text_twice_keeps_two_ids(write: Write) -> None:
    ids = [row.id for row in read_rows(write(*[{"question": "Find x.", "answer": a} for a in "123"]))]
    assert ids == [ids[0], f"{ids[0]}-2", f"{ids[0]}-3"]


def test_levels_select_rows_and_are_checked(write: Write) -> None:
    path = write(*({"problem": f"p{i}", "answer": "1", "level": f"Level {i}"} for i in range(1, 6)))
    assert [row.level for row in load_rows("math", levels=[1, 2], path=path)] == [1, 2]
    with pytest.raises(ValueError, match="levels: no row of math has level"):
        load_rows("math", levels=[9], path=path)
    with pytest.raises(ValueError, match="levels: gsm8k rows carry no level"):
        load_rows("gsm8k", levels=[1], path=write({"question": "a", "answer": "1"}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dataset": "svamp"}, "dataset: 'svamp' is unknown; use one of gsm8k, math"),
        ({"dataset": "math500", "split": "train"}, "split: math500 has no splits; leave split out, not 'train'"),
        ({"dataset": "gsm8k", "split": "dev"}, "split: gsm8k has the splits train, test, not 'dev'"),
        ({"dataset": "gsm8k", "path": "nowhere.jsonl"}, "path: 'nowhere.jsonl' is no file"),
    ],
)
def test_wrong_arguments_name_the_field(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_rows(**arguments)


def test_every_revision_is_a_commit() -> None:
    assert all(re.fullmatch(r"[0-9a-f]{40}", hub.revision) for hub in HUB.values())
    assert len({hub.repository for hub in HUB.values()}) == len(HUB)


def test_the_hub_is_asked_at_the_pinned_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load_dataset(repository: str, config: str | None, *, split: str, revision: str) -> list[dict]:
        asked.append((repository, config, split, revision))
        return [{"problem": f"{config}?", "solution": r"\boxed{1}", "level": "Level 1", "type": config}]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    rows = load_rows("math", "train")
    assert len(rows) == len(asked) == 7
    assert {(name, split, revision) for name, _, split, revision in asked} == {
        (HUB["math"].repository, "train", HUB["math"].revision)
    }
    assert [row.question for row in rows] == [f"{config}?" for _, config, _, _ in asked]
    assert rows[0].source == f"{HUB['math'].repository}@{HUB['math'].revision[:12]}"
    asked.clear()
    load_rows("gsm8k"), load_rows("aime24")
    assert [(config, split) for _, config, split, _ in asked] == [("main", "test"), (None, "train")]


def test_a_hub_out_of_reach_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(*_: object, **__: object) -> None:
        raise ConnectionError("offline")

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(ValueError, match=r"dataset: HuggingFaceH4/MATH-500@6e4ed1a2a79a cannot be loaded: offline"):
        load_rows("math500")


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("gsm8k_train", 7473),
        ("gsm8k_test", 1319),
        ("math500", 500),
        ("math_train", 7500),
        ("aime24", 30),
        ("amc23", 40),
        ("minerva_math", 272),
        ("olympiadbench_oe_to_maths_en", 675),
        ("deepscaler_aime_1983_2023", 975),
        ("deepscaler_sub_1209", 1209),
        ("omni_math_rule", 2819),
        ("dapo_math_14k", 14116),
        ("s1k", 1000),
        ("hardmath_mini", 366),
    ],
)
def test_shared_files_load_whole(name: str, count: int) -> None:
    rows = read_rows(shared(f"{name}.jsonl.gz"))
    assert len(rows) == count
    assert len({row.id for row in rows}) == count
    golds = sum(bool(row.answer) for row in rows)
    assert golds >= (670 if name == "s1k" else count - 2), "a third of s1K are proofs"


def test_levels_of_math_are_read() -> None:
    rows = load_rows("math500", levels=[1, 2], path=shared("math500.jsonl.gz"))
    assert len(rows) == 133
    assert {row.level for row in rows} == {1, 2}


# generated problems


def test_generated_rows_depend_on_seed_and_index_alone() -> None:
    rows = procedural.generate(60, 3).rows
    assert procedural.generate(60, 3).rows == rows
    assert procedural.generate(20, 3).rows == rows[:20]
    assert not {row.question for row in rows} & {row.question for row in procedural.generate(60, 4).rows}
    assert [row.id for row in rows[:2]] == ["gsm_symbolic-all-3-00000", "gsm_symbolic-all-3-00001"]


def test_generated_rows_are_sound_and_the_refused_are_counted() -> None:
    made = procedural.generate(1000, 0)
    assert len(made.rows) == 1000
    for row in made.rows:
        assert procedural.problem(row.question, row.answer, f"{row.solution}\n#### {row.answer}") is None
        assert Fraction(row.answer) >= 0
    assert set(made.refused) <= {"no answer", "gold", "solution", "decimals", "currency", "arithmetic", "wording"}
    assert 50 < made.refused.total() < 250
    templates = {int(row.source.rpartition(" ")[2]) for row in made.rows}
    assert len(templates) > 70
    assert not templates & (set(procedural.BROKEN) | procedural.UNFINISHED)


def test_splits_of_generated_rows_share_no_text_whatever_the_seeds() -> None:
    train = {comparable(row.question) for seed in (0, 1) for row in procedural.generate(400, seed, "train").rows}
    test = {comparable(row.question) for seed in (0, 1) for row in procedural.generate(400, seed, "test").rows}
    assert len(train) > 700 < len(test)
    assert not train & test


@pytest.mark.parametrize(
    ("question", "answer", "solution", "reason"),
    [
        ("How many are left?", "4", "7 - 3 = 4\n#### 4", None),
        ("How many are left?", "4.0", "7 - 3 = 4.0\n#### 4.0", None),
        ("How many are left?", "-4", "3 - 7 = -4\n#### -4", "gold"),
        ("How many are left?", "four", "7 - 3 = 4\n#### four", "gold"),
        ("How many are left?", "4.125", "#### 4.125", "gold"),
        ("How many are left?", "4", "7 - 3 = 4\n#### 5", "solution"),
        ("How many are left of 0.3333333333 liters?", "4", "7 - 3 = 4\n#### 4", "decimals"),
        ("It costs £3; round to the nearest dollar.", "3", "#### 3", "currency"),
        ("It costs £3 and 50 cents.", "3", "#### 3", "currency"),
        ("It costs $3 and 50 cents.", "3", "#### 3", None),
        ("How many students?", "20", "so that's 0.52*40 = 20 students\n#### 20", "arithmetic"),
        ("How old was he?", "1", "he was 99 years - 100 years = -1 years\nso 2 - 1 = 1\n#### 1", "arithmetic"),
    ],
)
def test_unsound_problems_are_told_by_kind(question: str, answer: str, solution: str, reason: str | None) -> None:
    assert procedural.problem(question, answer, solution) == reason


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("First: 280 carrot / 7 carrot/minute = 40 minutes", [(40, 40)]),
        ("Then 300 puppies / 1500 puppies * 100% = 20%", [(Fraction(1, 5), Fraction(1, 5))]),
        ("There are 100 questions x 30/100 = 30 questions", [(30, 30)]),
        ("Drinks: 15/45 = 1/3 a minute, and 14÷2/3=21", [(Fraction(1, 3), Fraction(1, 3)), (21, 21)]),
        ("A t-shirt more, so £12 + £18 = £30.", [(30, 30)]),
        ("143 + T = 175, so 2x+50=194", []),
        ("18 inches = 1.5 feet", []),
        ("perimeter is 2(81+30) = 222", [(222, 222)]),
        ("160 * 3 = 480 more. In all 160 + 480 = 640", [(480, 480), (640, 640)]),
        ("10 ** 99 ** 99 = 1", []),
    ],
)
def test_steps_read_equations_between_words(line: str, expected: list) -> None:
    assert list(procedural.steps(f"{line}\n#### 1")) == expected


def test_the_templates_are_loaded_without_the_package_around_them() -> None:
    before = {name for name in sys.modules if name.startswith("reasoning_gym")}
    procedural._templates.cache_clear()
    assert len(procedural._templates()) == 100
    assert {name for name in sys.modules if name.startswith("reasoning_gym")} == before


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    procedural._templates.cache_clear()
    monkeypatch.setattr(procedural.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"install math-reasoning\[procedural\]"):
        procedural.generate(1, 0)


# pools, known-bad rows, golds


def rows_of(*answers: str) -> list[Row]:
    return [Row(id=f"a-{i}", question=f"q{i}", answer=answer, source="test") for i, answer in enumerate(answers)]


@pytest.mark.parametrize("text", ['["a-2", "a-0"]', "a-2\na-0\n", '\n["a-0",\n"a-2"]'])
def test_a_pool_is_an_array_or_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "pool").write_text(text, encoding="utf-8")
    assert [row.id for row in pools.in_pool(rows_of("1", "2", "3"), tmp_path / "pool")] == ["a-0", "a-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a-0\nb-1\nb-2", "pool: 2 of 3 ids name no row, first b-1, b-2"),
        ("[", "pool: pool is not JSON"),
        ("[1]", "pool: pool holds more than ids"),
        (" \n", "pool: pool names no rows"),
    ],
)
def test_an_unusable_pool_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pool").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        pools.in_pool(rows_of("1"), tmp_path / "pool")


def test_a_missing_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="pool: 'nowhere' is no file"):
        pools.in_pool(rows_of("1"), "nowhere")


def test_known_bad_rows_are_left_out() -> None:
    bad = next(iter(KNOWN_BAD))
    rows = [*rows_of("1"), Row(id=bad, question="q", answer="2", source="test")]
    assert [row.id for row in pools.without_known_bad(rows)] == ["a-0"]


def test_unusable_golds_are_refused_with_their_ids(caplog: pytest.LogCaptureFixture) -> None:
    rows = rows_of("1", "", r"\frac{1}{2", r"\sqrt{2}")
    kept = pools.with_usable_gold(rows, strict=False)
    assert [row.id for row in kept] == ["a-0", "a-3"]
    assert "2 of 4 rows refused" in caplog.text
    assert "a-1: gold: '' is empty" in caplog.text
    assert "a-2: gold:" in caplog.text
    with pytest.raises(ValueError, match=r"(?s)golds: 2 of 4 rows refused.*a-1: .*a-2: "):
        pools.with_usable_gold(rows, strict=True)
    with pytest.raises(ValueError, match="golds: 1 of 1 rows refused"):
        pools.with_usable_gold(rows[1:2], strict=False)
