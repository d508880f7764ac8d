"""The thread that feeds one judging process (`worker`), kills it at the deadline and starts it again."""

import contextlib
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from slm_rewards.math.protocol import READY, REPLIES, TRUE, announced, pack

Job = tuple[Future[bool], str, str | None]
"""A verdict that somebody waits for: future, gold, answer (None: is the gold sound?)."""

_START_S = 120.0
"""Seconds that a new process may take to import sympy on a busy machine."""
_FORK_S = 20.0
"""Seconds until the next judging process is forked; usually a hundredth of one."""
_STARTS = 3
"""Failed starts in a row before a verdict raises instead of waiting."""


class Owner(Protocol):
    """What a driver needs of its pool."""

    closed: bool
    deadline: float
    memory_mb: int
    jobs: "queue.SimpleQueue[Job | None]"

    def count(self, name: str) -> None:
        """Adds one to a count, from any thread."""


class Driver(threading.Thread):
    """The thread that feeds one process."""

    def __init__(self, owner: Owner) -> None:
        super().__init__(name="slm-rewards-math", daemon=True)
        self.owner = owner
        self.process: subprocess.Popen[bytes] | None = None
        self.judging: int | None = None
        """Process id of the judging process that `process` has forked; None until it is ready."""

    def run(self) -> None:
        failures = 0
        while not self.owner.closed:
            problem = None
            # It takes a pair only when it can judge: another driver that is ready may be faster.
            while self.process is None and not self.owner.closed and failures < _STARTS:
                problem = self._start()
                failures = failures + 1 if problem else 0
            job = self.owner.jobs.get()
            if job is None:
                break
            future, gold, answer = job
            if not future.set_running_or_notify_cancel():
                continue
            if self.process is None:
                failures = _STARTS - 1
                future.set_exception(RuntimeError(f"math worker: does not start: {problem}"))
                continue
            verdict = self._verdict(pack(gold, answer))
            self.owner.count("judged")
            future.set_result(verdict)
        self._end()

    def pids(self) -> list[int]:
        """Process ids of the worker and of what judges in it once that is ready; none when the worker has ended."""
        process, judging = self.process, self.judging
        if process is None or process.poll() is not None:
            return []
        # One that died while idle is known to the next verdict only.
        return [process.pid, judging] if judging is not None and _runs(judging) else [process.pid]

    def interrupt(self) -> None:
        """Ends a verdict under way, from another thread."""
        process = self.process
        if process is not None:
            _kill(process)

    def abandon(self) -> None:
        """In a forked child: the process belongs to the parent."""
        process, self.process = self.process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.returncode = 0  # nothing to wait for

    def _start(self) -> str | None:
        """Starts a process and waits until it is ready; what went wrong, if anything."""
        self.owner.count("starts")
        root = str(Path(__file__).parents[2])
        paths = [root, *(path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)]
        limits = [str(self.owner.deadline), str(self.owner.memory_mb)]
        with tempfile.TemporaryFile() as errors:
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "slm_rewards.math.worker", *limits],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                    start_new_session=True,  # Ctrl-C is for the parent; the workers end with their input
                )
            except OSError as error:
                return str(error)
            if self._ready(_START_S):
                return None
            self._end()
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no reply"

    def _verdict(self, request: bytes) -> bool:
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(request)
            reply = self._read(1, self.owner.deadline)
        except OSError:  # it died while idle
            reply = b""
        if reply is not None and reply in REPLIES:
            count = REPLIES[reply]
            if count is not None:
                self.owner.count(count)
            return reply == TRUE
        if self.owner.closed:
            return False
        self.owner.count("timeouts" if reply is None else "crashes")
        if reply is None and self.judging is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.judging, signal.SIGKILL)
        # After a crash the announcement of the next judging process has begun with the byte just read.
        if not self._ready(_FORK_S, begun=reply == READY):
            self._end()
        return False

    def _ready(self, seconds: float, begun: bool = False) -> bool:
        """Waits for the announcement of a judging process; a verdict that came too late is skipped."""
        self.judging = None
        while not begun:
            sign = self._read(1, seconds)
            if not sign:
                return False
            begun = sign == READY
        body = self._read(4, seconds)
        self.judging = announced(body) if body and len(body) == 4 else None
        return self.judging is not None

    def _read(self, size: int, seconds: float) -> bytes | None:
        """So many bytes; empty when the process has ended, None when it has not answered in time."""
        assert self.process is not None
        assert self.process.stdout is not None
        poll = select.poll()
        poll.register(self.process.stdout, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return None
        return self.process.stdout.read(size) or b""

    def _end(self) -> None:
        process, self.process, self.judging = self.process, None, None
        if process is None:
            return
        _kill(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):  # gone, or its number is somebody else's by now
        return False
    return True


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process and the judging process in its group."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
