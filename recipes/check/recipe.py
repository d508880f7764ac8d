"""A recipe as its command reads it: the file, or an overlay laid over a recipe, by prime-pydantic-config's loader."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic_config import ConfigFileError, cli

from recipes.check.environments import Source, sources_of
from recipes.check.problem import Problem

Kind = Literal["rl", "sft", "eval"]
OVER = re.compile(r"^#\s*check-over:(.*)$", re.MULTILINE)
COMMENT = re.compile(r"(?m)(?:^|\s)#(.*)$")


@dataclass(frozen=True)
class Recipe:
    name: str
    files: tuple[Path, ...]
    """In the order of the `@`s."""
    kind: Kind
    data: dict[str, Any]
    """Merged; the text "None" is None, as in prime-rl."""
    comments: str
    """All comments of the files, lower case."""
    sources: list[Source]
    env_problems: list[Problem]

    def get(self, path: str, default: Any = None) -> Any:
        """The value at a dotted path of tables; `default` where it is not written or None."""
        node: Any = self.data
        for part in path.split("."):
            if not isinstance(node, dict):
                return default
            node = node.get(part)
        return default if node is None else node

    def has(self, path: str) -> bool:
        """Whether the path is written, be it as None."""
        *tables, last = path.split(".")
        table = self.get(".".join(tables)) if tables else self.data
        return isinstance(table, dict) and last in table


class _Raw(BaseModel):
    model_config = ConfigDict(extra="allow")


def merged(files: Sequence[Path]) -> dict[str, Any]:
    """`@ a.toml @ b.toml` as one table: later files win, lists are replaced whole.

    Raises ConfigFileError for a file that is missing or no TOML.
    """
    arguments = [word for file in files for word in ("@", str(file))]
    return cli(_Raw, args=arguments).model_extra or {}


def load(files: Sequence[Path], root: Path) -> Recipe:
    """A recipe from its file, or from a recipe and overlays in order. Raises ConfigFileError as `merged` does."""
    data = _none(merged(files))
    names = [shown(file, root) for file in files]
    name = names[0] if len(names) == 1 else f"{names[-1]} over {', '.join(names[:-1])}"
    kind: Kind = "eval" if "env" in data else "sft" if "data" in data and "orchestrator" not in data else "rl"
    comments = "\n".join("\n".join(COMMENT.findall(file.read_text(encoding="utf-8"))) for file in files).lower()
    found, wrong = sources_of(kind, data)
    problems = [Problem(name, key, text) for key, text in wrong]
    return Recipe(name, tuple(files), kind, data, comments, found, problems)


def load_all(file: Path, root: Path) -> tuple[list[Recipe], list[Problem]]:
    """A file as the recipes it makes: itself, or each recipe that an overlay's `# check-over:` names with it on top."""
    name = shown(file, root)
    try:
        if not (over := bases(file, root)):
            if file.parent.name == "scale":
                fix = "add a comment `# check-over: recipes/a.toml, recipes/b.toml`, the recipes that it is laid over"
                return [], [Problem(name, "", f"an overlay that names no recipe: {fix}")]
            return [load([file], root)], []
        if missing := [base for base in over if not base.is_file()]:
            return [], [Problem(name, "check-over", f"{shown(missing[0], root)} does not exist; name a recipe")]
        return [load([base, file], root) for base in over], []
    except (ConfigFileError, OSError, UnicodeDecodeError) as e:
        return [], [Problem(name, "", getattr(e, "message", str(e)))]


def bases(file: Path, root: Path) -> list[Path]:
    """The recipes that `# check-over:` comments of a file name, by their paths from the root."""
    names = [name for line in OVER.findall(file.read_text(encoding="utf-8")) for name in line.split(",")]
    return [root / name.strip() for name in names if name.strip()]


def shipped(root: Path) -> list[Path]:
    """All recipes of the repository, overlays and evaluations included."""
    return sorted((root / "recipes").rglob("*.toml"))


def shown(file: Path, root: Path) -> str:
    resolved = file.resolve()
    return str(resolved.relative_to(root.resolve())) if resolved.is_relative_to(root.resolve()) else str(file)


def _none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _none(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_none(item) for item in value]
    return None if value == "None" else value
