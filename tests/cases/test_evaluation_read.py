"""Reported faults of counting rollouts; the ids are those of the public reports they were learnt from."""

import random
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.types import AssistantMessage

from data_build.rollouts.read import Problems, read_rollouts
from data_build.rollouts.tally import Tally
from rollout_fixtures import OTHER, ScriptedTask, episode, provider_failure, search_turn, write_run

TASK = ScriptedTask("q", 0.5)


def tally(folder: Path, *saved: vf.Episode) -> Tally:
    counts = Tally(reward=None, threshold=1.0)
    for rollout in read_rollouts([write_run(folder / "run", saved)], problems=Problems()):
        counts.add(rollout)
    return counts


def rollouts(count: int, correct: bool = False, failed: bool = False) -> list[vf.Episode]:
    error = provider_failure() if failed else None
    played = TASK.play(correct, random.Random(0))
    return [episode(TASK, played, correct=correct, error=error) for _ in range(count)]


def test_pk_06_a_long_rollout_weighs_as_much_as_a_short_one(tmp_path: Path) -> None:
    searches = [m for n in range(8) for m in search_turn(f"c{n}", "x", [OTHER])]
    long = episode(TASK, [*searches, AssistantMessage(content="<<Visby>>")], correct=False)
    saved = [*rollouts(1, correct=True), long]
    [short, other] = read_rollouts([write_run(tmp_path / "a", saved)], problems=Problems())
    assert (short.turns, other.turns) == (1, 9)
    assert tally(tmp_path, *saved).pass_at(1) == (0.5, 0)


def test_pk_07_errors_are_shown_both_ways_with_their_count(tmp_path: Path) -> None:
    counts = tally(tmp_path, *rollouts(60, correct=True), *rollouts(20), *rollouts(20, failed=True))
    assert counts.pass_at(1) == (0.75, 0)
    assert counts.pass_at(1, as_wrong=True) == (0.60, 0)
    line = counts.pass_line()
    assert line.startswith("pass@1 0.750") and "infrastructure failures left out: 20" in line
    assert "counted as wrong: pass@1 0.600" in line


def test_pk_08_lost_rollouts_make_a_result_incomplete(tmp_path: Path) -> None:
    counts = tally(tmp_path / "lost", *rollouts(50, correct=True), *rollouts(50, failed=True))
    assert counts.coverage == 0.5 and counts.pass_at(1) == (1.0, 0)
    assert "INCOMPLETE: the runs cover 50% of their rollouts" in counts.pass_line()
    nearly = tally(tmp_path / "nearly", *rollouts(95, correct=True), *rollouts(5, failed=True))
    assert nearly.coverage == 0.95 and "INCOMPLETE" not in nearly.pass_line()
