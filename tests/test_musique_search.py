import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import verifiers.v1 as vf
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from musique_search import checks
from musique_search.checks import check_task, filled, states
from musique_search.corpus import Corpus, Passage, build_corpus, open_corpus
from musique_search.prompts import EXAMPLE_NAMES, PROMPTS
from musique_search.report import HopRecall, hop_recall, report
from musique_search.taskset import MusiqueData, MusiqueSearchConfig, MusiqueSearchTaskset, MusiqueTask, shared_corpus
from musique_search.tools import (
    NO_QUERY,
    NO_WORDS,
    NOTHING_FOUND,
    SearchConfig,
    SearchTools,
    Text,
    passage_id,
    show,
    shown,
)
from scripted_server import Reply, Request, serve

README = (Path(__file__).parents[1] / "environments/musique_search/README.md").read_text(encoding="utf-8")
SHARED = Path(__file__).parents[2] / "shared" / "data"
TOP_K = 3
"""Not the default, so that a wrong value in the server's process shows."""


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    """A cache of our own, for this process and its children; the corpus is built in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        shared_corpus.cache_clear()
        yield


def load(**config: object) -> list[MusiqueData]:
    return [task.data for task in MusiqueSearchTaskset(MusiqueSearchConfig.model_validate(config))]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return shared_corpus("invented")


def test_split_selects_rows_and_key_is_the_id(corpus: Corpus) -> None:
    everything = MusiqueSearchTaskset(MusiqueSearchConfig(split="all"))
    keys = [task.key for task in everything]
    assert len(keys) == len(set(keys)) == corpus.manifest.questions == len(load(split="all"))
    assert set(keys) == {question.id for question in corpus.questions}
    train, validation = ({row.id for row in load(split=split)} for split in ("train", "validation"))
    assert train and validation and not train & validation and train | validation == set(keys)
    assert len(validation) == round(0.1 * len(keys))
    assert {row.id for row in load()} == validation
    assert {len(row.hops) for row in load(split="all")} == {2, 3, 4}


def test_seed_decides_the_order_and_nothing_else() -> None:
    first, again, other = load(split="all"), load(split="all"), load(split="all", seed=1)
    assert first == again
    assert [row.id for row in first] != [row.id for row in other]
    assert sorted(str(row.id) for row in first) == sorted(str(row.id) for row in other)
    assert [row.idx for row in other] == list(range(len(other)))


def test_task_data_names_the_supporting_passages_in_hop_order(corpus: Corpus) -> None:
    for row in load(split="all"):
        assert [hop.passage for hop in row.hops] == row.supporting
        for hop in row.hops:
            assert hop.passage is not None
            assert hop.passage_id == passage_id(*corpus.passages[hop.passage])
        assert row.prompt == row.question and row.hops[-1].answer == row.answer


def test_every_row_is_sound(corpus: Corpus) -> None:
    assert {row.id: found for row in load(split="all") if (found := check_task(row, corpus))} == {}


def change_hop(row: MusiqueData, number: int, **update: object) -> dict:
    hops = list(row.hops)
    hops[number] = hops[number].model_copy(update=update)
    return {"hops": hops}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda r: change_hop(r, 0, question="Who is the spouse of #2?"), "hop 1 refers to #2"),
        (lambda r: change_hop(r, 1, question="Who is the spouse of #0?"), "hop 2 refers to #0"),
        (lambda r: change_hop(r, 1, passage=10**9), "hop 2 names passage 1000000000"),
        (lambda r: change_hop(r, 0, passage_id="0" * 16), "in a tool result is not 0000000000000000"),
        (lambda r: change_hop(r, 0, answer="Lake Vättern"), "does not state 'Lake Vättern'"),
        (lambda r: {"supporting": r.supporting[:1]}, "the hops name the passages"),
    ],
)
def test_an_unsound_row_is_found(change: Callable[[MusiqueData], dict], problem: str, corpus: Corpus) -> None:
    row = load()[0]
    found = check_task(row.model_copy(update=change(row)), corpus)
    assert any(problem in p for p in found), found


def test_a_reward_that_accepts_anything_is_found(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    monkeypatch.setattr(checks, "exact_match", lambda reply, golds: 1.0)
    found = check_task(load()[0], corpus)
    assert any("the gold of" in p for p in found) and any("the reply None scores 1" in p for p in found)


def test_validate_raises_with_the_row_and_the_reason() -> None:
    row = load()[0]
    runtime: vf.Runtime = None  # ty: ignore[invalid-assignment]  # not used
    assert asyncio.run(MusiqueTask(row).validate(runtime))
    broken = row.model_copy(update=change_hop(row, 0, answer="Lake Vättern"))
    with pytest.raises(ValueError, match=rf"^{row.id}: hop 1: passage \d+ does not state 'Lake Vättern'"):
        asyncio.run(MusiqueTask(broken).validate(runtime))


def test_unusable_values_of_the_config_are_refused() -> None:
    for bad in ({"split": "test"}, {"prompt": "long"}, {"top_k": 0}, {"turn_budget": 1}):
        with pytest.raises(ValidationError, match=next(iter(bad))):
            MusiqueSearchConfig.model_validate(bad)
    with pytest.raises(ValueError, match="corpus: 'nowhere' is neither invented"):
        load(corpus="nowhere")


def made_up_rows() -> list[dict]:
    """22 two-hop questions over 44 passages: person → town → river. The second hop cannot be reached at once."""
    rows = []
    for i in range(22):
        person, town, river = f"Orvex{i}", f"Tallby{i}", f"Wemra{i}"
        texts = [(person, f"{person} was born in {town} ."), (town, f"{town} lies on the river {river} .")]
        rows.append(
            {
                "id": f"2hop__{i}_{i}",
                "question": f"Which river flows through the birthplace of {person}?",
                "answer": river,
                "answer_aliases": [],
                "paragraphs": [
                    {"idx": j, "title": title, "paragraph_text": text, "is_supporting": True}
                    for j, (title, text) in enumerate(texts)
                ],
                "question_decomposition": [
                    {"id": 1, "question": f"Where was {person} born?", "answer": town, "paragraph_support_idx": 0},
                    {"id": 2, "question": "#1 >> river", "answer": river, "paragraph_support_idx": 1},
                ],
            }
        )
    return rows


def made_up(folder: Path, rows: list[dict]) -> Path:
    build_corpus(rows, folder, source={"kind": "test"})
    return folder


def test_unusable_gold_is_refused_with_its_row(tmp_path: Path) -> None:
    rows = made_up_rows()
    rows[3]["answer"] = "–"
    with pytest.raises(ValueError, match=r"(?s)question 2hop__3_3: .*golds: '–' has no letter or digit"):
        load(corpus=str(made_up(tmp_path / "corpus", rows)), split="all")


def test_a_corpus_without_its_index_is_refused_before_any_server_starts(tmp_path: Path) -> None:
    folder = made_up(tmp_path / "corpus", made_up_rows())
    (folder / "index/index.json").unlink()
    with pytest.raises(ValueError, match="search index"):
        load(corpus=str(folder))


def test_a_hop_without_a_known_passage_is_loaded_and_checked(tmp_path: Path) -> None:
    rows = made_up_rows()
    rows[0]["question_decomposition"][1]["paragraph_support_idx"] = None
    rows[0]["gold_in_corpus"] = True
    folder = made_up(tmp_path / "corpus", rows)
    row = next(row for row in load(corpus=str(folder), split="all") if row.id == "2hop__0_0")
    assert [hop.passage for hop in row.hops] == [row.supporting[0], None]
    assert check_task(row, open_corpus(folder)) == []
    assert [(r.hop, r.known) for r in hop_recall(open_corpus(folder), 2)] == [("1", 22), ("2", 21), ("all", 21)]


def test_the_report_counts_what_both_queries_find(tmp_path: Path) -> None:
    corpus = open_corpus(made_up(tmp_path / "corpus", made_up_rows()))
    first, second, every = hop_recall(corpus, 1)
    assert first == HopRecall(hops=2, hop="1", known=22, by_hop=22, by_question=22)
    # `river` finds the first town that names one, `birthplace` nothing: the town's own name is needed.
    assert (second.hop, second.known, second.by_question) == ("2", 22, 0)
    assert every.by_hop == second.by_hop > 0 and every.by_question == 0
    table = report(corpus, 1).splitlines()
    assert table[0] == "22 questions, 44 passages, top 1"
    assert table[4] == "| 2-hop | 1 | 22 | 100.0% | 100.0% |" and table[-3] == "| all | 1 | 22 | 100.0% | 100.0% |"


def test_the_bridge_is_filled_in() -> None:
    row = next(row for row in load(split="all") if len(row.hops) == 4)
    for number, hop in enumerate(row.hops):
        query = filled(row.hops, number)
        assert "#" not in query
        for reference in re.findall(r"#(\d)", hop.question):
            assert row.hops[int(reference) - 1].answer in query


def test_states_reads_whole_words_only() -> None:
    assert states("Born in Malmö, Sweden.", "malmo") and states("the U.S. Army", "U.S.")
    assert not states("Malmöhus", "Malmö") and not states("a b", "b a")


def test_later_hops_need_what_earlier_ones_reveal(corpus: Corpus) -> None:
    rows = {(row.hops, row.hop): row for row in hop_recall(corpus, 5)}
    for hops in (2, 3, 4):
        first = rows[hops, "1"]
        for later in range(2, hops + 1):
            assert rows[hops, str(later)].by_question / rows[hops, str(later)].known < first.by_question / first.known
        assert rows[hops, "all"].by_hop > rows[hops, "all"].by_question


@pytest.mark.skipif(not SHARED.is_dir(), reason="shared/data with the real MuSiQue rows is absent")
def test_real_rows_are_sound_but_for_seven_bridges() -> None:
    rows = load(corpus=str(SHARED), split="all")
    real = shared_corpus(str(SHARED))
    assert len(rows) == real.manifest.questions == 1662 and real.manifest.uncovered == 755
    found = {row.id: problems for row in rows if (problems := check_task(row, real))}
    assert len(found) == 7 and all(len(p) == 1 and " does not state " in p[0] for p in found.values())


@pytest.mark.parametrize("prompt", sorted(PROMPTS))
def test_pk_14_prompt_states_the_format_that_the_reward_reads(prompt: str) -> None:
    text = str(load(prompt=prompt)[0].system_prompt)
    assert "<<Lake Vättern>>" in text and "Only the last <<...>>" in text and "the answer alone" in text
    assert "<<answer>>" not in text.lower()
    assert "{" not in text


def test_detailed_prompt_announces_the_turn_budget() -> None:
    assert "You have 16 turns." in str(load(prompt="detailed", turn_budget=16)[0].system_prompt)
    assert "turns" not in str(load()[0].system_prompt)


@pytest.mark.parametrize("source", ["invented", str(SHARED)], ids=["invented", "shared"])
def test_examples_in_the_prompts_are_not_in_the_data(source: str) -> None:
    if source != "invented" and not SHARED.is_dir():
        pytest.skip("shared/data with the real MuSiQue rows is absent")
    data = shared_corpus(source)
    assert all(name in PROMPTS["detailed"] for name in EXAMPLE_NAMES)
    texts = [f"{p.title}\n{p.text}" for p in data.passages] + [q.question for q in data.questions]
    for name in EXAMPLE_NAMES[1:]:  # the lake is real
        assert not any(name.casefold() in text.casefold() for text in texts), name
    assert not any("Vättern" in f"{q.question} {q.answer}" for q in data.questions)


def tools(**config: object) -> SearchTools:
    server = SearchTools(SearchConfig.model_validate(config))
    asyncio.run(server.setup())
    return server


def test_search_shows_ranked_titles_and_texts_and_nothing_else(corpus: Corpus) -> None:
    server = tools(top_k=4)
    row = load()[0]
    query = filled(row.hops, 0)
    numbers = [number for number, _ in corpus.index.search(query, 4)]
    assert len(numbers) == 4
    result = server.search(query)
    blocks = [block.split("\n") for block in result.split("\n\n")]
    assert blocks == [
        [f"[{rank}] {' '.join(corpus.passages[n].title.split())}", " ".join(corpus.passages[n].text.split())]
        for rank, n in enumerate(numbers, start=1)
    ]
    assert shown(result) == [passage_id(*corpus.passages[n]) for n in numbers]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", NO_QUERY),
        ("  \n", NO_QUERY),
        ("?!–", NO_WORDS),
        ("zqxjk vvkwq", NOTHING_FOUND),
    ],
)
def test_a_query_that_finds_nothing_gets_advice(query: str, message: str) -> None:
    assert tools().search(query) == message
    assert shown(message) == []


@pytest.mark.parametrize(
    ("sent", "query"),
    [("Lund", "Lund"), (1912, "1912"), (1912.0, "1912"), (None, ""), (["Lund", 1912], "Lund 1912"), (True, "true")],
)
def test_any_json_value_is_a_query(sent: object, query: str) -> None:
    assert TypeAdapter(Text).validate_python(sent) == query


def test_the_server_gets_corpus_and_top_k_of_the_taskset() -> None:
    config = MusiqueSearchConfig.model_validate(
        {"corpus": "validation", "top_k": 7, "tools": {"url": "http://localhost:9000/mcp"}}
    )
    (server,) = MusiqueSearchTaskset.toolsets(config)
    sent = SearchConfig.model_validate_json(server.config.model_dump_json())
    assert (sent.corpus, sent.top_k, sent.url) == ("validation", 7, "http://localhost:9000/mcp")


def test_the_server_gets_a_path_that_holds_in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up(tmp_path / "train", made_up_rows())
    monkeypatch.chdir(tmp_path)
    for corpus, sent in (("train", str(tmp_path / "train")), ("validation", "validation"), ("invented", "invented")):
        (server,) = MusiqueSearchTaskset.toolsets(MusiqueSearchConfig(corpus=corpus))
        assert isinstance(server.config, SearchConfig) and server.config.corpus == sent
    assert len(load(corpus="train", split="all")) == 22


pieces = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(st.tuples(pieces, pieces.filter(str.split)), min_size=1, max_size=4))
def test_any_passage_is_recognised_in_a_tool_result(passages: list[tuple[str, str]]) -> None:
    hits = [Passage(*p) for p in passages]
    assert shown(show(hits)) == [passage_id(*p) for p in passages]


def test_passage_id_ignores_typing_and_nothing_else() -> None:
    assert passage_id("Malmö", "a  b\n") == passage_id("Malmo\u0308", "a b")
    different = {passage_id(*p) for p in [("Malmö", "a b"), ("Malmo", "a b"), ("Malmö", "ab"), ("", "Malmö a b")]}
    assert len(different) == 4


ROLES = ("right", "alias", "near", "wrong", "no block", "think", "turn cap", "bad queries", "bad calls")


@pytest.fixture(scope="module")
def cast() -> dict[str, MusiqueData]:
    """The first rows by the part that the scripted model plays on them; the row for an alias has one."""
    rows = load()
    alias = next(i for i, row in enumerate(rows) if row.aliases)
    assert alias < 30
    rest = [row for i, row in enumerate(rows) if i != alias]
    return {"alias": rows[alias], **dict(zip([role for role in ROLES if role != "alias"], rest, strict=False))}


def play(role: str, row: MusiqueData, turn: int) -> Reply:
    """The scripted model's turn: each hop's true query, then a reply, unless the part says otherwise."""
    calls = [("search", json.dumps({"query": filled(row.hops, i)})) for i in range(len(row.hops))]
    if role == "turn cap":
        return Reply(f"<<{row.answer}>>", calls=[("search", f'{{"query": "again {turn}"}}')])
    if role == "bad queries":
        calls = [("search", json.dumps({"query": query})) for query in ("", " ?", "zqxjk vvkwq", None)]
    if role == "bad calls":
        calls = [("search", '{"query": "'), ("search", "{}"), ("look_up", '{"query": "a"}'), ("search", '["a"]')]
        return Reply(calls=calls) if turn == 0 else Reply(f"<<{row.answer}>>")
    if turn < len(calls):
        return Reply("thinking of <<Nowhere>>", calls=[calls[turn]])
    replies = {
        "right": f"I thought of <<Nowhere>>. It is <<{row.answer.upper()}>>",
        "alias": f"<<{row.aliases[-1] if row.aliases else ''}>>",
        "near": f"<<the well-known {row.answer}>>",
        "wrong": f"<<Nowhere>> {row.answer}",
        "no block": row.answer,
        "think": f"<think>It is <<{row.answer}>>.</think>That is all.",
        "bad queries": f"<<{row.answer}>>",
    }
    return Reply(replies[role])


@pytest.fixture(scope="module")
def traces(cast: dict[str, MusiqueData], tmp_path_factory: pytest.TempPathFactory) -> dict[str, vf.WireTrace]:
    """Traces by part of one `vf-eval musique-search`."""
    parts = {row.question: (role, row) for role, row in cast.items()}

    def reply(request: Request) -> Reply:
        return play(*parts[request.prompt], request.turn)

    out = tmp_path_factory.mktemp("eval")
    with serve(reply) as server:
        command = [Path(sys.executable).parent / "vf-eval", "musique-search", "-m", "scripted", "--no-push"]
        command += ["--client.base-url", server.url, "-o", out, "--run.dir", "run", f"--env.taskset.top-k={TOP_K}"]
        command += ["--select.include.ids", json.dumps([row.id for row in cast.values()])]
        subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=out)
    lines = (out / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    episodes = [vf.WireEpisode.model_validate_json(line) for line in lines]
    assert all(episode.ok for episode in episodes)
    by_key = {episode.task.key: episode.traces[0] for episode in episodes}
    return {role: by_key[str(row.id)] for role, row in cast.items()}


def scores(trace: vf.WireTrace) -> dict[str, float]:
    return {name: reward.score for name, reward in trace.rewards.items() if reward is not None}


@pytest.mark.parametrize(
    ("role", "exact", "answered", "truncated"),
    [
        ("right", 1, 1, 0),
        ("alias", 1, 1, 0),
        ("near", 0, 1, 0),
        ("wrong", 0, 1, 0),
        ("no block", 0, 0, 0),
        ("think", 0, 0, 0),
        ("turn cap", 0, 0, 1),
        ("bad queries", 1, 1, 0),
        ("bad calls", 1, 1, 0),
    ],
)
def test_only_the_final_block_is_rewarded(
    role: str, exact: int, answered: int, truncated: int, traces: dict[str, vf.WireTrace]
) -> None:
    trace = traces[role]
    assert trace.reward == scores(trace)["exact_match"] == exact
    assert (trace.metrics["answered"], trace.metrics["truncated"]) == (answered, truncated)
    if role == "near":
        assert 0 < scores(trace)["partial_credit"] < 1 and 0 < (trace.metrics["unigram_f1"] or 0) < 1
    else:
        assert scores(trace)["partial_credit"] == trace.metrics["unigram_f1"] == exact


def test_each_search_is_counted_and_its_passages_are_recognised(
    traces: dict[str, vf.WireTrace], cast: dict[str, MusiqueData], corpus: Corpus
) -> None:
    for role in ("right", "alias", "wrong", "no block", "think"):
        row, trace = cast[role], traces[role]
        hits = {n for i in range(len(row.hops)) for n, _ in corpus.index.search(filled(row.hops, i), TOP_K)}
        found = {f"hop{i}": float(hop.passage in hits) for i, hop in enumerate(row.hops, start=1)}
        assert {name: value for name, value in trace.metrics.items() if name.startswith("hop")} == found
        assert trace.metrics["gold_recall"] == sum(found.values()) / len(found)
        assert trace.metrics["search_calls"] == len(row.hops)
        assert [len(shown(str(m.content))) for m in trace.tool_messages] == [TOP_K] * len(row.hops)
    assert any(traces[role].metrics["gold_recall"] == 1 for role in ROLES)


def test_a_turn_cap_leaves_no_reply(traces: dict[str, vf.WireTrace]) -> None:
    trace = traces["turn cap"]
    assert trace.stop_condition == "max_turns" and trace.metrics["search_calls"] == 8


def test_faulty_queries_get_advice_and_the_rollout_goes_on(traces: dict[str, vf.WireTrace]) -> None:
    trace = traces["bad queries"]
    assert [m.content for m in trace.tool_messages] == [NO_QUERY, NO_WORDS, NOTHING_FOUND, NO_QUERY]
    assert trace.metrics["gold_recall"] == trace.metrics["hop1"] == 0


def test_faulty_calls_get_advice_and_the_rollout_goes_on(traces: dict[str, vf.WireTrace]) -> None:
    trace = traces["bad calls"]
    results = [str(m.content) for m in trace.tool_messages]
    assert len(results) == 4 and all("error" in result.lower() for result in results)
    assert not any("Traceback" in result for result in results)
    assert trace.metrics["search_calls"] == 3


@pytest.mark.parametrize("role", ROLES)
def test_with_partial_credit_a_right_answer_scores_1_3_and_a_wrong_one_less_than_0_3(
    role: str, traces: dict[str, vf.WireTrace], cast: dict[str, MusiqueData]
) -> None:
    trace = traces[role].model_copy(deep=True)
    task = MusiqueTask(cast[role], vf.TaskConfig.model_validate({"rewards": {"partial_credit": {"weight": 0.3}}}))
    asyncio.run(task.score(trace))  # ty: ignore[invalid-argument-type]
    assert trace.reward == 1.3 if scores(trace)["exact_match"] else trace.reward < 0.3
    assert trace.metrics == traces[role].metrics


def test_readme_shows_five_rows_of_the_data() -> None:
    found = re.findall(r"^\*\*(\w+)\*\* · gold: (.+)\n> (.+)\n\n((?:\d\. .+\n)+)", README, re.M)
    by_id = {row.id: row for row in load(split="all")}
    assert len(found) == 5
    for identity, golds, question, steps in found:
        row = by_id[identity]
        assert re.findall(r"`(.+?)`", golds) == row.golds and question == row.question
        assert [step[3:] for step in steps.splitlines()] == [f"{hop.question} → {hop.answer}" for hop in row.hops]


def test_readme_shows_the_report_and_every_config_key(corpus: Corpus) -> None:
    for line in report(corpus, 5).splitlines()[4:]:
        assert line in README
    own = set(MusiqueSearchConfig.model_fields) - set(vf.TasksetConfig.model_fields)
    for key in own:
        assert re.search(rf"^\| `{key}(\.\w+)?` \|", README, re.M), key
