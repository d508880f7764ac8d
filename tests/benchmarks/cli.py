"""`bench`: the measurements behind the figures in the READMEs.

A new one is a module here with `run() -> int` and a line in `BENCHMARKS`.
"""

import argparse
import importlib
import sys

BENCHMARKS = {
    "rollouts": "rollouts per second of the null harness and of chat-loop",
    "search": "BM25 queries, build, opening and memory beside rank-bm25 and bm25s",
    "verdicts": "mathematical verdicts per second, and the event loop while some hang",
    "verdict-quality": "accuracy of raw math-verify and of ours on labelled pairs",
    "rollouts-io": "memory and time of reading 20,000 long rollouts",
}


def main() -> None:
    """Run the named benchmark; the exit code is not zero when it missed a goal."""
    parser = argparse.ArgumentParser(prog="bench", description="Measurements behind the figures in the READMEs.")
    commands = parser.add_subparsers(dest="name", required=True)
    for name, text in BENCHMARKS.items():
        commands.add_parser(name, help=text, description=text)
    name = parser.parse_args().name
    sys.exit(importlib.import_module(f"benchmarks.{name.replace('-', '_')}").run())
