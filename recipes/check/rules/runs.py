"""Rules on the run as a whole: names, checkpoints, evaluations, custom losses, one study's adapters."""

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterator, Sequence

from recipes.check.problem import Problem, unknown_key
from recipes.check.recipe import Recipe

KEPT = 3
"""Checkpoints that a run may keep without a limit."""


def checkpoints(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A training run has an end, saves what it learns, and does not fill the disk doing so.

    RL runs for hours and saves on the way; SFT is short, and `[ckpt]` alone saves at its end.
    """
    if recipe.kind == "eval":
        return
    steps, interval = recipe.get("max_steps"), recipe.get("ckpt.interval")
    if steps is None:
        yield "max_steps", "missing: the run would never end; set it"
    if recipe.kind == "sft" and recipe.get("ckpt") is not None and interval is None:
        return
    if interval is None:
        yield "ckpt.interval", "missing: nothing is saved until the end; set it, e.g. 100"
    elif steps is not None:
        if interval > steps:
            yield "ckpt.interval", f"{interval} is beyond max_steps {steps}: use at most {steps}"
        keeps = recipe.get("ckpt.keep_last") or recipe.get("ckpt.keep_interval")
        if steps // interval > KEPT and not keeps:
            yield "ckpt.keep_last", f"missing: {steps // interval} checkpoints would be kept; set it, e.g. 2"


def names(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Every source has a name of its own: metrics, reports and rollout folders are told apart by it."""
    if recipe.kind == "eval":
        return
    given = [source.data.get("name") for source in recipe.sources]
    for source, name in zip(recipe.sources, given, strict=True):
        if not name:
            yield source.at("name"), "missing: name the source; the taskset's id is the same for train and eval"
        elif Counter(given)[name] > 1 and given.index(name) != recipe.sources.index(source):
            yield source.at("name"), f"{name!r} is used twice: name each source once, e.g. {name}-eval"


def evaluation(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Evaluations come at a stated interval within the run, with stated sampling; a `vf-eval` file uploads nothing."""
    if recipe.kind == "eval":
        if recipe.get("push", True):
            yield "push", "on by default, it uploads the run: write push = false"
        bound = () if recipe.get("env.agent.harness.api") == "anthropic" else ("sampling.max_tokens",)  # its own bound
        for key in ("model", "num_rollouts", "client.base_url", "client.api_key_var", *bound):
            if recipe.get(key) is None:
                yield key, "missing: state it, so that the figures can be repeated"
        return
    block = "orchestrator.eval" if recipe.kind == "rl" else "eval"
    if recipe.get(block) is None:
        if recipe.kind == "rl":
            yield block, "missing: a run without evaluations cannot show that it helped; add one source"
        return
    steps = recipe.get("max_steps")
    found = {}
    for source in recipe.sources:
        if source.part == "train":
            continue
        interval = source.data.get("interval", recipe.get(f"{block}.interval"))
        if interval is None:
            found[f"{block}.interval"] = "missing: the default is 100 steps; state it"
        elif steps is not None and interval > steps:
            found[f"{block}.interval"] = f"{interval} is beyond max_steps {steps}: use at most {steps}"
        for key in ("temperature", "max_completion_tokens"):
            if source.sampling.get(key) is None:
                found[f"{block}.sampling.{key}"] = "missing: the server's default would be measured; state it"
    yield from found.items()


def custom_loss(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A custom loss exists and takes the arguments that it is given; prime-rl imports it only on the GPU.

    Its module is read, not imported: it needs torch.
    """
    path = recipe.get("trainer.loss.import_path") if recipe.kind == "rl" else None
    if not path:
        return
    module, _, name = path.rpartition(".")
    try:
        spec = importlib.util.find_spec(module)
    except (ModuleNotFoundError, ValueError):
        spec = None
    if spec is None or not spec.origin:
        yield "trainer.loss.import_path", f"no module {module!r} is installed: write package.module.function"
        return
    with open(spec.origin, encoding="utf-8") as file:  # noqa: PTH123
        functions = {n.name: n for n in ast.parse(file.read()).body if isinstance(n, ast.FunctionDef)}
    if name not in functions:
        yield "trainer.loss.import_path", f"{module} has no function {name!r}; it has {', '.join(sorted(functions))}"
        return
    arguments = functions[name].args
    known = [a.arg for a in (arguments.posonlyargs + arguments.args)[1:] + arguments.kwonlyargs]
    for key in recipe.get("trainer.loss.kwargs", {}):
        if key not in known and arguments.kwarg is None:
            yield f"trainer.loss.kwargs.{key}", unknown_key(key, known)


def one_study_one_adapter(recipes: Sequence[Recipe]) -> Iterator[Problem]:
    """The LoRA of an SFT recipe has the rank and alpha of the RL recipe that starts from it.

    RL trains a fresh adapter on the merged model; with another rank or alpha the two stages of a study would differ
    in more than their method. A pair is one by its names: `<study>_sft` and `<study>_sft_rl`. Where they differ on
    purpose, a comment of the second names the first one's, `rank 64`.
    """
    by_stem = {recipe.files[0].stem: recipe for recipe in recipes if len(recipe.files) == 1}
    for stem, first in by_stem.items():
        second = by_stem.get(f"{stem}_rl")
        if first.kind != "sft" or second is None or second.kind != "rl":
            continue
        adapters = first.get("model.lora"), second.get("trainer.model.lora")
        if any(adapter is None for adapter in adapters) or f"rank {adapters[0].get('rank', 16)}" in second.comments:
            continue
        for key, default in (("rank", 16), ("alpha", 32.0)):
            ours, theirs = (adapter.get(key, default) for adapter in adapters)
            if ours != theirs:
                text = f"{theirs:g} differs from model.lora.{key} {ours:g} of {first.name}: use the same in both"
                yield Problem(second.name, f"trainer.model.lora.{key}", text)
