"""Recipes against prime-rl's configuration classes as JSON Schema: first every key name, then every value.

An environment's own table is open in the schema; `environments` checks it. So are vLLM's arguments, for which there
is a list here: vLLM is not installed where recipes are checked.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recipes.check.problem import Problem, dotted, misspelt, unknown_key
from recipes.check.recipe import Recipe

FILES = {"rl": "prime_rl_rl.schema.json", "sft": "prime_rl_sft.schema.json"}
VLLM_ARGUMENTS = frozenset(
    """async_scheduling attention_backend block_size calculate_kv_scales chat_template_content_format compilation_config
    cpu_offload_gb default_chat_template_kwargs disable_cascade_attn disable_custom_all_reduce disable_log_stats
    distributed_executor_backend download_dir enable_auto_tool_choice enable_chunked_prefill enable_log_requests
    enable_prompt_tokens_details enable_sleep_mode generation_config headless hf_config_path hf_overrides
    kv_cache_dtype kv_cache_memory_bytes limit_mm_per_prompt load_format logprobs_mode long_prefill_token_threshold
    max_logprobs max_num_batched_tokens max_num_partial_prefills max_num_seqs mm_processor_kwargs model_impl
    num_gpu_blocks_override override_generation_config pipeline_parallel_size prefix_caching_hash_algo revision
    scheduling_policy served_model_name skip_tokenizer_init speculative_config structured_outputs_config swap_space
    tokenizer tokenizer_mode tokenizer_revision uvicorn_log_level""".split()
)
"""Server arguments of vLLM 0.10 to 0.12 beyond those that prime-rl types (its engine_args page); prime-rl passes any
name on unread, so a misspelt one would only end the server."""
TAGS = ("type", "name")
"""Fields that tell the variants of a union apart."""


def read_schemas(folder: Path) -> dict[str, dict[str, Any]]:
    """The RL and SFT schema of a folder. Raises ValueError naming what is missing."""
    found = {}
    for kind, name in FILES.items():
        try:
            found[kind] = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as e:
            raise ValueError(f"schema: cannot read {folder / name} ({e}); name the folder that holds both") from e
    return found


def check_schema(recipe: Recipe, schema: dict[str, Any]) -> list[Problem]:
    wrong = list(_names(schema, schema, recipe.data, ()))
    bad = [path for path, _ in wrong]
    problems = [Problem(recipe.name, dotted(path), text) for path, text in wrong]
    for path, union, text in _values(schema, recipe.data):
        # The variants of a union that holds an unknown key all fail on it, with misleading words.
        told = any(path[: len(each)] == each or each[: len(union or path)] == (union or path) for each in bad)
        if not told:
            problems.append(Problem(recipe.name, dotted(path), text))
    return problems


def _names(root: dict, node: dict, data: Any, path: tuple) -> Iterator[tuple[tuple, str]]:
    """Unknown keys of `data` under `node`, as (path, text); also a tag that no variant of a union has."""
    variants = list(_variants(root, node))
    if isinstance(data, list):
        for items in [variant["items"] for variant in variants if "items" in variant][:1]:
            for number, item in enumerate(data):
                yield from _names(root, items, item, (*path, number))
        return
    objects = [variant for variant in variants if variant.get("type") == "object"]
    if not isinstance(data, dict) or not objects:
        return
    for tag in TAGS:
        tags = {v["properties"][tag]["const"]: v for v in objects if "const" in v.get("properties", {}).get(tag, {})}
        if len(tags) < 2:
            continue
        default = node.get("default")
        written = data.get(tag, default.get(tag) if isinstance(default, dict) else None)
        if written not in tags:
            if tag in data:
                yield (*path, tag), f"{written!r} is unknown; {_nearest(str(written), tags)}"
                return
            break
        objects = [tags[written]]
        break
    known = {key: value for variant in objects for key, value in variant.get("properties", {}).items()}
    extra = objects[0].get("additionalProperties")
    for key, value in data.items():
        if key in known:
            if "env" not in (key, *path) and not _is_env(known[key]):
                yield from _names(root, known[key], value, (*path, key))
        elif isinstance(extra, dict):
            yield from _names(root, extra, value, (*path, key))
        elif extra is not True or _misspelt_extra(key, known, path):
            names = known | dict.fromkeys(VLLM_ARGUMENTS) if _is_vllm(path) else known
            yield (*path, key), unknown_key(key, names)


def _misspelt_extra(key: str, known: dict, path: tuple) -> bool:
    return key not in VLLM_ARGUMENTS if _is_vllm(path) else misspelt(key, known)


def _is_vllm(path: tuple) -> bool:
    return path[-1:] == ("vllm",)


def _is_env(node: dict) -> bool:
    return node.get("$ref", "").endswith("/EnvConfig")


def _variants(root: dict, node: dict) -> Iterator[dict]:
    """A schema node without references and unions."""
    while "$ref" in node:
        node = root["$defs"][node["$ref"].rsplit("/", 1)[1]]
    if parts := node.get("anyOf") or node.get("oneOf"):
        for part in parts:
            yield from _variants(root, part)
    else:
        yield node


def _nearest(written: str, names: Any) -> str:
    import difflib

    near = difflib.get_close_matches(written, list(names), n=1, cutoff=0.3)
    return f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(map(repr, sorted(names)))}"


def _values(schema: dict, data: dict) -> Iterator[tuple[tuple, tuple | None, str]]:
    """Wrong values as (path, path of the union that the value stands in, text)."""
    import jsonschema
    from jsonschema.exceptions import best_match

    validator = jsonschema.Draft202012Validator(schema)
    for error in validator.iter_errors(_without_envs(data)):
        best = best_match([error]) or error
        if best.validator == "additionalProperties":  # named above, with the nearest key
            continue
        union = tuple(error.absolute_path) if error.validator in ("anyOf", "oneOf") else None
        yield tuple(best.absolute_path), union, _message(best)[:240]


def _message(error: Any) -> str:
    if error.validator in ("anyOf", "oneOf"):
        types = [variant["type"] for variant in error.validator_value if isinstance(variant.get("type"), str)]
        if len(types) == len(error.validator_value):
            return f"{error.instance!r} is not of type {' or '.join(map(repr, types))}"
    return " ".join(error.message.split())


def _without_envs(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: {} if key == "env" else _without_envs(item) for key, item in value.items()}
    return [_without_envs(item) for item in value] if isinstance(value, list) else value
