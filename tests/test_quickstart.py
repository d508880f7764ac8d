"""The quickstart: the 16-bit copy, the model option, the served template and tool calls, the report, and Ctrl-C."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, dequantize
from gguf.quants import quantize
from rich.console import Console

from recipes.quickstart import gguf, model
from recipes.quickstart.config import QuickstartConfig
from recipes.quickstart.errors import QuickstartError, ended
from recipes.quickstart.evaluate import new_run_dir, run_rollouts, vf_eval_command
from recipes.quickstart.report import print_report, read_figures
from recipes.quickstart.server import serve


def tool(name: str, description: str, **properties: dict) -> dict:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    tool("GetOrderBySubscription", "The order of a subscription.", subscription_number={"type": "integer"}),
    tool("SearchSupplier", "Suppliers by name, as in Åkeri.", supplier_name={"type": "string", "description": "Name"}),
    tool("LookupOrderRows", "Rows of a supplier.", supplier_id={"type": "integer", "minimum": 1}),
]
CALL = '<tool_call>\n{"name": "SearchSupplier", "arguments": {"supplier_name": "Acme AB"}}\n</tool_call>'


def write_gguf(path: Path, template: str | None = None) -> np.ndarray:
    """A GGUF file with one Q4_1 matrix, one Q8_0 matrix and one f32 vector; returns the Q4_1 matrix as f32."""
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(2048)
    writer.add_token_list(["a", "b"])
    if template is not None:
        writer.add_chat_template(template)
    values = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
    q4 = quantize(values, GGMLQuantizationType.Q4_1)
    writer.add_tensor("q4", q4, raw_dtype=GGMLQuantizationType.Q4_1)
    writer.add_tensor("q8", quantize(values, GGMLQuantizationType.Q8_0), raw_dtype=GGMLQuantizationType.Q8_0)
    writer.add_tensor("norm", values[0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return dequantize(q4, GGMLQuantizationType.Q4_1)


# The 16-bit copy


def test_f16_copy_keeps_values_shapes_and_metadata(tmp_path):
    q4 = write_gguf(tmp_path / "a.gguf", "{{ tools }}")
    copy = gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache")
    before, after = GGUFReader(tmp_path / "a.gguf"), GGUFReader(copy)
    tensors = {t.name: t for t in after.tensors}
    assert {n: t.tensor_type.name for n, t in tensors.items()} == {"q4": "F16", "q8": "F16", "norm": "F32"}
    assert tensors["q4"].data.shape == (4, 64)
    assert np.array_equal(tensors["q4"].data, q4.astype(np.float16))
    for key in ("llama.context_length", "tokenizer.chat_template", "tokenizer.ggml.tokens"):
        assert after.fields[key].contents() == before.fields[key].contents()
    assert after.fields["general.file_type"].contents() == 1  # mostly f16


def test_second_call_takes_the_cached_file(tmp_path, monkeypatch):
    write_gguf(tmp_path / "a.gguf")
    first = gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache")
    monkeypatch.setattr(gguf, "write_f16", lambda *_: pytest.fail("converted again"))
    assert gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache") == first


def test_other_content_under_the_same_name_is_converted_anew(tmp_path):
    write_gguf(tmp_path / "a.gguf")
    first = gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache")
    write_gguf(tmp_path / "a.gguf", "{{ tools }}")
    assert gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache") != first


def test_interrupted_conversion_leaves_no_file(tmp_path, monkeypatch):
    def interrupted(_source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise KeyboardInterrupt

    write_gguf(tmp_path / "a.gguf")
    monkeypatch.setattr(gguf, "write_f16", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gguf.f16_copy(tmp_path / "a.gguf", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_part_of_a_killed_conversion_is_removed_and_a_live_one_kept(tmp_path):
    write_gguf(tmp_path / "a.gguf")
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    cache = tmp_path / "cache"
    cache.mkdir()
    dead, live = cache / f"x-f16-1.gguf.{process.pid}.part", cache / f"x-f16-1.gguf.{os.getpid()}.part"
    dead.write_bytes(b"half")
    live.write_bytes(b"half")
    copy = gguf.f16_copy(tmp_path / "a.gguf", cache)
    assert sorted(cache.iterdir()) == sorted([copy, live])


def test_cache_dir_follows_xdg(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert gguf.cache_dir() == tmp_path / "slm-rl" / "gguf"


def test_bundled_file_is_the_q4_1_of_a_model_trained_on_our_context():
    header = gguf.read_metadata(gguf.bundled_gguf())
    assert header["general.architecture"] == "llama"
    assert header["llama.context_length"] == model.MAX_CONTEXT
    assert "tools" not in header["tokenizer.chat_template"]


# The model option


@pytest.mark.parametrize("name", ["nowhere.gguf", "some/folder/nowhere.gguf", "/tmp", "just-a-word", "a/b/c"])
def test_missing_model_says_what_to_give(name):
    with pytest.raises(QuickstartError, match=r"^model: no file .*; give a FILE\.gguf, owner/name"):
        model.resolve_model(name)


@pytest.mark.parametrize("size", [0, 3, 40, 300])
def test_file_that_is_no_complete_gguf(tmp_path, size):
    write_gguf(tmp_path / "a.gguf")
    path = tmp_path / "cut.gguf"
    path.write_bytes((tmp_path / "a.gguf").read_bytes()[:size])
    with pytest.raises(QuickstartError, match=r"^model: .*cut\.gguf is not a complete GGUF file"):
        model.resolve_model(str(path))


def test_text_file_is_no_gguf(tmp_path):
    (tmp_path / "notes.gguf").write_text("these are notes, not weights\n" * 20)
    with pytest.raises(QuickstartError, match="not a complete GGUF file"):
        model.resolve_model(str(tmp_path / "notes.gguf"))


def test_own_file_is_served_as_is_with_the_template_that_fits(tmp_path):
    path = tmp_path / "mine.gguf"
    write_gguf(path, "{% if tools %}…{% endif %}<|im_start|>")
    assert model.resolve_model(str(path)) == model.Model(path, "mine", 2048, None)
    write_gguf(path, "<|im_start|>{{ messages }}")
    assert model.resolve_model(str(path)).template == model.CHATML
    write_gguf(path, "[INST]")
    with pytest.raises(QuickstartError, match=r"chat template of mine\.gguf takes no tools"):
        model.resolve_model(str(path))


def test_hub_id_without_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for name in ("owner/name", "owner/name:file.gguf"):
        with pytest.raises(QuickstartError, match=r"^model: cannot get owner/name from the hub .*give a FILE\.gguf$"):
            model.resolve_model(name)


def test_choice_among_the_files_of_a_repository():
    choose = model.choose_file
    assert choose("o/n", ["README.md", "m.gguf"]) == "m.gguf"
    assert choose("o/n", ["m-Q4_K_M.gguf", "m-Q8_0.gguf", "mmproj-f16.gguf"]) == "m-Q8_0.gguf"
    assert choose("o/n", ["m-q2_k.gguf", "m-q4_k_m.gguf"]) == "m-q4_k_m.gguf"
    with pytest.raises(QuickstartError, match="no single-file GGUF"):
        choose("o/n", ["README.md", "m-00001-of-00002.gguf", "m-00002-of-00002.gguf"])
    with pytest.raises(QuickstartError, match=r"2 GGUF files; name one, as in o/n:a-q2\.gguf"):
        choose("o/n", ["b-q3.gguf", "a-q2.gguf"])


# The server, with the bundled model


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    log = tmp_path_factory.mktemp("server") / "server.log"
    with serve(model.resolve_model(None), slots=1, port=0, log=log) as url:
        yield url


def post(url: str, body: dict) -> bytes:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read()


def chat(address: str, **body) -> dict:
    return json.loads(post(f"{address}/v1/chat/completions", {"temperature": 0, "max_tokens": 64, **body}))["choices"][
        0
    ]


def prompt(address: str, **body) -> str:
    return json.loads(post(f"{address}/apply-template", body))["prompt"]


def test_every_schema_is_in_the_prompt(address):
    messages = [{"role": "system", "content": "You answer e-mails."}, {"role": "user", "content": "Hej!"}]
    text = prompt(address, messages=messages, tools=TOOLS)
    start, end = text.index("<tools>\n") + len("<tools>\n"), text.index("\n</tools>")
    assert [json.loads(line) for line in text[start:end].splitlines()] == TOOLS
    assert "Åkeri" in text
    assert text.startswith("<|im_start|>system\nYou answer e-mails.\n")
    assert text.endswith("<|im_start|>user\nHej!<|im_end|>\n<|im_start|>assistant\n")


def test_past_calls_and_results_are_in_the_prompt(address):
    calls = [
        {"id": "1", "type": "function", "function": {"name": "SearchSupplier", "arguments": '{"supplier_name": "Å"}'}},
        {"id": "2", "type": "function", "function": {"name": "LookupOrderRows", "arguments": '{"supplier_id": 7}'}},
    ]
    messages = [
        {"role": "user", "content": "Hej!"},
        {"role": "assistant", "content": "I look.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "1", "content": '{"supplier_id": 7}'},
        {"role": "tool", "tool_call_id": "2", "content": "[]"},
    ]
    assert prompt(address, messages=messages, tools=TOOLS).endswith(
        "<|im_start|>assistant\nI look."
        '\n<tool_call>\n{"name": "SearchSupplier", "arguments": {"supplier_name": "Å"}}\n</tool_call>'
        '\n<tool_call>\n{"name": "LookupOrderRows", "arguments": {"supplier_id": 7}}\n</tool_call><|im_end|>\n'
        '<|im_start|>user\n<tool_response>\n{"supplier_id": 7}\n</tool_response>'
        "\n<tool_response>\n[]\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


def test_prompt_without_tools_is_the_one_of_the_models_own_template(address):
    expected = (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt(address, messages=[{"role": "user", "content": "Hi"}]) == expected


def test_the_capital_of_france_is_paris(address):
    reply = chat(address, messages=[{"role": "user", "content": "What is the capital of France?"}])
    assert reply["message"]["content"] == "The capital of France is Paris."
    assert reply["finish_reason"] == "stop"


def repeat_call() -> list[dict]:
    """A conversation after which the small model writes `CALL`."""
    ask = {"role": "user", "content": f"Repeat exactly: {CALL}"}
    return [ask, {"role": "assistant", "content": CALL}] * 2 + [ask]


def test_a_call_in_the_reply_is_parsed(address):
    reply = chat(address, messages=repeat_call(), tools=TOOLS)
    function = reply["message"]["tool_calls"][0]["function"]
    assert reply["finish_reason"] == "tool_calls"
    assert (function["name"], json.loads(function["arguments"])) == ("SearchSupplier", {"supplier_name": "Acme AB"})


def test_a_call_in_a_streamed_reply_is_parsed(address):
    body = {"messages": repeat_call(), "tools": TOOLS, "temperature": 0, "max_tokens": 64, "stream": True}
    lines = post(f"{address}/v1/chat/completions", body).decode().splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    deltas = [call["function"] for e in events for call in e["choices"][0]["delta"].get("tool_calls") or []]
    assert [d["name"] for d in deltas if d.get("name")] == ["SearchSupplier"]
    assert json.loads("".join(d.get("arguments", "") for d in deltas)) == {"supplier_name": "Acme AB"}


def test_too_long_a_prompt_is_status_400(address):
    with pytest.raises(urllib.error.HTTPError) as caught:
        chat(address, messages=[{"role": "user", "content": "word " * (model.MAX_CONTEXT + 100)}])
    assert caught.value.code == 400
    assert json.loads(caught.value.read())["error"]["type"] == "exceed_context_size_error"


def test_taken_port_and_broken_model_end_with_one_line(address, tmp_path):
    write_gguf(tmp_path / "a.gguf", "{{ tools }}")
    with (
        pytest.raises(QuickstartError, match=r"^the model server ended with code 1: .*server\.log\)$"),
        serve(model.Model(tmp_path / "a.gguf", "a", 512), 1, 0, tmp_path / "server.log"),
    ):
        pytest.fail("served a file without a model")
    port = int(address.rsplit(":", 1)[1])
    with (
        pytest.raises(QuickstartError, match=r"^the model server ended"),
        serve(model.resolve_model(None), 1, port, tmp_path / "server.log"),
    ):
        pytest.fail("served on a taken port")


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether the process ends within `seconds`; a zombie that init has not collected counts as ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_server_does_not_outlive_a_killed_parent(tmp_path):
    code = (
        "import pathlib, subprocess, time\n"
        "from recipes.quickstart import model, server\n"
        "start = subprocess.Popen\n"
        "def popen(*args, **kwargs):\n"
        "    process = start(*args, **kwargs)\n"
        "    print(process.pid, flush=True)\n"
        "    return process\n"
        "server.subprocess.Popen = popen\n"
        f"with server.serve(model.resolve_model(None), 1, 0, pathlib.Path({str(tmp_path / 'log')!r})) as url:\n"
        "    print(url, flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, url = int(parent.stdout.readline()), parent.stdout.readline()
        assert url.startswith("http://127.0.0.1:")
        parent.kill()
    assert gone(pid)


# Rollouts and their figures


def test_vf_eval_settings_stay_on_this_machine(tmp_path):
    config = QuickstartConfig(num_tasks=3, max_tokens=99)
    program, at, path = vf_eval_command(config, "m", "http://127.0.0.1:5", tmp_path)
    assert Path(program).name == "vf-eval" and Path(program).is_file() and at == "@"
    settings = json.loads(Path(path).read_text())
    assert settings["push"] is False
    assert settings["client"]["base_url"] == "http://127.0.0.1:5/v1"
    assert settings["client"]["api_key_var"] not in os.environ
    assert settings["env"]["taskset"] == {"id": "supplier-invoices", "split": "validation"}
    assert (settings["select"]["limit"], settings["sampling"]["max_tokens"]) == (3, 99)


def test_run_dirs_of_one_second_differ(tmp_path):
    assert new_run_dir(tmp_path) != new_run_dir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(QuickstartError, match=r"^output_dir: "):
        new_run_dir(tmp_path / "file")


def test_rollouts_are_counted_and_the_exit_code_returned(tmp_path):
    console = Console(file=io.StringIO(), record=True)
    traces = tmp_path / "traces.jsonl"
    code = f"open({str(traces)!r}, 'w').write('{{}}\\n' * 2); print('a last line'); raise SystemExit(3)"
    command = [sys.executable, "-c", code]
    assert run_rollouts(command, traces, tmp_path / "log", 5, console) == 3
    assert "rollout 2 of 5 finished" in console.export_text()
    assert str(ended("vf-eval", 3, tmp_path / "log")).startswith("vf-eval ended with code 3: a last line (log: ")


def episode(key: str, gold: float | None, calls: int = 0, ok: bool = True, **fields) -> str:
    node = {"sampled": True, "message": {"role": "assistant", "tool_calls": [{"id": str(i)} for i in range(calls)]}}
    given = {"sampled": False, "message": {"role": "assistant", "tool_calls": [{"id": "prompt"}]}}
    rewards = (
        {} if gold is None else {"gold_fraction": {"score": gold}, "solved": {"score": float(gold == 1), "weight": 0}}
    )
    trace = {"nodes": [given, node], "rewards": rewards}
    return json.dumps({"ok": ok, "task": {"key": key}, "traces": [trace], **fields})


def test_figures_count_every_rollout(tmp_path):
    traces = tmp_path / "traces.jsonl"
    lines = [
        episode("a", 1.0, calls=2),
        episode("a", 0.5, calls=1),
        episode("b", None, ok=False, errors=[{"type": "ProviderError", "message": "upstream 500:\n no"}]),
        episode("b", None),  # finished, but nothing scored it
        episode("c", 1.0, ok=False),  # a reward beside an error is not one
        json.dumps({"ok": True, "task": {"key": "c"}, "traces": [{"rewards": {"solved": {}}}]}),  # NaN is left out
        '{"ok": true, "task": {"ke',  # killed while writing
    ]
    traces.write_text("\n".join(lines))
    figures = read_figures(traces)
    assert (figures.rollouts, figures.pass_at_1) == (7, 1 / 7)
    assert figures.mean_reward == pytest.approx(1.5 / 7)
    assert figures.mean_tool_calls == pytest.approx(3 / 7)
    assert figures.tasks == 4
    assert figures.errors == (
        "ProviderError: upstream 500: no",
        *["no usable reward recorded"] * 3,
        "cut short: line 7 is not complete JSON",
    )


def test_figures_of_an_empty_file(tmp_path):
    (tmp_path / "t").write_text("")
    figures = read_figures(tmp_path / "t")
    assert (figures.rollouts, figures.pass_at_1, figures.errors) == (0, 0.0, ())


def test_report_shows_figures_errors_and_the_whole_path(tmp_path):
    traces = tmp_path / ("long-name-" * 12) / "traces.jsonl"
    traces.parent.mkdir()
    traces.write_text(episode("a", 1.0, calls=3) + "\n" + episode("b", None) + "\n")
    console = Console(record=True, width=80, file=io.StringIO())
    print_report(console, read_figures(traces), "some-model", 12.4, traces)
    text = console.export_text()
    for label, value in (
        ("pass@1", "0.500"),
        ("mean reward", "0.500"),
        ("tool calls per rollout", "1.5"),
        ("errors", "1"),
    ):
        assert any(label in line and value in line for line in text.splitlines()), label
    assert "error in 1 rollout(s): no usable reward recorded" in text
    assert f"traces: {traces}\n" in text


# The command: its exit codes, and Ctrl-C at every stage

STAND_IN = """
import contextlib, pathlib, subprocess, sys, time
from recipes.quickstart import evaluate, gguf, model, server

where, stage = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
CHILD = "import os, pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); time.sleep(60)"

def convert(source, target):
    target.write_bytes(b"half")
    (where / "ready").write_text("")
    time.sleep(60)

@contextlib.contextmanager
def served(*args):
    yield "http://127.0.0.1:9"

small = where / "a.gguf"
if stage == "convert":
    gguf.bundled_gguf = model.bundled_gguf = lambda: small
    gguf.write_f16 = convert
else:
    model.resolve_model = lambda name: model.Model(small, "stand-in", 512)
if stage == "load":
    real = subprocess.Popen
    server.subprocess.Popen = lambda command, **kw: real([sys.executable, "-c", CHILD, str(where / "ready")], **kw)
else:
    server.serve = served
if stage == "rollouts":
    evaluate.vf_eval_command = lambda *_: [sys.executable, "-c", CHILD, str(where / "ready")]
elif stage != "load":
    evaluate.vf_eval_command = lambda config, name, url, run_dir: [sys.executable, "-c", stage, str(run_dir)]

from recipes.quickstart.cli import main
main()
"""


def start_command(tmp_path: Path, stage: str, *options: str) -> subprocess.Popen[str]:
    write_gguf(tmp_path / "a.gguf")
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path), stage, "--output-dir", str(tmp_path / "out"), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )


@pytest.mark.parametrize("whole_group", [False, True])
@pytest.mark.parametrize("stage", ["convert", "load", "rollouts"])
def test_ctrl_c_ends_cleanly(tmp_path, stage, whole_group):
    with start_command(tmp_path, stage) as process:
        ready = tmp_path / "ready"
        while not (ready.is_file() and (stage == "convert" or ready.read_text())):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == "quickstart: interrupted; the model server and the rollouts are stopped\n"
    assert not list(tmp_path.glob("cache/**/*.part")) and not list(tmp_path.glob("cache/**/*.gguf"))
    if stage != "convert":
        assert gone(int(ready.read_text()))


def test_sigterm_ends_cleanly_too(tmp_path):
    with start_command(tmp_path, "rollouts") as process:
        while not (tmp_path / "ready").is_file():
            time.sleep(0.02)
        process.terminate()
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in errors


def test_exit_codes(tmp_path):
    def write(lines: list[str]) -> str:
        return f"import pathlib, sys; pathlib.Path(sys.argv[1], 'traces.jsonl').write_text({chr(10).join(lines)!r})"

    good, bad = episode("a", 1.0, calls=1), episode("b", None, ok=False)
    with start_command(tmp_path, write([good]), "--num-tasks", "1") as process:
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    assert "1.000" in output and "traces.jsonl" in output
    with start_command(tmp_path, write([good, bad]), "--num-tasks", "2") as process:
        output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (1, "quickstart: 1 of 2 rollouts did not finish with a reward\n")
    with start_command(tmp_path, "raise SystemExit('no such taskset')") as process:
        output, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert errors.startswith("quickstart: vf-eval ended with code 1: no such taskset (log: ")
    assert errors.count("\n") == 1
