# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "deleted_share",
    "kl",
    "symmetric_kl",
    "rules_jaccard",
    "lost_rules",
    "spurious_rules",
]

def deleted_share() -> Member:
    """The share of all occurrences of items that were deleted.

    In a plan: ``metric = "deleted-share"``.
    From: Jia et al. 2014, equation (2)."""

def kl() -> Member:
    """Divergence of the published frequencies of items from those of the original.

    In a plan: ``metric = "kl"``.
    From: Jia et al. 2014, equation (3)."""

def symmetric_kl() -> Member:
    """Divergence of both frequencies of items, published and original, from their mean.

    In a plan: ``metric = "symmetric-kl"``.
    From: Jia et al. 2014, Section 4.1."""

def rules_jaccard(*, support: Number | None = ..., confidence: Number | None = ..., longest: int | Literal["all"] | None = ...) -> Member:
    """Jaccard similarity of the rules between items that are not sensitive, before and after.

    ``support``: the least share of records that a rule holds for; a number above 0 and at most 1 (default 0.0005).
    ``confidence``: the least confidence of a rule; a number above 0 and at most 1 (default 0.3).
    ``longest``: how many items of a record are read; a whole number, at least 1, or "all" (default all).

    In a plan: ``metric = "rules-jaccard"; support = 0.001``.
    From: Jia et al. 2014, Section 4.1."""

def lost_rules(*, support: Number | None = ..., confidence: Number | None = ..., longest: int | Literal["all"] | None = ...) -> Member:
    """How many rules between items that are not sensitive are lost.

    ``support``: the least share of records that a rule holds for; a number above 0 and at most 1 (default 0.0005).
    ``confidence``: the least confidence of a rule; a number above 0 and at most 1 (default 0.3).
    ``longest``: how many items of a record are read; a whole number, at least 1, or "all" (default all).

    In a plan: ``metric = "lost-rules"; support = 0.001``.
    From: Jia et al. 2014, Section 4.1."""

def spurious_rules(*, support: Number | None = ..., confidence: Number | None = ..., longest: int | Literal["all"] | None = ...) -> Member:
    """How many rules between items that are not sensitive came to be.

    ``support``: the least share of records that a rule holds for; a number above 0 and at most 1 (default 0.0005).
    ``confidence``: the least confidence of a rule; a number above 0 and at most 1 (default 0.3).
    ``longest``: how many items of a record are read; a whole number, at least 1, or "all" (default all).

    In a plan: ``metric = "spurious-rules"; support = 0.001``.
    From: Jia et al. 2014, Section 4.1."""
