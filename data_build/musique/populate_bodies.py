"""Organisations, buildings, things and works of one country, with their facts."""

from __future__ import annotations

from data_build.musique.names import fold
from data_build.musique.world import Country, Literal, Thing, World, year

NOUNS = "Lantern Ferry Orchard Mirror Winter Garden Key Bell Tower Letter River Stranger Bridge Clock Harvest".split()
NAMES = {
    "company": ["{f} & {g}", "{f} Brothers", "{w} Works", "{w} Steel", "{f} Motors", "{w} Textiles", "{f} & Sons",
                "{w} Navigation Company", "{w} Instruments"],
    "publisher": ["{f} Press", "{w} Books", "{f} Publishing House", "{w} Press"],
    "label": ["{w} Records", "{f} Records", "{w} Sound"],
    "studio": ["{w} Film", "{f} Pictures", "{w} Pictures"],
    "newspaper": ["{w} Courier", "{w} Gazette", "{w} Post", "{w} Morning News"],
    "university": ["University of {w}"],
    "orchestra": ["{w} Philharmonic", "{w} Symphony Orchestra"],
    "stadium": ["{w} Park", "{f} Stadium", "{w} Arena"],
    "club": ["{w} Athletic", "{w} Rovers", "{w} United", "{w} Wanderers"],
    "museum": ["{w} Museum of Art", "{f} Gallery", "{f} Collection"],
    "theatre": ["{w} Theatre", "{w} Opera House", "{f} Theatre"],
    "bridge": ["{w} Bridge", "{f} Bridge"],
    "award": ["{w} Prize", "{f} Medal", "{w} Award"],
    "ship": ["Star of {w}", "Maid of {w}", "Queen of {w}"],
    "line": ["{w} Line", "{w} Valley Railway"],
    "treaty": ["Peace of {w}", "Treaty of {w}"],
    "novel": ["The {noun} of {w}", "A {noun} for {w}", "The Last {noun} of {w}", "{w} and the {noun}", "{f}'s {noun}"],
    "painting": ["View of {w}", "{noun} at {w}", "Evening in {w}", "The {noun} of {w}", "The Road to {w}"],
    "opera": ["{w}", "The Bride of {w}", "The Miller of {w}", "{f}"],
    "film": ["Last Train from {w}", "The Road to {w}", "{w} by Night", "{noun}s over {w}", "The {f} Case"],
    "album": ["Songs from {w}", "{w} Nights", "{noun} Songs of {w}", "Back to {w}"],
    "symphony": ["{w} Symphony", "{w} Variations", "{w} Suite", "{f} Overture"],
}  # fmt: skip
COUNTS = {
    "company": 15, "publisher": 3, "label": 3, "studio": 2, "newspaper": 4, "university": 3, "orchestra": 3,
    "stadium": 5, "club": 7, "museum": 3, "theatre": 3, "bridge": 5, "award": 3, "ship": 4,
    "novel": 20, "painting": 14, "opera": 9, "film": 14, "album": 8, "symphony": 8, "line": 4, "treaty": 2,
}  # fmt: skip


def _make(world: World, country: Country, kind: str) -> Thing:
    patterns = [
        p.replace("{noun}", world.rng.choice(NOUNS)).replace("A O", "An O").replace("Ferrys", "Ferries")
        for p in NAMES[kind]
    ]
    return world.add(kind, world.free_name(country, patterns), country)


def add_bodies(world: World, country: Country) -> None:
    """Organisations, buildings, ships, lines, treaties and cup finals."""
    rng = world.rng
    bodies = (
        "company publisher label studio newspaper university orchestra stadium club museum theatre bridge award ship"
    )
    for kind in [*bodies.split(), "line", "treaty"]:
        for _ in range(COUNTS[kind]):
            _make(world, country, kind)
    kinds = country.by_kind
    for kind in "company publisher label studio newspaper".split():
        for body in kinds[kind]:
            if kind in ("label", "studio"):
                founder = world.person(
                    country, "industrialist|singer|actor|composer|film director", first=1875, last=1920
                )
            else:
                founder = world.person(country, "industrialist|engineer|novelist", last=1895)
            body.facts |= {"founder": founder, "hq": world.pick(country, "town")}
            body.facts["founded"] = year(world.year_of(founder, 25))
            if kind in ("label", "newspaper") or (kind == "company" and rng.random() < 0.3):
                owner = world.pick(country, "company", body)
                if owner.facts.get("parent") is not body:
                    body.facts["parent"] = owner
            if kind == "newspaper":
                body.facts["editor"] = world.person(country, "novelist|politician")
            if kind == "company" and rng.random() < 0.7:
                body.facts["director"] = world.person(country, "industrialist|engineer")
    chosen = rng.sample(kinds["company"], 6)
    for merged, first, second in (chosen[:3], chosen[3:]):
        for relation in ("founder", "founded", "parent"):
            merged.facts.pop(relation, None)
        merged.facts["merger"] = (first, second)
    for body in kinds["university"]:
        body.facts |= {
            "town": world.pick(country, "town"),
            "rector": (rector := world.person(country, "novelist|engineer|politician")),
        }
        body.facts |= {
            "founded": year(world.year_of(rector, 35)),
            "named_after": world.person(country, last=rector.born),
        }
    for body in kinds["orchestra"]:
        conductor = world.person(country, "conductor|composer")
        body.facts |= {
            "town": world.pick(country, "town"),
            "conductor": conductor,
            "founded": year(world.year_of(conductor, 30)),
        }
    grounds = rng.sample(kinds["stadium"], len(kinds["stadium"]))
    for i, body in enumerate(kinds["club"]):
        coach = world.person(country, "footballer")
        body.facts |= {"town": world.pick(country, "town"), "coach": coach, "founded": year(world.year_of(coach, 25))}
        body.facts["stadium"] = grounds[i % len(grounds)]
    for kind in ("stadium", "museum", "theatre", "bridge"):
        for body in kinds[kind]:
            architect = world.person(country, "engineer" if kind == "bridge" else "architect", first=1820)
            opened = world.date(world.year_of(architect, 27))
            body.facts["architect"] = architect
            if kind != "bridge":
                body.facts["town"] = world.pick(country, "town")
            if kind != "stadium":
                body.facts["opened"] = opened
    for body in kinds["stadium"]:
        body.facts |= {"named_after": world.person(country), "capacity": world.count(4_000, 61_000)}
    for body in kinds["museum"]:
        body.facts["founder"] = world.person(country, "industrialist|painter")
    for body in kinds["theatre"]:
        body.facts["director"] = world.person(country, "actor|conductor|composer")
    for body in kinds["bridge"]:
        body.facts["river"] = rng.choice(kinds["river"])
    for body in kinds["award"]:
        body.facts |= {"named_after": world.person(country, last=1880), "winner": world.person(country, first=1885)}
        body.facts["presenter"] = world.pick(country, "university")
    for body in kinds["ship"]:
        captain = world.person(country, "explorer")
        body.facts |= {
            "builder": world.pick(country, "company"),
            "captain": captain,
            "port": world.pick(country, "town"),
        }
        body.facts["launched"] = year(world.year_of(captain, 30))
    _add_pairs(world, country)


def _add_pairs(world: World, country: Country) -> None:
    rng, kinds = world.rng, country.by_kind
    ends = rng.sample([t for t in kinds["town"] if not t.homonym], 2 * len(kinds["line"]))
    for i, line in enumerate(kinds["line"]):
        engineer = world.person(country, "engineer")
        line.facts |= {"ends": (ends[2 * i], ends[2 * i + 1]), "engineer": engineer}
        line.facts |= {
            "opened": year(world.year_of(engineer, 28)),
            "length": world.measure(18, 190, "kilometres", "km"),
        }
    regions = rng.sample(kinds["region"], 4)
    for i, treaty in enumerate(kinds["treaty"]):
        negotiator = world.person(country, "politician")
        treaty.facts |= {"parties": (regions[2 * i], regions[2 * i + 1]), "signed_at": world.pick(country, "town")}
        treaty.facts |= {"negotiator": negotiator, "signed": world.date(world.year_of(negotiator, 30))}
    sides = [(a, b) for i, a in enumerate(kinds["club"]) for b in kinds["club"][i + 1 :]]
    cup = world.namer.word(country.grammar, country.grammar.towns)
    for pair in rng.sample(sides, 4):
        scorer = world.person(country, "footballer")
        name = f"{world.year_of(scorer, 19)} {cup} Cup Final"
        while fold(name) in world.titles:
            name = f"{int(name[:4]) + 1} {cup} Cup Final"
        final = world.add("final", name, country)
        final.facts |= {
            "sides": pair,
            "scorer": scorer,
            "stadium": world.pick(country, "stadium"),
            "crowd": world.count(6_000, 70_000),
        }


def add_works(world: World, country: Country) -> None:
    """Novels, paintings, operas, films, albums and orchestral works; a few films bear the title of a novel."""
    rng = world.rng
    works = "novel painting opera film album symphony".split()
    for kind in works:
        for i in range(COUNTS[kind]):
            if kind == "film" and i < 3:
                novel = country.by_kind["novel"][i]
                world.add(kind, novel.name, country, homonym=True)
                novel.homonym = True
            else:
                _make(world, country, kind)
    creators = {
        "novel": ("author", "novelist"), "painting": ("artist", "painter"), "opera": ("composer", "composer"),
        "film": ("director", "film director"), "album": ("performer", "singer"), "symphony": ("composer", "composer"),
    }  # fmt: skip
    for kind in works:
        relation, occupation = creators[kind]
        for work in country.by_kind[kind]:
            creator = world.person(country, occupation)
            made = world.year_of(creator)
            work.facts |= {relation: creator, **_work_facts(world, country, kind, made)}
            for optional in ("dedicated", "sitter", "based_on", "studio_town"):
                if optional in work.facts and (work.facts[optional] is creator or rng.random() < 0.35):
                    del work.facts[optional]


def _work_facts(world: World, country: Country, kind: str, made: int) -> dict[str, Thing | Literal]:
    """What is true of a work besides its creator; persons are alive when it is made."""

    def alive(occupations: str = "") -> Thing:
        return world.person(country, occupations, first=made - 60, last=made - 15)

    facts: dict[str, Thing | Literal] = {"premiere": world.date(made)} if kind == "opera" else {"year": year(made)}
    if kind == "novel":
        facts |= {"publisher": world.pick(country, "publisher"), "setting": world.pick(country, "town")}
    elif kind == "painting":
        facts |= {"museum": world.pick(country, "museum"), "sitter": alive()}
    elif kind == "opera":
        facts |= {"librettist": alive("novelist"), "venue": world.pick(country, "theatre")}
    elif kind == "film":
        facts |= {"star": alive("actor"), "studio": world.pick(country, "studio")}
        facts["based_on"] = world.pick(country, "novel")
    elif kind == "album":
        facts |= {"label": world.pick(country, "label"), "studio_town": world.pick(country, "town")}
    else:
        facts["orchestra"] = world.pick(country, "orchestra")
    return facts | ({"dedicated": alive()} if kind in ("novel", "symphony") else {})
