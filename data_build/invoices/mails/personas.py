"""Who writes: a manner of writing as probabilities, and the invented people and numbers that mails mention."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from data_build.invoices.names import email_domain, fold
from data_build.invoices.scenario import Language, Sender

BOTH: tuple[Sender, ...] = ("staff", "customer")


@dataclass(frozen=True)
class Persona:
    """A manner of writing. `chance` of each optional part, 0 to 1; `layouts` weighs how facts and request are put."""

    name: str
    """Also the key of the phrases that only this persona opens with, where the grammar has any."""
    weight: int
    registers: tuple[str, ...]
    """Which of the phrase lists it draws from: formal, plain, casual, terse."""
    layouts: dict[str, int]
    senders: tuple[Sender, ...] = BOTH
    opener: float = 0.0
    reason: float = 0.5
    detail: float = 0.3
    thanks: float = 0.6
    ps: float = 0.0
    signature: dict[str, int] = field(default_factory=lambda: {"first": 2, "name": 3, "org": 3, "full": 2})
    block: float = 0.15
    """Chance of no paragraphs at all."""
    lower: bool = False
    typo: float = 0.0
    bang: float = 0.0
    """Chance that a closing sentence gets an exclamation mark or a smiley."""


PERSONAS = (
    Persona(
        "terse", 9, ("terse",), {"terse": 5, "noun": 2, "questions": 1, "subject": 2},
        reason=0.25, detail=0.3, thanks=0.5, signature={"first": 5, "name": 3, "org": 2}, block=0.4,
    ),
    Persona(
        "accountant", 12, ("plain",), {"noun": 3, "clause": 3, "block": 2, "bullets": 2, "clause_first": 2},
        senders=("staff",),
    ),
    Persona(
        "chatty", 13, ("casual", "plain"), {"clause": 4, "clause_first": 3, "questions": 3, "noun": 2},
        opener=0.95, reason=0.7, detail=0.4, thanks=0.8, ps=0.3, bang=0.5,
    ),
    Persona(
        "letter", 10, ("formal", "plain"), {"clause": 4, "questions": 3, "noun": 2, "clause_first": 2},
        senders=("customer",), opener=0.9, reason=0.7, detail=0.4, thanks=0.8, ps=0.2,
        signature={"name": 6, "phone": 4},
    ),
    Persona(
        "hurried", 11, ("casual", "terse", "plain"), {"terse": 2, "noun": 3, "clause": 2, "questions": 2, "subject": 2},
        opener=0.6, reason=0.3, detail=0.2, thanks=0.4, signature={"first": 6, "name": 2, "mobile": 3}, block=0.5,
        typo=0.25,
    ),
    Persona(
        "formal", 12, ("formal",), {"noun": 4, "clause": 3, "bullets": 3, "block": 3, "letters": 2},
        reason=0.7, detail=0.3, thanks=0.8, signature={"name": 1, "org": 2, "full": 5, "phone": 2}, block=0.0,
    ),
    Persona(
        "new", 10, ("plain",), {"clause": 4, "questions": 3, "clause_first": 3, "forward": 3, "noun": 1},
        senders=("staff",), opener=0.9, reason=0.4, detail=0.4, thanks=0.8, bang=0.2,
    ),
    Persona(
        "simple", 6, ("plain",), {"clause": 3, "questions": 4, "noun": 2, "block": 1},
        senders=("staff",), opener=0.8, reason=0.3, detail=0.2, thanks=0.8,
    ),
    Persona(
        "lower", 9, ("casual", "plain"), {"clause": 3, "noun": 3, "questions": 3, "terse": 1, "clause_first": 2},
        opener=0.2, reason=0.4, detail=0.3, thanks=0.5, signature={"first": 6, "name": 3}, block=0.4, lower=True,
        typo=0.15,
    ),
    Persona(
        "annoyed", 8, ("plain", "formal"), {"clause": 3, "noun": 3, "questions": 2, "bullets": 2, "letters": 1},
        opener=0.95, reason=0.5, detail=0.3, thanks=0.3,
    ),
    Persona(
        "forwarder", 11, ("plain", "casual"), {"forward": 8, "quote": 4},
        senders=("staff",), reason=0.4, detail=0.3, thanks=0.6, bang=0.2,
    ),
    Persona(
        "lister", 9, ("plain", "formal"), {"block": 4, "bullets": 4, "letters": 2, "both": 3},
        senders=("staff",), opener=0.4, reason=0.4, detail=0.4, thanks=0.6, block=0.0,
    ),
    Persona(
        "warm", 8, ("casual",), {"clause": 3, "noun": 3, "questions": 3, "clause_first": 2},
        opener=0.2, reason=0.5, detail=0.3, thanks=0.9, ps=0.25, bang=0.9, signature={"first": 5, "name": 3, "org": 2},
    ),
)  # fmt: skip

FIRST_NAMES: dict[Language, Sequence[str]] = {
    "sv": "Agneta Birgitta Camilla Dag Elsa Fredrik Gunilla Hampus Ingela Jonas Kerstin Lovisa Mehmet Nadja Olle Petra "
    "Rasmus Sigrid Torbjörn Ulla Viktor Wilma Ylva Zara Åsa Örjan".split(),
    "en": "Alison Barney Carys Desmond Elspeth Fergus Gwen Harriet Imran Jocelyn Keith Lorna Moira Nigel Olive Percy "
    "Rhiannon Saskia Tobias Uma Verity Winston Yusuf Zoe".split(),
}
SURNAMES: dict[Language, Sequence[str]] = {
    "sv": "Almgren Bodin Cronquist Dahlin Edberg Fagerlund Grip Hallgren Isaksson Jernberg Kullman Lodin Moberg "
    "Nordahl Odelberg Palmgren Rydell Sandell Tengroth Ulvsdotter Wennberg Ytterberg Åhlin Östlund".split(),
    "en": "Ashdown Birtwistle Cavendish Dunmore Eastlake Fairweather Greenhalgh Hathersage Inchbald Jessop Kettleby "
    "Lomax Midgley Netherton Oakshott Penhallow Rushworth Standish Thackray Underhill Wragby Yardley".split(),
}


def colleague(language: Language, rng: random.Random) -> tuple[str, str]:
    """First and last name of somebody the writer knows."""
    return rng.choice(FIRST_NAMES[language]), rng.choice(SURNAMES[language])


def phone(language: Language, rng: random.Random) -> str:
    """A telephone number from the series that PTS (Sweden) and Ofcom (United Kingdom) keep for fiction."""
    n = rng.randrange(100)
    if language == "sv":
        return rng.choice((
            f"08-465 004 {n:02}", f"070-174 06 {5 + n % 95:02}", f"+46 70 174 06 {5 + n % 95:02}",
            f"031-390 06 {n % 50:02}", f"040-628 04 {n % 50:02}", f"+46 8 465 004 {n:02}",
        ))  # fmt: skip
    m = rng.randrange(1000)
    return rng.choice((
        f"020 7946 0{m:03}", f"+44 20 7946 0{m:03}", f"07700 900{m:03}", f"0113 496 0{m:03}", f"0161 496 0{m:03}",
        f"+44 7700 900{m:03}",
    ))  # fmt: skip


def address(name: str, corporation: str) -> str:
    """An e-mail address of a person at an organisation, under `.example`."""
    local = ".".join("".join(c for c in fold(word) if c.isascii() and c.isalnum()) for word in name.split())
    return f"{local}@{email_domain(corporation)}"
