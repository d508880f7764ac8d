"""Fills a world: countries, places, persons, works, bodies and their facts, in that order."""

from __future__ import annotations

import unicodedata

from data_build.musique.names import fold
from data_build.musique.populate_bodies import add_bodies, add_works
from data_build.musique.world import Country, Literal, Thing, World, year

OCCUPATIONS = {  # number a country, first and last year of birth
    "novelist": (16, 1790, 1925), "painter": (13, 1760, 1925), "composer": (12, 1780, 1920),
    "film director": (9, 1885, 1940), "actor": (10, 1890, 1945), "singer": (8, 1900, 1945),
    "architect": (8, 1790, 1920), "engineer": (9, 1790, 1910), "politician": (14, 1780, 1920),
    "industrialist": (12, 1790, 1920), "conductor": (5, 1840, 1930), "footballer": (9, 1885, 1945),
    "explorer": (5, 1770, 1900),
}  # fmt: skip
PREFIXES = ["North", "South", "Upper", "Lower", "New", "Old", "Great", "Little"]


def populate(seed: int) -> World:
    """The whole world of a seed."""
    world = World(seed)
    for country in world.countries:
        add_places(world, country)
    for country in world.countries:
        add_persons(world, country)
    add_homonyms(world)
    for country in world.countries:
        add_families(world, country)
    for country in world.countries:
        add_bodies(world, country)
        add_works(world, country)
    for country in world.countries:
        state_places(world, country)
        state_persons(world, country)
    set_aliases(world)
    return world


def add_places(world: World, country: Country) -> None:
    """The country, its regions, towns (a quarter of them variants of another name) and waters."""
    rng, grammar = world.rng, country.grammar
    name = world.namer.word(grammar, grammar.land, longest=13)
    country.demonym = name.rstrip("aeiou") + "ian"
    world.add("country", name, country)
    if country.index < 3:
        world.add("sea", f"Sea of {world.namer.word(grammar, grammar.towns)}", country)
    for stem in rng.sample(country.stems, 29):
        world.add("town", stem, country)
    for town in rng.sample(country.by_kind["town"], 8):
        world.add("town", f"{rng.choice(PREFIXES)} {town.name}", country)
    for _ in range(6):
        world.add("region", world.free_name(country, ["{w} Province", "{w} County", "{w} District"]), country)
    for _ in range(7):
        world.add("river", world.free_name(country, ["{w} River", "{w} River", "Little {w} River"]), country)
    for _ in range(4):
        world.add("lake", world.free_name(country, ["Lake {w}", "{w} Lake"]), country)
    for _ in range(5):
        world.add("mountain", world.free_name(country, ["Mount {w}", "{w} Peak"]), country)


def add_persons(world: World, country: Country) -> None:
    """Persons of each occupation; names are drawn from small pools, so that many are alike."""
    rng = world.rng
    for occupation, (count, _, _) in OCCUPATIONS.items():
        for _ in range(count):
            female = rng.random() < 0.45
            given, families = world.given(country, female), world.families(country)
            name = f"{rng.choice(given)} {rng.choice(families)}"
            while fold(name) in world.titles:
                name = f"{rng.choice(given)} {rng.choice(families)}"
            if rng.random() < 0.06:
                name += f"-{rng.choice([f for f in families if f not in name])}"
            add_person(world, country, occupation, name, female=female)


def add_person(world: World, country: Country, occupation: str, name: str, **extra: bool) -> None:
    """A person with dates of life that fit the occupation."""
    _, first, last = OCCUPATIONS[occupation]
    born = world.rng.randint(first, last)
    died = min(born + world.rng.randint(46, 90), 2021)
    person = world.add("person", name, country, occupation=occupation, born=born, died=died, **extra)
    person.facts |= {"birth_year": year(born), "death_year": year(died)}


def add_families(world: World, country: Country) -> None:
    """Spouses, fathers and only children; a child takes the family name of the father."""
    rng = world.rng
    persons = [p for p in country.by_kind["person"] if not p.homonym]
    for person in rng.sample(persons, len(persons)):
        match = [p for p in persons if "spouse" not in p.facts and p.female != person.female]
        match = [p for p in match if abs(p.born - person.born) <= 10]
        if "spouse" not in person.facts and match and rng.random() < 0.4:
            other = rng.choice(match)
            person.facts["spouse"], other.facts["spouse"] = other, person
    used: set[int] = set()
    for child in rng.sample(persons, len(persons)):
        fathers = [p for p in persons if not p.female and 24 <= child.born - p.born <= 42 and p.number not in used]
        if not fathers or rng.random() < 0.55 or child.number in used:
            continue
        father = rng.choice(fathers)
        mother = father.facts.get("spouse")
        name = f"{child.name.split()[0]} {father.name.split()[1]}"
        if fold(name) in world.titles or child.facts.get("spouse") is father:
            continue
        world.titles.add(fold(name))
        child.name = name
        used |= {father.number, child.number}
        if isinstance(mother, Thing) and 18 <= child.born - mother.born <= 44:
            child.facts["parents"] = (father, mother)
        else:
            child.facts["father"] = father


def state_places(world: World, country: Country) -> None:
    """Facts of the places; persons and buildings exist by now."""
    rng, kinds = world.rng, country.by_kind
    nation = kinds["country"][0]
    free = rng.sample([t for t in kinds["town"] if not t.homonym], 8)
    nation.facts |= {
        "capital": free[0],
        "currency": Literal(world.namer.word(country.grammar, country.grammar.towns, longest=8).lower()),
        "first_president": (president := world.person(country, "politician", first=1850)),
        "independent": year(world.year_of(president, 35)),
        "anthem": world.person(country, "composer"),
        "highest": kinds["mountain"][0],
    }
    for i, region in enumerate(kinds["region"]):
        region.facts |= {
            "country": nation,
            "seat": free[i + 1],
            "area": world.measure(900, 9_900, "square kilometres", "km²"),
        }
        region.facts["governor"] = world.person(country, "politician")
        if i < len(kinds["mountain"]):
            region.facts["peak"] = kinds["mountain"][i]
            kinds["mountain"][i].facts["region"] = region
    seats = {id(r.facts["seat"]): r for r in kinds["region"]}
    for town in kinds["town"]:
        town.facts["region"] = seats.get(id(town)) or rng.choice(kinds["region"])
        town.facts["population"] = world.count(1_100, 98_000)
        if rng.random() < 0.7:
            town.facts["river"] = rng.choice(kinds["river"])
        if rng.random() < 0.45:
            town.facts["founder"] = world.person(country, "politician|industrialist|explorer", last=1850)
        if rng.random() < 0.5:
            town.facts["mayor"] = world.person(country, "politician|industrialist")
        if rng.random() < 0.35:
            town.facts["twin"] = world.pick(country, "town", town)
    for river in kinds["river"]:
        later = kinds["river"][kinds["river"].index(river) + 1 :]
        seas = [s for c in world.countries for s in c.by_kind.get("sea", [])]
        river.facts["mouth"] = rng.choice(rng.choice([group for group in (later, kinds["lake"], seas) if group]))
        river.facts |= {"source": rng.choice(kinds["mountain"]), "length": world.measure(31, 640, "kilometres", "km")}
    shores = rng.sample([t for t in kinds["town"] if not t.homonym], len(kinds["lake"]))
    for lake, town in zip(kinds["lake"], shores, strict=True):
        lake.facts |= {"shore_town": town, "depth": world.measure(21, 310, "metres", "m")}
        lake.facts["surveyor"] = world.person(country, "explorer|engineer")
    top = 4_300
    for mountain in kinds["mountain"]:  # the first one is the highest of the country
        height = world.measure(top - 500, top, "metres", "m")
        top -= 520
        mountain.facts |= {"height": height, "climber": world.person(country, "explorer|engineer|painter")}


def state_persons(world: World, country: Country) -> None:
    """Places, schools, employers, teachers and successors of the persons."""
    rng = world.rng
    for person in country.by_kind["person"]:
        near = {"first": person.born - 45, "last": person.born - 15}
        options: dict[str, Thing] = {
            "birth_place": world.pick(country, "town"),
            "death_place": world.pick(country, "town"),
        }
        if rng.random() < 0.4:
            options["university"] = world.pick(country, "university")
        if rng.random() < 0.25:
            options["employer"] = world.pick(country, rng.choice(["company", "newspaper"]))
        if person.occupation in "novelist painter composer architect conductor actor singer".split():
            options["teacher"] = world.person(country, person.occupation, **near)
        if person.occupation == "politician":
            options["successor"] = world.person(country, "politician", first=person.born + 4, last=person.born + 25)
        if person.occupation == "footballer":
            options["club"] = world.pick(country, "club")
        if person.occupation == "singer":
            options["label"] = world.pick(country, "label")
        gap = {"teacher": (-50, -10), "successor": (3, 30)}
        for relation, value in options.items():
            low, high = gap.get(relation, (-9999, 9999))
            if (
                value is not person
                and rng.random() < 0.8
                and low <= (value.born - person.born if value.born else 0) <= high
            ):
                person.facts[relation] = value


def add_homonyms(world: World) -> None:
    """Persons and towns that share a full title with another one: they occur, but no fact or question uses them."""
    rng = world.rng
    for country in world.countries:
        for first in rng.sample(country.by_kind["person"], 2):
            first.homonym = True
            job = rng.choice([o for o in OCCUPATIONS if o != first.occupation])
            add_person(world, country, job, first.name, female=first.female, homonym=True)
        first = rng.choice([t for t in country.by_kind["town"] if " " not in t.name and not t.homonym])
        first.homonym = True
        other = world.countries[(country.index + 1) % len(world.countries)]
        world.add("town", first.name, other, homonym=True)


def set_aliases(world: World) -> None:
    """Other names of each thing; one that could mean two things is dropped."""
    wanted: dict[int, list[str]] = {}
    owners: dict[str, set[int]] = {}
    for thing in world.things:
        plain = thing.name.split(" ", 1)[1] if thing.kind == "mountain" and thing.name.startswith("Mount ") else ""
        found = {
            "river": [thing.name.removesuffix(" River")],
            "region": [thing.name.rsplit(" ", 1)[0]],
            "lake": [thing.name.removeprefix("Lake ").removesuffix(" Lake")],
            "mountain": [f"Mt. {plain}", f"Mt {plain}"] if plain else [],
            "university": [f"{thing.name.removeprefix('University of ')} University"],
            "company": [thing.name.replace("&", "and")] if "&" in thing.name else [],
        }.get(thing.kind, [])
        region = thing.facts.get("region")
        if thing.kind == "town" and isinstance(region, Thing):
            found.append(f"{thing.name}, {region.name}")
        if thing.article:
            found.append(thing.ref)
        found += [plain for x in [thing.name, *found] if (plain := ascii_name(x)) != x]
        wanted[thing.number] = list(dict.fromkeys(x for x in found if x != thing.name))
        for text in [thing.name, *found]:
            owners.setdefault(fold(text), set()).add(thing.number)
    for thing in world.things:
        thing.aliases = [x for x in wanted[thing.number] if owners[fold(x)] == {thing.number}]


def ascii_name(text: str) -> str:
    """The name without accents, otherwise as written."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
