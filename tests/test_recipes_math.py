"""The recipes of the GSM8K study and of Open-RS: what differs between neighbours, what all share, what they import."""

import importlib
import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import verifiers.v1 as vf
from verifiers.v1.configs.cli.eval import EvalConfig

from math_reasoning.taskset import MathReasoningConfig, config_rows
from select_one.env import SelectOneEnvConfig

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT.parent / "shared" / "schema" / "prime_rl_rl.schema.json"
ARMS = [
    "math_rft_shortest",
    "math_rft_random",
    "math_rft_shortest_braked",
    "math_grpo",
    "math_grpo_length_02",
    "math_grpo_length_05",
    "math_opd",
]
OPENRS = ["openrs_exp1", "openrs_exp2", "openrs_exp3"]
SOURCE = "orchestrator.train.source.0"
ENV = f"{SOURCE}.env"
TASK = f"{ENV}.taskset.task"
BENCHMARKS = ["aime24", "math500", "amc23", "minerva", "olympiadbench"]


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "recipes" / f"{name}.toml").read_text(encoding="utf-8"))


def header(name: str) -> str:
    """The comment that a recipe begins with, on one line."""
    lines = (ROOT / "recipes" / f"{name}.toml").read_text(encoding="utf-8").splitlines()
    return " ".join(
        line.lstrip("# ").rstrip(" \\") for line in lines[: next(i for i, x in enumerate(lines) if x[0] != "#")]
    )


def flat(value: Any, at: str = "") -> dict[str, Any]:
    """Dotted key → value; list items of tables by number."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        items = list(enumerate(value))
    if not items:
        return {at: value}
    return {k: v for key, item in items for k, v in flat(item, f"{at}.{key}".lstrip(".")).items()}


def differences(one: str, other: str) -> dict[str, tuple[Any, Any]]:
    a, b = flat(load(one)), flat(load(other))
    keys = [k for k in {**a, **b} if a.get(k) != b.get(k)]
    return {k: (a.get(k), b.get(k)) for k in keys if k != "run.name"}


PAIRS: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {
    ("math_rft_shortest", "math_rft_random"): {
        f"{ENV}.select": ("shortest", "random"),
        f"{ENV}.seed": (None, 0),
    },
    ("math_rft_shortest", "math_rft_shortest_braked"): {
        "trainer.loss.import_path": (
            "math_reasoning.losses.cross_entropy",
            "math_reasoning.losses.braked_cross_entropy",
        ),
        "trainer.loss.kwargs.beta": (None, 0.05),
        f"{ENV}.reference.model": (None, "Qwen/Qwen2.5-1.5B-Instruct"),
        f"{ENV}.reference.base_url": (None, "http://localhost:8001/v1"),
    },
    ("math_grpo", "math_grpo_length_02"): {
        f"{TASK}.lam": (None, 0.2),
        f"{TASK}.rewards.accuracy.weight": (None, 0.0),
        f"{TASK}.rewards.length_penalty.weight": (None, 1.0),
    },
    ("math_grpo_length_02", "math_grpo_length_05"): {f"{TASK}.lam": (0.2, 0.5)},
    ("math_grpo", "math_opd"): {
        "trainer.loss.import_path": (
            "math_reasoning.losses.clipped_surrogate",
            "math_reasoning.losses.reverse_kl",
        ),
        "trainer.loss.kwargs.clip": (0.2, None),
        "trainer.loss.kwargs.std": ("weights", None),
        "orchestrator.train.filter_zero_advantages": (True, False),
        f"{ENV}.divide_by_std": (True, None),
        f"{ENV}.reference.model": (None, "Qwen/Qwen2.5-1.5B-Instruct"),
        f"{ENV}.reference.base_url": (None, "http://localhost:8001/v1"),
        f"{ENV}.reference.hint": (None, "The correct final answer to the next problem is {answer}."),
        f"{SOURCE}.curriculum.gates.zero_advantage.type": ("advantage_range", None),
        f"{SOURCE}.curriculum.gates.zero_advantage.reject_min": (-1e-5, None),
        f"{SOURCE}.curriculum.gates.zero_advantage.reject_max": (1e-5, None),
    },
    ("openrs_exp1", "openrs_exp2"): {
        "seq_len": (5120, 4608),
        "inference.vllm.max_model_len": (5120, 4608),
        "orchestrator.train.sampling.max_completion_tokens": (4096, 3584),
        "orchestrator.eval.sampling.max_completion_tokens": (4096, 3584),
        f"{SOURCE}.name": ("open-s1", "mix"),
        f"{ENV}.taskset.path": ("data/openrs/open-s1.jsonl", "data/openrs/mix.jsonl"),
        f"{TASK}.max_length": (4096, 3584),
    },
    ("openrs_exp2", "openrs_exp3"): {
        f"{ENV}.taskset.prompt": ("think", "think_english"),
        "orchestrator.eval.source.0.env.taskset.prompt": ("think", "think_english"),
        "orchestrator.eval.source.1.env.taskset.prompt": ("think", "think_english"),
        f"{TASK}.cosine_preset": (None, "paper"),
        f"{TASK}.rewards.accuracy.weight": (1.0, 0.0),
        f"{TASK}.rewards.cosine.weight": (None, 1.0),
    },
}


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_neighbours_differ_in_one_component(pair: tuple[str, str]) -> None:
    assert differences(*pair) == PAIRS[pair]


def test_all_arms_share_model_data_sampling_and_evaluation() -> None:
    arms = [load(name) for name in ARMS]
    first = arms[0]
    for arm in arms:
        for block in ("max_steps", "seq_len", "deployment", "model", "ckpt", "weight_broadcast", "inference"):
            assert arm[block] == first[block], block
        assert arm["trainer"]["optim"] == first["trainer"]["optim"]
        for block in ("eval", "renderer", "concurrency", "group_size", "max_off_policy_steps"):
            assert arm["orchestrator"][block] == first["orchestrator"][block], block
        train, other = arm["orchestrator"]["train"], first["orchestrator"]["train"]
        assert train["sampling"] == other["sampling"]
        (source,), (env,) = train["source"], [s["env"] for s in other["source"]]
        assert source["env"]["agent"] == env["agent"]
        assert source["env"]["taskset"] | {"task": 0} == env["taskset"] | {"task": 0}
        assert source["env"]["n"] == source["env"]["max_concurrent_agents"] == 8  # answers per problem, in every arm


def test_an_update_is_eight_problems_in_every_arm() -> None:
    """prime-rl counts trained traces: the selected one of a problem, or all eight."""
    for name in ARMS:
        orchestrator = load(name)["orchestrator"]
        (source,) = orchestrator["train"]["source"]
        trained = 8 if source["env"]["train"] == "all" else 1
        assert orchestrator["batch_size"] == 8 * trained
        assert orchestrator["group_size"] == 1
    assert 8 * load(ARMS[0])["max_steps"] <= 1500 < 8 * (load(ARMS[0])["max_steps"] + 1)


@pytest.mark.parametrize("name", ARMS + OPENRS)
def test_the_loss_gets_what_it_reads(name: str) -> None:
    recipe = load(name)
    loss, orchestrator = recipe["trainer"]["loss"], recipe["orchestrator"]
    module, _, function = loss["import_path"].rpartition(".")
    signature = inspect.signature(getattr(importlib.import_module(module), function))
    kwargs = signature.bind(None, **loss.get("kwargs", {})).arguments
    (source,) = orchestrator["train"]["source"]
    env = vf.resolve_env_config(source["env"])
    assert isinstance(env, SelectOneEnvConfig)
    assert env.divide_by_std is (kwargs.get("std") == "weights")
    reads_reference = function in ("braked_cross_entropy", "reverse_kl") or bool(kwargs.get("beta"))
    assert (env.reference is not None) is reads_reference
    if env.reference:
        assert env.reference.model == recipe["model"]["name"]  # the start model
    # A loss that reads advantages skips flat groups; any other must see the tokens whose advantage is 0.
    reads_advantages = function == "clipped_surrogate"
    assert orchestrator["train"]["filter_zero_advantages"] is reads_advantages
    gates = source.get("curriculum", {}).get("gates", {})
    assert bool(gates) is reads_advantages
    assert all(
        (g["type"], g["reject_min"], g["reject_max"]) == ("advantage_range", -1e-5, 1e-5) for g in gates.values()
    )


@pytest.mark.parametrize("name", ARMS + OPENRS)
def test_lengths_agree_and_every_environment_resolves(name: str) -> None:
    recipe = load(name)
    orchestrator = recipe["orchestrator"]
    limit = orchestrator["train"]["sampling"]["max_completion_tokens"]
    assert limit == orchestrator["eval"]["sampling"]["max_completion_tokens"]
    assert recipe["seq_len"] == recipe["inference"]["vllm"]["max_model_len"] >= limit + 1024
    sources = orchestrator["train"]["source"] + orchestrator["eval"]["source"]
    for source in sources:
        env = vf.resolve_env_config(source["env"])
        assert isinstance(env.taskset, MathReasoningConfig)
        agent = env.model_dump()["agent"]
        assert (agent["harness"]["id"], agent["runtime"]["type"], agent["max_turns"]) == ("chat-loop", "subprocess", 1)
    assert sources[0]["env"]["taskset"]["task"]["max_length"] == limit
    trained, evaluated = sources[0]["env"]["taskset"], [s["env"]["taskset"] for s in sources[1:]]
    # What is evaluated is neither trained on nor rewarded otherwise than for being right.
    names = {taskset["dataset"] for taskset in evaluated}
    assert names <= set(trained["benchmarks"])
    assert all(taskset["prompt"] == trained["prompt"] for taskset in evaluated)
    assert all("rewards" not in taskset.get("task", {}) for taskset in evaluated)


def test_evaluations_during_training_are_the_studys() -> None:
    gsm8k, math500 = load("math_grpo")["orchestrator"]["eval"]["source"]
    assert (gsm8k["env"]["taskset"]["split"], gsm8k["num_examples"], gsm8k["group_size"]) == ("test", 100, 32)
    assert (math500["env"]["taskset"]["levels"], math500["group_size"]) == ([1, 2], 16)


def test_open_rs_is_the_studys_where_it_gives_values() -> None:
    for name, limit in zip(OPENRS, (4096, 3584, 3584), strict=True):
        recipe = load(name)
        train = recipe["orchestrator"]["train"]
        assert train["source"][0]["env"]["n"] == 6 and recipe["orchestrator"]["batch_size"] % 6 == 0
        assert train["sampling"] == {"temperature": 0.7, "max_completion_tokens": limit}
        assert recipe["max_steps"] == 500 and recipe["ckpt"]["interval"] == 50
        assert train["source"][0]["env"]["taskset"]["benchmarks"] == BENCHMARKS


@pytest.mark.parametrize("name", ARMS + OPENRS)
def test_the_header_says_what_a_reader_needs(name: str) -> None:
    text = header(name)
    for word in ("Study", "Differs", "How:", "Before:", "Run:", "Repeat:", "After:", "Time:", "Memory:", "GB of 48"):
        assert word in text, word
    run = load(name)["run"]["name"]
    assert f"uv run rl @ recipes/{name}.toml" in text and f"outputs/{run}/broadcasts/step_" in text
    for recipe in re.findall(r"recipes/(\S+)\.toml", text):
        assert (ROOT / "recipes" / f"{recipe}.toml").is_file(), recipe
    assert ("--server.port 8001" in text) is ("reference" in load(name)["orchestrator"]["train"]["source"][0]["env"])


def test_the_brakes_effect_on_flat_groups_is_documented() -> None:
    """Case GR-10."""
    assert "every advantage 0" in header("math_rft_shortest_braked")
    assert all("its KL term would move the weights even at advantage 0" in header(name) for name in OPENRS)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", ARMS + OPENRS)
def test_prime_rl_takes_the_keys_and_the_seed(name: str, seed: int) -> None:
    if not SCHEMA.is_file():
        pytest.skip("the JSON Schema of prime-rl's configuration is not beside the repository")
    recipe = load(name)
    assert recipe["inference"]["vllm"]["seed"] == 0
    recipe["inference"]["vllm"]["seed"] = seed
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert [e.message for e in validator.iter_errors(recipe)] == []


def test_another_shuffle_is_another_order_of_the_same_problems() -> None:
    first, again, second, unset = (
        [row.id for row in config_rows(MathReasoningConfig(n=40, shuffle=shuffle))] for shuffle in (0, 0, 1, None)
    )
    assert first == again != second and unset == sorted(unset)
    assert sorted(first) == sorted(second) == unset
    assert all("shuffle" in load(n)["orchestrator"]["train"]["source"][0]["env"]["taskset"] for n in ARMS + OPENRS)


EVALUATIONS = {
    "math_pool": (8, {"dataset": "gsm8k", "split": "train"}),
    "math_gsm8k": (32, {"dataset": "gsm8k", "split": "test"}),
    "math_math500": (16, {"dataset": "math500", "levels": [1, 2]}),
    **{f"openrs_{name}": (16 if name in ("aime24", "amc23") else 1, {"dataset": name}) for name in BENCHMARKS},
}


@pytest.mark.parametrize("name", EVALUATIONS)
def test_vf_eval_takes_the_evaluations(name: str) -> None:
    raw = load(f"eval/{name}")
    config = EvalConfig.model_validate(load(f"eval/{name}"))  # it changes its input
    rollouts, taskset = EVALUATIONS[name]
    assert config.num_rollouts == rollouts and not config.push
    assert isinstance(config.env.taskset, MathReasoningConfig)
    assert {k: getattr(config.env.taskset, k) for k in taskset} == taskset
    agent = config.env.model_dump()["agent"]
    assert (agent["harness"]["id"], agent["runtime"]["type"], agent["max_turns"]) == ("chat-loop", "subprocess", 1)
    text = header(f"eval/{name}")
    assert f"uv run vf-eval @ recipes/eval/{name}.toml" in text and "Serve:" in text and "Time:" in text
    trained = load("math_grpo" if name.startswith("math_") else "openrs_exp1")
    assert config.model == trained["model"]["name"]
    if name.startswith("openrs_"):
        wanted = {"temperature": 0.6, "top_p": 0.95, "max_tokens": 32768}
        source = trained["orchestrator"]["eval"]["source"][0]["env"]["taskset"]
        assert raw["env"]["taskset"]["task"]["prefilled"] is source["task"]["prefilled"] is True
    else:
        sampling = trained["orchestrator"]["train"]["sampling"]
        wanted = {"temperature": sampling["temperature"], "top_p": 1.0, "top_k": -1}
        wanted["max_tokens"] = sampling["max_completion_tokens"]
        source = trained["orchestrator"]["train"]["source"][0]["env"]["taskset"]
    assert raw["sampling"] == wanted
    assert raw["env"]["taskset"]["prompt"] == source["prompt"]


def test_gsm8k_is_measured_on_a_hundred_problems() -> None:
    assert load("eval/math_gsm8k")["select"] == {"limit": 100}
    assert load("math_grpo")["orchestrator"]["eval"]["source"][0]["num_examples"] == 100
