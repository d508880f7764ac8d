"""The command that makes the shipped data: it gives the same again, and never leaves half of it."""

import hashlib
import json
from pathlib import Path

import pytest

from data_build import cli
from data_build.invoices import build
from data_build.invoices.mails import MailReport
from data_build.invoices.mails.build import Failure
from supplier_invoices import queries
from supplier_invoices.taskset import TASKS


def test_seed_0_gives_the_shipped_data_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build.main(["--output", str(tmp_path)])
    assert (tmp_path / "tasks.jsonl").read_bytes() == TASKS.read_bytes()
    assert build.content_hash(tmp_path / "invoices.db") == build.content_hash(queries.DATABASE)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(build.FILES)
    printed = capsys.readouterr().out
    assert "149 suppliers, 597 products, 96 corporations" in printed
    assert "nearest-neighbour 5-gram Jaccard" in printed


def test_dq_09_manifest_names_seed_and_content(tmp_path: Path) -> None:
    shipped = json.loads((TASKS.parent / "manifest.json").read_text(encoding="utf-8"))
    assert shipped["seed"] == 0 and shipped["tasks"] == 2000
    assert shipped["tasks_sha256"] == hashlib.sha256(TASKS.read_bytes()).hexdigest()
    assert shipped["database_rows_sha256"] == build.content_hash(queries.DATABASE)
    build.build_database(tmp_path / "other.db", 1)
    assert build.content_hash(tmp_path / "other.db") != shipped["database_rows_sha256"]


def test_failed_mails_leave_the_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tasks.jsonl").write_text("old")
    failed = MailReport(failures=[Failure(7, ["lacks iban"])])
    monkeypatch.setattr(build, "write_all", lambda *args, **kwargs: failed)
    with pytest.raises(SystemExit, match="1 e-mails failed, nothing is written"):
        build.main(["--output", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.jsonl"]
    assert (tmp_path / "tasks.jsonl").read_text() == "old"


def test_unknown_data_set_is_a_one_line_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["data-build", "invoice"])
    with pytest.raises(SystemExit, match="no data set named 'invoice'"):
        cli.main()


def test_wrong_flag_ends_with_a_readable_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["data-build", "invoices", "--sed", "3"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    printed = capsys.readouterr()
    assert stop.value.code not in (0, None)
    assert "--seed" in printed.out + printed.err
    assert "Traceback" not in printed.out + printed.err
