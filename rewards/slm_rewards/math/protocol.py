"""What a pool and its workers say to each other over two pipes.

A request is a 4-byte big-endian length and a JSON list `[gold, answer]` (answer null: is the gold
sound?); a reply is one byte of `REPLIES`. A judging process that is ready first sends `READY` and its process id.
"""

import json
import struct
from typing import BinaryIO

READY = b"r"
"""Starts the announcement of a judging process."""
TRUE, FALSE, GAVE_UP, NO_MEMORY, FAULT = b"1", b"0", b"t", b"m", b"e"
REPLIES = {TRUE: None, FALSE: None, GAVE_UP: "timeouts", NO_MEMORY: "crashes", FAULT: "errors"}
"""Each reply with the count it adds to."""


def pack(gold: str, answer: str | None) -> bytes:
    """One request."""
    body = json.dumps([gold, answer]).encode()
    return struct.pack(">I", len(body)) + body


def announce(pid: int) -> bytes:
    """What a judging process says before its first verdict."""
    return READY + struct.pack(">I", pid)


def announced(body: bytes) -> int:
    """The process id in an announcement, without its first byte."""
    return int(struct.unpack(">I", body)[0])


def unpack(stream: BinaryIO) -> tuple[str, str | None] | None:
    """The next request (gold, answer), None at the end of the input."""
    header = stream.read(4)
    if len(header) < 4:
        return None
    gold, answer = json.loads(stream.read(struct.unpack(">I", header)[0]))
    return gold, answer
