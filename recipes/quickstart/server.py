"""The model server: llama.cpp's OpenAI-compatible HTTP server (through xllamacpp) in a process of its own.

A process, because loading holds the interpreter lock and a crash in native code must not take the command down. It
cannot outlive its parent: the kernel kills it (Linux), and everywhere it ends when its standard input closes.
"""

import contextlib
import ctypes
import importlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import IO, Any

from recipes.quickstart.errors import QuickstartError, ended
from recipes.quickstart.model import Model

START_SECONDS = 120.0
"""Deadline for loading the model and answering the first health check."""

PR_SET_PDEATHSIG = 1


@contextlib.contextmanager
def serve(model: Model, slots: int, port: int, log: Path) -> Generator[str]:
    """Serve `model` on the loopback interface while the block runs.

    Args:
        model: what to serve.
        slots: conversations held at the same time, each with `model.context` tokens.
        port: TCP port; 0 takes a free one.
        log: file for llama.cpp's log.

    Yields:
        The address, as in `http://127.0.0.1:41234`.

    Raises:
        QuickstartError: the server ended or did not answer in time.
    """
    options = {
        "path": str(model.path),
        "name": model.name,
        "template": str(model.template) if model.template else None,
        "context": model.context * slots,  # llama.cpp divides it between the slots
        "slots": slots,
        "port": port,
    }
    command = [sys.executable, "-m", "recipes.quickstart.server", json.dumps(options)]
    with log.open("wb") as log_file:
        # A session of its own: the terminal's Ctrl-C goes to the parent only, which then stops this one.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file, start_new_session=True
        )
    try:
        yield _wait_until_ready(process, log, time.monotonic() + START_SECONDS)
    finally:
        stop(process)


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path, deadline: float) -> str:
    assert process.stdout is not None
    address = _read_line(process.stdout, deadline)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names
    while address and time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), direct.open(f"{address}/health", timeout=5) as reply:
            if reply.status == 200:
                return address
        time.sleep(0.1)
    if process.poll() is None and time.monotonic() >= deadline:
        raise QuickstartError(f"the model server did not answer within {START_SECONDS:.0f} s; its log is {log}")
    raise ended("the model server", process.wait(), log)


def _read_line(stream: IO[bytes], deadline: float) -> str:
    """The first line of `stream`, or "" when it closes or the deadline passes."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        if not selector.select(max(0.0, deadline - time.monotonic())):
            return ""
        return stream.readline().decode().strip()


def stop(process: subprocess.Popen[bytes], grace: float = 5.0) -> None:
    """End `process`: SIGTERM, then SIGKILL to its whole session after `grace` seconds. Safe on an ended one."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def threads() -> int:
    """Threads that compute: one core is left to `vf-eval` and its tool server. llama.cpp's threads wait for each other
    at every layer: on 2 busy cores, 2 threads took two to five times as long as 1 for the same replies."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, cores - 1)


def _main(options: dict) -> None:
    """Child side: serve until standard input closes. Prints the address once the model is loaded."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # Loaded by name: the compiled module has no type information.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    params.model_alias = {options["name"]}
    params.n_ctx = options["context"]
    params.n_parallel = options["slots"]
    params.port = options["port"]
    params.cpuparams.n_threads = threads()
    params.use_jinja = True
    if options["template"]:
        params.chat_template = Path(options["template"]).read_text(encoding="utf-8")
    params.enable_reasoning = 0  # replies are capped at a few hundred tokens: no room for a think block
    params.cache_ram_mib = 0  # a slot keeps its own conversation; the default sets aside up to 8 GiB beside that
    params.ui = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()
    del server


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
