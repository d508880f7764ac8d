"""Logprobs of a frozen model for tokens that the policy sampled: teacher of a distillation, anchor of a KL term.

prime-rl's own `opd` scores without a hint and `opsd` scores with the live policy; both send the tokens to a loss that
`trainer.loss` cannot replace. What stands on the nodes beforehand is kept and reaches any loss as `ref_logprobs`.
"""

import httpx
import verifiers.v1 as vf
from pydantic import model_validator

TIMEOUT = 120.0
"""Seconds for one answer; the server also plays the policy's rollouts when both share a card."""


class ReferenceConfig(vf.BaseConfig):
    model: str
    """Name under which the server serves the frozen model."""
    base_url: str = "http://localhost:8001/v1"
    """prime-rl's `inference` server of that model; not the run's own, whose weights change."""
    hint: str = ""
    """A system message before everything that the model reads, which the policy did not see. `{name}` stands for a
    field of the task's data, as in `The answer is {answer}.`"""

    @model_validator(mode="after")
    def _url(self) -> "ReferenceConfig":
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url: {self.base_url!r} is no address; give one as http://host:8001/v1")
        return self


async def score(config: ReferenceConfig, task: vf.Task, traces: list[vf.Trace]) -> None:
    """Writes `reference_logprobs` (nats, one per sampled token) on every sampled node of the traces.

    Raises:
        ValueError: the rollouts hold no token ids (only training clients return them), the hint names a field that the
            task's data lacks, or the server's answer does not fit the tokens.
        httpx.HTTPError: the server does not answer.
    """
    root = config.base_url.rstrip("/").removesuffix("/v1")
    async with httpx.AsyncClient(base_url=root, timeout=TIMEOUT) as client:
        before = await hint_tokens(client, config, task) if config.hint else []
        for trace in traces:
            for branch in trace.branches:
                if not branch.token_ids:
                    raise ValueError("reference: the rollouts hold no token ids; it works in training only")
                values = await logprobs(client, config.model, before + branch.token_ids)
                write(branch.nodes, values[len(before) :])


async def hint_tokens(client: httpx.AsyncClient, config: ReferenceConfig, task: vf.Task) -> list[int]:
    """The hint as the reference's own chat template writes a system message."""
    try:
        text = config.hint.format_map(task.data.model_dump())
    except KeyError as error:
        raise ValueError(f"reference.hint: the task's data has no field {error}") from None
    body = {
        "model": config.model,
        "messages": [{"role": "system", "content": text}],
        "add_generation_prompt": False,
    }
    answer = await client.post("/tokenize", json=body)
    answer.raise_for_status()
    return answer.json()["tokens"]


async def logprobs(client: httpx.AsyncClient, model: str, tokens: list[int]) -> list[float]:
    """The model's logprob of each token after those before it, at temperature 1; 0.0 for the first.

    The request is that of prime-rl's `prefill_logprobs` (utils/client.py).
    """
    sampling = {"max_tokens": 1, "temperature": 1.0, "top_p": 1.0, "prompt_logprobs": 1}
    body = {"model": model, "token_ids": tokens, "sampling_params": sampling}
    answer = await client.post("/inference/v1/generate", json=body)
    answer.raise_for_status()
    entries = answer.json().get("prompt_logprobs") or []
    if len(entries) != len(tokens):
        raise ValueError(f"reference: {len(entries)} logprobs came back for {len(tokens)} tokens")
    values = [0.0]
    for token, entry in zip(tokens[1:], entries[1:], strict=True):
        if not entry or str(token) not in entry:
            raise ValueError(f"reference: no logprob came back for token {token}")
        values.append(float(entry[str(token)]["logprob"]))
    return values


def write(nodes: list[vf.MessageNode], values: list[float]) -> None:
    """Puts a branch's logprobs on its sampled nodes, which keep those of their sampled tokens."""
    start = 0
    for node in nodes:
        end = start + len(node.token_ids)
        if any(node.mask):
            node.reference_logprobs = [
                value for value, sampled in zip(values[start:end], node.mask, strict=True) if sampled
            ]
        start = end
