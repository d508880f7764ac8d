"""The HTTP side: one session per event loop, and model requests with the retry rules of the OpenAI SDK."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

MODEL_ATTEMPTS = 3
"""Requests per turn before the failure counts: the SDK's first try and its two retries."""
RETRY_COUNT_HEADER = "x-stainless-retry-count"
"""Marks a retry, so that the interception replays a turn it has already committed instead of sampling again."""


@dataclass
class _Shared:
    session: aiohttp.ClientSession
    users: int = 0


_SHARED: dict[asyncio.AbstractEventLoop, _Shared] = {}


@asynccontextmanager
async def shared_session() -> AsyncGenerator[aiohttp.ClientSession]:
    """The running loop's session: opened for the first rollout in flight and closed after the last."""
    loop = asyncio.get_running_loop()
    shared = _SHARED.get(loop)
    if shared is None:
        shared = _SHARED[loop] = _Shared(
            aiohttp.ClientSession(
                # Tool servers drop a connection that is idle for 5 s; a reused one must be younger than that.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=4),
                # A model call may take as long as the rollout may.
                timeout=aiohttp.ClientTimeout(total=None),
                # A tool server's cookies must not pass from one rollout to another.
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        )
    shared.users += 1
    try:
        yield shared.session
    finally:
        shared.users -= 1
        if not shared.users:
            del _SHARED[loop]
            await shared.session.close()


class ModelCallError(Exception):
    """A model request that failed for good. `status` is None when no HTTP answer came back."""

    def __init__(self, message: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


async def post_model(session: aiohttp.ClientSession, url: str, body: dict, headers: dict[str, str]) -> dict:
    """POST one model request and return the JSON reply.

    Retries 408, 409, 429, 5xx and broken connections, with the same bytes each time.

    Raises:
        ModelCallError: any other status, or the last failure after `MODEL_ATTEMPTS` requests.
    """
    data = json.dumps(body).encode()
    headers = {**headers, "Content-Type": "application/json"}
    retrying = AsyncRetrying(
        stop=stop_after_attempt(MODEL_ATTEMPTS), wait=_wait, retry=retry_if_exception(_transient), reraise=True
    )
    async for attempt in retrying:
        with attempt:
            headers[RETRY_COUNT_HEADER] = str(attempt.retry_state.attempt_number - 1)
            return await _post(session, url, data, headers)
    raise AssertionError("unreachable: the last attempt returns or raises")


async def _post(session: aiohttp.ClientSession, url: str, data: bytes, headers: dict[str, str]) -> dict:
    try:
        async with session.post(url, data=data, headers=headers) as response:
            text = await response.text(errors="replace")
            if response.status < 400:
                return json.loads(text)
            retry_after = response.headers.get("retry-after", "")
            raise ModelCallError(
                f"model call failed: {response.status}: {text[:2000]}",
                response.status,
                float(retry_after) if retry_after.replace(".", "", 1).isdecimal() else None,
            )
    except (aiohttp.ClientError, ConnectionError, ValueError) as e:
        raise ModelCallError(f"model call failed: {type(e).__name__}: {e}") from e


def _transient(error: BaseException) -> bool:
    if not isinstance(error, ModelCallError):
        return False
    return error.status is None or error.status in (408, 409, 429) or error.status >= 500


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, ModelCallError) and error.retry_after and error.retry_after <= 60:
        return error.retry_after
    backoff = min(0.5 * 2 ** (state.attempt_number - 1), 8.0)
    return backoff * (1 - 0.25 * random.random())
