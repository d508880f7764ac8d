"""SmolLM2's renderer: messages to tokens and back, the same tokens as `template.jinja`.

A text segment between two special tokens is encoded in one pass, as the tokenizer does with the template's text.
One segment is cut: after `assistant\\n`, where the model begins to write. The cut changes no token, because a turn's
text never begins with a blank (it is stripped, there and here) and the newline before it never joins a letter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from renderers.base import (
    ParsedResponse,
    RenderedTokens,
    attribute_text_segments,
    extract_message_tool_names,
    reject_assistant_in_extension,
    trim_to_turn_close,
)
from renderers.configs import BaseRendererConfig

from smollm2_chatml.hermes import assistant_text, read_reply, tools_text

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
"""SmolLM2-Instruct's own, for a conversation without a system message."""

Row = tuple[int, int, bool, bool]
"""Token, index of its message (-1: none), sampled by the model, body of a message."""


class SmolLM2RendererConfig(BaseRendererConfig):
    name: str = "smollm2"
    _template_fields: ClassVar[frozenset[str]] = frozenset()


class SmolLM2Renderer:
    """Implements the `Renderer` protocol of the renderers package for SmolLM2-Instruct, tools included."""

    config_class = SmolLM2RendererConfig
    is_prefix_stable = True
    effective_thinking_retention = "all"

    def __init__(self, tokenizer: Any, config: SmolLM2RendererConfig | None = None) -> None:
        """Raises ValueError for a tokenizer without ChatML's special tokens."""
        self._tokenizer = tokenizer
        self.config = config or SmolLM2RendererConfig()
        self._start, self._end, self._text_end = (
            self._special(token) for token in ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
        )
        self._newline = self._encode("\n")
        self._prompt = [self._start, *self._encode("assistant\n")]

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
    ) -> RenderedTokens:
        """Tokens of a conversation. Sampled are an assistant turn's text, calls and `<|im_end|>`, nothing else."""
        if not messages:
            raise ValueError("messages: empty")
        has_system = messages[0].get("role") == "system"
        head = [(_text(messages[0]), True)] if has_system else [(SYSTEM, False)]
        if tools:
            head.append((tools_text(tools), False))
        rows = [*self._turn("system", head, 0 if has_system else -1)]
        for number in range(1 if has_system else 0, len(messages)):
            rows += self._message(messages[number], number)
        if add_generation_prompt:
            rows += _scaffold(self._prompt, -1)
        return self._pack(rows, messages)

    def render_ids(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
    ) -> list[int]:
        return self.render(messages, tools=tools, add_generation_prompt=add_generation_prompt).token_ids

    def parse_response(
        self,
        token_ids: list[int],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        prompt_ids: list[int] | None = None,
    ) -> ParsedResponse:
        """Text and tool calls of a completion, by the rules of vLLM's `hermes` parser (`hermes.read_reply`)."""
        stops = self.get_stop_token_ids()
        end = next((i for i, token in enumerate(token_ids) if token in stops), len(token_ids))
        text = self._tokenizer.decode(
            list(token_ids[:end]), skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        content, calls = read_reply(text)
        return ParsedResponse(content=content, reasoning_content=None, tool_calls=calls)

    def get_stop_token_ids(self) -> list[int]:
        return [self._end, self._text_end]

    def bridge_to_next_turn(
        self,
        previous_prompt_ids: list[int],
        previous_completion_ids: list[int],
        new_messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> RenderedTokens | None:
        """The next prompt: the sampled tokens as they are, then `new_messages`. None where they hold a reply."""
        if not previous_prompt_ids or not new_messages or reject_assistant_in_extension(cast(Any, list(new_messages))):
            return None
        closes = set(self.get_stop_token_ids())
        previous = trim_to_turn_close(previous_prompt_ids, previous_completion_ids, closes, synthesize_close=self._end)
        if previous is None:
            return None
        rows = [*_scaffold(previous, -1), *_scaffold(self._newline, -1)]
        for number, message in enumerate(new_messages):
            rows += self._message(message, number)
        return self._pack([*rows, *_scaffold(self._prompt, -1)], new_messages)

    def _message(self, message: Mapping[str, Any], number: int) -> Iterator[Row]:
        role, text = message["role"], _text(message)
        if role == "assistant":
            yield from _scaffold(self._prompt, number)
            body = self._encode(assistant_text(text, message.get("tool_calls") or []))
            yield from ((token, number, True, True) for token in [*body, self._end])
            yield from _scaffold(self._newline, number)
        elif role == "tool":
            segments = [("<tool_response>\n", False), (text, True), ("\n</tool_response>", False)]
            yield from self._turn(role, segments, number)
        else:
            yield from self._turn(role, [(text, True)], number)

    def _turn(self, role: str, segments: list[tuple[str, bool]], number: int) -> Iterator[Row]:
        yield self._start, number, False, False
        for token, is_body in attribute_text_segments(self._tokenizer, [(f"{role}\n", False), *segments]):
            yield token, number, False, is_body
        yield self._end, number, False, False
        yield from _scaffold(self._newline, number)

    def _pack(self, rows: list[Row], messages: Sequence[Mapping[str, Any]]) -> RenderedTokens:
        tokens, numbers, sampled, body = (list(column) for column in zip(*rows, strict=True))
        known = attribute_text_segments(self._tokenizer, [("a", True)]).has_content_attribution
        return RenderedTokens(
            token_ids=tokens,
            message_indices=numbers,
            sampled_mask=sampled,
            is_content=body if known else [],
            message_roles=[message.get("role") or "" for message in messages],
            message_tool_names=extract_message_tool_names(cast(Any, list(messages))),
        )

    def _encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False) if text else []

    def _special(self, token: str) -> int:
        number = self._tokenizer.convert_tokens_to_ids(token)
        if not isinstance(number, int) or self._encode(token) != [number]:
            raise ValueError(f"the tokenizer has no special token {token}; SmolLM2Renderer needs SmolLM2's tokenizer")
        return number


def _scaffold(tokens: Iterable[int], number: int) -> Iterator[Row]:
    return ((token, number, False, False) for token in tokens)


def _text(message: Mapping[str, Any]) -> str:
    """A message's text; several parts are joined by newlines, as vLLM does."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else part.get("text") or "" for part in content)
