"""recipes.results.curve: pictures of prime-rl's metrics."""

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from recipes.results import curve


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
