"""The curves of prime-rl runs as one picture: `python -m recipes.results.curve RUN... --out curve.png`.

Reads `metrics.jsonl`, which prime-rl writes with `[monitors.file]` (prime_rl/monitors/file.py): one row a log call,
`step` and values by name. Several runs share the panels.
"""

import argparse
import json
import re
from pathlib import Path

PANELS = {
    "training reward (all rollouts)": r"train/agg/all/agent/reward/mean",
    "evaluation reward": r"eval/([^/]+)/all/agent/reward/mean",
    "share correct (all rollouts of env select-one)": r"train/agg/all/agent/metrics/correct/mean",
    "sampled tokens a rollout": r"train/agg/all/agent/num_output_tokens/mean",
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


def draw(runs: dict[str, dict[str, dict[int, float]]], out: Path) -> None:
    """One panel a metric that any run has, raw values as dots, their moving mean as a line; runs by name.

    Rewards and shares within [0, 1] start at 0 where the smallest value is at most half the largest.
    Written to a temporary name and renamed.
    """
    from matplotlib.figure import Figure

    shown = list(dict.fromkeys(panel for values in runs.values() for panel, points in values.items() if points))
    figure = Figure(figsize=(9, 2.2 * len(shown)), layout="constrained")
    axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, shown, strict=True):
        for number, (name, values) in enumerate(runs.items()):
            points = sorted(values.get(panel, {}).items())
            heights = [height for _, height in points]
            steps = [step for step, _ in points]
            axis.plot(steps, heights, "o", markersize=3, alpha=0.5, color=f"C{2 * number}", label=name)
            # Few values, those of evaluations, are joined as they are.
            mean = moving_mean(heights) if len(steps) > WINDOW else heights
            # One run keeps the two colours that tell values and mean apart.
            axis.plot(steps, mean, linewidth=1.5, color=f"C{2 * number + (len(runs) == 1)}")
        if "reward" in panel or "share" in panel:
            low, high = axis.dataLim.intervaly
            if low >= 0 and high <= 1:
                axis.set_ylim(0 if low <= high / 2 else None, 1 if high > 0.5 else None)
        axis.set_title(panel, fontsize=9, loc="left")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("training step")
    if len(runs) > 1:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(runs), fontsize=9)
    else:
        figure.suptitle(next(iter(runs)), fontsize=10)
    temporary = out.with_name(f".{out.name}.tmp.png")
    figure.savefig(temporary, dpi=120)
    temporary.replace(out)


def main() -> None:
    parser = argparse.ArgumentParser(prog="curve", description="The curves of prime-rl runs as one picture.")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="output folder, or its metrics.jsonl")
    parser.add_argument("--out", type=Path, default=Path("curve.png"))
    arguments = parser.parse_args()
    try:
        runs = {}
        for run in arguments.runs:
            path = run / "metrics.jsonl" if run.is_dir() else run
            name = path.parent.name if path.name == "metrics.jsonl" else path.stem
            if name in runs:
                raise ValueError(f"{path}: a second run named {name}; rename its folder or file")
            runs[name] = read_metrics(path)
        draw(runs, arguments.out)
    except (OSError, ValueError) as e:
        raise SystemExit(f"curve: {e}") from None
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
