"""`smollm2-chatml SRC OUT`: a copy of SmolLM2-Instruct that knows tools, for training and for vLLM.

Writes `template.jinja` as the chat template and mends what a conversion from GGUF loses: the special tokens, and the
splitting of digits (each digit is a token of its own in the original). Needs the standard library only, for a hub id
also huggingface_hub.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).parent / "template.jinja"
TEMPLATE_FILE = "chat_template.jinja"
TOKENS = {"bos": "<|im_start|>", "eos": "<|im_end|>", "pad": "<|im_end|>", "unk": "<|endoftext|>"}
BYTES = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
BPE = {
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
}
LONGEST = 8192
"""Tokens of SmolLM2's longest context."""
USAGE = "usage: smollm2-chatml SRC OUT   (SRC: a model folder or a hub id, owner/name; OUT: the folder to write)"


def main() -> None:
    """Console entry. A problem is told in one line, with exit code 1."""
    arguments = sys.argv[1:]
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return
    if len(arguments) != 2:
        raise SystemExit(USAGE)
    try:
        prepare(_source(arguments[0]), Path(arguments[1]))
    except (ValueError, OSError) as e:
        raise SystemExit(f"smollm2-chatml: {e}") from None
    print(f"{arguments[1]}: {arguments[0]} with the chat template of smollm2-chatml")


def prepare(source: Path, out: Path) -> None:
    """Copies the model folder `source` to `out`. A folder that an earlier call wrote there is replaced.

    Raises:
        ValueError: `source` is no SmolLM2 folder, or `out` is something else's.
    """
    tokenizer = mended(_read(source, "tokenizer.json"))
    config = _read(source, "config.json")
    ids = {token["content"]: token["id"] for token in tokenizer.get("added_tokens", [])}
    if missing := sorted(set(TOKENS.values()) - ids.keys()):
        raise ValueError(f"SRC: {source} is no SmolLM2 model: its tokenizer lacks {', '.join(missing)}")
    if out.resolve() == source.resolve():
        raise ValueError("OUT: is SRC itself; name another folder")
    if out.exists() and not _ours(out):
        raise ValueError(f"OUT: {out} exists and is not of this command; name a new folder")
    part = out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        shutil.copytree(source, part, ignore=shutil.ignore_patterns(".*", "onnx", "runs"))
        _write(part / "tokenizer.json", tokenizer)
        template = TEMPLATE.read_text(encoding="utf-8")
        (part / TEMPLATE_FILE).write_text(template, encoding="utf-8")
        _write(part / "tokenizer_config.json", _tokenizer_config(source, template))
        numbers = {f"{name}_token_id": ids[TOKENS[name]] for name in ("bos", "eos", "pad")}
        _write(part / "config.json", config | numbers)
        has_generation = (source / "generation_config.json").is_file()
        _write(
            part / "generation_config.json",
            (_read(source, "generation_config.json") if has_generation else {}) | numbers,
        )
        if out.exists():
            shutil.rmtree(out)
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def mended(tokenizer: dict[str, Any]) -> dict[str, Any]:
    """`tokenizer.json` with SmolLM2's own ways to cut text and to join tokens; vocabulary and merges stay.

    Raises ValueError where text is not cut into bytes at all.
    """
    steps = tokenizer.get("pre_tokenizer") or {}
    kinds = [step.get("type") for step in steps.get("pretokenizers", [steps])]
    if "ByteLevel" not in kinds:
        raise ValueError(f"SRC: its tokenizer cuts text by {kinds}, not by ByteLevel; it is not SmolLM2's")
    digits = {"type": "Digits", "individual_digits": True}
    return tokenizer | {
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, {**BYTES, "add_prefix_space": False}]},
        "post_processor": None,
        "decoder": BYTES,
        "model": tokenizer["model"] | BPE,
    }


def _tokenizer_config(source: Path, template: str) -> dict[str, Any]:
    has_one = (source / "tokenizer_config.json").is_file()
    config = _read(source, "tokenizer_config.json") if has_one else {"tokenizer_class": "PreTrainedTokenizerFast"}
    if str(config.get("tokenizer_class")).startswith("GPT2"):
        # transformers 5 rebuilds a GPT2 tokenizer with its own splitting and forgets the digits.
        config["tokenizer_class"] = "PreTrainedTokenizerFast"
    config |= {f"{name}_token": token for name, token in TOKENS.items()}
    longest = config.get("model_max_length")
    config["model_max_length"] = min(longest, LONGEST) if isinstance(longest, int) else LONGEST
    return config | {"clean_up_tokenization_spaces": False, "chat_template": template}


def _source(name: str) -> Path:
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ValueError(f"SRC: {name} is neither a folder nor a hub id (owner/name)")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise ValueError(f"SRC: {name} is no folder; a hub id needs `pip install huggingface_hub`") from None
    try:
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "*.txt", "*.jinja"]))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as e:
        raise ValueError(f"SRC: {name} cannot be fetched from the hub ({str(e).splitlines()[0]})") from None


def _ours(folder: Path) -> bool:
    template = folder / TEMPLATE_FILE
    return template.is_file() and "smollm2-chatml" in template.read_text(encoding="utf-8")


def _read(folder: Path, name: str) -> dict[str, Any]:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"SRC: {folder} has no {name}") from None
    except ValueError as e:
        raise ValueError(f"SRC: {folder / name} is no JSON ({e})") from None


def _write(path: Path, value: dict[str, Any]) -> None:
    path.unlink(missing_ok=True)  # a hub snapshot's files are links into its cache
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
