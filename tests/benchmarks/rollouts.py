"""Rollouts per second of the `null` harness and of `chat-loop`, in interleaved pairs on one machine.

The model server answers at once, so what is measured is the harness and nothing else. Each measurement is a process
of its own; the clock runs from the first rollout's start to the last one's end, without process start-up.
"""

import asyncio
import json
import logging
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

PAIRS = 3
CONCURRENT = 4
IN_FLIGHT = 128
IN_FLIGHT_ROLLOUTS = 256


@dataclass(frozen=True)
class Scenario:
    """What one rollout does, how often each harness runs it, and the ratio to reach."""

    name: str
    prompt: str
    tools: bool
    rollouts: dict[str, int]
    goal: float


SCENARIOS = [
    Scenario("one turn", "one turn", False, {"null": 8, "chat-loop": 300}, 40.0),
    Scenario("three turns with tools", "tools", True, {"null": 8, "chat-loop": 120}, 30.0),
]


@dataclass(frozen=True)
class Measured:
    """Rollouts that ended well, rollouts that did not, and the seconds they took together."""

    completed: int
    lost: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.completed / self.seconds


def run() -> int:
    """Measure, print, and return 1 when a rollout was lost or a ratio is under its goal, else 0."""
    from scripted_server import Reply, by_prompt, serve

    console = Console()
    console.print(_machine())
    script = by_prompt(
        {
            "one turn": [Reply("ok")],
            "tools": [
                Reply(calls=[("add", '{"a": 1, "b": 2}')]),
                Reply(calls=[("echo", '{"text": "x"}')]),
                Reply("ok"),
            ],
        }
    )
    misses = []
    with serve(script) as server:
        # The first null rollout on a machine builds the environment of its program.
        _measure(server.url, "null", "one turn", False, 1, 1)
        for scenario in SCENARIOS:
            pairs = []
            for _ in range(PAIRS):
                pair = {
                    harness: _measure(server.url, harness, scenario.prompt, scenario.tools, count, CONCURRENT)
                    for harness, count in scenario.rollouts.items()
                }
                pairs.append(pair)
            ratio = statistics.median(pair["chat-loop"].rate / pair["null"].rate for pair in pairs)
            console.print(_table(scenario, pairs, ratio))
            if ratio < scenario.goal:
                misses.append(f"{scenario.name}: {ratio:.1f}x is under the goal of {scenario.goal:.0f}x")
            lost = sum(pair["chat-loop"].lost for pair in pairs)
            if lost:
                misses.append(f"{scenario.name}: chat-loop lost {lost} rollouts")
        crowd = _measure(server.url, "chat-loop", "tools", True, IN_FLIGHT_ROLLOUTS, IN_FLIGHT)
    console.print(
        f"chat-loop, {IN_FLIGHT} in flight, three turns with tools: {crowd.completed} completed, {crowd.lost} lost, "
        f"{crowd.rate:.1f} rollouts/s"
    )
    if crowd.lost:
        misses.append(f"{IN_FLIGHT} in flight: {crowd.lost} rollouts lost")
    for miss in misses:
        console.print(f"[red]missed[/red] {miss}")
    return 1 if misses else 0


def _machine() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("verifiers", "chat-loop", "aiohttp"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    date = datetime.now(UTC).date()
    return f"{date}, {cores} cores, {platform.machine()}, Python {platform.python_version()}, {versions}"


def _table(scenario: Scenario, pairs: list[dict[str, Measured]], ratio: float) -> Table:
    table = Table(title=f"{scenario.name}: rollouts/s, {CONCURRENT} in flight", title_justify="left")
    table.add_column("pair")
    for column in ("null", "chat-loop", "ratio", "lost"):
        table.add_column(column, justify="right")
    for number, pair in enumerate(pairs, 1):
        null, loop = pair["null"], pair["chat-loop"]
        row = (f"{null.rate:.2f}", f"{loop.rate:.1f}", f"{loop.rate / null.rate:.1f}x", f"{null.lost} / {loop.lost}")
        table.add_row(str(number), *row)
    table.add_row("median", "", "", f"{ratio:.1f}x", f"goal {scenario.goal:.0f}x")
    return table


def _measure(url: str, harness: str, prompt: str, tools: bool, copies: int, concurrent: int) -> Measured:
    arguments = json.dumps([url, harness, prompt, tools, copies, concurrent])
    command = [sys.executable, "-m", "benchmarks.rollouts", arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"the {harness} measurement failed:\n{done.stderr[-4000:]}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def _worker(url: str, harness: str, prompt: str, tools: bool, copies: int, concurrent: int) -> Measured:
    from scripted_tasks import run_scripted

    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as directory:
        started = time.time()
        traces = asyncio.run(
            run_scripted(
                url,
                Path(directory),
                {"id": harness},
                concurrent=concurrent,
                prompts=[prompt],
                copies=copies,
                tools=tools,
            )
        )
    good = [trace for trace in traces if trace.ok and trace.reward == 1.0]
    first = min((trace.timing.boot.start or started for trace in traces), default=started)
    last = max((trace.timing.scoring.end or time.time() for trace in traces), default=time.time())
    return Measured(len(good), copies - len(good), last - first)


if __name__ == "__main__":
    print(json.dumps(asdict(_worker(*json.loads(sys.argv[1])))))
