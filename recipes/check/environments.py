"""Environment tables through verifiers' own config classes, with the installed environment packages."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from recipes.check.problem import dotted, misspelt, unknown_key, written_location

REQUEST_KEYS = """max_tokens max_completion_tokens temperature top_p top_k min_p seed stop n presence_penalty
frequency_penalty repetition_penalty logprobs reasoning reasoning_effort thinking chat_template_kwargs extra_body
tool_choice parallel_tool_calls response_format""".split()
"""What request bodies take; `[sampling]` of vf-eval passes any key on."""


@dataclass(frozen=True)
class Source:
    """One environment of a recipe: a train or eval source, or the environment of a `vf-eval` file."""

    key: str
    """Where its table stands: `orchestrator.train.source.0`; empty in a `vf-eval` file."""
    part: str
    """`train` or `eval`."""
    data: dict[str, Any]
    env: Any
    """The resolved config (`vf.EnvConfig`); None where it does not resolve."""
    group_size: int
    sampling: dict[str, Any]
    algo: str
    """Type of the training algorithm; empty for an evaluation."""

    @property
    def raw_env(self) -> dict[str, Any]:
        return self.data.get("env") or {}

    @property
    def taskset(self) -> Any:
        return None if self.env is None else self.env.taskset

    @property
    def agent(self) -> Any:
        return getattr(self.env, "agent", None)

    def at(self, key: str) -> str:
        return f"{self.key}.{key}" if self.key else key


def sources_of(kind: str, data: dict[str, Any]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The environments of a recipe's table, and what is wrong with their own part of it as (key, text)."""
    found, wrong = [], []
    for key, part, table, group, sampling, algo in _tables(kind, data):
        prefix = f"{key}.env" if key else "env"
        env, problems = resolve(table.get("env"))
        wrong += [(f"{prefix}.{where}" if where else prefix, text) for where, text in problems]
        found.append(Source(key, part, table, env, group, sampling, algo))
    return found, wrong + (_eval_problems(data) if kind == "eval" else [])


def _tables(kind: str, data: dict[str, Any]) -> Iterator[tuple[str, str, dict, int, dict, str]]:
    if kind == "eval":
        yield "", "eval", data, data.get("num_rollouts", 1), _table(data.get("sampling")), ""
        return
    orchestrator = _table(data.get("orchestrator"))
    blocks = [("orchestrator.train", "train"), ("orchestrator.eval", "eval")] if kind == "rl" else [("eval", "eval")]
    for path, part in blocks:
        block = _table((orchestrator if kind == "rl" else data).get(part))
        sources = block.get("source")
        for number, table in enumerate(sources if isinstance(sources, list) else []):
            group = table.get("group_size", (orchestrator if part == "train" else block).get("group_size", 1))
            sampling = _table(block.get("sampling")) | _table(table.get("sampling"))
            algo = _table(table.get("algo")) or _table(orchestrator.get("algo"))
            yield (
                f"{path}.source.{number}", part, table, group, sampling,
                algo.get("type", "grpo") if part == "train" else "",
            )  # fmt: skip


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def resolve(raw: Any) -> tuple[Any, list[tuple[str, str]]]:
    """`[env]` as the config class of its taskset and environment; else None and what is wrong as (key, text)."""
    from verifiers.v1.utils.loaders import env_config_type, resolve_env_config, taskset_config_type

    table = raw if isinstance(raw, dict) else {}
    taskset = table.get("taskset")
    identity = taskset.get("id") if isinstance(taskset, dict) else None
    if not identity:
        near = [key for key in table if misspelt(key, ["taskset"])]
        return None, [(near[0], "unknown key; did you mean taskset?") if near else ("taskset.id", "name the taskset")]
    try:
        taskset_config_type(identity)
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as e:
        return None, [("taskset.id", f"no installed taskset {identity!r}: {_line(e)}")]
    try:
        config = env_config_type(identity, table.get("id") or "")
        resolved = resolve_env_config(copy.deepcopy(table))
    except ValidationError as e:
        return None, [_worded(config, table, error) for error in e.errors(include_url=False)]
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as e:
        return None, [("", _line(e))]
    return resolved, list(_unknown_rewards(resolved))


def _unknown_rewards(env: Any) -> Iterator[tuple[str, str]]:
    known = own_rewards(env.taskset.id)
    for name, config in env.taskset.task.rewards.items():
        if not config.fn and name not in known:
            yield f"taskset.task.rewards.{name}", unknown_key(name, known)


def own_rewards(taskset_id: str) -> dict[str, float]:
    """The reward names of a taskset's task class and their default weights."""
    from verifiers.v1.utils.loaders import task_type

    found = {}
    for base in reversed(task_type(taskset_id).__mro__):
        for name, function in vars(base).items():
            if callable(function) and hasattr(function, "reward"):
                found[name] = float(getattr(function, "_vf_weight", 1.0))
    return found


def reward_weights(env: Any) -> dict[str, float]:
    """Weight of each reward in a resolved environment."""
    weights = own_rewards(env.taskset.id)
    for name, config in env.taskset.task.rewards.items():
        weights[name] = weights.get(name, 1.0) if config.weight is None else config.weight
    return weights


def _eval_problems(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What `vf-eval` itself refuses or would pass on unread; its environment is checked apart."""
    from verifiers.v1.configs.cli.eval import EvalConfig

    wrong = []
    try:
        EvalConfig.model_validate(copy.deepcopy(data))
    except ValidationError as e:
        errors = e.errors(include_url=False)
        wrong += [_worded(EvalConfig, data, error) for error in errors if error["loc"][:1] != ("env",)]
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError):
        pass  # of the environment, which `resolve` words
    for key in _table(data.get("sampling")):
        if key not in REQUEST_KEYS and misspelt(key, REQUEST_KEYS):
            wrong.append((f"sampling.{key}", unknown_key(key, REQUEST_KEYS)))
    return wrong


def _worded(config: type[BaseModel], raw: dict[str, Any], error: Any) -> tuple[str, str]:
    location = written_location(error["loc"], raw)
    if error["type"] == "extra_forbidden":
        return dotted(location), unknown_key(str(location[-1]), _keys(config, raw, location[:-1]))
    return dotted(location), f"{_line(error['msg'])} (given: {error['input']!r})"[:300]


def _keys(config: type[BaseModel], raw: Any, location: list) -> list[str]:
    """Keys of the table at `location`, by the class that verifiers narrows it to."""
    from verifiers.v1.utils.loaders import harness_config_type, taskset_config_type

    current: Any = config
    for part in location:
        raw = raw.get(part) if isinstance(raw, dict) else None
        if part == "taskset" and isinstance(raw, dict) and raw.get("id"):
            current = taskset_config_type(raw["id"])
        elif part == "harness" and isinstance(raw, dict) and raw.get("id"):
            current = harness_config_type(raw["id"])
        elif part in getattr(current, "model_fields", {}):
            current = _model(current.model_fields[part].annotation, raw)
    return list(getattr(current, "model_fields", {}))


def _model(annotation: Any, raw: Any) -> Any:
    """The config class inside a field's annotation; of several, the one whose `type` is written."""
    if isinstance(annotation, type):
        return annotation
    models = [_model(part, raw) for part in getattr(annotation, "__args__", ())]
    models = [model for model in models if isinstance(model, type) and issubclass(model, BaseModel)]
    wanted = raw.get("type") if isinstance(raw, dict) else None
    named = [m for m in models if "type" in m.model_fields and m.model_fields["type"].default == wanted]
    return (named or models or [None])[0]


def _line(error: object) -> str:
    return " ".join(str(error).removeprefix("Value error, ").split())
