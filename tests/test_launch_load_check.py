"""The check of answers beside others, against a server that knows how many requests it holds."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from json_server import serve_json
from recipes.launch.check_server import CheckConfig, Finding, check
from recipes.launch.load_check import PROMPTS

LENGTH = 40
NAN = "Out of range float values are not JSON compliant: nan"
EAGER, DECODES = "enforce_eager = true", 'compilation_config.cudagraph_mode = "PIECEWISE"'


@dataclass(frozen=True)
class Refusal:
    status: int
    text: str


Tokens = list[dict]
Answer = Callable[[str, int], Tokens | Refusal]
"""Prompt and requests in flight → tokens of the reply."""


def token(text: str, logprob: float | None = -0.2, **top: float) -> dict:
    listed = [{"token": each, "logprob": p} for each, p in top.items()]
    return {"token": text, "logprob": logprob, "top_logprobs": listed}


def said(prompt: str, load: int = 1) -> Tokens:
    """A sound reply. `near` is almost as likely as each token, `far` the least likely that is listed."""
    words = [f"{prompt[:4].strip()}{number} " for number in range(LENGTH)]
    return [token(word, **{word: -0.2, "near ": -0.4, "far ": -6.0}) for word in words]


def parting(at: int, first: str, rest: str = "else ", logprob: float | None = -0.2, limit: int = 8) -> Answer:
    """Sound up to `limit` requests in flight; above, `first` stands at `at` and `rest` follows."""

    def answer(prompt: str, load: int) -> Tokens:
        whole = said(prompt)
        if load <= limit:
            return whole
        tail = [token(text, logprob, **{text: -0.2}) for text in [first] + [rest] * (LENGTH - at - 1)]
        return whole[:at] + tail

    return answer


@dataclass
class Server:
    """Holds every request of the crowd until it has seen `crowd` of them, or all that are left, in flight."""

    answer: Answer
    crowd: int
    logprobs: str = "given"
    """"given", "ignored", "refused" or given "alone" only."""
    peak: int = 0
    bodies: list[dict] = field(default_factory=list)
    open: int = 0
    left: int = 0
    known: set[str] = field(default_factory=set)
    held: dict[int, int] = field(default_factory=dict)
    """Thread of a held request → the most in flight that it has seen."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def reply(self, body: dict) -> tuple[int, dict]:
        prompt = body["messages"][0]["content"]
        with self.changed:
            self.bodies.append(body)
            if self.logprobs == "refused" and "logprobs" in body:
                return 400, {"error": {"message": "logprobs are not supported"}}
            alone = prompt in PROMPTS and prompt not in self.known
            self.known.add(prompt)
            self.open += 1
            self.peak = max(self.peak, self.open)
            load, me = self.open, threading.get_ident()
            if not alone and (prompt in PROMPTS or prompt.startswith("Note ")):
                self.held[me] = self.open
                self.held = {each: max(seen, self.open) for each, seen in self.held.items()}
                self.changed.notify_all()
                self.changed.wait_for(lambda: self.held[me] >= min(self.crowd, self.left), timeout=5)
                load = self.held.pop(me)
                self.left -= 1
        answer = self.answer(prompt, load)
        with self.changed:
            self.open -= 1
            self.changed.notify_all()
        if isinstance(answer, Refusal):
            return answer.status, {"error": {"message": answer.text}}
        answer = answer[: body["max_tokens"]]
        message = {"role": "assistant", "content": "".join(each["token"] for each in answer)}
        choice = {"message": message, "finish_reason": "stop"}
        if self.logprobs == "given" or (self.logprobs == "alone" and load == 1):
            choice["logprobs"] = {"content": answer}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 9}}


def run(answer: Answer, crowd: int = 16, logprobs: str = "given") -> tuple[Finding, Server]:
    """The last finding, and the server."""
    server = Server(answer, crowd, logprobs, left=2 * max(crowd, len(PROMPTS)))
    with serve_json(server.reply) as url:
        findings = check("tuned", CheckConfig(base_url=url, tools=False, concurrency=crowd))
    return findings[-1], server


def test_a_sound_server_keeps_its_tokens() -> None:
    found, server = run(said)
    assert found == Finding("ok", "beside others, 16 in flight: 16 copies of 4 prompts keep 100% of their tokens")
    asked = [body for body in server.bodies if "logprobs" in body]
    assert len(asked) == 4 + 32 and server.left == 0
    assert all(body["temperature"] == 0.0 for body in asked)
    assert all(body["chat_template_kwargs"] == {"enable_thinking": False} for body in asked)
    prompts = [body["messages"][0]["content"] for body in asked]
    fillers = {prompt for prompt in prompts if prompt not in PROMPTS}
    assert prompts[:4] == list(PROMPTS) and len(fillers) == 16 and len({len(each) for each in fillers}) > 10
    assert len({body["max_tokens"] for body in asked}) > 10


# More than httpx opens by itself (100)
@pytest.mark.parametrize("crowd", [2, 120])
def test_as_many_are_in_flight_as_asked_for(crowd: int) -> None:
    found, server = run(said, crowd)
    assert found.level == "ok" and server.peak == crowd


def test_one_in_flight_leaves_the_check_out() -> None:
    server = Server(said, 1)
    with serve_json(server.reply) as url:
        findings = check("tuned", CheckConfig(base_url=url, tools=False, concurrency=1))
    assert not any("beside others" in finding.text for finding in findings)
    assert len(findings) == 3 and not any(body["messages"][0]["content"] in PROMPTS for body in server.bodies)


@pytest.mark.parametrize(("at", "kept"), [(24, "60%"), (1, "2%")])
def test_near_ties_may_turn_late_and_early(at: int, kept: str) -> None:
    found, _ = run(parting(at, "near "))
    assert found.level == "ok" and f"keep {kept} of their tokens" in found.text


# The first is sure of its garbage; the last turns to it after a near tie
@pytest.mark.parametrize(
    ("at", "first", "rest", "logprob"),
    [
        (5, "lock", "lock", -0.0),
        (5, "preprintmanif ", "subtly ", -8.0),
        (1, "far ", "else ", -0.2),
        (24, "far ", "else ", -0.2),
        (2, "near ", "subtly ", -4.0),
    ],
)
def test_garbage_beside_more_than_eight_fails_with_the_cure(at: int, first: str, rest: str, logprob: float) -> None:
    found, _ = run(parting(at, first, rest, logprob))
    assert found.level == "fail" and "16 of 16 replies turn to garbage" in found.text
    assert EAGER in found.text and DECODES in found.text
    assert f"alone 'Name{max(0, at - 3)} " in found.text and first in found.text
    assert run(parting(at, first, rest, logprob), crowd=8)[0].level == "ok"


def test_an_odd_reply_in_the_crowd_is_no_fault() -> None:
    odd = iter([True])

    def answer(prompt: str, load: int) -> Tokens | Refusal:
        strays = load > 8 and prompt == PROMPTS[0] and next(odd, False)
        return parting(3, "far ")(prompt, load) if strays else said(prompt)

    assert run(answer)[0].level == "ok"
    assert next(odd, None) is None


def test_nan_in_the_crowd_is_refused() -> None:
    found, _ = run(lambda prompt, load: Refusal(400, NAN) if load > 8 else said(prompt))
    assert (
        found.level == "fail" and f"HTTP 400: {NAN}" in found.text and "have NaN or no log-probabilities" in found.text
    )
    assert EAGER in found.text and DECODES in found.text


@pytest.mark.parametrize("value", [float("nan"), None, float("-inf"), -9999.0])
def test_log_probabilities_that_are_no_numbers(value: float | None) -> None:
    def answer(prompt: str, load: int) -> Tokens:
        """One token of one short reply, all texts as alone."""
        whole = said(prompt)
        return [whole[0] | {"logprob": value}, *whole[1:]] if prompt.startswith("Note 3.") else whole

    found, _ = run(answer)
    assert found.level == "fail" and "1 of 32 replies have NaN or no log-probabilities" in found.text
    assert DECODES in found.text
    found, server = run(lambda prompt, load: [each | {"logprob": value} for each in said(prompt)])
    assert found.level == "fail" and found.text.startswith("alone: ") and DECODES not in found.text
    assert server.left == 32  # no crowd is sent


def test_log_probabilities_that_only_a_lone_request_gets() -> None:
    found, _ = run(said, logprobs="alone")
    assert found.level == "fail" and "32 of 32 replies have NaN or no log-probabilities" in found.text


def test_nan_alone_is_another_fault() -> None:
    found, server = run(lambda prompt, load: Refusal(400, NAN) if prompt in PROMPTS else said(prompt))
    assert found.level == "fail" and found.text.startswith("alone: ") and NAN in found.text
    assert DECODES not in found.text and server.left == 32


@pytest.mark.parametrize("logprobs", ["refused", "ignored"])
def test_without_log_probabilities_words_are_compared(logprobs: str) -> None:
    found, _ = run(said, logprobs=logprobs)
    assert found == Finding("ok", "beside others, 16 in flight: 16 copies of 4 prompts keep 100% of their words")
    assert run(parting(24, "near "), logprobs=logprobs)[0].level == "ok"
    found, _ = run(parting(4, "preprintmanif ", "subtly "), logprobs=logprobs)
    assert found.level == "fail" and DECODES in found.text
    assert "alone 'Name1 Name2 Name3 Name4 Name5 " in found.text
    assert "beside others 'Name1 Name2 Name3 preprintmanif subtly" in found.text


def test_words_of_half_the_prompts_may_part_early() -> None:
    def answer(prompt: str, load: int) -> Tokens | Refusal:
        return parting(1, "near ")(prompt, load) if prompt in PROMPTS[:2] else said(prompt)

    assert run(answer, logprobs="ignored")[0].level == "ok"


def test_an_empty_reply_in_the_crowd_is_garbage() -> None:
    found, _ = run(lambda prompt, load: [] if load > 8 else said(prompt))
    assert found.level == "fail" and "replies turn to garbage" in found.text and "beside others ''" in found.text


def test_a_refused_crowd_names_the_option() -> None:
    found, _ = run(lambda prompt, load: Refusal(429, "Too many requests") if load > 8 else said(prompt))
    assert found.level == "fail" and "HTTP 429: Too many requests" in found.text
    assert "lower --concurrency" in found.text and DECODES not in found.text


def test_short_replies_show_nothing() -> None:
    found, _ = run(lambda prompt, load: said(prompt)[:11])
    assert found.level == "warning" and "not shown, the longest of 4 replies has 11 tokens" in found.text
    assert run(lambda prompt, load: said(prompt)[:12])[0].level == "ok"
