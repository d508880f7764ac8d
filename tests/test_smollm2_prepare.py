"""`smollm2-chatml SRC OUT`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from smollm2_chatml import prepare as module
from smollm2_chatml.prepare import mended, prepare
from smollm2_tokenizer import load_tokenizer, write_model_folder


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_model_folder(tmp_path_factory.mktemp("converted") / "SmolLM2")


def run(*arguments):
    """The command on a bare interpreter: no site packages, as on a machine where nothing is installed."""
    path = str(Path(module.__file__).parents[1])
    command = [sys.executable, "-S", "-m", "smollm2_chatml.prepare", *map(str, arguments)]
    return subprocess.run(command, env={"PYTHONPATH": path, "PATH": os.environ["PATH"]}, capture_output=True, text=True)


def test_the_copy_has_template_special_tokens_and_digits_apart(source, tmp_path):
    out = tmp_path / "model"
    done = run(source, out)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in out.iterdir()) == [
        "chat_template.jinja", "config.json", "generation_config.json", "model.safetensors", "tokenizer.json",
        "tokenizer_config.json",
    ]  # fmt: skip
    assert (out / "model.safetensors").read_bytes() == b"weights"
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    assert ids.items() <= json.loads((out / "config.json").read_text()).items()
    assert json.loads((out / "generation_config.json").read_text()) == ids
    tokenizer = load_tokenizer(out)
    assert (tokenizer.eos_token_id, tokenizer.pad_token_id, tokenizer.model_max_length) == (2, 2, 8192)
    assert tokenizer.chat_template == module.TEMPLATE.read_text()
    text = "\n\n12 åäö don't  stop ."
    assert tokenizer.convert_ids_to_tokens(tokenizer.encode(text))[:3] == ["ĊĊ", "1", "2"]
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_again_replaces_its_own_folder_and_no_other(source, tmp_path):
    prepare(source, tmp_path / "model")
    (tmp_path / "model" / "old").touch()
    prepare(source, tmp_path / "model")
    assert not (tmp_path / "model" / "old").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(ValueError, match=r"OUT: .*mine exists"):
        prepare(source, tmp_path / "mine")
    with pytest.raises(ValueError, match="OUT: is SRC itself"):
        prepare(source, source)


def test_preparing_a_prepared_folder_changes_nothing(source, tmp_path):
    prepare(source, tmp_path / "one")
    prepare(tmp_path / "one", tmp_path / "two")
    for file in (tmp_path / "one").iterdir():
        assert (tmp_path / "two" / file.name).read_bytes() == file.read_bytes()


def test_a_gpt2_class_gives_way_to_the_file(source, tmp_path):
    folder = tmp_path / "hub"
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).symlink_to(file)  # as a hub snapshot
    long = {"tokenizer_class": "GPT2Tokenizer", "model_max_length": 2048, "extra": 1}
    (folder / "tokenizer_config.json").write_text(json.dumps(long))
    before = (source / "tokenizer.json").read_bytes()
    prepare(folder, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "tokenizer_config.json").read_text())
    assert (config["tokenizer_class"], config["model_max_length"], config["extra"]) == (
        "PreTrainedTokenizerFast", 2048, 1,
    )  # fmt: skip
    assert (source / "tokenizer.json").read_bytes() == before
    assert not (tmp_path / "model" / "model.safetensors").is_symlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere/at/all", "out"], "SRC: nowhere/at/all is neither a folder nor a hub id"),
        (["EMPTY", "out"], "has no tokenizer.json"),
        (["only"], "usage: smollm2-chatml SRC OUT"),
    ],
)
def test_problems_are_one_line(tmp_path, arguments, message):
    done = run(*(str(tmp_path) if each == "EMPTY" else each for each in arguments))
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_other_tokenizers_are_refused(source, tmp_path):
    with pytest.raises(ValueError, match="not by ByteLevel"):
        mended({"pre_tokenizer": {"type": "Metaspace"}, "model": {}})
    other = tmp_path / "other"
    other.mkdir()
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    (other / "tokenizer.json").write_text(json.dumps(tokenizer | {"added_tokens": []}))
    (other / "config.json").write_text("{}")
    with pytest.raises(ValueError, match=r"is no SmolLM2 model: its tokenizer lacks <\|endoftext\|>"):
        prepare(other, tmp_path / "model")
