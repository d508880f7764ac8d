"""The one error type that these commands turn into a single line."""

from collections.abc import Generator
from contextlib import contextmanager


class LaunchError(Exception):
    """Something the user can mend: the message names the option, file or command and says what to do."""


@contextmanager
def one_line(command: str) -> Generator[None]:
    """End the program with `command: message` and exit code 1 for a LaunchError, with 130 after a Ctrl-C."""
    try:
        yield
    except LaunchError as error:
        raise SystemExit(f"{command}: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
