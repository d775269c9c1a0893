# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "file",
    "redact",
    "intervals",
    "dates",
    "fanout",
    "suppress",
]

def file(file: str | PathLike[str]) -> Member:
    """One line per base value, then its generalizations, separated by ; or , (as ARX writes them).

    ``file``: the file, relative to the plan; a file.

    In a plan: ``hierarchy = { file = "country.csv" }``.
    From: Samarati 2001; ARX hierarchy files."""

def redact(redact: int, *, from_: Literal["right", "left"] | None = ...) -> Member:
    """Replace digits or letters by * from one end, one more on each level: 13053, 1305*, 130**, ….

    ``redact``: how many characters may be replaced before the whole value is; a whole number, at least 1.
    ``from_``: the end at which to start; one of right, left (default right).

    In a plan: ``hierarchy = { redact = 5 }``.
    From: Sweeney 2002."""

def intervals(*intervals: Number, origin: Number | None = ..., bottom: Number | None = ..., top: Number | None = ...) -> Member:
    """Numbers to intervals of nested widths: intervals = [5, 10, 20] gives 20-24, 20-29, 20-39, *.

    ``intervals``: widths, each a multiple of the one before; a list of numbers, each above 0.
    ``origin``: where an interval starts; a number (default 0).
    ``bottom``: smaller numbers become one value; a number (may be left out).
    ``top``: numbers from here on become one value; a number (may be left out).

    In a plan: ``hierarchy = { intervals = [5, 10, 20] }``.
    From: Samarati 2001; bottom and top coding: Hundepool et al. 2012."""

def dates(*, units: Sequence[object] | None = ...) -> Member:
    """Day, then month, quarter, year, decade; dates are YYYY-MM-DD.

    ``dates``: must be true; true or false.
    ``units``: the levels to use, finest first; all if none is named; a list of values (may be left out).

    In a plan: ``hierarchy = { dates = true }``.
    From: the calendar."""

def fanout(*fanout: Number) -> Member:
    """Join neighbours in the column's order, so many at a time on each level: fanout = [3, 2].

    ``fanout``: how many values of the level below are joined on each level; a list of numbers, each at least 2.

    In a plan: ``hierarchy = { fanout = [3, 2] }``.
    From: LeFevre et al. 2006 (ordered domains)."""

def suppress() -> Member:
    """Keep the value or replace it by *.

    ``suppress``: must be true; true or false.

    In a plan: ``hierarchy = { suppress = true }``.
    From: Samarati 2001."""
