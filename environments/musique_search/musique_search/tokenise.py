"""One tokeniser for passages and queries: what a reader takes for the same word becomes the same token."""

import re
import unicodedata

VERSION = 1
"""Changes with every change of `tokens`; an index made by another version is refused."""

_PLAIN = str.maketrans(
    {
        # Letters that Unicode does not decompose, as they are typed on a keyboard without them.
        **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n", "ƶ": "z", "ɨ": "i"},
        **{"æ": "ae", "œ": "oe", "þ": "th"},
        # Invisible inside a word: soft hyphen, joiners, byte order mark.
        **dict.fromkeys("\u00ad\u200c\u200d\u2060\ufeff", None),
        "_": " ",
    }
)
_LETTER_PARTS = (0, 7, 8, 9)
"""Combining classes of marks that make another letter: vowel signs, nukta, kana voicing, virama."""


def _mark_classes() -> tuple[str, str]:
    """Regular expression class bodies: accents to strip, and marks that belong to their letter."""
    marks = [chr(i) for i in range(0x300, 0xFFFF) if unicodedata.category(chr(i))[0] == "M"]
    parts = [mark for mark in marks if unicodedata.combining(mark) in _LETTER_PARTS]
    return "".join(sorted(set(marks) - set(parts))), "".join(parts)


_ACCENTS, _PARTS = _mark_classes()
_ACCENT = re.compile(f"[{_ACCENTS}]+")
_TOKEN = re.compile(rf"\w[\w{_PARTS}]*")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> list[str]:
    """Words and numbers of a text, in order, repeats kept.

    Unicode NFKD, case folded, accents stripped, letters without a decomposition spelt plainly (ø o, ł l,
    æ ae, ß ss, þ th): `Malmö`, `MALMÖ` and `malmo` give `malmo`. A token is a run of letters and digits;
    everything else separates (`U.S.` gives `u`, `s`; `1,234` gives `1`, `234`). No stop list, no stemming.
    Scripts without word spaces give one token a run. Tokens are never empty.
    Raises TypeError for anything but a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"text to tokenise must be a str, not {type(text).__name__}: pass the words joined by blanks")
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    text = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    return _TOKEN.findall(_ACCENT.sub("", text))
