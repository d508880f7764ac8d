"""`check-recipes`: the shipped recipes, misspelt keys, overlays, real classes, missing products."""

import os
import re
from pathlib import Path

import pytest

from recipe_tables import EVAL, INVOICES, MATH, SFT, TRAIN, changed, toml
from recipes.check import cli
from recipes.check.classes import Answer, ask, class_problems, dry_run
from recipes.check.config import CheckConfig
from recipes.check.recipe import load, load_all, shipped
from recipes.check.schema import read_schemas

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT.parent / "shared" / "schema"
SHIPPED = shipped(ROOT)


def prime_rl_python() -> Path | None:
    """prime-rl's interpreter: that of `.prime-rl`, or the one that PRIME_RL_PYTHON names."""
    named = os.environ.get("PRIME_RL_PYTHON")
    found = Path(named) if named else ROOT / ".prime-rl" / ".venv" / "bin" / "python"
    return found if found.is_file() else None


PYTHON = prime_rl_python()
needs_schema = pytest.mark.skipif(not SCHEMA.is_dir(), reason="prime-rl's schema is not beside the repository")
needs_prime_rl = pytest.mark.skipif(PYTHON is None, reason=".prime-rl is not set up (setup-prime-rl --configs-only)")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a recipes/ folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipes" / "scale").mkdir(parents=True)
    return tmp_path


def write(folder: Path, table: dict, name: str = "x.toml", header: str = "") -> Path:
    path = folder / "recipes" / name
    path.write_text(header + toml(table), encoding="utf-8")
    return path


def checked(capsys: pytest.CaptureFixture[str], root: Path, *files: Path, **options: object) -> list[str]:
    """The problem lines; the lines about what was done are told apart by their words."""
    code = cli.run(CheckConfig.model_validate({"files": list(files), **options}), root)
    lines = capsys.readouterr().out.splitlines()
    problems = [line for line in lines[:-1] if not re.search(r"\.toml: (schema|no schema|vf-eval|not read)", line)]
    assert code == int(bool(problems)) and lines[-1].endswith(
        "no problems" if not problems else "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    )
    return problems


@needs_schema
@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_shipped_recipe_is_sound_by_the_schema(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys, ROOT, file, schema_dir=SCHEMA, prime_rl=Path("none")) == []


def test_every_shipped_recipe_passes_the_rules_across_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys, ROOT, prime_rl=Path("none")) == []


@pytest.fixture(scope="module")
def answer() -> Answer:
    recipes = [recipe for file in SHIPPED for recipe in load_all(file, ROOT)[0] if recipe.kind != "eval"]
    assert PYTHON is not None and recipes
    return ask(PYTHON, recipes)


@needs_prime_rl
@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_shipped_recipe_is_taken_by_the_real_classes(file: Path, answer: Answer) -> None:
    for recipe in load_all(file, ROOT)[0]:
        if recipe.kind != "eval":
            assert [str(p) for p in class_problems(recipe, answer.errors[recipe.name], [])] == []


@needs_prime_rl
@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_real_dry_run_passes(file: Path) -> None:
    assert PYTHON is not None
    for recipe in [recipe for recipe in load_all(file, ROOT)[0][:1] if recipe.kind != "eval"]:
        assert dry_run(PYTHON, recipe) is None


@needs_prime_rl
def test_the_real_classes_refuse_what_no_schema_can(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = write(here, changed(INVOICES, {"deployment": {"gpus_per_node": 1}}))
    [line] = checked(capsys, here, wrong, prime_rl_python=PYTHON)
    assert line.startswith("recipes/x.toml: Total GPU count (2 = 1 train + 1 infer) exceeds") or "deployment" in line


@needs_prime_rl
def test_a_misspelt_key_is_one_line_with_the_real_classes_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = write(here, changed(INVOICES, {"orchestrator.group_sizes": 8}))
    assert checked(capsys, here, wrong, prime_rl_python=PYTHON, dry_run=True) == [
        "recipes/x.toml: orchestrator.group_sizes: unknown key; did you mean group_size?"
    ]


MISSPELT = [
    (INVOICES, "max_step", 5, "max_steps"),
    (INVOICES, "orchestrator.batchsize", 32, "batch_size"),
    (INVOICES, "orchestrator.train.filter_zero_advantage", True, "filter_zero_advantages"),
    (INVOICES, "trainer.model.lora.alfa", 32, "alpha"),
    (INVOICES, "inference.vllm.max_model_length", 8192, "max_model_len"),
    (INVOICES, "inference.vllm.default_chat_template_kwarg", {}, "default_chat_template_kwargs"),
    (INVOICES, "orchestrator.renderer.enable_thinkin", True, "enable_thinking"),
    (INVOICES, f"{TRAIN}.group_sise", 8, "group_size"),
    (INVOICES, f"{TRAIN}.curriculum.gates.zero.reject_mn", -1e-5, "reject_min"),
    (INVOICES, f"{TRAIN}.env.taskset.splt", "train", "split"),
    (INVOICES, f"{TRAIN}.env.agent.max_turn", 8, "max_turns"),
    (INVOICES, f"{TRAIN}.env.agent.harness.apy", "chat", "api"),
    (INVOICES, f"{TRAIN}.env.agent.runtime.typ", "subprocess", "type"),
    (INVOICES, f"{TRAIN}.env.taskset.task.rewards.solvd", {"weight": 1.0}, "solved"),
    (INVOICES, f"{TRAIN}.env.taskset.task.rewards.solved.wieght", 1.0, "weight"),
    (INVOICES, f"{TRAIN}.env.agnt", {}, "agent"),
    (MATH, f"{TRAIN}.env.taskset.task.cosine_presett", "code", "cosine_preset"),
    (SFT, "data.seqlen", 1024, "seq_len"),
    (SFT, "data.loss_mask.tools", False, "tool"),
    (EVAL, "num_rolouts", 3, "num_rollouts"),
    (EVAL, "client.base_ur", "x", "base_url"),
    (EVAL, "sampling.temprature", 0.6, "temperature"),
    (EVAL, "env.taskset.corpse", "x", "corpus"),
]


@needs_schema
@pytest.mark.parametrize(("table", "key", "value", "meant"), MISSPELT, ids=[case[1] for case in MISSPELT])
def test_a_misspelt_key_is_one_line_with_the_nearest(
    table: dict, key: str, value: object, meant: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = write(here, changed(table, {key: value}))
    line = f"recipes/x.toml: {key}: unknown key; did you mean {meant}?"
    assert checked(capsys, here, wrong, schema_dir=SCHEMA) == [line]


@needs_schema
@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("orchestrator.group_size", "eight", "'eight' is not of type 'integer'"),
        ("orchestrator.renderer.name", "qwen33", "did you mean 'qwen3'?"),
        ("max_steps", 1.5, "1.5 is not of type 'integer'"),
        (f"{TRAIN}.env.taskset.split", "trian", "'train'"),
        (f"{TRAIN}.env.taskset.id", "supplier-invoice", "no installed taskset 'supplier-invoice'"),
        (f"{TRAIN}.env.agent.max_turns", "many", "valid integer"),
    ],
)
def test_a_wrong_value_is_one_line_with_its_key(
    key: str, value: object, words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [line] = checked(capsys, here, write(here, changed(INVOICES, {key: value})), schema_dir=SCHEMA)
    assert line.startswith(f"recipes/x.toml: {key}: ") and words in line


@needs_schema
def test_the_sound_tables_of_these_tests_are_sound(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("rl.toml", "math.toml", "tuned.toml", "eval.toml")
    files = [write(here, table, name) for table, name in zip((INVOICES, MATH, SFT, EVAL), names, strict=True)]
    assert checked(capsys, here, *files, schema_dir=SCHEMA) == []


@needs_schema
def test_an_overlay_is_checked_over_the_recipes_that_it_names(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, INVOICES)
    write(here, SFT, "y.toml")
    header = "# check-over: recipes/x.toml\n"
    good = write(here, {"orchestrator": {"batch_size": 64}}, "scale/good.toml", header)
    assert checked(capsys, here, good, schema_dir=SCHEMA) == []
    [merged], _ = load_all(good, here)
    assert (merged.get("orchestrator.batch_size"), merged.get("orchestrator.group_size")) == (64, 8)
    bad = write(here, {"orchestrator": {"batch_size": 60}}, "scale/bad.toml", header)
    assert checked(capsys, here, bad, schema_dir=SCHEMA) == [
        "recipes/scale/bad.toml over recipes/x.toml: orchestrator.batch_size: 60 is not divisible by group_size 8: "
        "use 56 or 64"
    ]
    sources = write(here, {"orchestrator": {"train": {"source": [{"name": "only"}]}}}, "scale/list.toml", header)
    [line] = checked(capsys, here, sources, schema_dir=SCHEMA)  # lists are replaced whole, not merged
    assert "orchestrator.train.source.0.env.taskset.id: name the taskset" in line


def test_an_overlay_without_a_recipe_says_what_to_write(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [line] = checked(capsys, here, write(here, {"max_steps": 3}, "scale/lost.toml"))
    assert "add a comment `# check-over: recipes/a.toml" in line
    [line] = checked(capsys, here, write(here, {"max_steps": 3}, "scale/gone.toml", "# check-over: recipes/no.toml\n"))
    assert line == "recipes/scale/gone.toml: check-over: recipes/no.toml does not exist; name a recipe"


def test_no_toml_and_no_file_are_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = here / "recipes" / "broken.toml"
    broken.write_text("max_steps = = 3\n", encoding="utf-8")
    [line] = checked(capsys, here, broken)
    assert line.startswith("recipes/broken.toml: Invalid TOML in ")
    [line] = checked(capsys, here, here / "recipes" / "none.toml")
    assert line.startswith("recipes/none.toml: ") and "No such file" in line


def test_a_schema_folder_without_schemas_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name the folder that holds both"):
        read_schemas(tmp_path)


def test_the_command_line_takes_files_before_and_after_options(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(here, EVAL)
    for words in ([str(file), "--paths"], ["--paths", str(file)]):
        monkeypatch.setattr("sys.argv", ["check-recipes", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 0
        assert "paths\n1 recipes, no problems\n" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["check-recipes", str(file), "--prime-rl-python", "nowhere"])
    with pytest.raises(SystemExit, match="nowhere is no file; name a Python that imports prime_rl"):
        cli.main()


def test_products_are_looked_for_only_when_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    merged = {"model.name": "outputs/a-merged", "inference.vllm.reasoning_parser": "qwen3"}
    run, tuned = write(here, changed(INVOICES, merged)), write(here, SFT, "sft.toml")
    pool = write(here, changed(MATH, {f"{TRAIN}.env.taskset.pool": "data/pool.json"}), "pool.toml")
    corpus = write(here, changed(EVAL, {"env.taskset.corpus": "data/corpus"}), "corpus.toml")
    files = (run, tuned, pool, corpus)
    assert checked(capsys, here, *files) == []
    lines = checked(capsys, here, *files, paths=True)
    assert [line.split(": ")[:2] for line in lines] == [
        ["recipes/x.toml", "model.name"],
        ["recipes/sft.toml", "data.name"],
        ["recipes/pool.toml", f"{TRAIN}.env.taskset.pool"],
        ["recipes/corpus.toml", "env.taskset.corpus"],
    ]
    for line, command in zip(
        lines, ("merge-lora", "data-build sft", "data-build pool", "data-build musique"), strict=True
    ):
        assert f"`uv run {command} " in line


def test_an_unmerged_adapter_names_the_command_that_merges_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter = here / "outputs" / "a"
    adapter.mkdir(parents=True)
    (adapter / "adapter_config.json").write_text("{}", encoding="utf-8")
    (here / "data" / "invoices-sft").mkdir(parents=True)
    [line, empty] = checked(
        capsys,
        here,
        write(here, changed(INVOICES, {"model.name": "outputs/a"})),
        write(here, SFT, "s.toml"),
        paths=True,
    )
    assert line.startswith("recipes/x.toml: model.name: outputs/a ") and "`uv run merge-lora outputs/a" in line
    assert empty.startswith("recipes/s.toml: data.name: ") and "train.jsonl" in empty


def test_the_text_none_is_none_as_in_prime_rl(here: Path) -> None:
    made = load([write(here, changed(INVOICES, {"inference.vllm.tool_call_parser": "None"}))], here)
    assert made.has("inference.vllm.tool_call_parser") and made.get("inference.vllm.tool_call_parser") is None
