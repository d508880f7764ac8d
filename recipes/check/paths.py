"""Folders and files that a recipe names: products of earlier commands, looked for only when asked (`--paths`)."""

from collections.abc import Iterator
from pathlib import Path

from recipes.check.problem import Problem
from recipes.check.recipe import Recipe
from recipes.launch.preflight import problems as preflight_problems

NAMED_CORPORA = ("invented", "validation", "train")


def check_paths(recipe: Recipe) -> list[Problem]:
    """Models and SFT data as the launcher's preflight sees them, and what the environments read."""
    problems = []
    if recipe.kind != "eval":
        arguments = [word for file in recipe.files for word in ("@", str(file))]
        for line in preflight_problems(recipe.kind, arguments):
            key, _, text = line.partition(": ")
            problems.append(Problem(recipe.name, key, text))
    return problems + [Problem(recipe.name, key, text) for key, text in _of_environments(recipe)]


def _of_environments(recipe: Recipe) -> Iterator[tuple[str, str]]:
    for source in recipe.sources:
        taskset = source.taskset
        if taskset is None:
            continue
        key = source.at("env.taskset")
        corpus = getattr(taskset, "corpus", None)
        if corpus and corpus not in NAMED_CORPORA and not Path(corpus).is_dir():
            made = f"make it with `uv run data-build musique --out {corpus}`"
            yield f"{key}.corpus", f"folder {corpus} does not exist: {made}, or name one of {', '.join(NAMED_CORPORA)}"
        if (pool := getattr(taskset, "pool", None)) and not Path(pool).is_file():
            made = f"`uv run data-build pool RUN --out {pool}` on a run with 8 rollouts a problem"
            yield f"{key}.pool", f"{pool} does not exist: make it with {made}"
        if (path := getattr(taskset, "path", None)) and not Path(path).is_file():
            yield f"{key}.path", f"{path} does not exist: make it with `uv run data-build openrs` or `data-build math`"
