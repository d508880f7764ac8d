"""Rules on the server, the renderer and who plays the rollouts."""

import re
from collections.abc import Iterator
from pathlib import Path

from recipes.check.recipe import Recipe

HYBRID = re.compile(r"Qwen/Qwen3-\d[^/]*$")
TYPED = re.compile(r"Instruct|Thinking|Base|Coder|VL", re.IGNORECASE)
RUNTIME, HARNESS = "subprocess", "chat-loop"


def is_local(model: str) -> bool:
    """Whether a model's name is a folder here: hub names are `owner/name`."""
    return model.startswith(("outputs/", "data/", "./", "../", "/", "~")) or model.count("/") != 1 or _is_dir(model)


def _is_dir(path: str) -> bool:
    return Path(path).is_dir()


def model_of(recipe: Recipe) -> str:
    return recipe.get("model.name") or recipe.get("trainer.model.name") or "Qwen/Qwen3-0.6B"


def _renderer(recipe: Recipe) -> str:
    return "orchestrator.renderer" if recipe.kind == "rl" else "renderer"


def explicit_renderer(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A model that the renderers' map does not hold names its renderer: a merged folder's name never is in it.

    `auto` is refused for such a model by `rl`, and `default` by `sft`, after minutes of start-up.
    """
    if recipe.kind == "eval":
        return
    from renderers.base import MODEL_RENDERER_MAP

    model, name = model_of(recipe), recipe.get(f"{_renderer(recipe)}.name", "auto")
    if name == "auto" and (is_local(model) or model not in MODEL_RENDERER_MAP):
        hint = "'qwen3' for a Qwen3 model" + (", 'default' for one without tools" if recipe.kind == "rl" else "")
        yield f"{_renderer(recipe)}.name", f"auto knows no renderer for {model}: name it, {hint}"
    elif name == "default" and recipe.kind == "sft":
        yield "renderer.name", "sft cannot mask with 'default': use a typed renderer, such as 'qwen3'"
    elif name == "default" and _uses_tools(recipe) and not recipe.get(f"{_renderer(recipe)}.tool_parser"):
        yield (
            f"{_renderer(recipe)}.tool_parser",
            "'default' refuses tools without one: set it, or name a typed renderer",
        )


def explicit_parsers(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The server's parsers are named where `auto` (by the hub name) finds none or the wrong one.

    Evals read chat completions: without a reasoning parser `<think>` text reaches the extraction of the answer, and
    without a tool-call parser no call is made. `auto` finds neither for a folder, and no reasoning parser for the
    hybrid Qwen3 models. `"None"` is an explicit choice.
    """
    if recipe.kind == "eval" or recipe.get("inference") is None:
        return
    model = model_of(recipe)
    local, hybrid = is_local(model), bool(HYBRID.match(model) and not TYPED.search(model))
    for key, wanted, needed in (
        ("reasoning_parser", "qwen3", local or hybrid),
        ("tool_call_parser", "hermes", local and _uses_tools(recipe)),
    ):
        path = f"inference.vllm.{key}"
        if needed and (not recipe.has(path) or recipe.get(path) == "auto"):
            yield path, f'auto finds none for {model}: write {wanted!r} for a Qwen3 model, or "None" on purpose'
    parser = "inference.vllm.tool_call_parser"
    if _uses_tools(recipe) and recipe.has(parser) and recipe.get(parser) is None:
        yield parser, "evals with tools need one: write 'hermes' for a Qwen model"


def _uses_tools(recipe: Recipe) -> bool:
    from verifiers.v1.utils.loaders import taskset_class

    resolved = [source.taskset for source in recipe.sources if source.taskset is not None]
    return any(bool(taskset_class(taskset.id).toolsets(taskset)) for taskset in resolved)


def thinking_agrees(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Training (renderer) and evals (the server's template) think or do not think alike (TC-08)."""
    if recipe.kind == "eval" or recipe.get("inference") is None:
        return
    renderer = _renderer(recipe)
    template = "inference.vllm.default_chat_template_kwargs.enable_thinking"
    ours, theirs = recipe.get(f"{renderer}.enable_thinking"), recipe.get(template)
    if ours is False and theirs is not False:
        yield template, f"evals would think and training does not ({renderer}.enable_thinking = false): set it false"
    elif theirs is False and ours is not False:
        yield f"{renderer}.enable_thinking", f"training would think and evals do not ({template} = false): set it false"


def filesystem_broadcast(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Full-parameter runs on one machine hand the weights over by the file system.

    Without LoRA prime-rl's default is NCCL, reported to crash on pairs of A6000 cards; LoRA uses files by itself.
    """
    if recipe.kind == "eval" or recipe.get("deployment.type", "single_node") != "single_node":
        return
    lora = recipe.get("trainer.model.lora" if recipe.kind == "rl" else "model.lora")
    serves = recipe.get("inference") is not None and (recipe.kind == "rl" or recipe.get("eval") is not None)
    if serves and lora is None and recipe.get("weight_broadcast.type") != "filesystem":
        text = "a full-parameter run would use NCCL, reported to crash on A6000 pairs"
        yield "weight_broadcast.type", f'{text}: use "filesystem"'


def graphs_of_decodes_only(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The server puts no prefill into a full CUDA graph.

    With `cudagraph_mode = "FULL"` FlashAttention 3 captures mixed batches too. On vLLM 0.26 replies were then garbage
    after a few tokens, with NaN logprobs (recipes/results/smollm2_2026_11_30; pytorch/torchtitan pull request 3685).
    """
    key = "inference.vllm.compilation_config.cudagraph_mode"
    if str(recipe.get(key)).upper() == "FULL":
        yield key, 'garbles replies under load: use "PIECEWISE", or leave the mode to vLLM'


def explicit_agent(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """Each environment says who plays and where: verifiers' own defaults are a shell agent on a remote runtime."""
    for source in recipe.sources:
        agent = source.raw_env.get("agent") or {}
        harness = (agent.get("harness") or {}).get("id")
        runtime = (agent.get("runtime") or {}).get("type")
        if harness != HARNESS:
            given = "missing" if harness is None else f"{harness!r} starts a process per rollout"
            yield source.at("env.agent.harness.id"), f"{given}: use {HARNESS!r}"
        if runtime != RUNTIME:
            given = "missing" if runtime is None else f"{runtime!r} runs elsewhere"
            yield source.at("env.agent.runtime.type"), f"{given}: use {RUNTIME!r}"
