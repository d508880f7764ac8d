"""Rules on rewards: what counts as solved, and that a wrong answer never pays."""

from collections.abc import Iterator

from recipes.check.environments import Source, own_rewards, reward_weights
from recipes.check.recipe import Recipe
from recipes.check.rules.groups import train_sources

STRICT = ("solved", "exact_match", "accuracy")
"""Names of our rewards that are 0 or 1 by definition, as the report's `solved.NAMES`."""
EXACT = 1e-6


def strict_eval_reward(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """An eval source's reward is exactly 0 or 1: one strict reward of weight 1, all others 0.

    prime-rl logs pass@k only if every eval reward is 0 or 1, and counts 1.3 as a miss. `vf-eval` records every reward
    apart, and the report reads the strict one, so its files may keep the training weights.
    """
    for source in recipe.sources:
        if recipe.kind == "eval" or source.part != "eval" or source.env is None:
            continue
        weights = reward_weights(source.env)
        strict = next((name for name in STRICT if name in own_rewards(source.env.taskset.id)), None)
        key = source.at("env.taskset.task.rewards")
        for name, weight in weights.items():
            wanted = 1.0 if name == strict else 0.0
            if strict and weight != wanted:
                text = f"weight {weight:g} makes an eval reward other than 0 or 1, and pass@k is lost"
                yield f"{key}.{name}", f"{text}: use weight = {wanted}"
        if strict is None and sorted(weights.values()) != [0.0] * (len(weights) - 1) + [1.0]:
            yield key, f"cannot be 0 or 1 throughout ({_list(weights)}): give one strict reward weight 1, the others 0"


def length_penalty_below_one(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """A length penalty takes less than the whole reward, and never less than nothing: lam and weights in [0, 1).

    From 1 on, a long right answer is worth no more than a wrong one (LR-04, seed 2). The environment's own `lam` is
    bounded by its class; prime-rl's `algo.length_penalty` is a sum of three terms, each at most its weight.
    """
    defaults = {"num_output_tokens_weight": 0.25, "num_input_tokens_weight": 0.1, "num_turns_weight": 0.1}
    tables = [("orchestrator.algo", recipe.get("orchestrator.algo", {}))] if recipe.kind == "rl" else []
    tables += [(source.at("algo"), source.data.get("algo") or {}) for source in train_sources(recipe)]
    for key, algo in tables:
        penalty = algo.get("length_penalty")
        if penalty is not None:
            total = sum(penalty.get(name, value) or 0.0 for name, value in defaults.items())
            if not 0 <= total < 1:
                yield f"{key}.length_penalty", f"its weights add up to {total:g}: keep the sum in [0, 1)"
    for source in recipe.sources:
        raw = ((source.raw_env.get("taskset") or {}).get("task") or {}).get("lam", 0.0)
        if not isinstance(raw, int | float) or not 0 <= raw < 1:
            yield source.at("env.taskset.task.lam"), f"{raw} is outside [0, 1): use e.g. 0.2"
        for name, weight in reward_weights(source.env).items() if source.env is not None else []:
            if weight < 0:
                yield source.at(f"env.taskset.task.rewards.{name}"), f"weight {weight:g} is negative: use 0 or more"


def wrong_below_right(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The most that a wrong answer can earn stays below the least that a right one does (LR-08).

    Otherwise form, language or overlap with the gold pays without the answer. select-one's `threshold` must lie above
    it too, unless a named `reward` decides.
    """
    for source in train_sources(recipe):
        if source.env is None:
            continue
        wrong, right = _earnings(source)
        key = source.at("env.taskset.task.rewards")
        if wrong is None or right is None:
            continue
        if right <= 0:
            yield key, "a right answer may earn nothing: give the reward of the answer a weight above 0"
        elif wrong >= right - EXACT:
            text = f"a wrong answer can earn {wrong:.3g}, a right one only {right:.3g}"
            yield key, f"{text}: lower the weights beside the answer's"
        threshold = getattr(source.env, "threshold", None)
        if threshold is not None and not getattr(source.env, "reward", "") and wrong >= threshold - EXACT:
            text = f"{threshold:g} is reached by a wrong answer in good form ({wrong:.3g})"
            yield source.at("env.threshold"), f"{text}: name the strict reward, reward = 'accuracy'"


def _earnings(source: Source) -> tuple[float | None, float | None]:
    """Highest total of a wrong answer, lowest of a right one; None for a taskset whose rewards are not known here."""
    weights = {name: weight for name, weight in reward_weights(source.env).items() if weight > 0}
    known = _ranges(source)
    if known is None or not set(weights) <= set(known):
        return None, None
    return (
        sum(weight * known[name][0] for name, weight in weights.items()),
        sum(weight * known[name][1] for name, weight in weights.items()),
    )


def _ranges(source: Source) -> dict[str, tuple[float, float]] | None:
    """Per reward of our tasksets: the most for a wrong answer, the least for a right one.

    Retrieval's partial credit stays below 1 for a wrong answer and is 1 for a right one; an invoice reply is right
    when every gold value stands in it, so that the fraction counts as right from 1.
    """
    from slm_rewards.math.rewards import COSINE

    taskset = source.taskset.id
    if taskset == "musique-search":
        return {"exact_match": (0.0, 1.0), "partial_credit": (1.0, 1.0)}
    if taskset == "supplier-invoices":
        return {"solved": (0.0, 1.0), "gold_fraction": (1.0 - EXACT * 10, 1.0)}
    if taskset == "math-reasoning":
        task = source.taskset.task
        ends = COSINE[task.cosine_preset]
        return {
            "accuracy": (0.0, 1.0),
            "format": (1.0, 0.0),
            "english": (1.0, 0.0),
            "cosine": (max(ends.wrong_short, ends.wrong_long), min(ends.right_short, ends.right_long)),
            "length_penalty": (0.0, 1.0 - task.lam),
        }
    return None


def _list(weights: dict[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
