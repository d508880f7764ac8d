"""The page: what is in it, that it needs nothing else, that no model's text runs, and how it behaves in a browser."""

import asyncio
import base64
import gzip
import hashlib
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chromium import BINARY, Page, chromium
from data_build.cli import BUILDERS
from data_build.report.browser import BLOCK, Packed, Shelf
from data_build.report.build import main, with_runs
from data_build.report.charts import charts
from data_build.report.compare import Cell
from data_build.report.digest import digest
from data_build.report.figures import make_report
from data_build.report.page import money, render, script_json, shade
from data_build.rollouts.read import Rollout
from report_rollouts import broken, rollout, scored
from rollout_fixtures import SearchTask, episode, episodes, provider_failure, write_run

needs_chromium = pytest.mark.skipif(BINARY is None, reason="needs chromium (apt-get install chromium)")

EVIL = '</script><script>window.ran=1</script><img src=x onerror="window.ran=2"><!--<script> &lt; \u2028 ${1}'
WORDS = "river town cathedral museum lake railway bishop king harbour island bridge treaty battle founded near".split()


def conversation(question: str, reply: str, rng: random.Random, searches: int = 3) -> list[dict[str, Any]]:
    """Searches with results of the length that real ones have, then the reply."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Answer with the search tool. " * 20},
        {"role": "user", "content": question},
    ]
    for number in range(searches):
        call = {"name": "search", "arguments": json.dumps({"query": rng.choice(WORDS)})}
        messages += [
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": " ".join(rng.choices(WORDS, k=60)),
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"c{number}",
                "name": "search",
                "content": "\n\n".join(f"[{i}] Title\n{' '.join(rng.choices(WORDS, k=90))}" for i in range(1, 6)),
            },
        ]
    return [*messages, {"role": "assistant", "content": reply}]


def page_of(rollouts: Sequence[Rollout], folder: Path, limit: int = 3000) -> Path:
    shelf = Shelf(limit)
    digests = [digest(r) for r in rollouts]
    for one, short in zip(rollouts, digests, strict=True):
        shelf.add(one, short)
    report = make_report(digests)
    packed = shelf.pack({e.taskset: e.solved_by for e in report.evaluations}, 1.0)
    path = folder / "index.html"
    path.write_text(render(report, charts(report), packed), encoding="utf-8")
    return path


def many(count: int) -> list[Rollout]:
    """Two runs of four rollouts a task; one has a needle, one a script in every place that text can be in."""
    rng = random.Random(0)
    rows = []
    for i in range(count):
        run, task, number = ("base", "grpo")[i * 2 // count], f"q{i // 4 % (count // 8):04d}", i % 4
        solved = rng.random() < 0.4
        reply = "<<Lund>>" if solved else rng.choice(["<<Visby>>", "<<Lund Cathedral>>", "I cannot tell."])
        given = {"run": run, "task_key": task, "number": number, "source": f"{run}/traces.jsonl:{i + 1}"}
        talk = conversation(f"Question {task}?", reply + (" needle" if i == 42 else ""), rng)
        rows.append(scored(solved, reply=reply, messages=talk, tool_calls=3, turns=4, **given))
    talk = conversation(EVIL, EVIL, rng)
    talk[2]["reasoning_content"] = talk[3]["content"] = EVIL
    talk[2]["tool_calls"][0]["function"] = {"name": EVIL, "arguments": EVIL}
    task = {"answer": "Lund", "aliases": [EVIL], "note": {EVIL: EVIL}}
    evil = {"run": "base", "model": EVIL, "task_key": f"evil{EVIL}", "stop_condition": EVIL, "errors": [EVIL]}
    return [*rows, rollout(messages=talk, reply=f"<<{WORDS[0]}>>", task=task, metrics={EVIL: 1.0}, **evil)]


def blocks(html: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="text/plain" id="block-\d+">([^<]*)</script>', html)
    return [row for block in found for row in json.loads(gzip.decompress(base64.b64decode(block)))]


def test_the_page_is_one_file_without_network_and_its_one_script_is_allowed_by_hash(tmp_path: Path) -> None:
    html = page_of(many(40), tmp_path).read_text(encoding="utf-8")
    assert not re.search(
        r"https?:|//[a-z]+\.|@import|url\(", re.sub(r"<script type.*?</script>|data:[^\"]*", "", html, flags=re.S)
    )
    scripts = re.findall(r"<script>(.*?)</script>", html, flags=re.S)
    assert len(scripts) == 1
    allowed = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'" in html
    assert html.index("Content-Security-Policy") < html.index("<style")


def test_model_text_is_escaped_wherever_it_stands(tmp_path: Path) -> None:
    html = page_of(many(40), tmp_path).read_text(encoding="utf-8")
    assert "<script>window" not in html and "<img src=x" not in html and "<!--" not in html
    assert "evil\\u003c/script\\u003e" in html, "the task key is in the index, escaped"
    assert "&lt;script&gt;window.ran" in html, "the model's name is in the table, escaped"
    (found,) = [row for row in blocks(html) if row["model"] == EVIL]
    assert found["messages"][-1]["content"] == EVIL and found["gold"]["aliases"] == [EVIL]


def test_script_json_is_json_without_markup() -> None:
    value = {"a<b": "</script>&\u2028\u2029"}
    text = script_json(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value
    assert json.loads(script_json("half \ud800")) == "half ?"


def test_differences_show_passes_first_and_measures_on_demand(tmp_path: Path) -> None:
    rows = [
        scored(run == "grpo", run=run, task_key=f"q{i}", completion_tokens=100 + 50 * (run == "grpo"))
        for run in ("base", "grpo")
        for i in range(4)
    ]
    html = page_of(rows, tmp_path).read_text(encoding="utf-8")
    section = html[html.index('id="differences"') : html.index('id="passes"')]
    shown, hidden = section.split("<details>")
    assert shown.count("pass@1") == 1 and "Tokens per rollout" not in shown
    assert "pass@1" not in hidden and re.search(
        r"Tokens per rollout</td><td>\+50\.0</td><td>\+50\.0 to \+50\.0", hidden
    )


def test_the_shelf_keeps_whole_tasks_alike_in_every_run() -> None:
    def packed(limit: int, seed: int = 0) -> Packed:
        shelf = Shelf(limit, seed)
        for one in many(80)[:-1]:
            shelf.add(one, digest(one))
        return shelf.pack({"musique-search": "exact_match"}, 1.0)

    everything, some = packed(3000), packed(16)
    assert len(everything.index) == everything.total == 80 and len(everything.blocks) == -(-80 // BLOCK)
    assert len(some.index) == 16 and some.total == 80
    tasks = {run: {e["task"] for e in some.index if e["run"] == run} for run in ("base", "grpo")}
    assert tasks["base"] == tasks["grpo"] and len(tasks["base"]) == 2
    assert some == packed(16) and some.index != packed(16, seed=1).index
    assert packed(0).index == []


def test_index_and_texts_are_in_the_same_order(tmp_path: Path) -> None:
    html = page_of(many(80), tmp_path).read_text(encoding="utf-8")
    index = json.loads(re.findall(r'id="index">(.*?)</script>', html, flags=re.S)[0])["rollouts"]
    rows = blocks(html)
    assert len(index) == len(rows) == 81
    for entry, row in zip(index, rows, strict=True):
        assert row["source"].startswith(entry["run"] + "/")
        assert f"Question {entry['task']}?" == row["messages"][1]["content"] or entry["task"].startswith("evil")


@pytest.mark.parametrize(
    ("change", "css"),
    [
        *((None, ""), (0.0, ""), (0.009, ""), (0.01, "up1"), (0.1, "up3"), (1.0, "up5"), (40.0, "up5")),
        *((-0.5, "down5"), (-0.2, "down3"), (-0.01, "down1"), (-1.0, "down5"), (-3.0, "down5")),
    ],
)
def test_shades_grow_with_the_change(change: float | None, css: str) -> None:
    assert shade(Cell(1.0, change)) == css


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (16.5, "16.50"),
        (1234.567, "1,234.57"),
        (0.0227273, "0.0227"),
        (0.000608, "0.000608"),
        (0.0, "0.00"),
        (-0.5, "-0.500"),
    ],
)
def test_money_has_no_exponent(amount: float, text: str) -> None:
    assert money(amount) == text


def test_the_command_writes_page_charts_and_every_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [
        SearchTask(f"2hop__{i}", rate=0.2 + 0.1 * (i % 7), evidence_rate=0.7, split="validation") for i in range(8)
    ]
    write_run(tmp_path / "base", episodes(tasks, rollouts=4, seed=0))
    saved = list(episodes(tasks, rollouts=4, seed=1, model="trained"))
    saved[5] = episode(tasks[1], tasks[1].play(False, random.Random(0)), 1, error=provider_failure())
    for step in (100, 200):
        write_run(tmp_path / f"grpo-step-{step}", saved, model="trained")
    with (tmp_path / "base/traces.jsonl").open("a") as file:
        file.write('not json\n{"torn": ')
    out = tmp_path / "report"
    runs = [str(tmp_path / name) for name in ("base", "grpo-step-100", "grpo-step-200")]
    prices = "--cost.base.input 1 --cost.base.output 5 --cost.grpo.gpu-hour 0.5 --cost.grpo.gpu-hours 0.01".split()
    main([*runs, "--out", str(out), *prices])

    printed = " ".join(capsys.readouterr().out.split())
    assert "infrastructure failures left out" in printed and "grpo @ step 200" in printed
    assert "1 row does not parse" in printed and "1 torn last line dropped" in printed
    assert "32 common tasks" not in printed and "8 common tasks" in printed
    numbers = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [(e["run"], e["step"], e["rollouts"]) for e in numbers["evaluations"]] == [
        ("base", None, 32), ("grpo", 100, 32), ("grpo", 200, 32)
    ]  # fmt: skip
    assert numbers["evaluations"][1]["infrastructure"] == 1
    assert numbers["evaluations"][0]["measures"]["hop1"]["value"] == 1.0
    assert 0.5 < numbers["evaluations"][0]["measures"]["hop2"]["value"] < 1.0
    assert sum(numbers["evaluations"][0]["buckets"].values()) == 32
    assert numbers["rollouts"]["unparsable"][0].startswith(f"{tmp_path}/base/traces.jsonl:33:")
    assert [c["kind"] for c in numbers["costs"]] == ["api", "gpu"] and len(numbers["savings"]) == 1
    pictures = sorted(path.name for path in out.glob("*.png"))
    assert len(pictures) >= 20 and "pass-pass-k-musique-search-dark.png" in pictures
    assert all((out / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    assert not list(out.glob(".*")), "temporary files are gone"

    html = (out / "index.html").read_bytes()
    assert html.count(b"<figure>") == len(pictures) / 2 and b'id="cost"' in html


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no traces.jsonl here"),
        (["base", "--baseline", "other"], "baseline: no run is named 'other'"),
        (["base", "--solved", "passed"], "has a score 'passed'"),
        (["base", "--cost.base.gpu-hour", "1"], "gpu_hours"),
        ([], "runs"),
    ],
)
def test_bad_input_is_one_readable_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "base", episodes([SearchTask("q", rate=0.5)], rollouts=2))
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    said = capsys.readouterr()
    assert message in f"{stopped.value} {said.out} {said.err}"
    assert not (tmp_path / "report").exists()


def test_runs_stand_in_front_and_the_command_is_known() -> None:
    assert with_runs(["a", "b", "--out", "c"]) == ["--runs", "a", "b", "--out", "c"]
    assert with_runs(["@", "x.toml"]) == ["@", "x.toml"]
    assert BUILDERS["report"] == "data_build.report.build"


def test_a_run_that_only_failed_has_a_page(tmp_path: Path) -> None:
    html = page_of([broken(task_key=f"q{i}") for i in range(3)], tmp_path).read_text(encoding="utf-8")
    assert "incomplete" in html and "infrastructure failure" in html


WATCH = """{
  let last = performance.now();
  window.longest = 0;
  setInterval(() => {
    const now = performance.now();
    window.longest = Math.max(window.longest, now - last);
    last = now;
  }, 10);
}"""
"""Notes the longest time, in ms, that the page does not answer from now on."""
LISTED = "document.querySelectorAll('#list button').length"


async def choose(page: Page, name: str, value: str, found: str) -> None:
    """Sets a filter as a reader does and waits for the count."""
    event = "change" if name in ("run", "set", "bucket") else "input"
    field = f"document.getElementById('f-{name}')"
    await page.run(f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('{event}'))")
    await page.until(f"document.getElementById('count').textContent.startsWith({json.dumps(found + ' of ')})")


@needs_chromium
def test_three_thousand_rollouts_load_filter_and_open_without_running_anything(tmp_path: Path) -> None:
    rows = many(3000)
    path = page_of(rows, tmp_path, limit=3001)

    async def read() -> None:
        async with chromium() as page:
            await page.size(1280, 900)
            seconds = await page.open(path)
            await page.run(WATCH)
            assert seconds < 20, f"{seconds:.1f} s"
            assert await page.run(LISTED) == 50
            await choose(page, "run", "grpo", "1,500")
            solved = sum(r.reward == 1 and r.run == "grpo" for r in rows)
            await choose(page, "bucket", "correct", f"{solved:,}")
            await choose(page, "bucket", "", "1,500")
            await choose(page, "run", "", "3,001")
            await choose(page, "task", "Q0007", "8")
            await choose(page, "task", "", "3,001")
            await choose(page, "text", "NEEDLE", "1")
            await page.run("document.querySelector('#list button').click()")
            await page.until("document.querySelectorAll('.message').length === 9")
            assert "needle" in await page.run("document.querySelector('.message:last-child').textContent")
            assert '"query"' in await page.run("document.querySelector('.call').textContent")
            assert await page.run("document.querySelector('.gold dd.answer').textContent") == "Lund"
            folded = "[...document.querySelectorAll('.message.tool details')]"
            assert await page.run(
                f"{folded}.length === 3 && {folded}.every(d => !d.open && d.textContent.length > 1500)"
            )
            await choose(page, "text", "", "3,001")
            await choose(page, "task", "evil", "1")
            await page.run("document.querySelector('#list button').click()")
            await page.until("document.getElementById('opened').textContent.includes('onerror')")
            await asyncio.sleep(0.2)
            assert await page.run("String(window.ran)") == "undefined"
            assert await page.run("document.querySelectorAll('#opened img, #opened script').length") == 0
            assert await page.run("window.longest") < 2000, "the page answers while it searches"
            assert not page.errors
            assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:"))] == []

    asyncio.run(read())


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["desktop", "phone"])
def test_the_page_fits_its_window_and_pages_through_the_list(width: int, dark: bool, tmp_path: Path) -> None:
    path = page_of(many(160), tmp_path)

    async def read() -> None:
        async with chromium() as page:
            await page.size(width, 800, dark)
            await page.open(path)
            assert await page.run("document.documentElement.scrollWidth") <= width, "no sideways scrolling"
            await page.run("document.getElementById('next').click()")
            assert await page.run("document.getElementById('range').textContent") == "51–100"
            await page.run("document.querySelector('#list button').click()")
            await page.until("document.querySelectorAll('.message').length === 9")
            assert await page.run("document.documentElement.scrollWidth") <= width
            shown = await page.run(
                "document.querySelector('picture img').currentSrc === document.querySelector('source').srcset"
            )
            assert shown == dark, "the chart is that of the colour scheme"
            address = await page.run("location.hash")
            assert re.fullmatch(r"#rollout-\d+", address)

    asyncio.run(read())
