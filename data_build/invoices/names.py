"""Names of invented suppliers, client organisations, departments, products and persons.

Everything here is synthetic: companies are hand-written word parts combined at random, persons come from
Faker. Names are made so that a task can rely on them: no name of a kind stands inside another of that kind
(`Distinct`), so that a partial, case-insensitive search for a full name finds one record. A likeness to a
real company or person is chance.
"""

import random
import unicodedata
from dataclasses import dataclass

from faker import Faker

from data_build.invoices.scenario import Language

LANGUAGES: tuple[Language, ...] = ("sv", "en")
SV_FIRST = [
    "Lärk", "Häger", "Gnist", "Rönn", "Tjäder", "Klöver", "Åsk", "Skim", "Myr", "Svart", "Kvist", "Glim",
    "Ving", "Älv", "Fjäll", "Ljung", "Sälg", "Orr", "Dimm", "Blå",
]  # fmt: skip
SV_SECOND = [
    "fors", "holt", "mossa", "berga", "hamra", "näset", "kulla", "åsen", "lunda", "torpa", "sund", "gläntan",
    "backa", "udden", "bäcken", "tjärn",
]  # fmt: skip
EN_FIRST = [
    "Thorn", "Fen", "Heron", "Larch", "Bramble", "Wether", "Pell", "Dray", "Marl", "Sedge", "Cinder", "Quarry",
    "Hollow", "Tarn", "Plover", "Osier", "Rook", "Spindle",
]  # fmt: skip
EN_SECOND = [
    "combe", "wick", "holt", "stead", "mere", "leigh", "gate", "croft", "hurst", "burn", "march", "fold",
]  # fmt: skip
SV_SURNAMES = [
    "Åkerglim", "Björnfalk", "Öhrmark", "Lindåsen", "Sjögläns", "Vintersköld", "Ekhammar-Rask", "Höstlöv",
]  # fmt: skip
EN_SURNAMES = [
    "O'Tarran", "Pennifold", "D'Arvelle", "O'Keddy", "Wintersham", "Larkinshaw", "O'Maldrin", "Fotherby-Quill",
]  # fmt: skip


@dataclass(frozen=True)
class Branch:
    """A line of business: what its companies call themselves and what they sell."""

    category: str
    words: list[str]
    products: list[str]


SUPPLIER_BRANCHES: dict[Language, list[Branch]] = {
    "sv": [
        Branch(
            "kontor",
            ["Kontorsvaror", "Kontorsmaterial", "Pappershandel"],
            ["Skrivarpapper", "Whiteboardpaket", "Kuvertlåda", "Arkivboxar", "Tonerpaket", "Anteckningsblock"],
        ),
        Branch(
            "media",
            ["Förlag", "Tidskrifter", "Nyhetsbyrå"],
            ["Branschtidningen", "Veckobrevet", "Fackbiblioteket", "Månadsmagasinet", "Nyhetsbevakning", "E-tidningen"],
        ),
        Branch(
            "it",
            ["Programvara", "Datadrift", "Systemutveckling"],
            ["Tidrapportering", "Lönesystem", "Säkerhetskopiering", "Ärendehantering", "Videomöte", "Serverplats"],
        ),
        Branch(
            "städ",
            ["Städservice", "Lokalvård", "Fönsterputs"],
            ["Kontorsstädning", "Entrémattor", "Trappstädning", "Golvvård", "Hygienpåfyllning", "Fasadtvätt"],
        ),
        Branch(
            "kaffe",
            ["Kaffe & Frukt", "Automatservice", "Måltidsservice"],
            ["Fruktkorg", "Kaffeservice", "Vattenautomat", "Lunchlåda", "Teprenumeration", "Espressomaskin"],
        ),
        Branch(
            "säkerhet",
            ["Larm & Bevakning", "Låsservice", "Brandskydd"],
            ["Inbrottslarm", "Rondering", "Passersystem", "Kameraövervakning", "Brandsläckarservice", "Nyckelskåp"],
        ),
        Branch(
            "miljö",
            ["Återvinning", "Miljötransport", "Pappersinsamling"],
            ["Containertömning", "Sekretesskärl", "Matavfallskärl", "Batteriinsamling", "Glasigloo", "Farligt gods"],
        ),
        Branch(
            "telefoni",
            ["Telekom", "Fiber & Växel", "Mobiltjänster"],
            ["Fiberanslutning", "Mobilabonnemang", "Molnväxel", "Konferenstelefoni", "Datakort", "Svarsservice"],
        ),
    ],
    "en": [
        Branch(
            "office",
            ["Office Supplies", "Stationers", "Print & Paper"],
            ["Copier Lease", "Paper Subscription", "Desk Hire", "Label Printer", "Toner Plan", "Archive Storage"],
        ),
        Branch(
            "media",
            ["Publishing", "Press", "Periodicals"],
            ["Trade Journal", "Market Bulletin", "Law Digest", "Quarterly Review", "Picture Library", "Wage Handbook"],
        ),
        Branch(
            "software",
            ["Software", "Data Services", "Cloud Systems"],
            ["Payroll Licence", "Backup Vault", "Helpdesk Suite", "Survey Tool", "Mail Gateway", "Analytics Seat"],
        ),
        Branch(
            "cleaning",
            ["Cleaning", "Facilities Care", "Window Services"],
            ["Evening Cleaning", "Carpet Care", "Washroom Service", "Window Round", "Linen Hire", "Mat Rental"],
        ),
        Branch(
            "catering",
            ["Catering", "Coffee & Tea", "Provisions"],
            ["Fruit Box", "Coffee Plan", "Water Cooler", "Milk Delivery", "Snack Cabinet", "Pantry Refill"],
        ),
        Branch(
            "security",
            ["Security", "Alarm & Lock", "Fire Safety"],
            ["Alarm Monitoring", "Key Holding", "Night Patrol", "Access Badges", "Extinguisher Check", "Camera Link"],
        ),
        Branch(
            "waste",
            ["Recycling", "Waste & Haulage", "Shredding"],
            ["Skip Collection", "Glass Collection", "Shredding Bin", "Compost Bin", "Battery Tube", "Pallet Return"],
        ),
        Branch(
            "telecom",
            ["Telecom", "Networks", "Voice & Data"],
            ["Fibre Line", "Mobile Tariff", "Hosted Switchboard", "Conference Bridge", "Data SIM", "Answering Service"],
        ),
    ],
}  # fmt: skip
PRODUCT_LINES: dict[Language, list[str]] = {
    "sv": [
        "Fjord", "Komet", "Norrsken", "Duett", "Opal", "Kadens", "Tellus", "Vinge", "Saga", "Prisma", "Kvarts",
        "Tundra", "Allegro", "Kupol", "Zenit", "Skymning",
    ],
    "en": [
        "Harbour", "Meridian", "Comet", "Beacon", "Cascade", "Juniper", "Atlas", "Quartet", "Lantern", "Tempo",
        "Orchard", "Keystone", "Ember", "Voyage", "Pinnacle", "Thistle",
    ],
}  # fmt: skip
SUPPLIER_FORMS: dict[Language, list[str]] = {
    "sv": ["AB", "AB", "AB", "AB (publ)", "HB", "Ekonomisk förening"],
    "en": ["Ltd", "Ltd", "Ltd", "LLP", "Group plc"],
}
CLIENT_BRANCHES: dict[Language, list[str]] = {
    "sv": [
        "Bostäder", "Energi", "Fastigheter", "Logistik", "Friskolor", "Mekaniska", "Livs", "Teknikkonsult",
        "Resebyrå", "Omsorg", "Byggnads", "Trävaru",
    ],
    "en": [
        "Housing", "Engineering", "Foods", "Care Homes", "Shipping", "Insurance", "Travel", "Academies", "Timber",
        "Instruments", "Textiles", "Water",
    ],
}  # fmt: skip
CLIENT_FORMS: dict[Language, list[str]] = {
    "sv": ["AB", "AB", "AB (publ)", "Ekonomisk förening", "HB"],
    "en": ["Ltd", "Ltd", "plc", "Trust", "LLP"],
}
# Two words each, so that no department is an ordinary word that a reply could contain by chance.
DEPARTMENT_FUNCTIONS: dict[Language, list[str]] = {
    "sv": [
        "Ekonomi", "Kundtjänst", "Inköp", "Fastighetsdrift", "Reception", "Marknad", "Lager", "Personal",
        "Produktion", "Arkiv", "Servicedesk", "Utbildning",
    ],
    "en": [
        "Accounts Payable", "Facilities", "Customer Care", "Procurement", "Front Desk", "Marketing", "Warehouse",
        "People Team", "Records Office", "Service Desk", "Training", "Fleet",
    ],
}  # fmt: skip
DEPARTMENT_UNITS: dict[Language, list[str]] = {
    "sv": ["Norr", "Söder", "Väst", "Öst", "Centrum", "Hamnen", "Slottsgatan", "Industriområdet", "Tornhuset", "Kajen"],
    "en": ["Leeds", "Harbourside", "North", "South Quay", "Riverside", "Annexe", "Bristol", "Midlands", "Kingsway"],
}
CITIES: dict[Language, list[str]] = {
    "sv": ["Stockholm", "Göteborg", "Malmö", "Kiruna"],
    "en": ["London", "Leeds", "Manchester", "Edinburgh"],
}
STREETS: dict[Language, list[str]] = {
    "sv": ["Tistelgränd", "Fyrvaktarvägen", "Spannmålsgatan", "Ekorrstigen", "Kvarnhjulsvägen", "Segelmakargatan"],
    "en": ["Tallow Lane", "Ropewalk Yard", "Weighhouse Street", "Finch Passage", "Cooper's Row", "Tollgate Road"],
}
_STEMS: dict[Language, tuple[list[str], list[str]]] = {"sv": (SV_FIRST, SV_SECOND), "en": (EN_FIRST, EN_SECOND)}


def fold(text: str) -> str:
    """Caseless form without diacritics: `Öst` and `öst` and `Ost` are one. Used to keep names apart."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


class Distinct:
    """Names of one kind, none of which stands inside another (after `fold`)."""

    def __init__(self) -> None:
        self._folded: list[str] = []

    def add(self, name: str) -> bool:
        """True if `name` was taken in, False if it contains or stands inside a name already here."""
        folded = fold(name)
        if any(folded in other or other in folded for other in self._folded):
            return False
        self._folded.append(folded)
        return True


def shuffled_stems(rng: random.Random, language: Language) -> list[str]:
    """Every company stem of a language in random order; each is used for one company only."""
    first, second = _STEMS[language]
    stems = [a + b for a in first for b in second]
    rng.shuffle(stems)
    return stems


def supplier_name(rng: random.Random, language: Language, stem: str, branch: Branch) -> str:
    """Such as `Lärkfors Städservice AB (publ)`, `O'Keddy & Thorncombe Press LLP`."""
    word, form = rng.choice(branch.words), rng.choice(SUPPLIER_FORMS[language])
    if rng.random() < 0.2:
        surname = rng.choice(SV_SURNAMES if language == "sv" else EN_SURNAMES)
        return f"{surname} & {stem} {word} {form}"
    return f"{stem} {word} {form}"


def client_name(rng: random.Random, language: Language, stem: str) -> str:
    """Name of a client organisation, such as `Hägernäset Bostäder AB`."""
    return f"{stem} {rng.choice(CLIENT_BRANCHES[language])} {rng.choice(CLIENT_FORMS[language])}"


def department_names(rng: random.Random, language: Language, count: int) -> list[str]:
    """`count` departments of one organisation, each with its own function."""
    functions = rng.sample(DEPARTMENT_FUNCTIONS[language], count)
    return [f"{function} {rng.choice(DEPARTMENT_UNITS[language])}" for function in functions]


def email_domain(name: str) -> str:
    """A domain under `.example` (RFC 2606: never registered) for a company name."""
    words = ["".join(c for c in fold(word) if c.isascii() and c.isalnum()) for word in name.split()]
    return "-".join([word for word in words if word][:2]) + ".example"


class People:
    """Persons from Faker, sv_SE or en_GB; no name is given twice or stands inside another."""

    def __init__(self, seed: int, taken: Distinct | None = None) -> None:
        self._fakers: dict[Language, Faker] = {"sv": Faker("sv_SE"), "en": Faker("en_GB")}
        for number, language in enumerate(LANGUAGES):
            self._fakers[language].seed_instance(2 * seed + number)
        self._taken = taken or Distinct()

    def new(self, language: Language) -> str:
        """The next full name in a language."""
        faker = self._fakers[language]
        while True:
            name = f"{faker.first_name()} {faker.last_name()}"
            if self._taken.add(name):
                return name
