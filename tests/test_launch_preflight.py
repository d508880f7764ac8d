"""preflight: missing files, folders and unmerged adapters are named with their fix, and nothing else is."""

from pathlib import Path

import pytest

from recipes.launch import clone, prime_rl
from recipes.launch.errors import LaunchError
from recipes.launch.preflight import problems, settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str = "") -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def test_files_and_flags_merge_in_prime_rls_order() -> None:
    write("a.toml", 'x = 1\n[model]\nname = "A/a"\nseq_len = 8\n[data]\nname = "D/d"\n')
    write("b.toml", '[model]\nname = "B/b"\n')
    write("c.json", '{"optim": {"lr": 1}}')
    write("data.toml", 'name = "E/e"\n')
    flags = ["--model.name=C/c", "--data", "@", "data.toml", "--val.data", "@data.toml"]
    found = settings(["@", "a.toml", "@", "b.toml", "@", "c.json", *flags, "--dry-run", "--a.b-c", "3", "--flag"])
    assert found == {
        "x": 1,
        "model": {"name": "C/c", "seq_len": 8},
        "data": {"name": "E/e"},
        "val": {"data": {"name": "E/e"}},
        "optim": {"lr": 1},
        "dry_run": True,
        "a": {"b_c": "3"},
        "flag": True,
    }


def test_a_missing_or_broken_file() -> None:
    write("recipes/musique_rl.toml")
    assert problems("rl", ["@", "recipes/musique_lr.toml"]) == [
        "recipes/musique_lr.toml: no such file; did you mean recipes/musique_rl.toml?"
    ]
    assert problems("rl", ["@", "musique_rl.toml"]) == [
        "musique_rl.toml: no such file; did you mean recipes/musique_rl.toml?"
    ]
    assert problems("rl", ["@", "qqq"]) == [f"qqq: no such file (looked in {Path.cwd()})"]
    assert problems("rl", ["@"])[0].startswith("`@` needs a file after it")
    write("x.toml", "a = = 1\n")
    (line,) = problems("rl", ["@", "x.toml"])
    assert line.startswith("x.toml: ") and "line 1" in line
    with pytest.raises(LaunchError, match=r"x\.toml"):
        settings(["@", "x.toml"])


@pytest.mark.parametrize("flag", ["--model.name", "--orchestrator.model.name", "--inference.vllm.model"])
def test_models(flag: str) -> None:
    key = flag[2:]
    for name in ("Qwen/Qwen3-0.6B", "owner/name-merged"):
        assert problems("rl", [flag, name]) == []
    assert problems("rl", [flag, "outputs/sft/merged"]) == [
        f"{key}: outputs/sft/merged does not exist: "
        "make it with `uv run merge-lora outputs/sft --out outputs/sft/merged`"
    ]
    assert problems("rl", [flag, "outputs/sft-merged"]) == [
        f"{key}: outputs/sft-merged does not exist: "
        "make it with `uv run merge-lora outputs/sft --out outputs/sft-merged`"
    ]
    (line,) = problems("rl", [flag, "./somewhere/model"])
    assert line == f"{key}: ./somewhere/model does not exist: the recipe's `# Before:` line makes it"
    write("outputs/sft/broadcasts/step_5/adapter_config.json", "{}")
    adapter = "outputs/sft/broadcasts/step_5"
    assert problems("rl", [flag, adapter]) == [
        f"{key}: {adapter} is a LoRA adapter, not a model: run `uv run merge-lora {adapter} --out {adapter}-merged` "
        f"and set {key} to {adapter}-merged"
    ]
    (line,) = problems("rl", [flag, "outputs/sft"])
    assert "outputs/sft is a training run, not a model" in line
    write("outputs/empty/tokenizer.json")
    (line,) = problems("rl", [flag, "outputs/empty"])
    assert "outputs/empty has no config.json" in line
    write("outputs/empty/config.json")
    assert problems("rl", [flag, "outputs/empty"]) == []


def test_one_model_named_three_times_is_told_once() -> None:
    write("x.toml", '[model]\nname = "outputs/a/merged"\n')
    assert len(problems("rl", ["@", "x.toml", "--model.seq-len", "9"])) == 1


def test_data_sets_of_sft() -> None:
    write("x.toml", '[data]\nname = "data/musique-sft"\n')
    missing = (
        "data.name: data/musique-sft does not exist: make it with `uv run data-build sft RUN --out data/musique-sft`"
    )
    assert problems("sft", ["@", "x.toml"]) == [missing]
    assert problems("rl", ["@", "x.toml"]) == []  # only sft reads it
    assert problems("sft", ["@", "x.toml", "--data.name", "PrimeIntellect/Reverse-Text-SFT"]) == []
    assert problems("sft", ["@", "x.toml", "--data.type", "fake"]) == []
    write("data/musique-sft/README.md")
    (line,) = problems("sft", ["@", "x.toml"])
    assert "has no train.jsonl or train.parquet" in line
    file = write("data/musique-sft/train.parquet")
    assert problems("sft", ["@", "x.toml"]) == []
    assert problems("sft", ["@", "x.toml", "--data.name", file]) == [
        f"data.name: {file} is a file: name its folder, data/musique-sft"
    ]


def test_a_launch_stops_before_prime_rl_and_a_dry_run_only_notes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(prime_rl, "here", lambda: clone.Clone(folder))
    monkeypatch.setattr(prime_rl, "not_ready", lambda made, only_reads: None)
    monkeypatch.setattr(prime_rl, "head", lambda made: clone.COMMIT)
    monkeypatch.setattr(prime_rl.os, "execve", lambda path, argv, env: calls.append(argv))
    arguments = ["--model.name", "outputs/a/merged", "--ckpt"]
    with pytest.raises(SystemExit, match=r"^rl: model\.name: outputs/a/merged does not exist") as raised:
        prime_rl.launch("rl", arguments)
    assert "\n" not in str(raised.value) and calls == []
    prime_rl.launch("rl", [*arguments, "--dry-run"])
    assert calls[0][1:] == ["run", "--project", f"{folder}/.prime-rl", "--no-sync", "rl", *arguments, "--dry-run"]
    assert capsys.readouterr().err.startswith("rl: note: model.name: outputs/a/merged does not exist")
    monkeypatch.setattr(prime_rl, "head", lambda made: "ref: refs/heads/mine")
    prime_rl.launch("rl", ["--ckpt"])
    assert "is not at 559b447" in capsys.readouterr().err and len(calls) == 2
