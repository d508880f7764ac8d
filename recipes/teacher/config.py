"""Options of `uv run scripted-teacher`: the same `@ file.toml --flag` command line as `vf-eval`."""

from pathlib import Path

from pydantic import Field
from pydantic_config import BaseConfig


class TeacherConfig(BaseConfig):
    port: int = Field(8100, ge=0, le=65535)
    """Loopback port; 0 takes a free one."""

    seed: int = 0
    """Wording and slips. The same seed and tasks give the same conversations."""

    slip_rate: float = Field(0.0, ge=0, le=1)
    """Share of rollouts that end with a wrong answer, so that a filter has something to leave out."""

    corpora: list[str] = Field(default_factory=lambda: ["invented"])
    """Corpora of musique-search whose questions it knows; `[]` for none."""

    math: list[str] = Field(default_factory=list)
    """What of math-reasoning it knows the worked solutions of: data sets, which are fetched, or JSON lines files."""

    tokenizer: Path | None = None
    """Model folder with a chat template: `usage` then counts its tokens. Unset, a token is four characters."""
