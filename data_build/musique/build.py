"""`data-build musique`: pools MuSiQue's paragraphs into one corpus; `--invent` writes the rows that the wheel ships."""

import gzip
import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.config import read_config
from musique_search.corpus import build_once, cache_folder, open_corpus
from musique_search.rows import Manifest
from musique_search.sources import INVENTED, Source, find_source

PAIR_FOLDER = Path(__file__).parents[3] / "shared/data"
"""`--source pair`: the questions + passages pair beside this repository."""


class Expected(NamedTuple):
    by_hops: dict[int, int]
    """Questions by number of hops; empty where not published."""
    questions: int
    passages: int
    """Distinct paragraphs, to the nearest hundred."""


EXPECTED = {
    "validation": Expected({2: 1252, 3: 760, 4: 405}, 2417, 21_100),
    "train": Expected({}, 19_938, 84_600),
}
"""MuSiQue-Ans, all rows."""
PASSAGE_TOLERANCE = 200
"""Passages: a difference up to this is rounding and way of normalising, not another data set."""


class MusiqueConfig(BaseConfig):
    source: str = "validation"
    """`validation` or `train` (hub, pinned revision), `invented` (shipped rows), `pair` (../shared/data), a JSON lines
    file in MuSiQue's format (plain or gzip), or a folder with the questions + passages pair."""
    output: Path | None = None
    """Folder of the corpus; by default the environment's cache, where it is found by the source's name."""
    eval_ratio: float = Field(0.1, ge=0, lt=1)
    """Share of the questions held out for evaluation."""
    seed: int = 0
    """Which questions are held out; with --invent, the world that is invented."""
    invent: bool = False
    """Write the rows of the invented world that the wheel ships, instead of building a corpus."""


def main(arguments: Sequence[str]) -> None:
    config = read_config(MusiqueConfig, "musique", arguments)
    try:
        if config.invent:
            print(write_invented(config.seed, config.output or INVENTED))
        else:
            build(config)
    except ValueError as error:
        raise SystemExit(f"data-build musique: {error}") from None


def build(config: MusiqueConfig) -> None:
    """Builds the corpus unless it is there, and prints what is in it."""
    source = find_source(PAIR_FOLDER if config.source == "pair" else config.source)
    folder = config.output or cache_folder(source, None, config.eval_ratio, config.seed)
    start = time.perf_counter()
    built = build_once(source, folder, config.eval_ratio, config.seed)
    corpus = open_corpus(folder)
    print("\n".join(report(corpus.manifest, source)))
    if built:
        print(f"wrote {folder} in {time.perf_counter() - start:.1f} s")
    else:
        print(f"{folder} already is the corpus of these inputs: nothing to do")


def report(manifest: Manifest, source: Source) -> list[str]:
    """The counts, beside the published ones with every difference explained, the splits and the hashes."""
    lines = [
        f"source {json.dumps(source.identity)}",
        f"rows {manifest.rows:,}: {sum(manifest.by_hops.values()):,} answerable ({hops(manifest.by_hops)}), "
        f"{manifest.unanswerable:,} unanswerable left out",
        f"questions {manifest.questions:,} ({hops(manifest.kept_by_hops)}); {manifest.uncovered:,} left out because a "
        "supporting passage is not in the corpus",
        f"passages {manifest.passages:,} with {manifest.titles:,} titles, from {manifest.paragraphs:,} paragraphs",
    ]
    if manifest.unidentified:
        lines.append(
            f"{manifest.unidentified:,} of the questions have a supporting passage that is in the corpus but not "
            "identified by the source"
        )
    lines += differences(manifest)
    splits = ", ".join(f"{name} {count:,}" for name, count in manifest.splits.items())
    lines += [
        f"splits (eval_ratio {manifest.eval_ratio}, seed {manifest.seed}): {splits}",
        f"sha256 of the indexed texts {manifest.corpus_sha256}",
        f"sha256 of the questions     {manifest.questions_sha256}",
    ]
    return lines


def differences(manifest: Manifest) -> list[str]:
    """Lines that compare the corpus with the published split that it comes from; none for invented rows."""
    kind = manifest.source["kind"]
    if kind == "invented":
        return []
    answerable = sum(manifest.by_hops.values())
    name = manifest.source.get("split") or ("train" if answerable > EXPECTED["validation"].questions else "validation")
    expected = EXPECTED[name]
    lines = []
    if answerable == expected.questions and (not expected.by_hops or manifest.by_hops == expected.by_hops):
        lines.append(f"questions as published for {name}: {expected.questions:,} answerable")
    else:
        published = f" ({hops(expected.by_hops)})" if expected.by_hops else ""
        why = "another revision?" if kind == "hub" else "the file holds other rows than the whole split"
        lines.append(
            f"differs from {name} as published, {expected.questions:,} answerable{published}: "
            f"{answerable - expected.questions:+,} questions; {why}"
        )
    gap = manifest.passages - expected.passages
    if abs(gap) <= PASSAGE_TOLERANCE:
        lines.append(f"passages as published for {name}: about {expected.passages:,}")
        return lines
    if kind == "pair":
        why = (
            f"the pair holds the contexts of a part of the questions ({manifest.uncovered:,} lack a supporting "
            "passage), and some passages of train"
        )
    elif answerable < expected.questions:
        why = f"{expected.questions - answerable:,} questions and their paragraphs are not in the file"
    else:
        why = "the paragraphs are not those of the published split; check the source"
    lines.append(f"passages {gap:+,} against about {expected.passages:,} in {name}: {why}")
    return lines


def hops(counts: dict[int, int]) -> str:
    return ", ".join(f"{count:,} {number}-hop" for number, count in sorted(counts.items()))


def write_invented(seed: int, output: Path) -> str:
    """Writes the invented rows as gzip JSON lines, the same bytes for the same seed; returns a line on them."""
    from data_build.musique.invent import check, invent

    rows: list[dict[str, Any]] = invent(seed)
    if problems := check(rows):
        raise ValueError(f"seed {seed} gives unsound rows, nothing is written: {'; '.join(problems[:5])}")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    data = gzip.compress(lines, compresslevel=9, mtime=0)
    counts = Counter(len(row["question_decomposition"]) for row in rows)
    passages = {(p["title"], p["paragraph_text"]) for row in rows for p in row["paragraphs"]}
    line = (
        f"seed {seed}: {len(rows):,} questions ({hops(counts)}), {len(passages):,} passages, "
        f"sha256 of the rows {hashlib.sha256(lines).hexdigest()}"
    )
    if output.is_file() and gzip.decompress(output.read_bytes()) == lines:
        return f"{line}\n{output} already holds these rows: nothing to do"
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_name(f".{output.name}.part")
    part.write_bytes(data)
    part.replace(output)
    return f"{line}\nwrote {output} ({len(data) / 1e6:.1f} MB)"
