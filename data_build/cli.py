"""`uv run data-build NAME …`: makes the data of one environment."""

import sys
from importlib import import_module

BUILDERS = {
    "invoices": "data_build.invoices.build",
    "musique": "data_build.musique.build",
    "pool": "data_build.rollouts.pool",
    "report": "data_build.report.build",
    "rescore": "data_build.rollouts.rescore",
    "sft": "data_build.rollouts.sft",
    "sft-show": "data_build.rollouts.sft_show",
    "math": "data_build.math.build",
    "openrs": "data_build.math.openrs",
}
"""Name → module with `main(arguments)`."""


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name not in BUILDERS:
        print(f"usage: data-build {{{','.join(BUILDERS)}}} [options]   (data-build NAME --help lists them)")
        raise SystemExit(0 if name in ("-h", "--help") else f"data-build: no data set named {name!r}")
    import_module(BUILDERS[name]).main(sys.argv[2:])
