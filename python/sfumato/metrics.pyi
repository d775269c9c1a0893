# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "height",
    "precision",
    "loss",
    "non_uniform_entropy",
    "discernibility",
    "discernibility_star",
    "average_group_size",
    "kl_divergence",
    "suppressed_share",
]

def height() -> Member:
    """Sum of the levels of all quasi-identifiers.

    In a plan: ``metric = "height"``.
    From: Samarati 2001."""

def precision() -> Member:
    """Mean share of the way up the hierarchies, suppressed records counting as all the way.

    In a plan: ``metric = "precision"``.
    From: Sweeney 2002."""

def loss(*, mean: Literal["geometric", "arithmetic"] | None = ...) -> Member:
    """Share of each hierarchy that stands under the published values, suppressed records counting in full.

    ``mean``: how quasi-identifiers are put together; one of geometric, arithmetic (default geometric).

    In a plan: ``metric = { name = "loss", mean = "geometric" }``.
    From: Iyengar 2002."""

def non_uniform_entropy() -> Member:
    """Bits needed to restore the original values, over all records and quasi-identifiers.

    In a plan: ``metric = "non-uniform-entropy"``.
    From: Gionis and Tassa 2009."""

def discernibility() -> Member:
    """Squared sizes of kept groups, plus all records for every suppressed one.

    In a plan: ``metric = "discernibility"``.
    From: Bayardo and Agrawal 2005."""

def discernibility_star() -> Member:
    """Squared sizes of all groups, suppressed or not.

    In a plan: ``metric = "discernibility-star"``.
    From: LeFevre et al. 2006."""

def average_group_size() -> Member:
    """Records over kept groups, the suppressed ones counting as one group.

    In a plan: ``metric = "average-group-size"``.
    From: LeFevre et al. 2006."""

def kl_divergence() -> Member:
    """Divergence between the table's joint distribution and the one that the release suggests.

    In a plan: ``metric = "kl-divergence"``.
    From: Kifer and Gehrke 2006."""

def suppressed_share() -> Member:
    """Share of the records that were suppressed.

    In a plan: ``metric = "suppressed-share"``.
    From: Samarati 2001."""
