"""The one error type that the command line turns into a single line."""

from pathlib import Path


class QuickstartError(Exception):
    """Something the user can mend: the message names the option or file and says what to do."""


def ended(what: str, code: int, log: Path) -> QuickstartError:
    """The error for a process that ended with `code`: its last line of output and where the rest is."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.is_file() else []
    last = next((line.strip()[:200] for line in reversed(lines) if line.strip()), "no output")
    return QuickstartError(f"{what} ended with code {code}: {last} (log: {log})")
