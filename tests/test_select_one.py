import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from scripted_server import ScriptedServer, serve
from select_one.env import SelectOneEnvConfig
from select_tasks import play

TESTS = Path(__file__).parent

ATTEMPTS = {
    "shortest": [(3, "right"), (1, "wrong"), (2, "right"), (2, "right")],
    "none": [(1, "wrong"), (1, "no"), (2, "wrong"), (1, "")],
    "failing": [(1, "fail"), (2, "right"), (1, "right"), (2, "fail")],
    "all-fail": [(1, "fail")] * 4,
}


def load(path: Path) -> dict[str, vf.WireEpisode]:
    episodes = [vf.WireEpisode.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {str(episode.task.key): episode for episode in episodes}


def trainable(episode: vf.Episode | vf.WireEpisode) -> list[int]:
    return sorted(int(t.metrics["attempt"] or 0) for t in episode.traces if t.agent.trainable)


def fact(episode: vf.Episode | vf.WireEpisode, name: str) -> float | None:
    """A metric that all traces of the episode share."""
    (value,) = {trace.metrics.get(name) for trace in episode.traces}
    return value


@pytest.fixture(scope="module")
def server() -> Generator[ScriptedServer]:
    with serve(play(ATTEMPTS)) as server:
        yield server


@pytest.fixture(scope="module")
def run(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One `vf-eval select-tasks --env.id select-one` with no flag for harness or runtime."""
    out = tmp_path_factory.mktemp("eval")
    command = [str(Path(sys.executable).parent / "vf-eval"), "select-tasks", "--env.id", "select-one", "--env.n", "4"]
    command += ["--env.taskset.names", json.dumps(list(ATTEMPTS)), "-m", "scripted", "--client.base-url", server.url]
    command += ["--no-push", "-o", str(out), "--run.dir", "run"]
    env = os.environ | {"PYTHONPATH": str(TESTS)}
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=out, env=env)
    return out / "run"


@pytest.fixture(scope="module")
def episodes(run: Path) -> dict[str, vf.WireEpisode]:
    return load(run / "traces.jsonl")


def test_the_shortest_correct_attempt_is_kept(episodes: dict[str, vf.WireEpisode]) -> None:
    episode = episodes["shortest"]
    assert episode.ok and len(episode.traces) == 4
    assert trainable(episode) == [2]  # the earlier of two with 14 tokens
    assert fact(episode, "selected_attempt") == 2
    assert fact(episode, "attempts_correct") == 3
    assert fact(episode, "tokens_kept") == 14
    assert fact(episode, "tokens_mean_correct") == pytest.approx(49 / 3)
    assert fact(episode, "tokens_mean") == 14
    assert [t.metrics["selected"] for t in episode.traces] == [float(t.agent.trainable) for t in episode.traces]
    assert sum(t.metrics["correct"] or 0 for t in episode.traces) == 3


def test_nothing_is_kept_when_none_is_correct(episodes: dict[str, vf.WireEpisode]) -> None:
    episode = episodes["none"]
    assert episode.ok
    assert trainable(episode) == []
    assert (fact(episode, "attempts_correct"), fact(episode, "selected_attempt")) == (0, -1)
    assert fact(episode, "tokens_kept") is None


def test_a_failed_attempt_is_not_selectable_and_the_episode_goes_on(episodes: dict[str, vf.WireEpisode]) -> None:
    episode = episodes["failing"]
    assert episode.ok
    assert [t.ok for t in sorted(episode.traces, key=lambda t: t.metrics["attempt"] or 0)] == [False, True, True, False]
    assert trainable(episode) == [2]
    assert (fact(episode, "attempts_correct"), fact(episode, "attempts_failed")) == (2, 2)


def test_an_episode_without_an_attempt_that_ran_is_invalid(episodes: dict[str, vf.WireEpisode]) -> None:
    episode = episodes["all-fail"]
    assert not episode.ok
    assert trainable(episode) == []
    assert fact(episode, "attempts_failed") == 4


def test_resume_plays_only_the_invalid_episode(run: Path, server: ScriptedServer) -> None:
    before, asked = load(run / "traces.jsonl"), len(server.requests)
    saved = json.loads((run / "configs/resolved/eval.json").read_text(encoding="utf-8"))
    evaluate(EvalConfig.model_validate(saved | {"resume": True, "rich": None}))
    after = load(run / "traces.jsonl")
    assert len(server.requests) > asked
    assert {r.prompt for r in server.requests[asked:]} == {"all-fail"}
    assert {name for name in before if before[name].id != after[name].id} == {"all-fail"}
    assert trainable(after["shortest"]) == [2]


def evaluate(config: EvalConfig) -> dict[str, vf.Episode]:
    return {str(episode.task.key): episode for episode in asyncio.run(run_eval(config))}


def run_in_process(attempts: dict, out: Path, **env: object) -> dict[str, vf.Episode]:
    with serve(play(attempts)) as server:
        config = EvalConfig(
            env=vf.resolve_env_config(
                {"id": "select-one", "n": 4, "taskset": {"id": "select-tasks", "names": list(attempts)}, **env}
            ),
            model="scripted",
            client=vf.EvalClientConfig(base_url=server.url),
            push=False,
            rich=None,
            output_dir=out,
        )
        return evaluate(config)


def test_random_is_one_draw_per_task_and_seed(tmp_path: Path) -> None:
    attempts = {f"task-{i}": [(2, "right"), (1, "wrong"), (1, "right"), (3, "right")] for i in range(12)}
    draws = []
    for number, seed in enumerate((0, 0, 1)):
        episodes = run_in_process(attempts, tmp_path / str(number), select="random", seed=seed)
        draws.append({name: trainable(episode) for name, episode in episodes.items()})
    assert draws[0] == draws[1] != draws[2]
    assert all(len(kept) == 1 for kept in draws[0].values())
    assert {kept[0] for kept in draws[0].values()} == {0, 2, 3}


def test_attempts_may_run_together_and_keep_their_numbers(tmp_path: Path) -> None:
    attempts = {"together": [(4, "right"), (2, "right"), (1, "wrong"), (3, "right")]}
    episode = run_in_process(attempts, tmp_path, max_concurrent_agents=None)["together"]
    assert sorted(t.metrics["attempt"] or 0 for t in episode.traces) == [0, 1, 2, 3]
    kept = next(t for t in episode.traces if t.agent.trainable)
    assert kept.usage and fact(episode, "tokens_kept") == kept.usage.completion_tokens == 14


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({}, []),  # 0.5 for lower case alone, 1.0 for accuracy in upper case: never
        ({"threshold": 0.5}, [0]),
        ({"reward": "lower_case"}, [0]),
        ({"reward": "accuracy", "threshold": 0.5}, []),
    ],
)
def test_what_counts_as_correct_is_configured(tmp_path: Path, settings: dict, kept: list[int]) -> None:
    episode = run_in_process({"a": [(1, "wrong"), *[(1, "NO")] * 3]}, tmp_path, **settings)["a"]
    assert trainable(episode) == kept


def test_an_unknown_reward_is_named_and_trains_nothing(tmp_path: Path) -> None:
    episode = run_in_process({"a": [(1, "right")] * 4}, tmp_path, reward="acuracy")["a"]
    assert not episode.ok and trainable(episode) == []
    assert episode.last_error is not None
    assert "no reward 'acuracy'; it has: accuracy, lower_case" in episode.last_error.message


def test_agent_defaults_come_from_the_taskset_then_from_here() -> None:
    def agent(**fields: object) -> vf.AgentConfig:
        config = vf.resolve_env_config({"id": "select-one", **fields})
        assert isinstance(config, SelectOneEnvConfig)
        return config.agent

    own = agent(taskset={"id": "select-tasks"})
    assert own.harness is not None and own.harness.id == "chat-loop"
    assert (own.harness.tool_timeout, own.max_turns, own.runtime.type) == (5, 6, "subprocess")
    flagged = agent(taskset={"id": "select-tasks"}, agent={"max_turns": 2, "harness": {"tool_timeout": 9}})
    assert flagged.harness is not None and flagged.harness.id == "chat-loop"
    assert (flagged.harness.tool_timeout, flagged.max_turns) == (9, 2)
    switched = agent(taskset={"id": "select-tasks"}, agent={"harness": {"id": "null"}})
    assert switched.harness is not None and (switched.harness.id, switched.max_turns) == ("null", 6)
    plain = agent(taskset={"id": "scripted-tasks"})
    assert plain.harness is not None and (plain.harness.id, plain.runtime.type) == ("chat-loop", "subprocess")
    assert plain.max_turns is None


@pytest.mark.parametrize("bad", [{"n": 0}, {"select": "longest"}, {"threshold": float("nan")}, {"rewards": "x"}])
def test_bad_settings_are_refused(bad: dict) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        vf.resolve_env_config({"id": "select-one", "taskset": {"id": "select-tasks"}, **bad})
