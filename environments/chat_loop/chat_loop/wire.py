"""What the loop needs from a model API, and the two records that cross it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Call:
    """One tool call of the model.

    `arguments` is the decoded JSON value, or the raw text when it is not JSON; `error` then holds the text that
    goes back to the model instead of a result.
    """

    id: str
    name: str
    arguments: object
    error: str | None = None


@dataclass(frozen=True)
class Result:
    """What the model sees for one call: text, or chat content parts when the tool returned an image."""

    content: str | list[dict]
    is_error: bool = False


class Wire(Protocol):
    """One conversation in a model API's own request shape."""

    route: str
    """Path under the endpoint, e.g. `/chat/completions`."""
    body: dict
    """The next request, complete: posting it asks for the next turn."""

    def headers(self, secret: str) -> dict[str, str]:
        """Request headers that carry the rollout's bearer `secret`."""
        ...

    def read(self, reply: dict) -> list[Call]:
        """Append the model's turn in `reply` to `body` and return its tool calls, in order."""
        ...

    def answer(self, results: list[tuple[Call, Result]]) -> None:
        """Append the results of one turn's calls to `body`."""
        ...
