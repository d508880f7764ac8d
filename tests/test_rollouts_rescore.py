import hashlib
import itertools
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from data_build import cli
from data_build.rollouts.read import Problems, Rollout, read_rollouts
from data_build.rollouts.rescore import BATCH, RescoreConfig, rescore
from musique_search.taskset import MusiqueTask
from rollout_fixtures import SearchTask, episode, episodes, provider_failure, write_prime_rl, write_run

FIELDS = {"id": None, "aliases": []}
TASKS = [SearchTask(f"q{n}", 0.5, fields=FIELDS) for n in range(10)]


def read(run: Path) -> list[Rollout]:
    return list(read_rollouts([run], problems=Problems()))


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def wrongly_scored(rollouts: int) -> list:
    """Right and wrong rollouts by turns, all of them scored 0 by a reward that was broken then."""
    task = TASKS[0]
    return [
        episode(
            task,
            task.play(n % 2 == 0, random.Random(n)),
            rewards={"exact_match": 0.0, "partial_credit": 0.0, "dropped_since": 1.0},
            weights={"exact_match": 1.0, "partial_credit": 0.0, "dropped_since": 0.0},
        )
        for n in range(rollouts)
    ]


def test_a_reward_fix_shows_on_old_runs(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", wrongly_scored(6))
    before = content(run)
    printed = "\n".join(rescore([run], RescoreConfig(out=tmp_path / "again", examples=1)))
    assert "run: 6 rollouts scored again, 0 failed ones left as they were" in printed
    assert "exact_match     mean 0.0000 → 0.5000  3 up" in printed
    assert "weighted sum    mean 0.0000 → 0.5000  3 up" in printed
    assert "dropped_since   mean 1.0000 → none  6 gone" in printed
    assert "gold_recall     mean none → 1.0000  6 new" in printed
    assert printed.count(f"q0 ({run}/traces.jsonl:1): 0 → 1") == 3  # the sum and both rewards
    assert [r.reward for r in read(tmp_path / "again/run")] == [1.0, 0.0] * 3
    assert content(run) == before


def test_all_but_the_scores_stays(tmp_path: Path) -> None:
    """More rollouts than vf-replay gets at a time, in order, failed ones and unreadable rows included."""
    failed = episode(TASKS[1], TASKS[1].play(True, random.Random(0)), error=provider_failure())
    empty = episode(TASKS[2], TASKS[2].play(True, random.Random(0)))
    empty.traces, empty.ok = [], False
    run = write_run(tmp_path / "run", itertools.chain(episodes(TASKS, 8, seed=2), [failed, empty]))
    assert len(read(run)) > BATCH
    with (run / "traces.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"no": "episode"}\n{"torn')
    printed = rescore([run], RescoreConfig(out=tmp_path / "again"))
    assert any("1 torn last line dropped" in line and "1 row does not parse" in line for line in printed)
    changing = {"rewards", "metrics"}
    for old, new in zip(_rows(run)[:-1], _rows(tmp_path / "again/run"), strict=True):
        assert old | {"traces": []} == new | {"traces": []}
        for a, b in zip(old["traces"], new["traces"], strict=True):
            assert {k: v for k, v in a.items() if k not in changing} == {
                k: v for k, v in b.items() if k not in changing
            }
    old, new = read(run), read(tmp_path / "again/run")
    assert [r.reward for r in old] == [r.reward for r in new]
    assert sum(r.ok for r in new) == 80 and sum(r.infrastructure for r in new) == 2


def _rows(run: Path) -> list[dict[str, Any]]:
    rows = []
    for line in (run / "traces.jsonl").read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def test_a_null_reward_is_made_anew(tmp_path: Path) -> None:
    """verifiers wrote a NaN as null and cannot read the row back."""
    run = write_run(tmp_path / "run", wrongly_scored(1))
    text = (run / "traces.jsonl").read_text(encoding="utf-8")
    (run / "traces.jsonl").write_text(text.replace('{"score":0.0,"weight":1.0}', '{"score":null,"weight":1.0}'))
    printed = "\n".join(rescore([run], RescoreConfig(out=tmp_path / "again")))
    assert [r.reward for r in read(run)] == [None] and [r.reward for r in read(tmp_path / "again/run")] == [1.0]
    assert "exact_match     mean none → 1.0000  1 new" in printed


def test_a_reward_that_raises_now_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(self: MusiqueTask, trace: object) -> float:
        raise RuntimeError("boom")

    broken.__dict__.update(MusiqueTask.exact_match.__dict__)
    broken.__name__ = "exact_match"
    monkeypatch.setattr(MusiqueTask, "exact_match", broken)
    run = write_run(tmp_path / "run", wrongly_scored(2))
    printed = "\n".join(rescore([run], RescoreConfig(out=tmp_path / "again")))
    assert f"scoring failed: {run}/traces.jsonl:1: TaskError" in printed and "boom" in printed
    assert [r.ok for r in read(tmp_path / "again/run")] == [False, False]


def test_weights_are_those_of_the_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", wrongly_scored(1))
    saved = run / "configs/resolved/eval.json"
    config = json.loads(saved.read_text(encoding="utf-8"))
    config["env"]["taskset"]["task"]["rewards"] = {"partial_credit": {"weight": 0.3}}
    saved.write_text(json.dumps(config), encoding="utf-8")
    rescore([run], RescoreConfig(out=tmp_path / "again"))
    assert [r.reward for r in read(tmp_path / "again/run")] == [pytest.approx(1.3)]


def test_what_cannot_be_scored_again_says_why(tmp_path: Path) -> None:
    prime_rl = write_prime_rl(tmp_path / "grpo", 1, "eval", "all", wrongly_scored(1))
    with pytest.raises(ValueError, match=r"no configs/resolved/eval\.json.*rollouts of prime-rl cannot"):
        rescore([prime_rl], RescoreConfig(out=tmp_path / "again"))
    run = write_run(tmp_path / "run", wrongly_scored(1))
    saved = run / "configs/resolved/eval.json"
    text = saved.read_text(encoding="utf-8")
    saved.write_text(text.replace("musique-search", "no-such-taskset"), encoding="utf-8")
    with pytest.raises(ValueError, match="taskset 'no-such-taskset' is not installed here"):
        rescore([run], RescoreConfig(out=tmp_path / "again"))
    config = json.loads(text)
    config["env"]["id"] = "select-one"
    saved.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ValueError, match="multi-agent run"):
        rescore([run], RescoreConfig(out=tmp_path / "again"))
    assert not (tmp_path / "again").exists()


def test_a_folder_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", wrongly_scored(1))
    before = content(run)
    with pytest.raises(ValueError, match="is there already; name a new folder"):
        rescore([run], RescoreConfig(out=run))
    assert content(run) == before


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run = write_run(tmp_path / "run", wrongly_scored(2))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["data-build", "rescore", str(run)])
    cli.main()
    assert "exact_match" in capsys.readouterr().out
    [again] = (tmp_path / "outputs").iterdir()
    assert len(read(again)) == 2
    (tmp_path / "again").mkdir()
    (tmp_path / "again/notes.txt").touch()
    monkeypatch.setattr(sys, "argv", ["data-build", "rescore", str(run), "--out", str(tmp_path / "again")])
    with pytest.raises(SystemExit, match=r"data-build rescore: out: .* name a new folder"):
        cli.main()
