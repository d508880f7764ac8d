"""Drives a writer over all scenarios: checks each mail, has a failing one written again, reports what is left."""

import asyncio
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from data_build.invoices.mails.diversity import normalised
from data_build.invoices.mails.validate import problems
from data_build.invoices.scenario import Scenario

REWRITES = 3
"""How many more times a failing mail is written before it is reported."""


class NotWritten(Exception):
    """A writer had no mail to give this time (a refusal, a cut-off reply, an overloaded server): a failed attempt."""


class Writer(Protocol):
    """Writes the mail of one scenario. `rng` is the only source of chance; `earlier` holds the problems of the
    attempt before, empty on the first. Raises `NotWritten` when this attempt gave no mail."""

    async def write(self, scenario: Scenario, rng: random.Random, attempt: int, earlier: Sequence[str]) -> str: ...

    async def close(self) -> None:
        """Lets go of what the writer holds open; called once, after the last mail."""
        ...


@dataclass(frozen=True)
class Failure:
    """A scenario without a good mail after every attempt."""

    index: int
    """The scenario's index."""
    problems: list[str]
    """What was wrong with the last attempt."""


@dataclass
class MailReport:
    """What came of it."""

    mails: dict[int, str] = field(default_factory=dict)
    """Good mails by scenario index, in the order of the scenarios."""
    failures: list[Failure] = field(default_factory=list)
    attempts: dict[int, int] = field(default_factory=dict)
    """How many mails were written for each scenario index."""

    @property
    def rewritten(self) -> int:
        """Scenarios that took more than one attempt."""
        return sum(n > 1 for n in self.attempts.values())

    def __str__(self) -> str:
        lines = [f"{len(self.mails)} mails, {self.rewritten} scenarios written again, {len(self.failures)} failed"]
        lines += [f"  scenario {failure.index}: {'; '.join(failure.problems)}" for failure in self.failures]
        return "\n".join(lines)


@dataclass
class _Draft:
    scenario: Scenario
    mail: str | None = None
    attempts: int = 0
    problems: list[str] = field(default_factory=list)


async def _attempt(draft: _Draft, writer: Writer, seed: int) -> None:
    """One more attempt at a draft; leaves `mail` set when the mail is good."""
    scenario = draft.scenario
    rng = random.Random(f"{seed}:{scenario.index}:{draft.attempts}")
    try:
        mail = await writer.write(scenario, rng, draft.attempts, draft.problems)
    except NotWritten as error:
        draft.mail, draft.problems = None, [str(error)]
    else:
        draft.problems = problems(mail, scenario)
        draft.mail = None if draft.problems else mail
    draft.attempts += 1


async def awrite_all(
    scenarios: Iterable[Scenario], writer: Writer, seed: int, *, concurrency: int = 8, progress: bool = True
) -> MailReport:
    """Writes, checks and rewrites; see `write_all`."""
    drafts = [_Draft(scenario) for scenario in scenarios]
    try:
        await _write_drafts(drafts, writer, seed, concurrency, progress)
        return await _collect(drafts, writer, seed)
    finally:
        await writer.close()


async def _settle(draft: _Draft, writer: Writer, seed: int) -> None:
    """Attempts until the mail is good or no attempt is left."""
    while draft.mail is None and draft.attempts <= REWRITES:
        await _attempt(draft, writer, seed)


async def _write_drafts(drafts: list[_Draft], writer: Writer, seed: int, concurrency: int, progress: bool) -> None:
    gate = asyncio.Semaphore(concurrency)
    bar = Progress(
        TextColumn("e-mails"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), disable=not progress
    )

    async def one(draft: _Draft) -> None:
        async with gate:
            await _settle(draft, writer, seed)
        bar.advance(task)

    with bar:
        task = bar.add_task("e-mails", total=len(drafts))
        async with asyncio.TaskGroup() as group:
            for draft in drafts:
                group.create_task(one(draft))


async def _collect(drafts: list[_Draft], writer: Writer, seed: int) -> MailReport:
    """The report. Equal mails are settled one after another in scenario order, so that the result does not depend on
    which of two copies happened to be finished first."""
    out = MailReport()
    seen: dict[str, int] = {}
    for draft in drafts:
        while draft.mail is not None and normalised(draft.mail) in seen:
            draft.problems = [f"same mail as scenario {seen[normalised(draft.mail)]}"]
            draft.mail = None
            await _settle(draft, writer, seed)
        index = draft.scenario.index
        out.attempts[index] = draft.attempts
        if draft.mail is None:
            out.failures.append(Failure(index, draft.problems))
        else:
            seen[normalised(draft.mail)] = index
            out.mails[index] = draft.mail
    return out


def write_all(
    scenarios: Iterable[Scenario], writer: Writer, seed: int, *, concurrency: int = 8, progress: bool = True
) -> MailReport:
    """A good mail for every scenario that can get one in `1 + REWRITES` attempts; no two of them equal.

    Attempt `a` at scenario `i` draws from `random.Random(f"{seed}:{i}:{a}")`, so the template writer gives the same
    mails for the same seed at any `concurrency` (scenarios in work at the same time). Any other error of the writer
    than `NotWritten` ends the run (an `ExceptionGroup`).
    """
    return asyncio.run(awrite_all(scenarios, writer, seed, concurrency=concurrency, progress=progress))
