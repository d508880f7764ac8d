"""One judging process: `python -m slm_rewards.math.worker DEADLINE MEMORY_MB`, driven by `pool`.

It imports sympy once and forks the process that judges, which inherits the pipes. When that one is killed or dies, the
next is forked in a hundredth of a second, where a new interpreter takes seconds. The judging process ends with the end
of its input, and by the kernel's alarm when a verdict outlives the deadline and nobody is left to kill it (a
big-integer power holds the interpreter, so nothing in Python could).
"""

import contextlib
import gc
import os
import resource
import signal
import sys
import time

from slm_rewards.math.compare import decide
from slm_rewards.math.golds import sound
from slm_rewards.math.protocol import FALSE, FAULT, GAVE_UP, NO_MEMORY, TRUE, announce, unpack
from slm_rewards.math.symbolic import Timeout, equal, readable

_GRACE_S = 1.0
"""Seconds that the pool has to kill a hung verdict before the alarm does."""
_EARLY_S, _EARLY_DEATHS = 0.05, 20
"""So many judging processes in a row that die so soon mean that none can run."""


def reply_to(gold: str, answer: str | None) -> bytes:
    """The verdict on one pair, or on the gold alone, as the byte that goes back."""
    try:
        verdict = sound(gold, equal, readable) if answer is None else decide(answer, gold, equal)
        return TRUE if verdict else FALSE
    except Timeout:
        return GAVE_UP
    except MemoryError:
        return NO_MEMORY
    except Exception:  # a reward never raises; the pool counts it
        return FAULT


def serve(source: int, sink: int, deadline: float, memory: int) -> None:
    """Judges until the input ends; `memory` in bytes."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    with contextlib.suppress(BrokenPipeError), os.fdopen(source, "rb", buffering=1 << 16) as requests:
        os.write(sink, announce(os.getpid()))
        while (request := unpack(requests)) is not None:
            signal.setitimer(signal.ITIMER_REAL, deadline + _GRACE_S)
            verdict = reply_to(*request)
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.write(sink, verdict)


def main() -> None:
    deadline, memory = float(sys.argv[1]), int(sys.argv[2]) * 1024 * 1024
    source, sink = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # whatever a library prints must not end up in the replies
        os.dup2(quiet, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reply_to("\\frac{x}{2}+1", "1+0.5x")  # caches warm before the first deadline runs
    gc.freeze()
    early = 0
    while early < _EARLY_DEATHS:
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            serve(source, sink, deadline, memory)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        early = early + 1 if time.monotonic() - started < _EARLY_S else 0


if __name__ == "__main__":
    main()
