"""``python -m gleaner`` and the script ``gleaner``: the command, which ends as the program does."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

from ._command import main


def run() -> NoReturn:
    """Run the command with the arguments of this process, and end the process."""
    received: list[signal.Signals] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        # One that is ignored stays so, as with nohup.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        # The process ends by the signal, so that a shell stops too.
        number = received[-1] if received else signal.SIGINT
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        sys.exit(128 + number)


if __name__ == "__main__":
    run()
