import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
import verifiers.v1 as vf
from pydantic import ValidationError

from scripted_server import Reply, Request, serve
from supplier_invoices import checks, taskset
from supplier_invoices.checks import check_task
from supplier_invoices.taskset import InvoiceData, QuestionType, SupplierInvoicesConfig, SupplierInvoicesTaskset, rows


def load(**config: str | list[str]) -> list[InvoiceData]:
    return [task.data for task in SupplierInvoicesTaskset(SupplierInvoicesConfig.model_validate(config))]


def test_split_and_language_select_rows() -> None:
    assert len(rows()) == 2000
    assert [row.id for row in rows()] == [f"invoices-{i:04d}" for i in range(2000)]
    assert Counter(row.split for row in load(split="all")) == {"train": 1800, "validation": 200}
    assert [row.id for row in load()] == [f"invoices-{i:04d}" for i in range(1800, 2000)]
    assert len(load(split="train", language="sv")) == 900
    assert {row.language for row in load(language="en")} == {"en"}


def test_question_types_select_rows() -> None:
    two_calls = load(split="train", question_types=["orders_by_supplier_name", "orders_by_bank_identifier"])
    assert len(two_calls) == 756
    assert all(len(row.path) == 2 for row in two_calls)
    swedish = load(question_types=["supplier_details"], language="sv")
    assert {(row.question_type, row.language, row.split) for row in swedish} == {
        ("supplier_details", "sv", "validation")
    }
    assert {row.question_type for row in load()} == set(get_args(QuestionType))


@pytest.mark.parametrize("wrong", [[], ["orders"], "supplier_details"])
def test_unknown_question_types_are_refused(wrong: str | list[str]) -> None:
    with pytest.raises(ValidationError, match="question_types"):
        load(question_types=wrong)


def test_both_splits_have_one_mix_and_share_no_supplier_or_organisation() -> None:
    stored = [json.loads(line) for line in taskset.TASKS.read_text(encoding="utf-8").splitlines()]
    train, validation = stored[:1800], stored[1800:]
    for key in ("question_type", "language", "sender"):
        counts = Counter(row[key] for row in validation)
        assert Counter(row[key] for row in train) == {name: 9 * n for name, n in counts.items()}
    for key in ("supplier_ids", "corporation_ids"):
        touched = [{x for row in part for x in row[key]} for part in (train, validation)]
        assert touched[0] and touched[1] and not touched[0] & touched[1]


def test_every_row_is_sound() -> None:
    assert {row.id: found for row in rows() if (found := check_task(row, rows()))} == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda r: {"gold_values": [*r.gold_values, "Uppsala"]}, "gold_sql does not return gold_values"),
        (lambda r: {"question": f"{r.question}\n{r.gold_values[0].upper()}"}, "already states a gold value"),
        (lambda r: {"path": r.path[:-1]}, "the scripted path"),
        (
            lambda r: {"path": [{"name": "SearchSupplier", "arguments": {"name": "a"}}, *r.path[1:]]},
            "the scripted path",
        ),
        (lambda r: {"gold_sql": "SELECT name FROM suppliers WHERE 0"}, "gold_sql: 0 rows"),
    ],
)
def test_an_unsound_row_is_found(change: Callable[[InvoiceData], dict], problem: str) -> None:
    row = next(row for row in rows() if row.question_type == "orders_by_bank_identifier")
    broken = row.model_copy(update=change(row))
    try:
        found = check_task(broken, rows())
    except ValueError as e:
        found = [str(e)]
    assert any(problem in p for p in found), found


def test_reward_that_finds_anything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "gold_fraction", lambda reply, gold: 1.0)
    found = check_task(rows()[0], rows())
    assert any("scores above 0" in p for p in found) and any("already states" in p for p in found)


@pytest.mark.parametrize("gold", [[], [""], ["ok", "–"]])
def test_unusable_gold_is_refused_with_its_line(
    gold: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = taskset.TASKS.read_text(encoding="utf-8").splitlines()[:3]
    lines[1] = json.dumps(json.loads(lines[1]) | {"gold_values": gold})
    (tmp_path / "tasks.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(taskset, "TASKS", tmp_path / "tasks.jsonl")
    with pytest.raises(ValueError, match=r"(?s)tasks\.jsonl line 2: .*gold_values"):
        rows.__wrapped__()


def test_pk_14_prompt_states_the_format_that_the_reward_demands() -> None:
    for words in (
        "exactly as the tools show them",
        "YYYY-MM-DD",
        "status words untranslated",
        "language of the e-mail",
    ):
        assert words in taskset.SYSTEM
    assert all(row.system_prompt == taskset.SYSTEM for row in rows())


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, vf.WireEpisode]:
    """Episodes by task id of one `vf-eval supplier-invoices` on 14 rows, with no flag that decides anything.

    The scripted model walks each row's path through the real tools and states the gold; on the first row it
    states all that the tools showed, and on the second it never stops calling tools.
    """
    by_mail = {row.question: row for row in rows()}

    def reply(request: Request) -> Reply:
        row = by_mail[request.prompt]
        gold = "; ".join(row.gold_values)
        if row.id == "invoices-1801":
            return Reply(gold, calls=[("SearchSupplier", '{"name": "nobody at all"}')])
        results = [m["content"] for m in request.body["messages"] if m["role"] == "tool"]
        if len(results) == len(row.path):
            return Reply("\n".join(results) if row.id == "invoices-1800" else f"Svar: {gold}.")
        call = row.path[len(results)]
        arguments = dict(call["arguments"])
        if "supplier_id" in arguments:
            arguments["supplier_id"] = json.loads(results[-1].splitlines()[0])["id"]
        return Reply(calls=[(call["name"], json.dumps(arguments))])

    out = tmp_path_factory.mktemp("eval")
    with serve(reply) as server:
        command = [Path(sys.executable).parent / "vf-eval", "supplier-invoices", "-m", "scripted", "-n", "14"]
        command += ["--client.base-url", server.url, "--no-push", "-o", out, "--run.dir", "run"]
        subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=out)
    lines = (out / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    loaded = [vf.WireEpisode.model_validate_json(line) for line in lines]
    return {str(episode.task.key): episode for episode in loaded}


def test_vf_eval_needs_no_flag_and_a_scripted_solver_scores_full(episodes: dict[str, vf.WireEpisode]) -> None:
    assert sorted(episodes) == [f"invoices-{i}" for i in range(1800, 1814)]
    assert all(episode.ok for episode in episodes.values())
    solved = rows()[1802:1814]
    assert {len(row.path) for row in solved} == {1, 2}
    for row in solved:
        trace = episodes[str(row.id)].traces[0]
        assert trace.reward == 1.0
        scores = {name: reward and reward.score for name, reward in trace.rewards.items()}
        assert scores == {"gold_fraction": 1.0, "solved": 1.0}
        assert trace.metrics["tool_calls"] == len(row.path)
        assert trace.metrics["tool_errors"] == trace.metrics["extra_values"] == 0


def test_a_reply_that_dumps_tool_results_is_flagged(episodes: dict[str, vf.WireEpisode]) -> None:
    trace = episodes["invoices-1800"].traces[0]
    assert trace.reward == 1.0
    assert (trace.metrics["extra_values"] or 0) >= 4


def test_turn_cap_leaves_no_reply_and_no_reward(episodes: dict[str, vf.WireEpisode]) -> None:
    trace = episodes["invoices-1801"].traces[0]
    assert trace.stop_condition == "max_turns"
    assert trace.reward == 0.0
    assert trace.metrics["tool_calls"] == 8
    assert trace.metrics["tool_errors"] == 7  # the last turn's call is never run
