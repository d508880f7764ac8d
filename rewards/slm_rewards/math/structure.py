r"""The shape of an answer: lists, sets, tuples, intervals, unions, assignments, words; its leaves are formulas.

`parse` reads the shape off a cleaned answer (`canonical.clean`). Inequalities become intervals (`3<x<8`), `x \in S`
becomes S, `a \pm b` becomes a list of two.
"""

import re
from functools import lru_cache

from slm_rewards.math.canonical import balanced, compact
from slm_rewards.math.quantity import parse_quantity
from slm_rewards.math.shapes import Assignment, Leaf, Node, Parts, Words

MAX_PARTS = 64
MAX_DEPTH = 12


_OPEN, _CLOSE = "([{", ")]}"
_TOKEN = re.compile(r"\\text\{[^{}]*\}|\\[{}]|\\[A-Za-z]+|\\.|[\[\](){},;<>=|]|[^\\\[\](){},;<>=|]+", re.DOTALL)
_AND = re.compile(r"\\text\{\s*,?\s*(?:and|or|oder|och|eller)\s*,?\s*\}|\\(?:lor|vee)(?![A-Za-z])")
_PLAIN_AND = re.compile(r"(?<=[\d)\]}A-Za-z\s])(?:(?<=\s)|(?<=[\d)\]}]))(?:and|or)(?=\s|\(|\\|[A-Z]?\w*[=<>(])")
_RELATION = re.compile(r"\\le(?![A-Za-z])|\\ge(?![A-Za-z])|[<>]")
_NAME = r"(?:[A-Za-z]|\\[A-Za-z]+)(?:_(?:\w|\{[^{}]*\}))?'*"
_ASSIGNED = re.compile(
    rf"{_NAME}(?:\({_NAME}(?:,{_NAME})*\))?|[A-Z]{{2,4}}|{_NAME}(?::{_NAME})+|\([A-Za-z](?:,[A-Za-z])+\)|\|[A-Z]{{2}}\|"
)
_VARIABLE = re.compile(rf"{_NAME}(?:\({_NAME}\))?")
_MEMBER = re.compile(rf"^\s?{_NAME}\s?\\in(?![A-Za-z])\s?(.+)$", re.DOTALL)
_WORD = re.compile(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'-]+(?:[ ,]+[A-Za-zÀ-ÿ'-]+)*")
_LETTER = re.compile(r"\(?([A-Za-z])\)?[.)]?")
_CHOICE = re.compile(
    r"\\text\{\s*\(([A-H])\)\s*\}\s?(.*)|\(([A-H])\)\s?(.*)|\\text\{\s*\(([A-H])\)\s?([^{}]*)\}", re.DOTALL
)
_TIME = re.compile(r"0?(\d{1,2}:[0-5]\d)(?::00)?\s?(?:\\text\{)?\s*([ap])?(?:\.?\s?m\.?)?\s?\}?", re.IGNORECASE)
_FUNCTIONS = frozenset("sin cos tan cot sec csc log ln exp sqrt max min gcd lcm mod arcsin arccos arctan det".split())
_SIGN_PAIR = re.compile(r"\\pm(?![A-Za-z])")


@lru_cache(maxsize=8192)
def parse(text: str, depth: int = 0) -> Node:
    """The shape of a cleaned answer; never raises."""
    text = text.strip()
    quantity = parse_quantity(text)
    if quantity is not None:
        return Leaf(text, quantity)
    set_text = re.fullmatch(r"\\text\{([^{}]*)\}", text)
    quantity = parse_quantity(set_text[1].strip()) if set_text else None
    if set_text and quantity is not None:
        return Leaf(set_text[1].strip(), quantity)
    if depth > MAX_DEPTH:
        return Leaf(text)
    words = _words(text)
    if words is not None:
        return words
    return (
        _union(text, depth) or _separated(text, depth) or _bracketed(text, depth) or _related(text, depth) or Leaf(text)
    )


def _words(text: str) -> Words | None:
    time = _TIME.fullmatch(text)
    if time:
        return Words(time[1] + (f" {time[2].lower()}m" if time[2] else ""))
    match = re.fullmatch(r"\\text\{([^{}]*)\}", text)
    inner = (match[1] if match else text).strip()
    if match and inner:
        letter = _LETTER.fullmatch(inner)
        return Words(_folded(inner), letter[1].upper() if letter else None)
    if re.fullmatch(r"\(?[A-Z]\)?", text):
        return Words(_folded(text), text.strip("()"))
    choice = _CHOICE.fullmatch(text)
    if choice:
        letter = choice[1] or choice[3] or choice[5]
        rest = choice[2] or choice[4] or choice[6] or ""
        if not re.match(r"\s?[-+*/^_=<>]|\s?\\(?:cdot|times|cup|cap|le|ge)", rest):
            return Words(_folded(letter), letter)
    if "\\" not in text and _WORD.fullmatch(text):
        parts = text.split()
        if len(text) >= 2 and not (set(parts) & _FUNCTIONS) and (len(parts) > 1 or len(text) > 1):
            return Words(_folded(text))
    return None


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\s.,;:!?'\"()-]+", " ", text.replace("\\", "")).casefold().split())


def split_top(text: str, separators: str) -> list[str]:
    """The text cut at each separator sign that stands outside every bracket."""
    parts, current, depth = [], [], 0
    for token in _TOKEN.findall(text):
        sign = token[-1] if token in ("\\{", "\\}") else token
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth -= 1
        if depth == 0 and len(token) == 1 and token in separators:
            parts.append("".join(current))
            current = []
        else:
            current.append(token)
    parts.append("".join(current))
    return [part.strip() for part in parts]


def _union(text: str, depth: int) -> Node | None:
    if "\\cup" not in text:
        return None
    pieces = re.split(r"\\cup(?![A-Za-z])", text)
    member = _MEMBER.match(pieces[0])
    if member:
        pieces[0] = member[1]
    if not all(balanced(piece) for piece in pieces) or len(pieces) > MAX_PARTS:
        return None
    return Parts("union", tuple(parse(piece.strip(), depth + 1) for piece in pieces))


def _separated(text: str, depth: int) -> Node | None:
    either = re.search(r"\bor\b|\\lor|\\vee", text) is not None
    marked = _PLAIN_AND.sub(",", _AND.sub(",", text))
    name, equals, rest = marked.partition("=")
    # `k = 2, 5, 9` names the whole list once.
    if equals and _ASSIGNED.fullmatch(compact(name)) and "=" not in rest and len(split_top(rest, ",;")) > 1:
        return Assignment(compact(name), parse(rest, depth + 1), text)
    for separators in (";", ","):
        pieces = [piece for piece in split_top(marked, separators) if piece]
        if 1 < len(pieces) <= MAX_PARTS:
            items = tuple(item for piece in pieces for item in _spread(parse(piece, depth + 1)))
            if either and all(isinstance(item, Parts) and item.variable for item in items):
                return Parts("union", items)
            if not either and any(isinstance(item, Parts) and item.variable for item in items):
                return Leaf(text)
            return Parts("list", items)
    return None


def _spread(node: Node) -> tuple[Node, ...]:
    r"""The values of one list item: `1 \pm 2` stands for two."""
    return node.items if isinstance(node, Parts) and node.brackets == "pm" else (node,)


def _bracketed(text: str, depth: int) -> Node | None:
    for opening, closing, kind in (("\\{", "\\}", "set"), ("{", "}", "list"), ("\\langle", "\\rangle", "tuple")):
        if text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : -len(closing)]
            if not balanced(inner) or re.search(r"\\mid|\||:", inner) or "\\{" in inner or "\\langle" in inner:
                return None
            if kind == "list":
                return parse(inner, depth + 1)
            return Parts(kind, _items(inner, depth), "()" if kind == "tuple" else "")
    if len(text) > 2 and text[0] in "([" and text[-1] in ")]" and _spans(text):
        items = split_top(text[1:-1], ",")
        if len(items) == 1:
            items = split_top(text[1:-1], ";")
        if len(items) == 1 and text[0] == "(" and text[-1] == ")":
            return parse(items[0], depth + 1)
        if 1 < len(items) <= MAX_PARTS and all(items):
            return Parts("tuple", tuple(parse(item, depth + 1) for item in items), text[0] + text[-1])
    return None


def _items(inner: str, depth: int) -> tuple[Node, ...]:
    pieces = [piece for piece in split_top(inner, ";" if ";" in inner else ",") if piece]
    return tuple(item for piece in pieces[:MAX_PARTS] for item in _spread(parse(piece, depth + 1)))


def _spans(text: str) -> bool:
    """Whether the first bracket closes at the very end."""
    depth = 0
    for position, sign in enumerate(text):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
            if depth == 0:
                return position == len(text) - 1
    return False


def _related(text: str, depth: int) -> Node | None:
    member = _MEMBER.match(text)
    if member:
        return parse(member[1], depth + 1)
    interval = _interval(text, depth)
    if interval is not None:
        return interval
    if "\\approx" in text:
        exact, _, rounded = text.partition("\\approx")
        return parse(exact.strip() or rounded.strip(), depth + 1)
    sides = split_top(text, "=")
    if len(sides) > 1 and sides[0] and sides[-1] and not re.search(r"[<>]|\\[lg]e(?![A-Za-z])|\\neq", text):
        name = compact(sides[0])
        if _ASSIGNED.fullmatch(name):
            return Assignment(name, parse(sides[-1], depth + 1), text)
        return None
    if len(_SIGN_PAIR.findall(text)) == 1 and "\\mp" not in text:
        both = (_SIGN_PAIR.sub("+", text), _SIGN_PAIR.sub("-", text))
        return Parts("list", tuple(parse(side.removeprefix("+").strip(), depth + 1) for side in both), "pm")
    return None


def _interval(text: str, depth: int) -> Node | None:
    relations = _RELATION.findall(text)
    if len(relations) not in (1, 2) or "=" in text:
        return None
    sides = [side.strip() for side in _RELATION.split(text)]
    if not all(sides) or not all(balanced(side) for side in sides):
        return None
    if relations[0] in (">", "\\ge"):
        sides.reverse()
        relations = ["<" if relation == ">" else "\\le" for relation in reversed(relations)]
    if any(relation in (">", "\\ge") for relation in relations):
        return None
    low, high = Leaf("-\\infty"), Leaf("\\infty")
    if len(relations) == 2 and _VARIABLE.fullmatch(compact(sides[1])):
        brackets = ("[" if relations[0] == "\\le" else "(") + ("]" if relations[1] == "\\le" else ")")
        ends = (parse(sides[0], depth + 1), parse(sides[2], depth + 1))
        return Parts("tuple", ends, brackets, compact(sides[1]), text)
    if len(relations) == 1:
        closed = relations[0] == "\\le"
        if _VARIABLE.fullmatch(compact(sides[0])) and not _is_variable(sides[1]):
            return Parts("tuple", (low, parse(sides[1], depth + 1)), "(]" if closed else "()", compact(sides[0]), text)
        if _VARIABLE.fullmatch(compact(sides[1])) and not _is_variable(sides[0]):
            return Parts("tuple", (parse(sides[0], depth + 1), high), "[)" if closed else "()", compact(sides[1]), text)
    return None


def _is_variable(side: str) -> bool:
    return _VARIABLE.fullmatch(compact(side)) is not None and side.strip() not in ("\\pi", "e", "\\infty")
