"""Runs `vf-eval` on the served model and follows its traces file."""

import json
import os
import subprocess
import sysconfig
import time
from pathlib import Path

from rich.console import Console

from recipes.quickstart.config import QuickstartConfig
from recipes.quickstart.errors import QuickstartError
from recipes.quickstart.server import stop

TASKSET = "supplier-invoices"
TEMPERATURE = 0.0
"""Greedy, so that two runs show the same replies."""
STOP_SECONDS = 15.0
"""Time for `vf-eval` to close its tool server after a Ctrl-C, before it is killed."""


def vf_eval_command(config: QuickstartConfig, model: str, address: str, run_dir: Path) -> list[str]:
    """Write the run's configuration to `run_dir/eval.json` and return the `vf-eval` command line that reads it.

    A file, because the command line reads `parallel_tool_calls` as text.
    """
    settings = {
        "model": model,
        "num_rollouts": config.num_rollouts,
        "max_concurrent": config.max_concurrent,
        "push": False,
        "output_dir": str(run_dir.parent),
        "run": {"dir": run_dir.name},
        "select": {"limit": config.num_tasks},
        # A variable that nobody sets, so that no real key is read or sent.
        "client": {"base_url": f"{address}/v1", "api_key_var": "SLM_RL_QUICKSTART_NO_KEY"},
        "sampling": {
            "temperature": TEMPERATURE,
            "max_tokens": config.max_tokens,
            # One call a turn: a small model that may make several repeats calls until the token limit cuts one off,
            # and the server answers status 500 to a history with a cut-off call.
            "parallel_tool_calls": False,
        },
        "env": {"taskset": {"id": TASKSET, "split": "validation"}},
    }
    path = run_dir / "eval.json"
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    return [str(Path(sysconfig.get_path("scripts")) / "vf-eval"), "@", str(path)]


def run_rollouts(command: list[str], traces: Path, log: Path, total: int, console: Console) -> int:
    """Run `command` to its end and return its exit code.

    On a terminal it shows its own dashboard; elsewhere its output goes to `log`, and one line is printed per finished
    rollout. It is stopped with whatever it started when this function is left by an exception (a Ctrl-C).

    Raises:
        QuickstartError: the program is not installed.
    """
    output = None if console.is_terminal else log.open("wb")
    try:
        # Own session and no input: Ctrl-C reaches this process only, which passes it on as a SIGTERM. Before its
        # handler is installed, SIGTERM ends `vf-eval` without a traceback; after that, it closes what it has open.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=_offline_environment(),
        )
    except FileNotFoundError as error:
        raise QuickstartError(f"{command[0]} is not installed: run `uv sync`") from error
    finally:
        if output is not None:
            output.close()
    try:
        return _follow(process, traces, total, console)
    finally:
        stop(process, STOP_SECONDS)


def _offline_environment() -> dict[str, str]:
    """This environment without the hub (the task data comes in a wheel) and without a proxy for the loopback."""
    no_proxy = [os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or "", "127.0.0.1", "localhost"]
    value = ",".join(filter(None, no_proxy))
    return {**os.environ, "HF_HUB_OFFLINE": "1", "NO_PROXY": value, "no_proxy": value}


def _follow(process: subprocess.Popen[bytes], traces: Path, total: int, console: Console) -> int:
    start, seen = time.monotonic(), 0
    while True:
        code = process.poll()  # before counting, so that the last lines are counted too
        done = traces.read_bytes().count(b"\n") if traces.is_file() else 0
        if done > seen and not console.is_terminal:
            console.print(f"rollout {done} of {total} finished after {time.monotonic() - start:.0f} s")
        seen = done
        if code is not None:
            return code
        time.sleep(0.25)


def new_run_dir(output_dir: Path) -> Path:
    """Make and return `output_dir/<date>-<time>`; a number is added when two runs start in the same second."""
    name = time.strftime("%Y%m%d-%H%M%S")
    for attempt in range(1, 100):
        run_dir = output_dir / (name if attempt == 1 else f"{name}-{attempt}")
        try:
            run_dir.mkdir(parents=True)
        except FileExistsError:
            if not output_dir.is_dir():
                break
            continue
        except OSError as error:
            raise QuickstartError(f"output_dir: cannot write to {output_dir} ({error.strerror})") from error
        return run_dir
    raise QuickstartError(f"output_dir: {output_dir} is not a folder that can be written to")
