"""Options of `uv run check-recipes`."""

from pathlib import Path

from pydantic import AliasChoices, Field
from pydantic_config import BaseConfig


class CheckConfig(BaseConfig):
    files: list[Path] = Field(default_factory=list)
    """Recipes to check; all of recipes/ by default. `check-recipes FILE …` is the short form."""

    schema_dir: Path | None = Field(None, validation_alias=AliasChoices("schema", "schema_dir"))
    """Folder of `prime_rl_rl.schema.json` and `prime_rl_sft.schema.json`; by default the schema comes from prime-rl's
    own classes, where it is set up."""

    prime_rl: Path = Path(".prime-rl")
    """prime-rl's clone (`uv run setup-prime-rl --configs-only`)."""

    prime_rl_python: Path | None = None
    """A Python that imports prime_rl, in place of the clone's."""

    dry_run: bool = False
    """Also run the real `rl --dry-run` and `sft --dry-run`, about ten seconds a file."""

    paths: bool = False
    """Also look whether the models and data that a recipe names are there."""
