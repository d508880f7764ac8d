"""Answers beside others: a few prompts asked alone, then again within a crowd of requests, and compared.

The fault behind it: with CUDA graphs that hold prefills (`cudagraph_mode = "FULL"` on vLLM 0.26 with FlashAttention 3)
replies among many begin like an answer and are garbage after a few tokens, and their log-probabilities are NaN
(recipes/results/smollm2_2026_11_30; pytorch/torchtitan issue 3668, pull request 3685).
"""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from recipes.launch.errors import LaunchError

Choice = dict[str, Any]
Ask = Callable[..., Choice]

# Of different lengths. The last two leave a model that obeys no near ties.
PROMPTS = (
    "Name three things found in a harbour.",
    "Write the next three sentences of this story: The first train left",
    "Count from 1 to 60. Write the numbers only, separated by spaces.",
    "Repeat this text word for word. The ferry leaves the old harbour at seven, calls at two islands, takes on mail, "
    "bread and a few bicycles, waits for the doctor if the lamp on the pier is lit, and is back before dark.",
)
LONGEST = 48
BODY = {"max_tokens": LONGEST, "chat_template_kwargs": {"enable_thinking": False}}
# A penalty from the model's generation_config would part the log-probabilities from what is chosen.
LOGPROBS = {"logprobs": True, "top_logprobs": 5, "repetition_penalty": 1.0}

# Nats. SmolLM2-135M in bfloat16, batches of up to 64 on a CPU: three of four sound copies part within 48 tokens, all at
# 0.13 or less. With a scrambled cache a quarter to three quarters part at 2.4 to 7.8, and the mean log-probability of a
# reply falls by 1.6 at most: by itself it would show nothing.
MARGIN = 2.0
LOWEST = -100.0  # nats; the token of temperature 0 is above -log(vocabulary size), and servers write -9999 for none
FEW = 12  # tokens; a shorter reply ends before the fault shows
NAN = re.compile(r"HTTP \d+: .*\b(nan|JSON compliant)\b", re.IGNORECASE)
CURE = 'set enforce_eager = true or compilation_config.cudagraph_mode = "PIECEWISE" under [inference.vllm]'


@dataclass(frozen=True)
class Reply:
    """`tokens` of one reply, or its words where the server returns no log-probabilities.

    `logprobs` (nats) of the tokens and `tops`, the likeliest tokens at each place, are then empty.
    """

    tokens: list[str]
    logprobs: list[float]
    tops: list[dict[str, float]]


def beside_others(ask: Ask, concurrency: int) -> tuple[str, str]:
    """Level ("ok", "warning" or "fail") and text of the finding.

    Args:
        ask: `ask(prompt, **body)` gives the first choice of a chat completion at temperature 0; called from
            `concurrency` threads.
        concurrency: requests in flight; twice as many are sent, so that some are read in while others are written.

    Raises:
        LaunchError: the server refuses the prompts alone, with and without log-probabilities.
    """
    body = BODY | LOGPROBS
    try:
        choices = [ask(prompt, **body) for prompt in PROMPTS]
    except LaunchError as error:
        if NAN.search(str(error)):
            return "fail", f"alone: {error}: log-probabilities are NaN, look at the weights and the dtype"
        body = BODY
        choices = [ask(prompt, **body) for prompt in PROMPTS]
    alone = [_read(choice) for choice in choices]
    if any(_numberless(reply) for reply in alone):
        return "fail", "alone: log-probabilities are NaN or missing, look at the weights and the dtype"

    sent = _requests(concurrency)
    got = _all_at_once(ask, [(prompt, body | {"max_tokens": limit}) for prompt, limit in sent], concurrency)
    where = f"beside others, {concurrency} in flight"
    refused = [each for each in got if isinstance(each, LaunchError)]
    replies = [(prompt, _read(each)) for (prompt, _), each in zip(sent, got, strict=True) if isinstance(each, dict)]
    no_numbers = [error for error in refused if NAN.search(str(error))]
    given = any(reply.logprobs for reply in alone)
    missing = [reply for _, reply in replies if _numberless(reply) or (given and reply.tokens and not reply.logprobs)]
    broken = len(no_numbers) + len(missing)
    if broken:
        reason = f" ({no_numbers[0]})" if no_numbers else ""
        return "fail", f"{where}: {broken} of {len(sent)} replies have NaN or no log-probabilities{reason}: {CURE}"

    pairs = [(alone[PROMPTS.index(prompt)], reply) for prompt, reply in replies if prompt in PROMPTS]
    strayed = [pair for pair in pairs if _strays(*pair)]
    # A token far below the lone choice is no rounding, so few such replies are enough. Words cannot show that: there
    # most replies must part early, as all copies of two prompts did on the sound model above.
    share = 1 / 10 if all(reply.tops for reply in alone) else 2 / 3
    if len(strayed) > share * len(pairs):
        first, copy = strayed[0]
        kept = _kept(first, copy)
        shown = f"alone {_excerpt(first, kept)}, beside others {_excerpt(copy, kept)}"
        return "fail", f"{where}: {len(strayed)} of {len(pairs)} replies turn to garbage ({shown}): {CURE}"
    if refused:
        fix = "lower --concurrency to what the run will have in flight"
        return "fail", f"{where}: {len(refused)} of {len(sent)} requests are refused ({refused[0]}): {fix}"
    unit = "tokens" if given else "words"
    longest = max(len(reply.tokens) for reply in alone)
    if longest < FEW:
        return "warning", f"{where}: not shown, the longest of {len(PROMPTS)} replies has {longest} {unit}"
    kept = sum(_kept(*pair) for pair in pairs) / sum(len(first.tokens) for first, _ in pairs)
    return "ok", f"{where}: {len(pairs)} copies of {len(PROMPTS)} prompts keep {kept:.0%} of their {unit}"


def _requests(concurrency: int) -> list[tuple[str, int]]:
    """Prompts and reply lengths in tokens: copies of `PROMPTS` and fillers by turns, no two fillers alike.

    Fillers are of many lengths and end at different times, so that prompts arrive in the midst of replies.
    """
    sent = []
    for number in range(max(concurrency, len(PROMPTS))):
        sent.append((PROMPTS[number % len(PROMPTS)], LONGEST))
        lines = "The boats lie still, the gulls are loud. " * (1 + number * 7 % 20)
        sent.append((f"Note {number}. {lines}Tell what this note is about.", 8 + number * 5 % 33))
    return sent


def _all_at_once(ask: Ask, requests: list[tuple[str, dict[str, Any]]], concurrency: int) -> list[Choice | LaunchError]:
    """Choices or refusals in the order of `requests`, `concurrency` of them in flight until they run out."""

    def one(prompt: str, body: dict[str, Any]) -> Choice | LaunchError:
        try:
            return ask(prompt, **body)
        except LaunchError as error:
            return error

    pool = ThreadPoolExecutor(concurrency)
    try:
        return list(pool.map(one, *zip(*requests, strict=True)))
    finally:
        pool.shutdown(cancel_futures=True)  # after a Ctrl-C the waiting ones are not sent


def _strays(alone: Reply, copy: Reply) -> bool:
    """Whether `copy` parts from `alone` in a way that rounding does not explain.

    Up to there both have read the same, so the lone reply's own distribution judges the token that the copy takes:
    rounding turns only near ties, at whatever place, while garbage is unlikely there even where the broken server is
    sure of it. What follows a near tie has no such judge; there the copy's mean log-probability must not fall far.
    Without these figures a copy strays if it keeps less than a third.
    """
    kept = _kept(alone, copy)
    if kept == len(alone.tokens):
        return False
    if kept == len(copy.tokens) or not alone.tops:
        return kept < len(alone.tokens) / 3
    top = alone.tops[kept]
    # A token that is not in the list is at most as likely as the list's last.
    took = top.get(copy.tokens[kept], min(top.values()))
    return alone.logprobs[kept] - took > MARGIN or fmean(alone.logprobs) - fmean(copy.logprobs) > MARGIN


def _kept(alone: Reply, copy: Reply) -> int:
    """Tokens of the common beginning."""
    both = zip(alone.tokens, copy.tokens, strict=False)
    return next((at for at, (one, other) in enumerate(both) if one != other), min(len(alone.tokens), len(copy.tokens)))


def _numberless(reply: Reply) -> bool:
    return any(not logprob > LOWEST for logprob in reply.logprobs)


def _excerpt(reply: Reply, at: int) -> str:
    """What stands around token `at`, quoted."""
    return repr(("" if reply.logprobs else " ").join(reply.tokens[max(0, at - 3) : at + 5])[:60])


def _read(choice: Choice) -> Reply:
    content = (choice.get("logprobs") or {}).get("content") or []
    if not content:
        message = choice["message"]
        return Reply(f"{reasoning(message)} {message.get('content') or ''}".split(), [], [])
    tops = [{top["token"]: _number(top) for top in each.get("top_logprobs") or []} for each in content]
    return Reply([each["token"] for each in content], [_number(each) for each in content], tops if all(tops) else [])


def reasoning(message: dict[str, Any]) -> str:
    """`reasoning_content`, which newer vLLM releases call `reasoning`."""
    return message.get("reasoning_content") or message.get("reasoning") or ""


def _number(entry: dict[str, Any]) -> float:
    value = entry.get("logprob")
    return float("nan") if value is None else float(value)
