"""How far work is, for whoever waits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

#: What is called now and then: the stage, steps done, all steps if they are known, the best value so far.
Progress = Callable[[str, int, "int | None", "float | None"], None]

#: Work is quiet for so many seconds.
QUIET = 1.0


class Line:
    """A line that moves, once work has taken a second: in a terminal and in a notebook."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.start = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int | None, best: float | None) -> None:
        """Show how far work is."""
        spent = time.monotonic() - self.start
        if spent < QUIET:
            return
        text = f"sfumato: {stage}"
        if total:
            text += f", {min(100.0, 100 * done / total):.0f} %"
        elif done:
            text += f", {done:,} steps"
        if best is not None:
            text += f", best so far {best:.4f}"
        text += f" [{spent:.0f} s]"
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


def usual(wanted: Progress | bool | None) -> Progress | None:
    """Give what follows work: what somebody wants, or a line where people look."""
    if callable(wanted):
        return wanted
    if wanted is False:
        return None
    if wanted is True or sys.stderr.isatty() or _in_notebook():
        return Line()
    return None


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell else None
    return current is not None and type(current).__name__ == "ZMQInteractiveShell"


def close(progress: Progress | None) -> None:
    """End what `usual` gave."""
    if isinstance(progress, Line):
        progress.close()
