"""`uv run merge-lora RUN --out DIR`: fold a run's LoRA adapter into its base, for the next stage to start from.

prime-rl hands no adapter from `sft` to `rl`: every run starts a fresh one. So the next stage trains on a merged folder:
W + alpha / rank · B A for the adapted matrices, every other byte as in the base. Needs no GPU, and no torch for an
adapter (`broadcasts/`).
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from pydantic_config import BaseConfig, cli

from recipes.launch.clone import ROOT, Clone
from recipes.launch.errors import LaunchError, one_line
from recipes.launch.lora import Adapter, find, load
from recipes.launch.weights import Entry, header, read, to_bytes, weight_files

MANIFEST = "merge.json"

OTHER_WEIGHTS = {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx", ".ot"}
"""Copies of the weights in other formats would still be the base's."""

BASE_FILES = ["*.json", "*.safetensors", "*.txt", "*.jinja", "*.model", "LICENSE*", "*.py"]


class MergeConfig(BaseConfig):
    out: Path
    """Folder to write: the merged model, with the base's tokenizer and chat template, and `merge.json`."""

    base: str | None = None
    """Model that the run was trained on, as folder or hub id; by default what the run's configuration names."""

    step: int | None = None
    """Step to merge; by default the highest."""


def main() -> None:
    with one_line("merge-lora"):
        words = sys.argv[1:]
        if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")) or words[0] == "@":
            raise LaunchError("name the run first: `uv run merge-lora outputs/RUN --out outputs/RUN-merged`")
        asks = words[0].startswith("-")
        # pydantic-config words errors for people only where it reads sys.argv itself.
        sys.argv = ["merge-lora RUN", *(words if asks else words[1:])]
        config = cli(MergeConfig)
        for line in merge(Path(words[0]), config):
            print(line)


def merge(run: Path, config: MergeConfig) -> list[str]:
    """Write the merged model to `config.out`; returns what to tell the user.

    Raises:
        LaunchError: no adapter, a base that it does not fit, or a merge that would change nothing.
    """
    source = find(run, config.step)
    adapter = load(source, Clone(ROOT))
    name = config.base or adapter.base
    if name is None:
        raise LaunchError(f"{source.folder} does not record its base: name it with --base DIR_OR_HUB_ID")
    base = base_folder(name)
    files = weight_files(base)
    places = locate(adapter, base, files)
    manifest: dict[str, Any] = {
        "base": name,
        "base_sha256": {path.name: _sha256(path) for path in files},
        "adapter": str(source.folder),
        "adapter_sha256": _digest(adapter),
        "step": source.step,
        "rank": adapter.rank,
        "scale": adapter.scale,
        "modules": len(places),
    }
    if config.out.exists():
        return [_same(config.out, manifest)]
    size = sum(path.stat().st_size for path in files)
    config.out.parent.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(config.out.parent).free < size:
        raise LaunchError(f"--out {config.out}: {size / 1e9:.1f} GB are needed on that disk")
    part = config.out.with_name(f".{config.out.name}.{os.getpid()}.part")
    try:
        part.mkdir()
        for path in sorted(base.iterdir()):
            if path.is_file() and (path in files or (path.suffix not in OTHER_WEIGHTS and path.name != MANIFEST)):
                shutil.copyfile(path, part / path.name)
        manifest["changed"] = fold(adapter, places, part)
        manifest["sha256"] = {path.name: _sha256(part / path.name) for path in files}
        (part / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        part.rename(config.out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    lines = [
        f"merged {len(places)} matrices of {source.folder} (scale {adapter.scale:g}) into {name}: {config.out}",
        f"{manifest['changed']:.1%} of the values in them changed; everything else is the base's, byte for byte",
        f'next stage: `[model] name = "{config.out}"`, with renderer and parsers named (no name to guess them from)',
    ]
    if config.base and adapter.base and config.base != adapter.base:
        lines.append(f"note: the run records {adapter.base} as its base, not {config.base}")
    return lines


def base_folder(name: str) -> Path:
    """The base model's folder: `name` itself, or the hub's snapshot of it, fetched where it is not cached.

    Raises:
        LaunchError: neither.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise LaunchError(f"base {name}: no such folder; name the model with --base DIR_OR_HUB_ID")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=BASE_FILES))
    except Exception as error:  # the hub's errors have no common type
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LaunchError(f"base {name}: not a folder, and not to be had from the hub ({reason})") from None


def locate(adapter: Adapter, base: Path, files: list[Path]) -> dict[str, tuple[str, str, Entry]]:
    """Module → file, tensor name and place of its matrix in the base.

    Raises:
        LaunchError: a module that the base lacks, has in another shape, or shares with another one.
    """
    tensors = {name: (path.name, name, entry) for path in files for name, entry in header(path).items()}
    settings = base / "config.json"
    tied = settings.is_file() and json.loads(settings.read_text(encoding="utf-8")).get("tie_word_embeddings")
    places = {}
    for module, (a, b) in adapter.pairs.items():
        if tied and module.split(".")[-1] in ("lm_head", "embed_tokens"):
            raise LaunchError(f"{module} is adapted, but the base shares lm_head and embed_tokens: it cannot be merged")
        if f"{module}.weight" not in tensors:
            raise LaunchError(f"{module} is adapted, but {base} has no {module}.weight: another model's adapter?")
        file, name, entry = tensors[f"{module}.weight"]
        if entry.shape != (b.shape[0], a.shape[1]):
            raise LaunchError(
                f"{name} is {entry.shape} in {base}, the adapter's is {(b.shape[0], a.shape[1])}: it belongs to "
                "another model, name that with --base"
            )
        places[module] = (file, name, entry)
    return places


def fold(adapter: Adapter, places: dict[str, tuple[str, str, Entry]], folder: Path) -> float:
    """Rewrite the adapted matrices in `folder`'s files; returns the share of their values that changed.

    Raises:
        LaunchError: a matrix would stay as it is, or get values that are no numbers.
    """
    changed = total = 0
    for module, (file, name, entry) in places.items():
        path = folder / file
        a, b = adapter.pairs[module]
        old = read(path, name, entry)
        new = old + adapter.scale * (b @ a)
        before, after = to_bytes(old, entry.dtype), to_bytes(new, entry.dtype)
        if not np.isfinite(new).all():
            raise LaunchError(f"{name} would hold NaN or infinity: the run diverged, take an earlier --step")
        if before == after:
            why = "lora_B is zero, so it is untrained" if not b.any() else f"its change is below {entry.dtype}'s steps"
            raise LaunchError(f"{name} would equal the base ({why}): take a later --step")
        unit = f"<u{len(after) // max(new.size, 1)}"
        changed += int((np.frombuffer(before, unit) != np.frombuffer(after, unit)).sum())
        total += new.size
        with path.open("r+b") as out:
            out.seek(entry.start)
            out.write(after)
    return changed / total


def _same(out: Path, manifest: dict[str, Any]) -> str:
    """A line that says that `out` is this merge already; LaunchError if it is anything else."""
    path = out / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        found = {}
    keys = ("base_sha256", "adapter_sha256", "scale")
    if not found or any(found.get(key) != manifest[key] for key in keys):
        was = f"step {found['step']} of {found['adapter']}" if found.get("adapter") else "something else"
        raise LaunchError(f"--out {out} exists and holds {was}: name another folder or delete it")
    for name, digest in found["sha256"].items():
        if not (out / name).is_file() or _sha256(out / name) != digest:
            raise LaunchError(f"--out {out}: {name} is missing or was changed since the merge: delete the folder")
    return f"{out} already holds this merge (step {found['step']} of {found['adapter']}): nothing to do"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(adapter: Adapter) -> str:
    """Checksum of the matrices, the same whether they came from an adapter or from a checkpoint."""
    total = hashlib.sha256()
    for module in sorted(adapter.pairs):
        total.update(module.encode())
        for side in adapter.pairs[module]:
            total.update(side.tobytes())
    return total.hexdigest()
