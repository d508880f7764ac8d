import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from data_build.math import curate
from data_build.math.files import read_reasons, read_rows
from data_build.math.openrs import OpenRsConfig, main, run_step
from data_build.math.parts import noise
from math_reasoning.rows import Row

DATA = Path(__file__).parents[2] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of public data sets is not beside the checkout")


def episode(row: Row, scores: Sequence[float | None], reward: str = "accuracy", key: str | None = None) -> list[dict]:
    """One saved episode a score; None is a rollout that failed."""
    task = {"type": "T", "data": {"prompt": row.question, "question": row.question}, "key": key or row.id}
    return [
        {
            "id": f"{row.id}-{i}",
            "ok": score is not None,
            "task": task,
            "traces": [
                {
                    "ok": score is not None,
                    "task": task,
                    "nodes": [],
                    "errors": [] if score is not None else [{"type": "ProviderError", "message": "upstream 500"}],
                    "rewards": {} if score is None else {reward: {"score": score, "weight": 1.0}},
                }
            ],
        }
        for i, score in enumerate(scores)
    ]


def save(folder: Path, episodes: Sequence[dict]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "traces.jsonl").write_text("".join(json.dumps(e) + "\n" for e in episodes), encoding="utf-8")
    return folder


def run_over(rows: Sequence[Row], folder: Path, scores: Callable[[int], Sequence[float | None]], **kind: str) -> Path:
    return save(folder, [e for i, row in enumerate(rows) for e in episode(row, scores(i), **kind)])


S1 = [{"question": f"Find the value of {i} + {i}.", "solution": rf"It is \boxed{{{2 * i}}}."} for i in range(20)]
S1[3]["solution"] = "6"
S1[4]["solution"] = r"So \boxed{}."
S1[7]["question"] = "(a) Find 7 + 7. (b) Find 7 + 8."
S1[6]["question"] = "Prove that 6 + 6 = 12."
S1.append(S1[0] | {"question": " FIND the value of 0 + 0."})
DEEP = [{"problem": f"Compute {i} times {i + 1}.", "answer": str(i * (i + 1))} for i in range(20)]


@pytest.fixture
def config(tmp_path: Path) -> OpenRsConfig:
    for name, rows in (("s1", S1), ("deep", DEEP)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return OpenRsConfig(
        s1=tmp_path / "s1.jsonl",
        deepscaler=tmp_path / "deep.jsonl",
        output=tmp_path / "out",
        from_s1=4,
        from_deepscaler=5,
        easier=3,
    )


def with_runs(config: OpenRsConfig, tmp_path: Path) -> OpenRsConfig:
    """The first steps done and model runs over their files: every third s1 problem and every second of DeepScaleR is
    solved each time, the others once in two."""
    for step in ("s1", "s1-boxed", "deepscaler"):
        run_step(config, step)
    boxed, deep = read_rows(config.output / "s1-boxed.jsonl"), read_rows(config.output / "deepscaler.jsonl")
    return config.model_copy(
        update={
            "s1_runs": [run_over(boxed, tmp_path / "small", lambda i: [1, 1] if i % 3 == 0 else [0, 1])],
            "deepscaler_runs": [run_over(deep, tmp_path / "large", lambda i: [1, 1] if i % 2 else [1, 0])],
        }
    )


def questions(config: OpenRsConfig, step: str) -> list[str]:
    return [row.question for row in read_rows(config.output / f"{step}.jsonl")]


def test_the_whole_pipeline(config: OpenRsConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = with_runs(config, tmp_path)
    flags = [f"--{name.replace('_', '-')}" for name in ("s1", "deepscaler", "output")]
    arguments = [
        str(x) for pair in zip(flags, (config.s1, config.deepscaler, config.output), strict=True) for x in pair
    ]
    arguments += ["--s1-runs", json.dumps([str(p) for p in config.s1_runs])]
    arguments += ["--deepscaler-runs", json.dumps([str(p) for p in config.deepscaler_runs])]
    main([*arguments, "--from-s1", "4", "--from-deepscaler", "5", "--easier", "3"])
    printed = capsys.readouterr().out
    counts = {name: len(questions(config, name)) for name in ("s1", "s1-boxed", "s1-hard", "open-s1", "deepscaler")}
    assert counts == {"s1": 20, "s1-boxed": 18, "s1-hard": 12, "open-s1": 10, "deepscaler": 20}
    assert len(questions(config, "open-deepscaler")) == 10
    for words in ("18,615", "59,029", "easy 6", "multi-part 1", "proof 1", "no box 1", "empty or unclosed box 1"):
        assert words in printed, words
    mix = questions(config, "mix")
    assert len(mix) == len(set(mix)) == 12
    easy = {f"Compute {i} times {i + 1}." for i in range(1, 20, 2)}
    assert sum(q in easy for q in mix) == 3
    assert sum(q.startswith("Find") for q in mix) == 4
    assert len(questions(config, "open-rs-s1")) == 10
    assert read_rows(config.output / "s1-boxed.jsonl")[7].answer == "18"


def test_a_step_runs_once_and_again_when_its_input_changes(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    assert "already done" not in run_step(config, "s1-hard")
    before = (config.output / "s1-hard.jsonl").stat().st_mtime_ns
    assert "already done" in run_step(config, "s1-hard")
    assert (config.output / "s1-hard.jsonl").stat().st_mtime_ns == before
    assert "already done" not in run_step(config.model_copy(update={"easy_at": 0.5}), "s1-hard")
    assert questions(config, "s1-hard") == []
    boxed = read_rows(config.output / "s1-boxed.jsonl")
    run_over(boxed, tmp_path / "small", lambda i: [0])
    assert "already done" not in run_step(config, "s1-hard")
    assert len(questions(config, "s1-hard")) == 18
    manifest = json.loads((config.output / "s1-hard.manifest.json").read_text(encoding="utf-8"))
    assert manifest["counts"]["rollouts"] == 18
    assert str(tmp_path / "small/traces.jsonl") in manifest["made_with"]["inputs"]


def test_failed_rollouts_are_no_evidence_and_are_counted(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    boxed = read_rows(config.output / "s1-boxed.jsonl")
    run = run_over(boxed, tmp_path / "small", lambda i: [None, 1] if i < 2 else [0, None])
    printed = run_step(config, "s1-hard")
    assert "rollouts failed 18" in printed and "rollouts 18" in printed
    assert [i for i, r in enumerate(boxed) if r.question not in questions(config, "s1-hard")] == [0, 1]
    assert set(read_reasons(config.output / "s1-hard.dropped.jsonl").values()) == {"easy: pass rate 1.0000"}
    assert run.is_dir()


def test_low_coverage_is_refused_with_the_counts(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    boxed = read_rows(config.output / "s1-boxed.jsonl")
    run_over(boxed, tmp_path / "small", lambda i: [None] if i < 9 else [0])
    with pytest.raises(ValueError, match=r"--s1-runs: 9 of 18 problems of .* have a scored rollout, 99% must \(9 roll"):
        run_step(config, "s1-hard")
    assert not (config.output / "s1-hard.jsonl").exists()
    lower = config.model_copy(update={"coverage": 0.5})
    assert "no scored rollout 9" in run_step(lower, "s1-hard")
    assert len(questions(lower, "s1-hard")) == 9


def test_rollouts_are_found_by_question_where_the_key_is_another(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    boxed = read_rows(config.output / "s1-boxed.jsonl")
    save(tmp_path / "small", [e for i, row in enumerate(boxed) for e in episode(row, [i % 2], key=f"other-{i}")])
    run_step(config, "s1-hard")
    assert questions(config, "s1-hard") == [row.question for row in boxed[::2]]


def test_a_reward_that_no_rollout_has_is_named(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    with pytest.raises(ValueError, match="no reward 'solved'; it has: accuracy"):
        run_step(config.model_copy(update={"reward": "solved"}), "s1-hard")


def test_problems_that_no_run_can_hold_do_not_count_against_coverage(config: OpenRsConfig, tmp_path: Path) -> None:
    """math-reasoning leaves rows out whose gold cannot be judged."""
    assert config.deepscaler is not None
    lines = [*DEEP, {"problem": "Sketch the curve.", "answer": "see the figure"}]
    config.deepscaler.write_text("".join(json.dumps(r) + "\n" for r in lines), encoding="utf-8")
    config = with_runs(config, tmp_path)
    deep = read_rows(config.output / "deepscaler.jsonl")
    run_over(deep[:-1], tmp_path / "large", lambda i: [0])
    assert "gold 1" in run_step(config, "open-deepscaler")
    assert questions(config, "open-deepscaler") == [row.question for row in deep[:-1]]
    (reason,) = read_reasons(config.output / "open-deepscaler.dropped.jsonl").values()
    assert reason.startswith("gold: ")


def test_a_judge_replaces_the_rules(config: OpenRsConfig, tmp_path: Path) -> None:
    config = with_runs(config, tmp_path)
    run_step(config, "s1-hard")
    hard = read_rows(config.output / "s1-hard.jsonl")
    judge = run_over(hard, tmp_path / "judge", lambda i: [1, 0, 0] if i == 2 else [1, 1, 0], reward="keep")
    assert "by judge" in run_step(config.model_copy(update={"judge_runs": [judge]}), "open-s1")
    assert questions(config, "open-s1") == [row.question for i, row in enumerate(hard) if i != 2]


def test_the_mix_leaves_benchmarks_unusable_golds_and_repeats_out() -> None:
    def row(identity: str, question: str, answer: str = "4") -> Row:
        return Row(id=identity, question=question, answer=answer, source="made up")

    rows = [row("a", "Compute 2 + 2."), row("b", "compute 2+2."), row("c", "Compute 1 + 3."), row("d", "Find x.", "")]
    kept, dropped = curate.usable(rows, [row("t", "COMPUTE 1 + 3.")])
    assert [r.id for r in kept] == ["a"]
    assert dropped["b"] == "duplicate" and dropped["c"] == "in a benchmark: t" and dropped["d"].startswith("gold")


def test_draws_depend_on_seed_and_ids_alone() -> None:
    rows = [Row(id=f"r{i}", question=f"q{i}", answer="1", source="made up") for i in range(50)]
    first = [r.id for r in curate.draw(rows, 10, 0, "it")]
    assert first == [r.id for r in curate.draw(rows[::-1], 10, 0, "it")]
    assert first != [r.id for r in curate.draw(rows, 10, 1, "it")]
    with pytest.raises(ValueError, match="mix: 51 problems of it are wanted, there are 50"):
        curate.draw(rows, 51, 0, "it")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("s1-boxed", r"s1-boxed: .*s1\.jsonl is missing; run --step s1 first"),
        ("mix", r"mix: .*open-s1\.jsonl is missing"),
    ],
)
def test_a_step_names_the_one_before(config: OpenRsConfig, step: str, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        main(["--step", step, "--output", str(config.output)])


def test_a_model_step_without_rollouts_says_what_to_run(config: OpenRsConfig) -> None:
    run_step(config, "s1")
    run_step(config, "s1-boxed")
    with pytest.raises(
        ValueError, match=r"--s1-runs FOLDER; make them with `vf-eval math-reasoning --env.taskset.path"
    ):
        run_step(config, "s1-hard")


def test_the_hub_needs_a_pinned_revision(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="--s1-revision: None is no full commit hash"):
        main(["--step", "s1", "--output", str(tmp_path)])


NOISE: Mapping[str, str | None] = {
    "Find all real x with x^2 = 4.": None,
    "Solve: (a) x + 1 = 2; (b) x + 2 = 5.": "multi-part",
    "Let f be even. (1) Find f(0). (2) If f(1) = 2, find f(-1).": "multi-part",
    "i. no label series here, what is 2 + 2?": None,
    "1. Find x if x = 3.\n2. Find y if y = 4.": "multi-part",
    "Part A: What is 2 + 2? Part B: What is 3 + 3?": "multi-part",
    "Find f that satisfies the following conditions: (1) f(0) = 1; (2) f is linear; (3) f(1) = 3.": None,
    "What is 2 + 2? (A) 3 (B) 4 (C) 5": None,
    "Let f(a) be the sum and g(b) the product. What is f(2)?": None,
    "Prove that the square root of 2 is irrational.": "proof",
    "Prove that n is odd and find the least n.": None,
    "Determine, with proof, which of two numbers is larger.": None,
    "As shown in the figure, AB = 3. Find BC.": "figure",
    "In the figure AB = 3. Find BC. [asy] draw((0,0)--(1,1)); [/asy]": None,
    "d. If the watch shows 3 s, what does the clock show?": "part",
    "(b) Compute the potential inside the sphere.": "part",
    "Formulas for shortened multiplication.": "no question",
    "The sum of the first eighty odd numbers is": None,
    r"$\frac{16+8}{4-2}=$": None,
}


@pytest.mark.parametrize("question", NOISE)
def test_rules_for_noisy_and_multi_part_problems(question: str) -> None:
    assert noise(question) == NOISE[question]


@needs_data
def test_public_files_through_the_steps_without_a_model(tmp_path: Path) -> None:
    config = OpenRsConfig(
        s1=DATA / "s1k.jsonl.gz", deepscaler=DATA / "deepscaler_sub_1209.jsonl.gz", output=tmp_path / "out"
    )
    for step in ("s1", "s1-boxed", "deepscaler"):
        run_step(config, step)
    assert len(questions(config, "s1")) == 989
    assert len(questions(config, "s1-boxed")) == 289
    assert len(questions(config, "deepscaler")) == 1207
