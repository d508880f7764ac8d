"""Recipes through prime-rl's real config classes and its real dry run, both in prime-rl's own interpreter."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recipes.check.config import CheckConfig
from recipes.check.problem import Problem, dotted, written_location
from recipes.check.recipe import Recipe
from recipes.launch.clone import environment

SECONDS = 300
"""For one process; the slowest seen took 40 s."""
WORKER = Path(__file__).with_name("in_prime_rl.py")


@dataclass(frozen=True)
class Answer:
    errors: dict[str, list[dict[str, Any]]]
    """By the name of the recipe: pydantic's errors, `loc`, `msg`, `type`."""
    schemas: dict[str, dict[str, Any]]


def interpreter(config: CheckConfig) -> Path | None:
    """prime-rl's Python, where it is set up. Raises ValueError for one that is named and not there."""
    named = config.prime_rl_python
    if named is not None:
        if not named.is_file():
            raise ValueError(f"prime_rl_python: {named} is no file; name a Python that imports prime_rl")
        return named
    found = config.prime_rl / ".venv" / "bin" / "python"
    return found if found.is_file() else None


def ask(python: Path, recipes: Sequence[Recipe]) -> Answer:
    """Validate all recipes in one process. Raises ValueError with its last line if it fails."""
    jobs = [{"name": r.name, "kind": r.kind, "files": [str(file.resolve()) for file in r.files]} for r in recipes]
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "jobs.json", Path(folder) / "out.json"
        given.write_text(json.dumps({"recipes": jobs}), encoding="utf-8")
        process = _run(python, [str(WORKER), str(given), str(out)])
        if process.returncode:
            raise ValueError(f"{python} cannot load prime-rl's config classes: {_last(process)}; run setup-prime-rl")
        return Answer(**json.loads(out.read_text(encoding="utf-8")))


def class_problems(recipe: Recipe, errors: Sequence[dict[str, Any]], told: Sequence[Problem]) -> list[Problem]:
    """The class's errors that no other check has told: those, with their fix, come first."""
    problems = []
    for error in errors:
        location = written_location(error["loc"], recipe.data)
        key = dotted(location)
        same = any(p.key == key or (key and p.key.startswith(f"{key}.")) for p in told)
        unknown = error["type"] == "extra_forbidden" and any(p.key.endswith(f".{location[-1]}") for p in told)
        if same or unknown or ("env" in location and any(".env" in p.key for p in told)):
            continue
        text = error["msg"].removeprefix("Value error, ")
        if "No module named" in text:
            text += " in prime-rl's environment: run setup-prime-rl, which installs our packages there"
        problems.append(Problem(recipe.name, key, text))
    return problems


def dry_run(python: Path, recipe: Recipe) -> Problem | None:
    """The real `rl --dry-run` or `sft --dry-run` in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"from prime_rl.entrypoints.{recipe.kind} import main; main()"
        files = [word for file in recipe.files for word in ("@", str(file.resolve()))]
        process = _run(python, ["-c", code, *files, "--run.name", "check", "--dry-run", "--output-dir", folder])
    if process.returncode == 0:
        return None
    return Problem(recipe.name, "", f"the dry run of `{recipe.kind}` failed: {_last(process)}")


def _run(python: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    kept = environment() | {"PYDANTIC_CONFIG_PLAIN": "1", "NO_COLOR": "1", "COLUMNS": "400"}
    kept.pop("PYTHONPATH", None)  # of this interpreter's version, not of that one's
    try:
        return subprocess.run(
            [str(python), *arguments], capture_output=True, text=True, timeout=SECONDS, env=kept, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([], 1, "", f"no answer within {SECONDS} s")


def _last(process: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip(" │╭╮╰╯─") for line in (process.stdout + "\n" + process.stderr).splitlines()]
    return next((line[:300] for line in reversed(lines) if line), f"exit code {process.returncode}, no output")
