"""`uv run quickstart`: serve a small model on this machine, run `vf-eval` on ten validation tasks, print the figures.

Needs no key, no GPU and no hub. Only the standard library is imported up here, so that a Ctrl-C during the first
second already meets the handler in `main`.
"""

import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING

from recipes.quickstart.errors import QuickstartError, ended

if TYPE_CHECKING:
    from recipes.quickstart.config import QuickstartConfig


def main() -> None:
    """Console entry. Exit code 0 when every rollout finished, 1 for a problem told in one line, 130 after a Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        from pydantic_config import cli

        from recipes.quickstart.config import QuickstartConfig

        code = run(cli(QuickstartConfig))
    except QuickstartError as error:
        print(f"quickstart: {error}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt as interrupt:
        print("quickstart: interrupted; the model server and the rollouts are stopped", file=sys.stderr)
        code = 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    sys.exit(code)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Raise once; further signals must not cut the clean-up short."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt(number)


def run(config: "QuickstartConfig") -> int:
    """Serve, evaluate, report; returns the exit code.

    Raises:
        QuickstartError: something the user can mend.
    """
    from rich.console import Console

    from recipes.quickstart.evaluate import new_run_dir, run_rollouts, vf_eval_command
    from recipes.quickstart.model import resolve_model
    from recipes.quickstart.report import print_report, read_figures
    from recipes.quickstart.server import serve

    console = Console(highlight=False)
    start = time.monotonic()
    console.print("preparing the model (the first run writes a 16-bit copy to the cache) …")
    model = resolve_model(config.model)
    run_dir = new_run_dir(config.output_dir)
    traces, log = run_dir / "traces.jsonl", run_dir / "vf-eval.log"
    total = config.num_tasks * config.num_rollouts
    with serve(model, config.max_concurrent, config.port, run_dir / "server.log") as address:
        console.print(f"{model.name} is served at {address}; running {total} rollouts …")
        command = vf_eval_command(config, model.name, address, run_dir)
        code = run_rollouts(command, traces, log, total, console)
    if code != 0 or not traces.is_file():
        raise ended("vf-eval", code, log if log.is_file() else run_dir / "logs" / "latest" / "eval.log")
    figures = read_figures(traces)
    print_report(console, figures, model.name, time.monotonic() - start, traces)
    console.print(f"read them: python -m json.tool --json-lines {traces}", soft_wrap=True, markup=False)
    if model.bundled:
        console.print(
            f"{figures.rollouts} rollouts of a 135M model show that the parts work together; they measure nothing.\n"
            "It was never trained to call tools, so expect a pass@1 near 0. To try a better model:\n"
            "  uv run quickstart --model FILE.gguf    (or a hub id, owner/name:FILE.gguf)",
            soft_wrap=True,
        )
    console.print("a baseline on another server:")
    console.print("  uv run vf-eval supplier-invoices -m MODEL --client.base-url URL --no-push", soft_wrap=True)
    if figures.errors or not figures.rollouts:
        failed = len(figures.errors) or total
        raise QuickstartError(f"{failed} of {figures.rollouts or total} rollouts did not finish with a reward")
    return 0
