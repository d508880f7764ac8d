"""The MuSiQue recipes: what differs between neighbours, what all share, the study's facts, and the path from teacher to
training set, played by a script."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from musique_search.corpus import Corpus
from musique_search.taskset import shared_corpus
from scripted_server import Reply, Request, serve

ROOT = Path(__file__).parents[1]
RECIPES = ROOT / "recipes"
COMMANDS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
VERIFIERS = ("vf-eval", "vf-validate")
RL = ["musique_rl", "musique_rl_flat_start", "musique_sft_rl", "musique_final_rl"]
EVALUATIONS = [
    "eval/musique_baseline",
    "eval/musique_detailed",
    "eval/musique_16_turns",
    "eval/musique_teacher",
    "eval/musique_haiku_base",
    "eval/musique_haiku_detailed",
]
TRAIN = "orchestrator.train.source.0"
EVAL = "orchestrator.eval.source.0"
GATE = f"{TRAIN}.curriculum.gates.zero_advantage"


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((RECIPES / f"{name}.toml").read_text(encoding="utf-8"))


def text(name: str) -> str:
    return (RECIPES / f"{name}.toml").read_text(encoding="utf-8")


def flat(value: Any, at: str = "") -> dict[str, Any]:
    """Dotted key → value; tables in lists by number."""
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        pairs = list(enumerate(value))
    else:
        return {at: value}
    return {k: v for key, item in pairs for k, v in flat(item, f"{at}.{key}".lstrip(".")).items()}


def differences(one: str, other: str) -> dict[str, tuple[Any, Any]]:
    """Keys whose values differ, None where a recipe does not write the key. The runs' names always differ."""
    a, b = flat(load(one)), flat(load(other))
    assert a["run.name"] != b["run.name"]
    return {k: (a.get(k), b.get(k)) for k in a | b if a.get(k) != b.get(k) and k != "run.name"}


def commands(source: str) -> list[list[str]]:
    """The `uv run …` commands of a file's header or of a page, as words; a trailing backslash continues one."""
    joined = re.sub(r"\\\n(?:#\s*)?", " ", source)
    return [shlex.split(found) for found in re.findall(r"uv run ([^`\n;#&]+)", joined)]


PAIRS: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {
    ("musique_rl", "musique_rl_flat_start"): {
        f"{GATE}.type": ("advantage_range", None),
        f"{GATE}.reject_min": (-1e-5, None),
        f"{GATE}.reject_max": (1e-5, None),
        "orchestrator.train.filter_zero_advantages": (None, False),
    },
    ("musique_rl", "musique_sft_rl"): {
        "model.name": ("Qwen/Qwen3-0.6B", "outputs/musique-sft-0.6b-merged"),
        "max_steps": (500, 200),
    },
    ("musique_sft_rl", "musique_final_rl"): {
        "model.name": ("outputs/musique-sft-0.6b-merged", "outputs/musique-sft-4b-merged"),
        "max_steps": (200, 2400),
        f"{TRAIN}.env.taskset.corpus": ("validation", "train"),
        f"{TRAIN}.env.taskset.split": ("train", "all"),
        f"{TRAIN}.env.taskset.prompt": (None, "detailed"),
        f"{TRAIN}.env.taskset.task.rewards.partial_credit.weight": (None, 0.3),
        f"{EVAL}.env.taskset.prompt": (None, "detailed"),
        "orchestrator.eval.interval": (25, 100),
    },
    ("eval/musique_baseline", "eval/musique_detailed"): {
        "model": ("Qwen/Qwen3-0.6B", "outputs/musique-final-4b-merged"),
        "env.taskset.prompt": (None, "detailed"),
    },
    ("eval/musique_detailed", "eval/musique_16_turns"): {
        "env.taskset.turn_budget": (None, 16),
        "env.agent.max_turns": (8, 16),
        "env.agent.max_total_tokens": (12288, 28672),
    },
    ("eval/musique_baseline", "eval/musique_teacher"): {
        "model": ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-14B-AWQ"),
        "env.taskset.split": ("validation", "all"),
        "num_rollouts": (3, 8),
    },
    ("eval/musique_haiku_base", "eval/musique_haiku_detailed"): {"env.taskset.prompt": (None, "detailed")},
}


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=lambda name: name)
def test_neighbours_differ_in_what_they_say_and_in_nothing_else(one: str, other: str) -> None:
    assert differences(one, other) == PAIRS[one, other]


def test_haiku_differs_from_the_qwen_models_in_model_api_and_sampling_only() -> None:
    changed = set(differences("eval/musique_baseline", "eval/musique_haiku_base"))
    assert changed == {
        "model",
        "max_concurrent",
        "client.base_url",
        "client.api_key_var",
        "sampling.temperature",
        "sampling.top_p",
        "sampling.top_k",
        "sampling.max_tokens",
        "sampling.thinking.type",
        "sampling.thinking.budget_tokens",
        "env.agent.max_total_tokens",
        "env.agent.harness.api",
    }


def test_sft_shares_adapter_server_renderer_and_evaluation_with_the_rl_that_follows() -> None:
    sft, rl = load("musique_sft"), load("musique_sft_rl")
    assert sft["model"]["lora"] == rl["trainer"]["model"]["lora"]
    assert sft["renderer"] == rl["orchestrator"]["renderer"]
    for block in ("inference", "deployment", "monitors"):
        assert sft[block] == rl[block]
    assert sft["model"]["seq_len"] == sft["data"]["seq_len"] == rl["seq_len"]
    ours, theirs = sft["eval"], rl["orchestrator"]["eval"]
    assert all(ours[key] == theirs[key] for key in ("sampling", "source", "group_size"))
    assert rl["model"]["name"] == f"outputs/{sft['run']['name']}-merged"


@pytest.mark.parametrize("name", RL)
def test_the_studys_facts_stand_in_the_rl_recipes(name: str) -> None:
    recipe = flat(load(name))
    stated = {
        "orchestrator.group_size": 16,
        "orchestrator.batch_size": 64,
        "orchestrator.eval.group_size": 3,
        f"{TRAIN}.env.agent.max_turns": 8,
        f"{EVAL}.env.agent.max_turns": 8,
        f"{EVAL}.env.taskset.corpus": "validation",
        f"{EVAL}.env.taskset.split": "validation",
    }
    assert stated.items() <= recipe.items()
    steps = {"musique_rl": 500, "musique_rl_flat_start": 500, "musique_sft_rl": 200, "musique_final_rl": 2400}
    assert recipe["max_steps"] == steps[name]
    if name != "musique_final_rl":
        assert recipe["orchestrator.eval.interval"] == 25
        assert recipe[f"{TRAIN}.env.taskset.split"] == "train"


def test_the_studys_facts_stand_in_the_evaluations() -> None:
    for name in EVALUATIONS:
        recipe = load(name)
        assert recipe["env"]["taskset"]["corpus"] == "validation"
        assert recipe["num_rollouts"] == (8 if "teacher" in name else 3)
    for name in ("eval/musique_haiku_base", "eval/musique_haiku_detailed"):
        assert load(name)["sampling"] == {"thinking": {"type": "enabled", "budget_tokens": 4096}}


@pytest.mark.parametrize("name", ["eval/musique_baseline", "eval/musique_detailed", "eval/musique_teacher"])
def test_vf_eval_and_the_training_runs_evaluate_alike(name: str) -> None:
    """A figure of a run's own evaluation can be compared with one of vf-eval."""
    run, alone = load("musique_rl")["orchestrator"]["eval"], load(name)
    sampling = dict(alone["sampling"])
    sampling["max_completion_tokens"] = sampling.pop("max_tokens")
    assert sampling == run["sampling"]
    assert alone["env"]["agent"] == run["source"][0]["env"]["agent"]


@pytest.mark.parametrize("name", RL)
def test_a_rollout_fits_with_its_last_tool_result(name: str) -> None:
    """Caps are soft by one turn: a tool result (the five longest known passages have 2,600 tokens) and a reply."""
    recipe = load(name)
    train = recipe["orchestrator"]["train"]
    cap = train["source"][0]["env"]["agent"]["max_total_tokens"]
    room = recipe["seq_len"] - cap - train["sampling"]["max_completion_tokens"]
    assert room >= 2048
    assert recipe["inference"]["vllm"]["max_model_len"] == recipe["seq_len"]


def marked_as_ours(source: str, key: str) -> list[bool]:
    """Per line that sets `key`: whether it, its table's line, or a comment right above the table says `ours`."""
    lines, found = source.splitlines(), []
    for number, line in enumerate(lines):
        if not re.match(rf"{re.escape(key)} = ", line):
            continue
        table = next((n for n in range(number, -1, -1) if lines[n].startswith("[")), 0)
        above = lines[table - 1] if table and lines[table - 1].startswith("#") else ""
        found.append(any("ours" in place for place in (line, lines[table], above)))
    return found


@pytest.mark.parametrize("name", [*RL, "musique_sft"])
def test_what_the_study_does_not_state_is_marked_as_ours(name: str) -> None:
    keys = ["seq_len"] if name == "musique_sft" else ["seq_len", "max_inflight", "keep_last"]
    for key in [*keys, "lr", "max_total_tokens", "temperature", "max_completion_tokens"]:
        marks = marked_as_ours(text(name), key)
        assert marks and (all(marks) or (name, key) == ("musique_sft", "seq_len")), (name, key)
    if name == "musique_sft":
        assert all(marked_as_ours(text(name), "max_steps") + marked_as_ours(text(name), "batch_size"))
    if name == "musique_final_rl":
        assert marked_as_ours(text(name), "interval")[-1]


FIRST = {"invoices_rl", "musique_rl", "musique_sft", "invoices_baseline", "musique_baseline", "musique_haiku_base"}
"""Recipes without a neighbour that they are measured against."""


def ours() -> list[Path]:
    return sorted([*RECIPES.glob("musique_*.toml"), *RECIPES.glob("invoices_*.toml")]) + sorted(
        path for part in ("eval/musique_*", "eval/invoices_*", "scale/*") for path in RECIPES.glob(f"{part}.toml")
    )


@pytest.mark.parametrize("file", ours(), ids=lambda path: path.stem)
def test_headers_name_commands_and_recipes_that_exist(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    found = commands(source)
    assert any(f"recipes/{file.relative_to(RECIPES)}" in words for words in found), "no command runs it"
    for words in found:
        assert words[0] in COMMANDS or words[0] in VERIFIERS, words
        assert all((ROOT / word).is_file() for word in words if word.endswith(".toml")), words
    for named in re.findall(r"\b([\w/]+\.toml)", source):
        assert any((folder / named).is_file() for folder in (ROOT, file.parent, RECIPES)), named
    first = file.stem in FIRST or file.parent.name == "scale"
    assert "# Study 1" in source or file.parent.name == "scale"
    assert "Differs from" in source or first
    assert re.search(r"^# Time: ", source, re.M) or "time and memory hold here too" in source or "haiku" in file.stem


def made_and_used() -> Iterator[tuple[str, set[str], set[str]]]:
    """Per file: folders under outputs/ and data/ that its commands make, and that they read."""
    for file in [*ours(), RECIPES / "README.md"]:
        made, used = set(), set()
        for words in commands(file.read_text(encoding="utf-8")):
            if words[0] in ("rl", "sft", "vf-eval"):
                named = [tomllib.loads((ROOT / w).read_text(encoding="utf-8")) for w in words if w.endswith(".toml")]
                name = next((table["run"]["name"] for table in reversed(named) if "run" in table), None)
                name = words[words.index("--run.name") + 1] if "--run.name" in words else name
                made |= {f"outputs/{name}"} if name else set()
                used |= {table["model"]["name"] for table in named[:1] if words[0] != "vf-eval"}
            made |= {word for flag, word in pairwise(words) if flag in ("--out", "-o")}
            used |= {word for word in words if re.fullmatch(r"(outputs|data)/[\w.-]+", word)}
        yield file.stem, made, used


def test_what_one_command_reads_another_has_made() -> None:
    """One convention of names: a run `x`, merged into outputs/x-merged, and the commands of all headers chain."""
    files = list(made_and_used())
    made = set().union(*(one for _, one, _ in files))
    for name, _, used in files:
        missing = {path for path in used if path.startswith(("outputs/", "data/"))} - made
        assert not missing, (name, missing)
    for source in [*(path.read_text(encoding="utf-8") for path in ours())]:
        for words in commands(source):
            if words[0] == "merge-lora":
                assert words[3] == f"{words[1]}-merged", words


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """The invented corpus, in a cache that the commands share."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shared_corpus.cache_clear()
    return shared_corpus("invented")


def teacher(corpus: Corpus) -> Any:
    """Searches hop by hop, then answers; on every third question it answers from memory, without a search."""
    questions = {question.question: (n, question) for n, question in enumerate(corpus.questions)}

    def script(request: Request) -> Reply:
        number, question = questions[request.prompt]
        if number % 3 == 0 or request.turn >= len(question.hops):
            return Reply(f"<<{question.answer}>>", thinking=f"Rollout {request.attempt}.")
        hop = question.hops[request.turn]
        assert hop.passage is not None
        title, passage = corpus.passages[hop.passage]
        return Reply(calls=[("search", json.dumps({"query": f"{title} {passage}"[:300]}))])

    return script


def run(*words: str | Path) -> str:
    """A command of the environment; its output. Fails with it."""
    program = Path(sys.executable).parent / str(words[0])
    done = subprocess.run([program, *map(str, words[1:])], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_path_from_teacher_to_training_set_as_the_headers_give_it(corpus: Corpus, tmp_path: Path) -> None:
    with serve(teacher(corpus)) as server:
        run(
            *("vf-eval", "@", "recipes/eval/musique_teacher.toml", "-n", "60", "-r", "3", "-o", tmp_path),
            *("--env.taskset.corpus", "invented", "--client.base-url", server.url),
        )
        asked = server.requests[0].body
    assert {key: asked[key] for key in ("temperature", "top_p", "top_k", "max_tokens")} == {
        "temperature": 0.6,
        "top_p": 0.95,
        "top_k": 20,
        "max_tokens": 2048,
    }
    build = next(words for words in commands(text("eval/musique_teacher")) if words[0] == "data-build")
    replaced = {"outputs/musique-teacher": tmp_path / "musique-teacher", "data/musique-sft": tmp_path / "set"}
    said = run(*(replaced.get(word, word) for word in build))
    assert "left out (split validation)" in said and "evidence not seen before the answer" in said
    rows = pq.read_table(tmp_path / "set/train.parquet").to_pylist()
    by_question: dict[str, int] = {}
    held_out = {question.question for question in corpus.questions if question.split == "validation"}
    for row in rows:
        asked_for = next(m["content"] for m in row["messages"] if m["role"] == "user")
        by_question[asked_for] = by_question.get(asked_for, 0) + 1
        assert any(m["role"] == "tool" for m in row["messages"]), "answered from memory"
    assert rows and not by_question.keys() & held_out
    assert max(by_question.values()) <= 2


def test_haiku_is_asked_on_its_own_api_with_its_thinking_budget(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    with serve(teacher(corpus)) as server:
        run(
            *("vf-eval", "@", "recipes/eval/musique_haiku_detailed.toml", "-n", "2", "-r", "1", "-o", tmp_path),
            *("--env.taskset.corpus", "invented", "--client.base-url", server.url.removesuffix("/v1")),
        )
        asked = server.requests[0]
    assert (asked.api, asked.body["model"]) == ("anthropic", "claude-haiku-4-5")
    assert asked.body["thinking"] == {"type": "enabled", "budget_tokens": 4096}
    assert asked.body["max_tokens"] == 8192 + 4096
    assert not {"temperature", "top_p", "top_k"} & asked.body.keys()
    assert "You have 8 turns." in json.dumps(asked.body["system"])
