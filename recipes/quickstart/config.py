"""Options of `uv run quickstart`: the same `@ file.toml --flag` command line as `vf-eval`."""

from pathlib import Path

from pydantic import Field
from pydantic_config import BaseConfig


class QuickstartConfig(BaseConfig):
    model: str | None = None
    """Model to serve: unset takes the small model that comes with the installation; else a `FILE.gguf`, or a hub id
    `owner/name` or `owner/name:FILE.gguf`."""

    num_tasks: int = Field(10, ge=1)
    """Validation tasks to run."""

    num_rollouts: int = Field(1, ge=1)
    """Rollouts per task."""

    max_concurrent: int = Field(2, ge=1)
    """Rollouts in flight, and slots of the model server (each slot holds one conversation)."""

    max_tokens: int = Field(256, ge=1)
    """Longest reply in tokens, per turn: it keeps a model that repeats itself from taking minutes."""

    port: int = Field(0, ge=0, le=65535)
    """Loopback port of the model server; 0 takes a free one."""

    output_dir: Path = Path("outputs/quickstart")
    """Each run writes its traces and logs to a new folder in here."""
