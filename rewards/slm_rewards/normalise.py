"""One normal form of text for all text rewards: what a reader would see, without how it was typed."""

import re
import unicodedata

_THINK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_CALL = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)|</tool_call>", re.DOTALL)
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_EMPHASIS = re.compile(r"[*`~]+|(?<![^\W_])_+|_+(?![^\W_])")
_BLANKS = re.compile(r"[^\S\n]+")
_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "´": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "−": "-", "\r": "\n", "\u00ad": ""}
)


def strip_think(reply: str) -> str:
    """The reply without its reasoning.

    Drops every think block. A closing tag alone drops all before it (chat templates prefill the opening
    tag); an opening tag alone drops all after it (the reply was cut while thinking).
    """
    kept: list[str] = []
    inside, start = False, 0
    for tag in _THINK.finditer(reply):
        if not tag[1]:
            if not inside:
                kept.append(reply[start : tag.start()])
            inside = True
            continue
        if not inside:
            kept.clear()
        inside, start = False, tag.end()
    if not inside:
        kept.append(reply[start:])
    return "\n".join(kept)


def strip_calls(reply: str) -> str:
    """The reply without tool calls that no parser took: text in `<tool_call>` tags states nothing to the reader.

    An opening tag alone drops all after it (two objects in one tag, a call cut off); a closing tag alone only itself.
    """
    return _CALL.sub("\n", reply)


def normalise(text: str, fold: bool = True) -> str:
    """Comparable form of a reply or of a gold value.

    Unicode NFKC (composed letters, plain blanks and digits), no invisible characters, straight quotes,
    one hyphen sign, no Markdown emphasis or escapes, single blanks, line breaks kept; `fold` folds case.
    En and em dashes stay: they separate (`12–34` is two numbers), a hyphen joins.
    """
    # The hyphens come first: NFKC would make U+2011 an U+2010 and leave it at that.
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    text = "".join(c for c in text if c.isprintable() or c.isspace() or unicodedata.category(c) != "Cf")
    text = _BLANKS.sub(" ", _EMPHASIS.sub("", _ESCAPE.sub("", text)))
    return unicodedata.normalize("NFC", text.casefold()) if fold else text
