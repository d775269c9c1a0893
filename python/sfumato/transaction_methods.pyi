# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "partial_suppression",
    "global_suppression",
    "tdcontrol",
    "permutation",
]

def partial_suppression(*, objective: Literal["mine", "dist"] | None = ..., t_max: int | Literal["none"] | None = ..., b_max: int | None = ...) -> Member:
    """Deletes items from some of the records that have them: as few as can be, or evenly over all kinds.

    ``objective``: mine: few deletions, rules stay; dist: every kind of item loses about the same share; one of mine, dist (default mine).
    ``t_max``: divide the table while its estimated cost is above this; none: never; a whole number, at least 1, or "none" (default 7000).
    ``b_max``: rules above the limit gathered at a time; a whole number, at least 1 (default 1000000).

    In a plan: ``name = "partial-suppression"; objective = "mine"``.
    From: Jia et al. 2014."""

def global_suppression() -> Member:
    """Deletes kinds of items wherever they occur, until no rule is unsafe.

    In a plan: ``name = "global-suppression"``.
    From: Cao et al. 2010 (SuppressControl)."""

def tdcontrol(taxonomy: str | PathLike[str]) -> Member:
    """Makes items that are not sensitive coarser by a taxonomy and deletes sensitive kinds, from the top down as long as it pays.

    ``taxonomy``: one line per item, then its ancestors; a file.

    In a plan: ``name = "tdcontrol"; taxonomy = "items.txt"``.
    From: Cao et al. 2010 (TDControl)."""

def permutation() -> Member:
    """Groups similar records and publishes sensitive items for groups only; deletes those of records that have no others.

    In a plan: ``name = "permutation"``.
    From: Ghinita et al. 2008 (CAHD)."""
