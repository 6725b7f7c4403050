"""The command ``gleaner`` within Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from . import _gleaner

__all__ = ["main"]


def main(argv: Sequence[str | os.PathLike[str]] | None = None) -> int:
    """Run the command ``gleaner`` and return its exit status.

    ``argv`` are its arguments without the name of the program; None are those of this process
    (``sys.argv[1:]``). Results go to standard output, everything else to standard error, as the
    streams of the process are: not to a ``sys.stdout`` that was replaced.

    0: done; 1: done, and the answer is no (an input is missing, a file is damaged); 2: the command
    could not run, and standard error says why.

    Ctrl-C ends ``build``, ``run``, ``train`` and ``eval`` cleanly, with status 2. Of other commands, and the
    second time, it raises KeyboardInterrupt; the command then ends with the process.
    """
    if isinstance(argv, (str, bytes)):
        raise TypeError("argv is a list of arguments, not one string")
    arguments = [os.fspath(argument) for argument in (sys.argv[1:] if argv is None else argv)]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return _gleaner._main(arguments)
