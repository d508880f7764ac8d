"""The chat and tool loop as a coroutine of the environment worker.

The decision: the loop is the same as that of verifiers' `null` harness, but it runs where the rollout runs. A
child Python per rollout costs seconds of CPU; a coroutine costs milliseconds. Every model call still goes through
the rollout's interception endpoint, so limits, stops, hooks, tokens and traces are verifiers' own.
"""

import re
from contextlib import AsyncExitStack
from typing import Literal

import aiohttp
import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1 import errors

from chat_loop.chat import ChatWire
from chat_loop.messages import MessagesWire
from chat_loop.tools import RolloutStopped, Toolbox
from chat_loop.transport import ModelCallError, post_model, shared_session
from chat_loop.wire import Wire

TRANSPORT_EXIT_CODE = getattr(errors, "MODEL_TRANSPORT_ERROR_EXIT_CODE", 1)
"""Exit code by which verifiers 0.4 tells a broken connection to its interception from a failed harness."""


_THOUGHT = re.compile(r"\A.*</think>|<think>.*\Z", re.DOTALL)
_CALL_TAG = re.compile(r"</?tool_call>")


class ChatLoopConfig(vf.HarnessConfig):
    id: vf.ID = "chat-loop"
    api: Literal["chat", "anthropic"] = "chat"
    """Model API of the endpoint: OpenAI chat completions, or Anthropic Messages for Claude models."""
    max_tokens: int = Field(8192, ge=1)
    """Tokens of one reply with `api = "anthropic"`, which demands a bound. The thinking budget of `[sampling]` is
    added to it; `max_tokens` in `[sampling]` replaces the sum."""


class ChatLoopHarness(vf.Harness[ChatLoopConfig]):
    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True
    SUPPORTS_RESUME = True
    SUPPORTS_TOOL_INTERCEPTION = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Run the conversation until a reply without tool calls, a refused turn or a failed model call.

        A refused turn (turn cap, `@stop`) and a failed model call both return exit code 1: verifiers tells them
        apart by the trace, and records the provider's own error for the second.
        """
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(shared_session())
            tools = Toolbox(session, self.config, secret, tool_interception_url)
            stack.push_async_callback(tools.close)
            await tools.connect(mcp_urls)
            wire = self._wire(ctx, data, tools.descriptions)
            try:
                await _converse(session, endpoint, secret, wire, tools)
            except ModelCallError as e:
                return vf.ProgramResult(TRANSPORT_EXIT_CODE if e.status is None else 1, "", str(e))
            except RolloutStopped as e:
                return vf.ProgramResult(1, "", str(e))
        return vf.ProgramResult(0, "", "")

    @vf.metric
    async def malformed_tool_call(self, trace: vf.Trace) -> float:
        """Replies that kept the tags of a tool call in their text: the server's parser could not read the call.

        In training the renderer takes such a call out, and the reply is empty.
        """
        texts = [_THOUGHT.sub("", m.content) for m in trace.assistant_messages if isinstance(m.content, str)]
        return float(sum(bool(_CALL_TAG.search(text)) for text in texts))

    def _wire(self, ctx: vf.ModelContext, data: vf.TaskData, tools: list[dict]) -> Wire:
        system, prompt = self.resolve_prompt(data)
        if self.config.api == "chat":
            return ChatWire(ctx.model, system, prompt, tools)
        thinking = ctx.sampling.model_dump().get("thinking") or {}
        max_tokens = self.config.max_tokens + (thinking.get("budget_tokens") or 0)
        return MessagesWire(ctx.model, system, prompt, tools, max_tokens)


async def _converse(session: aiohttp.ClientSession, endpoint: str, secret: str, wire: Wire, tools: Toolbox) -> None:
    url, headers = f"{endpoint}{wire.route}", wire.headers(secret)
    while calls := wire.read(await post_model(session, url, wire.body, headers)):
        # In order, one at a time: a later call may rely on what an earlier one changed.
        wire.answer([(call, await tools.run(call)) for call in calls])
