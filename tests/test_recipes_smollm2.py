"""The SmolLM2 recipes: what differs between neighbours, what all share, and the way from SFT set to pool to arm."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from verifiers.v1.configs.select import SelectConfig

from math_reasoning.taskset import MathReasoningConfig, MathReasoningTaskset
from recipes.check.recipe import load as read
from supplier_invoices.taskset import QuestionType
from test_recipes_math import ENV, SOURCE, TASK, differences, flat, header, load
from test_recipes_musique import commands, text

ROOT = Path(__file__).parents[1]
SCHEMAS = ROOT.parent / "shared" / "schema"
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
# smollm2-chatml is a command of the package smollm2/.
COMMANDS = {*SCRIPTS, "vf-eval", "smollm2-chatml"}
SFT = ["smollm2_invoices_sft", "smollm2_musique_sft", "smollm2_math_sft"]
TWINS = {
    "smollm2_math_grpo": "math_grpo",
    "smollm2_math_grpo_length": "math_grpo_length_05",
    "smollm2_math_rft_shortest": "math_rft_shortest",
}
"""Arm → the same arm at the study's size."""
ARMS = list(TWINS)
AGENTS = ["smollm2_invoices_rl", "smollm2_invoices_sft_rl", "smollm2_musique_sft_rl"]
CHANGED = (
    "trainer.scheduler",
    "inference.vllm.enforce_eager",
    "inference.vllm.compilation_config",
    "orchestrator.batch_size",
    "orchestrator.concurrency",
)
"""What differs between the agents' runs besides their environments."""
EVALUATIONS = {
    "eval/smollm2_invoices": "supplier-invoices",
    "eval/smollm2_musique": "musique-search",
    "eval/smollm2_math": "math-reasoning",
    "eval/smollm2_math_pool": "math-reasoning",
}
ALL = sorted(str(path.relative_to(ROOT / "recipes"))[:-5] for path in (ROOT / "recipes").rglob("smollm2_*.toml"))
TASKSET, SAMPLE = f"{ENV}.taskset", "orchestrator.eval.source.0"
GATE = f"{SOURCE}.curriculum.gates.zero_advantage"

PAIRS: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {
    ("smollm2_math_grpo", "smollm2_math_grpo_length"): {
        f"{TASK}.lam": (None, 0.5),
        f"{TASK}.rewards.accuracy.weight": (None, 0.0),
        f"{TASK}.rewards.length_penalty.weight": (None, 1.0),
    },
    ("smollm2_math_grpo", "smollm2_math_rft_shortest"): {
        "trainer.loss.import_path": (
            "math_reasoning.losses.clipped_surrogate",
            "math_reasoning.losses.cross_entropy",
        ),
        "trainer.loss.kwargs.clip": (0.2, None),
        "trainer.loss.kwargs.std": ("weights", None),
        "orchestrator.batch_size": (64, 24),
        "max_steps": (60, 20),
        "ckpt.interval": (50, 20),
        "orchestrator.train.filter_zero_advantages": (True, False),
        f"{ENV}.train": ("all", "selected"),
        f"{ENV}.divide_by_std": (True, None),
        f"{GATE}.type": ("advantage_range", None),
        f"{GATE}.reject_min": (-1e-5, None),
        f"{GATE}.reject_max": (1e-5, None),
    },
    ("smollm2_invoices_rl", "smollm2_invoices_sft_rl"): {
        "model.name": ("outputs/smollm2", "outputs/smollm2-invoices-sft-merged"),
        "max_steps": (10, 120),
        "ckpt.interval": (10, 40),
        "orchestrator.eval.interval": (10, 40),
        "trainer.scheduler.type": (None, "linear"),
        "trainer.scheduler.warmup_steps": (None, 10),
        "trainer.scheduler.decay_steps": (None, 40),
        "trainer.scheduler.min_lr": (None, 2e-5),
        "orchestrator.train.filter_zero_advantages": (False, None),
        f"{GATE}.type": (None, "advantage_range"),
        f"{GATE}.reject_min": (None, -1e-5),
        f"{GATE}.reject_max": (None, 1e-5),
        f"{SOURCE}.name": ("invoices", "two-calls"),
        f"{SOURCE}.ratio": (None, 3.0),
        f"{TASKSET}.task.rewards.gold_fraction.weight": (None, 0.0),
        f"{TASKSET}.task.rewards.solved.weight": (None, 1.0),
        f"{TASKSET}.question_types": (None, ["orders_by_supplier_name", "orders_by_bank_identifier"]),
    },
    ("smollm2_invoices_sft", "smollm2_musique_sft"): {
        "data.name": ("data/smollm2-invoices-sft", "data/smollm2-musique-sft"),
    },
    ("smollm2_invoices_sft", "smollm2_math_sft"): {
        "data.name": ("data/smollm2-invoices-sft", "data/smollm2-gsm8k-sft"),
        "max_steps": (160, 75),
    },
    ("eval/smollm2_math", "eval/smollm2_math_pool"): {
        "model": ("outputs/smollm2", "outputs/smollm2-math-sft-merged"),
        "num_rollouts": (32, 8),
        "env.taskset.split": ("test", "train"),
        "select.limit": (200, None),
        "select.shuffle": (None, True),
        "select.skip": (None, 4000),
    },
}


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_neighbours_differ_in_what_they_say_and_in_nothing_else(pair: tuple[str, str]) -> None:
    changed = differences(*pair)
    assert {key: value for key, value in changed.items() if ".train.source.1." not in key} == PAIRS[pair]


def test_the_second_source_is_the_first_with_the_other_kinds() -> None:
    two, one = load("smollm2_invoices_sft_rl")["orchestrator"]["train"]["source"]
    assert (two.pop("name"), two.pop("ratio"), one.pop("name"), one.pop("ratio")) == ("two-calls", 3.0, "one-call", 1.0)
    kinds = [source["env"]["taskset"].pop("question_types") for source in (two, one)]
    assert sorted(kinds[0] + kinds[1]) == sorted(get_args(QuestionType))
    assert one == two
    # The SFT set is drawn by the same two lists.
    drawn = [words for words in commands(text("smollm2_invoices_sft")) if words[0] == "vf-eval"]
    assert [json.loads(words[words.index("--env.taskset.question-types") + 1]) for words in drawn] == kinds
    assert [words[words.index("-n") + 1] for words in drawn] == ["400", "200"]


def test_the_musique_run_is_the_invoices_run_with_another_environment() -> None:
    """But for what the invoices run has changed since: graphs in the server, a schedule, batch, a second source."""
    changed = set(differences("smollm2_invoices_sft_rl", "smollm2_musique_sft_rl"))
    steps = {"max_steps", "ckpt.interval", "orchestrator.eval.interval", "orchestrator.eval.group_size"}
    since = {key for key in changed if key.startswith((*CHANGED, "orchestrator.train.source.1."))}
    sources = {key for key in changed - since if ".source.0." in key}
    assert changed == steps | since | sources | {"model.name"}
    inside = [re.sub(r"^orchestrator\.(train|eval)\.source\.0\.", "", key) for key in sources]
    assert all(key in ("name", "ratio") or key.startswith("env.taskset.") for key in inside), inside


@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_is_its_twin_at_another_size(arm: str) -> None:
    changed = differences(TWINS[arm], arm)
    if arm == "smollm2_math_rft_shortest":  # its header says why
        assert changed.pop("orchestrator.batch_size") == (8, 24)
        assert changed.pop("ckpt.interval") == (50, 20)
        changed["max_steps"] = (changed["max_steps"][0], 60)
    assert changed == differences(TWINS[ARMS[0]], ARMS[0]), "every arm is made smaller in the same way"
    for key in changed:
        assert not key.startswith(("trainer.loss", GATE, "deployment", "weight_broadcast", "ckpt")), key
    for key in ("n", "select", "train", "reward", "divide_by_std", "max_concurrent_agents"):
        assert f"{ENV}.{key}" not in changed
    for key in ("batch_size", "group_size", "max_off_policy_steps", "train.filter_zero_advantages"):
        assert f"orchestrator.{key}" not in changed


def keys_but(table: dict[str, Any], left_out: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if not key.startswith(left_out)}


def test_blocks_that_have_no_reason_to_differ_agree() -> None:
    agents, arms = [load(name) for name in AGENTS], [load(name) for name in ARMS]
    for group, left_out in ((agents, ("trainer.loss", *CHANGED)), (arms, ("trainer.loss",))):
        for recipe in group:
            for block in ("deployment", "trainer", "inference", "monitors", "seq_len"):
                one, other = (keys_but(flat(of[block], block), left_out) for of in (recipe, group[0]))
                assert one == other, block
            for block in ("renderer", "concurrency", "group_size"):
                one, other = (of["orchestrator"][block] for of in (recipe, group[0]))
                assert f"orchestrator.{block}" in left_out or one == other, block
            ours, theirs = (r["orchestrator"]["train"] for r in (recipe, group[0]))
            assert ours["sampling"] == theirs["sampling"]
            assert ours["source"][0]["env"]["agent"] == theirs["source"][0]["env"]["agent"]
            assert recipe["orchestrator"]["eval"]["sampling"] == group[0]["orchestrator"]["eval"]["sampling"]
    lora = {"lora": agents[0]["trainer"]["model"]["lora"]}
    for recipe in [load(name) for name in SFT]:
        shared = {key: value for key, value in recipe["model"].items() if key not in ("name", "lora")}
        for rl in agents + arms:
            assert rl["trainer"]["model"] | lora == shared | lora
            assert rl["orchestrator"]["renderer"] == recipe["renderer"]


def test_every_stage_starts_from_the_model_that_the_one_before_writes() -> None:
    for sft, later in (
        ("smollm2_invoices_sft", ["smollm2_invoices_sft_rl"]),
        ("smollm2_musique_sft", ["smollm2_musique_sft_rl"]),
        ("smollm2_math_sft", ARMS),
    ):
        words = {command[0]: command for command in commands(text(sft))}
        run = words["sft"][words["sft"].index("--run.name") + 1]
        merge = words["merge-lora"]
        assert merge[1] == f"outputs/{run}" and merge[merge.index("--base") + 1] == load(sft)["model"]["name"]
        assert words["smollm2-chatml"][2] == load(sft)["model"]["name"]
        assert words["data-build"][words["data-build"].index("--out") + 1] == load(sft)["data"]["name"]
        for name in later:
            assert load(name)["model"]["name"] == merge[merge.index("--out") + 1]


def test_the_pool_is_drawn_from_what_the_sft_set_leaves_over() -> None:
    teacher = next(words for words in commands(text("smollm2_math_sft")) if words[0] == "vf-eval")
    pool = load("eval/smollm2_math_pool")
    assert "-s" in teacher and int(teacher[teacher.index("-n") + 1]) == pool["select"]["skip"]
    assert pool["select"]["shuffle"] is True and "seed" not in pool["select"]
    played = {key: teacher[teacher.index(f"--env.taskset.{key}") + 1] for key in ("dataset", "split", "prompt")}
    assert played.items() <= pool["env"]["taskset"].items()
    assert pool["model"] == load(ARMS[0])["model"]["name"]
    # The same order in both, as verifiers selects.
    tasks = MathReasoningTaskset(MathReasoningConfig(n=50))
    selections = SelectConfig(shuffle=True, limit=30), SelectConfig(shuffle=True, skip=30)
    first, rest = ({task.key for task in tasks.select(selection)} for selection in selections)
    assert (len(first), len(rest)) == (30, 20) and not first & rest
    draw = next(words for words in commands(text("eval/smollm2_math_pool")) if words[0] == "data-build")
    assert draw[2] == f"outputs/{pool['run']['name']}"
    for arm in ARMS:
        trained = flat(load(arm))
        assert trained[f"{TASKSET}.pool"] == draw[draw.index("--out") + 1]
        assert trained[f"{TASKSET}.split"] == "train" and trained[f"{SAMPLE}.env.taskset.split"] == "test"


def test_sft_sees_each_conversation_as_often_as_its_header_says() -> None:
    """4,000 conversations of 201 tokens: 2 x 16,384 tokens a step, three epochs."""
    recipe = load("smollm2_math_sft")
    a_step = recipe["data"]["batch_size"] * recipe["data"]["seq_len"] / 201.4
    assert recipe["max_steps"] * a_step / 4000 == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_is_sampled_and_judged_as_its_pool_and_its_evaluation(arm: str) -> None:
    recipe = load(arm)
    trained = recipe["orchestrator"]["train"]
    env = trained["source"][0]["env"]
    limit = trained["sampling"]["max_completion_tokens"]
    assert env["taskset"]["task"]["max_length"] == limit
    assert recipe["inference"]["vllm"]["max_model_len"] >= limit + 1024
    for name in ("eval/smollm2_math", "eval/smollm2_math_pool"):
        alone = load(name)
        assert alone["sampling"] == {"temperature": 1.0, "top_p": 1.0, "top_k": -1, "max_tokens": limit}
        assert trained["sampling"]["temperature"] == 1.0
        assert alone["env"]["taskset"]["prompt"] == env["taskset"]["prompt"]
        assert alone["env"]["taskset"]["task"]["extraction"] == env["taskset"]["task"]["extraction"]
        assert alone["env"]["agent"] == env["agent"]
    folder = f"outputs/{recipe['run']['name']}/broadcasts/step_{recipe['max_steps']}"
    start = recipe["model"]["name"]
    assert f"cp -n {start}/*.{{json,jinja}} {folder}/" in header(arm)
    assert folder in header("eval/smollm2_math") and start in header("eval/smollm2_math")


@pytest.mark.parametrize("name", ALL)
def test_headers_name_commands_and_recipes_that_exist(name: str) -> None:
    source = text(name)
    found = commands(source)
    assert any(f"recipes/{name}.toml" in words for words in found), "no command runs it"
    for words in found:
        assert words[0] in COMMANDS, words
        assert all((ROOT / word).is_file() for word in words if word.endswith(".toml")), words
    for named in re.findall(r"\b([\w/]+\.toml)", source):
        folders = (ROOT, ROOT / "recipes", ROOT / "recipes/eval")
        assert any((folder / named).is_file() for folder in folders), named
    if name.startswith("smollm2_"):
        assert "All values are ours" in source or "settings are ours throughout" in source


@pytest.mark.parametrize("name", ALL)
def test_the_environments_take_every_key(name: str) -> None:
    recipe = read([ROOT / "recipes" / f"{name}.toml"], ROOT)
    assert recipe.env_problems == []
    if name in SFT:
        assert recipe.kind == "sft" and recipe.sources == []
    else:
        found = {source.taskset.id for source in recipe.sources if source.taskset is not None}
        wanted = "supplier-invoices" if "invoices" in name else "musique-search" if "musique" in name else None
        assert found == {wanted or "math-reasoning"}
        assert name not in EVALUATIONS or found == {EVALUATIONS[name]}


@pytest.mark.parametrize("name", SFT + AGENTS + ARMS)
def test_prime_rl_takes_every_key(name: str) -> None:
    schema = SCHEMAS / f"prime_rl_{'sft' if name in SFT else 'rl'}.schema.json"
    if not schema.is_file():
        pytest.skip("the JSON Schema of prime-rl's configuration is not beside the repository")
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    recipe = read([ROOT / "recipes" / f"{name}.toml"], ROOT).data  # "None" is None there, as in prime-rl
    assert [error.message for error in validator.iter_errors(recipe)] == []


def test_no_recipe_is_left_out() -> None:
    assert set(ALL) == {*SFT, *AGENTS, *ARMS, *EVALUATIONS}
