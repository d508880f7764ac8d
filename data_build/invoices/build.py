"""`data-build invoices`: database, scenarios and e-mails of the supplier-invoices environment, from one seed."""

import hashlib
import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_config import BaseConfig

from data_build.config import read_config
from data_build.invoices.checks import check_scenarios
from data_build.invoices.database import build_database
from data_build.invoices.mails import DiversityReport, MailReport, TemplateWriter, Writer, report, write_all
from data_build.invoices.mails.anthropic_writer import AnthropicWriter
from data_build.invoices.scenario import Scenario
from data_build.invoices.scenarios import sample_scenarios

REPOSITORY = Path(__file__).parents[2]
FILES = ("invoices.db", "tasks.jsonl", "manifest.json")


class InvoicesConfig(BaseConfig):
    seed: int = 0
    """Everything follows from it; the shipped data is seed 0."""
    writer: Literal["templates", "anthropic"] = "templates"
    """Who writes the e-mails: the grammar in this repository (offline), or a Claude model (needs ANTHROPIC_API_KEY)."""
    model: str = "claude-sonnet-4-5"
    """Model of the anthropic writer."""
    concurrency: int = Field(8, ge=1)
    """E-mails the anthropic writer has in work at once."""
    output: Path = REPOSITORY / "environments/supplier_invoices/supplier_invoices/data"
    """Folder for invoices.db, tasks.jsonl and manifest.json; by default the environment's own."""
    cache: Path = REPOSITORY / "data/cache/invoice-mails"
    """Replies of the anthropic writer, so that a killed run does not pay twice."""


def main(arguments: Sequence[str]) -> None:
    config = read_config(InvoicesConfig, "invoices", arguments)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        database = work / "invoices.db"
        build_database(database, config.seed)
        scenarios = sample_scenarios(database, config.seed)
        if problems := check_scenarios(database, scenarios):
            raise SystemExit(
                "\n".join(["data-build invoices: the scenarios are unsound, nothing is written", *problems])
            )
        print(_counts(database, scenarios))
        writer = make_writer(config)
        mails = write_all(scenarios, writer, config.seed, concurrency=config.concurrency)
        print(mails)
        if isinstance(writer, AnthropicWriter):
            print(writer.usage.line(config.model))
        if mails.failures:
            raise SystemExit(f"data-build invoices: {len(mails.failures)} e-mails failed, nothing is written")
        diversity = report(list(mails.mails.values()))
        print(diversity)
        if not diversity.ok:
            raise SystemExit("data-build invoices: e-mails too alike, nothing is written")
        write_tasks(work / "tasks.jsonl", scenarios, mails)
        manifest = make_manifest(config, database, work / "tasks.jsonl", diversity)
        (work / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        publish(work, config.output)
    print(f"wrote {', '.join(FILES)} to {config.output}")


def make_writer(config: InvoicesConfig) -> Writer:
    if config.writer == "anthropic":
        return AnthropicWriter(config.model, config.cache)
    return TemplateWriter()


def write_tasks(path: Path, scenarios: Sequence[Scenario], mails: MailReport) -> None:
    """One task a line: the scenario, with its e-mail as `question`."""
    with path.open("w", encoding="utf-8") as file:
        for scenario in scenarios:
            row = {"id": f"invoices-{scenario.index:04d}", "question": mails.mails[scenario.index]}
            row |= scenario.model_dump(exclude={"index"})
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def content_hash(database: Path) -> str:
    """sha256 of the database's rows; the file's bytes also depend on the SQLite version that wrote it."""
    connection = sqlite3.connect(database)
    try:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()
    finally:
        connection.close()


def make_manifest(config: InvoicesConfig, database: Path, tasks: Path, diversity: DiversityReport) -> dict:
    """What the files were made with and what is in them."""
    return {
        "seed": config.seed,
        "writer": config.writer if config.writer == "templates" else config.model,
        "faker": version("faker"),
        "tasks": len(tasks.read_text(encoding="utf-8").splitlines()),
        "database_rows_sha256": content_hash(database),
        "tasks_sha256": hashlib.sha256(tasks.read_bytes()).hexdigest(),
        "jaccard_p99": round(diversity.p99, 3),
    }


def publish(work: Path, output: Path) -> None:
    """Moves the finished files into place, each by rename, so that a killed build never leaves half a file."""
    output.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        part = output / f".{name}.part"
        shutil.copyfile(work / name, part)
        part.replace(output / name)


def _counts(database: Path, scenarios: Sequence[Scenario]) -> str:
    connection = sqlite3.connect(database)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        sizes = [f"{connection.execute(f'SELECT count(*) FROM {name}').fetchone()[0]} {name}" for name in tables]
    finally:
        connection.close()
    lines = [", ".join(sizes)]
    for split in ("train", "validation"):
        rows = [s for s in scenarios if s.split == split]
        mix = Counter(value for s in rows for value in (s.question_type, s.language, s.sender))
        shares = (f"{name} {count} ({count / len(rows):.1%})" for name, count in sorted(mix.items()))
        lines.append(f"{split} {len(rows)}: " + ", ".join(shares))
    return "\n".join(lines)
