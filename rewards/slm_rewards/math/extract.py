r"""The final answer of a reply: one documented policy, nothing guessed from prose.

1. The reasoning is dropped (`normalise.strip_think`): a box inside a think block never counts.
2. `boxed`: the content of the last closed `\boxed{}` with its nested braces. Boxes that only a comma, `and`, `or`
   and math delimiters separate are one answer of several parts (`\boxed{3}, \boxed{5}` is `3, 5`); any other
   text between two boxes makes the last one the answer.
3. `gsm8k`: what follows the last `####` on its line, before the reply runs on into a question of its own.
4. `any`: a box, else a marker.

An unclosed box, an empty one, and a reply or an answer that is too long give None.
"""

import re
from collections.abc import Iterator
from typing import Literal

from slm_rewards.normalise import strip_think

Style = Literal["boxed", "gsm8k", "any"]

MAX_REPLY = 400_000
"""Characters; a longer reply has no answer (it would keep the event loop busy)."""
MAX_ANSWER = 2_000
"""Characters; a longer answer is none."""

_MAX_BOXES = 64
_BOX = re.compile(r"\\(?:boxed|fbox)\s*(?=\{)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BETWEEN = re.compile(
    r"(?:[\s,;$]|\\[\[\]()]|\\[,;:! ]|\\q?quad\b|\\text\{\s*(?:and|or)\s*\}|\b(?:and|or)\b"
    r"|[A-Za-z](?:_\{?\w+\}?)?\s*=)*"
)
_MARKER = re.compile(r"####[^\S\n]*([^\n]+)")
_RUN_ON = re.compile(r"^\s*(?:question|problem|q|human|user)\b[^\n]*:", re.IGNORECASE | re.MULTILINE)


def extract_answer(reply: str | None, style: Style = "any") -> str | None:
    """The answer that a reply commits to, None if there is none (policy: module docstring).

    `reply` is the completion alone, without its prompt (None counts as empty). Raises ValueError for an unknown style,
    and nothing for any reply.
    """
    if style not in ("boxed", "gsm8k", "any"):
        raise ValueError(f"style: {style!r} is unknown; use 'boxed', 'gsm8k' or 'any'")
    if not reply or len(reply) > MAX_REPLY:
        return None
    text = strip_think(reply)
    answer = _last_box(text) if style != "gsm8k" else None
    if answer is None and style != "boxed":
        answer = _marked(text)
    return answer


def _last_box(text: str) -> str | None:
    parts: list[str] = []
    start_of_next: int | None = None
    for opening in _boxes_from_the_end(text):
        closed = _content(text, opening.end())
        if closed is None:
            continue
        content, end = closed
        if start_of_next is None:
            parts.append(content)
        elif end > start_of_next:  # it encloses the box just read: the outer one is the answer
            parts[-1] = content
        elif start_of_next - end <= 40 and _BETWEEN.fullmatch(text, end, start_of_next):
            if re.search(r"[,;]|and|or", text[end:start_of_next]):
                parts.append(content)
            else:
                break
        else:
            break
        start_of_next = opening.start()
    answer = ", ".join(reversed(parts)).strip()
    return answer if answer and len(answer) <= MAX_ANSWER else None


def _boxes_from_the_end(text: str) -> Iterator[re.Match[str]]:
    """Where boxes open, the last first; at most `_MAX_BOXES`."""
    end = len(text)
    for _ in range(_MAX_BOXES):
        end = max(text.rfind("\\boxed", 0, end), text.rfind("\\fbox", 0, end))
        if end < 0:
            return
        opening = _BOX.match(text, end)
        if opening:
            yield opening


def _content(text: str, brace: int) -> tuple[str, int] | None:
    """What the braces that open at `brace` hold, and where they end; None if they do not close in time."""
    depth = 0
    for sign in _BRACE.finditer(text, brace, brace + MAX_ANSWER + 2):
        if sign[0] == "{":
            depth += 1
        elif sign[0] == "}":
            depth -= 1
            if depth == 0:
                return text[brace + 1 : sign.start()], sign.end()
    return None


def _marked(text: str) -> str | None:
    first = _MARKER.search(text)
    if first is None:
        return None
    # A base model answers, then invents the next question: what it marks there is no answer to this one.
    run_on = _RUN_ON.search(text, first.end())
    found = _MARKER.findall(text, 0, run_on.start() if run_on else len(text))
    answer = found[-1].strip() if found else ""
    return answer if answer and len(answer) <= MAX_ANSWER else None
