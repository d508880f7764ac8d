"""The supplier-invoices recipes: the study's facts, and blocks that agree with the MuSiQue ones."""

import pytest

from recipes.check.recipe import load as read
from test_recipes_musique import EVAL, GATE, RECIPES, ROOT, TRAIN, flat, load, marked_as_ours, text

STRICT = {"gold_fraction": {"weight": 0.0}, "solved": {"weight": 1.0}}


def test_the_studys_facts_stand_in_the_recipe() -> None:
    stated = {
        "model.name": "Qwen/Qwen3-0.6B",
        "max_steps": 500,
        "orchestrator.group_size": 8,
        "orchestrator.batch_size": 32,
        "orchestrator.concurrency.initial_inflight": 64,
        "orchestrator.concurrency.min_inflight": 64,
        "orchestrator.concurrency.max_inflight": 64,
        f"{TRAIN}.env.taskset.split": "train",
        f"{EVAL}.env.taskset.split": "validation",
        f"{GATE}.type": "advantage_range",
    }
    recipe = flat(load("invoices_rl"))
    assert stated.items() <= recipe.items()
    assert "trainer.model.lora.rank" in recipe


def test_training_earns_the_fraction_and_evaluations_only_what_is_solved() -> None:
    recipe = load("invoices_rl")["orchestrator"]
    assert "task" not in recipe["train"]["source"][0]["env"]["taskset"]
    assert recipe["eval"]["source"][0]["env"]["taskset"]["task"]["rewards"] == STRICT
    assert load("eval/invoices_baseline")["env"]["taskset"]["task"]["rewards"] == STRICT


def test_blocks_that_have_no_reason_to_differ_are_those_of_musique() -> None:
    one, other = load("invoices_rl"), load("musique_rl")
    for block in ("deployment", "trainer", "inference", "ckpt", "monitors", "model", "seq_len"):
        assert one[block] == other[block], block
    ours, theirs = one["orchestrator"], other["orchestrator"]
    assert ours["renderer"] == theirs["renderer"]
    assert ours["train"]["sampling"] == theirs["train"]["sampling"]
    assert ours["eval"]["sampling"] == theirs["eval"]["sampling"]
    for part in ("train", "eval"):
        assert ours[part]["source"][0]["env"]["agent"] == theirs[part]["source"][0]["env"]["agent"]
    assert ours["train"]["source"][0]["curriculum"] == theirs["train"]["source"][0]["curriculum"]


def test_the_baseline_evaluates_as_the_run_does() -> None:
    run, alone = load("invoices_rl")["orchestrator"]["eval"], load("eval/invoices_baseline")
    sampling = {"max_completion_tokens": alone["sampling"].pop("max_tokens")} | alone["sampling"]
    assert sampling == run["sampling"]
    assert alone["env"] == run["source"][0]["env"]
    assert alone["num_rollouts"] == run["group_size"]


@pytest.mark.parametrize(
    "key", ["seq_len", "lr", "max_turns", "max_total_tokens", "max_completion_tokens", "keep_last"]
)
def test_what_the_study_does_not_state_is_marked_as_ours(key: str) -> None:
    marks = marked_as_ours(text("invoices_rl"), key)
    assert marks and all(marks)


def test_the_environment_takes_every_key_of_the_recipes() -> None:
    for file in (RECIPES / "invoices_rl.toml", RECIPES / "eval/invoices_baseline.toml"):
        recipe = read([file], ROOT)
        assert recipe.env_problems == []
        assert {source.taskset.id for source in recipe.sources if source.taskset is not None} == {"supplier-invoices"}
