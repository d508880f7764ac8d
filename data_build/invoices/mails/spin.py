"""A small phrase language, the written forms of facts, and the random choices between them.

In a phrase, `[one|another|]` is a choice (nested at will, an empty branch leaves nothing) and `<name>` a slot. Slots
are filled last, so nothing in a name or a product is ever read as markup, changed to lower case or cleaned up.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence

from data_build.invoices.scenario import Language

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"<(\w+)>")

MONTHS: dict[Language, Sequence[str]] = {
    "sv": "januari februari mars april maj juni juli augusti september oktober november december".split(),
    "en": "January February March April May June July August September October November December".split(),
}
DATE_STYLES: dict[Language, Sequence[str]] = {
    "sv": ["{iso}", "{iso}", "{day} {month} {year}", "{day} {month} {year}", "{day}:{e} {month} {year}"],
    "en": ["{iso}", "{day} {month} {year}", "{day}{th} {month} {year}", "{day}{th} of {month} {year}",
           "{month} {day}, {year}", "{month} {day}{th}, {year}"],
}  # fmt: skip


def lines(block: str) -> tuple[str, ...]:
    """The phrases of a block, one a line; a line that ends in a backslash goes on in the next."""
    return tuple(line.strip() for line in block.replace("\\\n", "").splitlines() if line.strip())


def expand(phrase: str, rng: random.Random) -> str:
    """The phrase with every choice made; slots stay."""
    while match := _CHOICE.search(phrase):
        phrase = phrase[: match.start()] + rng.choice(match[1].split("|")) + phrase[match.end() :]
    return re.sub(r" +([,.?!;:])(?=\s|$)", r"\1", re.sub(r"  +", " ", phrase)).strip(" ")


def pick(phrases: Iterable[str], rng: random.Random, **macros: str) -> str:
    """One of the phrases, its choices made and its macros put in (`<name>` of a macro; other slots stay)."""
    phrase = expand(rng.choice(list(phrases)), rng)
    return _SLOT.sub(lambda match: macros.get(match[1], match[0]), phrase)


def fill(text: str, value: Callable[[str], str]) -> str:
    """The text with its slots filled, left to right, each by `value(name)`."""
    return _SLOT.sub(lambda match: value(match[1]), text)


def lower(text: str) -> str:
    """Lower case, slots apart."""
    return "".join(part if part.startswith("<") else part.lower() for part in re.split(r"(<\w+>)", text))


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with a slot."""
    return text[:1].upper() + text[1:]


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def written_date(iso: str, style: str, language: Language) -> str:
    """A stored date in one of `DATE_STYLES`."""
    year, month, day = map(int, iso.split("-"))
    return style.format(
        iso=iso, year=year, month=MONTHS[language][month - 1], day=day, th=_ordinal(day),
        e="a" if day % 10 in (1, 2) and day not in (11, 12) else "e",
    )  # fmt: skip


def written_identifier(column: str, value: str, rng: random.Random) -> str:
    """A stored identifier as somebody may type it: with and without blanks and dashes."""
    solid = re.sub(r"[\s-]", "", value)
    fours = " ".join(solid[i : i + 4] for i in range(0, len(solid), 4))
    if column == "iban":
        return rng.choice((solid, fours, fours))
    if column == "vat_number":
        return rng.choice((solid, solid, f"{solid[:2]} {solid[2:]}", f"{solid[:2]}-{solid[2:]}"))
    if column == "bankgiro":
        return rng.choice((value, value, solid, f"{solid[:-4]} {solid[-4:]}"))
    if column == "postgiro":
        head = solid[:-1]
        pairs = " ".join(head[max(0, i - 2) : i] for i in range(len(head), 0, -2)[::-1])
        return rng.choice((value, value, solid, f"{pairs}-{solid[-1]}"))
    return value
