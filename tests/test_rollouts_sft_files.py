"""The folder that `data-build sft` writes."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from data_build import cli
from data_build.rollouts.pool import PoolConfig
from data_build.rollouts.pool import build as build_pool
from data_build.rollouts.sft import SftConfig, build
from rollout_fixtures import (
    ScriptedTask,
    SearchTask,
    episode,
    episodes,
    write_run,
)
from sft_sets import ALWAYS, made, play
from tiny_qwen import renderer, rows, text, training_sample


def test_a_rendered_row_trains_assistant_tokens_only(tmp_path: Path) -> None:
    """Token by token: the trained ones are the model's turns with their end marks, and nothing else."""
    made(tmp_path, [episode(ALWAYS, play())])
    [row] = rows(tmp_path / "sft", tmp_path / "cache")
    tiny = renderer()
    sample = training_sample(tiny, row)
    turns = [message for message in row["messages"] if message["role"] == "assistant"]
    bodies = []
    for message in turns:
        body = f"<think>\n{message['reasoning_content']}\n</think>\n\n{message['content']}"
        for call in message["tool_calls"] or []:
            function = call["function"]
            body += f'<tool_call>\n{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}\n</tool_call>'
        bodies.append(body + "<|im_end|>")
    spans = [
        list(group)
        for trained, group in itertools.groupby(range(len(sample.token_ids)), key=lambda i: sample.loss_mask[i])
        if trained
    ]
    assert [text(tiny, [sample.token_ids[i] for i in span]) for span in spans] == bodies
    untrained = text(tiny, [t for t, m in zip(sample.token_ids, sample.loss_mask, strict=True) if not m])
    for masked in ("Answer with the search tool.", "Question q0?", "Lund has a cathedral.", '"name": "search"'):
        assert masked in untrained
    assert len(turns) == 3 and sum(sample.loss_mask) == sum(map(len, spans))


def test_nothing_left_says_where_it_went(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"(?s)no rollout is left to train on:.*pass@1 0\.000"):
        made(tmp_path, episodes([ScriptedTask("q", 0.0)], 2))


def test_folders_of_others_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "sft").mkdir()
    (tmp_path / "sft/notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"out: .* holds other files \(notes\.txt\)"):
        made(tmp_path, episodes([ALWAYS], 1))
    assert (tmp_path / "sft/notes.txt").read_text(encoding="utf-8") == "mine"


def test_same_input_same_files(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", episodes([ALWAYS, SearchTask("q1", 0.5)], 4))
    contents = []
    for _ in range(2):
        build([run], SftConfig(out=tmp_path / "sft", choose="random", require_evidence=True))
        contents.append({p.name: p.read_bytes() for p in (tmp_path / "sft").iterdir()})
    assert contents[0] == contents[1] and set(contents[0]) == {
        "train.parquet",
        "keys.json",
        "README.md",
        "manifest.json",
    }
    assert {p.name for p in tmp_path.iterdir()} == {"run", "sft"}


def test_card_and_manifest_hold_the_funnel(tmp_path: Path) -> None:
    printed, found = made(tmp_path, episodes([ALWAYS], 3), require_evidence=True)
    card = (tmp_path / "sft/README.md").read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "sft/manifest.json").read_text(encoding="utf-8"))
    assert all(line in card for line in printed[:-1]) and manifest["sha256"] in card
    assert manifest["rows"] == len(found) == 2 and manifest["questions"] == 1
    assert [stage["rollouts"] for stage in manifest["funnel"]] == [3, 3, 3, 3, 2]
    assert str(tmp_path) not in card + json.dumps(manifest)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    runs = [str(write_run(tmp_path / name, episodes([ALWAYS], 1, seed=n))) for n, name in enumerate("ab")]
    out = str(tmp_path / "sft")
    monkeypatch.setattr(sys, "argv", ["data-build", "sft", *runs, "--out", out, "--max-per-task", "1"])
    cli.main()
    assert "wrote" in capsys.readouterr().out and len(rows(tmp_path / "sft", tmp_path / "cache")) == 1
    monkeypatch.setattr(sys, "argv", ["data-build", "sft", "--out", out])
    with pytest.raises(SystemExit, match="data-build sft: RUNS: name at least one folder"):
        cli.main()


def test_keys_of_a_set_keep_its_questions_out_of_a_pool(tmp_path: Path) -> None:
    """The start model of a later run was trained on them."""
    made(tmp_path, episodes([ALWAYS, SearchTask("q1", 1.0)], 4))
    keys = tmp_path / "sft/keys.json"
    assert json.loads(keys.read_text(encoding="utf-8")) == ["q0", "q1"]
    later = [write_run(tmp_path / "later", episodes([SearchTask(name, 0.5) for name in ("q0", "q1", "q2", "q3")], 8))]
    build_pool(later, PoolConfig(out=tmp_path / "pool.json", exclude_keys=keys))
    pool = json.loads((tmp_path / "pool.json").read_text(encoding="utf-8"))
    assert pool and set(pool) <= {"q2", "q3"}
