"""recipes.results.invoice_failures: what the last tool result of an unsolved rollout showed."""

import json
import sys
from pathlib import Path

import pytest
from verifiers.v1.types import AssistantMessage, Message, ToolCall, ToolMessage

from recipes.results.invoice_failures import FAILED, KINDS, MENDED, SOLVED, count, main, shares, table
from rollout_fixtures import ScriptedTask, episode, provider_failure, write_run

RIGHT = {"product_name": "Fjällnytt", "period_end": "2024-03-31", "status": "active"}
OTHER = {"product_name": "Kustbladet", "period_end": "2024-03-31", "status": "active"}
SUPPLIER = {"id": "67a73ff9", "name": "Åkers"}
GOLD = ["Fjällnytt", "2024-03-31"]


def task(key: str = "q", calls: int = 2) -> ScriptedTask:
    path = [{"name": "SearchSupplier", "arguments": {}}, {"name": "LookupOrderRows", "arguments": {}}][-calls:]
    return ScriptedTask(key, 0.0, fields={"gold_values": GOLD, "path": path})


def looked_up(name: str, *records: dict, text: str = "") -> list[Message]:
    shown = "\n".join([json.dumps(record, ensure_ascii=False) for record in records] + [text] * bool(text))
    call = ToolCall(id="c", name=name, arguments="{}")
    return [AssistantMessage(tool_calls=[call]), ToolMessage(tool_call_id="c", content=shown)]


FOUND = looked_up("SearchSupplier", SUPPLIER)
REPLY = AssistantMessage(content="It is Kustbladet.")
PLAYED = {
    "no call": [],
    "refused": [*FOUND, *looked_up("LookupOrderRows", text="error: no supplier has id x")],
    "half way": FOUND,
    "no row": [*FOUND, *looked_up("LookupOrderRows", text="no order row of this supplier matches product_name F")],
    "wrong rows": [*FOUND, *looked_up("LookupOrderRows", OTHER)],
    "several rows": [*FOUND, *looked_up("LookupOrderRows", RIGHT, OTHER, text="(3 more rows not shown)")],
    "right row": [*looked_up("LookupOrderRows", OTHER), *looked_up("LookupOrderRows", RIGHT)],
}


@pytest.mark.parametrize("name", PLAYED)
def test_the_last_tool_result_decides(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path / "run", [episode(task(), [*PLAYED[name], REPLY], rewards={"solved": 0.0})])
    failed = {FAILED: 1} if name in ("refused", "no row") else {}
    assert count(run, None) == {"q": {name: 1} | failed}


def test_a_solved_rollout_and_a_broken_one(tmp_path: Path) -> None:
    solved = episode(task(), [*PLAYED["several rows"], REPLY], rewards={"solved": 1.0})
    run = write_run(tmp_path / "run", [solved, episode(task(), PLAYED["no row"] + [REPLY], error=provider_failure())])
    counts = count(run, None)
    assert counts == {"q": {SOLVED: 1, "error": 1}}
    assert shares(counts, SOLVED) == {"q": 0.5}
    assert set(PLAYED) | {"error"} == set(KINDS)


def test_a_rollout_that_tries_again_is_seen(tmp_path: Path) -> None:
    again = [*PLAYED["no row"], *looked_up("LookupOrderRows", RIGHT), AssistantMessage(content="Fjällnytt")]
    first, second = PLAYED["no row"][-2:], looked_up("LookupOrderRows", RIGHT)
    calls = [ToolCall(id=name, name="LookupOrderRows", arguments="{}") for name in "cd"]
    at_once = [AssistantMessage(tool_calls=calls), first[1], second[1], AssistantMessage(content="Fjällnytt")]
    needless = [*PLAYED["no row"], AssistantMessage(content="the supplier had it")]
    played = [(again, 1.0), (again, 0.0), (at_once, 1.0), (needless, 1.0), (PLAYED["no row"], 0.0)]
    saved = [episode(task(), messages, rewards={"solved": solved}) for messages, solved in played]
    counts = count(write_run(tmp_path / "run", saved), None)
    assert counts == {"q": {SOLVED: 3, "right row": 1, "no row": 1, FAILED: 5, MENDED: 1}}
    assert [shares(counts, name) for name in (SOLVED, FAILED, MENDED)] == [{"q": 0.6}, {"q": 1}, {"q": 0.2}]
    rows = [[str(cell) for cell in column.cells] for column in table({"run": counts}).columns]
    shown = dict(zip(*rows, strict=True))
    assert (shown["all"], shown[FAILED], shown[MENDED]) == ("5", "5", "1")


def test_calls_keep_the_tasks_of_that_route(tmp_path: Path) -> None:
    saved = [episode(task(key, calls), [REPLY], rewards={"solved": 0.0}) for key, calls in (("a", 1), ("b", 2))]
    run = write_run(tmp_path / "run", saved)
    assert count(run, 1) == {"a": {"no call": 1}}
    assert set(count(run, None)) == {"a", "b"}


def test_the_command_pairs_the_first_run_with_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, kind in (("sft", "no row"), ("rl", "several rows")):
        saved = [episode(task(f"q{n}"), [*PLAYED[kind], REPLY], rewards={"solved": 0.0}) for n in range(20)]
        write_run(tmp_path / name, saved)
    monkeypatch.setattr(sys, "argv", ["invoice_failures", str(tmp_path / "sft"), str(tmp_path / "rl"), "--calls", "2"])
    main()
    lines = {line.strip("│ ").split("│")[0].strip(): line for line in capsys.readouterr().out.splitlines()}
    assert "-1.000" in lines["no row"] and "+1.000" in lines["several rows"]
    assert lines["all"].count("20") == 2


def test_folders_of_one_name_stay_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        write_run(tmp_path / step / "all", [episode(task(), [*PLAYED[kind], REPLY], rewards={"solved": 0.0})])
        for step, kind in (("step_1", "no row"), ("step_30", "half way"))
    ]
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setattr(sys, "argv", ["invoice_failures", *map(str, runs)])
    main()
    out = capsys.readouterr().out
    assert all(str(run) in out for run in runs)
    cells = [cell.strip() for cell in out.split("no row", 1)[1].split("│")[1:4]]
    assert cells == ["1", "0", "-1.000 (one common task)"]


def test_runs_without_a_common_task_are_not_compared(tmp_path: Path) -> None:
    runs = {}
    for name in ("a", "b"):
        run = write_run(tmp_path / name, [episode(task(name), [REPLY], rewards={"solved": 0.0})])
        runs[name] = count(run, None)
    [*_, shift] = table(runs).columns
    assert next(iter(shift.cells)) == "no common task"


def test_rollouts_of_another_taskset_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", [episode(ScriptedTask("q", 0.0), [REPLY])])
    monkeypatch.setattr(sys, "argv", ["invoice_failures", str(run)])
    with pytest.raises(SystemExit, match=r"invoice_failures: .* is not supplier-invoices"):
        main()
