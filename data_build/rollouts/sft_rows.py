"""Rows of a training folder as prime-rl 0.8.0 reads and renders them (`SFTDataset` in `trainer/sft/data.py`).

`load_dataset` on the folder, then `build_training_sample` of the renderers package.
"""

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any


@dataclass(frozen=True)
class Sample:
    """A row as prime-rl trains on it; the three lists are of one length."""

    tokens: list[int]
    trained: list[bool]
    roles: list[str]
    """Role of the message that each token belongs to, as the renderer says; empty for what belongs to none."""

    def spans(self) -> list[tuple[bool, list[int]]]:
        """Runs of trained and of other tokens, in order."""
        pairs = itertools.groupby(zip(self.trained, self.tokens, strict=True), key=lambda pair: pair[0])
        return [(trained, [token for _, token in run]) for trained, run in pairs]


def read_rows(folder: Path, cache: Path) -> Any:
    """The split `train` of a folder. Raises ValueError where it is none that prime-rl's `sft` could read."""
    # Without this test datasets would take the name for one on the hub.
    if not folder.is_dir():
        raise ValueError(f"folder: {folder} is no folder; name one that `data-build sft --out` wrote")
    import datasets
    from datasets.exceptions import DatasetsError

    datasets.disable_progress_bars()
    try:
        rows = datasets.load_dataset(str(folder), split="train", cache_dir=str(cache))
    except (DatasetsError, OSError, ValueError) as e:
        reason = first_line(e.__cause__ or e)
        raise ValueError(f"folder: {folder} needs a readable train.parquet or train.jsonl ({reason})") from None
    if "messages" not in rows.column_names:
        raise ValueError(f"folder: {folder} has no column `messages`, only {', '.join(rows.column_names)}")
    if not len(rows):
        raise ValueError(f"folder: {folder} holds no row")
    return rows


def training_sample(renderer: Any, row: dict[str, Any]) -> Sample:
    """What prime-rl trains on for a row, before its shift by one token and its cut at `data.seq_len`."""
    from renderers.base import build_training_sample

    messages: list[Any] = [_message(message) for message in row["messages"] or []]
    found = row.get("tools") or []
    tools: list[Any] = [_tool(tool) for tool in (json.loads(found) if isinstance(found, str) else found)]
    rendered = renderer.render(messages, tools=tools)
    # Rendering takes all the time; the roles and the mask come from one.
    once: Any = SimpleNamespace(render=lambda *_, **__: rendered, get_stop_token_ids=renderer.get_stop_token_ids)
    made = build_training_sample(once, messages, tools=tools, ensure_final_stop=True)
    roles = [messages[index]["role"] if index >= 0 else "" for index in rendered.message_indices]
    # A stop token that the template leaves out is the last assistant turn's.
    roles += ["assistant"] * (len(made.token_ids) - len(roles))
    return Sample(list(made.token_ids), list(made.loss_mask), roles)


def _message(message: dict[str, Any]) -> dict[str, Any]:
    kept = _without_nulls(message)
    for call in kept.get("tool_calls", []):
        arguments = call["function"].get("arguments")
        call["function"]["arguments"] = json.loads(arguments) if isinstance(arguments, str) else arguments
    return kept


def _without_nulls(value: Any, name: str = "") -> Any:
    # Arrow fills the fields of other rows with nulls; those inside arguments are the model's own.
    if isinstance(value, dict) and name != "arguments":
        return {key: _without_nulls(item, key) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """In OpenAI's form, as prime-rl turns verifiers' into it."""
    if tool.get("type") == "function" and "function" in tool:
        return tool
    function = {key: tool.get(key) for key in ("name", "description", "parameters")}
    strict = {} if tool.get("strict") is None else {"strict": tool["strict"]}
    return {"type": "function", "function": function | strict}


def first_line(error: BaseException) -> str:
    """What went wrong, in one line."""
    return str(error).strip().split("\n")[0] or type(error).__name__
