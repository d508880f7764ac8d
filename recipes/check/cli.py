"""`uv run check-recipes [FILES…]`: every key, every value, and the lint, with one line per file and per problem."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic_config import cli

from recipes.check.classes import Answer, ask, class_problems, dry_run, interpreter
from recipes.check.config import CheckConfig
from recipes.check.paths import check_paths
from recipes.check.problem import Problem
from recipes.check.recipe import Recipe, load_all, shipped, shown
from recipes.check.rules import RULES, lint, lint_together
from recipes.check.schema import check_schema, read_schemas

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Console entry: exit code 0 without a problem, else 1."""
    words = sys.argv[1:]
    files = [word for word in words if word.endswith(".toml") and not word.startswith("-")]
    rest = [word for word in words if word not in files]
    sys.argv = ["check-recipes", *rest, *(["--files", *files] if files else [])]
    try:
        sys.exit(run(cli(CheckConfig)))
    except ValueError as e:
        sys.exit(f"check-recipes: {e}")


def run(config: CheckConfig, root: Path = ROOT) -> int:
    """Check, print, and return the exit code.

    Raises:
        ValueError: an option names something that is not there; it says what to do.
    """
    files = config.files or shipped(root)
    if not files:
        raise ValueError(f"no recipes under {root / 'recipes'}; name files")
    recipes: list[Recipe] = []
    problems: list[Problem] = []
    for file in files:
        found, wrong = load_all(file, root)
        recipes += found
        problems += wrong
        if wrong:
            print(f"{shown(file, root)}: not read")
    python = interpreter(config)
    trained = [recipe for recipe in recipes if recipe.kind != "eval"]
    answer = ask(python, trained) if python and trained else None
    schemas = read_schemas(config.schema_dir) if config.schema_dir else answer.schemas if answer else None
    for recipe in recipes:
        done, found = check(recipe, schemas, answer, config, python)
        print(f"{recipe.name}: {', '.join(done)}")
        problems += found
    problems += lint_together(recipes)
    for problem in problems:
        print(problem)
    count = len(problems)
    print(f"{len(recipes)} recipes, " + (f"{count} problem{'s' * (count != 1)}" if count else "no problems"))
    return int(bool(problems))


def check(
    recipe: Recipe, schemas: dict[str, dict] | None, answer: Answer | None, config: CheckConfig, python: Path | None
) -> tuple[list[str], list[Problem]]:
    """What was done with one recipe, or why not, and what was found."""
    done, problems = [], list(recipe.env_problems)
    trained = recipe.kind != "eval"
    if not trained:
        done.append("vf-eval's own class")
    elif schemas:
        done.append("schema")
        problems += check_schema(recipe, schemas[recipe.kind])
    else:
        done.append("no schema (set up .prime-rl with `uv run setup-prime-rl --configs-only`, or name --schema DIR)")
    done.append(_environments(recipe))
    # A rule on a table whose keys or values are wrong would only repeat the problem, or fail on it.
    if problems:
        done.append("lint after these problems")
    else:
        done.append(f"lint ({len(RULES)} rules)")
        problems += lint(recipe)
    if trained and answer:
        done.append("real classes")
        problems += class_problems(recipe, answer.errors[recipe.name], problems)
    elif trained:
        done.append("no real classes (.prime-rl is not set up)")
    if config.paths:
        done.append("paths")
        problems += check_paths(recipe)
    if config.dry_run and trained and python:
        done.append("dry run")
        # A recipe that is known to be wrong would only fail once more, in other words.
        if not problems and (problem := dry_run(python, recipe)):
            problems.append(problem)
    elif config.dry_run and trained:
        done.append("no dry run (.prime-rl is not set up)")
    return done, problems


def _environments(recipe: Recipe) -> str:
    names: Sequence[str] = list(dict.fromkeys(source.taskset.id for source in recipe.sources if source.taskset))
    return f"environment ({', '.join(names)})" if names else "no environment"
