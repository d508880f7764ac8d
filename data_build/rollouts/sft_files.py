"""The files of an SFT set: what `uv run sft` of prime-rl reads, and what a reader must know about it.

prime-rl 0.8.0 takes a folder (`data.name`) with `train.parquet`: `messages` in OpenAI wire form, thinking as
`reasoning_content`, tool arguments as JSON text; `tools` as one JSON text a row. Arrow gives every row of a column the
same fields, so arguments and schemas kept as objects would come back with null keys of other tools.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_build.rollouts.files import new_folder, run_facts, sha256
from data_build.rollouts.read import Rollout
from data_build.rollouts.wire import content_text

if TYPE_CHECKING:
    from data_build.rollouts.sft import Selected, SftConfig

FORMAT = 1
FILES = {"train.parquet", "keys.json", "README.md", "manifest.json"}
ROWS = 64
"""Rows of one write: a row of 16,000 tokens is about 60 kB of text."""

CARD = """\
---
license: other
task_categories:
- text-generation
tags:
- rejection-sampling
- tool-use
configs:
- config_name: default
  data_files:
  - split: train
    path: train.parquet
---

# {title}

{rows:,} conversations over {questions:,} questions, sampled from {models} on {tasksets} and filtered. Made by \
`data-build sft`; `manifest.json` holds every number and checksum, `keys.json` the questions' keys.

## How they were chosen

```
{funnel}
```

A rollout is right when its score `{reward}` reaches {threshold:g}. {evidence} At most {max_per_task} per question \
({choose}{seed}). Rollouts that a limit cut off, that end without a reply, or whose tool arguments are no JSON object \
are dropped. Word-for-word repeats within a question are kept once.

## Columns

| column | content |
|---|---|
| `messages` | the conversation in OpenAI chat form: `role`, `content`, `reasoning_content`, `tool_calls` (arguments \
as JSON text), `tool_call_id`, `name` |
| `tools` | the tool schemas shown to the model, as JSON text |
| `task_key`, `taskset`, `run`, `model`, `trace_id` | where the row comes from |

Training reads `messages` and `tools` (prime-rl: `data.name` is this folder). Every assistant turn is trained, \
thinking included; system, user and tool text is not.

## Leak check

{leaks}

## Limits

The texts are what {models} wrote and what the tools returned; nobody corrected them. A right answer does not make \
every step before it right. Licence: that of the teacher's outputs and of the task data; neither is granted here.

sha256 of `train.parquet`: `{sha256}`
"""


def check_folder(out: Path) -> None:
    """Raises ValueError where `out` is no folder or holds files that are not an SFT set's."""
    if not out.exists():
        return
    if not out.is_dir():
        raise ValueError(f"out: {out} is a file; prime-rl reads a folder, so name one")
    if other := sorted(path.name for path in out.iterdir() if path.name not in FILES):
        raise ValueError(f"out: {out} holds other files ({', '.join(other[:3])}); name an empty or a new folder")


def write(
    config: "SftConfig", runs: Sequence[Path], lines: list[str], selected: "Selected", rollouts: Iterable[Rollout]
) -> str:
    """Writes the folder `config.out`; a line that says what is in it."""
    with new_folder(config.out) as folder:
        counts = write_parquet(folder / "train.parquet", rollouts)
        digest = sha256(folder / "train.parquet")
        keys = sorted({key for _, key in counts})
        (folder / "keys.json").write_text(json.dumps(keys, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        manifest = {
            "format": FORMAT,
            "config": config.model_dump(mode="json", exclude={"out"}),
            "runs": run_facts(runs),
            "models": selected.tally.models,
            "tasksets": selected.tally.tasksets,
            "reward": selected.tally.reward,
            "funnel": [
                {"stage": stage, "rollouts": count, "questions": tasks}
                for stage, count, tasks in [
                    ("read", selected.funnel.rollouts, len(selected.funnel.questions)),
                    *selected.funnel.rows(),
                ]
            ],
            "dropped": selected.funnel.dropped,
            "left_out_questions": len(selected.exclusion.tasks),
            "rows": counts.total(),
            "questions": len(counts),
            "sha256": digest,
        }
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        card = _card(config, lines, selected, counts.total(), len(counts), digest)
        (folder / "README.md").write_text(card, encoding="utf-8")
    size = f"{counts.total():,} rows over {len(counts):,} questions"
    return f'wrote {config.out}: {size}; in prime-rl: data.name = "{config.out}"'


def write_parquet(path: Path, rollouts: Iterable[Rollout]) -> Counter[tuple[str, str]]:
    """Writes the rows, a few at a time; how many each task has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.string()
    function = pa.struct([("name", text), ("arguments", text)])
    call = pa.struct([("id", text), ("type", text), ("function", function)])
    message = [(name, text) for name in ("role", "content", "reasoning_content")]
    message += [("tool_calls", pa.list_(call)), ("tool_call_id", text), ("name", text)]
    columns = [(name, text) for name in ("tools", "task_key", "taskset", "run", "model", "trace_id")]
    schema = pa.schema([("messages", pa.list_(pa.struct(message))), *columns])
    counts: Counter[tuple[str, str]] = Counter()
    with pq.ParquetWriter(path, schema) as writer:
        for rows in _batches(rollouts):
            counts.update((row["taskset"], row["task_key"]) for row in rows)
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    return counts


def row(rollout: Rollout) -> dict[str, Any]:
    """A rollout as a training row."""
    messages = []
    for message in rollout.messages:
        # An assistant message without text has an empty one: prime-rl drops null fields, renderers need the content.
        messages.append(message | {"content": content_text(message["content"])})
    return {
        "messages": messages,
        "tools": json.dumps(rollout.tools, ensure_ascii=False),
        "task_key": rollout.task_key,
        "taskset": rollout.taskset,
        "run": rollout.run,
        "model": rollout.model,
        "trace_id": rollout.trace_id,
    }


def _batches(rollouts: Iterable[Rollout]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    for rollout in rollouts:
        rows.append(row(rollout))
        if len(rows) == ROWS:
            yield rows
            rows = []
    if rows:
        yield rows


def _card(config: "SftConfig", lines: list[str], selected: "Selected", rows: int, questions: int, digest: str) -> str:
    exclusion = selected.exclusion
    if exclusion.leaks:
        leaks = f"**Tasks of {', '.join(sorted(exclusion.leaks))} are in, on purpose:** do not evaluate on them."
    elif exclusion.tasks:
        splits = ", ".join(sorted(exclusion.splits)) or "none"
        leaks = (
            f"{len(exclusion.tasks):,} questions are left out (splits: {splits}; keys: {len(exclusion.keys):,}), "
            "and with them every question of the same text. No row names an evaluation split."
        )
    else:
        leaks = "No task of the runs names an evaluation split."
    if exclusion.without_split:
        leaks += f" {len(exclusion.without_split):,} questions name no split, so theirs could not be checked."
    evidence = "Whether it saw any evidence was not asked."
    if config.require_evidence:
        evidence = f"Its tool results showed everything that `{config.evidence_field}` names before it answered."
    return CARD.format(
        title=f"{', '.join(selected.tally.tasksets)}: rejection-sampled conversations",
        rows=rows,
        questions=questions,
        models=", ".join(selected.tally.models),
        tasksets=", ".join(selected.tally.tasksets),
        funnel="\n".join(lines),
        reward=selected.tally.reward,
        threshold=config.threshold,
        evidence=evidence,
        max_per_task=config.max_per_task,
        choose=config.choose,
        seed=f", seed {config.seed}" if config.choose == "random" else "",
        leaks=leaks,
        sha256=digest,
    )
