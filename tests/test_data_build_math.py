import gzip
import json
from pathlib import Path

import pytest

from data_build.math.build import SETS, MathConfig, build, check, main
from data_build.math.files import read_manifest, read_rows
from data_build.math.overlap import near
from math_reasoning.rows import Row

DATA = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of public data sets is not beside the checkout")

SUM = "A baker sells 12 rolls in the morning and twice as many in the afternoon. How many rolls does the baker sell?"


def row(identity: str, question: str, answer: str = "7") -> Row:
    return Row(id=identity, question=question, answer=answer, source="made up")


def write(folder: Path, stem: str, rows: list[dict], zipped: bool = False) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if zipped:
        (folder / f"{stem}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / f"{stem}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    train = [
        {"question": SUM, "answer": "12 + 24 = 36\n#### 36"},
        {"question": "What is 3 + 4?", "answer": "#### 7"},
        {"question": "what is  3 + 4 ?", "answer": "#### 7"},
        {"question": "What is 5 + 5?", "answer": "#### 10"},
        {"question": "What is 5 + 5? ", "answer": "#### 11"},
        {"question": "Name the sum of 1 and 1.", "answer": "#### "},
    ]
    write(folder, "gsm8k_train", train, zipped=True)
    write(folder, "gsm8k_test", [{"question": f"  {SUM.upper()} ", "answer": "#### 36"}])
    write(folder, "math500", [{"problem": "Compute $2+2$.", "answer": "4", "level": 2}])
    return folder


def test_rows_are_cleaned_and_every_rejection_has_a_reason(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = build(MathConfig(source=source, output=out))
    assert [r.question for r in read_rows(out / "gsm8k-train.jsonl")] == ["What is 3 + 4?", "What is 5 + 5?"]
    rejected = [json.loads(line) for line in (out / "rejected.jsonl").read_text(encoding="utf-8").splitlines()]
    reasons = [r["reason"] for r in rejected if r["set"] == "gsm8k-train"]
    assert len(reasons) == 4
    for words in ("in gsm8k-test", "repeated", "repeated with another gold: see gsm8k-", "gold: "):
        assert any(reason.startswith(words) for reason in reasons), words
    (pair,) = [json.loads(line) for line in (out / "overlaps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (pair["set"], pair["benchmark"], pair["match"]) == ("gsm8k-train", "gsm8k-test", "equal")
    assert "math500 levels: 2 1" in report
    assert "left out: no file of aime24" in report


def test_a_second_run_does_nothing_and_a_changed_input_builds_again(source: Path, tmp_path: Path) -> None:
    config = MathConfig(source=source, output=tmp_path / "out")
    assert "wrote 5 files" in build(config)
    before = {path: path.stat().st_mtime_ns for path in config.output.iterdir()}
    again = build(config)
    assert "nothing to do" in again and "gsm8k-train" in again
    assert {path: path.stat().st_mtime_ns for path in config.output.iterdir()} == before
    write(source, "math500", [{"problem": "Compute $2+3$.", "answer": "5", "level": 1}])
    assert "wrote 5 files" in build(config)
    assert read_rows(config.output / "math500.jsonl")[0].answer == "5"
    (config.output / "math500.jsonl").write_text("", encoding="utf-8")
    assert "wrote 5 files" in build(config)


@pytest.mark.parametrize(
    ("train", "test"),
    [
        pytest.param("Find k such that x = k.", "Find  k such that x = k.", id="DQ-02"),
        pytest.param(" Sam bought 13 books. ", "Sam bought 13 books.", id="DQ-03"),
    ],
)
def test_equal_text_is_found_whatever_the_case_and_blanks(train: str, test: str) -> None:
    reports = check({"math-train": [row("a", train), row("b", "Another one.")], "math500": [row("t", test)]})
    assert reports["math-train"].shared == {"math500": {"a": "t"}}
    assert [r.id for r in reports["math-train"].kept] == ["b"]
    assert [r.id for r in reports["math500"].kept] == ["t"]


def test_changed_settings_are_not_served_from_an_old_build(source: Path, tmp_path: Path) -> None:
    """DQ-09."""
    out = tmp_path / "out"
    build(MathConfig(source=source, output=out))
    assert "wrote" in build(MathConfig(source=source, output=out, format="parquet"))
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert read_manifest(out / "manifest.json", manifest["made_with"] | {"format": "jsonl"}) is None


def test_parquet_holds_the_same_rows(source: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    build(MathConfig(source=source, output=tmp_path / "a"))
    build(MathConfig(source=source, output=tmp_path / "b", format="parquet"))
    for name in ("gsm8k-train", "gsm8k-test", "math500"):
        rows = [Row.model_validate(r) for r in pq.read_table(tmp_path / "b" / f"{name}.parquet").to_pylist()]
        assert rows == read_rows(tmp_path / "a" / f"{name}.jsonl")


def test_nearly_equal_problems_are_listed() -> None:
    changed = SUM.replace("rolls does the baker", "of them does she")
    assert near([row("a", changed), row("b", "What is 3 + 4?")], [row("t", SUM)]) == {"a": "t"}
    other = "A farmer has 12 hens in the morning and sells half of them at noon. How many hens are left in the evening?"
    assert near([row("a", other)], [row("t", SUM)]) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sets", '["gsm9k"]'], "--sets: gsm9k is unknown"),
        (["--source", "/nowhere"], "--source: /nowhere has no file of"),
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=message) as error:
        main([*arguments, "--output", str(tmp_path)])
    assert "\n" not in str(error.value)


def test_a_broken_input_names_its_line_and_writes_nothing(source: Path, tmp_path: Path) -> None:
    write(source, "math500", [{"problem": "Compute $2+2$.", "answer": "4"}, {"answer": "4"}])
    with pytest.raises(SystemExit, match=r"math500\.jsonl line 2: no question"):
        main(["--source", str(source), "--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@needs_data
def test_public_benchmarks_build_from_local_files(tmp_path: Path) -> None:
    config = MathConfig(source=DATA, output=tmp_path, sets=["deepscaler", "math500", "aime24", "amc23"])
    report = build(config)
    assert "wrote 6 files" in report
    sizes = {name: len(read_rows(tmp_path / f"{name}.jsonl")) for name in ("math500", "aime24", "amc23")}
    assert sizes == {"math500": 500, "aime24": 30, "amc23": 40}
    assert len(read_rows(tmp_path / "deepscaler.jsonl")) > 1190


def test_every_set_is_one_of_the_environment() -> None:
    from math_reasoning.sources import HUB

    assert {s.dataset for s in SETS.values()} == set(HUB)
    assert all(s.split in HUB[s.dataset].splits for s in SETS.values())
