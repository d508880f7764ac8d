"""Reported faults of GRPO recipes; the ids are those of the public reports they were learnt from.

Those that need a server, an adapter or merged weights (GR-06, GR-07) stand in test_grpo_recipe_launch.py.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verifiers.v1.types import AssistantMessage

from recipe_tables import INVOICES, MATH, SFT, TRAIN, changed, recipe, toml
from recipes.check import cli
from recipes.check.config import CheckConfig
from recipes.check.recipe import load_all, shipped
from recipes.check.rules import data, groups
from rollout_fixtures import SearchTask, episode, search_turn, write_run
from tiny_qwen import renderer, rows, text, training_sample

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT.parent / "shared" / "schema"


def every_recipe() -> list:
    return [made for file in shipped(ROOT) for made in load_all(file, ROOT)[0]]


def rejected(rewards: list[float], low: float, high: float) -> bool:
    """What prime-rl's advantage_range gate does to a group: float32 advantages, all within the band."""
    group = np.array(rewards, dtype=np.float32)
    advantages = group - np.float32(sum(np.float32(r) for r in group)) / np.float32(len(group))
    return bool(((advantages >= low) & (advantages <= high)).all())


@pytest.mark.parametrize(("reward", "size"), [(0.3, 8), (0.7, 6), (1.3, 16), (1 / 3, 12), (0.0, 8), (1.0, 8)])
def test_gr_01_a_constant_group_is_dropped_whatever_its_mean(reward: float, size: int) -> None:
    gates = [g for made in every_recipe() for s in groups.train_sources(made) for g in groups._gates(s).values()]
    assert gates, "the shipped recipes have gates"
    for gate in gates:
        assert rejected([reward] * size, gate["reject_min"], gate["reject_max"])
        assert not rejected([reward] * (size - 1) + [reward + 0.1], gate["reject_min"], gate["reject_max"])


def test_gr_01_a_band_of_nothing_keeps_such_groups_and_is_told() -> None:
    kept = [not rejected([reward] * size, 0.0, 0.0) for reward in (0.3, 0.7, 1.3, 1 / 3) for size in (6, 7, 8, 11, 12)]
    assert any(kept), "float32 leaves a residue"
    made = recipe(INVOICES, {f"{TRAIN}.curriculum.gates.zero": {"reject_min": 0.0, "reject_max": 0.0}})
    [(key, words)] = groups.gate_band(made)
    assert key == f"{TRAIN}.curriculum.gates.zero" and "use reject_min = -1e-5, reject_max = 1e-5" in words


@pytest.mark.parametrize("changes", [{"orchestrator.group_size": 1}, {"orchestrator.group_size": None}])
def test_gr_04_a_group_of_one_is_an_error(changes: dict[str, Any]) -> None:
    assert [key for key, _ in groups.group_above_one(recipe(INVOICES, changes))] == ["orchestrator.group_size"]


def test_gr_04_no_shipped_recipe_has_groups_of_one() -> None:
    trained = [made for made in every_recipe() if groups.train_sources(made)]
    assert trained and [problem for made in trained for problem in groups.group_above_one(made)] == []


@pytest.mark.skipif(not SCHEMA.is_dir(), reason="prime-rl's schema is not beside the repository")
def test_gr_05_a_key_that_the_pinned_classes_lack_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`filter_zero_advantages` still exists at our pin; the filters that went before it do not."""
    kept = changed(INVOICES, {"orchestrator.train.filter_zero_advantages": True})
    gone = changed(INVOICES, {"orchestrator.filters": {"gibberish": True}})
    printed = []
    for name, table in (("kept.toml", kept), ("gone.toml", gone)):
        (tmp_path / name).write_text(toml(table), encoding="utf-8")
        code = cli.run(CheckConfig.model_validate({"files": [tmp_path / name], "schema_dir": SCHEMA}), tmp_path)
        printed.append((code, [line for line in capsys.readouterr().out.splitlines() if "unknown key" in line]))
    assert printed[0] == (0, [])
    assert printed[1][0] == 1 and len(printed[1][1]) == 1
    assert printed[1][1][0].startswith("gone.toml: orchestrator.filters: unknown key")


def test_gr_09_every_sft_recipe_states_the_masking() -> None:
    tuned = [made for made in every_recipe() if made.kind == "sft"]
    assert tuned and [(made.name, problem) for made in tuned for problem in data.loss_mask_stated(made)] == []
    assert [key for key, _ in data.loss_mask_stated(recipe(SFT, {"data.loss_mask": None}))] == ["data.loss_mask"]
    assert [key for key, _ in data.loss_mask_stated(recipe(SFT, {"data.loss_mask.tool": True}))] == [
        "data.loss_mask.tool"
    ]


def test_gr_09_tool_results_carry_no_loss(tmp_path: Path) -> None:
    from data_build.rollouts.sft import SftConfig, build

    task = SearchTask("q", 1.0)
    saved = episode(task, [*search_turn("c", "Lund", task.supporting), AssistantMessage(content="<<Lund>>")])
    build([write_run(tmp_path / "run", [saved])], SftConfig.model_validate({"out": tmp_path / "sft"}))
    [row] = rows(tmp_path / "sft", tmp_path / "cache")
    results = [message["content"] for message in row["messages"] if message["role"] == "tool"]
    tiny = renderer()
    sample = training_sample(tiny, row)
    learnt = text(tiny, [token for token, kept in zip(sample.token_ids, sample.loss_mask, strict=True) if kept])
    masked = text(tiny, [token for token, kept in zip(sample.token_ids, sample.loss_mask, strict=True) if not kept])
    assert results and all(result in masked and result not in learnt for result in results)
    assert "<tool_call>" in learnt


@pytest.mark.parametrize(
    "changes",
    [
        {"trainer.loss": {"type": "custom", "import_path": "a.b", "kwargs": {"beta": 0.05}}},
        {"trainer.loss": {"kl_tau": 0.1}, "orchestrator.train.filter_zero_advantages": False},
        {"orchestrator.algo": {"type": "grpo"}, "orchestrator.train.source.1": {"name": "kl", "algo": {"type": "opd"}}},
    ],
    ids=["custom", "default loss", "second source"],
)
def test_gr_10_a_brake_that_acts_on_flat_groups_is_documented(changes: dict[str, Any]) -> None:
    table = changed(MATH, {key: value for key, value in changes.items() if not key.endswith(".source.1")})
    if second := changes.get("orchestrator.train.source.1"):
        table["orchestrator"]["train"]["source"].append(second)
    assert len(list(groups.brake_on_flat_groups(recipe(table)))) == 1
    assert list(groups.brake_on_flat_groups(recipe(table, comments="The KL also pulls on flat groups."))) == []


def test_gr_10_the_shipped_recipes_document_theirs() -> None:
    assert [(made.name, problem) for made in every_recipe() for problem in groups.brake_on_flat_groups(made)] == []
