"""What can go wrong, by who must act.

Every exception has the library's stable ``code`` (such as ``"gate/attack-limit"``), and ``help`` where something can
be done about it. No message quotes a cell of the data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

__all__ = [
    "AttackLimit",
    "CouldMeet",
    "DataError",
    "FileError",
    "Infeasible",
    "InternalError",
    "PlanError",
    "Refused",
    "ResourceError",
    "SfumatoError",
]


@dataclass(frozen=True)
class CouldMeet:
    """A criterion that no release satisfies, and the strictest parameter that could be met."""

    criterion: str
    on: tuple[str, ...]
    best: float | None


class SfumatoError(Exception):
    """What every error of sfumato is."""

    code: str = "internal"
    help: str | None = None
    file: str | None = None
    line: int | None = None

    def __init__(self, message: str, *, help: str | None = None, code: str | None = None) -> None:  # noqa: A002
        super().__init__(message)
        self.message = message
        self.help = help
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.message}" + (f"\n  help: {self.help}" if self.help else "")


class PlanError(SfumatoError, ValueError):
    """What was asked for is wrong: its author must change it."""

    code = "plan"


class DataError(SfumatoError, ValueError):
    """The data is wrong: whoever delivered it must mend it."""

    code = "data"


class Infeasible(SfumatoError):
    """No release satisfies what is required.

    ``could_meet`` says what of it could be met, criterion by criterion, where that is known.
    """

    code = "infeasible"
    could_meet: tuple[CouldMeet, ...] = ()


class Refused(SfumatoError):
    """A release failed its attack gate or its verification: nothing was published."""

    code = "gate"


class AttackLimit(Refused):
    """An attack reached more than its limit."""

    code = "gate/attack-limit"


class ResourceError(SfumatoError, MemoryError):
    """The machine is too small for the job as asked."""

    code = "resources"


class FileError(SfumatoError, OSError):
    """Reading or writing failed."""

    code = "io"


class InternalError(SfumatoError):
    """A defect of sfumato."""

    code = "internal"


_BY_FAULT: dict[str, type[SfumatoError]] = {
    "plan": PlanError,
    "data": DataError,
    "infeasible": Infeasible,
    "gate": Refused,
    "resources": ResourceError,
    "io": FileError,
    "internal": InternalError,
    "cancelled": InternalError,
}


#: Words of the command line and of plan files, as they are called here.
_WORDS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\[gate\] attacks = \"report\"", "refuse=False"),
    (r"\[release\] max_suppressed", "max_suppressed=…"),
    (r"\[release\] form = (\"\w+\")", r"form=\1"),
    (r"\[skew\] method = (\"[\w-]+\")", r"skew=\1"),
    (r"add \[\[require\]\] sections", "name criteria: require=[…]"),
    (r"`sfumato list ([\w-]+)`", lambda found: f"sfumato.{found[1].replace('-', '_')}"),
    (r"`sfumato (init) DATA`", "sfumato.Plan.draft(data)"),
    (r"`sfumato (\w+)`", r"sfumato.\1"),
    (r"choose another --out; nothing", "choose another place; nothing"),
    (r"choose another --out, or", "choose another place, or"),
    (r"insensitive = \"drop\" under \[release\]", "drop_insensitive=True"),
    (r"\[release\] insensitive = \{ accept = (\[[^\]]*\]) \}", r"accept=\1"),
    (r"\[skew\] in the plan", "skew=…"),
    (r"`sfumato inspect --plan PLAN --eligibility \d+`", "sfumato.measure"),
    (r"does the file start with a line of names\?", "see the frame's columns"),
    (r"--replace", "replace=True"),
    (r"--seal or --key", "seal=… or key=…"),
    # Nobody knows the file that a hierarchy given by value was put into.
    (r"\S*sfumato-plan-[^/\\\s]+[/\\]hierarchy-\S*?\.csv", "the hierarchy"),
]


def _in_python(text: str) -> str:
    """Say in Python's words what is said in those of the command line."""
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    return text


def _from_native(
    fault: str,
    code: str,
    message: str,
    help: str | None,  # noqa: A002
    file: str | None,
    line: int | None,
    could_meet: list[tuple[str, list[str], str | None]],
) -> SfumatoError:
    """Make the exception for an error of the library."""
    kind = AttackLimit if code == AttackLimit.code else _BY_FAULT[fault]
    error = kind(_in_python(message), help=None if help is None else _in_python(help), code=code)
    error.file, error.line = file, line
    if file and PurePath(file).parent.name.startswith("sfumato-plan-"):
        error.file, error.line = None, None
        error.message = f"the hierarchy of a column ({PurePath(file).stem}): {error.message}"
    if isinstance(error, Infeasible):
        error.could_meet = tuple(
            CouldMeet(criterion, tuple(on), None if best is None else float(best)) for criterion, on, best in could_meet
        )
    return error
