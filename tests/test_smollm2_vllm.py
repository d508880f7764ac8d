"""smollm2-chatml on a running vLLM server: what it makes of a chat request are the renderer's tokens.

SMOLLM2_URL: the address, without /v1, of a server of a folder that `smollm2-chatml` made, with tool calls on and parser
"hermes"; SMOLLM2_MODEL: that folder. Any device will do: the tokens are made before the model runs.
"""

import os
from pathlib import Path

import httpx
import pytest

from smollm2_chatml import SmolLM2Renderer
from smollm2_conversations import CONVERSATIONS, TOOLS, as_wire
from smollm2_tokenizer import load_tokenizer

pytestmark = pytest.mark.skipif("SMOLLM2_URL" not in os.environ, reason="SMOLLM2_URL names no vLLM server")


@pytest.mark.parametrize("messages", CONVERSATIONS, ids=["single", "parallel", "retry"])
@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
def test_server_and_renderer_give_the_same_tokens(messages, tools):
    renderer = SmolLM2Renderer(load_tokenizer(Path(os.environ["SMOLLM2_MODEL"])))
    for end in range(1, len(messages) + 1):
        wire = as_wire(messages[:end])
        for generation in (False, True):
            body = {"messages": wire, "add_generation_prompt": generation} | ({"tools": tools} if tools else {})
            reply = httpx.post(f"{os.environ['SMOLLM2_URL']}/tokenize", json=body, timeout=60)
            assert reply.status_code == 200, reply.text
            expected = renderer.render(wire, tools=tools, add_generation_prompt=generation).token_ids
            assert reply.json()["tokens"] == expected
