# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "rho_uncertainty",
]

def rho_uncertainty(rho: Number, *, known: int | Literal["all"] | None = ..., empty: bool | None = ..., strict: bool | None = ...) -> Member:
    """No sensitive item follows from other items of a record with more confidence than rho.

    ``rho``: the highest confidence allowed; a number above 0 and at most 1.
    ``known``: how many items of a person somebody knows at most; a whole number, at least 1, or "all" (default all).
    ``empty``: whether the share of an item among all records counts too; true or false (default false).
    ``strict``: whether confidence must be below rho; true or false (default false).

    In a plan: ``criterion = "rho-uncertainty"; rho = 0.7``.
    From: Cao et al. 2010."""
