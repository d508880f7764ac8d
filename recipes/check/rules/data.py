"""Rules on what is trained on: never what is measured, and only the model's own words."""

from collections.abc import Iterator

from recipes.check.environments import Source
from recipes.check.recipe import Recipe
from recipes.check.rules.groups import train_sources

BENCHMARKS = {"math500", "aime24", "amc23", "minerva", "olympiadbench"}
"""Data sets of math-reasoning that are only ever evaluated on."""
MIXED = {"open_rs", "deepscaler"}
"""Collections that hold competition problems, and with them some of the benchmarks'."""


def no_benchmark_in_training(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """No train source reads a benchmark, a held-out split, or what an eval source of the recipe reads.

    Mixed mathematics pools name the benchmarks that they must not hold (`benchmarks`; a row that is one fails the
    load). Musique's held-out tenth is only held out while an eval source uses the same corpus.
    """
    measured = [_reads(source) for source in recipe.sources if source.part == "eval" and source.env is not None]
    for source in train_sources(recipe):
        if source.env is None:
            continue
        identity, splits = _reads(source)
        key = source.at("env.taskset")
        if identity[0] == "math-reasoning" and identity[1] in BENCHMARKS:
            yield f"{key}.dataset", f"{identity[1]!r} is a benchmark: train on gsm8k, math, open_rs or deepscaler"
            continue
        shared = [name for name, other in measured if name == identity and splits & other]
        held_out = splits - {"train", "all"} and (identity[0] != "musique-search" or not measured)
        if shared or held_out:
            yield f"{key}.split", f'trains on {" and ".join(sorted(splits - {"train"}))}: use split = "train"'
        mixed = source.taskset.id == "math-reasoning" and (source.taskset.path or identity[1] in MIXED)
        if mixed:
            wanted = sorted({name[1] for name, _ in measured if name[1] in BENCHMARKS} or BENCHMARKS)
            if missing := [name for name in wanted if name not in source.taskset.benchmarks]:
                text = f"a mixed pool may hold problems of {', '.join(missing)}"
                yield f"{key}.benchmarks", f"{text}: list them, and the load fails where one is in it"


def _reads(source: Source) -> tuple[tuple[str, str], set[str]]:
    """Which data a source reads (taskset, data set or corpus), and which splits of it."""
    taskset = source.taskset
    name = getattr(taskset, "dataset", None) or getattr(taskset, "corpus", "")
    split = getattr(taskset, "split", None)
    if split == "all" or (split is None and name == "gsm_symbolic"):
        return (taskset.id, name), {"train", "validation", "test"}
    if split is None:
        return (taskset.id, name), {"test" if name in ("gsm8k", "math") else "all"}
    return (taskset.id, name), {split}


def loss_mask_stated(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """An SFT recipe says which tokens carry the loss, and tool results are never among them (GR-09).

    The default masks system, user and tool messages; the reader of a recipe should not have to know.
    """
    if recipe.kind != "sft":
        return
    for role in ("system", "user", "tool"):
        if recipe.get(f"data.loss_mask.{role}"):
            yield f"data.loss_mask.{role}", "the model would learn to write it itself: use false"
    if recipe.get("data.loss_mask.assistant") is False:
        yield "data.loss_mask.assistant", "nothing would be trained: use true"
    if recipe.get("data.loss_mask") is None and "mask" not in recipe.comments:
        yield "data.loss_mask", "not stated: write the table, or say in a comment what is masked"
