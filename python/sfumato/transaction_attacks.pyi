# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "sensitive_rules",
]

def sensitive_rules(*, most: int | None = ..., min_support: int | None = ...) -> Member:
    """Lists the most confident rules about sensitive items, and counts the people whose items they disclose.

    ``most``: how many rules are listed; a whole number, at least 1 (default 20).
    ``min_support``: the least number of records that a rule holds for; a whole number, at least 1 (default 1).

    In a plan: ``attack = "sensitive-rules"; most = 5``.
    From: Cao et al. 2010."""
