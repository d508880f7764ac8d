"""The curves of a prime-rl run as one picture: `python -m recipes.results.curve RUN --out curve.png`.

Reads `metrics.jsonl`, which prime-rl writes with `[monitors.file]` (prime_rl/monitors/file.py): one row a log call,
`step` and values by name.
"""

import argparse
import json
import re
from pathlib import Path

PANELS = {
    "training reward (all rollouts)": r"train/agg/all/agent/reward/mean",
    "evaluation reward": r"eval/([^/]+)/all/agent/reward/mean",
    "entropy, nats a token": r"entropy/all/mean",
    "KL to the sampling policy": r"mismatch_kl/all/mean",
}
WINDOW = 5
"""Steps of the moving mean."""


def read_metrics(path: Path) -> dict[str, dict[int, float]]:
    """Value by step of every metric that a panel shows; several evaluations have a panel each, with their name.

    Raises ValueError for a file without any of them.
    """
    found: dict[str, dict[str, dict[int, float]]] = {panel: {} for panel in PANELS}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for panel, pattern in PANELS.items():
            for name, value in row.items():
                if match := re.fullmatch(pattern, name):
                    source = match[1] if match.groups() else ""
                    found[panel].setdefault(source, {})[int(row["step"])] = float(value)
    if not any(found.values()):
        raise ValueError(f"{path}: none of the metrics of a run is here; train with [monitors.file]")
    values = {}
    for panel, sources in found.items():
        for source, points in (sources or {"": {}}).items():
            values[f"{panel}: {source}" if len(sources) > 1 else panel] = points
    return values


def moving_mean(values: list[float], window: int = WINDOW) -> list[float]:
    """Mean over the last `window` values, fewer at the start."""
    return [sum(part := values[max(0, i + 1 - window) : i + 1]) / len(part) for i in range(len(values))]


def draw(values: dict[str, dict[int, float]], title: str, out: Path) -> None:
    """One panel a metric, raw values as dots, their moving mean as a line; written to a temporary name and renamed."""
    from matplotlib.figure import Figure

    shown = {panel: dict(sorted(points.items())) for panel, points in values.items() if points}
    figure = Figure(figsize=(9, 2.2 * len(shown)), layout="constrained")
    axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (panel, points) in zip(axes, shown.items(), strict=True):
        steps, heights = list(points), list(points.values())
        axis.plot(steps, heights, "o", markersize=3, alpha=0.5)
        if len(steps) > WINDOW:
            axis.plot(steps, moving_mean(heights), linewidth=1.5)
        if "reward" in panel:
            axis.set_ylim(0, 1)
        axis.set_title(panel, fontsize=9, loc="left")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("training step")
    figure.suptitle(title, fontsize=10)
    temporary = out.with_name(f".{out.name}.tmp.png")
    figure.savefig(temporary, dpi=120)
    temporary.replace(out)


def main() -> None:
    parser = argparse.ArgumentParser(prog="curve", description="The curves of a prime-rl run as one picture.")
    parser.add_argument("run", type=Path, help="output folder of the run, or its metrics.jsonl")
    parser.add_argument("--out", type=Path, default=Path("curve.png"))
    arguments = parser.parse_args()
    path = arguments.run / "metrics.jsonl" if arguments.run.is_dir() else arguments.run
    try:
        draw(read_metrics(path), path.parent.name if path.name == "metrics.jsonl" else path.stem, arguments.out)
    except (OSError, ValueError) as e:
        raise SystemExit(f"curve: {e}") from None
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
