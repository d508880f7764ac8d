"""Runs in prime-rl's interpreter: validates recipes through the real config classes, all in one process.

    python in_prime_rl.py JOBS OUT

JOBS is a JSON file `{"recipes": [{"name", "kind", "files"}]}`; OUT gets `{"errors": {name: [{loc, msg, type}]},
"schemas": {kind: JSON Schema}}`. Nothing of the repository is imported here.
"""

import json
import sys
import tempfile
import warnings
from pathlib import Path


def errors_of(config: type, files: list[str], output_dir: str) -> list[dict]:
    """What the class refuses. The same loader as the real command's: `@ FILE …`."""
    from pydantic import ValidationError
    from pydantic_config import ConfigFileError, cli

    arguments = [word for file in files for word in ("@", file)]
    try:
        cli(config, args=[*arguments, "--run.name", "check", "--output-dir", output_dir])
    except ConfigFileError as e:
        if not isinstance(e.__cause__, ValidationError):
            return [{"loc": [], "msg": e.message, "type": "file"}]
        errors = e.__cause__.errors(include_url=False, include_context=False, include_input=False)
        return [{"loc": list(error["loc"]), "msg": error["msg"], "type": error["type"]} for error in errors]
    except Exception as e:  # a plugin that is not installed, a class that raises something else
        return [{"loc": [], "msg": f"{type(e).__name__}: {e}", "type": "exception"}]
    return []


def any_of(schema: object) -> object:
    """The schema with `anyOf` for `oneOf`: a table without its tag fits several variants, and pydantic takes one."""
    if isinstance(schema, dict):
        return {"anyOf" if key == "oneOf" else key: any_of(value) for key, value in schema.items()}
    return [any_of(item) for item in schema] if isinstance(schema, list) else schema


def main(jobs: str, out: str) -> None:
    warnings.simplefilter("ignore")
    from prime_rl.configs.rl import RLConfig  # ty: ignore[import-not-found]
    from prime_rl.configs.sft import SFTConfig  # ty: ignore[import-not-found]

    classes = {"rl": RLConfig, "sft": SFTConfig}
    recipes = json.loads(Path(jobs).read_text())["recipes"]
    with tempfile.TemporaryDirectory() as folder:
        errors = {each["name"]: errors_of(classes[each["kind"]], each["files"], folder) for each in recipes}
    schemas = {kind: any_of(config.model_json_schema()) for kind, config in classes.items()}
    Path(out).write_text(json.dumps({"errors": errors, "schemas": schemas}))


if __name__ == "__main__":
    main(*sys.argv[1:])
