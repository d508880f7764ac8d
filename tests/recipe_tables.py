"""Small sound recipes as tables, for tests that break one thing at a time."""

import json
from pathlib import Path
from typing import Any

from recipes.check.environments import sources_of
from recipes.check.problem import Problem
from recipes.check.recipe import Kind, Recipe

AGENT = {"harness": {"id": "chat-loop"}, "runtime": {"type": "subprocess"}}
INVOICES: dict[str, Any] = {
    "max_steps": 100,
    "seq_len": 8192,
    "deployment": {"gpus_per_node": 2},
    "model": {"name": "Qwen/Qwen3-0.6B"},
    "trainer": {"model": {"lora": {"rank": 16, "alpha": 32.0}}},
    "ckpt": {"interval": 50, "keep_last": 2},
    "inference": {"vllm": {"max_model_len": 8192, "tool_call_parser": "hermes", "reasoning_parser": "qwen3"}},
    "orchestrator": {
        "batch_size": 32,
        "group_size": 8,
        "renderer": {"name": "qwen3"},
        "train": {
            "sampling": {"temperature": 1.0, "max_completion_tokens": 1024},
            "source": [
                {
                    "name": "invoices",
                    "env": {
                        "taskset": {"id": "supplier-invoices", "split": "train"},
                        "agent": AGENT | {"max_turns": 8, "max_total_tokens": 7168},
                    },
                    "curriculum": {"gates": {"zero": {"reject_min": -1e-5, "reject_max": 1e-5}}},
                }
            ],
        },
        "eval": {
            "interval": 25,
            "sampling": {"temperature": 0.6, "max_completion_tokens": 1024},
            "source": [
                {
                    "name": "invoices-eval",
                    "env": {
                        "taskset": {
                            "id": "supplier-invoices",
                            "split": "validation",
                            "task": {"rewards": {"gold_fraction": {"weight": 0.0}, "solved": {"weight": 1.0}}},
                        },
                        "agent": AGENT | {"max_turns": 8, "max_total_tokens": 7168},
                    },
                }
            ],
        },
    },
}
MATH: dict[str, Any] = {
    "max_steps": 100,
    "seq_len": 2048,
    "model": {"name": "Qwen/Qwen2.5-1.5B-Instruct"},
    "trainer": {"optim": {"lr": 1e-6}},
    "weight_broadcast": {"type": "filesystem"},
    "ckpt": {"interval": 50},
    "inference": {"vllm": {"max_model_len": 2048}},
    "orchestrator": {
        "batch_size": 64,
        "group_size": 8,
        "renderer": {"name": "default"},
        "train": {
            "sampling": {"temperature": 1.0, "max_completion_tokens": 1024},
            "source": [
                {
                    "name": "gsm8k",
                    "env": {
                        "taskset": {"id": "math-reasoning", "dataset": "gsm8k", "split": "train"},
                        "agent": AGENT | {"max_turns": 1},
                    },
                }
            ],
        },
        "eval": {
            "interval": 25,
            "sampling": {"temperature": 1.0, "max_completion_tokens": 1024},
            "source": [
                {
                    "name": "math500",
                    "env": {"taskset": {"id": "math-reasoning", "dataset": "math500"}, "agent": AGENT},
                }
            ],
        },
    },
}
SFT: dict[str, Any] = {
    "max_steps": 100,
    "model": {"name": "Qwen/Qwen3-0.6B", "seq_len": 8192, "lora": {"rank": 16, "alpha": 32.0}},
    "renderer": {"name": "qwen3"},
    "ckpt": {"interval": 50},
    "data": {
        "name": "data/invoices-sft",
        "seq_len": 8192,
        "batch_size": 8,
        "loss_mask": {"assistant": True, "tool": False},
    },
}
EVAL: dict[str, Any] = {
    "model": "Qwen/Qwen3-0.6B",
    "num_rollouts": 3,
    "push": False,
    "client": {"base_url": "http://localhost:8000/v1", "api_key_var": "VLLM_API_KEY"},
    "sampling": {"temperature": 0.6, "max_tokens": 2048},
    "env": {"taskset": {"id": "musique-search"}, "agent": AGENT},
}
TRAIN = "orchestrator.train.source.0"
TEST = "orchestrator.eval.source.0"


def changed(table: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A copy with values at dotted paths replaced; the value None takes a key out."""
    result = json.loads(json.dumps(table))  # no table is shared between two places
    for path, value in changes.items():
        node: Any = result
        *parents, last = path.split(".")
        for part in parents:
            node = node[int(part)] if isinstance(node, list) else node.setdefault(part, {})
        if value is None:
            node.pop(last, None)
        else:
            node[last] = value
    return result


def recipe(table: dict[str, Any], changes: dict[str, Any] | None = None, comments: str = "", stem: str = "x") -> Recipe:
    data = changed(table, changes or {})
    kind: Kind = "eval" if "env" in data else "sft" if "data" in data else "rl"
    found, wrong = sources_of(kind, data)
    name = f"recipes/{stem}.toml"
    problems = [Problem(name, key, text) for key, text in wrong]
    return Recipe(name, (Path(name),), kind, data, comments.lower(), found, problems)


def toml(table: dict[str, Any], prefix: str = "") -> str:
    """The table as TOML: scalars first, then its tables and lists of tables."""
    plain, nested = [], []
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            nested.append(f"[{path}]\n{toml(value, f'{path}.')}")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            nested += [f"[[{path}]]\n{toml(item, f'{path}.')}" for item in value]
        else:
            plain.append(f"{key} = {json.dumps(value)}\n")
    return "".join(plain) + "\n".join(nested)
