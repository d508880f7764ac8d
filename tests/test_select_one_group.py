"""select-one with `train = "all"`: the group's spread as loss weights, a frozen model's logprobs of the sampled tokens.

vf-eval's clients return no token ids, so the tests put some on the nodes before `finalize`, as a training client does.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import pstdev
from typing import Any, ClassVar

import pytest
import verifiers.v1 as vf
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig

from scripted_server import serve
from select_one.env import SelectOneEnv
from select_tasks import play

MIXED = {"a": [(1, "right"), (1, "wrong"), (1, "RIGHT"), (1, "fail")]}
"""Rewards 1.5, 0.5 and 0.0, and an attempt that failed."""
PROMPT = [11, 12, 13]
SAMPLED = [21, 22]


def logprob(tokens: list[int], at: int) -> float:
    """What the reference says of a token: it depends on everything before it."""
    return -(sum(tokens[: at + 1]) % 97) / 10


class Reference(BaseHTTPRequestHandler):
    """Answers as vLLM does, the sampled token beside a likelier one."""

    requests: ClassVar[list[tuple[str, dict]]] = []
    cut: ClassVar[int] = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append((self.path, body))
        if self.path == "/tokenize":
            answer: dict[str, Any] = {"tokens": [len(body["messages"][0]["content"]), 5]}
        else:
            tokens = body["token_ids"]
            entries: list[dict | None] = [None]
            for i in range(1, len(tokens)):
                entries.append({"9999": {"logprob": -0.01}, str(tokens[i]): {"logprob": logprob(tokens, i)}})
            answer = {"prompt_logprobs": entries[: len(entries) - self.cut]}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def reference() -> Generator[str]:
    Reference.requests.clear()
    Reference.cut = 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Reference)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Token ids on every node: the reply's first is the template's, the others are sampled."""
    finalize = SelectOneEnv.finalize

    async def with_tokens(self: SelectOneEnv, task: vf.Task, episode: vf.Episode) -> None:
        for trace in episode.traces:
            for node in trace.nodes:
                node.token_ids = [7, *SAMPLED] if node.sampled else PROMPT
                node.mask = [False, True, True] if node.sampled else [False] * 3
        await finalize(self, task, episode)

    monkeypatch.setattr(SelectOneEnv, "finalize", with_tokens)


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., vf.Episode]:
    def run(attempts: dict, **env: object) -> vf.Episode:
        with serve(play(attempts)) as server:
            settings = {"id": "select-one", "n": 4, "taskset": {"id": "select-tasks", "names": list(attempts)}, **env}
            config = EvalConfig(
                env=vf.resolve_env_config(settings),
                model="scripted",
                client=vf.EvalClientConfig(base_url=server.url),
                push=False,
                rich=None,
                output_dir=tmp_path,
            )
            (episode,) = asyncio.run(run_eval(config))
        return episode

    return run


def sampled(episode: vf.Episode) -> list[Any]:
    return [node for trace in episode.traces if trace.agent.trainable for node in trace.nodes if node.sampled]


@pytest.mark.usefixtures("tokens")
def test_all_that_ran_are_trained_and_weighed_by_their_spread(played: Callable[..., vf.Episode]) -> None:
    episode = played(MIXED, reward="accuracy", train="all", divide_by_std=True)
    assert episode.ok
    trained = [t for t in episode.traces if t.agent.trainable]
    assert sorted(t.reward for t in trained) == [0.0, 0.5, 1.5]  # not the failed one, whatever its reward is
    assert sum(t.metrics["selected"] or 0 for t in episode.traces) == 1
    weight = 1 / pstdev([0.0, 0.5, 1.5])
    assert [node.loss_weights for node in sampled(episode)] == [{"rl": [pytest.approx(weight)] * 3}] * 3
    for trace in episode.traces:
        assert all(node.loss_weights is None for node in trace.nodes if not (trace.agent.trainable and node.sampled))
        for branch in trace.branches if trace.agent.trainable else []:
            assert branch.loss_weights("rl") == [0.0] * 3 + [pytest.approx(weight)] * 3  # what prime-rl reads
    # The weights survive the wire between env server and orchestrator.
    wire = vf.WireEpisode.model_validate(json.loads(episode.model_dump_json()))
    assert [n.loss_weights for t in wire.traces if t.agent.trainable for n in t.nodes if n.sampled] == [
        node.loss_weights for node in sampled(episode)
    ]


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize("reply", ["right", "no"])
def test_a_flat_group_has_weight_one(played: Callable[..., vf.Episode], reply: str) -> None:
    episode = played({"a": [(1, reply)] * 4}, train="all", divide_by_std=True)
    assert [node.loss_weights for node in sampled(episode)] == [{"rl": [1.0] * 3}] * 4


@pytest.mark.usefixtures("tokens")
def test_the_reference_scores_what_is_trained(played: Callable[..., vf.Episode], reference: str) -> None:
    frozen = {"model": "frozen", "base_url": reference}
    episode = played(MIXED, reward="accuracy", reference=frozen)
    tokens = [*PROMPT, 7, *SAMPLED]
    assert Reference.requests == [
        (
            "/inference/v1/generate",
            {
                "model": "frozen",
                "token_ids": tokens,
                "sampling_params": {"max_tokens": 1, "temperature": 1.0, "top_p": 1.0, "prompt_logprobs": 1},
            },
        )
    ]
    (node,) = sampled(episode)
    assert node.reference_logprobs == [logprob(tokens, 4), logprob(tokens, 5)]
    (trace,) = [t for t in episode.traces if t.agent.trainable]
    (branch,) = trace.branches
    assert branch.reference_logprobs == [0.0] * 4 + node.reference_logprobs  # what prime-rl reads


@pytest.mark.usefixtures("tokens")
def test_a_hint_stands_before_all_that_the_policy_saw(played: Callable[..., vf.Episode], reference: str) -> None:
    frozen = {"model": "frozen", "base_url": reference, "hint": "The answer is {id}."}
    episode = played(MIXED, reward="accuracy", train="all", reference=frozen)
    (path, body), *scored = Reference.requests
    assert path == "/tokenize" and body["add_generation_prompt"] is False
    assert body["messages"] == [{"role": "system", "content": "The answer is a."}]
    tokens = [len("The answer is a."), 5, *PROMPT, 7, *SAMPLED]
    assert [request["token_ids"] for _, request in scored] == [tokens] * 3
    assert [n.reference_logprobs for n in sampled(episode)] == [[logprob(tokens, 6), logprob(tokens, 7)]] * 3


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize(
    ("settings", "cut", "says"),
    [
        ({"hint": "It is {gold}."}, 0, "the task's data has no field 'gold'"),
        ({}, 1, "5 logprobs came back for 6 tokens"),
        ({"base_url": "http://127.0.0.1:9/v1"}, 0, "connection"),
    ],
)
def test_a_reference_that_fails_trains_nothing(
    played: Callable[..., vf.Episode], reference: str, settings: dict, cut: int, says: str
) -> None:
    Reference.cut = cut
    episode = played(MIXED, reward="accuracy", reference={"model": "frozen", "base_url": reference} | settings)
    assert not episode.ok and not sampled(episode)
    assert episode.last_error is not None and says in episode.last_error.message.lower()


def test_a_reference_needs_token_ids(played: Callable[..., vf.Episode], reference: str) -> None:
    episode = played(MIXED, reward="accuracy", reference={"model": "frozen", "base_url": reference})
    assert not episode.ok and not sampled(episode)
    assert episode.last_error is not None and "works in training only" in episode.last_error.message


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"divide_by_std": True}, 'set train = "all"'),
        ({"train": "some"}, "train"),
        ({"reference": {"base_url": "http://localhost:8001"}}, "model"),
        ({"reference": {"model": "m", "base_url": "localhost:8001"}}, "give one as http://host:8001/v1"),
    ],
)
def test_bad_settings_are_refused(bad: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        vf.resolve_env_config({"id": "select-one", "taskset": {"id": "select-tasks"}, **bad})
