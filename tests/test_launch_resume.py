"""`--resume`: a run that broke off leaves half a checkpoint behind, and prime-rl would take it."""

from pathlib import Path

import pytest

from recipes.launch.preflight import problems

RUN = ["--run.name", "mine", "--resume"]
HALF = "has no whole trainer part, as after a run that broke off"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checkpoint(step: int, *parts: str, root: str = "outputs/mine") -> Path:
    """A checkpoint folder in prime-rl's layout with these parts whole."""
    folder = Path(root) / "checkpoints" / f"step_{step}"
    folder.mkdir(parents=True)
    for part in parts:
        (folder / part).mkdir()
        (folder / part / {"trainer": ".metadata", "orchestrator": "progress.pt"}[part]).touch()
    return folder


def test_whole_checkpoints_are_resumed() -> None:
    checkpoint(9, "trainer", "orchestrator")
    checkpoint(10, "trainer", "orchestrator")
    assert problems("rl", RUN) == []
    assert problems("rl", ["--run.name", "mine", "--resume.step", "9"]) == []
    assert problems("rl", ["--run.name", "mine"]) == []
    assert problems("rl", [*RUN[:2], "--resume.dir", "outputs/mine/checkpoints/step_9"]) == []


def test_what_an_interrupted_run_leaves_is_told_with_the_last_whole_step() -> None:
    checkpoint(3, "trainer", "orchestrator")
    checkpoint(9, "trainer", "orchestrator")
    checkpoint(10, "orchestrator")  # ten is above nine, as a number
    (line,) = problems("rl", RUN)
    assert line == f"resume: outputs/mine/checkpoints/step_10 {HALF}: use --resume.step 9"
    (line,) = problems("rl", ["--run.name", "mine", "--resume.step", "10"])
    assert line == f"resume.step: outputs/mine/checkpoints/step_10 {HALF}: use --resume.step 9"
    assert problems("rl", ["--run.name", "mine", "--resume.step", "9"]) == []


def test_a_checkpoint_cut_off_while_it_was_written() -> None:
    folder = checkpoint(4, "orchestrator")
    (folder / "trainer").mkdir()
    (folder / "trainer" / "__0_0.distcp").touch()
    (line,) = problems("rl", RUN)
    assert HALF in line and line.endswith("none is whole, start over with --clean instead of --resume")


def test_sft_has_one_part() -> None:
    checkpoint(5, "trainer")
    assert problems("sft", RUN) == []
    (line,) = problems("rl", RUN)
    assert "no whole orchestrator part" in line


def test_a_mistyped_name_does_not_start_from_scratch() -> None:
    checkpoint(5, "trainer", "orchestrator")
    (line,) = problems("rl", ["--run.name", "mien", "--resume"])
    assert line.startswith("resume: outputs/mien/checkpoints holds no checkpoint: check run.name")


def test_other_places(folder: Path) -> None:
    checkpoint(2, "orchestrator", root="elsewhere/mine")
    (line,) = problems("rl", [*RUN, "--output-dir", "elsewhere"])
    assert "elsewhere/mine/checkpoints/step_2" in line
    checkpoint(3, "orchestrator", root="disk")
    (line,) = problems("rl", [*RUN, "--ckpt.output-dir", "disk"])
    assert "disk/checkpoints/step_3" in line
    (folder / "r.toml").write_text('[run]\nname = "x"\ndir = "mine"\n[resume]\nstep = 2\n', encoding="utf-8")
    (line,) = problems("rl", ["@", "r.toml", "--output-dir", "elsewhere"])
    assert line.startswith("resume.step: elsewhere/mine/checkpoints/step_2")
    (line,) = problems("rl", ["--resume.dir", "gone/step_4"])
    assert line.startswith("resume.dir: gone/step_4 has no whole trainer and no whole orchestrator part")


def test_nothing_else_resumes() -> None:
    assert problems("inference", ["--resume"]) == []
    assert problems("rl", ["--resume"]) == []  # without a name prime-rl refuses by itself
