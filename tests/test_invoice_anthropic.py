"""The Anthropic writer against a Messages API on the loopback."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import pytest
from aiohttp import web

from data_build.invoices.mails import MailReport
from data_build.invoices.mails.anthropic_writer import PRICES, AnthropicWriter, Usage
from data_build.invoices.mails.build import awrite_all
from data_build.invoices.scenario import Scenario
from test_invoice_mails import SV_MAIL, scenario

MODEL = "claude-haiku-4-5"
LEAKY = SV_MAIL + "Inköp Norr\n"


def reply(text: str, stop_reason: str = "end_turn") -> web.Response:
    return web.json_response(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "stop_sequence": None,
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop_reason, "usage": {"input_tokens": 1000, "output_tokens": 200},
        }
    )  # fmt: skip


def refuse(status: int, kind: str, **headers: str) -> web.Response:
    body = {"type": "error", "error": {"type": kind, "message": kind}}
    return web.json_response(body, status=status, headers=headers)


class Server:
    """Answers with the given responses in turn, and keeps what it was asked."""

    def __init__(self, *responses: Callable[[], web.Response]) -> None:
        self.responses = list(responses)
        self.asked: list[dict[str, Any]] = []

    async def handle(self, request: web.Request) -> web.Response:
        self.asked.append(await request.json())
        return self.responses.pop(0)()

    async def run(self, cache: Path, scenarios: list[Scenario], model: str = MODEL) -> tuple[MailReport, Usage]:
        app = web.Application()
        app.router.add_post("/v1/messages", self.handle)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        client = anthropic.AsyncAnthropic(
            api_key="test",
            base_url=f"http://{host}:{port}",
            http_client=anthropic.DefaultAsyncHttpxClient(trust_env=False),
        )
        writer = AnthropicWriter(model, cache, client)
        try:
            return await awrite_all(scenarios, writer, 0, concurrency=2, progress=False), writer.usage
        finally:
            await client.close()
            await runner.cleanup()


def run(server: Server, cache: Path, scenarios: list[Scenario], model: str = MODEL) -> tuple[MailReport, Usage]:
    return asyncio.run(server.run(cache, scenarios, model))


def test_good_reply(tmp_path: Path) -> None:
    server = Server(lambda: reply(SV_MAIL))
    out, usage = run(server, tmp_path, [scenario()])
    assert out.mails == {3: SV_MAIL} and out.failures == []
    assert (usage.calls, usage.cached, usage.input_tokens, usage.output_tokens) == (1, 0, 1000, 200)
    assert server.asked[0]["model"] == MODEL


def test_prompt_holds_the_facts_and_no_gold(tmp_path: Path) -> None:
    server = Server(lambda: reply(LEAKY), lambda: reply(SV_MAIL))
    run(server, tmp_path, [scenario()])
    for asked in server.asked:
        text = json.dumps(asked, ensure_ascii=False)
        assert "67484" in text and "Swedish" in text and "Åsa Testberg" in text
        assert "Inköp Norr" not in text and "Fruktkorg Komet" not in text
    assert "leaks department_name" in json.dumps(server.asked[1])


def test_rate_limit_waits_for_retry_after(tmp_path: Path) -> None:
    server = Server(lambda: refuse(429, "rate_limit_error", **{"retry-after": "1.5"}), lambda: reply(SV_MAIL))
    start = time.monotonic()
    out, usage = run(server, tmp_path, [scenario()])
    assert out.mails == {3: SV_MAIL} and out.attempts == {3: 1}
    assert time.monotonic() - start >= 1.5  # the SDK's own first wait is at most half a second
    assert usage.calls == 1


def test_overload_is_retried(tmp_path: Path) -> None:
    server = Server(lambda: refuse(529, "overloaded_error"), lambda: reply(SV_MAIL))
    out, _ = run(server, tmp_path, [scenario()])
    assert out.mails == {3: SV_MAIL} and len(server.asked) == 2


def test_api_that_stays_down_is_a_failed_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data_build.invoices.mails.anthropic_writer.RETRIES", 1)
    down = [lambda: refuse(529, "overloaded_error", **{"retry-after-ms": "1"})] * 2
    out, _ = run(Server(*down, lambda: reply(SV_MAIL)), tmp_path, [scenario()])
    assert out.mails == {3: SV_MAIL} and out.attempts == {3: 2}
    assert len(list(tmp_path.iterdir())) == 1  # only what was paid for is stored


def test_bad_key_ends_the_run(tmp_path: Path) -> None:
    server = Server(lambda: refuse(401, "authentication_error"))
    with pytest.raises(ExceptionGroup) as error:
        run(server, tmp_path, [scenario()])
    assert error.group_contains(anthropic.AuthenticationError)


def test_second_run_reads_the_cache(tmp_path: Path) -> None:
    first, _ = run(Server(lambda: reply(LEAKY), lambda: reply(SV_MAIL)), tmp_path, [scenario()])
    idle = Server()
    second, usage = run(idle, tmp_path, [scenario()])
    assert second.mails == first.mails and idle.asked == []
    assert (usage.calls, usage.cached, usage.input_tokens) == (0, 2, 0) and usage.cost(MODEL) == 0.0


def test_killed_run_pays_only_for_the_rest(tmp_path: Path) -> None:
    run(Server(lambda: reply(SV_MAIL)), tmp_path, [scenario()])
    other = SV_MAIL.replace("Hej!", "Hej igen!")
    server = Server(lambda: reply(other))
    out, usage = run(server, tmp_path, [scenario(), scenario(index=4)])
    assert out.mails == {3: SV_MAIL, 4: other} and (usage.calls, usage.cached) == (1, 1)


def test_another_model_or_scenario_is_asked_anew(tmp_path: Path) -> None:
    run(Server(lambda: reply(SV_MAIL)), tmp_path, [scenario()])
    server = Server(lambda: reply(SV_MAIL))
    run(server, tmp_path, [scenario()], model="another-model")
    assert len(server.asked) == 1
    changed = scenario(gold_values=["Kaffeservice Opal", "Inköp Norr"])
    server = Server(lambda: reply(SV_MAIL))
    run(server, tmp_path, [changed])
    assert len(server.asked) == 1


def test_three_rewrites_then_reported(tmp_path: Path) -> None:
    server = Server(*[lambda: reply(LEAKY)] * 4)
    out, usage = run(server, tmp_path, [scenario()])
    assert out.mails == {} and usage.calls == 4
    assert [(f.index, f.problems) for f in out.failures] == [(3, ["leaks department_name: 'Inköp Norr'"])]


@pytest.mark.parametrize(("text", "stop"), [("", "end_turn"), (SV_MAIL, "max_tokens"), (SV_MAIL, "refusal")])
def test_unusable_reply_is_a_failed_attempt(tmp_path: Path, text: str, stop: str) -> None:
    server = Server(lambda: reply(text, stop), lambda: reply(SV_MAIL))
    out, usage = run(server, tmp_path, [scenario()])
    assert out.mails == {3: SV_MAIL} and out.attempts == {3: 2} and usage.calls == 2


def test_cost_adds_up(tmp_path: Path) -> None:
    server = Server(lambda: reply(LEAKY), lambda: reply(SV_MAIL))
    _, usage = run(server, tmp_path, [scenario()])
    into, out = PRICES[MODEL]
    assert usage.cost(MODEL) == pytest.approx((2000 * into + 400 * out) / 1e6)
    assert usage.cost(f"{MODEL}-20251001") == usage.cost(MODEL)
    assert usage.cost("another-model") is None
    assert "2000 input and 400 output tokens, $0.00" in usage.line(MODEL)
    assert "price unknown" in usage.line("another-model")


def test_no_part_file_stays(tmp_path: Path) -> None:
    run(Server(lambda: reply(SV_MAIL)), tmp_path, [scenario()])
    files = list(tmp_path.iterdir())
    assert [path.suffix for path in files] == [".json"]
    assert json.loads(files[0].read_text(encoding="utf-8"))["text"] == SV_MAIL
