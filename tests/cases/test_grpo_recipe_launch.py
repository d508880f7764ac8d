"""Reported faults of served models and adapters; the ids are those of the public reports they were learnt from."""

import re
from collections.abc import Callable

import pytest
from renderers.base import Message

from recipes.launch.check_server import ASK_TEXT, ASK_TOOL, CheckConfig, Finding, check
from scripted_server import Reply, Request, Script, serve
from tiny_qwen import renderer, text

CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "harbour Lund"}}\n</tool_call>'


def sound(request: Request) -> Reply:
    if request.prompt == ASK_TOOL:
        return Reply(calls=[("search", '{"query": "harbour Lund"}')])
    off = request.body.get("chat_template_kwargs") == {"enable_thinking": False}
    return Reply(f"{request.body['model']}: 71", thinking=None if off else "71 is larger.")


def instead(prompt: str, reply: Callable[[Request], Reply]) -> Script:
    return lambda request: reply(request) if request.prompt == prompt else sound(request)


def findings(script: Script, model: str = "musique-step_2", base: str | None = None) -> list[Finding]:
    with serve(script) as server:
        return check(model, CheckConfig(base_url=server.url, concurrency=1, base=base))


def bad(found: list[Finding], level: str = "fail") -> list[str]:
    return [finding.text for finding in found if finding.level == level]


def test_gr_06_an_adapter_that_changes_nothing_is_seen() -> None:
    """The files' half of the case, weights against the base, is `test_merge_lora.py`'s test of the same id."""
    assert bad(findings(sound, base="base")) == []
    same = instead("", sound)

    def unmerged(request: Request) -> Reply:
        return same(request) if request.prompt in (ASK_TEXT, ASK_TOOL) else Reply("Cranes, ships and gulls.")

    (text_,) = bad(findings(unmerged, base="base"))
    assert text_.startswith("musique-step_2 answers like base") and "was not merged" in text_


@pytest.mark.parametrize("name", ["musique", "musique-final"])
def test_gr_07_an_adapter_is_named_by_its_step(name: str) -> None:
    """Whether a server answers from the old adapter's cache cannot be asked of it, so the name is what is checked."""
    (warning,) = bad(findings(sound, name, base="base"), "warning")
    assert warning.startswith(f"{name} names no step") and warning.endswith(f"serve it as {name}-step_<N>")
    for step in (1, 2):
        assert bad(findings(sound, f"{name}-step_{step}", base="base"), "warning") == []


def test_tc_08_thinking_off_leaves_a_closed_empty_think_block() -> None:
    tiny = renderer()
    messages: list[Message] = [{"role": "user", "content": "Hej"}]
    prompts = {}
    for on in (True, False):
        made = type(tiny)(tiny._tokenizer, type(tiny.config)(enable_thinking=on))
        prompts[on] = text(made, made.render(messages, add_generation_prompt=True).token_ids)
    assert prompts[False].endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert prompts[True].endswith("<|im_start|>assistant\n")

    for reply in (Reply("<think>\nhm\n</think>\n\n71"), Reply("71", thinking="hm")):
        (found,) = bad(findings(instead(ASK_TEXT, lambda request, reply=reply: reply)))
        # the scripted server counts the same prompt tokens with and without the switch, as a deaf template does
        assert found.startswith(
            "thinking off: the model thinks nevertheless, its chat template ignores enable_thinking"
        )


def test_tc_09_answers_in_the_reasoning_field_fail_loudly() -> None:
    swallowed = instead(ASK_TEXT, lambda request: Reply(None, thinking="<<71>>"))
    found = bad(findings(swallowed))
    assert [text_.split(":")[0] for text_ in found] == ["default", "thinking off"]
    assert all("the content is empty" in text_ and "reasoning_parser" in text_ for text_ in found)


@pytest.mark.parametrize("reply", [Reply(CALL), Reply(f"Sure. {CALL}"), Reply("", thinking=f"hm {CALL}")])
def test_tc_10_a_call_that_stays_in_the_text_is_seen(reply: Reply) -> None:
    found = bad(findings(instead(ASK_TOOL, lambda request: reply)))
    place = "reasoning field" if reply.thinking else "content"
    assert len(found) == 2  # tool_choice auto and forced
    for name, text_ in zip(("auto", "forced"), found, strict=True):
        assert re.match(rf"tool call, {name}: it stays in the {place} and is not parsed: .*tool_call_parser", text_)


def test_tc_10_is_asked_with_thinking_on() -> None:
    with serve(sound) as server:
        check("base", CheckConfig(base_url=server.url))
        asked = [request.body for request in server.requests if "tools" in request.body]
    assert [body["chat_template_kwargs"] for body in asked] == [{"enable_thinking": True}] * 2
