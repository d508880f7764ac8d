"""What a reward reads of a rollout: the reply, its tokens, and the one verdict that three rewards share."""

import asyncio
from collections import OrderedDict

import verifiers.v1 as vf

from slm_rewards import math
from slm_rewards.math.extract import Style


def reply_text(trace: vf.Trace, prefilled: bool = False) -> str:
    """The whole final reply, its reasoning in a think block; empty while the agent was still calling tools.

    A server that parses the reasoning out of the text has it put back.
    """
    last = trace.assistant_messages[-1] if trace.assistant_messages else None
    if last is None or last.tool_calls:
        return ""
    text = last.content or ""
    if last.reasoning_content:
        return f"<think>\n{last.reasoning_content}\n</think>\n{text}"
    return f"<think>\n{text}" if prefilled and text and "<think>" not in text else text


def completion_tokens(trace: vf.Trace) -> int | None:
    """Tokens the model wrote in all calls; None where nobody counted."""
    return trace.usage.completion_tokens if trace.usage else trace.num_output_tokens or None


_verdicts: OrderedDict[tuple[str, str, str, str], "asyncio.Task[float]"] = OrderedDict()


async def verdict(reply: str, gold: str, style: Style, rollout: str) -> float:
    """`math.accuracy`, asked once a rollout although three rewards need it."""
    key = (rollout, reply, gold, style)
    if key not in _verdicts or _verdicts[key].get_loop() is not asyncio.get_running_loop():
        _verdicts[key] = asyncio.create_task(math.accuracy(reply, gold, style))
        while len(_verdicts) > 512:
            _verdicts.popitem(last=False)
    return await asyncio.shield(_verdicts[key])
