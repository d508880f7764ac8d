import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from slm_rewards.math import accuracy, configure, judge, judge_blocking, stats, worker
from slm_rewards.math import verdicts as calls
from slm_rewards.math.pool import Pool, Settings
from slm_rewards.math.protocol import REPLIES
from slm_rewards.math.symbolic import Timeout

HANGS = [r"(9^{9})^{(9^{9})}", r"\binom{99999999}{49999999}"]
"""Nothing in Python stops these: the interpreter is held by one big-integer operation."""
DEADLINE = 1.0


@pytest.fixture(autouse=True, scope="module")
def two_quick_workers() -> Iterator[None]:
    configure(workers=2, deadline=DEADLINE, memory_mb=1024)
    both_running()
    yield
    configure(workers=2, deadline=5.0, memory_mb=1024)


def both_running() -> list[int]:
    """The judging processes of both workers, once neither starts again after what an earlier test did to it."""
    limit = time.monotonic() + 60
    while len(pids := calls.worker_pids()) < 4:
        assert time.monotonic() < limit, "the workers do not start"
        # A worker that ended while idle is started with the pair that it takes, which counts as wrong.
        for verdict in [calls.submit("x^2+2x+1", "(x+1)^2") for _ in range(4)]:
            verdict.result()
        time.sleep(0.05)
    return pids[1::2]


def ended(pids: list[int], seconds: float) -> bool:
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def longest_gap(work: "asyncio.Future[list[bool]]") -> float:
    """Seconds between two beats of the loop while the work runs, at most."""
    longest, last = 0.0, time.perf_counter()
    while not work.done():
        await asyncio.sleep(0.002)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def test_the_event_loop_beats_while_hangs_are_judged() -> None:
    answers = [*HANGS, "9^{9^{9^{9}}}", "10^{10^{10}}", "(" * 3000 + "1" + ")" * 3000, "{" * 1_000_000, "{" * 59 + "x"]
    gaps = []

    async def run() -> None:
        work = asyncio.gather(*(judge(answer, "5") for answer in answers))
        gaps.append(await longest_gap(work))
        assert work.result() == [False] * len(answers)

    for _ in range(3):  # the machine may be busy; a loop that is blocked is blocked every time
        asyncio.run(run())
        if min(gaps) <= 0.05:
            break
    assert min(gaps) <= 0.05


def test_a_hung_verdict_costs_its_deadline_and_is_counted() -> None:
    before = stats()
    start = time.perf_counter()
    assert judge_blocking(HANGS[0], "5") is False
    assert DEADLINE * 0.9 <= time.perf_counter() - start <= DEADLINE + 3
    assert judge_blocking("(x+1)^2", "x^2+2x+1")
    after = stats()
    assert after["timeouts"] == before["timeouts"] + 1
    assert after["crashes"] == before["crashes"]
    assert after["starts"] == before["starts"], "the next judging process is forked, not started"


def test_other_verdicts_go_on_while_one_hangs() -> None:
    both_running()
    hung = calls.submit("5", HANGS[0])
    time.sleep(0.1)
    start = time.perf_counter()
    assert all(judge_blocking(f"(x+{n})^2", f"x^2+{2 * n}x+{n * n}") for n in range(1, 6))
    assert not hung.done()
    assert time.perf_counter() - start < DEADLINE
    assert hung.result() is False


def test_verdicts_from_many_threads() -> None:
    pairs = [(f"(x+{n})^2", f"x^2+{2 * n}x+{n * n + n % 2}", n % 2 == 0) for n in range(1, 41)]
    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda pair: judge_blocking(pair[0], pair[1]), pairs))
    assert got == [expected for *_, expected in pairs]


def test_verdicts_from_several_event_loops() -> None:
    async def ask(n: int) -> list[float]:
        return await asyncio.gather(*(accuracy(rf"\boxed{{x+{i}+{n}}}", f"x+{i + n}") for i in range(1, 6)))

    assert asyncio.run(ask(1)) == asyncio.run(ask(2)) == [1.0] * 5
    results: dict[int, list[float]] = {}

    def in_thread(n: int) -> None:
        results[n] = asyncio.run(ask(n))

    threads = [threading.Thread(target=in_thread, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [1.0] * 5 for n in range(1, 5)}


def test_a_cancelled_wait_leaves_the_pool_in_order() -> None:
    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(judge(HANGS[0], "5"), 0.2)

    asyncio.run(give_up())
    assert judge_blocking("(x+1)^2", "x^2+2x+1")


def test_a_killed_worker_costs_one_verdict_at_most() -> None:
    before = stats()
    for pid in calls.worker_pids():
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    for _ in range(4):
        judge_blocking("(x+1)^2", "x^2+2x+1")
    assert all(judge_blocking(f"(x+{n})^2", f"x^2+{2 * n}x+{n * n}") for n in range(1, 9))
    assert 1 <= stats()["crashes"] - before["crashes"] <= 2


def test_a_judging_process_that_dies_is_replaced_at_once() -> None:
    judging, before = both_running(), stats()
    hung = calls.submit("5", HANGS[0])
    time.sleep(0.3)
    for pid in judging:
        os.kill(pid, signal.SIGKILL)
    assert hung.result() is False
    assert judge_blocking("(x+1)^2", "x^2+2x+1") or judge_blocking("(x+1)^2", "x^2+2x+1")
    after = stats()
    assert after["crashes"] > before["crashes"]
    assert after["timeouts"] == before["timeouts"], "nobody waits for the deadline of a dead process"
    assert after["starts"] == before["starts"], "the next judging process is forked, not started"


def test_a_worker_that_starts_again_does_not_name_its_dead_judging_process() -> None:
    dead = both_running()
    for pid in calls.worker_pids():
        os.kill(pid, signal.SIGKILL)
    assert ended(dead, 5)
    waiting = [calls.submit("(x+1)^2", "x^2+2x+1") for _ in range(4)]
    while not all(verdict.done() for verdict in waiting):
        assert not set(calls.worker_pids()) & set(dead)
        time.sleep(0.01)
    assert not set(both_running()) & set(dead)


def test_memory_is_limited() -> None:
    for pid in both_running():
        limits = Path(f"/proc/{pid}/limits").read_text()
        assert re.search(rf"Max address space +{1024 << 20} ", limits)
        used = re.search(r"VmSize:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        assert used is not None
        assert int(used[1]) < 512 << 10, "sympy leaves half of the default to the formulas"


@pytest.mark.parametrize(
    ("error", "reply"), [(MemoryError(), b"m"), (Timeout(), b"t"), (RecursionError(), b"e"), (ValueError("x"), b"e")]
)
def test_every_fault_of_a_verdict_is_a_reply(error: Exception, reply: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(answer: str, gold: str, leaf: object) -> bool:
        raise error

    monkeypatch.setattr(worker, "decide", fails)
    assert worker.reply_to("x", "y") == reply
    assert REPLIES[reply] in ("crashes", "timeouts", "errors")


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="workers: 0; at least 1"):
        configure(workers=0)
    with pytest.raises(ValueError, match="deadline: 0; give seconds"):
        configure(deadline=0)
    with pytest.raises(ValueError, match="memory_mb: 10; sympy alone"):
        configure(memory_mb=10)
    assert Settings(workers=3).deadline == 5.0


def test_a_missing_library_and_a_worker_that_cannot_start_are_errors_not_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(ImportError, match=r"install slm-rewards\[math\]"):
            Pool(Settings()).submit("x", "x")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    pool = Pool(Settings(workers=1))
    with pytest.raises(RuntimeError, match="math worker: does not start"):
        pool.submit("x", "x").result(timeout=30)
    pool.close()


def test_closing_ends_what_runs_and_what_waits() -> None:
    pool = Pool(Settings(workers=1, deadline=30.0))
    assert pool.submit("2x", "x+x").result()
    running, waiting = pool.submit("5", HANGS[0]), pool.submit("5", "5")
    time.sleep(0.2)
    pids = pool.pids()
    assert len(pids) == 2
    pool.close()
    assert running.result(timeout=5) is False
    assert waiting.cancelled() or waiting.result(timeout=5) is False
    assert ended(pids, 5)
    with pytest.raises(RuntimeError, match="pool: closed"):
        pool.submit("x", "x")


def test_a_forked_child_judges_with_workers_of_its_own() -> None:
    mine = calls.worker_pids()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            right = judge_blocking("(x+1)^2", "x^2+2x+1") and not judge_blocking("(x+1)^2", "x^2+2x+2")
            code = 0 if right and not set(calls.worker_pids()) & set(mine) else 2
            calls._at_exit()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert judge_blocking("(x+1)^2", "x^2+2x+1")
    assert calls.worker_pids() == mine


def script(code: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


START = (
    "import signal, sys, threading, time\n"
    # a shell starts its background jobs deaf to SIGINT
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from slm_rewards.math import configure, judge_blocking\n"
    "from slm_rewards.math.verdicts import submit, worker_pids\n"
    "configure(workers=1, deadline=2.0)\n"
    "print(judge_blocking('x+x', '2x'), *worker_pids(), flush=True)\n"
)


def test_a_script_without_a_main_guard_ends_and_leaves_nothing_behind() -> None:
    with script(START + "print('sympy' in sys.modules, 'math_verify' in sys.modules)") as process:
        out, err = process.communicate(timeout=60)
    first, second = out.splitlines()
    verdict, *pids = first.split()
    assert (process.returncode, verdict, second, err) == (0, "True", "False False", "")
    assert len(pids) == 2
    assert ended([int(pid) for pid in pids], 5)


def test_a_script_ends_while_a_verdict_hangs() -> None:
    code = START + f"submit('5', {HANGS[0]!r})\ntime.sleep(0.3)\nprint(time.monotonic())\n"
    with script(code) as process:
        out, _ = process.communicate(timeout=60)
        ended_at = time.monotonic()
    first, second = out.splitlines()
    assert process.returncode == 0
    assert ended_at - float(second) < 1.5, "it does not wait for the deadline"
    assert ended([int(pid) for pid in first.split()[1:]], 5)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, -signal.SIGINT)])
def test_workers_end_with_a_parent_that_is_killed_or_interrupted(sent: signal.Signals, code: int) -> None:
    with script(START + f"judge_blocking({HANGS[0]!r}, '5')\ntime.sleep(60)\n") as process:
        assert process.stdout is not None
        pids = [int(pid) for pid in process.stdout.readline().split()[1:]]
        time.sleep(0.3)
        process.send_signal(sent)
        process.wait(timeout=10)
        assert process.returncode in (code, 1)
    assert ended(pids, 2.0 + 3)
