"""`bench`: the measurements behind the figures in the READMEs.

A new one is a module here with `run() -> int` and a line in `BENCHMARKS`.
"""

import argparse
import importlib
import sys

BENCHMARKS = {
    "rollouts": "rollouts per second of the null harness and of chat-loop",
}


def main() -> None:
    """Run the named benchmark; the exit code is not zero when it missed a goal."""
    parser = argparse.ArgumentParser(prog="bench", description="Measurements behind the figures in the READMEs.")
    commands = parser.add_subparsers(dest="name", required=True)
    for name, text in BENCHMARKS.items():
        commands.add_parser(name, help=text, description=text)
    name = parser.parse_args().name
    sys.exit(importlib.import_module(f"benchmarks.{name}").run())
