"""Persistent judging processes behind futures.

One daemon thread drives each process: it takes the next pair, writes it down the pipe, and waits for one byte until the
deadline; then it kills what judges, answers False and goes on with the next (`worker`). Callers hold a future, so
no event loop and no other verdict waits for a hung one. The processes are plain children (`python -m
slm_rewards.math.worker`): no `__main__` guard is needed, and they end when their input does.
"""

import contextlib
import importlib.util
import queue
import threading
from concurrent.futures import Future
from dataclasses import dataclass

from slm_rewards.math.driver import Driver, Job


@dataclass(frozen=True)
class Settings:
    """How a pool runs."""

    workers: int = 2
    """Judging processes."""
    deadline: float = 5.0
    """Seconds for one verdict that needs math-verify."""
    memory_mb: int = 1024
    """Address space of one process, in MiB."""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"workers: {self.workers}; at least 1 judging process is needed")
        if not 0.1 <= self.deadline <= 3600:
            raise ValueError(f"deadline: {self.deadline}; give seconds from 0.1 to 3600")
        if self.memory_mb < 256:
            raise ValueError(f"memory_mb: {self.memory_mb}; sympy alone needs 256")


class Pool:
    """Workers of one setting; each starts when pairs wait that the others cannot take."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.deadline, self.memory_mb = settings.deadline, settings.memory_mb
        self.counts = dict.fromkeys(("judged", "timeouts", "crashes", "errors", "starts"), 0)
        self.closed = False
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._drivers: list[Driver] = []
        self._open = 0

    def submit(self, gold: str, answer: str | None) -> "Future[bool]":
        """A future of the verdict. Raises ImportError without math-verify, RuntimeError on a closed pool."""
        future: Future[bool] = Future()
        with self._lock:
            if self.closed:
                raise RuntimeError("pool: closed; submit to a new one")
            if not self._drivers and importlib.util.find_spec("math_verify") is None:
                raise ImportError("math-verify is missing: install slm-rewards[math]")
            self._open += 1
            if len(self._drivers) < min(self._open, self.settings.workers):
                self._drivers.append(Driver(self))
                self._drivers[-1].start()
        future.add_done_callback(self._done)
        self.jobs.put((future, gold, answer))
        return future

    def _done(self, _: "Future[bool]") -> None:
        with self._lock:
            self._open -= 1

    def count(self, name: str) -> None:
        """Adds one, from any thread."""
        with self._lock:
            self.counts[name] += 1

    def pids(self) -> list[int]:
        """Process ids of the workers that run and of their judging processes."""
        with self._lock:
            drivers = list(self._drivers)
        return [pid for driver in drivers for pid in driver.pids()]

    def close(self, wait: bool = True) -> None:
        """Ends the workers; verdicts under way are False, waiting ones are cancelled."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            drivers = list(self._drivers)
        with contextlib.suppress(queue.Empty):
            while True:
                job = self.jobs.get_nowait()
                if job is not None:
                    job[0].cancel()
        for driver in drivers:
            self.jobs.put(None)
            driver.interrupt()
        if wait:
            for driver in drivers:
                driver.join(5.0)

    def abandon(self) -> None:
        """In a forked child: lets go of the parent's processes without ending them."""
        self.closed = True
        for driver in self._drivers:
            driver.abandon()
