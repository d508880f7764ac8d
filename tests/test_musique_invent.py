import copy
import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from data_build.musique.invent import check, invent
from data_build.musique.invent_checks import hop_query
from data_build.musique.names import GRAMMARS, fold, real_words
from data_build.musique.passages import write_passages
from data_build.musique.phrases import KINDS, SLOTS
from data_build.musique.populate import populate
from data_build.musique.world import Literal

REAL = Path(__file__).parents[2] / "shared" / "data"


@cache
def rows() -> list[dict]:
    return invent(0)


def pool(data: list[dict]) -> list[tuple[str, str]]:
    return sorted({(p["title"], p["paragraph_text"]) for row in data for p in row["paragraphs"]})


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_rows_are_sound_and_made_in_time(seed: int) -> None:
    start = time.perf_counter()
    data = invent(seed)
    assert time.perf_counter() - start < 20
    assert check(data) == []
    shapes = Counter(row["id"].split("__")[0] for row in data)
    assert shapes == {"2hop": 156, "3hop1": 72, "3hop2": 21, "4hop1": 28, "4hop2": 9, "4hop3": 14}


def test_one_seed_one_world_in_another_process_too() -> None:
    program = "import json; from data_build.musique.invent import invent; print(json.dumps(invent(0)))"
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True)
    assert json.loads(done.stdout) == rows()
    other = invent(3)
    titles = {title for title, _ in pool(rows())}
    assert len(titles & {title for title, _ in pool(other)}) < 0.03 * len(titles)
    assert not {row["question"] for row in rows()} & {row["question"] for row in other}


def test_every_passage_of_the_world_is_used_and_states_each_fact_once() -> None:
    world = populate(0)
    passages = write_passages(world)
    assert {(p.title, p.text) for p in passages} == set(pool(rows()))
    stated = Counter((p.thing.number, relation) for p in passages for relation in p.states)
    assert set(stated.values()) == {1}
    assert set(stated) == {(t.number, r) for t in world.things if t.kind in KINDS for r in t.facts}
    for passage in passages:
        for relation in passage.states:
            value = passage.thing.facts[relation]
            for part in value if isinstance(value, tuple) else (value,):
                assert (part.text if isinstance(part, Literal) else part.name) in passage.text


def test_pair_relations_hold_for_one_thing_only() -> None:
    pairs = Counter(
        (t.kind, relation, frozenset(part.number for part in value))
        for t in populate(0).things
        for relation, value in t.facts.items()
        if isinstance(value, tuple)
    )
    assert len(pairs) > 50
    assert set(pairs.values()) == {1}


def test_titles_are_shared_as_in_the_real_data() -> None:
    titles = Counter(title for title, _ in pool(rows()))
    assert sum(n > 1 for n in titles.values()) > 200
    world = populate(0)
    by_name: dict[str, set[str]] = {}
    for thing in world.things:
        by_name.setdefault(thing.name, set()).add(f"{thing.kind} {thing.occupation} {thing.number}")
    assert sum(len(things) > 1 for things in by_name.values()) >= 40


def test_answers_are_of_many_kinds() -> None:
    world = populate(0)
    kinds = {thing.name: thing.kind for thing in world.things}
    found = Counter(kinds.get(row["answer"], "literal") for row in rows())
    assert found["literal"] < 0.5 * len(rows())
    assert len(found) >= 12
    assert found["person"] > 40 and found["town"] > 20


def test_names_are_not_real_words() -> None:
    real = real_words()
    assert {"stockholm", "london", "andersson", "smith", "garden"} <= real
    generic = {w for kind in KINDS.values() for w in fold(kind.noun).split()} | {w for v in SLOTS.values() for w in v}
    for thing in populate(0).things:
        if thing.kind == "person":
            assert not set(fold(thing.name).split()) & (real | generic), thing.name


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder shared/data with the real rows is absent")
def test_names_do_not_occur_in_real_passages() -> None:
    with gzip.open(REAL / "musique_passages.jsonl.gz", "rt", encoding="utf-8") as file:
        known = {word for line in file for word in fold(" ".join(map(str, json.loads(line).values()))).split()}
    names = {w for t in populate(0).things if t.kind in ("person", "town", "country") for w in fold(t.name).split()}
    names -= {"north", "south", "upper", "lower", "new", "old", "great", "little", "a", "ua", "ato", "sur"}
    assert len(names) > 500
    assert sorted(names & known) == []


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder shared/data with the real rows is absent")
def test_format_is_that_of_the_real_rows() -> None:
    with gzip.open(REAL / "musique_ans_dev_with_paragraphs.jsonl.gz", "rt", encoding="utf-8") as file:
        real = json.loads(file.readline())
    ours = rows()[0]

    def shape(value: object) -> object:
        if isinstance(value, dict):
            return {key: shape(item) for key, item in value.items()}
        return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__

    assert shape(ours | {"answer_aliases": ["x"]}) == shape(real | {"answer_aliases": ["x"]})
    assert list(ours) == list(real)


def test_a_search_finds_hops_one_by_one_but_not_at_once() -> None:
    passages = pool(rows())
    place = {passage: i for i, passage in enumerate(passages)}
    index = BM25Okapi([re.findall(r"[^\W_]+", f"{title} {text}".lower()) for title, text in passages])

    def top(query: str) -> set[int]:
        return set(np.argsort(-index.get_scores(re.findall(r"[^\W_]+", query.lower())), kind="stable")[:5].tolist())

    whole: dict[bool, list[bool]] = {True: [], False: []}
    single: dict[int, list[bool]] = {}
    for row in rows()[:120]:
        at_once = top(row["question"])
        for i, step in enumerate(row["question_decomposition"]):
            paragraph = row["paragraphs"][step["paragraph_support_idx"]]
            gold = place[paragraph["title"], paragraph["paragraph_text"]]
            whole["#" not in step["question"]].append(gold in at_once)
            single.setdefault(i, []).append(gold in top(hop_query(row, i)))
    assert np.mean(whole[True]) > 0.65
    assert np.mean(whole[False]) < 0.15
    assert all(np.mean(found) > 0.85 for found in single.values())


def _step(row: dict, i: int = 0) -> dict:
    return row["question_decomposition"][i]


def _gold(row: dict, i: int = 0) -> dict:
    return row["paragraphs"][_step(row, i)["paragraph_support_idx"]]


def _add_text(paragraph: dict, text: str) -> None:
    paragraph["paragraph_text"] += f" {text}"


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda r: r[0].pop("answerable"), "the keys are"),
        (lambda r: r[0].update(id=r[0]["id"].replace("hop", "jump")), "does not fit"),
        (lambda r: r[0].update(id=r[0]["id"] + "1"), "not made of the ids"),
        (lambda r: _gold(r[0]).update(is_supporting=False), "is_supporting"),
        (lambda r: r[0]["paragraphs"].pop(), "idx is not 0 to 19"),
        (lambda r: r[0]["paragraphs"][3].update(r[0]["paragraphs"][4], idx=3), "a paragraph occurs twice"),
        (lambda r: r[0].update(answer="nobody"), "not that of the last hop"),
        (lambda r: r[0].update(answerable=False), "answerable is not true"),
        (lambda r: _step(r[0]).update(question="Who wrote #2?"), "hop 1 does not refer to []"),
        (lambda r: _gold(r[0]).update(paragraph_text="word " * 50), "lacks"),
        (lambda r: _gold(r[0]).update(paragraph_text=f"{_step(r[0])['answer']} is short."), "words"),
        (lambda r: r[0].update(question=f"Who is {_step(r[0])['answer']}?"), "the question names"),
        (lambda r: r[0].update(question=r[0]["question"].lower()), "capital letter"),
        (lambda r: r[0].update(question=r[0]["question"] + "?"), "one question mark"),
        (lambda r: r[0].update(answer_aliases=[r[0]["answer"]]), "an alias is empty or repeated"),
        (lambda r: r[0].update(answer_aliases=["—"]), "an alias is empty or repeated"),
        (lambda r: r[0].update(answer_aliases=[r[1]["paragraphs"][0]["title"]]), "could mean"),
        (lambda r: _add_text(_gold(r[0]), r[0]["answer"]), "already shows"),
        (lambda r: r.append(copy.deepcopy(r[0])), "occurs 2 times"),
        (lambda r: r.__delitem__(slice(100, None)), "100 questions"),
        (lambda r: r.__setitem__(slice(None), [x for x in r if x["id"][0] != "4"]), "0 of"),
    ],
)  # fmt: skip
def test_broken_rows_are_found(damage: Callable[[list[dict]], object], problem: str) -> None:
    data = [*copy.deepcopy(rows()[:2]), *rows()[2:]]
    damage(data)
    found = check(data)
    assert any(problem in line for line in found), found[:3]


def test_a_conflicting_statement_is_found() -> None:
    data = copy.deepcopy(rows())
    row = data[0]
    gold = _gold(row)
    other = next(p for p in row["paragraphs"] if not p["is_supporting"])
    text = gold["paragraph_text"].replace(_step(row)["answer"], "Zzyx")
    other.update(title=gold["title"], paragraph_text=text)
    assert any("also tells ['Zzyx']" in line for line in check(data))


def test_two_answers_to_one_question_are_found() -> None:
    data = copy.deepcopy(rows())
    firsts = [row for row in data if row["id"].startswith("2hop")]
    _step(firsts[0])["question"] = _step(firsts[1])["question"]
    assert _step(firsts[0])["answer"] != _step(firsts[1])["answer"]
    assert any("has the answers" in line for line in check(data))


def test_every_relation_can_be_stated_and_asked() -> None:
    assert len(GRAMMARS) == 8
    for kind in KINDS.values():
        for relation in kind.relations.values():
            assert len(relation.asks) >= 2, (kind.name, relation.name)
            assert all(ask.endswith("?") and "{x}" in ask for ask in relation.asks)
            assert relation.is_literal or len(relation.phrases) >= 2
            assert relation.says or relation.name in ("birth_year", "death_year")
