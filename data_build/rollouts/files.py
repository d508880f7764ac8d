"""Files that appear whole or not at all, and what names the runs that they were made from."""

import hashlib
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data_build.rollouts.runs import trace_files


@contextmanager
def new_folder(path: Path) -> Generator[Path]:
    """A folder to fill, which takes the place of `path` if all goes well and is removed if not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    old = path.with_name(f".{path.name}.{os.getpid()}.old")
    part.mkdir()
    try:
        yield part
        if path.exists():
            path.rename(old)
        part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write_file(path: Path, text: str) -> None:
    """Writes `path` whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_facts(runs: Sequence[Path]) -> list[dict[str, Any]]:
    """Name, step and checksum of every file of rollouts."""
    return [{"run": file.run, "step": file.step, "sha256": sha256(file.path)} for file in trace_files(runs)]
