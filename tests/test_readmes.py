"""The READMEs show what is there: tasks from the data, commands and config keys that exist."""

import re
import tomllib
from pathlib import Path

import pytest

from supplier_invoices.taskset import SupplierInvoicesConfig, rows

REPOSITORY = Path(__file__).parents[1]
ROOT = (REPOSITORY / "README.md").read_text(encoding="utf-8")
PACKAGES = sorted(path.parent for path in REPOSITORY.glob("environments/*/pyproject.toml"))
READMES = [
    "README.md",
    "rewards/README.md",
    "smollm2/README.md",
    "recipes/README.md",
    *(str(path.relative_to(REPOSITORY)) for path in sorted((REPOSITORY / "recipes/results").glob("*/*.md"))),
]


def test_supplier_invoices_shows_five_rows_of_the_data() -> None:
    text = (REPOSITORY / "environments/supplier_invoices/README.md").read_text(encoding="utf-8")
    shown = re.findall(
        r"^\*\*(invoices-\d{4})\*\* · `(\w+)` .*? gold: (.*?) · .*?\n```\n(.*?)\n```$", text, re.M | re.S
    )
    assert len(shown) == 5
    by_id = {row.id: row for row in rows()}
    for identity, question_type, gold, mail in shown:
        row = by_id[identity]
        assert (question_type, mail) == (row.question_type, row.question.strip())
        assert re.findall(r"`(.+?)`", gold) == row.gold_values


def test_supplier_invoices_lists_every_config_key() -> None:
    text = (REPOSITORY / "environments/supplier_invoices/README.md").read_text(encoding="utf-8")
    own = set(SupplierInvoicesConfig.model_fields) - set(SupplierInvoicesConfig.__mro__[1].model_fields)  # ty: ignore
    assert own == {"split", "language", "question_types", "tools"}
    for key in own:
        assert re.search(rf"^\| `{key}(\.\w+)?` \|", text, re.M), key


def test_commands_of_the_root_readme_are_installed() -> None:
    scripts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    used = set(re.findall(r"uv run ([\w-]+)", ROOT)) - {"pytest", "vf-eval", "vf-validate", "pre-commit"}
    assert used == set(scripts)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_every_package_has_a_changelog_entry_for_its_version(package: Path) -> None:
    version = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    readme = (package / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^#+ Changelog\n- {re.escape(version)}: ", readme, re.M), f"{package.name} {version}"


def test_links_between_readmes_lead_somewhere() -> None:
    for readme in [*(REPOSITORY / name for name in READMES), *(p / "README.md" for p in PACKAGES)]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", readme.read_text(encoding="utf-8")):
            assert (readme.parent / target).exists(), f"{readme}: {target}"
