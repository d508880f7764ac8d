"""Reported faults of verdicts that hang or depend on their thread; the ids are those of the public reports."""

import asyncio
import itertools
import threading
import time

import pytest
from math_verify.errors import TimeoutException

from slm_rewards.math import accuracy_blocking, judge, judge_blocking, stats, symbolic, worker
from slm_rewards.math.protocol import GAVE_UP, REPLIES

TOWER = "9^{9^{9}}"
HANG = r"(9^{9})^{(9^{9})}"


def test_tt_01_verdicts_from_any_thread() -> None:
    verdicts: list[bool] = []
    thread = threading.Thread(target=lambda: verdicts.extend(judge_blocking(a, "2x") for a in ("x+x", "x+x+1")))
    thread.start()
    thread.join()
    assert verdicts == [True, False]


def test_tt_02_a_tower_of_powers_is_false_in_time_and_leaves_others_alone() -> None:
    judge_blocking("x+x", "2x")
    start = time.perf_counter()
    assert judge_blocking(TOWER, "5") is False
    assert judge_blocking(TOWER, TOWER) is True
    assert judge_blocking("x+x", "2x")
    assert time.perf_counter() - start < 5


def test_tt_03_the_event_loop_ticks_while_a_big_integer_holds_its_interpreter() -> None:
    async def run() -> list[float]:
        ticks = [time.perf_counter()]
        work = asyncio.ensure_future(judge(HANG, "5"))
        while not work.done():
            await asyncio.sleep(0.05)
            ticks.append(time.perf_counter())
        assert work.result() is False
        return ticks

    judge_blocking("x+x", "2x")
    before = stats()["timeouts"]
    ticks = asyncio.run(run())
    assert max(b - a for a, b in itertools.pairwise(ticks)) < 1.0
    assert stats()["timeouts"] == before + 1


def test_tt_05_math_verifys_own_timeout_is_a_counted_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*args: object, **keywords: object) -> bool:
        raise TimeoutException("Operation timed out!")

    assert not issubclass(TimeoutException, Exception)
    monkeypatch.setattr(symbolic, "verify", gives_up)
    assert worker.reply_to("x^2+2x+1", "(x+1)^2") == GAVE_UP
    assert REPLIES[GAVE_UP] == "timeouts"


def test_tt_06_nothing_prints_a_huge_number() -> None:
    judge_blocking("x+x", "2x")
    start = time.perf_counter()
    assert judge_blocking("2^{30^5}", "5") is False
    assert judge_blocking("2^{30^5}", "2^{30^5}") is True
    assert time.perf_counter() - start < 5


def test_tt_08_a_long_reply_without_a_box_is_not_parsed() -> None:
    before = stats()
    assert accuracy_blocking("x^2 + 3x - 7 = \\frac{1}{2} + " * 1000, "5") == 0.0
    assert judge_blocking("x^2 + 3x - 7 + " * 2000, "5") is False
    after = stats()
    assert {name: after[name] - before[name] for name in ("judged", "inline")} == {"judged": 0, "inline": 1}
