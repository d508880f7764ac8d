r"""Rewards on the form and the length of a reply: pure functions with documented ranges.

Lengths are completion tokens, which the caller has (`trace.usage.completion_tokens`); `measure` gives characters by
choice. A length and its maximum must be counted in the same unit.
Source: seed 4 (Open-RS: format and cosine, paper and code) and seed 2 (length penalty).
"""

import math
import re
from dataclasses import dataclass
from typing import Literal

from slm_rewards.math.extract import MAX_REPLY, extract_answer

_TAG = re.compile(r"<(/?)think>")


Preset = Literal["paper", "code"]


@dataclass(frozen=True)
class CosineValues:
    """Where the four ends of the two schedules lie."""

    right_short: float
    right_long: float
    wrong_short: float
    wrong_long: float


COSINE: dict[Preset, CosineValues] = {
    # The paper: a longer wrong answer is penalised less, so that a model keeps thinking where it is not sure.
    "paper": CosineValues(right_short=1.0, right_long=0.5, wrong_short=-0.5, wrong_long=0.0),
    # The code with its training defaults: a longer wrong answer is penalised more.
    "code": CosineValues(right_short=1.0, right_long=0.5, wrong_short=0.0, wrong_long=-0.5),
}
"""Presets of `cosine`; both published with the same values and opposite directions for wrong answers."""


def format_reward(reply: str | None, variant: Literal["tags", "open_rs"] = "tags", prefilled: bool = False) -> float:
    r"""1.0 for a reply of the asked form, else 0.0.

    - `tags`: one `<think>` at the start, one `</think>`, and a non-empty `\boxed{}` after it. `prefilled`: the chat
      template has written the opening tag, so the reply may have the closing one alone.
    - `open_rs`: the published code's rule: exactly one `</think>` with a line break before and after it; neither
      the opening tag nor an answer is looked at.

    Raises ValueError for an unknown variant.
    """
    if variant not in ("tags", "open_rs"):
        raise ValueError(f"variant: {variant!r} is unknown; use 'tags' or 'open_rs'")
    text = reply or ""
    if len(text) > MAX_REPLY:
        return 0.0
    if variant == "open_rs":
        return float(text.count("\n</think>\n") == 1)
    tags = [(tag[1], tag.start()) for tag in _TAG.finditer(text)]
    opened = [start for slash, start in tags if not slash]
    closed = [start for slash, start in tags if slash]
    if len(closed) != 1 or len(opened) > 1 or (not opened and not prefilled):
        return 0.0
    if opened and text[: opened[0]].strip():
        return 0.0
    return float(extract_answer(text[closed[0] :], "boxed") is not None)


def measure(reply: str | None, tokens: int | None, unit: Literal["tokens", "characters"] = "tokens") -> int:
    """The length of a reply: the token count that the caller passes, or its characters.

    Raises ValueError for an unknown unit, and where tokens are asked for and not given.
    """
    if unit == "characters":
        return len(reply or "")
    if unit != "tokens":
        raise ValueError(f"unit: {unit!r} is unknown; use 'tokens' or 'characters'")
    if tokens is None:
        raise ValueError("tokens: missing; pass the completion tokens or unit='characters'")
    return tokens


def cosine(correct: bool, length: float, max_length: float, preset: Preset = "paper", clamp: bool = True) -> float:
    """Reward by correctness and length on half a cosine, in [-0.5, 1.0].

    A right answer goes from 1.0 (length 0) to 0.5 (`max_length`); a wrong one from -0.5 to 0.0 (`paper`) or from 0.0
    to -0.5 (`code`). Beyond `max_length` the reward stays (`clamp`); with `clamp=False` it turns back as in the
    published code, where twice the maximum earns what nothing earns. Raises ValueError for an unknown preset and for
    lengths below 0 (maximum: not above 0).
    """
    if preset not in COSINE:
        raise ValueError(f"preset: {preset!r} is unknown; use {' or '.join(map(repr, COSINE))}")
    progress = _progress(length, max_length)
    values = COSINE[preset]
    short, long = (values.right_short, values.right_long) if correct else (values.wrong_short, values.wrong_long)
    if clamp and progress >= 1.0:
        return long
    return long + 0.5 * (short - long) * (1.0 + math.cos(progress * math.pi))


def length_penalty(correct: bool, length: float, max_length: float, lam: float) -> float:
    """`1 - lam * length / max_length` for a right answer, in [1 - lam, 1]; 0.0 for a wrong one.

    A length beyond the maximum counts as the maximum. `lam` is in [0, 1): from 1 on a long right answer would be worth
    no more than a wrong one. Raises ValueError for other values and for lengths as in `cosine`.
    """
    if not 0.0 <= lam < 1.0:
        raise ValueError(f"lam: {lam} is outside [0, 1); a right answer must stay worth more than a wrong one")
    progress = min(_progress(length, max_length), 1.0)
    return 1.0 - lam * progress if correct else 0.0


def _progress(length: float, max_length: float) -> float:
    if not max_length > 0 or math.isinf(max_length):
        raise ValueError(f"max_length: {max_length}; give a number above 0, in the unit of length")
    if not length >= 0 or math.isinf(length):
        raise ValueError(f"length: {length}; give a number from 0 on, in the unit of max_length")
    return length / max_length
