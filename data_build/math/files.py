"""Rows and manifests on disk; everything is written to a temporary name and renamed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from math_reasoning.rows import Row


def digest(path: Path) -> str:
    """sha256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rows(path: Path) -> list[Row]:
    """Rows of a JSON lines file that `write_lines` wrote. Raises ValueError naming the line of one that is none."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            rows.append(Row.model_validate_json(line))
        except ValueError as e:
            raise ValueError(f"{path} line {number}: {e}") from e
    return rows


def read_reasons(path: Path) -> dict[str, str]:
    """id → reason of the rows that a step dropped."""
    return {r["id"]: r["reason"] for r in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line."""
    part = path.with_name(f".{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with part.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    part.replace(path)


def write_table(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """A parquet file with one row a record; the columns are Row's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {str: pa.string(), int: pa.int64()}
    fields = [(name, types[int if name == "level" else str]) for name in Row.model_fields]
    part = path.with_name(f".{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(records), schema=pa.schema(fields)), part)
    part.replace(path)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    part = path.with_name(f".{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def read_manifest(path: Path, made_with: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest at `path` if it was made with the same inputs and settings and its files are still what it says."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        stated = manifest["files"].items()
        whole = manifest["made_with"] == made_with and all(digest(path.parent / n) == sha for n, sha in stated)
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return manifest if whole else None


def write_manifest(path: Path, made_with: Mapping[str, Any], files: Iterable[Path], **facts: Any) -> dict[str, Any]:
    """Written last: a killed build leaves none, or the old one, which then does not fit its files."""
    manifest = {"made_with": made_with, "files": {file.name: digest(file) for file in files}, **facts}
    write_json(path, manifest)
    return manifest
