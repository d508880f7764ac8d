"""recipes/results: figures in the text are those of the report files and of prime-rl's metrics."""

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from recipes.results import curve

ROOT = Path(__file__).parents[1]
FIRST = ROOT / "recipes/results/smollm2_2026_11_30"
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
"""Model as the tables call it → its run in the report; a step follows a name that ends with `step`."""
UNMEASURED = {
    ("smollm2_2026_11_30", "supplier-invoices"): ["RL from the start model"],
    ("smollm2_2026_11_30_second", "GSM8K"): ["`grpo_length_penalty` 0.5, step 60"],
}
"""Rows without an evaluation."""


def evaluations(folder: Path, name: str) -> list[dict]:
    return json.loads((folder / name).read_text(encoding="utf-8"))["evaluations"]


def rows(folder: Path, section: str, number: int = 0) -> list[dict[str, str]]:
    """A table under a heading, the first or that of the number, a row by column."""
    text = (folder / "README.md").read_text(encoding="utf-8").split(f"## {section}", 1)[1]
    blocks = itertools.groupby(text.splitlines(), key=lambda line: line.startswith("|"))
    table = [list(lines) for is_table, lines in blocks if is_table][number]
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
        evaluation = measured.pop(run_and_step(row["model"], measured))
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
    assert unmeasured == UNMEASURED.get((folder.name, section), [])


def run_and_step(model: str, measured: Iterable[tuple[str, int | None]]) -> tuple[str, int | None]:
    """Run and step of a row."""
    head, _, step = model.rpartition(" ")
    if head in NAMES:
        return NAMES[head], int(step)
    (key,) = (key for key in measured if key[0] == NAMES[model])
    return key


@pytest.mark.parametrize("folder", [FIRST, SECOND, THIRD])
def test_the_root_and_recipe_pages_repeat_them_too(folder: Path) -> None:
    passed = {e["run"]: e["pass_at_k"]["left_out"]["1"] for e in evaluations(folder, "invoices-report.json")}
    root = (ROOT / "README.md").read_text(encoding="utf-8")
    recipes = (ROOT / "recipes/README.md").read_text(encoding="utf-8")
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
PAIRED = {"A": "gold-fraction-1e-4", "B": "solved-1e-4", "C": "solved-2e-4"} | {
    "`grpo`": "grpo",
    "`grpo_length_penalty`": "grpo-length",
    "`rft_shortest`": "rft-shortest",
}
"""Run as the tables of differences call it → its run in the report."""


def paired(folder: Path, report: str, run: str, figure: str) -> str:
    """A difference of the report as the texts write it."""
    differences = json.loads((folder / report).read_text(encoding="utf-8"))["differences"]
    (found,) = (d for d in differences if d["run"].split(" @ ")[0] == run and d["figure"] == figure)
    digits = {"tokens": 1, "distinct_answers": 2}.get(figure, 3)
    value, low, high = (round(found["estimate"][part], digits) for part in ("value", "low", "high"))
    return f"{value:+.{digits}f} ({low:.{digits}f} to {high:.{digits}f})".replace("-", "−")


@pytest.mark.parametrize(
    ("folder", "section", "report", "runs"),
    [
        (SECOND, "GSM8K", "gsm8k-report.json", 2),
        (THIRD, "supplier-invoices", "invoices-report.json", 3),
        (THIRD, "GSM8K", "gsm8k-report.json", 3),
    ],
)
def test_the_paired_differences_repeat_the_report(folder: Path, section: str, report: str, runs: int) -> None:
    table = rows(folder, section, 1)
    assert len(table) == runs
    for row in table:
        (_, name), *cells = row.items()
        for column, cell in cells:
            assert cell == paired(folder, report, PAIRED[name], MEASURED.get(column, (column,))[0]), (name, column)


@pytest.mark.parametrize(
    ("page", "folder", "report", "run", "figure"),
    [
        (SECOND, SECOND, "invoices-report.json", "sft-rl-40", "pass@1"),
        (SECOND, SECOND, "invoices-report.json", "sft-rl-80", "pass@1"),
        (THIRD, THIRD, "gsm8k-report.json", "rft-shortest", "pass_gap"),
        (ROOT, THIRD, "invoices-report.json", "solved-2e-4", "pass@1"),
        (ROOT, SECOND, "gsm8k-report.json", "grpo", "pass@1"),
        (ROOT, THIRD, "gsm8k-report.json", "grpo", "pass@1"),
        (ROOT / "recipes", THIRD, "invoices-report.json", "solved-2e-4", "pass@1"),
    ],
)
def test_the_texts_repeat_them(page: Path, folder: Path, report: str, run: str, figure: str) -> None:
    text = " ".join((page / "README.md").read_text(encoding="utf-8").split())
    shown = paired(folder, report, run, figure)
    value, interval = shown.lstrip("+").split(" ", 1)
    # In prose also "by 0.080 (…)" and "+0.080, 0.038 to 0.122".
    told = (shown, f"by {value} {interval}", f"+{value}, {interval[1:-1]}")
    assert any(words in text for words in told) or f"by {value} {interval[:-1]}" in text, told


def test_the_pool_holds_the_problems_that_were_counted() -> None:
    keys = json.loads((SECOND / "gsm8k-pool.json").read_text(encoding="utf-8"))
    assert len(set(keys)) == len(keys)
    text = " ".join((SECOND / "README.md").read_text(encoding="utf-8").split())
    counts, between = re.findall(r"right answers 0: 1,180, (.*?)\. The \[(\d+) between\]", text)[0]
    assert sum(int(pair.split(": ")[1]) for pair in counts.split(", ")) == int(between) == len(keys)
    assert all(re.fullmatch("gsm8k-[0-9a-f]{10}", key) for key in keys)


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
    ("run", "largest", "updates"),
    [("A", "20", 4), ("B", "6.6", 4), ("C", "8.8", 6)],
)
def test_the_third_runs_stayed_near_their_samples(run: str, largest: str, updates: int) -> None:
    name = PAIRED[run]
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
    text = " ".join((THIRD / "README.md").read_text(encoding="utf-8").split())
    assert "up to 4 (C: 6) updates old" in text and f"{largest} in {run}" in text
