"""A page in headless Chromium, driven over the DevTools protocol."""

import asyncio
import base64
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome")
BINARY = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--remote-debugging-port=0")
START_SECONDS = 60


class Page:
    """One tab. `requests` and `errors` collect what it asked for and what went wrong in it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._socket = socket
        self._number = 0

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=60)
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            elif message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            elif message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    async def size(self, width: int, height: int, dark: bool = False) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])

    async def open(self, path: Path) -> float:
        """Seconds until the page is loaded."""
        start = time.perf_counter()
        await self.call("Page.navigate", url=path.resolve().as_uri())
        await self.until("document.readyState === 'complete'")
        return time.perf_counter() - start

    async def run(self, script: str) -> Any:
        """Value of a JavaScript expression; a promise is waited for."""
        found = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def until(self, condition: str, seconds: float = 30) -> None:
        """Waits for an expression to become true."""
        end = time.perf_counter() + seconds
        while not await self.run(condition):
            assert time.perf_counter() < end, f"still false after {seconds} s: {condition}"
            await asyncio.sleep(0.05)

    async def screenshot(self, path: Path) -> None:
        """The visible part as PNG."""
        found = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))


@asynccontextmanager
async def chromium() -> AsyncGenerator[Page]:
    """A tab of a browser with a profile of its own, which is gone afterwards."""
    assert BINARY, "no chromium here"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [BINARY, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = await _port(Path(profile) / "DevToolsActivePort")
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as reply:
                    tab = next(t for t in await reply.json() if t["type"] == "page")
                async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    for domain in ("Page", "Runtime", "Network"):
                        await page.call(f"{domain}.enable")
                    yield page
        finally:
            process.terminate()
            process.wait(timeout=30)


async def _port(file: Path) -> int:
    end = time.perf_counter() + START_SECONDS
    while not (file.is_file() and file.read_text().strip()):
        assert time.perf_counter() < end, "chromium did not start"
        await asyncio.sleep(0.05)
    return int(file.read_text().split()[0])
