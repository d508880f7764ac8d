"""What would fail, seen before prime-rl's start of a minute.

Missing: files, folders, merged models, whole checkpoints. Too much: processes of an earlier start of the run.

Only existence is checked here; whether the settings fit together is for prime-rl's own configuration classes.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from recipes.launch import leftovers, resume
from recipes.launch.errors import LaunchError


def problems(command: str, argv: list[str]) -> list[str]:
    """One line per missing thing, each with its fix; empty when nothing is missing.

    Args:
        command: "rl", "sft" or "inference".
        argv: what follows the command: `@ file.toml`, `--a.b value`, `--a.b=value`.
    """
    try:
        found = settings(argv)
    except LaunchError as error:
        return [str(error)]
    lines = [line for key, name in _models(found) if (line := _model_problem(key, name))]
    if command == "sft":
        lines += [line for key, name in _data_sets(found) if (line := _data_problem(key, name))]
    lines += [line for check in (resume.problem, leftovers.problem) if (line := check(command, found))]
    return list(dict.fromkeys(lines))


def settings(argv: Sequence[str]) -> dict[str, Any]:
    """The files named after `@` and the flags, merged in prime-rl's order: later files win, flags win over files.

    A flag's value stays text, a flag without one is True. `--key @ file` puts the file under that key.

    Raises:
        LaunchError: a file is missing or cannot be read.
    """
    files: list[dict[str, Any]] = []
    flags: dict[str, Any] = {}
    words = list(argv)
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "@":
            files.append(_read(words[position] if position < len(words) else ""))
            position += 1
            continue
        if not word.startswith("--"):
            continue
        name, equals, value = word[2:].partition("=")
        key = name.replace("-", "_")
        following = words[position] if position < len(words) else "--"
        if equals:
            _put(flags, key, value)
        elif following.startswith("@"):
            apart = following == "@"
            file = following[1:] if not apart else words[position + 1] if position + 1 < len(words) else ""
            nested: dict[str, Any] = {}
            _put(nested, key, _read(file))
            files.append(nested)
            position += 2 if apart else 1
        elif following.startswith("--"):
            _put(flags, key, True)
        else:
            _put(flags, key, {"true": True, "false": False}.get(following.lower(), following))
            position += 1
    merged: dict[str, Any] = {}
    for each in [*files, flags]:
        _merge(merged, each)
    return merged


def _read(name: str) -> dict[str, Any]:
    path = Path(name)
    if not name:
        raise LaunchError("`@` needs a file after it, as in `@ recipes/musique_rl.toml`")
    if not path.is_file():
        near = sorted(str(each) for each in path.parent.glob(f"*{path.suffix}")) if path.parent.is_dir() else []
        near += sorted(str(each) for each in Path("recipes").glob("*.toml"))
        close = difflib.get_close_matches(name, near, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]}?" if close else f" (looked in {Path.cwd()})"
        raise LaunchError(f"{name}: no such file{hint}")
    try:
        if path.suffix == ".toml":
            return tomllib.loads(path.read_text(encoding="utf-8"))
        return json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else {}
    except (OSError, ValueError) as error:
        raise LaunchError(f"{name}: {error}") from None


def _put(target: dict[str, Any], dotted: str, value: Any) -> None:
    *parents, last = dotted.split(".")
    for parent in parents:
        inner = target.get(parent)
        if not isinstance(inner, dict):
            inner = target[parent] = {}
        target = inner
    target[last] = value


def _merge(target: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        inner = target.get(key)
        if isinstance(inner, dict) and isinstance(value, dict):
            _merge(inner, value)
        else:
            target[key] = value


def _models(config: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """(key, value) of every `model.name`, `model = "…"` of the server included (`inference.vllm.model`)."""
    for key, value in config.items():
        if isinstance(value, dict):
            name = value.get("name")
            if key == "model" and isinstance(name, str):
                yield f"{prefix}model.name", name
            yield from _models(value, f"{prefix}{key}.")
        elif key == "model" and isinstance(value, str):
            yield f"{prefix}model", value


def _data_sets(config: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, data in (("data", config.get("data")), ("val.data", (config.get("val") or {}).get("data"))):
        if isinstance(data, dict) and data.get("type", "sft") == "sft" and isinstance(data.get("name"), str):
            yield f"{key}.name", data["name"]


def _is_path(name: str) -> bool:
    """Whether `name` is meant as a folder: a hub id is `owner/name` and its owner is no folder here."""
    if Path(name).exists() or name.startswith(("/", ".", "~")) or name.count("/") != 1:
        return "/" in name or Path(name).exists()
    first = name.split("/", maxsplit=1)[0]
    return first in ("outputs", "data") or Path(first).is_dir()


def _model_problem(key: str, name: str) -> str | None:
    if not _is_path(name):
        return None
    folder = Path(name)
    if not folder.exists():
        run = folder.parent if folder.name == "merged" else Path(re.sub(r"[-_]merged$", "", name))
        if run == folder:
            return f"{key}: {name} does not exist: the recipe's `# Before:` line makes it"
        return f"{key}: {name} does not exist: make it with `uv run merge-lora {run} --out {name}`"
    if (folder / "config.json").is_file():
        return None
    kind = ""
    if (folder / "adapter_config.json").is_file():
        kind = "a LoRA adapter"
    elif any((folder / part).is_dir() for part in ("broadcasts", "checkpoints", "trainer")):
        kind = "a training run"
    if kind:
        out = f"{name.rstrip('/')}-merged"
        return (
            f"{key}: {name} is {kind}, not a model: run `uv run merge-lora {name} --out {out}` and set {key} to {out}"
        )
    return f"{key}: {name} has no config.json: name a Hugging Face model folder or a hub id (owner/name)"


def _data_problem(key: str, name: str) -> str | None:
    if not _is_path(name):
        return None
    folder = Path(name)
    if not folder.exists():
        return f"{key}: {name} does not exist: make it with `uv run data-build sft RUN --out {name}`"
    if folder.is_file():
        return f"{key}: {name} is a file: name its folder, {folder.parent}"
    if not any(folder.glob("**/train*.jsonl")) and not any(folder.glob("**/train*.parquet")):
        return f"{key}: {name} has no train.jsonl or train.parquet: `uv run data-build sft RUN --out {name}` makes it"
    return None
