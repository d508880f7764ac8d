"""recipes/results: figures in the text are those of the report files; the curves are drawn from prime-rl's metrics."""

import json
import re
from pathlib import Path

import pytest

from recipes.results import curve

RESULTS = Path(__file__).parents[1] / "recipes/results/smollm2_2026_11_30"
README = (RESULTS / "README.md").read_text(encoding="utf-8")


def evaluations(name: str) -> list[dict]:
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))["evaluations"]


def rows(section: str) -> list[list[str]]:
    """Cells of the first table under a heading, without its two head lines."""
    text = README.split(f"## {section}", 1)[1].split("\n## ", 1)[0]
    table = next(line for line in re.split(r"\n\n", text) if line.startswith("|")).splitlines()[2:]
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table]


def interval(measure: dict) -> str:
    return f"{measure['value']:.3f} ({measure['low']:.3f}–{measure['high']:.3f})"


@pytest.mark.parametrize(
    ("section", "report", "k"),
    [
        ("supplier-invoices", "invoices-report.json", "3"),
        ("musique-search, invented corpus", "musique-report.json", "8"),
    ],
)
def test_the_tables_repeat_the_report(section: str, report: str, k: str) -> None:
    measured = {e["run"]: e for e in evaluations(report)}
    names = {"start model": "base", "SFT": "sft", "SFT + RL": "sft-rl"}
    seen = set()
    for model, _, first, best, calls, *_ in rows(section):
        name = names.get(model.split(",")[0])
        if name is None:  # the run without an evaluation
            assert first == "not evaluated"
            continue
        passed = measured[name]["pass_at_k"]["left_out"]
        assert first == interval(passed["1"])
        assert best == f"{passed[k]['value']:.3f}"
        assert calls == f"{measured[name]['measures']['tool_calls']['value']:.2f}"
        seen.add(name)
    assert seen == set(measured) == {"base", "sft", "sft-rl"}


def test_the_root_and_recipe_pages_repeat_them_too() -> None:
    passed = {e["run"]: e["pass_at_k"]["left_out"]["1"] for e in evaluations("invoices-report.json")}
    root = (RESULTS.parents[2] / "README.md").read_text(encoding="utf-8")
    recipes = (RESULTS.parents[1] / "README.md").read_text(encoding="utf-8")
    for measure in passed.values():
        assert f"{measure['value']:.3f} | {measure['low']:.3f}–{measure['high']:.3f}" in root
        assert interval(measure) in recipes


def write(path: Path, metrics: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in metrics))
    return path


def test_metrics_are_read_by_step_from_rows_of_any_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "metrics.jsonl",
        [
            {"step": 2.0, "train/agg/all/agent/reward/mean": 0.5, "entropy/all/mean": 0.2},
            {"step": 1, "train/agg/all/agent/reward/mean": 0.25, "entropy/all/max": 9.0},
        ],
    )
    values = curve.read_metrics(path)
    assert values["training reward (all rollouts)"] == {1: 0.25, 2: 0.5}
    assert values["entropy, nats a token"] == {2: 0.2}
    assert values["evaluation reward"] == {}


def test_several_sources_stay_apart(tmp_path: Path) -> None:
    row = {"train/easy/all/agent/reward/mean": 0.9, "train/agg/all/agent/reward/mean": 0.5}
    row |= {"train/hard/all/agent/reward/mean": 0.1, "eval/a/all/agent/reward/mean": 0.3}
    values = curve.read_metrics(write(tmp_path / "metrics.jsonl", [{"step": 1} | row]))
    assert values["training reward (all rollouts)"] == {1: 0.5}
    assert values["evaluation reward"] == {1: 0.3}
    row |= {"eval/b/all/agent/reward/mean": 0.7}
    values = curve.read_metrics(write(tmp_path / "metrics.jsonl", [{"step": 1} | row]))
    assert (values["evaluation reward: a"], values["evaluation reward: b"]) == ({1: 0.3}, {1: 0.7})


def test_moving_mean() -> None:
    assert curve.moving_mean([1.0, 3.0, 5.0], window=2) == [1.0, 2.0, 4.0]


def test_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "metrics.jsonl", [{"step": n, "entropy/all/mean": n / 10} for n in range(8)])
    monkeypatch.setattr("sys.argv", ["curve", str(tmp_path), "--out", str(tmp_path / "curve.png")])
    curve.main()
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "wrote" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curve.png", "metrics.jsonl"]


def test_a_file_without_metrics_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "metrics.jsonl", [{"step": 1, "optim/lr": 1e-4}])
    monkeypatch.setattr("sys.argv", ["curve", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"none of the metrics of a run is here; train with \[monitors.file\]"):
        curve.main()


@pytest.mark.parametrize(("run", "last"), [("invoices", 34), ("musique", 20)])
def test_the_committed_metrics_hold_what_the_text_says(run: str, last: int) -> None:
    values = curve.read_metrics(RESULTS / f"{run}-sft-rl-metrics.jsonl")
    assert max(values["entropy, nats a token"]) == last
    measured = {e["step"]: e["pass_at_k"]["left_out"]["1"]["value"] for e in evaluations(f"{run}-report.json")[1:]}
    assert values["evaluation reward"] == pytest.approx(measured, abs=1e-5)
    assert max(values["KL to the sampling policy"].values()) < 0.005
