"""`data-build math`: the data sets of math-reasoning as files, cleaned, each problem once, checked for leaks.

    <output>/<set>.jsonl (or .parquet), rejected.jsonl (id, set, reason), overlaps.jsonl (pairs), manifest.json

A row is rejected when its gold cannot be judged or is known to be bad, when its text is that of an earlier row of its
set, and in a training set when its text holds a benchmark's problem. Nearly equal problems stay and are listed.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.config import read_config
from data_build.math.files import digest, read_manifest, write_lines, write_manifest, write_table
from data_build.math.overlap import near
from math_reasoning.contamination import overlaps
from math_reasoning.known_bad import KNOWN_BAD
from math_reasoning.rows import Row, comparable
from math_reasoning.sources import HUB, load_rows
from slm_rewards.math import check_golds

REPOSITORY = Path(__file__).parents[2]


class Source(NamedTuple):
    dataset: str
    split: str | None
    train: bool
    """Whether it is for training; the others are benchmarks."""
    stems: tuple[str, ...]
    """Names, without endings, that a local file of it may have."""


SETS = {
    "gsm8k-train": Source("gsm8k", "train", True, ("gsm8k_train",)),
    "math-train": Source("math", "train", True, ("math_train",)),
    "open_rs": Source("open_rs", None, True, ("open_rs",)),
    "deepscaler": Source("deepscaler", None, True, ("deepscaler", "deepscaler_sub_1209")),
    "gsm8k-test": Source("gsm8k", "test", False, ("gsm8k_test",)),
    "math-test": Source("math", "test", False, ("math_test",)),
    "math500": Source("math500", None, False, ("math500",)),
    "aime24": Source("aime24", None, False, ("aime24",)),
    "amc23": Source("amc23", None, False, ("amc23",)),
    "minerva": Source("minerva", None, False, ("minerva", "minerva_math")),
    "olympiadbench": Source("olympiadbench", None, False, ("olympiadbench", "olympiadbench_oe_to_maths_en")),
}
ENDINGS = (".jsonl", ".jsonl.gz")


class MathConfig(BaseConfig):
    source: Path | None = None
    """Folder of local JSON lines files (gsm8k_train.jsonl.gz, math500.jsonl, …) instead of the hub; sets without a file
    are left out and named."""
    sets: list[str] = Field(default_factory=lambda: list(SETS))
    """What to build."""
    output: Path = REPOSITORY / "data/math"
    format: Literal["jsonl", "parquet"] = "jsonl"
    """Of the row files."""


class Report(NamedTuple):
    """What became of one set."""

    read: int
    kept: list[Row]
    rejected: dict[str, str]
    """id → reason."""
    shared: dict[str, dict[str, str]]
    """Benchmark → training id → its id there, of equal texts."""
    near: dict[str, dict[str, str]]
    """The same of nearly equal ones."""


def main(arguments: Sequence[str]) -> None:
    config = read_config(MathConfig, "math", arguments)
    try:
        print(build(config))
    except ValueError as error:
        raise SystemExit(f"data-build math: {error}") from None


def build(config: MathConfig) -> str:
    """Builds the sets unless they are there, and returns the report as text.

    Raises ValueError for an unknown set, a folder without any file of the sets, and unusable input.
    """
    if unknown := [name for name in config.sets if name not in SETS]:
        raise ValueError(f"--sets: {', '.join(unknown)} is unknown; use {', '.join(SETS)}")
    files, missing = find_files(config)
    inputs = {
        name: digest(path) if path else f"{HUB[SETS[name].dataset].repository}@{HUB[SETS[name].dataset].revision}"
        for name, path in files.items()
    }
    made_with = {"inputs": inputs, "format": config.format}
    target = config.output / "manifest.json"
    if done := read_manifest(target, made_with):
        return "\n".join([*done["report"], f"{config.output} already holds the sets of these inputs: nothing to do"])
    reports = check({name: load_rows(SETS[name].dataset, SETS[name].split, path=p) for name, p in files.items()})
    lines = [*table(reports), *(f"left out: no file of {name} in {config.source}" for name in missing)]
    paths = write(config, reports)
    write_manifest(target, made_with, paths, report=lines)
    return "\n".join([*lines, f"wrote {len(paths)} files and manifest.json to {config.output}"])


def find_files(config: MathConfig) -> tuple[dict[str, Path | None], list[str]]:
    """Set → its local file, or None for the hub; and the sets of which the folder has none."""
    if config.source is None:
        return dict.fromkeys(config.sets), []
    found: dict[str, Path | None] = {}
    for name in config.sets:
        paths = [config.source / (stem + ending) for stem in SETS[name].stems for ending in ENDINGS]
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            found[name] = path
    if not found:
        raise ValueError(f"--source: {config.source} has no file of {', '.join(config.sets)}")
    return found, [name for name in config.sets if name not in found]


def check(sets: dict[str, list[Row]]) -> dict[str, Report]:
    """What to keep of each set; overlaps are between training sets and benchmarks of `sets`."""
    tests = {name: rows for name, rows in sets.items() if not SETS[name].train}
    reports = {}
    for name, rows in sets.items():
        against = tests if SETS[name].train else {}
        shared = {test: found for test, other in against.items() if (found := overlaps(rows, other))}
        rejected = {identity: f"in {test}" for test, found in shared.items() for identity in found}
        rejected |= {row.id: f"known bad: {KNOWN_BAD[row.id]}" for row in rows if row.id in KNOWN_BAD}
        rejected |= check_golds({row.id: row.answer for row in rows})
        seen: dict[str, Row] = {}
        for row in rows:
            first = seen.setdefault(comparable(row.question), row)
            if first is not row:
                same = comparable(first.answer) == comparable(row.answer)
                rejected[row.id] = "repeated" if same else f"repeated with another gold: see {first.id}"
        kept = [row for row in rows if row.id not in rejected]
        alike = {test: found for test, other in against.items() if (found := near(kept, other))}
        reports[name] = Report(len(rows), kept, rejected, shared, alike)
    return reports


def table(reports: dict[str, Report]) -> list[str]:
    """A line a set, its levels, and its overlaps."""
    kinds = {"bad gold": "gold", "known bad": "known bad", "repeated": "repeated", "leaked": "in "}
    lines = [f"{'set':14} {'read':>7} {'kept':>7}" + "".join(f" {kind:>10}" for kind in kinds)]
    for name, report in reports.items():
        counts = [sum(why.startswith(start) for why in report.rejected.values()) for start in kinds.values()]
        line = f"{name:14} {report.read:>7,} {len(report.kept):>7,}" + "".join(f" {count:>10,}" for count in counts)
        lines.append(line)
    for name, report in reports.items():
        levels = Counter(row.level for row in report.kept if row.level is not None)
        if levels:
            lines.append(f"{name} levels: " + ", ".join(f"{level} {n:,}" for level, n in sorted(levels.items())))
        for test in report.shared | report.near:
            equal, alike = len(report.shared.get(test, ())), len(report.near.get(test, ()))
            lines.append(f"{name} and {test}: {equal:,} equal (rejected), {alike:,} nearly equal (kept, listed)")
    return lines


def write(config: MathConfig, reports: dict[str, Report]) -> list[Path]:
    paths = []
    for name, report in reports.items():
        path = config.output / f"{name}.{config.format}"
        (write_lines if config.format == "jsonl" else write_table)(path, (row.model_dump() for row in report.kept))
        paths.append(path)
    rejected = [
        {"set": name, "id": identity, "reason": reason}
        for name, report in reports.items()
        for identity, reason in report.rejected.items()
    ]
    pairs: list[dict[str, Any]] = [
        {"set": name, "id": identity, "benchmark": test, "same_as": other, "match": match}
        for name, report in reports.items()
        for match, found in (("equal", report.shared), ("near", report.near))
        for test, ids in found.items()
        for identity, other in ids.items()
    ]
    for name, records in (("rejected.jsonl", rejected), ("overlaps.jsonl", pairs)):
        write_lines(config.output / name, records)
        paths.append(config.output / name)
    return paths
