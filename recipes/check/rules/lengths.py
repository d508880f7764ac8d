"""Rules on token limits: what does not fit is cut without a word."""

from collections.abc import Iterator

from recipes.check.environments import Source
from recipes.check.recipe import Recipe

PROMPT = 512
"""Tokens for a problem with its system prompt, in one turn: the prompt limit of Open-RS (seed 4)."""


def rollout_fits(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """seq_len and max_model_len hold prompt and completions; a longer rollout is cut by the trainer, silently.

    One turn needs the prompt and one completion. Several turns need `agent.max_total_tokens` and one completion more,
    because that cap is soft by one turn (prime-rl: "longer samples are truncated"; measured). Evaluations only have
    to fit the server.
    """
    if recipe.kind == "eval":
        return
    server = recipe.get("inference.vllm.max_model_len")
    trainer = recipe.get("seq_len") or recipe.get("trainer.model.seq_len") or 2048
    for source in recipe.sources:
        need, text = _need(source)
        if need is None:
            if source.part == "train":
                yield text, "missing: without it no seq_len is sure to hold a rollout; set it"
            continue
        if source.part == "train" and trainer < need:
            yield "seq_len", f"{trainer} does not hold {text} of {source.key}: use at least {need}"
        if server is not None and server < need:
            yield "inference.vllm.max_model_len", f"{server} does not hold {text} of {source.key}: use at least {need}"


def _need(source: Source) -> tuple[int | None, str]:
    """Tokens of the longest rollout and what they are; or None and the key that would bound it."""
    reply = source.sampling.get("max_completion_tokens")
    if reply is None:
        return None, f"{source.key.rsplit('.source', 1)[0]}.sampling.max_completion_tokens"
    if source.agent is None or source.agent.max_turns == 1:
        return PROMPT + reply, f"a prompt of {PROMPT} and {reply} completion tokens"
    total = source.agent.max_total_tokens
    if total is None:
        return None, source.at("env.agent.max_total_tokens")
    return total + reply, f"max_total_tokens {total} and one turn of {reply} tokens"


def sft_rows(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The model's own limit holds the packed rows of the data (`model.seq_len` is a key of its own in `sft`)."""
    if recipe.kind != "sft":
        return
    rows, model = recipe.get("data.seq_len"), recipe.get("model.seq_len")
    if rows is None:
        yield "data.seq_len", "missing: the default of 128 tokens cuts every conversation; set it"
    elif model is not None and model < rows:
        yield "model.seq_len", f"{model} is below data.seq_len {rows}: use {rows}"
