"""Folders that appear whole or not at all."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_folder(output: Path) -> Generator[Path]:
    """A temporary folder beside `output` that takes its name when the block ends without an exception.

    An older folder of that name is moved aside first, as no rename replaces a full folder; processes that
    have its files mapped keep them. A process killed meanwhile leaves at most a hidden temporary folder.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as temporary:
        work = Path(temporary) / "new"
        work.mkdir()
        yield work
        if output.exists():
            output.rename(Path(temporary) / "old")
        work.rename(output)
