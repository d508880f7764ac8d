"""The lint: one function per rule, whose docstring says why.

A rule takes a recipe and yields (key, text); those in `TOGETHER` take all recipes of a call and yield problems.
"""

from collections.abc import Callable, Iterator, Sequence

from recipes.check.problem import Problem
from recipes.check.recipe import Recipe
from recipes.check.rules import data, groups, lengths, rewards, runs, serving

Rule = Callable[[Recipe], Iterator[tuple[str, str]]]

RULES: dict[str, Rule] = {
    "batch_divisible": groups.batch_divisible,
    "group_above_one": groups.group_above_one,
    "gate_band": groups.gate_band,
    "flat_groups": groups.flat_groups,
    "brake_on_flat_groups": groups.brake_on_flat_groups,
    "rollout_fits": lengths.rollout_fits,
    "sft_rows": lengths.sft_rows,
    "strict_eval_reward": rewards.strict_eval_reward,
    "length_penalty_below_one": rewards.length_penalty_below_one,
    "wrong_below_right": rewards.wrong_below_right,
    "explicit_renderer": serving.explicit_renderer,
    "explicit_parsers": serving.explicit_parsers,
    "thinking_agrees": serving.thinking_agrees,
    "filesystem_broadcast": serving.filesystem_broadcast,
    "graphs_of_decodes_only": serving.graphs_of_decodes_only,
    "explicit_agent": serving.explicit_agent,
    "no_benchmark_in_training": data.no_benchmark_in_training,
    "loss_mask_stated": data.loss_mask_stated,
    "checkpoints": runs.checkpoints,
    "names": runs.names,
    "evaluation": runs.evaluation,
    "custom_loss": runs.custom_loss,
}
TOGETHER: tuple[Callable[[Sequence[Recipe]], Iterator[Problem]], ...] = (runs.one_study_one_adapter,)


def lint(recipe: Recipe) -> list[Problem]:
    return [Problem(recipe.name, key, text) for rule in RULES.values() for key, text in rule(recipe)]


def lint_together(recipes: Sequence[Recipe]) -> list[Problem]:
    return [problem for rule in TOGETHER for problem in rule(recipes)]
