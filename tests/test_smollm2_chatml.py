"""smollm2-chatml: the same tokens from the chat template (vLLM), from the renderer (training) and in SFT."""

import copy
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from renderers.base import ToolCallParseStatus, build_training_sample, create_renderer
from renderers.configs import CustomRendererConfig

from smollm2_chatml import SmolLM2Renderer
from smollm2_chatml.hermes import read_reply
from smollm2_chatml.prepare import prepare
from smollm2_conversations import CONVERSATIONS, SINGLE, TOOLS, as_wire, call, result
from smollm2_tokenizer import load_tokenizer, write_model_folder

TRAINED = {
    "single": [
        '<tool_call>\n{"name": "SearchSupplier", "arguments": {"name": "O\'Keddy & \\"Åkers\\" <AB>", "iban": null}}\n'
        "</tool_call><|im_end|>",
        "Hej Åsa!\n\nDet är Arkiv Söder.<|im_end|>",
    ],
    "parallel": [
        'I look them up.\n<tool_call>\n{"name": "SearchSupplier", "arguments": {"name": "A"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "LookupOrderRows", "arguments": {"supplier_id": "1", "n": [1, 2.5]}}\n</tool_call>'
        "<|im_end|>",
        "12<|im_end|>",
    ],
    "retry": [
        '<tool_call>\n{"name": "LookupOrderRows", "arguments": {"supplier_id": "x"}}\n</tool_call><|im_end|>',
        '<tool_call>\n{"name": "SearchSupplier", "arguments": {"name": "Rönn\\n\\tmossa"}}\n</tool_call><|im_end|>',
        "On 2025-09-30.<|im_end|>",
        '5\n<tool_call>\n{"name": "Now", "arguments": {}}\n</tool_call><|im_end|>',
        "Klart.<|im_end|>",
    ],
}
each_conversation = pytest.mark.parametrize("messages", CONVERSATIONS, ids=list(TRAINED))
each_tools = pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smollm2")
    prepare(write_model_folder(folder / "converted"), folder / "model")
    return load_tokenizer(folder / "model")


@pytest.fixture(scope="module")
def renderer(tokenizer):
    """As prime-rl builds it from `name = "custom"`."""
    return create_renderer(tokenizer, CustomRendererConfig(import_path="smollm2_chatml.SmolLM2Renderer"))


def template_ids(tokenizer, messages, tools, generation=False):
    """What vLLM makes of a request: tool arguments are objects, absent fields too may be there as null."""
    return tokenizer.apply_chat_template(
        messages, tools=tools, tokenize=True, return_dict=False, add_generation_prompt=generation
    )


@each_conversation
@each_tools
def test_template_and_renderer_give_the_same_tokens(tokenizer, renderer, messages, tools):
    for end in range(1, len(messages) + 1):
        for generation in (False, True):
            expected = template_ids(tokenizer, messages[:end], tools, generation)
            assert renderer.render_ids(messages[:end], tools=tools, add_generation_prompt=generation) == expected
            wire = as_wire(messages[:end])
            assert renderer.render_ids(wire, tools=tools, add_generation_prompt=generation) == expected


def test_vllm_adds_fields_to_tools_that_leave_the_tokens_alone(tokenizer):
    more = copy.deepcopy(TOOLS)
    for each in more:
        each["function"]["strict"] = None
        each["defer_loading"] = None
    assert template_ids(tokenizer, SINGLE, more) == template_ids(tokenizer, SINGLE, TOOLS)


@pytest.mark.parametrize(("name", "messages"), list(zip(TRAINED, CONVERSATIONS, strict=True)))
def test_sft_trains_what_the_assistant_writes_and_nothing_else(tokenizer, renderer, name, messages):
    # As prime_rl.trainer.sft.data calls it.
    sample = build_training_sample(
        renderer, messages, role_to_mask=None, tools=TOOLS, content_sft_roles=None, ensure_final_stop=True
    )
    assert sample.token_ids == template_ids(tokenizer, messages, TOOLS)
    runs, before = [], False
    for token, trained in zip(sample.token_ids, sample.loss_mask, strict=True):
        if trained and not before:
            runs.append([])
        if trained:
            runs[-1].append(token)
        before = trained
    assert [tokenizer.decode(run) for run in runs] == TRAINED[name]


@each_conversation
def test_content_mask_covers_the_bodies_of_messages(tokenizer, renderer, messages):
    rendered = renderer.render(messages, tools=TOOLS)
    for number, message in enumerate(messages):
        body = [
            token
            for token, index, content in zip(
                rendered.token_ids, rendered.message_indices, rendered.is_content, strict=True
            )
            if index == number and content
        ]
        if message["role"] in ("user", "system"):
            assert tokenizer.decode(body).strip() == message["content"].strip()
    tool_sample = build_training_sample(renderer, SINGLE, tools=TOOLS, content_sft_roles={"tool"})
    trained = [t for t, m in zip(tool_sample.token_ids, tool_sample.loss_mask, strict=True) if m]
    assert SINGLE[3]["content"] in tokenizer.decode(trained)
    assert "<tool_response>" not in tokenizer.decode(trained)


@each_conversation
def test_turn_by_turn_as_in_training_equals_the_whole(renderer, messages):
    first = next(i for i, message in enumerate(messages) if message["role"] == "assistant")
    prompt = renderer.render(as_wire(messages[:first]), tools=TOOLS, add_generation_prompt=True)
    ids = prompt.token_ids
    turns = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        until = renderer.render_ids(messages[: turn + 1], tools=TOOLS)
        completion = until[len(ids) : -1]  # the newline behind <|im_end|> is never sampled
        assert until[: len(ids)] == ids
        assert completion[-1] == renderer.get_stop_token_ids()[0]
        if following is None:
            break
        bridged = renderer.bridge_to_next_turn(ids, completion, as_wire(messages[turn + 1 : following]), tools=TOOLS)
        assert bridged.token_ids == renderer.render_ids(messages[:following], tools=TOOLS, add_generation_prompt=True)
        assert not any(bridged.sampled_mask)
        ids = bridged.token_ids


def test_bridge_keeps_the_sampled_tokens_and_refuses_a_reply(tokenizer, renderer):
    prompt = renderer.render_ids(SINGLE[:2], tools=TOOLS, add_generation_prompt=True)
    spaced = tokenizer.encode('<tool_call>{ "name":"Now","arguments" : {}}</tool_call>', add_special_tokens=False)
    cut_off = renderer.bridge_to_next_turn(prompt, spaced, [result("ok")])
    assert cut_off.token_ids[: len(prompt) + len(spaced) + 1] == [*prompt, *spaced, renderer.get_stop_token_ids()[0]]
    assert renderer.bridge_to_next_turn(prompt, spaced, [{"role": "assistant", "content": "no"}]) is None


@each_conversation
def test_parsing_a_rendered_turn_gives_the_turn(renderer, messages):
    for number, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        prompt = renderer.render_ids(messages[:number], tools=TOOLS, add_generation_prompt=True)
        completion = renderer.render_ids(messages[: number + 1], tools=TOOLS)[len(prompt) :]
        parsed = renderer.parse_response(completion, tools=TOOLS, prompt_ids=prompt)
        assert parsed.content == (message.get("content") or "").strip()
        expected = [each["function"] for each in message.get("tool_calls") or []]
        assert [{"name": c.name, "arguments": c.arguments} for c in parsed.tool_calls] == expected
        assert all(c.status == ToolCallParseStatus.OK for c in parsed.tool_calls)


def vllm_hermes(text):
    """The rule of vLLM's `hermes` parser: text before the first tag and (name, arguments as JSON), or all as text."""
    if "<tool_call>" not in text:
        return text, []
    try:
        found = re.findall(r"<tool_call>(.*?)</tool_call>|<tool_call>(.*)", text, re.DOTALL)
        objects = [json.loads(closed if closed else rest) for closed, rest in found]
        calls = [(each["name"], json.dumps(each["arguments"], ensure_ascii=False)) for each in objects]
        if not all(isinstance(name, str) for name, _ in calls):
            raise ValueError("its message type wants text")
    except (ValueError, KeyError, TypeError, RecursionError):
        return text, []
    return text[: text.find("<tool_call>")], calls


PIECES = [
    "<tool_call>", "</tool_call>", "\n", " ", "text", '{"name": "Now", "arguments": {}}', "{}", "[]", "5", '"', "{",
    '{"name": 5, "arguments": {}}', '{"name": "Now"}', '{"name": "Now", "arguments": "x"}', "<|im_start|>", "å", "}",
    '{"name": "Now", "arguments": null}', '{"name": "Now", "arguments": {"a": "ö</tool_call>"}}', "<tool_", "[" * 3000,
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=8).map("".join))
@settings(max_examples=400, deadline=None)
def test_replies_are_read_as_vllm_reads_them(text):
    content, calls = read_reply(text)
    expected_content, expected = vllm_hermes(text)
    run = [
        (c.name, c.arguments if isinstance(c.arguments, str) else json.dumps(c.arguments, ensure_ascii=False))
        for c in calls
        if c.name  # what verifiers executes
    ]
    assert run == expected
    assert content == expected_content.strip()
    assert all((c.status == ToolCallParseStatus.OK) == bool(c.name) for c in calls)


@given(st.lists(st.integers(0, 49151), max_size=60))
@settings(max_examples=200, deadline=None)
def test_parsing_any_tokens_never_raises(renderer, ids):
    parsed = renderer.parse_response(ids)
    assert isinstance(parsed.content, str)
    assert "<|im_end|>" not in parsed.content


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        ('<tool_call>\n{"name": "Now", "arguments": {\n</tool_call>', ["invalid_json"]),
        ('<tool_call>\n{"name": "Now", "argu', ["unclosed_block"]),
        ('<tool_call>\n{"name": "", "arguments": {}}\n</tool_call>', ["missing_name"]),
        ('<tool_call>["Now"]</tool_call>', ["malformed_structure"]),
        (
            '<tool_call>{"name": "Now", "arguments": {}}</tool_call>\n<tool_call>{</tool_call>',
            ["malformed_structure", "invalid_json"],
        ),
    ],
)
def test_malformed_calls_stay_text_and_are_reported(text, statuses):
    content, calls = read_reply(f"I try.\n{text}")
    assert content == f"I try.\n{text}"
    assert [str(c.status) for c in calls] == statuses
    assert not any(c.name for c in calls)


def test_a_missing_end_of_the_last_call_is_forgiven():
    content, calls = read_reply('<tool_call>\n{"name": "Now", "arguments": {"a": 1}}\n')
    assert (content, [(c.name, c.arguments) for c in calls]) == ("", [("Now", {"a": 1})])


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(user=TEXTS, reply=TEXTS, argument=TEXTS, observed=TEXTS, system=st.none() | TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_the_same_tokens(tokenizer, renderer, user, reply, argument, observed, system):
    messages = [
        *([] if system is None else [{"role": "system", "content": system}]),
        {"role": "user", "content": user},
        {"role": "assistant", "content": reply, "tool_calls": [call("Now", {"a": argument})]},
        result(observed),
        {"role": "assistant", "content": reply},
    ]
    assert renderer.render_ids(messages, tools=TOOLS) == template_ids(tokenizer, messages, TOOLS)


def test_a_foreign_tokenizer_is_refused():
    class Foreign:
        def convert_tokens_to_ids(self, token):
            return None

        def encode(self, text, add_special_tokens):
            return [1, 2]

    with pytest.raises(ValueError, match=r"no special token <\|im_start\|>"):
        SmolLM2Renderer(Foreign())
