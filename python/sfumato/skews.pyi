# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "unsafe_d",
    "r_suppression",
    "calibrated",
    "safe_d",
]

def unsafe_d() -> Member:
    """Withholds the fewest records that make the table eligible: a bound for comparison, not private and not published.

    From: l-dichotomy, Section 3.3."""

def r_suppression() -> Member:
    """Lowers the most frequent value to a random level: withholds little more than the bound in most tables, but who computes may believe more than 1/l.

    In a plan: ``method = "r-suppression"``.
    From: l-dichotomy, Section 4."""

def calibrated() -> Member:
    """Puts the most frequent value at one of l places at random: keeps to 1/l whatever is known about frequencies, with the least possible loss.

    In a plan: ``method = "calibrated"``.
    From: this project, docs/guide."""

def safe_d() -> Member:
    """Lowers the l most frequent values to the same number of records: keeps to 1/l, and withholds much.

    In a plan: ``method = "safe-d"``.
    From: l-dichotomy, Section 3.2."""
