"""Reported faults of the loss mask in SFT; the ids are those of the public reports they were learnt from."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from data_build.rollouts.sft_show import CLOSE, OPEN, main
from recipes.check.recipe import load_all, shipped
from recipes.check.rules.data import loss_mask_stated
from tiny_qwen import renderer

ROOT = Path(__file__).parents[2]
CALL = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "what the tool said"},
    {"role": "assistant", "content": "what I make of it"},
]
TRAINS_ALL = """
from renderers.configs import Qwen3RendererConfig
from renderers.qwen3 import Qwen3Renderer

class TrainsAll(Qwen3Renderer):
    config_class = Qwen3RendererConfig

    def render(self, messages, **options):
        made = super().render(messages, **options)
        made.sampled_mask[:] = [index >= 0 for index in made.message_indices]
        return made
"""


def test_gr_09_every_sft_recipe_states_the_mask() -> None:
    recipes = [made for file in shipped(ROOT) for made in load_all(file, ROOT)[0] if made.kind == "sft"]
    assert recipes and [(made.name, *problem) for made in recipes for problem in loss_mask_stated(made)] == []


def test_gr_09_the_printer_shows_the_mask(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Assistant, tool, assistant: the tool's words stand outside the marks, and a mask that holds them is refused."""
    renderer()._tokenizer.save_pretrained(str(tmp_path / "model"))  # ty: ignore[missing-attribute]
    (tmp_path / "sft").mkdir()
    (tmp_path / "sft/train.jsonl").write_text(json.dumps({"messages": MESSAGES}) + "\n", encoding="utf-8")
    words = [str(tmp_path / "sft"), "--model", str(tmp_path / "model"), "--renderer"]
    main([*words, "qwen3"])
    _, *marked = re.findall(f"{OPEN}(.*?){CLOSE}", capsys.readouterr().out, re.S)
    assert len(marked) == 2 and "I look." in marked[0] and '"name": "search"' in marked[0]
    assert "what I make of it" in marked[1] and not any("what the tool said" in part for part in marked)
    (tmp_path / "all.py").write_text(TRAINS_ALL, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"tokens that the model does not write are trained: .* of tool messages"):
        main([*words, f"{tmp_path / 'all.py'}:TrainsAll"])
    assert re.search(f"{OPEN}[^{CLOSE}]*what the tool said", capsys.readouterr().out)
