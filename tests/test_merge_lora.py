"""merge-lora: the arithmetic against torch, a tiny Qwen3 with a trained-like adapter, checkpoints, and refusals."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from recipes.launch import lora, merge_lora
from recipes.launch.errors import LaunchError
from recipes.launch.merge_lora import MergeConfig, merge
from recipes.launch.weights import header, read, to_bytes, weight_files

RANK, ALPHA = 4, 8.0
Q, UP = "model.layers.0.self_attn.q_proj", "model.layers.0.mlp.up_proj"
SHAPES = {Q: (12, 8), UP: (16, 8)}


def write_base(folder: Path, *, shards: bool = False, tied: bool = False) -> Path:
    """A model folder with two adapted matrices, an embedding, a tokenizer and a stale copy in another format."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    tensors = {f"{name}.weight": rng.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    tensors["model.embed_tokens.weight"] = rng.normal(size=(20, 8)).astype(np.float32)
    if shards:
        names = {"model-00001-of-00002.safetensors": [f"{Q}.weight"]}
        names["model-00002-of-00002.safetensors"] = [name for name in tensors if name != f"{Q}.weight"]
        for file, held in names.items():
            save_file({name: tensors[name] for name in held}, folder / file, metadata={"format": "pt"})
        index = {"metadata": {}, "weight_map": {name: file for file, held in names.items() for name in held}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    else:
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen3", "tie_word_embeddings": tied}))
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "pytorch_model.bin").write_bytes(b"the base's weights again")
    return folder


def write_run(folder: Path, base: Path | None, steps: tuple[int, ...] = (2, 10), **config: Any) -> Path:
    for step in steps:
        write_adapter(folder / f"broadcasts/step_{step}", seed=step, **config)
        (folder / f"broadcasts/step_{step}/STABLE").touch()
    (folder / "configs").mkdir()
    model = {"name": None if base is None else str(base), "lora": {"rank": RANK, "alpha": ALPHA}}
    (folder / "configs/sft.json").write_text(json.dumps({"model": model}))
    return folder


def write_adapter(folder: Path, seed: int = 0, tensors: dict[str, np.ndarray] | None = None, **config: Any) -> Path:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    pairs: dict[str, np.ndarray] = {}
    for name, (outputs, inputs) in SHAPES.items():
        pairs[f"{name}.lora_A.weight"] = rng.normal(size=(RANK, inputs)).astype(np.float32)
        pairs[f"{name}.lora_B.weight"] = rng.normal(size=(outputs, RANK)).astype(np.float32)
    save_file(pairs | (tensors or {}), folder / "adapter_model.safetensors", metadata={"format": "pt"})
    settings = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "bias": "none", "modules_to_save": None}
    (folder / "adapter_config.json").write_text(json.dumps(settings | config))
    return folder


def tensors(folder: Path) -> dict[str, np.ndarray]:
    found = {}
    for path in weight_files(folder):
        with safe_open(path, framework="np") as file:
            found |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    return found


@pytest.mark.parametrize("shards", [False, True])
def test_gr_06_adapted_matrices_change_and_nothing_else(tmp_path: Path, shards: bool) -> None:
    base = write_base(tmp_path / "base", shards=shards)
    run = write_run(tmp_path / "run", base)
    merge(run, MergeConfig(out=tmp_path / "out"))
    old, new = tensors(base), tensors(tmp_path / "out")
    assert list(new) == list(old)
    with safe_open(run / "broadcasts/step_10/adapter_model.safetensors", framework="np") as file:
        for name in SHAPES:
            delta = file.get_tensor(f"{name}.lora_B.weight") @ file.get_tensor(f"{name}.lora_A.weight")
            np.testing.assert_allclose(new[f"{name}.weight"], old[f"{name}.weight"] + 2 * delta, rtol=1e-5, atol=1e-5)
            assert (new[f"{name}.weight"] != old[f"{name}.weight"]).any()
    assert (new["model.embed_tokens.weight"] == old["model.embed_tokens.weight"]).all()
    copied = {path.name for path in base.iterdir()} - {"pytorch_model.bin"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == copied | {"merge.json"}
    for name in ("tokenizer.json", "chat_template.jinja", "config.json"):
        assert (tmp_path / "out" / name).read_bytes() == (base / name).read_bytes()
    manifest = json.loads((tmp_path / "out/merge.json").read_text())
    assert (manifest["base"], manifest["step"], manifest["scale"], manifest["modules"]) == (str(base), 10, 2.0, 2)
    assert set(manifest["sha256"]) == {path.name for path in weight_files(base)}
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_a_second_run_does_nothing_and_another_merge_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", write_base(tmp_path / "base"))
    out = tmp_path / "out"
    merge(run, MergeConfig(out=out))
    before = (out / "model.safetensors").stat().st_mtime_ns
    assert merge(run, MergeConfig(out=out)) == [
        f"{out} already holds this merge (step 10 of {run / 'broadcasts/step_10'}): nothing to do"
    ]
    assert (out / "model.safetensors").stat().st_mtime_ns == before
    with pytest.raises(LaunchError, match=r"--out .* exists and holds step 10 of .*: name another folder or delete it"):
        merge(run, MergeConfig(out=out, step=2))
    with (out / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    with pytest.raises(LaunchError, match=r"model\.safetensors is missing or was changed since the merge"):
        merge(run, MergeConfig(out=out))
    (tmp_path / "mine").mkdir()
    with pytest.raises(LaunchError, match="exists and holds something else"):
        merge(run, MergeConfig(out=tmp_path / "mine"))


def test_step_and_base_can_be_named(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base")
    run = write_run(tmp_path / "run", None, base_model_name_or_path="nobody/there")
    lines = merge(run, MergeConfig(out=tmp_path / "out", step=2, base=str(base)))
    assert lines[-1] == f"note: the run records nobody/there as its base, not {base}"
    direct = merge(run / "broadcasts/step_2", MergeConfig(out=tmp_path / "direct", base=str(base)))
    assert "step_2" in direct[0]
    assert (tmp_path / "direct/model.safetensors").read_bytes() == (tmp_path / "out/model.safetensors").read_bytes()
    (run / "broadcasts/step_10/STABLE").unlink()
    assert lora.find(run, None).step == 2  # step 10 was cut off
    with pytest.raises(LaunchError, match=r"--step 7: .* has only step 2"):
        merge(run, MergeConfig(out=tmp_path / "x", step=7))
    with pytest.raises(LaunchError, match="no adapter in broadcasts"):
        merge(base, MergeConfig(out=tmp_path / "x"))
    with pytest.raises(LaunchError, match=r"base \./gone: no such folder"):
        merge(run, MergeConfig(out=tmp_path / "x", base="./gone"))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"use_dora": True}, "DoRA cannot be merged"),
        ({"use_rslora": True}, "rank-stabilised LoRA cannot be merged"),
        ({"bias": "all"}, "bias = 'all'"),
        ({"modules_to_save": ["lm_head"]}, "lm_head was trained in full"),
        ({"alpha_pattern": {"q_proj": 4}}, "alphas that differ"),
        ({"lora_alpha": None}, "lora_alpha is None"),
        ({"r": 0}, "r is 0"),
        ({"r": 8}, "is not rank 8"),
        ({"tensors": {f"{Q}.lora_magnitude_vector": np.ones(3, np.float32)}}, "is no LoRA A or B matrix"),
        ({"tensors": {"model.norm.lora_A.weight": np.ones((RANK, 8), np.float32)}}, "only one of lora_A and lora_B"),
        ({"tensors": {f"{Q}.lora_B.weight": np.ones((13, RANK), np.float32)}}, r"is \(12, 8\) in .* \(13, 8\)"),
        ({"tensors": {f"{Q}.lora_B.weight": np.zeros((12, RANK), np.float32)}}, "would equal the base .*untrained"),
        ({"tensors": {f"{Q}.lora_B.weight": np.full((12, RANK), 1e-12, np.float32)}}, "below F32's steps"),
        ({"tensors": {f"{Q}.lora_B.weight": np.full((12, RANK), np.nan, np.float32)}}, "NaN or infinity"),
    ],
)
def test_what_cannot_be_merged_says_so_and_leaves_no_folder(
    tmp_path: Path, config: dict[str, Any], message: str
) -> None:
    run = write_run(tmp_path / "run", write_base(tmp_path / "base"), steps=(1,), **config)
    with pytest.raises(LaunchError, match=message):
        merge(run, MergeConfig(out=tmp_path / "out"))
    assert {each.name for each in tmp_path.iterdir()} == {"run", "base"}


def test_modules_that_the_base_lacks_or_shares(tmp_path: Path) -> None:
    head = {"lm_head.lora_A.weight": np.ones((RANK, 8), np.float32), "lm_head.lora_B.weight": np.ones((20, RANK), "f4")}
    tied = write_base(tmp_path / "tied", tied=True)
    with pytest.raises(LaunchError, match="shares lm_head and embed_tokens"):
        merge(write_run(tmp_path / "one", tied, tensors=head), MergeConfig(out=tmp_path / "out"))
    with pytest.raises(LaunchError, match=r"has no lm_head\.weight: another model's adapter\?"):
        merge(write_run(tmp_path / "two", write_base(tmp_path / "base"), tensors=head), MergeConfig(out=tmp_path / "o"))


def test_broken_files_of_the_base(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base", shards=True)
    run = write_run(tmp_path / "run", base)
    second = base / "model-00002-of-00002.safetensors"
    second.write_bytes(second.read_bytes()[:-4])
    with pytest.raises(LaunchError, match="is cut off"):
        merge(run, MergeConfig(out=tmp_path / "out"))
    second.unlink()
    with pytest.raises(LaunchError, match="has no model-00002-of-00002"):
        merge(run, MergeConfig(out=tmp_path / "out"))


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(tmp_path / "run", write_base(tmp_path / "base"))
    monkeypatch.setattr(sys, "argv", ["merge-lora", str(run), "--out", str(tmp_path / "out"), "--step", "2"])
    merge_lora.main()
    assert "merged 2 matrices" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["merge-lora", "--out", "x"])
    with pytest.raises(SystemExit, match="merge-lora: name the run first"):
        merge_lora.main()
    monkeypatch.setattr(sys, "argv", ["merge-lora", str(tmp_path / "gone"), "--out", "x"])
    with pytest.raises(SystemExit, match=r"merge-lora: .*gone: no such folder"):
        merge_lora.main()


def test_checkpoints_need_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", write_base(tmp_path / "base"))
    (run / "checkpoints/step_20/trainer").mkdir(parents=True)
    (run / "checkpoints/step_20/trainer/.metadata").touch()
    monkeypatch.setattr(lora, "find_spec", lambda name: None)
    with pytest.raises(LaunchError, match=r"step_20/trainer is a trainer checkpoint, which needs torch: run `uv run"):
        lora.load(lora.find(run, None), None)


# Against torch


def test_rounding_is_torchs_bit_for_bit(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    from safetensors.torch import save_file as save_torch

    generator = torch.Generator().manual_seed(0)
    bits = torch.randint(-(2**31), 2**31, (1 << 20,), generator=generator, dtype=torch.int64).to(torch.int32)
    anything = bits.view(torch.float32)
    special = torch.tensor([0.0, -0.0, float("inf"), float("-inf"), 3.4e38, 1e-45, 65520.0, 1.00390625, 1.01171875])
    values = torch.cat([anything[~anything.isnan()], special])
    for dtype, name in ((torch.bfloat16, "BF16"), (torch.float16, "F16"), (torch.float32, "F32")):
        with np.errstate(over="ignore"):
            ours = to_bytes(values.double().numpy(), name)
        assert ours == values.double().to(dtype).view(torch.uint8).numpy().tobytes()
        path = tmp_path / f"{name}.safetensors"
        save_torch({"x": values.to(dtype)}, path)
        (entry,) = header(path).values()
        np.testing.assert_array_equal(read(path, "x", entry), values.to(dtype).double().numpy())
    assert np.isnan((np.frombuffer(to_bytes(np.array([np.nan]), "BF16"), "<u2").astype("u4") << 16).view("f4")).all()


@pytest.fixture
def qwen(tmp_path: Path) -> tuple[Any, Path]:
    """A tiny Qwen3 in bf16 with shared embeddings, and its folder."""
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 96, "head_dim": 16, "vocab_size": 300}
    config = Qwen3Config(
        num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=True, **sizes
    )
    model = Qwen3ForCausalLM(config).to(torch.bfloat16).eval()
    model.save_pretrained(tmp_path / "qwen")
    return model, tmp_path / "qwen"


def adapt(model: Any, seed: int) -> tuple[dict[str, Any], Callable[[], None]]:
    """LoRA on every linear layer but the head, as forward hooks with prime-rl's formula; returns (pairs, undo)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    pairs: dict[str, Any] = {}
    handles = []
    for name, module in model.named_modules():
        if not isinstance(module, torch.nn.Linear) or name == "lm_head":
            continue
        a = 0.1 * torch.randn(RANK, module.in_features, generator=generator)
        b = 0.1 * torch.randn(module.out_features, RANK, generator=generator)
        pairs[name] = (a, b)

        def hook(_: Any, inputs: Any, output: Any, a: Any = a, b: Any = b) -> Any:
            return output + (ALPHA / RANK) * ((inputs[0].float() @ a.T) @ b.T).to(output.dtype)

        handles.append(module.register_forward_hook(hook))

    def undo() -> None:
        for handle in handles:
            handle.remove()

    return pairs, undo


def save_peft(folder: Path, pairs: dict[str, Any]) -> None:
    from safetensors.torch import save_file as save_torch

    state = {
        f"{name}.lora_{side}.weight": x for name, pair in pairs.items() for side, x in zip("AB", pair, strict=True)
    }
    write_adapter(folder)
    save_torch(state, folder / "adapter_model.safetensors")
    (folder / "STABLE").touch()


def test_merged_logits_are_the_adapters_through_two_stages(qwen: tuple[Any, Path], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    from transformers import AutoModelForCausalLM

    model, base = qwen
    tokens = torch.arange(40)[None] * 7 % 300
    for stage in (1, 2):  # SFT, then RL on what SFT left
        with torch.no_grad():
            plain = model(tokens).logits.float()
            pairs, undo = adapt(model, seed=stage)
            adapted = model(tokens).logits.float()
            undo()
        run = tmp_path / f"run{stage}"
        save_peft(run / "broadcasts/step_5", pairs)
        merge(run, MergeConfig(out=tmp_path / f"merged{stage}", base=str(base)))
        merged = AutoModelForCausalLM.from_pretrained(tmp_path / f"merged{stage}", dtype=torch.bfloat16).eval()
        with torch.no_grad():
            logits = merged(tokens).logits.float()
        moved, missed = (adapted - plain).abs().max(), (logits - adapted).abs().max()
        assert moved > 0.3 and missed < 0.1 * moved, (stage, moved, missed)
        for name, (a, b) in pairs.items():
            old = model.get_submodule(name).weight.double()
            expected = (old + (ALPHA / RANK) * (b.double() @ a.double())).to(torch.bfloat16)
            assert torch.equal(merged.get_submodule(name).weight, expected), name
        assert torch.equal(merged.lm_head.weight, model.model.embed_tokens.weight)
        model, base = merged, tmp_path / f"merged{stage}"


def test_a_trainer_checkpoint_merges_like_its_adapter(qwen: tuple[Any, Path], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed here")
    import torch.distributed.checkpoint as dcp

    model, base = qwen
    pairs, undo = adapt(model, seed=3)
    undo()
    state = {"model.embed_tokens.weight": torch.ones(4)}
    for name, (a, b) in pairs.items():
        state |= {f"{name}.lora_A.0": a, f"{name}.lora_B.0": b}
    run = tmp_path / "run"
    save_peft(run / "broadcasts/step_5", pairs)
    dcp.save(
        {"app": {"model": state, "progress": {"step": 6}}},
        checkpoint_id=run / "checkpoints/step_6/trainer",
        no_dist=True,
    )
    (run / "configs").mkdir()
    settings = {"name": str(base), "lora": {"rank": RANK, "alpha": ALPHA, "modules_to_save": []}}
    (run / "configs/trainer.json").write_text(json.dumps({"model": settings}))
    merge(run, MergeConfig(out=tmp_path / "six"))
    merge(run, MergeConfig(out=tmp_path / "five", step=5))
    manifests = [json.loads((tmp_path / name / "merge.json").read_text()) for name in ("six", "five")]
    assert [each["step"] for each in manifests] == [6, 5]
    assert manifests[0]["sha256"] == manifests[1]["sha256"]
    assert manifests[0]["adapter_sha256"] == manifests[1]["adapter_sha256"]
    settings["lora"]["modules_to_save"] = ["embed_tokens"]
    (run / "configs/trainer.json").write_text(json.dumps({"model": settings}))
    with pytest.raises(LaunchError, match="embed_tokens was trained in full"):
        merge(run, MergeConfig(out=tmp_path / "seven"))
    settings["lora"] = None
    (run / "configs/trainer.json").write_text(json.dumps({"model": settings}))
    with pytest.raises(LaunchError, match=r"no \[model\.lora\]"):
        merge(run, MergeConfig(out=tmp_path / "seven"))
