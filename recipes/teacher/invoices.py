"""supplier-invoices: look up what the e-mail names, and state what it asks for.

A student must be able to infer each step. So arguments are what the e-mail writes (dates as the tools want them), and
the reply is built from the tool results in the conversation, never from the gold.
"""

import json
import random
import re

from recipes.teacher.conversation import Call, Conversation, Reply
from recipes.teacher.wording import not_found, stated
from supplier_invoices.taskset import TASKS

IDENTIFIERS = ("sub_no", "iban", "bankgiro", "postgiro", "vat_number")


def load_mails() -> dict[str, dict]:
    """Rows of the data set by their e-mail."""
    rows = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    return {row["question"].strip(): row for row in rows}


def next_turn(mail: dict, conversation: Conversation, rng: random.Random, slip: bool) -> Reply:
    """The next step on the row's path; a slip forgets a value or gives up before looking."""
    language, done = mail["language"], len(conversation.results)
    gives_up = slip and rng.random() < 0.3
    if gives_up:
        return Reply(text=not_found(language, rng))
    records = _records(conversation.results[-1]) if done else []
    if done and not records:
        return Reply(text=not_found(language, rng))
    if done < len(mail["path"]):
        step = mail["path"][done]
        return Reply(call=Call(step["name"], _arguments(step["arguments"], mail["question"], records)))
    record = records[0]
    # A supplier record calls it name, an order row supplier_name.
    shown = {"supplier_name": record["name"]} | record if "name" in record else record
    values = {column: str(shown[column]) for column in mail["asked"]}
    if slip:
        values = _wrong(values, record, rng)
    return Reply(text=stated(values, language, rng))


def as_written(value: str, mail: str) -> str:
    """An identifier as the e-mail writes it, with its blanks and dashes; `value` itself where it does not stand there.

    Written in several ways, the last one counts: subjects come first.
    """
    letters = [re.escape(letter) for letter in value if letter.isalnum()]
    found = re.findall(r"(?<!\w)" + r"[ \-–.]?".join(letters) + r"(?!\w)", mail, re.IGNORECASE)
    return found[-1] if found else value


def _arguments(arguments: dict[str, str], mail: str, records: list[dict]) -> dict[str, str]:
    given = {}
    for name, value in arguments.items():
        if name == "supplier_id":
            given[name] = records[0]["id"]
        elif name in IDENTIFIERS:
            given[name] = as_written(value, mail)
        else:
            given[name] = value
    return given


def _records(result: str) -> list[dict]:
    return [json.loads(line) for line in result.splitlines() if line.startswith("{")]


def _wrong(values: dict[str, str], record: dict, rng: random.Random) -> dict[str, str]:
    """One asked value replaced by another of the record."""
    column = rng.choice(sorted(values))
    others = sorted({str(value) for value in record.values()} - set(values.values()))
    return values | {column: rng.choice(others)}
