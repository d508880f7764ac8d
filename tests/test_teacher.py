"""The scripted teacher: its routes reach the gold, and every step follows from the conversation."""

import asyncio
import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from verifiers.v1 import SharedToolsetConfig

from musique_search.taskset import MusiqueSearchConfig, MusiqueSearchTaskset, shared_corpus
from musique_search.tools import NOTHING_FOUND, show
from recipes.teacher import invoices, musique
from recipes.teacher.config import TeacherConfig
from recipes.teacher.conversation import Rollouts, draws, read_conversation
from recipes.teacher.server import MODEL, Teacher, _characters, application, load_teacher
from slm_rewards import exact_match, extra_values, found_values, solved
from supplier_invoices.checks import _TOOLS
from supplier_invoices.taskset import SYSTEM, rows, values_of
from supplier_invoices.tools import InvoiceTools

MONTHS = 12


@pytest.fixture(scope="module")
def teacher() -> Teacher:
    return load_teacher(TeacherConfig())


def with_slips(teacher: Teacher, rate: float, seed: int = 0) -> Teacher:
    return Teacher(teacher.mails, teacher.questions, rate, Rollouts(seed), _characters)


def play(teacher: Teacher, prompt: str, run: Callable[[str, dict], str], system: str = SYSTEM) -> list[dict[str, Any]]:
    """The conversation that the teacher has with a tool loop of eight turns."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    for _ in range(8):
        message = teacher.answer({"model": "m", "messages": messages})["choices"][0]["message"]
        messages.append(message)
        calls = message.get("tool_calls")
        if not calls:
            return messages
        for call in calls:
            function = call["function"]
            content = run(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    raise AssertionError("no reply within eight turns")


TOOLS = InvoiceTools(SharedToolsetConfig())


def run_invoices(name: str, arguments: dict) -> str:
    return _TOOLS[name](TOOLS, **arguments)


def run_search(_name: str, arguments: dict) -> str:
    corpus = shared_corpus("invented")
    hits = corpus.index.search(arguments["query"], 5)
    return show(corpus.passages[number] for number, _ in hits) if hits else NOTHING_FOUND


def arguments_of(messages: list[dict]) -> list[dict]:
    return [json.loads(c["function"]["arguments"]) for m in messages for c in m.get("tool_calls") or []]


def results_of(messages: list[dict]) -> list[str]:
    return [m["content"] for m in messages if m["role"] == "tool"]


def test_every_mail_is_solved_and_says_no_more_than_asked(teacher):
    calls = extra = 0
    for row in rows():
        messages = play(teacher, row.question, run_invoices)
        reply, results = messages[-1]["content"], results_of(messages)
        calls += len(results)
        assert solved(reply, row.gold_values) == 1.0, (row.id, reply)
        shown = [value for result in results for value in values_of(result)]
        stated = found_values(row.question, shown)
        extra += extra_values(reply, shown, [*row.gold_values, *stated])
    assert calls / len(rows()) == pytest.approx(1.42)
    assert extra <= 10  # a city's name within a department's


def test_arguments_and_replies_follow_from_the_conversation(teacher):
    for row in rows()[::7]:
        messages = play(teacher, row.question, run_invoices)
        known = row.question
        given = iter(arguments_of(messages))
        for message in messages[2:]:
            if message["role"] == "tool":
                known += f"\n{message['content']}"
            for _ in message.get("tool_calls") or []:
                for name, value in next(given).items():
                    if name.startswith("period_"):
                        year, month, day = value.split("-")
                        assert year in known, (row.id, value)
                        assert re.search(rf"(?<!\d)0?{int(day)}(?!\d)", known), (row.id, value)
                        assert 1 <= int(month) <= MONTHS
                    else:
                        assert value in known, (row.id, name, value)
        for value in row.gold_values:
            assert value not in messages[1]["content"]
            assert any(value in result for result in results_of(messages))


def test_identifiers_are_copied_as_the_mail_writes_them():
    mail = "Subject: bankgiro 554 0982\n\nIt went to BANKGIRO 5540982, not 15540982. IBAN SE24 0300 0000 62.\n"
    assert invoices.as_written("554-0982", mail) == "5540982"
    assert invoices.as_written("SE240300000062", mail) == "SE24 0300 0000 62"
    assert invoices.as_written("999-1234", mail) == "999-1234"


def test_wordings_vary_and_repeat_with_the_seed(teacher):
    row = rows()[0]
    first, again, other = (with_slips(teacher, 0.0, seed) for seed in (0, 0, 1))
    replies = [[play(t, row.question, run_invoices)[-1]["content"] for _ in range(12)] for t in (first, again, other)]
    assert replies[0] == replies[1] != replies[2]
    assert len(set(replies[0])) >= 6


def test_later_turns_need_no_memory_of_earlier_ones(teacher):
    row = rows()[0]
    one, two = with_slips(teacher, 0.5), with_slips(teacher, 0.5)
    messages = play(one, row.question, run_invoices)
    later = two.answer({"messages": messages[:-1]})
    assert later["choices"][0]["message"] == messages[-1]


def test_a_slip_is_a_wrong_rollout_and_as_frequent_as_told(teacher):
    slipping = with_slips(teacher, 0.25)
    wrong = 0
    for row in rows()[:400]:
        messages = play(slipping, row.question, run_invoices)
        wrong += solved(messages[-1]["content"], row.gold_values) == 0.0
    assert 70 <= wrong <= 130
    always = with_slips(teacher, 1.0)
    for row in rows()[:100]:
        assert solved(play(always, row.question, run_invoices)[-1]["content"], row.gold_values) == 0.0


def test_a_failed_lookup_ends_without_an_invented_value(teacher):
    messages = play(teacher, rows()[0].question, lambda name, arguments: "error: no supplier matches")
    assert len(results_of(messages)) == 1
    assert solved(messages[-1]["content"], rows()[0].gold_values) == 0.0


@pytest.fixture(scope="module")
def searches(teacher):
    """Tasks of the invented corpus with the teacher's conversations."""
    tasks = MusiqueSearchTaskset(MusiqueSearchConfig(split="all")).load()
    return [(task.data, play(teacher, task.data.question, run_search)) for task in tasks]


def test_nearly_every_question_is_answered_and_no_answer_is_wrong(searches):
    scores = [exact_match(messages[-1]["content"], data.golds) for data, messages in searches]
    assert sum(scores) / len(scores) >= 0.98
    for (_, messages), score in zip(searches, scores, strict=True):
        assert score == 1.0 or "<<" not in messages[-1]["content"]


def test_queries_use_only_the_question_and_what_was_found(searches):
    for data, messages in searches:
        known = data.question
        hops_by_name = [hop.answer for hop in data.hops]
        for message in messages[2:]:
            for call in message.get("tool_calls") or []:
                query = json.loads(call["function"]["arguments"])["query"]
                for name in hops_by_name:
                    if name in query:
                        assert musique.states(known, name), (data.id, query)
            if message["role"] == "tool":
                known += f"\n{message['content']}"
        asked = [each["query"] for each in arguments_of(messages)]
        assert len(asked) == len(set(asked))


def test_a_search_slip_answers_with_an_earlier_finding(teacher, searches):
    always = with_slips(teacher, 1.0)
    for data, _ in searches[:40]:
        messages = play(always, data.question, run_search)
        assert exact_match(messages[-1]["content"], data.golds) == 0.0


def test_the_server_speaks_chat_completions(teacher):
    row = rows()[0]
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": row.question}]

    async def scenario():
        async with TestClient(TestServer(application(teacher))) as client:
            good = await client.post("/v1/chat/completions", json={"model": "t", "messages": messages})
            models = await (await client.get("/v1/models")).json()
            bad = []
            for body in (
                {"messages": [{"role": "user", "content": "What is 1 + 1?"}]},
                {"messages": messages, "stream": True},
                {"messages": []},
                [],
            ):
                reply = await client.post("/v1/chat/completions", json=body)
                bad.append((reply.status, (await reply.json())["error"]["message"]))
            return good.status, await good.json(), models, bad

    status, reply, models, bad = asyncio.run(scenario())
    assert status == 200
    assert reply["choices"][0]["finish_reason"] == "tool_calls"
    assert reply["choices"][0]["message"]["content"] is None
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["completion_tokens"] > 0
    assert models["data"][0]["id"] == MODEL
    assert [code for code, _ in bad] == [400] * 4
    assert "no task that the scripted teacher knows" in bad[0][1]
    assert bad[1][1].startswith("stream:")
    assert bad[2][1] == "messages: no user message"


def test_usage_counts_the_tokens_of_a_model_folder(tmp_path):
    from smollm2_chatml.prepare import prepare
    from smollm2_tokenizer import load_tokenizer, write_model_folder

    prepare(write_model_folder(tmp_path / "converted"), tmp_path / "model")
    teacher = load_teacher(TeacherConfig(corpora=[], tokenizer=tmp_path / "model"))
    messages = play(teacher, rows()[0].question, run_invoices)
    usage = teacher.answer({"messages": messages[:-1]})["usage"]
    tokenizer = load_tokenizer(tmp_path / "model")
    prompt = tokenizer.apply_chat_template(messages[:-1], tokenize=True, return_dict=False, add_generation_prompt=True)
    assert usage["prompt_tokens"] == len(prompt)
    reply = tokenizer.encode(messages[-1]["content"])
    assert usage["completion_tokens"] == len(reply) + 2  # <|im_end|> and a newline


def test_marks_survive_in_call_ids():
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_0123456789ab_0", "function": {"name": "f", "arguments": "{}"}}],
        },
    ]
    conversation = read_conversation(messages)
    assert conversation.prompt == "a"
    assert Rollouts(0).mark(conversation, None) == "0123456789ab"
    assert draws("0123456789ab").random() == random.Random("0123456789ab").random()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"corpora": ["nowhere"]}, "nowhere"),
        ({"corpora": [], "tokenizer": "/nonexistent"}, "tokenizer: /nonexistent cannot be read"),
        ({"slip_rate": 2}, "slip_rate"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        load_teacher(TeacherConfig.model_validate(options))


def test_a_taken_port_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "recipes.teacher.cli", "--corpora", "[]", "--port", port],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("scripted-teacher: ")
    assert "Traceback" not in done.stderr
