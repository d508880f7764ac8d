"""What a question costs, through an API and on a card of one's own. Source: seed 1, cost comparison.

Money is in the currency of the prices given (US dollars in the seeds). A question is one rollout.
"""

from dataclasses import dataclass

from pydantic import Field, model_validator
from pydantic_config import BaseConfig

MILLION = 1_000_000


class Price(BaseConfig):
    """Price of one run: per token, or per GPU-hour. No price is assumed; list prices change."""

    input: float | None = Field(None, ge=0)
    """Per million prompt tokens, those read from a cache included."""
    output: float | None = Field(None, ge=0)
    """Per million completion tokens; thinking is billed at this rate."""
    gpu_hour: float | None = Field(None, ge=0)
    """Rent of one GPU for an hour."""
    gpu_hours: float | None = Field(None, gt=0)
    """GPU-hours that sampling this run took: cards × wall-clock hours."""
    training_gpu_hours: float = Field(0, ge=0)
    """GPU-hours of the training behind it, paid once."""

    @model_validator(mode="after")
    def _one_kind(self) -> "Price":
        tokens, gpu = (self.input, self.output), (self.gpu_hour, self.gpu_hours)
        if None not in tokens and gpu == (None, None) and not self.training_gpu_hours:
            return self
        if None not in gpu and tokens == (None, None):
            return self
        raise ValueError("a price is input and output (per million tokens), or gpu_hour and gpu_hours (of sampling)")

    @property
    def api(self) -> bool:
        return self.input is not None


@dataclass(frozen=True)
class Cost:
    """Cost of one run's rollouts."""

    run: str
    kind: str
    """`api` or `gpu`."""
    rollouts: int
    total: float
    per_question: float
    training: float


@dataclass(frozen=True)
class Saving:
    """A self-hosted run against one through an API."""

    api: str
    gpu: str
    ratio: float | None
    """How many times the API's question costs the other's; None where the latter costs nothing."""
    saved_per_question: float
    break_even: float | None
    """Questions after which the training is paid for; None where nothing is saved."""


def api_cost(prompt_tokens: int, completion_tokens: int, input_price: float, output_price: float) -> float:
    """Token counts over all calls and prices per million. `completion_tokens` include thinking."""
    return (prompt_tokens * input_price + completion_tokens * output_price) / MILLION


def run_cost(run: str, price: Price, rollouts: int, prompt_tokens: int | None, completion_tokens: int | None) -> Cost:
    """Cost of a run of `rollouts`.

    Raises ValueError for a price per token where the run has no token counts, and for a run without rollouts.
    """
    if rollouts < 1:
        raise ValueError(f"cost.{run}: the run has no rollouts to share the cost; take it out")
    if price.input is not None and price.output is not None:
        if prompt_tokens is None or completion_tokens is None:
            raise ValueError(f"cost.{run}: some rollouts have no token counts; give gpu_hour and gpu_hours instead")
        total = api_cost(prompt_tokens, completion_tokens, price.input, price.output)
        return Cost(run, "api", rollouts, total, total / rollouts, 0.0)
    rate, hours = price.gpu_hour or 0.0, price.gpu_hours or 0.0
    return Cost(run, "gpu", rollouts, rate * hours, rate * hours / rollouts, rate * price.training_gpu_hours)


def saving(api: Cost, gpu: Cost) -> Saving:
    """How the two compare per question, and when the training is paid for."""
    saved = api.per_question - gpu.per_question
    return Saving(
        api.run,
        gpu.run,
        api.per_question / gpu.per_question if gpu.per_question else None,
        saved,
        gpu.training / saved if saved > 0 else None,
    )


def savings(costs: list[Cost]) -> list[Saving]:
    """Every API run against every self-hosted one, in the order given."""
    return [saving(a, g) for a in costs if a.kind == "api" for g in costs if g.kind == "gpu"]
