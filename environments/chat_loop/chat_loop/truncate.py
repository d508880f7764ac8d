"""Bound one tool result, to the byte as verifiers' chat harnesses do (`truncate_tool_output`, absent in 0.3.1)."""

MAX_BYTES = 20_000
"""UTF-8 bytes of a tool result that enter the conversation."""


def truncate(text: str) -> str:
    """Return `text`, or its head and tail with a note of what was cut when it is over `MAX_BYTES`."""
    # Half a surrogate pair cannot be sent on; it becomes a question mark.
    data = text.encode("utf-8", errors="replace")
    if len(data) <= MAX_BYTES:
        return data.decode("utf-8")
    keep = MAX_BYTES // 2
    head = data[:keep].decode("utf-8", errors="ignore")
    tail = data[-keep:].decode("utf-8", errors="ignore")
    tokens = (len(text) + 3) // 4
    return (
        f"Warning: truncated output (original token count: {tokens})\n"
        f"Total output lines: {text.count(chr(10)) + 1}\n\n"
        f"{head}\n[... {len(data) - 2 * keep} bytes truncated ...]\n{tail}"
    )
