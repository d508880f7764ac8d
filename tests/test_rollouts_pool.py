import itertools
import json
import math
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from data_build import cli
from data_build.rollouts.command import read_keys
from data_build.rollouts.pool import PoolConfig, build, keys_digest
from data_build.rollouts.preview import mixed
from math_reasoning.pools import read_pool
from rollout_fixtures import ScriptedTask, episode, episodes, provider_failure, write_run


def task(key: str, **fields: Any) -> ScriptedTask:
    return ScriptedTask(key, 0.5, **fields)


def tries(key: str, right: int, of: int = 8, **changes: Any) -> list:
    """`of` rollouts of one task, of which the first `right` are right."""
    own = task(key)
    return [episode(own, own.play(n < right, random.Random(n)), correct=n < right, **changes) for n in range(of)]


def pool(folder: Path, saved: Any, **config: Any) -> tuple[list[str], dict[str, Any]]:
    run = write_run(folder / "run", saved)
    printed = build([run], PoolConfig.model_validate({"out": folder / "pool.json"} | config))
    return printed, load(folder / "pool.json")


def load(path: Path) -> dict[str, Any]:
    """The manifest with the keys."""
    keys = json.loads(path.read_text(encoding="utf-8"))
    return json.loads(path.with_name(f"{path.stem}.manifest.json").read_text(encoding="utf-8")) | {"keys": keys}


def test_one_to_seven_of_eight_are_kept(tmp_path: Path) -> None:
    saved = itertools.chain(*(tries(f"q{right}", right) for right in range(9)))
    printed, made = pool(tmp_path, saved)
    assert made["keys"] == [f"q{right}" for right in range(1, 8)]
    assert made["right"] == {f"q{right}": right for right in range(1, 8)}
    assert made["counts"]["by_right"] == {str(right): 1 for right in range(9)}
    assert made["model"] == "scripted" and made["taskset"] == "musique-search" and made["reward"] == "exact_match"
    assert made["sha256"] == keys_digest(made["keys"]) and made["sha256"] in printed[-1]
    assert [run["run"] for run in made["runs"]] == ["run"] and len(made["runs"][0]["sha256"]) == 64
    assert str(tmp_path) not in json.dumps(made)


def test_the_counts_are_the_policys(tmp_path: Path) -> None:
    rng = random.Random(0)
    saved = list(episodes([ScriptedTask(f"q{n}", rng.random()) for n in range(30)], 8, seed=4))
    right = Counter(e.task.key for e in saved if e.traces[0].reward == 1)
    _, made = pool(tmp_path, saved, min=2, max=5)
    assert made["right"] == {key: count for key, count in sorted(right.items()) if 2 <= count <= 5}


def test_tasks_with_fewer_rollouts_are_refused(tmp_path: Path) -> None:
    """Failures of the infrastructure are no rollouts of the model."""
    short, failed = tries("short", 3, of=7), tries("failed", 2, of=7)
    failed.append(episode(task("failed"), task("failed").play(True, random.Random(0)), error=provider_failure()))
    printed, made = pool(tmp_path, [*tries("full", 4), *short, *failed])
    assert made["keys"] == ["full"] and made["counts"]["refused"] == 2
    assert any("refused: 2 problems with fewer than 8 rollouts (failed, short)" in line for line in printed)
    with pytest.raises(ValueError, match="no problem has 16 rollouts; sample more, or lower --rollouts"):
        pool(tmp_path / "more", tries("full", 4), rollouts=16, max=15)


def test_rollouts_beyond_the_asked_ones_do_not_count(tmp_path: Path) -> None:
    printed, made = pool(tmp_path, [*tries("q", 3), *tries("q", 4, of=4)])
    assert made["right"] == {"q": 3}
    assert "not counted: 4 beyond the first 8 rollouts of their problems" in printed


def test_several_runs_of_one_model_add_up(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, tries("q", right, of=4)) for name, right in (("a", 1), ("b", 2))]
    build(runs, PoolConfig(out=tmp_path / "pool.json"))
    made = load(tmp_path / "pool.json")
    assert made["right"] == {"q": 3} and [run["run"] for run in made["runs"]] == ["a", "b"]


def test_runs_of_two_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"RUNS: they are of 2 models \(other, scripted\); a pool is of one"):
        pool(tmp_path, [*tries("q", 3), *tries("r", 3, model="other")])


def test_a_seeded_draw(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", itertools.chain(*(tries(f"q{n:02}", 4) for n in range(20))))
    drawn = []
    for seed in (0, 1, 0):
        build([run], PoolConfig(out=tmp_path / "pool.json", size=5, seed=seed))
        drawn.append((tmp_path / "pool.json").read_bytes())
    assert drawn[0] == drawn[2] != drawn[1]
    keys = json.loads(drawn[0])
    assert len(keys) == 5 == len(set(keys)) and keys == sorted(keys)
    with pytest.raises(ValueError, match="size: 20 problems qualify, fewer than 1,500"):
        build([run], PoolConfig(out=tmp_path / "pool.json", size=1500))


def test_evaluation_problems_stay_out(tmp_path: Path) -> None:
    held_out = list(episodes([task("v", split="test")], 8))
    with pytest.raises(ValueError, match="1 tasks of split 'test'"):
        pool(tmp_path, [*tries("q", 3), *held_out])
    _, made = pool(tmp_path / "b", [*tries("q", 3), *held_out], exclude_split=["test"])
    assert made["keys"] == ["q"] and made["counts"]["left_out"] == 1


def test_the_taskset_reads_a_pool_and_so_does_exclude_keys(tmp_path: Path) -> None:
    pool(tmp_path, [*tries("a", 3), *tries("b", 4)])
    assert read_keys(tmp_path / "pool.json") == set(read_pool(tmp_path / "pool.json")) == {"a", "b"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"min": 5, "max": 3}, "need min <= max <= rollouts"),
        ({"max": 9}, "need min <= max <= rollouts"),
        ({"out": None}, "out: name the file to write, or ask for --preview"),
        ({"group": 1}, "group"),
    ],
)
def test_bad_configs(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        PoolConfig.model_validate({"out": "x"} | config)


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("group", [2, 3, 8, 16])
def test_share_of_mixed_groups_against_all_groups(n: int, group: int) -> None:
    """By listing all groups of the observed rollouts; without replacement where they suffice, else with."""
    for right in range(n + 1):
        observed = [1] * right + [0] * (n - right)
        if group <= n:
            groups = list(itertools.combinations(observed, group))
            expected = sum(0 < sum(g) < group for g in groups) / len(groups)
        else:
            rate = right / n
            terms = (math.comb(group, k) * rate**k * (1 - rate) ** (group - k) for k in range(1, group))
            expected = sum(terms)
        assert mixed(n, right, group) == pytest.approx(expected)


def test_preview_of_a_live_start(tmp_path: Path) -> None:
    saved = itertools.chain(tries("a", 0), tries("b", 4), tries("c", 4), tries("d", 8))
    run = write_run(tmp_path / "run", saved)
    text = "\n".join(build([run], PoolConfig(preview=True, group=8)))
    assert "all problems: 4 problems, pass rate 0.500, 50.0% of groups of 8 have mixed rewards" in text
    assert "pool of 1 to 7 right, as drawn: 2 problems, pass rate 0.500, 100.0% of groups of 8" in text
    assert "0/8       1" in text and "4/8       2" in text and "warning" not in text
    assert not (tmp_path / "pool.json").exists()
    assert "extrapolated" in "\n".join(build([run], PoolConfig(preview=True, group=16)))


def test_preview_warns_of_a_dead_start(tmp_path: Path) -> None:
    """The study's base model: pass@16 = 0.012, one question of 83 solved once."""
    saved = itertools.chain(*(tries(f"q{n}", int(n == 0), of=16) for n in range(83)))
    run = write_run(tmp_path / "run", saved)
    text = "\n".join(build([run], PoolConfig(preview=True, rollouts=16, max=15, group=16)))
    assert "warning: a dead start" in text and "pass@16 = 0.012, 98.8% of groups carry no gradient" in text
    assert f"with probability {(1 - 1 / 83) ** 40:.0%}" in text


def test_preview_looks_at_evaluation_problems_too(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([task("v", split="test")], 8, seed=1))
    assert build([run], PoolConfig(preview=True))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    run = write_run(tmp_path / "run", tries("q", 3))
    out = tmp_path / "pools/gsm8k.json"
    monkeypatch.setattr(sys, "argv", ["data-build", "pool", str(run), "--min", "1", "--max", "7", "--out", str(out)])
    cli.main()
    assert "wrote" in capsys.readouterr().out and json.loads(out.read_text(encoding="utf-8")) == ["q"]
    assert {path.name for path in out.parent.iterdir()} == {"gsm8k.json", "gsm8k.manifest.json"}
    monkeypatch.setattr(sys, "argv", ["data-build", "pool", str(run), "--min", "8", "--max", "8", "--out", str(out)])
    with pytest.raises(SystemExit, match="data-build pool: no problem was solved 8 to 8 times of 8"):
        cli.main()
