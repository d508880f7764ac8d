r"""Which problems are noisy or ask for more than one thing, by rule.

The paper had Qwen2.5-7B-Instruct decide. These rules are the offline stand-in; what they mean:

- multi-part: at least two labels of one series in order – `(a) … (b)`, `(i) … (ii)`, `(1) … (2)`, `1. … 2.`, `Part A …
  Part B` – each followed by a question or an order ("find", "prove", "what"), or all of them by one order ("Solve the
  equations: (1) … (2) …"). Labelled conditions (`satisfying (1) … (2) …`) and answer options (`(A) 3 (B) 5`) are not
  parts. "Find all …" is one question: its answer is one set.
- part: the text begins with the label of a later part, so the beginning is missing.
- figure: it points at a picture, a table or an earlier exercise that the text does not hold. Asymptote code and tables
  in text are there.
- proof: the problem orders a proof and asks for nothing else, so its box holds no answer.
- no question: nothing in it asks or orders.
"""

import re
from collections.abc import Sequence

_ORDER = (
    r"\b(?:find|determine|compute|calculate|evaluate|solve|simplify|express|write|give|state|list|name|draw|sketch|"
    r"construct|prove|show|verify|deduce|explain|describe|estimate|decide|identify|derive|obtain|indicate|mention|"
    r"arrange|rank|complete|choose|select|predict|fill|convert|factor|factori[sz]e|expand|round|reduce|rewrite|what|"
    r"how (?:many|much|long|far|often|old|large|big|high))\b"
)
_ORDERS = re.compile(rf"\?|{_ORDER}", re.I)
_OPEN_END = re.compile(
    r"(?:\b(?:is|are|equals?|has|be|of|for|than|to|by|length|expression)|[:=_…]|\\(?:ldots|dots|qquad))"
    r"(?:\s|[$.:]|\\[\])])*$|\b[A-E]\)|\[A\]|_{2,}|\\qquad"
)
"""A statement for the solver to complete, or answer options."""
_PROVE = re.compile(r"\b(?:prove|(?:show|verify|demonstrate|conclude) that)\b", re.I)
_FIGURE = re.compile(
    r"!\[|<img|\b(?:(?:in|see|from|as (?:in|shown in)|shown in) the (?:following |given |accompanying |attached )?"
    r"(?:figure|diagram|picture|image|graph|drawing)|(?:figure|diagram|picture|image|graph) "
    r"(?:below|above|on the right|on the left|shown)|(?:previous|preceding|last) (?:problem|exercise|part))\b",
    re.I,
)
_TABLE = re.compile(r"\btable (?:below|above|shown)|\b(?:in|see) the (?:following )?table\b", re.I)
_HELD = re.compile(r"\[asy\]|\\begin\{(?:array|tabular|tikzpicture)\}|\|\s*:?-|\|.*\|.*\|")
_CONDITIONS = re.compile(
    r"\b(?:condition|satisf|such that|propert|rule|given|know|fact|true|assum|suppose|follows?:)", re.I
)
_SERIES: Sequence[tuple[re.Pattern[str], Sequence[str]]] = [
    (re.compile(r"(?<![\w\\^_{(])\(?([a-e])\)(?=\s)"), "abcde"),
    (re.compile(r"(?<![\w\\^_{(])\((i|ii|iii|iv|v)\)"), ("i", "ii", "iii", "iv", "v")),
    (re.compile(r"(?<![\w\\^_{(])\(([1-5])\)"), "12345"),
    (re.compile(r"^\s*([1-5])[.)](?=\s)", re.M), "12345"),
    (re.compile(r"\bpart\s+\(?([a-e])\b\)?[.:)]?", re.I), "abcde"),
]
_LATER_PART = re.compile(r"\s*\(?(?:[b-h]|ii|iii|iv)[.)]\s+[A-Z]")


def noise(question: str) -> str | None:
    """Why a problem does not fit a set with one short gold each; None if it does."""
    if is_multi_part(question):
        return "multi-part"
    if _LATER_PART.match(question):
        return "part"
    if (_FIGURE.search(question) or _TABLE.search(question)) and not _HELD.search(question):
        return "figure"
    if _PROVE.search(question) and not _asks_beside_proof(question):
        return "proof"
    return None if _ORDERS.search(question) or _OPEN_END.search(question) else "no question"


def is_multi_part(question: str) -> bool:
    """Whether two labels of one series, in order, are each followed by an order, or follow one that is for all."""
    for label, names in _SERIES:
        marks = list(label.finditer(question))
        ends = [*(mark.start() for mark in marks[1:]), len(question)]
        expected = iter(names)
        wanted, found, asking = next(expected), 0, 0
        for mark, end in zip(marks, ends, strict=bool(marks)):
            if mark[1].lower() == wanted:
                found += 1
                asking += bool(_ORDERS.search(question, mark.end(), end))
                wanted = next(expected, None)
        if asking >= 2 or (found >= 2 and _orders_all(question[: marks[0].start()])):
            return True
    return False


def _orders_all(head: str) -> bool:
    """Whether the text before the first label ends in an order for all that is labelled."""
    sentence = re.split(r"[.?!]\s", head)[-1]
    ends_in_colon = re.sub(r"<[^>]*>|[\s$]", "", sentence).endswith(":")
    return ends_in_colon and bool(_ORDERS.search(sentence)) and not _CONDITIONS.search(sentence)


def _asks_beside_proof(question: str) -> bool:
    """Whether a sentence without an order to prove asks for something."""
    sentences = re.split(r"(?<=[.?!])\s+|\band\b", question)
    return any(_ORDERS.search(s) for s in sentences if not _PROVE.search(s))
