"""Draws `cosine.png`, the cosine reward by length: `python rewards/docs/plot_cosine.py`."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from slm_rewards.math import cosine
from slm_rewards.math.rewards import COSINE

TOP = 1000
LINES = [(True, "tab:green", "right"), (False, "tab:red", "wrong")]


def draw(target: Path) -> Path:
    """Writes the plot to `target` and returns it; an interrupted run leaves the old file."""
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
    lengths = range(0, 2 * TOP + 1, 10)
    for axis, preset in zip(axes, COSINE, strict=True):
        for correct, colour, label in LINES:
            rewards = [cosine(correct, length, TOP, preset) for length in lengths]
            unclamped = [cosine(correct, length, TOP, preset, clamp=False) for length in lengths]
            axis.plot(lengths, unclamped, ":", color=colour, label=f"{label}, clamp=False")
            axis.plot(lengths, rewards, color=colour, label=label)
        axis.axvline(TOP, color="grey", linewidth=0.8)
        axis.set_title(f'preset="{preset}"')
        axis.set_xlabel(f"length (max_length = {TOP})")
    axes[0].set_ylabel("reward")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=8)
    temporary = target.with_suffix(".part.png")
    figure.savefig(temporary, dpi=110)
    pyplot.close(figure)
    return temporary.replace(target)


if __name__ == "__main__":
    print(draw(Path(__file__).parent / "cosine.png"))
