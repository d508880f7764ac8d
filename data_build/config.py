"""Command lines of the builders: the same `@ file.toml --flag` as vf-eval and prime-rl."""

import sys
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel
from pydantic_config import cli

ConfigT = TypeVar("ConfigT", bound=BaseModel)


def read_config(config: type[ConfigT], name: str, arguments: Sequence[str]) -> ConfigT:
    """`arguments` of `data-build NAME` as a config; a wrong flag or value ends the program with a readable message."""
    # pydantic-config words errors for people only where it reads sys.argv itself.
    sys.argv = [f"data-build {name}", *arguments]
    return cli(config)
