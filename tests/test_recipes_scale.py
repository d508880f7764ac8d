"""The overlays change where a run runs, or how long, and leave the experiment alone."""

from pathlib import Path
from typing import Any

import pytest

from recipes.check.recipe import bases, merged
from test_recipes_musique import RECIPES, ROOT, flat

SCALE = sorted(RECIPES.glob("scale/*.toml"))
PAIRS = [(base, overlay) for overlay in SCALE for base in bases(overlay, ROOT)]
WHERE = ("deployment.", "slurm.", "inference.vllm.gpu_memory_utilization", "orchestrator.concurrency.")
"""Keys that say where a run runs and how much of it at once."""
SHORT = {
    "max_steps",
    "run.name",
    "model.name",
    "ckpt.interval",
    "ckpt.keep_last",
    "inference.vllm.enforce_eager",
    "orchestrator.batch_size",
    "orchestrator.group_size",
    "orchestrator.eval.interval",
    "orchestrator.eval.group_size",
    "orchestrator.eval.num_examples",
}
"""Keys that make a run short."""


def changed(base: Path, overlay: Path) -> dict[str, Any]:
    before, after = flat(merged([base])), flat(merged([base, overlay]))
    assert before.keys() <= after.keys()
    return {key: value for key, value in after.items() if before.get(key) != value}


def test_every_overlay_is_laid_over_recipes_that_exist() -> None:
    assert {overlay.stem for _, overlay in PAIRS} == {"one_80gb", "slurm", "smoke"}
    assert all(base.is_file() for base, _ in PAIRS)


@pytest.mark.parametrize(("base", "overlay"), PAIRS, ids=lambda path: path.stem)
def test_an_overlay_leaves_the_experiment_alone(base: Path, overlay: Path) -> None:
    allowed = SHORT if overlay.stem == "smoke" else set()
    other = {key for key in changed(base, overlay) if not key.startswith(WHERE) and key not in allowed}
    assert other == set()


def test_the_smoke_run_has_five_steps_with_every_stage_in_them() -> None:
    for base in bases(RECIPES / "scale/smoke.toml", ROOT):
        run = flat(merged([base, RECIPES / "scale/smoke.toml"]))
        assert run["max_steps"] == run["ckpt.interval"] == run["orchestrator.eval.interval"] == 5
        assert run["orchestrator.batch_size"] % run["orchestrator.group_size"] == 0
        assert run["model.name"] == "Qwen/Qwen3-0.6B"


def test_one_card_is_shared_and_the_cluster_is_not() -> None:
    base = RECIPES / "musique_final_rl.toml"
    one = flat(merged([base, RECIPES / "scale/one_80gb.toml"]))
    share = one["inference.vllm.gpu_memory_utilization"]
    assert 80 * share + 23.3 * 1.074 + 5 < 80  # GB: server, trainer at 4B, contexts
    many = flat(merged([base, RECIPES / "scale/slurm.toml"]))
    assert many["deployment.type"] == "multi_node"
    assert many["slurm.project_dir"] == ".prime-rl"
    installed = many["slurm.pre_run_command"]
    for package in [ROOT / "rewards", *(path.parent for path in ROOT.glob("environments/*/pyproject.toml"))]:
        assert f"../{package.relative_to(ROOT)}" in installed
