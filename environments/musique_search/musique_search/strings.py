"""A list of texts on disk, memory-mapped: workers of one machine share its pages and nothing is parsed at opening."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np


def map_array(path: Path) -> np.ndarray:
    """A saved array, mapped read-only (a plain ndarray: slicing a memmap object costs a microsecond each)."""
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty")
    return np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)


def write_strings(folder: Path, name: str, texts: Iterable[str]) -> int:
    """Writes `name.utf8.npy` (bytes) and `name.ends.npy` (int64, where each text ends); returns their number."""
    parts = [text.encode() for text in texts]
    np.save(folder / f"{name}.ends.npy", np.cumsum([len(part) for part in parts], dtype=np.int64))
    np.save(folder / f"{name}.utf8.npy", np.frombuffer(b"".join(parts), dtype=np.uint8))
    return len(parts)


class Strings(Sequence[str]):
    """Texts by number, as written by `write_strings`; decoded when asked for."""

    def __init__(self, folder: Path, name: str) -> None:
        self._bytes = map_array(folder / f"{name}.utf8.npy")
        self._ends = map_array(folder / f"{name}.ends.npy")
        if len(self._bytes) != (self._ends[-1] if len(self._ends) else 0):
            raise ValueError(f"{name}.utf8.npy and {name}.ends.npy do not belong together")

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"no text {index}: there are {len(self)}")
        index %= len(self)
        start = self._ends[index - 1] if index else 0
        return self._bytes[start : self._ends[index]].tobytes().decode()
