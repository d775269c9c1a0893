# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "linkage",
    "homogeneity",
    "background_knowledge",
    "definetti",
    "demographic",
    "minimality",
    "eligibility",
]

def linkage(*, register: str | PathLike[str] | None = ...) -> Member:
    """Measures the chance to pick a person's record by her quasi-identifiers.

    ``register``: the people the attacker knows of: a file, or those of the original; a file, or "original" (default original).

    In a plan: ``attack = "linkage"``.
    From: Samarati 2001; El Emam and Dankar 2008."""

def homogeneity(*, threshold: Number | None = ...) -> Member:
    """Counts people in groups in which one sensitive value has nearly all of the records.

    ``threshold``: the share of one value that makes a group homogeneous; a number above 0 and at most 1 (default 1).

    In a plan: ``attack = "homogeneity"; threshold = 0.95``.
    From: Machanavajjhala et al. 2007, Section 1.1."""

def background_knowledge(*, eliminate: int | None = ..., others: int | None = ..., family: int | None = ..., above: Number | None = ...) -> Member:
    """Measures belief of somebody who knows values that a person does not have, other people and relatives.

    ``eliminate``: how many values are known that the person does not have; a whole number, at least 0 (default 1).
    ``others``: how many other people's values are known; a whole number, at least 0 (default 0).
    ``family``: how many relatives are known, none of whom has the value unless the person has it; a whole number, at least 0 (default 0).
    ``above``: the belief above which people are counted; a number from 0 to 1 (default 0.5).

    In a plan: ``attack = "background-knowledge"; eliminate = 2; others = 1; family = 1``.
    From: Machanavajjhala et al. 2007, Sections 1.1 and 4; Chen et al. 2007."""

def definetti() -> Member:
    """Learns from the release how sensitive values depend on quasi-identifiers, and guesses within groups.

    In a plan: ``attack = "definetti"``.
    From: Kifer 2009."""

def demographic() -> Member:
    """Measures belief once it is known how sensitive values depend on each quasi-identifier.

    In a plan: ``attack = "demographic"``.
    From: Machanavajjhala et al. 2007, Theorem 3.1."""

def minimality(*, budget: int | None = ..., samples: int | None = ...) -> Member:
    """Measures belief once it is known how the method works, by counting the worlds in which it would have published the same.

    ``budget``: the most steps from state to state that are counted for a group; 200 times as many where one value matters; a whole number, at least 0 (default 10000).
    ``samples``: how many worlds are drawn at first for a group where the budget is not enough; then more, as long as that decides nothing and the attack has not taken the steps that it may for so many records; a whole number, at least 1 (default 2000).

    In a plan: ``attack = "minimality"``.
    From: Wong et al. 2007; Cormode et al. 2010."""

def eligibility() -> Member:
    """Computes how surely an attacker who knows how records were withheld infers which value was the most frequent.

    In a plan: ``attack = "eligibility"``.
    From: l-dichotomy, Section 1.2."""
