"""A hard kill of `rl` leaves its trainer alive, and the next start of the run would share its folder with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from recipes.launch.leftovers import alive
from recipes.launch.preflight import problems

LOG = "outputs/mine/logs/attempt_1/trainer.log"
MINE = ["--run.name", "mine"]
WAIT = "import sys; print('up', file=sys.stderr, flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def writing(log: str, mode: str = "w", session: bool = True) -> Generator[subprocess.Popen[bytes]]:
    """A process with prime-rl's title that has this file for its output and waits, in a session of its own."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).touch()
    with Path(log).open(mode) as output:
        process = subprocess.Popen(
            ["PRIME-RL::Trainer", "-c", WAIT],
            executable=sys.executable,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.PIPE,
            start_new_session=session,
        )
    assert process.stderr is not None and process.stderr.read(2) == b"up"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_trainer_that_lived_on_is_named() -> None:
    with writing(LOG) as trainer:
        assert psutil.Process(trainer.pid).cmdline()[0] == "PRIME-RL::Trainer", "no run in the command line"
        (line,) = problems("rl", MINE)
        assert line == (
            "run.name: outputs/mine has processes of an earlier start, which would take this one's batches: "
            f"end them first (kill {trainer.pid}), or use another name"
        )
        assert problems("sft", MINE) == [line]
    assert problems("rl", MINE) == []


def test_only_a_start_of_that_run_is_refused() -> None:
    with writing(LOG):
        assert problems("rl", ["--run.name", "other"]) == []
        assert problems("rl", [*MINE, "--output-dir", "elsewhere"]) == []
        assert problems("rl", [*MINE, "--dry-run"]) == []
        assert problems("rl", []) == []
        assert problems("inference", MINE) == []


def test_the_folder_counts_not_how_it_is_written(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "outputs")
    with writing(LOG) as trainer:
        for written in (folder / "outputs", folder / "link"):
            (line,) = problems("rl", [*MINE, "--output-dir", str(written)])
            assert f"kill {trainer.pid}" in line


def test_who_only_looks_at_the_run_is_no_part_of_it() -> None:
    with writing(LOG, mode="r"), writing("outputs/mine/notes.txt"), writing("outputs/other/logs/attempt_1/trainer.log"):
        assert problems("rl", MINE) == []


def test_a_tee_of_the_new_start_is_no_part_of_it() -> None:
    """`uv run rl … | tee outputs/mine/logs/mine.log`: one process group."""
    with writing("outputs/mine/logs/mine.log", session=False):
        assert problems("rl", MINE) == []


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: its launcher starts the trainer")
def test_the_trainer_of_torchrun_outlives_a_kill_of_the_group_and_is_found(folder: Path) -> None:
    """As prime-rl's entrypoints/rl.py starts it, killed as a whole process group."""
    Path(LOG).parent.mkdir(parents=True)
    Path("rank.py").write_text(WAIT.replace("sys.stdin.read()", "__import__('time').sleep(300)"))
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--role=trainer", "--nproc-per-node=1"]
    logs = [f"--log-dir={LOG.removesuffix('.log')}/torchrun", "--local-ranks-filter=0", "--redirect=3", "--tee=3"]
    with Path(LOG).open("w") as log:
        launcher = subprocess.Popen(
            [*torchrun, *logs, "rank.py"], stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    children: list[psutil.Process] = []
    try:
        end = time.monotonic() + 120
        while not any(file.read_text() for file in folder.rglob("0/stderr.log")):
            assert launcher.poll() is None and time.monotonic() < end, Path(LOG).read_text()
            time.sleep(0.1)
        children += psutil.Process(launcher.pid).children(recursive=True)
        os.killpg(launcher.pid, signal.SIGKILL)
        launcher.wait()
        (rank,) = alive(Path("outputs/mine"))
        assert rank in {child.pid for child in children}
        (line,) = problems("rl", MINE)
        assert f"kill {rank}" in line
    finally:
        launcher.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()
    psutil.wait_procs(children, timeout=30)
    assert problems("rl", MINE) == []
