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
    "parents",
    "redact",
    "prefix",
    "population",
    "intervals",
    "cuts",
    "dates",
    "fanout",
    "suppress",
]

def file(file: str | PathLike[str]) -> Member:
    """One line per base value, then its generalizations, separated by ; or , (as ARX writes them).

    ``file``: the file, relative to the plan; a file.

    In a plan: ``hierarchy = { file = "country.csv" }``.
    From: Samarati 2001; ARX hierarchy files."""

def parents(parents: str | PathLike[str]) -> Member:
    """A tree from a file with two columns: a category and its parent, separated by ; or ,.

    ``parents``: the file, relative to the plan; a file.

    In a plan: ``hierarchy = { parents = "occupation.csv" }``.
    From: Samarati 2001; parent tables of classifications."""

def redact(redact: int, *, from_: Literal["right", "left"] | None = ...) -> Member:
    """Replace digits or letters by * from one end, one more on each level: 13053, 1305*, 130**, ….

    ``redact``: how many characters may be replaced before the whole value is; a whole number, at least 1.
    ``from_``: the end at which to start; one of right, left (default right).

    In a plan: ``hierarchy = { redact = 5 }``.
    From: Sweeney 2002."""

def prefix(*prefix: Number) -> Member:
    """Codes to their first letters: prefix = [3, 1] gives A15.3, A15*, A*, *.

    ``prefix``: how many characters stay on each level, fewer on each; a list of numbers, each at least 1.

    In a plan: ``hierarchy = { prefix = [3, 1] }``.
    From: classifications by prefix: ICD-10, ISCO, NUTS."""

def population(population: str | PathLike[str], *, at_least: int | None = ..., digits: int | None = ...) -> Member:
    """Postal codes to their first digits where enough people live, else to zeros: 13053, 130** or 000**, *.

    ``population``: a file with two columns, relative to the plan: the first digits, and how many people live there; a file.
    ``at_least``: how many people an area needs; the Safe Harbor rule asks for more than 20,000; a whole number, at least 1 (default 20001).
    ``digits``: how many characters stay; a whole number, at least 1 (default 3).

    In a plan: ``hierarchy = { population = "zip3.csv", at_least = 20001 }``.
    From: HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(B)."""

def intervals(*intervals: Number, origin: Number | None = ..., bottom: Number | None = ..., top: Number | None = ...) -> Member:
    """Numbers to intervals of nested widths: intervals = [5, 10, 20] gives 20-24, 20-29, 20-39, *.

    ``intervals``: widths, each a multiple of the one before; a list of numbers, each above 0.
    ``origin``: where an interval starts; a number (default 0).
    ``bottom``: smaller numbers become one value; a number (may be left out).
    ``top``: numbers from here on become one value; a number (may be left out).

    In a plan: ``hierarchy = { intervals = [5, 10, 20] }``.
    From: Samarati 2001; bottom and top coding: Hundepool et al. 2012."""

def cuts(*cuts: Number, further: Sequence[Number] | None = ...) -> Member:
    """Numbers to ranges between given ones: cuts = [18, 30, 65] gives <18, 18-29, 30-64, >=65, then *.

    ``cuts``: where ranges start, in ascending order; a list of numbers, each at least 0.
    ``further``: cuts that remain on a further level; a list of numbers, each at least 0 (may be left out).

    In a plan: ``hierarchy = { cuts = [18, 30, 65, 80] }``.
    From: unequal ranges; bottom and top coding: Hundepool et al. 2012."""

def dates(*, units: Sequence[object] | None = ...) -> Member:
    """Day, then month, quarter, year, decade; of timestamps also the day.

    ``dates``: must be true; true or false.
    ``units``: the levels to use, finest first: day, month, quarter, year, decade; all but day if none is named; a list of values (may be left out).

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
