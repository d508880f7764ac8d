"""Verdicts per second: one worker, a fresh process per verdict, and a uv script per verdict; and a loop beside hangs.

The uv script is how verifiers' own gsm8k environment scores: a script that names math-verify as its dependency, run by
`uv run` in the rollout's runtime with gold and reply as arguments. Its environment is made before the clock
runs. The three take turns, so that a busy machine is busy for all of them.
"""

import asyncio
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.verdict_data import gsm8k_answers, unlabelled_rollouts
from benchmarks.verdict_pairs import KINDS
from slm_rewards.math import configure, judge, judge_blocking, stats
from slm_rewards.math.compare import Undecided, decide, undecided
from slm_rewards.math.verdicts import submit

Pair = tuple[str, str]
"""Gold and answer."""
ROUNDS = 3
GOAL_RATE = 1000.0
GOAL_GAP_S = 0.05
HANGS = ["9^{9^{9^{9}}}", "10^{10^{10}}", r"(9^{9})^{(9^{9})}", "(" * 3000 + "1" + ")" * 3000, "{" * 1_000_000]

_PROCESS = """
import sys
from math_verify import parse, verify
boxed = ["\\\\boxed{" + text + "}" for text in sys.argv[1:3]]
print(float(verify(parse(boxed[0]), parse(boxed[1]))))
"""
_SCRIPT = '# /// script\n# dependencies = ["math-verify"]\n# ///\n' + _PROCESS


def ordinary() -> dict[str, list[Pair]]:
    """Answers as models give them, by source; hand-written ones where the data is not here."""
    by_hand = [(gold, answer) for kind in KINDS.values() for gold, answer, _ in kind if answer.strip()]
    sources = {
        "GSM8K answers": list(dict.fromkeys((gold, answer) for gold, answer, _ in gsm8k_answers() if answer)),
        "MATH answers": unlabelled_rollouts(),
    }
    return {name: pairs for name, pairs in sources.items() if pairs} or {"hand-written answers": by_hand}


def run() -> int:
    """Prints the tables; 1 if one worker is below 1,000 ordinary verdicts/s or the loop stood still for over 50 ms."""
    console = Console(width=None if sys.stdout.isatty() else 140)
    configure(workers=1)
    submit("x+x", "2x").result()
    pairs = ordinary()
    symbolic = list(dict.fromkeys(pair for source in pairs.values() for pair in source if _needs_math_verify(pair)))
    everything = [pair for source in pairs.values() for pair in source]
    rates = _rates(pairs, symbolic, everything)
    ours = statistics.median(rates["ordinary answers, all through one worker"])
    table = Table(
        "verdicts",
        "answers",
        "verdicts/s (median)",
        "lowest",
        "highest",
        "one worker is faster by",
        title="One worker beside a process per verdict",
    )
    sizes = {
        "formulas for math-verify, each once": len(symbolic),
        **{name: len(source) for name, source in pairs.items()},
    }
    for name, measured in rates.items():
        if not measured:
            table.add_row(name, "", "not measured: uv or the package index is missing", "", "", "")
            continue
        rate = statistics.median(measured)
        slow = "process" in name or "uv" in name
        count = str(sizes.get(name, SAMPLES if slow else len(everything)))
        table.add_row(
            name,
            count,
            _rate(rate),
            _rate(min(measured)),
            _rate(max(measured)),
            f"{ours / rate:,.0f}×" if slow else "",
        )
    console.print(table)
    gap, hung, beside = asyncio.run(_beside_hangs(symbolic or everything))
    console.print(
        f"While {hung} hanging verdicts ran: longest gap of the event loop {gap * 1000:.1f} ms; "
        f"{beside} formulas judged meanwhile; counts {stats()}"
    )
    console.print(
        f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    return int(ours < GOAL_RATE or gap > GOAL_GAP_S)


SAMPLES = 2
"""Verdicts of the slow ways in one round."""


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2f}"


def _rates(pairs: dict[str, list[Pair]], symbolic: list[Pair], everything: list[Pair]) -> dict[str, list[float]]:
    ways: dict[str, Callable[[], float]] = {
        "ordinary answers, all through one worker": lambda: _through_worker(everything),
        **{name: (lambda source=source: _through_worker(source)) for name, source in pairs.items()},
        "formulas for math-verify, each once": lambda: _through_worker(symbolic),
        "as called: judge_blocking": lambda: _as_called(everything),
        "a fresh process per verdict": lambda: _commands([sys.executable, "-c", _PROCESS], everything),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    uv = "a uv script per verdict (verifiers' gsm8k)"
    rates[uv] = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "verdict.py"
        script.write_text(_SCRIPT, encoding="utf-8")
        command = [shutil.which("uv") or "uv", "run", "--quiet", "--no-project", "--script", str(script)]
        if _uv_works(command):
            ways[uv] = lambda: _commands(command, everything)
        for _ in range(ROUNDS):
            for name, measure in ways.items():
                rates[name].append(measure())
    return rates


def _needs_math_verify(pair: Pair) -> bool:
    try:
        decide(pair[1], pair[0], undecided)
    except Undecided:
        return True
    return False


def _through_worker(pairs: list[Pair]) -> float:
    """Verdicts per second of the worker, whatever the caller could have decided itself."""
    start = time.perf_counter()
    for verdict in [submit(gold, answer) for gold, answer in pairs]:
        verdict.result()
    return len(pairs) / (time.perf_counter() - start)


def _as_called(pairs: list[Pair]) -> float:
    start = time.perf_counter()
    for gold, answer in pairs:
        judge_blocking(answer, gold)
    return len(pairs) / (time.perf_counter() - start)


def _commands(command: list[str], pairs: list[Pair]) -> float:
    """Verdicts per second with one process each, on answers spread over the whole list."""
    chosen = pairs[:: max(1, len(pairs) // SAMPLES)][:SAMPLES]
    start = time.perf_counter()
    for gold, answer in chosen:
        printed = subprocess.run([*command, gold, answer], capture_output=True, text=True, check=True).stdout.split()
        if printed[-1] not in ("0.0", "1.0"):
            raise RuntimeError(f"verdict process: printed {printed[-1]!r} instead of 0.0 or 1.0")
    return len(chosen) / (time.perf_counter() - start)


def _uv_works(command: list[str]) -> bool:
    """Makes the script's environment, outside the clock."""
    try:
        return subprocess.run([*command, "1", "1"], capture_output=True, timeout=120, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


async def _beside_hangs(formulas: list[Pair]) -> tuple[float, int, int]:
    """The longest gap (s) of a loop while hangs are judged, how many hung, how many others were judged meanwhile."""
    configure(workers=2, deadline=2.0)
    await asyncio.gather(*(judge(answer, gold) for gold, answer in formulas[:4]))
    hangs = asyncio.gather(*(judge(answer, "5") for answer in HANGS))
    gap, last, others = 0.0, time.perf_counter(), 0

    async def keep_judging() -> None:
        nonlocal others
        while not hangs.done():
            for gold, answer in formulas:
                await judge(answer, gold)
                others += 1
                if hangs.done():
                    return

    judging = asyncio.ensure_future(keep_judging())
    while not hangs.done():
        await asyncio.sleep(0.002)
        now = time.perf_counter()
        gap, last = max(gap, now - last), now
    await judging
    return gap, len(HANGS), others


def main(arguments: Sequence[str] = ()) -> None:
    """Runs the benchmark; it takes no arguments."""
    if arguments:
        sys.exit("verdicts: takes no arguments")
    sys.exit(run())
