"""SFT sets of scripted rollouts, for the tests of `data-build sft`."""

import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from verifiers.v1.types import AssistantMessage, Message

from data_build.rollouts.sft import SftConfig, build
from rollout_fixtures import ScriptedTask, SearchTask, write_run

ALWAYS = SearchTask("q0", rate=1.0)
ANSWER = AssistantMessage(content="<<Lund>>")


def play(task: ScriptedTask = ALWAYS, seed: int = 0) -> list[Message]:
    return task.play(True, random.Random(seed))


def made(folder: Path, saved: Any, **config: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """What `sft` prints for a run with these episodes, and its rows."""
    run = write_run(folder / "run", saved)
    printed = build([run], SftConfig.model_validate({"out": folder / "sft"} | config))
    return printed, pq.read_table(folder / "sft/train.parquet").to_pylist()


def dropped(printed: list[str]) -> dict[str, int]:
    lines = [line.removeprefix("  dropped: ").split(" ", 1) for line in printed if line.startswith("  dropped: ")]
    return {reason: int(count) for count, reason in lines}
