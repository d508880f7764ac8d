import io
import json
import random
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from rich.console import Console

from data_build.rollouts import sft
from data_build.rollouts.sft import SftConfig, build
from data_build.rollouts.sft_show import CLOSE, OPEN, ShowConfig, main, show
from recipes.teacher.conversation import Conversation
from recipes.teacher.invoices import load_mails, next_turn
from rollout_fixtures import SearchTask, episode, write_run
from smollm2_chatml.prepare import prepare
from smollm2_tokenizer import load_tokenizer, write_model_folder
from supplier_invoices.taskset import SYSTEM
from supplier_invoices.tools import InvoiceTools
from tiny_qwen import renderer, rows, text, training_sample

TOOLS = {
    "GetOrderBySubscription": InvoiceTools.get_order_by_subscription,
    "SearchSupplier": InvoiceTools.search_supplier,
    "LookupOrderRows": InvoiceTools.lookup_order_rows,
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where is Lund?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "Lund is in Skåne."},
    {"role": "assistant", "content": "In Skåne."},
]
LEAKY = """
from renderers.configs import Qwen3RendererConfig
from renderers.qwen3 import Qwen3Renderer

class Leaky(Qwen3Renderer):
    config_class = Qwen3RendererConfig

    def render(self, messages, **options):
        made = super().render(messages, **options)
        for k, index in enumerate(made.message_indices):
            if index >= 0 and messages[index]["role"] == "{role}" and made.is_content[k]:
                made.sampled_mask[k] = True
        return made

class Silent(Qwen3Renderer):
    config_class = Qwen3RendererConfig

    def render(self, messages, **options):
        made = super().render(messages, **options)
        made.sampled_mask[:] = [False] * len(made.sampled_mask)
        return made

    def get_stop_token_ids(self):
        raise RuntimeError("no stop token\\nfor this model")
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model folder with the tokenizer of `tiny_qwen`."""
    folder = tmp_path_factory.mktemp("tiny") / "model"
    renderer()._tokenizer.save_pretrained(str(folder))  # ty: ignore[missing-attribute]
    return str(folder)


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("smollm2")
    prepare(write_model_folder(folder / "converted"), folder / "model")
    return str(folder / "model")


def searched(folder: Path, tasks: int = 3) -> Path:
    """An SFT set of `data-build sft`, its rows of different lengths."""
    played = [SearchTask(f"q{n}", 1.0, answer="Lund" * (n + 1)) for n in range(tasks)]
    run = write_run(folder / "run", [episode(task, task.play(True, random.Random(n))) for n, task in enumerate(played)])
    build([run], SftConfig(out=folder / "sft"))
    return folder / "sft"


def jsonl(folder: Path, *found: dict[str, Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return folder


def trained_texts(row: dict[str, Any]) -> list[str]:
    """What prime-rl trains of a row, span by span, by `tiny_qwen`'s own reading."""
    qwen = renderer()
    sample = training_sample(qwen, row)
    pairs = groupby(zip(sample.token_ids, sample.loss_mask, strict=True), key=lambda pair: pair[1])
    return [text(qwen, [token for token, _ in run]) for trained, run in pairs if trained]


def spans(printed: str) -> list[str]:
    return re.findall(f"{OPEN}(.*?){CLOSE}", printed, re.S)


def failure(*arguments: object) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([str(a) for a in arguments])
    words = str(stopped.value)
    assert stopped.value.code == words, "a message is exit code 1"
    assert words.startswith("data-build sft-show: ") and "\n" not in words
    return words


def test_the_assistants_turns_are_marked_and_nothing_else(
    tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture
) -> None:
    folder = searched(tmp_path)
    found = rows(folder, tmp_path / "cache")
    main([str(folder), "--model", tiny, "--renderer", "qwen3", "--rows", "2"])
    printed = capsys.readouterr().out
    expected = [part for row in found[:2] for part in trained_texts(row)]
    assert spans(printed)[0] == "this" and spans(printed)[1:] == expected and len(expected) == 6
    assert '<tool_call>\n{"name": "search", "arguments": {"query": "Lund"}}\n</tool_call><|im_end|>' in expected[0]
    left = re.sub(f"{OPEN}.*?{CLOSE}", "", printed, flags=re.S)
    for masked in ("Answer with the search tool.", "Question q0?", "Lund has a cathedral.", "<|im_start|>assistant\n"):
        assert masked in left
    assert "Question q1?" in left and "Question q2?" not in left
    assert printed.endswith("check: no token of a system, user or tool message is trained\n")


def test_the_numbers_are_those_of_the_samples(tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture) -> None:
    folder = searched(tmp_path, tasks=4)
    samples = [training_sample(renderer(), row) for row in rows(folder, tmp_path / "cache")]
    tokens = sorted(len(sample.token_ids) for sample in samples)
    trained = sum(sum(sample.loss_mask) for sample in samples)
    assert len(set(tokens)) == 4
    main([str(folder), "--model", tiny, "--renderer", "qwen3", "--rows", "1"])
    first, *rest = re.findall(r"^(?:row|all|tokens) .*", capsys.readouterr().out, re.M)
    lengths = [len(part) for part in _tokens(samples[0])]
    total, own = len(samples[0].token_ids), sum(lengths)
    assert first == (
        f"row 0: {total:,} tokens, {own:,} trained ({own / total:.1%}) in 3 spans, the longest of {max(lengths):,}"
    )
    assert rest == [
        f"all 4 rows: {sum(tokens):,} tokens, {trained:,} trained ({trained / sum(tokens):.1%})",
        f"tokens a row: min {tokens[0]:,}, median {tokens[1]:,}, p99 {tokens[3]:,}, max {tokens[3]:,}",
    ]


def _tokens(sample: Any) -> list[list[int]]:
    pairs = groupby(zip(sample.token_ids, sample.loss_mask, strict=True), key=lambda pair: pair[1])
    return [[token for token, _ in run] for trained, run in pairs if trained]


def test_seq_len_counts_what_prime_rl_cuts(tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture) -> None:
    """A row of n tokens is n - 1 inputs; its last one predicts the end of the last turn."""
    folder = jsonl(tmp_path / "sft", {"messages": MESSAGES, "tools": []})
    n = len(training_sample(renderer(), {"messages": MESSAGES, "tools": "[]"}).token_ids)
    printed = {}
    for seq_len in (n - 1, n - 2, n - 3, 20):
        main([str(folder), "--model", tiny, "--renderer", "qwen3", "--rows", "0", "--seq-len", str(seq_len)])
        out = capsys.readouterr().out
        printed[seq_len] = re.findall(r"^longer than .*|^warning.*", out, re.M)
        assert "trained: " not in out
    assert printed[n - 1] == [f"longer than seq_len {n - 1}: 0 rows"]
    # The newline behind the last turn is not trained, the end mark before it is.
    assert "1 rows" in printed[n - 2][0] and ", 0 trained tokens with them" in printed[n - 2][0]
    assert ", 1 trained tokens with them" in printed[n - 3][0]
    assert "warning: 1 rows have no trained token" in printed[20][1]


def test_colours_on_a_terminal(tmp_path: Path, tiny: str) -> None:
    folder = searched(tmp_path, tasks=1)
    [row] = rows(folder, tmp_path / "cache")
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", width=20, _environ={"TERM": "xterm"})
    show(ShowConfig(folder=folder, model=tiny, renderer="qwen3"), console)
    printed = out.getvalue()
    assert OPEN not in printed
    coloured = re.findall(r"\x1b\[30;42m(.*?)\x1b\[0m", printed, re.S)
    # A colour ends with its line.
    assert "".join(coloured) == "this" + "".join(trained_texts(row)).replace("\n", "")


def test_text_of_a_row_is_shown_as_it_is(tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture) -> None:
    """Brackets are no markup, escape sequences do not reach the terminal, long lines are not broken."""
    result = "[bold]x[/bold] \x1b[2J " + "long " * 60
    messages = [m | {"content": result} if m["role"] == "tool" else m for m in MESSAGES]
    folder = jsonl(tmp_path / "sft", {"messages": messages, "tools": "[]"})
    main([str(folder), "--model", tiny, "--renderer", "qwen3"])
    assert result.replace("\x1b", "␛") in capsys.readouterr().out


@pytest.mark.parametrize("role", ["tool", "user", "system"])
def test_a_renderer_that_trains_other_roles_fails_loudly(
    tmp_path: Path, tiny: str, role: str, capsys: pytest.CaptureFixture
) -> None:
    folder = jsonl(tmp_path / "sft", *({"messages": MESSAGES[n:], "tools": "[]"} for n in (1, 0)))
    (tmp_path / "leaky.py").write_text(LEAKY.replace("{role}", role), encoding="utf-8")
    words = failure(folder, "--model", tiny, "--renderer", f"{tmp_path / 'leaky.py'}:Leaky", "--rows", "0")
    own = [m["content"] for m in MESSAGES if m["role"] == role] * (1 if role == "system" else 2)
    count = sum(len(content.encode()) for content in own)  # a byte is a token
    where = "1 rows, the first is row 1" if role == "system" else "2 rows, the first is row 0"
    assert f"are trained: {count} of {role} messages, in {where};" in words
    assert "check: no token" not in capsys.readouterr().out
    main([str(folder), "--model", tiny, "--renderer", "qwen3", "--rows", "0"])
    assert "check: no token" in capsys.readouterr().out


def test_a_folder_that_trains_nothing_fails(tmp_path: Path, tiny: str) -> None:
    folder = jsonl(tmp_path / "sft", {"messages": MESSAGES[:2]})
    assert "no token of any row is trained" in failure(folder, "--model", tiny, "--renderer", "qwen3")


def played(mail: dict[str, Any]) -> dict[str, Any]:
    """A row as `data-build sft` writes it: the scripted teacher's conversation about one mail, with the real tools."""
    server, calls, results = InvoiceTools(vf.SharedToolsetConfig()), [], []
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": mail["question"]},
    ]
    while (
        reply := next_turn(mail, Conversation(mail["question"], calls, results, None), random.Random(0), False)
    ).call:
        call = {"name": reply.call.name, "arguments": json.dumps(reply.call.arguments, ensure_ascii=False)}
        calls.append(reply.call)
        results.append(TOOLS[reply.call.name](server, **reply.call.arguments))
        identity = f"call_{len(calls)}"
        messages += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": identity, "type": "function", "function": call}],
            },
            {"role": "tool", "content": results[-1], "tool_call_id": identity},
        ]
    return {"messages": [*messages, {"role": "assistant", "content": reply.text}], "tools": "[]"}


def test_smollm2_on_conversations_of_the_scripted_teacher(
    tmp_path: Path, smollm2: str, capsys: pytest.CaptureFixture
) -> None:
    """As the invoices recipe trains: its renderer, a parquet file, calls and results."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "sft").mkdir()
    mails = list(load_mails().values())[:8]
    pq.write_table(pa.Table.from_pylist([played(mail) for mail in mails]), tmp_path / "sft/train.parquet")
    main([str(tmp_path / "sft"), "--model", smollm2, "--renderer", "smollm2_chatml.SmolLM2Renderer", "--rows", "8"])
    printed = capsys.readouterr().out
    found = rows(tmp_path / "sft", tmp_path / "cache")
    expected = []
    for message in (m for row in found for m in row["messages"] if m["role"] == "assistant"):
        functions = [call["function"] for call in message["tool_calls"] or []]
        calls = [
            f'<tool_call>\n{{"name": "{function["name"]}", "arguments": {function["arguments"]}}}\n</tool_call>'
            for function in functions
        ]
        expected.append("\n".join(filter(None, [message["content"].strip(), *calls])) + "<|im_end|>")
    assert spans(printed)[1:] == expected and len(expected) >= 16
    left = re.sub(f"{OPEN}.*?{CLOSE}", "", printed, flags=re.S)
    results = [m["content"] for row in found for m in row["messages"] if m["role"] == "tool"]
    assert results and all(f"<tool_response>\n{result}\n</tool_response>" in left for result in results)
    total = re.search(r"^all 8 rows: ([\d,]+) tokens, ([\d,]+) trained", printed, re.M)
    assert total is not None
    tokenizer = load_tokenizer(Path(smollm2))
    assert int(total[2].replace(",", "")) == sum(len(tokenizer.encode(part)) for part in expected)


def test_nulls_between_rows_and_tools_in_any_form(tmp_path: Path, tiny: str, capsys: pytest.CaptureFixture) -> None:
    """Arrow fills missing fields with nulls; verifiers' tools render as OpenAI's; nulls in arguments stay."""
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    bare = {"name": "search", "description": "Find.", "parameters": schema}
    wire = {"type": "function", "function": bare}
    function: dict[str, Any] = {"name": "search", "arguments": '{"query": null}'}
    nulls = [{"id": "c", "type": "function", "function": function}]
    messages = [*MESSAGES[:2], MESSAGES[2] | {"tool_calls": nulls}, *MESSAGES[3:]]
    named, shown = ["--renderer", "qwen3"], []
    for number, tools in enumerate([json.dumps([wire]), [wire], json.dumps([bare]), [bare]]):
        folder = jsonl(tmp_path / str(number), {"messages": messages, "tools": tools})
        main([str(folder), "--model", tiny, *named])
        shown.append(capsys.readouterr().out)
    function["arguments"] = {"query": None}  # an object in place of its text
    main([str(jsonl(tmp_path / "object", {"messages": messages, "tools": [wire]})), "--model", tiny, *named])
    shown.append(capsys.readouterr().out)
    assert len(set(shown)) == 1 and json.dumps(wire) in shown[0]
    assert '"arguments": {"query": null}' in shown[0]


def test_problems_of_the_folder(tmp_path: Path, tiny: str) -> None:
    rest = ("--model", tiny, "--renderer", "qwen3")
    assert "folder: nowhere is no folder" in failure("nowhere", *rest)
    (tmp_path / "empty").mkdir()
    assert "needs a readable train.parquet or train.jsonl" in failure(tmp_path / "empty", *rest)
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn/train.parquet").write_bytes(b"PAR1")
    assert "needs a readable train.parquet or train.jsonl" in failure(tmp_path / "torn", *rest)
    other = jsonl(tmp_path / "other", {"prompt": "a", "completion": "b"})
    assert "has no column `messages`, only prompt, completion" in failure(other, *rest)
    assert "name one folder, not 2" in failure("a", "b", *rest)
    bad = [*MESSAGES[:2], {"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": "{"}}]}]
    torn = jsonl(tmp_path / "bad", {"messages": MESSAGES}, {"messages": bad})
    assert "row 1 cannot be rendered (JSONDecodeError: " in failure(torn, *rest, "--rows", "0")


def test_problems_of_model_and_renderer(tmp_path: Path, tiny: str) -> None:
    folder = jsonl(tmp_path / "sft", {"messages": MESSAGES})
    words = failure(folder, "--model", tiny)
    assert f"knows no renderer for {tiny}" in words and "--renderer qwen3, or smollm2_chatml.SmolLM2Renderer" in words
    assert "`sft` refuses default" in failure(folder, "--model", tiny, "--renderer", "default")
    words = failure(folder, "--model", tiny, "--renderer", "qwen9")
    assert "qwen9 is neither an import path nor one of " in words and "qwen3" in words
    words = failure(folder, "--model", tiny, "--renderer", "nowhere.Renderer")
    assert "renderer: nowhere.Renderer cannot be imported (ModuleNotFoundError: No module named 'nowhere')" in words
    words = failure(folder, "--model", tiny, "--renderer", "pathlib.Path")
    assert "renderer: pathlib.Path cannot be imported (TypeError: " in words and "must set config_class" in words
    words = failure(folder, "--model", tiny, "--renderer", "llama-3")
    assert f"renderer: llama-3 cannot be made for {tiny}" in words
    (tmp_path / "none").mkdir()
    words = failure(folder, "--model", tmp_path / "none", "--renderer", "qwen3")
    assert f"model: no tokenizer for {tmp_path / 'none'} (" in words and "name a model folder" in words
    (tmp_path / "silent.py").write_text(LEAKY, encoding="utf-8")
    words = failure(folder, "--model", tiny, "--renderer", f"{tmp_path / 'silent.py'}:Silent")
    assert "row 0 cannot be rendered (RuntimeError: no stop token)" in words


def test_a_registered_model_needs_no_renderer(
    tmp_path: Path, tiny: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Qwen/Qwen3-0.6B without a hub: its name chooses the renderer, the tokenizer is the tiny one."""
    import transformers

    folder = jsonl(tmp_path / "sft", {"messages": MESSAGES})
    main([str(folder), "--model", tiny, "--renderer", "qwen3"])
    expected = capsys.readouterr().out

    def from_pretrained(name: str) -> Any:
        assert name == "Qwen/Qwen3-0.6B"
        tokenizer: Any = original(tiny)
        tokenizer.name_or_path = name
        return tokenizer

    original = transformers.AutoTokenizer.from_pretrained
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", from_pretrained)
    main([str(folder), "--model", "Qwen/Qwen3-0.6B"])
    assert capsys.readouterr().out == expected


def test_sft_names_the_command(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    task = SearchTask("q", 1.0)
    run = write_run(tmp_path / "run", [episode(task, task.play(True, random.Random(0)))])
    sft.main([str(run), "--out", str(tmp_path / "sft")])
    assert f"data-build sft-show {tmp_path / 'sft'} --model MODEL" in capsys.readouterr().out
