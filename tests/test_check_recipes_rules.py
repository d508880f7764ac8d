"""Each rule of the lint: the sound recipes pass all of them, and one change breaks one rule."""

from typing import Any

import pytest

from recipe_tables import EVAL, INVOICES, MATH, SFT, TEST, TRAIN, recipe
from recipes.check.rules import RULES, TOGETHER, lint, lint_together
from recipes.check.rules.groups import train_sources

GATE = f"{TRAIN}.curriculum.gates.zero"
REWARDS = "env.taskset.task.rewards"
NO_GATE = {f"{TRAIN}.curriculum": None, "orchestrator.train.filter_zero_advantages": False}

# rule: (recipe, changes, where the problem stands, words of it)
BREAKS: list[tuple[str, dict, dict[str, Any], str, str]] = [
    ("batch_divisible", INVOICES, {"orchestrator.group_size": 6}, "orchestrator.batch_size", "use 30 or 36"),
    ("batch_divisible", INVOICES, {f"{TRAIN}.group_size": 5}, f"{TRAIN}.group_size", "batch_size 32"),
    (
        "batch_divisible",
        INVOICES,
        {"orchestrator.concurrency": {"max_inflight": 4}},
        "orchestrator.concurrency.max_inflight",
        "at least 8",
    ),
    ("batch_divisible", SFT, {"data.micro_batch_size": 3}, "data.batch_size", "use 6 or 9"),
    ("batch_divisible", SFT, {"deployment.num_train_gpus": 3}, "data.batch_size", "x 3 GPUs"),
    ("group_above_one", INVOICES, {"orchestrator.group_size": None}, "orchestrator.group_size", "at least 2"),
    ("group_above_one", INVOICES, {f"{TRAIN}.group_size": 1}, f"{TRAIN}.group_size", "every advantage zero"),
    (
        "group_above_one",
        INVOICES,
        {"orchestrator.group_size": 1, f"{TRAIN}.env.id": "select-one", f"{TRAIN}.env.n": 1},
        "orchestrator.group_size",
        "at least 2",
    ),
    ("gate_band", INVOICES, {GATE: {}}, GATE, "keeps groups of equal rewards"),
    ("gate_band", INVOICES, {f"{GATE}.reject_max": 0.0}, GATE, "reject_max = 1e-5"),
    ("gate_band", INVOICES, {f"{GATE}.reject_min": 0.0}, GATE, "reject_min = -1e-5"),
    ("gate_band", INVOICES, {f"{GATE}.reject_max": 0.1}, GATE, "drops groups that teach"),
    ("flat_groups", INVOICES, NO_GATE, "orchestrator.train.filter_zero_advantages", "flat start"),
    (
        "brake_on_flat_groups",
        MATH,
        {"trainer.loss": {"type": "custom", "import_path": "math_reasoning.losses.x", "kwargs": {"kl_coef": 0.05}}},
        "trainer.loss.kwargs.kl_coef",
        "on flat groups",
    ),
    ("rollout_fits", INVOICES, {"seq_len": 8000}, "seq_len", "use at least 8192"),
    ("rollout_fits", INVOICES, {"inference.vllm.max_model_len": 4096}, "inference.vllm.max_model_len", "at least 8192"),
    ("rollout_fits", INVOICES, {f"{TRAIN}.env.agent.max_total_tokens": None}, f"{TRAIN}.env.agent.max_total", "set it"),
    ("rollout_fits", MATH, {"seq_len": 1200}, "seq_len", "a prompt of 512 and 1024"),
    ("rollout_fits", MATH, {"seq_len": None, f"{TRAIN}.sampling.max_completion_tokens": 1800}, "seq_len", "2048 does"),
    (
        "rollout_fits",
        MATH,
        {"orchestrator.train.sampling.max_completion_tokens": None},
        "orchestrator.train.sampling.max_completion_tokens",
        "missing",
    ),
    (
        "rollout_fits",
        MATH,
        {"orchestrator.eval.sampling.max_completion_tokens": 4096},
        "inference.vllm.max_model_len",
        "at least 4608",
    ),
    ("sft_rows", SFT, {"model.seq_len": 4096}, "model.seq_len", "use 8192"),
    ("sft_rows", SFT, {"data.seq_len": None}, "data.seq_len", "128 tokens"),
    ("strict_eval_reward", INVOICES, {f"{TEST}.{REWARDS}": None}, f"{TEST}.{REWARDS}.gold_fraction", "weight = 0.0"),
    (
        "strict_eval_reward",
        MATH,
        {f"{TEST}.{REWARDS}": {"format": {"weight": 0.2}}},
        f"{TEST}.{REWARDS}.format",
        "pass@k is lost",
    ),
    (
        "strict_eval_reward",
        MATH,
        {f"{TEST}.{REWARDS}": {"accuracy": {"weight": 0.5}}},
        f"{TEST}.{REWARDS}.accuracy",
        "weight = 1.0",
    ),
    (
        "length_penalty_below_one",
        MATH,
        {"orchestrator.algo": {"type": "grpo", "length_penalty": {"num_output_tokens_weight": 0.9}}},
        "orchestrator.algo.length_penalty",
        "add up to 1.1",
    ),
    (
        "length_penalty_below_one",
        MATH,
        {f"{TRAIN}.{REWARDS}": {"english": {"weight": -0.1}}},
        f"{TRAIN}.{REWARDS}.english",
        "negative",
    ),
    (
        "wrong_below_right",
        MATH,
        {f"{TRAIN}.{REWARDS}": {"format": {"weight": 1.0}}},
        f"{TRAIN}.{REWARDS}",
        "can earn 1, a right one only 1",
    ),
    (
        "wrong_below_right",
        MATH,
        {f"{TRAIN}.{REWARDS}": {"accuracy": {"weight": 0.0}}},
        f"{TRAIN}.{REWARDS}",
        "may earn nothing",
    ),
    (
        "wrong_below_right",
        MATH,
        {f"{TRAIN}.env.id": "select-one", f"{TRAIN}.env.threshold": 0.2, f"{TRAIN}.{REWARDS}.format.weight": 0.3},
        f"{TRAIN}.env.threshold",
        "name the strict reward",
    ),
    ("explicit_renderer", INVOICES, {"orchestrator.renderer": None, "model.name": "outputs/a-merged"}, "", "'qwen3'"),
    ("explicit_renderer", MATH, {"orchestrator.renderer": None}, "orchestrator.renderer.name", "'default'"),
    ("explicit_renderer", INVOICES, {"orchestrator.renderer.name": "default"}, "orchestrator.renderer.tool", "tools"),
    ("explicit_renderer", SFT, {"renderer.name": "default"}, "renderer.name", "typed renderer"),
    (
        "explicit_parsers",
        INVOICES,
        {"inference.vllm.reasoning_parser": None},
        "inference.vllm.reasoning_parser",
        "write 'qwen3'",
    ),
    (
        "explicit_parsers",
        INVOICES,
        {"model.name": "outputs/a-merged", "inference.vllm.tool_call_parser": "auto"},
        "inference.vllm.tool_call_parser",
        "write 'hermes'",
    ),
    (
        "thinking_agrees",
        INVOICES,
        {"orchestrator.renderer.enable_thinking": False},
        "inference.vllm.default_chat_template_kwargs.enable_thinking",
        "evals would think",
    ),
    (
        "thinking_agrees",
        INVOICES,
        {"inference.vllm.default_chat_template_kwargs": {"enable_thinking": False}},
        "orchestrator.renderer.enable_thinking",
        "training would think",
    ),
    ("filesystem_broadcast", MATH, {"weight_broadcast": None}, "weight_broadcast.type", '"filesystem"'),
    ("filesystem_broadcast", MATH, {"weight_broadcast.type": "nccl"}, "weight_broadcast.type", "A6000"),
    (
        "graphs_of_decodes_only",
        INVOICES,
        {"inference.vllm.compilation_config": {"mode": 0, "cudagraph_mode": "FULL"}},
        "inference.vllm.compilation_config.cudagraph_mode",
        "PIECEWISE",
    ),
    ("explicit_agent", INVOICES, {f"{TEST}.env.agent.harness": None}, f"{TEST}.env.agent.harness.id", "missing"),
    ("explicit_agent", EVAL, {"env.agent.runtime": None}, "env.agent.runtime.type", "'subprocess'"),
    ("explicit_agent", EVAL, {"env.agent.harness.id": "null"}, "env.agent.harness.id", "process per rollout"),
    ("no_benchmark_in_training", INVOICES, {f"{TRAIN}.env.taskset.split": None}, f"{TRAIN}.env.taskset.split", "train"),
    ("no_benchmark_in_training", INVOICES, {f"{TRAIN}.env.taskset.split": "all"}, f"{TRAIN}.env.taskset.split", "test"),
    ("no_benchmark_in_training", MATH, {f"{TRAIN}.env.taskset.split": None}, f"{TRAIN}.env.taskset.split", "on test"),
    (
        "no_benchmark_in_training",
        MATH,
        {f"{TRAIN}.env.taskset": {"id": "math-reasoning", "dataset": "aime24"}},
        f"{TRAIN}.env.taskset.dataset",
        "is a benchmark",
    ),
    (
        "no_benchmark_in_training",
        MATH,
        {f"{TRAIN}.env.taskset": {"id": "math-reasoning", "dataset": "open_rs"}},
        f"{TRAIN}.env.taskset.benchmarks",
        "math500",
    ),
    (
        "no_benchmark_in_training",
        MATH,
        {f"{TRAIN}.env.taskset.path": "data/mine.jsonl"},
        f"{TRAIN}.env.taskset.benchmarks",
        "list them",
    ),
    ("loss_mask_stated", SFT, {"data.loss_mask": None}, "data.loss_mask", "not stated"),
    ("loss_mask_stated", SFT, {"data.loss_mask.tool": True}, "data.loss_mask.tool", "use false"),
    ("loss_mask_stated", SFT, {"data.loss_mask.assistant": False}, "data.loss_mask.assistant", "use true"),
    ("checkpoints", INVOICES, {"ckpt": None}, "ckpt.interval", "missing"),
    ("checkpoints", INVOICES, {"max_steps": 400, "ckpt.keep_last": None}, "ckpt.keep_last", "8 checkpoints"),
    ("checkpoints", INVOICES, {"max_steps": None}, "max_steps", "never end"),
    ("checkpoints", SFT, {"ckpt.interval": 200}, "ckpt.interval", "at most 100"),
    ("names", INVOICES, {f"{TEST}.name": "invoices"}, f"{TEST}.name", "used twice"),
    ("names", INVOICES, {f"{TRAIN}.name": None}, f"{TRAIN}.name", "name the source"),
    ("evaluation", INVOICES, {"orchestrator.eval.interval": None}, "orchestrator.eval.interval", "100 steps"),
    ("evaluation", INVOICES, {"orchestrator.eval.interval": 500}, "orchestrator.eval.interval", "at most 100"),
    (
        "evaluation",
        INVOICES,
        {"orchestrator.eval.sampling.temperature": None},
        "orchestrator.eval.sampling",
        "state it",
    ),
    ("evaluation", INVOICES, {"orchestrator.eval": None}, "orchestrator.eval", "add one source"),
    ("evaluation", EVAL, {"push": None}, "push", "push = false"),
    ("evaluation", EVAL, {"sampling.max_tokens": None}, "sampling.max_tokens", "repeated"),
    (
        "custom_loss",
        MATH,
        {"trainer.loss": {"type": "custom", "import_path": "slm_rewards.answr.last"}},
        "trainer.loss.import_path",
        "slm_rewards.answr",
    ),
    (
        "custom_loss",
        MATH,
        {"trainer.loss": {"type": "custom", "import_path": "slm_rewards.answer.last_answr"}},
        "trainer.loss.import_path",
        "last_answer",
    ),
    (
        "custom_loss",
        MATH,
        {"trainer.loss": {"import_path": "slm_rewards.math.rewards.cosine", "kwargs": {"max_lenght": 1}}},
        "trainer.loss.kwargs.max_lenght",
        "did you mean max_length",
    ),
]
PASSES: list[tuple[dict, dict[str, Any], str]] = [
    (INVOICES, {}, ""),
    (MATH, {}, ""),
    (SFT, {}, ""),
    (EVAL, {}, ""),
    (INVOICES, NO_GATE, "a flat start: nothing is gated"),
    (INVOICES, {"orchestrator.group_size": 1, f"{TRAIN}.env.id": "select-one"}, ""),  # it plays eight itself
    (INVOICES, NO_GATE | {"orchestrator.group_size": 1, f"{TRAIN}.env.id": "select-one"}, ""),
    (INVOICES, {"orchestrator.group_size": 1, "orchestrator.algo": {"type": "opsd"}}, ""),
    (INVOICES, {"orchestrator.renderer.enable_thinking": True}, ""),
    (SFT, {"data.loss_mask": None}, "tool results are masked"),
    (SFT, {"ckpt": {}}, ""),  # saves at its end
    (MATH, {f"{TRAIN}.{REWARDS}": {"format": {"weight": 0.3}}}, ""),
    (MATH, {f"{TRAIN}.{REWARDS}": {"accuracy": {"weight": 0}, "cosine": {"weight": 1}, "format": {"weight": 0.3}}}, ""),
    (
        MATH,
        {f"{TRAIN}.env.taskset": {"id": "math-reasoning", "dataset": "open_rs", "benchmarks": ["math500"]}},
        "",
    ),
    (MATH, {"deployment": {"type": "multi_node"}, "weight_broadcast": {"type": "nccl"}}, ""),
    (MATH, {"trainer.loss": {"import_path": "slm_rewards.math.rewards.cosine", "kwargs": {"max_length": 1}}}, ""),
    (
        INVOICES,
        {
            "orchestrator.renderer.enable_thinking": False,
            "inference.vllm.default_chat_template_kwargs": {"enable_thinking": False},
        },
        "",
    ),
]


@pytest.mark.parametrize(("table", "changes", "comments"), PASSES)
def test_a_sound_recipe_passes_every_rule(table: dict, changes: dict[str, Any], comments: str) -> None:
    made = recipe(table, changes, comments)
    assert made.env_problems == []
    assert [str(problem) for problem in lint(made)] == []


@pytest.mark.parametrize(("rule", "table", "changes", "key", "words"), BREAKS)
def test_a_rule_names_the_key_and_the_fix(
    rule: str, table: dict, changes: dict[str, Any], key: str, words: str
) -> None:
    made = recipe(table, changes)
    assert made.env_problems == []
    found = list(RULES[rule](made))
    assert any(where.startswith(key) and words in text for where, text in found), found
    others = {name for name, each in RULES.items() if name != rule and list(each(made))}
    # A missing function of a loss is one fault with two names; so are a group of one and its advantage.
    allowed = {"custom_loss"} if rule == "brake_on_flat_groups" else {"rollout_fits"} if rule == "evaluation" else set()
    if rule == "no_benchmark_in_training" or rule == "rollout_fits":
        allowed = {"evaluation"}
    assert others <= allowed, "the recipe violates only this rule"


def test_every_rule_is_tested_and_says_why() -> None:
    assert set(RULES) == {case[0] for case in BREAKS}
    assert all(len((rule.__doc__ or "").split()) >= 10 for rule in (*RULES.values(), *TOGETHER))


@pytest.mark.parametrize(("lam", "told"), [(0.0, False), (0.99, False), (1.0, True), (-0.1, True)])
def test_lam_is_refused_by_the_class_and_by_the_rule(lam: float, told: bool) -> None:
    made = recipe(MATH, {f"{TRAIN}.env.taskset.task": {"lam": lam}})
    assert bool(made.env_problems) is told
    assert bool([text for _, text in RULES["length_penalty_below_one"](made)]) is told


@pytest.mark.parametrize(
    ("corpus", "split", "told"), [("validation", "all", True), ("train", "all", False), ("validation", "train", False)]
)
def test_musique_may_train_on_all_of_another_corpus_only(corpus: str, split: str, told: bool) -> None:
    read = {"id": "musique-search", "corpus": corpus, "split": split}
    held_out = {"id": "musique-search", "corpus": "validation", "split": "validation"}
    made = recipe(INVOICES, {f"{TRAIN}.env.taskset": read, f"{TEST}.env.taskset": held_out})
    assert bool(list(RULES["no_benchmark_in_training"](made))) is told


def test_the_adapters_of_a_study_are_compared_by_name() -> None:
    first = recipe(SFT, stem="a_sft")
    same, other = recipe(INVOICES, stem="a_sft_rl"), recipe(INVOICES, {"trainer.model.lora.rank": 8}, stem="a_sft_rl")
    reason = recipe(INVOICES, {"trainer.model.lora.rank": 8}, "half of stage 1's rank 16, on purpose", stem="a_sft_rl")
    assert lint_together([first, same]) == [] == lint_together([first, reason])
    [problem] = lint_together([first, other])
    assert str(problem) == (
        "recipes/a_sft_rl.toml: trainer.model.lora.rank: 8 differs from model.lora.rank 16 of recipes/a_sft.toml: "
        "use the same in both"
    )


def test_a_source_reads_its_own_algorithm_before_the_shared_one() -> None:
    made = recipe(INVOICES, {"orchestrator.algo": {"type": "opsd"}, f"{TRAIN}.algo": {"type": "grpo"}})
    assert [source.algo for source in train_sources(made)] == ["grpo"]
