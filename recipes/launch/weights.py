"""Safetensors files without torch: read single tensors, and rewrite some of them in place.

A file is 8 bytes (length of the header, little endian), the header as JSON (name → dtype, shape, data_offsets), the
data. A merged tensor has the dtype and shape of the old one, so a copy of the file needs new bytes only where they
differ: everything else is equal by construction.
Source: https://huggingface.co/docs/safetensors, section "Format".
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recipes.launch.errors import LaunchError

BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}


@dataclass(frozen=True)
class Entry:
    """Where a tensor stands in its file."""

    dtype: str
    """Safetensors name, such as BF16."""
    shape: tuple[int, ...]
    start: int
    """Byte offset from the beginning of the file."""


def header(path: Path) -> dict[str, Entry]:
    """Name → place of every tensor of the file.

    Raises:
        LaunchError: the file is cut off or not in this format.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        size = path.stat().st_size
        if not 0 < length <= size - 8:
            raise LaunchError(f"{path} is not a whole safetensors file: copy or download it again")
        try:
            entries = json.loads(file.read(length))
        except ValueError:
            raise LaunchError(f"{path} is not a safetensors file") from None
    entries.pop("__metadata__", None)
    if any(8 + length + entry["data_offsets"][1] > size for entry in entries.values()):
        raise LaunchError(f"{path} is cut off: copy or download it again")
    return {
        name: Entry(entry["dtype"], tuple(entry["shape"]), 8 + length + entry["data_offsets"][0])
        for name, entry in entries.items()
    }


def read(path: Path, name: str, entry: Entry) -> np.ndarray:
    """The tensor in float64, which holds every value of the four float types.

    Raises:
        LaunchError: its dtype is no float type, as in a quantised model.
    """
    if entry.dtype not in BYTES:
        raise LaunchError(f"{path}: {name} is {entry.dtype}: only bf16, f16 and f32 weights can be merged")
    count = int(np.prod(entry.shape, dtype=np.int64))
    stored = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}[entry.dtype]
    values = np.fromfile(path, dtype=stored, count=count, offset=entry.start).reshape(entry.shape)
    if entry.dtype == "BF16":
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float64)


def to_bytes(values: np.ndarray, dtype: str) -> bytes:
    """`values` (float64) rounded to `dtype`, to nearest, ties to even, as torch does it (by way of float32)."""
    if dtype == "F64":
        return values.astype("<f8").tobytes()
    single = values.astype(np.float32)
    if dtype == "F32":
        return single.astype("<f4").tobytes()
    if dtype == "F16":
        return single.astype("<f2").tobytes()
    bits = np.ascontiguousarray(single).view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    # Rounding would carry a NaN's bits into another number.
    return np.where(np.isnan(single), 0x7FC0, rounded).astype("<u2").tobytes()


def weight_files(folder: Path) -> list[Path]:
    """The model's own safetensors files: those of the index, else `model.safetensors`.

    Raises:
        LaunchError: none, or one that the index names is missing.
    """
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    else:
        names = ["model.safetensors"]
    for name in names:
        if not (folder / name).is_file():
            raise LaunchError(f"{folder} has no {name}: the base must be a whole Hugging Face model in safetensors")
    return [folder / name for name in names]
