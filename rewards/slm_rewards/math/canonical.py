r"""One spelling of LaTeX and plain-text answers, so that what is left to decide is mathematics.

Each step mends one kind of difference that means nothing: Unicode signs, wrappers (`$…$`, `\boxed{}`, bold), spacing
commands, `\dfrac`, short arguments (`\frac12`), function calls in plain text (`sqrt(2)`), trailing punctuation.
"""

import re
import unicodedata
from functools import lru_cache

_SIGNS = {
    "−": "-", "–": "-", "—": "-", "‒": "-", "‐": "-", "‑": "-", "－": "-", "×": r"\times ", "·": r"\cdot ",
    "⋅": r"\cdot ", "∙": r"\cdot ", "÷": r"\div ", "π": r"\pi ", "∞": r"\infty ", "≤": r"\le ", "⩽": r"\le ",
    "≥": r"\ge ", "⩾": r"\ge ", "≠": r"\neq ", "≈": r"\approx ", "∪": r"\cup ", "∩": r"\cap ", "∈": r"\in ",
    "∅": r"\emptyset ", "°": r"^\circ ", "º": r"^\circ ", "±": r"\pm ", "∓": r"\mp ", "⟨": r"\langle ",
    "⟩": r"\rangle ", "ℝ": r"\mathbb{R}", "α": r"\alpha ", "β": r"\beta ", "γ": r"\gamma ", "θ": r"\theta ",
    "λ": r"\lambda ", "μ": r"\mu ", "φ": r"\phi ", "ω": r"\omega ", "’": "'", "⁄": "/", "∕": "/", "\u200b": "",
    "\u2060": "", "\ufeff": "", "\u00ad": "",
}  # fmt: skip
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_SUPER = re.compile("[" + "".join(_SUPERSCRIPTS) + "]+")
_SUB = re.compile("[" + "".join(_SUBSCRIPTS) + "]+")
_ROOT = re.compile(r"√\s*(?:\(([^()]*)\)|\{([^{}]*)\}|(\d+|[A-Za-z]))")

_WRAPPERS = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"\$\$(.+)\$\$",
        r"\$((?:[^$\\]|\\.)+)\$",
        r"\\\[(.+)\\\]",
        r"\\\((.+)\\\)",
        r"\*\*(.+)\*\*",
        r"__(.+)__",
        r"`(.+)`",
        r"\\displaystyle\b(.+)",
        r"\\(?:boxed|fbox)\s*\{(.+)\}",
    )
]
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|nonumber)(?![A-Za-z])\s*\.?(?!\d)")
_DOUBLED = re.compile(r"\\\\(?=[A-Za-z])")
_INLINE = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$")
_NARROW = re.compile(r"\\!\s*|\\(?:phantom|hspace|vspace|label|tag)\*?\{[^{}]*\}")
_TRAILING = re.compile(r"(?:\\[,;:! ]|[\s.,;:?]|\\$)+$")
_WIDE = re.compile(r"(?<!\\)\\[,;:> \n]|~|\\(?:q?quad|enspace|thinspace|medspace|thickspace)(?![A-Za-z])|\s+")
_TEXT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal|up)?|mbox|hbox|mathrm|textrm|mathsf|mathtt|mathbf|boldsymbol|bm)\s*\{"
)
_SET_NUMBER = re.compile(r"\\text\{([^A-Za-z{}\\%]*)\}")
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALE = re.compile(r"(?<=\d)\s*(\\text\{)?\s*(thousand|million|billion|trillion)\b\s*(\})?", re.IGNORECASE)
_UNIT_LETTERS = frozenset("mgshLNJWVAKCF")
"""Set upright after a number or a unit they are a unit."""
_PLAIN_TEXT = re.compile(r"\\(?:rm|bf|it)\s+")
_FRACTION = re.compile(r"\\[dtc]frac(?![A-Za-z])")
_ARGUMENT = re.compile(r"\s*(\\[A-Za-z]+|[0-9A-Za-z])")
_FRACTION_GAP = re.compile(r"(\\frac|\\sqrt)\s+(?=[{\[])|(?<=\})\s+(?=\{)")
_SHORT_ROOT = re.compile(r"\\sqrt\s*(?:(\d+|[A-Za-z])|\(([^()]*)\))")
_PLAIN_ROOT = re.compile(r"(?<![\\A-Za-z])sqrt\s*\(([^()]*)\)")
_PLAIN_EXP = re.compile(r"(?<![\\A-Za-z])exp\s*\(([^()]*)\)")
_PLAIN_PI = re.compile(r"(?<![\\A-Za-z])pi(?![A-Za-z])")
_PLAIN_POWER = re.compile(r"\^\(([^()]*)\)")
_SYNONYMS = [
    (re.compile(r"\\(?:leqslant|leq|lte)(?![A-Za-z])|<="), r"\\le "),
    (re.compile(r"\\(?:geqslant|geq|gte)(?![A-Za-z])|>="), r"\\ge "),
    (re.compile(r"\\lt(?![A-Za-z])"), "<"),
    (re.compile(r"\\gt(?![A-Za-z])"), ">"),
    (re.compile(r"\\ne(?![A-Za-z])|!="), r"\\neq "),
    (re.compile(r"\\degrees?(?![A-Za-z])|\^\s*\{\s*\\circ\s*\}|\^\s*\\circ(?![A-Za-z])"), r"^\\circ "),
    (re.compile(r"\\lbrace(?![A-Za-z])"), r"\\{"),
    (re.compile(r"\\rbrace(?![A-Za-z])"), r"\\}"),
    (re.compile(r"\\lbrack(?![A-Za-z])"), "["),
    (re.compile(r"\\rbrack(?![A-Za-z])"), "]"),
    (re.compile(r"\\(?:thickapprox|simeq)(?![A-Za-z])"), r"\\approx "),
    (re.compile(r"\\varnothing(?![A-Za-z])"), r"\\emptyset "),
    (re.compile(r"\\(?:cdots|dotsc|dotsb|ldots)(?![A-Za-z])|\.\.\."), r"\\dots "),
    (re.compile(r"(?<![\\A-Za-z])infinity(?![A-Za-z])"), r"\\infty "),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\\$"), "$"),
    (re.compile(r"\\&"), "&"),
    (re.compile(r"\\#"), "#"),
    (re.compile(r"\*\*"), "^"),
    (re.compile(r"(?<=\d)\.(?=\s?(?:/|\}|$))"), ""),
    (re.compile(r"(\\text\{[^{}]*)\}\s?/\s?\\text\{"), r"\1/"),
    (re.compile(r"(\\text\{[^{}]*)\}\s?\\cdot\s?\\text\{"), r"\1 "),
    (re.compile(r"(?<=\d)i(?![A-Za-z])"), " i"),
    (re.compile(r"\+\s*-"), "-"),
    (re.compile(r"-\s*-"), "+"),
]


@lru_cache(maxsize=4096)
def clean(answer: str) -> str:
    """The answer in one spelling; idempotent, never raises, linear in its length (callers cap that)."""
    text = _unicode(answer).strip()
    for _ in range(8):
        before = text
        text = _unwrap(text)
        if text == before:
            break
    if "\\begin" not in text:
        text = _DOUBLED.sub(r"\\", text)
    text = _INLINE.sub(r" \1 ", text)
    text = _NARROW.sub("", text)
    text = _SIZES.sub("", text)
    text = _SCALE.sub(_scaled, _words(text))
    text = _SET_NUMBER.sub(r"\1", text)
    for pattern, replacement in _SYNONYMS:
        text = pattern.sub(replacement, text)
    text = _WIDE.sub(" ", text)
    text = _FRACTION.sub(r"\\frac", text)
    text = _FRACTION_GAP.sub(lambda m: m[1] or "", text)
    text = _short_fractions(text)
    text = _SHORT_ROOT.sub(lambda m: rf"\sqrt{{{m[1] or m[2]}}}", text)
    text = _PLAIN_ROOT.sub(r"\\sqrt{\1}", text)
    text = _PLAIN_EXP.sub(r"e^{\1}", text)
    text = _PLAIN_PI.sub(r"\\pi ", text)
    text = _PLAIN_POWER.sub(r"^{\1}", text)
    return _WIDE.sub(" ", _trim(text)).strip()


def _scaled(match: re.Match[str]) -> str:
    """`5 million` as a product; text that goes on after it (`million dollars`) stays text."""
    opening, closing = match[1] or "", match[3] or ""
    rest = "" if opening and closing else opening + closing
    return rf"\times 10^{{{_SCALES[match[2].lower()]}}}{rest or ' '}"


def compact(text: str) -> str:
    """Cleaned text without blanks that mean nothing: a command keeps the one that ends its name."""
    text = re.sub(r"(\\[A-Za-z]+) (?=[A-Za-z])", "\\1\0", text)
    return text.replace(" ", "").replace("\0", " ")


def _short_fractions(text: str) -> str:
    r"""`\frac12`, `\frac\pi 2` and `\frac{a}2` with both arguments in braces."""
    pieces = text.split("\\frac")
    for number, piece in enumerate(pieces[1:], start=1):
        arguments, rest = [], piece
        while len(arguments) < 2:
            stripped = rest.lstrip()
            if stripped.startswith("{"):
                end = _closing(stripped, 1)
                if end is None:
                    break
                arguments.append(stripped[: end + 1])
                rest = stripped[end + 1 :]
            elif match := _ARGUMENT.match(rest):
                arguments.append(f"{{{match[1]}}}")
                rest = rest[match.end() :]
            else:
                break
        pieces[number] = "".join(arguments) + rest
    # A nested short fraction is whole only after the one inside it: braces already group it.
    return "\\frac".join(pieces)


def _unicode(text: str) -> str:
    if text.isascii():
        return text
    text = _SUPER.sub(lambda m: "^{" + "".join(_SUPERSCRIPTS[c] for c in m[0]) + "}", text)
    text = _SUB.sub(lambda m: "_{" + "".join(_SUBSCRIPTS[c] for c in m[0]) + "}", text)
    text = _ROOT.sub(lambda m: rf"\sqrt{{{m[1] or m[2] or m[3]}}}", text)
    out = []
    for character in text:
        if character in _SIGNS:
            out.append(_SIGNS[character])
        elif unicodedata.decomposition(character).startswith("<fraction>"):
            above, _, below = unicodedata.normalize("NFKC", character).partition("⁄")
            out.append(rf" \frac{{{above}}}{{{below}}}" if below else character)
        else:
            out.append(unicodedata.normalize("NFKC", character))
    return "".join(out)


def _unwrap(text: str) -> str:
    text = _trim(text)
    for pattern in _WRAPPERS:
        match = pattern.fullmatch(text)
        if match and balanced(match[1]):
            return match[1].strip()
    return text


def balanced(text: str) -> bool:
    """Whether every brace of the text opens and closes inside it."""
    depth = 0
    for sign in re.findall(r"\\.|[{}]", text):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def _trim(text: str) -> str:
    return _TRAILING.sub("", text).strip()


def _words(text: str) -> str:
    r"""Every way to set words becomes `\text{…}`; a single letter set upright is that letter."""
    text = _PLAIN_TEXT.sub("", text)
    while match := _TEXT.search(text):
        end = _closing(text, match.end())
        if end is None:
            break
        inner = text[match.end() : end]
        bare = inner.strip(" ~")
        after_number = bool(re.search(r"[\d})]\s*/?\s*$", text[: match.start()])) and bare in _UNIT_LETTERS
        letter = len(bare) == 1 and bare.isalpha() and not inner.startswith((" ", "~")) and not after_number
        replacement = bare if letter else f"\0text{{{inner.replace('~', ' ')}}}"
        text = text[: match.start()] + replacement + text[end + 1 :]
    return text.replace("\0", "\\")


def _closing(text: str, start: int) -> int | None:
    depth = 1
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.start()
    return None
