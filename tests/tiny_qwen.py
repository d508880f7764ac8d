"""A Qwen3 renderer over a byte tokenizer: the real template and masks without a download."""

import json
from pathlib import Path
from typing import Any

from datasets import load_dataset
from renderers.base import RenderedTrainingSample, build_training_sample
from renderers.qwen3 import Qwen3Renderer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

SPECIAL = (
    "<|endoftext|> <|im_start|> <|im_end|> <tool_call> </tool_call> <tool_response> </tool_response> <think> </think>"
).split()


def renderer() -> Qwen3Renderer:
    """Every byte is a token, and so is each special token of Qwen3."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={token: n for n, token in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    fast: Any = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    return Qwen3Renderer(fast)


def text(tiny: Qwen3Renderer, tokens: list[int]) -> str:
    return tiny._tokenizer.decode(tokens, skip_special_tokens=False)


def rows(folder: Path, cache: Path) -> list[dict[str, Any]]:
    """The rows of an SFT set as prime-rl's `sft` loads them: `load_dataset` on the folder, split `train`."""
    return list(load_dataset(str(folder), split="train", cache_dir=str(cache)))


def training_sample(tiny: Qwen3Renderer, row: dict[str, Any]) -> RenderedTrainingSample:
    """What prime-rl trains on for a row (`SFTDataset._process` of 0.8.0): null fields dropped, arguments decoded."""
    messages = [_without_nulls(message) for message in row["messages"]]
    for message in messages:
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return build_training_sample(tiny, messages, tools=json.loads(row["tools"]), ensure_final_stop=True)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
