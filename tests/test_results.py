"""recipes/results: figures in the text are those of the report files; the curves are drawn from prime-rl's metrics."""

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from recipes.results import curve

FIRST = Path(__file__).parents[1] / "recipes/results/smollm2_2026_11_30"
SECOND, THIRD = (FIRST.with_name(f"{FIRST.name}_{which}") for which in ("second", "third"))
NAMES = {
    "start model": "base",
    "RL from the start model, step 10": "rl-from-base-10",
    "SFT": "sft",
    "SFT, 600 traces": "sft",
    "SFT, 503 traces": "sft",
    "SFT, 400 two-call and 200 one-call traces": "sft",
    "SFT, 4,000 worked solutions": "sft",
    "SFT + RL, step 30": "sft-rl",
    "SFT + RL, 20 steps": "sft-rl",
    "SFT + RL, step 40": "sft-rl-40",
    "SFT + RL, step 80": "sft-rl-80",
    "SFT + RL A, step": "gold-fraction-1e-4",
    "SFT + RL B, step": "solved-1e-4",
    "SFT + RL C, step": "solved-2e-4",
    "`rft_shortest`, step 11": "rft-shortest",
    "`rft_shortest`, step 20": "rft-shortest",
    "`grpo`, step 60": "grpo",
    "`grpo_length_penalty` 0.5, step 60": "grpo-length",
}
"""Model as the tables call it → its run in the report; without a number, the step that follows is the evaluation's."""


def evaluations(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / name).read_text(encoding="utf-8"))["evaluations"]


def rows(folder: Path, section: str) -> list[dict[str, str]]:
    """The first table under a heading, a row by column."""
    text = (folder / "README.md").read_text(encoding="utf-8").split(f"## {section}", 1)[1]
    table = itertools.takewhile(lambda line: line.startswith("|"), text[text.index("\n|") + 1 :].splitlines())
    head, _, *cells = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table]
    return [dict(zip(head, row, strict=True)) for row in cells]


def by_step(found: list[dict]) -> dict[int, float]:
    """pass@1 of the evaluations of one run."""
    return {evaluation["step"]: evaluation["pass_at_k"]["left_out"]["1"]["value"] for evaluation in found}


def interval(measure: dict) -> str:
    return f"{measure['value']:.3f} ({measure['low']:.3f}–{measure['high']:.3f})"


MEASURED = {
    "calls a task": ("tool_calls", 2),
    "searches": ("tool_calls", 2),
    "tokens": ("tokens", 0),
    "distinct answers of 32": ("distinct_answers", 1),
}
"""Column → measure of the report and its decimals."""
GSM8K = ["pass@1", "pass@8", "pass@32", "tokens", "distinct answers of 32"]


@pytest.mark.parametrize(
    ("folder", "section", "report", "columns"),
    [
        (FIRST, "supplier-invoices", "invoices-report.json", ["pass@1", "pass@3", "calls a task"]),
        (FIRST, "musique-search, invented corpus", "musique-report.json", ["exact match", "pass@8", "searches"]),
        (SECOND, "supplier-invoices", "invoices-report.json", ["pass@1", "pass@3", "calls a task"]),
        (SECOND, "GSM8K", "gsm8k-report.json", GSM8K),
        (THIRD, "supplier-invoices", "invoices-report.json", ["pass@1", "pass@3", "calls a task"]),
        (THIRD, "GSM8K", "gsm8k-report.json", GSM8K),
    ],
)
def test_the_tables_repeat_the_report(folder: Path, section: str, report: str, columns: list[str]) -> None:
    measured = {(e["run"], e["step"]): e for e in evaluations(folder, report)}
    unmeasured = []
    for row in rows(folder, section):
        if row[columns[0]] == "not evaluated":
            unmeasured.append(row["model"])
            continue
        evaluation = measured.pop(found(row["model"], measured))
        passed = evaluation["pass_at_k"]["left_out"]
        assert row[columns[0]] == interval(passed["1"])
        for column in columns[1:]:
            if column in MEASURED:
                key, decimals = MEASURED[column]
                assert row[column] == f"{evaluation['measures'][key]['value']:.{decimals}f}", (row, column)
            else:
                measure = passed[column.removeprefix("pass@")]
                assert row[column] == (interval(measure) if column == "pass@32" else f"{measure['value']:.3f}")
    assert not measured, "every evaluation is in the table"
    assert unmeasured == UNMEASURED.get((folder, section), [])


UNMEASURED = {
    (FIRST, "supplier-invoices"): ["RL from the start model"],
    (SECOND, "GSM8K"): ["`grpo_length_penalty` 0.5, step 60"],
}


def found(model: str, measured: Iterable[tuple[str, int | None]]) -> tuple[str, int | None]:
    """Run and step of a row."""
    head, _, step = model.rpartition(" ")
    if head in NAMES:
        return NAMES[head], int(step)
    (key,) = (key for key in measured if key[0] == NAMES[model])
    return key


@pytest.mark.parametrize("folder", [FIRST, SECOND, THIRD])
def test_the_root_and_recipe_pages_repeat_them_too(folder: Path) -> None:
    passed = {e["run"]: e["pass_at_k"]["left_out"]["1"] for e in evaluations(folder, "invoices-report.json")}
    root = (FIRST.parents[2] / "README.md").read_text(encoding="utf-8")
    recipes = (FIRST.parents[1] / "README.md").read_text(encoding="utf-8")
    passed.pop("sft-rl-40", None)  # on the way, as earlier steps of one run are
    for measure in passed.values():
        assert f"{measure['value']:.3f} | {measure['low']:.3f}–{measure['high']:.3f}" in root
        assert interval(measure) in recipes
    if folder is FIRST:
        return
    for arm in evaluations(folder, "gsm8k-report.json"):
        assert f"{ARM[arm['run']]} {arm['pass_at_k']['left_out']['1']['value']:.3f}" in recipes


ARM = {
    "base": "start model",
    "sft": "SFT",
    "grpo": "`grpo`",
    "grpo-length": "`grpo_length_penalty`",
    "rft-shortest": "`rft_shortest`",
}
PASSES = ("pass@1", "pass@32", "tokens")


@pytest.mark.parametrize(
    ("folder", "report", "told"),
    [
        (SECOND, "invoices-report.json", itertools.product(("sft-rl-40", "sft-rl-80"), ("pass@1",))),
        (SECOND, "gsm8k-report.json", itertools.product(("grpo", "rft-shortest"), PASSES)),
        (
            THIRD,
            "invoices-report.json",
            itertools.product(("gold-fraction-1e-4", "solved-1e-4", "solved-2e-4"), ("pass@1", "pass@3")),
        ),
        (
            THIRD,
            "gsm8k-report.json",
            itertools.product(("grpo", "grpo-length", "rft-shortest"), (*PASSES, "distinct_answers")),
        ),
        (THIRD, "gsm8k-report.json", (("rft-shortest", "pass_gap"),)),
    ],
)
def test_the_paired_differences_repeat_the_report(folder: Path, report: str, told: Iterable[tuple[str, str]]) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    differences = json.loads((folder / report).read_text(encoding="utf-8"))["differences"]
    by_name = {(d["run"].split(" @ ")[0], d["figure"]): d["estimate"] for d in differences}
    for name in told:
        digits = {"tokens": 1, "distinct_answers": 2}.get(name[1], 3)
        value, low, high = (round(by_name[name][part], digits) for part in ("value", "low", "high"))
        shown = f"{value:+.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
        assert shown.replace("-", "−") in text, name


def test_the_pool_holds_the_problems_that_were_counted() -> None:
    keys = json.loads((SECOND / "gsm8k-pool.json").read_text(encoding="utf-8"))
    assert len(set(keys)) == len(keys) == 179 + 31 + 6 + 2 + 1
    assert all(re.fullmatch("gsm8k-[0-9a-f]{10}", key) for key in keys)


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


def test_several_runs_share_the_panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for number, name in enumerate(("one", "two")):
        (tmp_path / name).mkdir()
        rows: list[dict[str, float]] = [
            {"step": n, "train/agg/all/agent/num_output_tokens/mean": 100 + n + number} for n in range(8)
        ]
        # Only the second has evaluations.
        rows += [{"step": n, "eval/test/all/agent/reward/mean": n / 10} for n in (2, 7)] * number
        rows += [{"step": n, "train/agg/all/agent/reward/mean": 0.8 + n / 100} for n in (2, 7)] * number
        runs.append(write(tmp_path / name / "metrics.jsonl", rows).parent)
    drawn = {}
    monkeypatch.setattr(Figure, "savefig", lambda self, path, **_: (drawn.update(figure=self), Path(path).touch()))
    monkeypatch.setattr("sys.argv", ["curve", *map(str, runs), "--out", str(tmp_path / "curve.png")])
    curve.main()
    panels = {axis.get_title(loc="left"): axis for axis in drawn["figure"].axes}
    assert set(panels) == {"sampled tokens a rollout", "evaluation reward", "training reward (all rollouts)"}
    dots = [line.get_ydata() for line in panels["sampled tokens a rollout"].lines if line.get_linestyle() == "None"]
    assert [list(heights) for heights in dots if len(heights)] == [
        [100 + n for n in range(8)],
        [101 + n for n in range(8)],
    ]
    evaluated = panels["evaluation reward"]
    dots_and_line = [list(line.get_ydata()) for line in evaluated.lines if len(line.get_ydata())]
    assert dots_and_line == [[0.2, 0.7], [0.2, 0.7]], "few values are joined, not averaged"
    assert evaluated.get_ylim() == (0, 1)
    low, high = panels["training reward (all rollouts)"].get_ylim()
    assert 0.8 < low < 0.82 and high == 1, "a change between high values can be seen"
    (legend,) = drawn["figure"].legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]


def test_two_runs_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "metrics.jsonl", [{"step": 1, "entropy/all/mean": 0.1}])
    monkeypatch.setattr("sys.argv", ["curve", str(path), str(tmp_path)])
    with pytest.raises(SystemExit, match="a second run named"):
        curve.main()


def test_a_file_without_metrics_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "metrics.jsonl", [{"step": 1, "optim/lr": 1e-4}])
    monkeypatch.setattr("sys.argv", ["curve", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"none of the metrics of a run is here; train with \[monitors.file\]"):
        curve.main()


@pytest.mark.parametrize(("run", "last"), [("invoices", 34), ("musique", 20)])
def test_the_committed_metrics_hold_what_the_text_says(run: str, last: int) -> None:
    values = curve.read_metrics(FIRST / f"{run}-sft-rl-metrics.jsonl")
    assert max(values["entropy, nats a token"]) == last
    measured = by_step(evaluations(FIRST, f"{run}-report.json")[1:])
    assert values["evaluation reward"] == pytest.approx(measured, abs=1e-5)
    assert max(values["KL to the sampling policy"].values()) < 0.005


def test_the_second_run_left_its_samples_before_it_fell() -> None:
    values = curve.read_metrics(SECOND / "invoices-sft-rl-metrics.jsonl")
    measured = by_step([e for e in evaluations(SECOND, "invoices-report.json") if e["run"].startswith("sft")])
    assert set(measured) == {1, 40, 80}
    assert values["evaluation reward"] == pytest.approx(measured, abs=1e-5)
    lines = (SECOND / "invoices-sft-rl-metrics.jsonl").read_text(encoding="utf-8").splitlines()
    largest = {row["step"]: row["mismatch_kl/all/max"] for row in map(json.loads, lines)}
    shown = {1: "0.3", 11: "7.7", 13: "26", 45: "105", 48: "544"}
    assert {step: f"{largest[step]:.{1 if step < 12 else 0}f}" for step in shown} == shown
    reward = values["training reward (all rollouts)"]
    assert min(reward[step] for step in range(1, 50)) > 0.4 > max(reward[step] for step in range(52, 67))


@pytest.mark.parametrize(
    ("name", "largest", "updates"),
    [("gold-fraction-1e-4", "20", 4), ("solved-1e-4", "6.6", 4), ("solved-2e-4", "8.8", 6)],
)
def test_the_third_runs_stayed_near_their_samples(name: str, largest: str, updates: int) -> None:
    path = THIRD / f"{name}.jsonl"
    measured = by_step([e for e in evaluations(THIRD, "invoices-report.json") if e["run"] == name])
    logged = curve.read_metrics(path)["evaluation reward"]
    assert {step: logged[step] for step in measured} == pytest.approx(measured, abs=1e-5)
    if name == "gold-fraction-1e-4":  # its report has no step 40, and SFT was evaluated there
        (sft,) = (e for e in evaluations(THIRD, "invoices-report.json") if e["run"] == "sft")
        assert logged.pop(1) == pytest.approx(by_step([sft])[1], abs=1e-5)
        assert f"{logged.pop(40):.3f}" == "0.843"
    assert logged.keys() == measured.keys()
    metrics = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    assert [row["step"] for row in metrics] == list(range(1, 121))
    assert f"{max(row.get('mismatch_kl/all/max', 0) for row in metrics):.2g}" == largest
    assert max(row.get("off_policy/max", 0) for row in metrics) == updates
