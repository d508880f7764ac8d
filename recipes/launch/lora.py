"""The LoRA adapter of a prime-rl run: where it is, and its tensors.

prime-rl leaves adapters in `<run>/broadcasts/step_<N>` (PEFT's two files, without PEFT's `base_model.model.` prefix)
and trainer checkpoints in `<run>/checkpoints/step_<N>/trainer`, which need torch. Source: prime-rl
`trainer/lora.py`, `transports/weights/filesystem.py` and `trainer/ckpt.py` at the pinned commit.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from recipes.launch.clone import SETUP, Clone, environment
from recipes.launch.errors import LaunchError
from recipes.launch.weights import header, read

PAIR = re.compile(r"(?:base_model\.model\.)?(.+)\.lora_([AB])(?:\.default)?\.weight")


@dataclass(frozen=True)
class Source:
    """A folder that holds an adapter: `adapter` as PEFT files, else a trainer checkpoint."""

    folder: Path
    run: Path | None
    """The run's folder, where it is known."""
    step: int | None
    adapter: bool


@dataclass(frozen=True)
class Adapter:
    pairs: dict[str, tuple[np.ndarray, np.ndarray]]
    """Module → A (rank × inputs) and B (outputs × rank), float64."""
    scale: float
    """alpha / rank."""
    rank: int
    base: str | None
    """Model that it was trained on, where recorded."""


def find(run: Path, step: int | None) -> Source:
    """The adapter of a run, or of a folder in it: the highest step, as adapter rather than checkpoint where both exist.

    Raises:
        LaunchError: `run` holds none, or not that step.
    """
    if not run.is_dir():
        raise LaunchError(f"{run}: no such folder; name a run, as in outputs/<run name>")
    itself = _source(run, run.parent.parent if run.parent.name in ("broadcasts", "checkpoints") else None)
    if itself:
        if step is not None and step != itself.step:
            raise LaunchError(f"--step {step}: {run} is one step already; name the run's folder instead")
        return itself
    found = [_source(folder, run) for kind in ("checkpoints", "broadcasts") for folder in run.glob(f"{kind}/step_*")]
    sources = [each for each in found if each is not None and each.step is not None]
    if not sources:
        raise LaunchError(f"{run} has no adapter in broadcasts/step_<N> and no checkpoint in checkpoints/step_<N>")
    if step is not None and all(each.step != step for each in sources):
        steps = ", ".join(map(str, sorted({each.step for each in sources if each.step is not None})))
        raise LaunchError(f"--step {step}: {run} has only step {steps}")
    return max((each for each in sources if step in (None, each.step)), key=lambda each: (each.step or 0, each.adapter))


def _source(folder: Path, run: Path | None) -> Source | None:
    match = re.fullmatch(r"step_(\d+)", folder.name)
    step = int(match[1]) if match else None
    if (folder / "adapter_config.json").is_file():
        # prime-rl writes STABLE last; a folder of its broadcasts without it was cut off.
        whole = folder.parent.name != "broadcasts" or (folder / "STABLE").is_file()
        return Source(folder, run, step, adapter=True) if whole else None
    if (folder / "trainer" / ".metadata").is_file():
        return Source(folder, run, step, adapter=False)
    return None


def load(source: Source, clone: Clone | None) -> Adapter:
    """Read the adapter.

    Args:
        clone: prime-rl's clone, whose torch reads checkpoints where this environment has none.

    Raises:
        LaunchError: an adapter of a kind that cannot be folded in, or torch is needed and missing.
    """
    if source.adapter:
        config = _json(source.folder / "adapter_config.json")
        _refuse(config, source.folder / "adapter_config.json")
        pairs = _pairs(source.folder / "adapter_model.safetensors")
        rank, alpha = config["r"], config["lora_alpha"]
        base = config.get("base_model_name_or_path")
    else:
        settings = run_config(source.run)
        lora = settings.get("lora")
        if not lora:
            raise LaunchError(f"{source.folder}: the configs of its run have no [model.lora] (alpha is only there)")
        _refuse({"r": lora.get("rank"), "lora_alpha": lora.get("alpha"), **lora}, source.folder)
        pairs = _from_checkpoint(source.folder / "trainer", clone)
        rank, alpha, base = lora["rank"], lora["alpha"], None
    for module, (a, b) in pairs.items():
        if a.ndim != 2 or b.ndim != 2 or a.shape[0] != rank or b.shape[1] != rank:
            raise LaunchError(f"{source.folder}: {module} has A {a.shape} and B {b.shape}, which is not rank {rank}")
    recorded = run_config(source.run).get("name") or base
    return Adapter(pairs, alpha / rank, rank, recorded)


def run_config(run: Path | None) -> dict[str, Any]:
    """`[model]` of the trainer's resolved configuration in the run's folder, or an empty dict."""
    for name in ("sft.json", "trainer.json"):
        path = run / "configs" / name if run else None
        if path and path.is_file():
            return _json(path).get("model", {})
    return {}


def _refuse(config: dict[str, Any], path: Path) -> None:
    """Raises LaunchError for what W + alpha / rank · B A would merge wrongly or not at all."""
    kinds = {
        "use_dora": "DoRA",
        "use_rslora": "rank-stabilised LoRA",
        "fan_in_fan_out": "transposed weights (fan_in_fan_out)",
        "lora_bias": "LoRA with bias",
        "rank_pattern": "ranks that differ by module (rank_pattern)",
        "alpha_pattern": "alphas that differ by module (alpha_pattern)",
    }
    for key, kind in kinds.items():
        if config.get(key):
            raise LaunchError(f"{path}: {kind} cannot be merged by this command; use PEFT's merge_and_unload")
    if config.get("peft_type", "LORA") != "LORA":
        raise LaunchError(f"{path}: peft_type {config['peft_type']} is not LORA")
    if config.get("bias", "none") != "none":
        raise LaunchError(f"{path}: bias = {config['bias']!r}: trained biases cannot be merged by this command")
    if config.get("modules_to_save"):
        names = ", ".join(config["modules_to_save"])
        raise LaunchError(f"{path}: {names} was trained in full (modules_to_save) and is not in the adapter")
    for key in ("r", "lora_alpha"):
        value = config.get(key)
        if not isinstance(value, int | float) or value <= 0:
            raise LaunchError(f"{path}: {key} is {value!r}; without it the scale alpha / rank is unknown")


def _pairs(path: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if not path.is_file():
        raise LaunchError(f"{path} is missing: name another step or the run's folder")
    sides: dict[str, dict[str, np.ndarray]] = {}
    for name, entry in header(path).items():
        match = PAIR.fullmatch(name)
        if match is None:
            raise LaunchError(f"{path}: {name} is no LoRA A or B matrix: this command merges plain LoRA only")
        sides.setdefault(match[1], {})[match[2]] = read(path, name, entry)
    for module, pair in sides.items():
        if len(pair) != 2:
            raise LaunchError(f"{path}: {module} has only one of lora_A and lora_B")
    if not sides:
        raise LaunchError(f"{path} holds no tensors")
    return {module: (pair["A"], pair["B"]) for module, pair in sides.items()}


def _from_checkpoint(trainer: Path, clone: Clone | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    python = _torch_python(clone)
    if python is None:
        raise LaunchError(
            f"{trainer} is a trainer checkpoint, which needs torch: run {SETUP} (its environment has it), or train "
            "with [eval] so that the run leaves adapters in broadcasts/"
        )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "adapter.safetensors"
        command = [*python, str(Path(__file__).with_name("dcp.py")), str(trainer), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment())
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no output"])[-1]
            raise LaunchError(f"{trainer} cannot be read: {last}")
        return _pairs(out)


def _torch_python(clone: Clone | None) -> Sequence[str] | None:
    if find_spec("torch"):
        return [sys.executable]
    return [str(clone.python)] if clone is not None and clone.mode == "full" else None


def _json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LaunchError(f"{path}: {error}") from None
