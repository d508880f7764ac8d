"""A hard kill of `rl` leaves its trainer alive, and the next start of the run would share its folder with it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recipes.launch.preflight import problems

TRAINER = "outputs/mine/configs/trainer.json"
MINE = ["--run.name", "mine"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outputs/mine/configs").mkdir(parents=True)
    return tmp_path


def started(*words: str, cwd: Path) -> subprocess.Popen[bytes]:
    """A process with these arguments that waits for its end in a session of its own, as prime-rl's trainer has."""
    code = "import sys; sys.stdout.write('up'); sys.stdout.flush(); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdout.read(2) == b"up"
    return process


@pytest.fixture
def trainer(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = started("@", TRAINER, cwd=folder)
    yield process
    process.kill()
    process.communicate()


def test_a_trainer_that_lived_on_is_named(trainer: subprocess.Popen[bytes]) -> None:
    (line,) = problems("rl", MINE)
    assert line == (
        "run.name: outputs/mine has processes of an earlier start, which would take this one's batches: "
        f"end them first (kill {trainer.pid}), or use another name"
    )
    assert problems("sft", MINE) == [line]
    trainer.kill()
    trainer.communicate()
    assert problems("rl", MINE) == []


def test_only_a_start_of_that_run_is_refused(trainer: subprocess.Popen[bytes]) -> None:
    assert problems("rl", ["--run.name", "other"]) == []
    assert problems("rl", [*MINE, "--output-dir", "elsewhere"]) == []
    assert problems("rl", [*MINE, "--dry-run"]) == []
    assert problems("rl", []) == []
    assert problems("inference", MINE) == []


def test_the_folder_counts_not_how_it_is_written(folder: Path, trainer: subprocess.Popen[bytes]) -> None:
    (line,) = problems("rl", [*MINE, "--output-dir", str(folder / "outputs")])
    assert f"kill {trainer.pid}" in line


def test_who_only_looks_at_the_run_is_no_part_of_it(folder: Path) -> None:
    with started(TRAINER, "outputs/mine/logs/trainer.log", cwd=folder) as reader:
        with started("@", "mine/configs/trainer.json", cwd=folder) as elsewhere:
            assert problems("rl", MINE) == []
            elsewhere.kill()
        reader.kill()
