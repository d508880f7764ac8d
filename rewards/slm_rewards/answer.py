"""Rewards for a short answer in a `<<...>>` block, compared with a gold answer and its aliases.

Two answers are the same if they are equal after Unicode NFKC and case folding, with every character dropped
that is no letter, mark or digit. What stands between digits is kept, because it is part of the number:

- `1.5` is not `15`, `9/11` is not `911`, `5 1998` is not `51998`, `-5` is not `5`, `10²` is not `102`;
- commas that group thousands go: `1,000` is `1000` (but `1.000` is not); all dashes are one sign: `2004–05` is
  `2004-05`; punctuation beside a blank goes: `June 5, 1998` is `June 5 1998`.

Blanks between letters do not count (`New York` is `NewYork`). Accents do (`Łódź` is not `Lodz`), and so do
articles: dropping them would empty `The The` and turn `An Lushan` into another name; a missing `the` is a near
miss, which `partial_credit` and `unigram_f1` show.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from slm_rewards.normalise import strip_calls, strip_think

_BLOCK = re.compile(r"<<(?!<)((?:(?!<<|>>).)*)>>", re.DOTALL)
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-") | dict.fromkeys("’‘´`ʻʼ", "'") | {"⁄": "/"})
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d]|,\d)")
_AROUND_DASH = re.compile(r"(?<=\d)\s*([-/])\s*(?=\d)")
_JOIN_DIGITS = ".,:/-"

BETA = 0.5
"""Precision counts twice as much as recall, so that a list of candidates earns little. Source: seed 1."""


def last_answer(reply: str | None) -> str | None:
    """What the last `<<...>>` block of a reply holds, stripped; None without a block or for an empty one.

    A block ends at the first `>>` and never holds another `<<`: of nested blocks the inner one counts, an
    unclosed one does not, `<<<Lund>>>` holds `Lund`. It may span lines and stand in a code block. Text in a
    think block or in the tags of a tool call does not count (`normalise`). `<<answer>> Lund` holds `answer`.
    """
    blocks = _BLOCK.findall(strip_calls(strip_think(reply or "")))
    return (blocks[-1].strip() or None) if blocks else None


def check_golds(golds: Iterable[str]) -> list[str]:
    """The accepted answers of one task, checked where the task is built.

    Raises ValueError for an empty list, for an answer without a letter or digit and for one that no `<<...>>`
    block can hold, TypeError for anything but strings.
    """
    values = [golds] if isinstance(golds, str) else list(golds)
    if not values:
        raise ValueError("golds: empty list; a task needs at least one accepted answer")
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"golds: {value!r} is {type(value).__name__}, not str; write it as text")
        if not _tokens(value):
            raise ValueError(f"golds: {value!r} has no letter or digit; no reply could state it")
        if _tokens(last_answer(f"<<{value}>>") or "") != _tokens(value):
            raise ValueError(f"golds: {value!r} cannot stand in a <<...>> block; take << and >> out of it")
    return values


def exact_match(reply: str | None, golds: Iterable[str]) -> float:
    """1.0 if the reply's answer is one of the golds (rules: module docstring), else 0.0.

    `reply` is the final message as text, None counts as empty. No lenient fallback: without a block the score
    is 0. Raises what `check_golds` raises, and nothing for any reply. Source: seed 1, multi-hop retrieval.
    """
    golds = check_golds(golds)
    answer = _solid(_tokens(last_answer(reply) or ""))
    return float(bool(answer) and any(answer == _solid(_tokens(gold)) for gold in golds))


def partial_credit(reply: str | None, golds: Iterable[str]) -> float:
    """F-beta (beta 0.5) of the words of the answer against the nearest gold, in [0, 1].

    1.0 exactly when `exact_match` is 1.0: with weights 1 and 0.3 a right answer scores 1.3 and a wrong one less
    than 0.3. The gold's words in another order count with one word missed. Errors as in `exact_match`.
    """
    golds = check_golds(golds)
    if exact_match(reply, golds):
        return 1.0
    answer = _tokens(last_answer(reply) or "")
    return max(_f_beta(answer, _tokens(gold), BETA, ordered=True) for gold in golds)


def unigram_f1(reply: str | None, golds: Iterable[str]) -> float:
    """F1 of the words of the answer, in any order, against the nearest gold; 1.0 for an exact match.

    A wrong answer of at least 0.5 is a near miss in seed 1. Errors as in `exact_match`.
    """
    golds = check_golds(golds)
    if exact_match(reply, golds):
        return 1.0
    answer = _tokens(last_answer(reply) or "")
    return max(_f_beta(answer, _tokens(gold), 1.0) for gold in golds)


def _f_beta(answer: tuple[str, ...], gold: tuple[str, ...], beta: float, ordered: bool = False) -> float:
    shared = sum((Counter(answer) & Counter(gold)).values())
    if ordered and shared == len(answer) == len(gold):
        shared -= 1
    if not shared:
        return 0.0
    precision, recall = shared / len(answer), shared / len(gold)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _solid(tokens: tuple[str, ...]) -> str:
    """The words as one string, with a blank only where two digits would meet."""
    out = ""
    for token in tokens:
        out += f" {token}" if out[-1:].isdigit() and token[0].isdigit() else token
    return out


def _tokens(text: str) -> tuple[str, ...]:
    """The words and numbers of a text in comparable form (rules: module docstring)."""
    text = _AROUND_DASH.sub(r"\1", _THOUSANDS.sub(lambda m: m[0].replace(",", ""), _fold(text)))
    out: list[str] = []
    before = " "
    for i, c in enumerate(text):
        after = text[i + 1 : i + 2]
        joins = c in _JOIN_DIGITS and before.isdigit() and after.isdigit()
        sign = c == "-" and before.isspace() and after.isdigit()
        if c.isalnum() or joins or sign or (unicodedata.category(c)[0] == "M" and out and out[-1].isalpha()):
            out.append(c)
        elif c not in ".'" or (before.isdigit() and after.isdigit()):
            out.append(" ")  # a dot or apostrophe in a word goes without a trace: `U.S.` is `US`
        before = c
    return tuple("".join(out).split())


def _fold(text: str) -> str:
    """NFKC and case fold, without invisible characters; a superscript or fraction stays apart from a digit."""
    spaced = "".join(f" {c}" if unicodedata.category(c) == "No" else c for c in text)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", spaced).casefold()).translate(_SIGNS)
    folded = folded.replace("i\u0307", "i")  # İ folds to i with a dot that nobody writes
    return "".join(c for c in folded if unicodedata.category(c) not in ("Cf", "Me") and not "\ufe00" <= c <= "\ufe0f")
