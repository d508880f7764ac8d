"""Rules on groups and their advantages."""

from collections.abc import Iterator

from recipes.check.environments import Source
from recipes.check.recipe import Recipe

GROUP_ALGOS = {"grpo", "echo", "max_rl", "hierarchical_grpo"}
"""Algorithms whose advantage compares the rollouts of a group."""
RESIDUE = 1e-6
"""Equal rewards such as 0.3 leave advantages of about 1e-7 in float32; a gate's band must hold ten times that."""
WIDEST = 1e-3
"""A band beyond this drops groups that do teach: 1 of 16 right gives 0.06, a length penalty far less."""


def train_sources(recipe: Recipe) -> list[Source]:
    return [source for source in recipe.sources if source.part == "train"] if recipe.kind == "rl" else []


def batch_divisible(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A batch holds whole groups, whole rows per GPU in SFT, and a group fits in flight; prime-rl refuses the rest.

    Source: prime-rl's `resolve_batching` and `validate_batch_size`, which look at the shared group size only: a
    source's own one would leave a part of a group over at each step.
    """
    if recipe.kind == "sft":
        rows, micro = recipe.get("data.batch_size", 128), recipe.get("data.micro_batch_size", 1)
        gpus = recipe.get("deployment.num_train_gpus", 1)
        if rows % (micro * gpus):
            text = f"{rows} is not divisible by micro_batch_size {micro} x {gpus} GPUs"
            yield "data.batch_size", f"{text}: use {_multiples(rows, micro * gpus)}"
        return
    if recipe.kind != "rl" or recipe.get("orchestrator.token_batch_size") is not None:
        return
    batch = recipe.get("orchestrator.batch_size", 128)
    shared = recipe.get("orchestrator.group_size", 1)
    sizes = {shared: "orchestrator.batch_size"}
    for source in train_sources(recipe):
        sizes.setdefault(source.group_size, source.at("group_size"))
    for size, key in sizes.items():
        if batch % size:
            text = f"batch_size {batch} is not divisible by it" if key != "orchestrator.batch_size" else ""
            yield key, text or f"{batch} is not divisible by group_size {size}: use {_multiples(batch, size)}"
        for name in ("initial_inflight", "max_inflight"):
            cap = recipe.get(f"orchestrator.concurrency.{name}")
            if cap is not None and cap < size:
                yield f"orchestrator.concurrency.{name}", f"{cap} holds no group of {size}: use at least {size}"


def _multiples(number: int, step: int) -> str:
    below = number // step * step
    return f"{below} or {below + step}" if below else str(below + step)


def group_above_one(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A group of one has only zero advantages, and the run trains nothing (GR-04; prime-rl's default is 1).

    An environment that plays the group itself (select-one's `n`) and algorithms without a group advantage may.
    """
    for source in train_sources(recipe):
        if source.algo in GROUP_ALGOS and source.group_size < 2 and not _plays_group(source):
            key = source.at("group_size") if "group_size" in source.data else "orchestrator.group_size"
            yield key, "1 makes every advantage zero: use at least 2, e.g. 8"


def gate_band(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A zero-advantage gate needs a band around zero: [0, 0] keeps constant groups of rewards like 0.3 (GR-01)."""
    for source in train_sources(recipe):
        for name, gate in _gates(source).items():
            low, high = gate.get("reject_min", 0.0), gate.get("reject_max", 0.0)
            key = source.at(f"curriculum.gates.{name}")
            if low > -RESIDUE or high < RESIDUE:
                text = f"[{low}, {high}] keeps groups of equal rewards, which leave about 1e-7 in float32"
                yield key, f"{text}: use reject_min = -1e-5, reject_max = 1e-5"
            elif low < -WIDEST or high > WIDEST:
                yield key, f"[{low}, {high}] drops groups that teach: use reject_min = -1e-5, reject_max = 1e-5"


def flat_groups(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Flat groups are gated, filtered, or let through on purpose, which the comments then say.

    With a gate or the filter, ten batches without signal end a run; a flat start must do without both
    (prime-rl's `filter_zero_advantages`, measured: at pass@16 = 0.012 it happens to 62 % of such starts).
    """
    if recipe.get("orchestrator.train.filter_zero_advantages", True):
        return
    for source in train_sources(recipe):
        compares = source.algo in GROUP_ALGOS and not _plays_group(source)
        if compares and not _gates(source) and "flat" not in recipe.comments:
            text = "flat groups reach the trainer: add an advantage_range gate, or say in a comment why (a flat start)"
            yield "orchestrator.train.filter_zero_advantages", text
            return


def brake_on_flat_groups(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A term besides the advantage moves the model on flat groups too; the recipe says so (GR-10).

    Such terms: a KL to a reference (`opd`, `opsd` beside a group algorithm), a `kl`, `beta` or `brake` of a custom
    loss, and the default loss's `kl_tau` where zero advantages are not filtered.
    """
    key = _brake(recipe)
    if key and "flat" not in recipe.comments:
        yield key, "also moves the model on flat groups, where no advantage does: say so in a comment (`flat groups`)"


def _brake(recipe: Recipe) -> str | None:
    sources = train_sources(recipe)
    groups = [source for source in sources if source.algo in GROUP_ALGOS]
    for source in sources:
        if source.algo in ("opd", "opsd") and groups:
            return source.at("algo")
    for name, value in recipe.get("trainer.loss.kwargs", {}).items():
        if value and any(word in name for word in ("kl", "beta", "brake")):
            return f"trainer.loss.kwargs.{name}"
    if (
        groups
        and recipe.get("trainer.loss.kl_tau")
        and not recipe.get("orchestrator.train.filter_zero_advantages", True)
    ):
        return "trainer.loss.kl_tau"
    return None


def _plays_group(source: Source) -> bool:
    """Whether an episode holds several attempts, as select-one's does: the advantage is the environment's affair."""
    return bool(source.raw_env.get("id")) and getattr(source.env, "n", 1) > 1


def _gates(source: Source) -> dict[str, dict]:
    return (source.data.get("curriculum") or {}).get("gates") or {}
