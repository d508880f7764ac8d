"""check-server against scripted servers: what passes, each fault, and its command line."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from json_server import serve_json
from recipes.launch import check_server
from recipes.launch.check_server import ASK_TEXT, ASK_TOOL, CheckConfig, check, gap
from recipes.launch.errors import LaunchError
from scripted_server import Reply, Request, Script, serve

CALL = Reply(calls=[("search", '{"query": "harbour Lund"}')])


def good(request: Request) -> Reply:
    """A thinking model behind both parsers; `tuned-step_8` answers otherwise than `base`."""
    if request.prompt == ASK_TOOL:
        return CALL
    if request.prompt == ASK_TEXT:
        off = request.body.get("chat_template_kwargs") == {"enable_thinking": False}
        return Reply("71", thinking=None if off else "71 is larger.")
    return Reply(f"{request.prompt} I am {request.body['model']}.")


def levels(script: Script, model: str = "tuned-step_8", **options: object) -> dict[str, str]:
    """Findings that are not "ok": text → level."""
    with serve(script) as server:
        config = CheckConfig.model_validate({"base_url": server.url, **options})
        return {finding.text: finding.level for finding in check(model, config) if finding.level != "ok"}


def test_a_sound_server_passes_all_checks() -> None:
    with serve(good) as server:
        findings = check("tuned-step_8", CheckConfig(base_url=server.url, base="base"))
        bodies = [request.body for request in server.requests]
    assert [finding.level for finding in findings] == ["ok"] * 7
    assert all(body["temperature"] == 0.0 for body in bodies)
    choices = [body["tool_choice"] for body in bodies if "tools" in body]
    assert choices == ["auto", {"type": "function", "function": {"name": "search"}}]


def test_tools_can_be_left_out() -> None:
    with serve(good) as server:
        check("base", CheckConfig(base_url=server.url, tools=False))
        assert not any("tools" in request.body for request in server.requests)


def test_a_call_of_another_shape_or_none() -> None:
    def answer(reply: Reply) -> Script:
        return lambda request: reply if request.prompt == ASK_TOOL else good(request)

    found = levels(answer(Reply(calls=[("search", '{"q": 1}')])))
    assert len(found) == 2 and all("parsed, but not as search(query)" in text for text in found)
    found = levels(answer(Reply(calls=[("search", "{broken")])))
    assert all("parsed, but not as search(query)" in text for text in found)
    found = levels(answer(Reply("I think the harbour is nice.")))
    assert all("none was made, so parsing is not shown" in text for text in found) and len(found) == 2
    found = levels(answer(Reply("auto tool choice requires --enable-auto-tool-choice", status=400)))
    assert all("HTTP 400: auto tool choice" in text and "tool_call_parser" in text for text in found)


def test_an_empty_reply_fails() -> None:
    found = levels(lambda request: Reply("") if request.prompt == ASK_TEXT else good(request))
    assert "default: the reply is empty" in found and found["default: the reply is empty"] == "fail"


def test_no_server_and_a_refusal_are_one_line() -> None:
    with pytest.raises(LaunchError, match=r"--base-url http://127\.0\.0\.1:9/v1/?: no answer"):
        check("m", CheckConfig(base_url="http://127.0.0.1:9/v1", timeout=5))
    refusal = Reply("The model `m` does not exist.", status=404)
    with serve(lambda request: refusal) as server, pytest.raises(LaunchError, match="HTTP 404: The model `m` does"):
        check("m", CheckConfig(base_url=server.url))
    with serve(good) as server, pytest.raises(LaunchError, match="--base base: this is the model itself"):
        check("base", CheckConfig(base_url=server.url, base="base"))


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(good) as server:
        monkeypatch.setattr(sys, "argv", ["check-server", "base", "--base-url", server.url])
        check_server.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "ok      tool call, forced: parsed"
    assert lines[-1].startswith("ok      beside others, 64 in flight: 64 copies of 4 prompts keep 100%")
    with serve(lambda request: Reply("71")) as server:
        monkeypatch.setattr(sys, "argv", ["check-server", "base", "--base-url", server.url])
        with pytest.raises(SystemExit, match=r"^check-server: 2 of 6 checks failed: do not start the run yet$"):
            check_server.main()
    monkeypatch.setattr(sys, "argv", ["check-server", "--base-url", "x"])
    with pytest.raises(SystemExit, match="name the served model first"):
        check_server.main()


# Log-probabilities, which the scripted server does not return


@contextmanager
def serve_logprobs(shift: dict[str, float], noise: float) -> Generator[str]:
    """Models with the same text, their log-probabilities moved by `shift` and by up to two `noise` each time."""
    asked = 0

    def answer(body: dict) -> tuple[int, dict]:
        nonlocal asked
        asked += 1
        moved = shift[body["model"]] + noise * (asked % 3)
        tokens = [{"token": word, "logprob": -0.5 - moved} for word in ("Cranes", ",", " ships")]
        message = {"role": "assistant", "content": "Cranes, ships"}
        if "tools" in body:
            function = {"name": "search", "arguments": '{"query": "x"}'}
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}
        choice = {"message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 9}}

    with serve_json(answer) as url:
        yield url


@pytest.mark.parametrize(
    ("moved", "noise", "level"), [(0.5, 0.0, "ok"), (0.5, 0.01, "ok"), (0.0, 0.0, "fail"), (0.0, 0.01, "fail")]
)
def test_equal_text_is_told_apart_by_log_probabilities(moved: float, noise: float, level: str) -> None:
    with serve_logprobs({"base": 0.0, "tuned-step_8": moved}, noise) as url:
        findings = check("tuned-step_8", CheckConfig(base_url=url, base="base", concurrency=1))
    (found,) = [finding for finding in findings if "from base" in finding.text or "like base" in finding.text]
    assert found.level == level, found


def test_gap_ends_where_the_tokens_part() -> None:
    def choice(*tokens: tuple[str, float]) -> dict:
        return {"message": {}, "logprobs": {"content": [{"token": t, "logprob": p} for t, p in tokens]}}

    assert gap(choice(("a", -1.0), ("b", -2.0), ("c", -9.0)), choice(("a", -1.1), ("x", -2.5), ("c", 0.0))) == 0.5
    assert gap(choice(("a", -1.0)), choice(("a", -1.0))) == 0.0
