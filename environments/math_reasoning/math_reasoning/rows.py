"""One problem, and the identity of its text."""

import hashlib
import re
import unicodedata

from pydantic import BaseModel, ConfigDict


class Row(BaseModel):
    """A problem of any source."""

    model_config = ConfigDict(frozen=True)

    id: str
    """`<data set>-<fingerprint of the question>`, the same from the hub and from a file in any order."""
    question: str
    answer: str
    """The gold alone: a number, LaTeX or a word; empty where the source has none."""
    solution: str | None = None
    """The worked solution of the source."""
    level: int | None = None
    """1 (easiest) to 5 in MATH; None where the source grades nothing."""
    source: str
    """Repository and revision, or file name."""


_IGNORED = re.compile(r"\s+|\\(?:left|right|displaystyle|limits)(?![A-Za-z])|\\[,;:! \[\]()]|\$")


def comparable(question: str) -> str:
    """The text of a problem without case, blanks and how its formulas are set; signs and numbers all stay."""
    text = unicodedata.normalize("NFKC", question).casefold()
    text = re.sub(r"\\[dt]frac(?![a-z])", r"\\frac", text).replace("−", "-").replace("’", "'")
    return _IGNORED.sub("", text)


def fingerprint(question: str) -> str:
    """Ten hex digits of the comparable text."""
    return hashlib.sha256(comparable(question).encode()).hexdigest()[:10]
