# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "auto",
    "incognito",
    "optimal",
    "local_recoding",
    "mondrian",
    "mdav",
    "skyline_anonymize",
    "greedy_grouping",
    "randomized_greedy_grouping",
    "symmetric_grouping",
    "anatomy",
    "base",
]

def auto() -> Member:
    """Takes the method that keeps most information where sizes of groups alone matter, and the next one if it leads to no release.

    In a plan: ``name = "auto"``.
    From: ours."""

def incognito(*, blind: bool | None = ..., budget: int | None = ...) -> Member:
    """All safe choices of levels, the minimal ones, and the best of them for the metric.

    ``blind``: choose what to try by sizes of groups alone, so that sensitive values decide only where it ends: whoever knows the method learns less; true or false (default false).
    ``budget``: the most candidates that are all decided; a whole number, at least 1 (default 10000000).

    In a plan: ``name = "incognito"; budget = 1000000``.
    From: LeFevre et al. 2005."""

def optimal(*, blind: bool | None = ..., budget: int | None = ..., seconds: int | None = ...) -> Member:
    """The best choice of levels for the metric, by predictive tagging and bounds.

    ``blind``: choose what to try by sizes of groups alone, so that sensitive values decide only where it ends: whoever knows the method learns less; true or false (default false).
    ``budget``: the most candidates that are all decided; a whole number, at least 1 (default 10000000).
    ``seconds``: beyond the budget: for how many seconds' work of one core the search improves what it found, counted in steps and not by the clock; 0 to refuse; a whole number, at least 0 (default 10).

    In a plan: ``name = "optimal"; seconds = 30``.
    From: Kohlmayer et al. 2012."""

def local_recoding(*, blind: bool | None = ..., cells: bool | None = ..., anatomize: bool | None = ...) -> Member:
    """Divides groups along the hierarchies as long as all parts are safe: labels on different levels for different records.

    ``blind``: choose what to try by sizes of groups alone, so that sensitive values decide only where it ends: whoever knows the method learns less; true or false (default false).
    ``cells``: publish every cell of a quasi-identifier as it is or as *, whichever loses least: single cells are suppressed; true or false (default false).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "local-recoding"``.
    From: Xu et al. 2006; Fung et al. 2005."""

def mondrian(*, split: Literal["strict", "relaxed"] | None = ..., blind: bool | None = ..., axes: Sequence[object] | None = ..., anatomize: bool | None = ...) -> Member:
    """Cuts groups in two along one quasi-identifier at a time, as long as both sides are safe.

    ``split``: keep records with equal values together, or cut in equal halves, which hides more from those who know the method; one of strict, relaxed (default strict).
    ``blind``: choose what to try by sizes of groups alone, so that sensitive values decide only where it ends: whoever knows the method learns less; true or false (default false).
    ``axes``: for each quasi-identifier in the order of the plan, by what its values are ordered: value, order, hierarchy or frequency; empty for the best that is known; a list of values (may be left out).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "mondrian"; split = "relaxed"``.
    From: LeFevre et al. 2006."""

def mdav(*, size: int | None = ..., chunk: int | None = ..., mend: Literal["merge", "none"] | None = ...) -> Member:
    """Puts records together that are near each other in all quasi-identifiers at once, in groups of equal size (microaggregation).

    ``size``: records of a group; 0 for the fewest that the criteria allow, and at least two; a whole number, at least 0 (default 0).
    ``chunk``: a larger table is halved first, until no part has more records: time grows with their square; a whole number, at least 1 (default 4096).
    ``mend``: merge groups that violate a criterion with the nearest, or have no release then, which tells nothing to those who know the method; one of merge, none (default merge).

    In a plan: ``name = "mdav"; size = 10``.
    From: Domingo-Ferrer and Torra 2005."""

def skyline_anonymize(*, priority: Literal["widest", "information-gain", "round-robin"] | None = ..., target: str | None = ..., axes: Sequence[object] | None = ..., anatomize: bool | None = ..., memory: int | None = ...) -> Member:
    """Cuts groups in two, at any place along any quasi-identifier, as long as all groups together are safe.

    ``priority``: which cuts are tried first: along the widest quasi-identifier, those that are most informative about the target, or along each quasi-identifier in turn; one of widest, information-gain, round-robin (default widest).
    ``target``: for information-gain: the column that it is about; empty for the sensitive column of the first criterion that has one; a text (may be left out).
    ``axes``: for each quasi-identifier in the order of the plan, by what its values are ordered: value, order, hierarchy or frequency; empty for the best that is known; a list of values (may be left out).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).
    ``memory``: megabytes of memory for records, beyond which they are kept in temporary files; counts of values come on top. 0 for no limit; a whole number, at least 0 (default 0).

    In a plan: ``name = "skyline-anonymize"; priority = "widest"``.
    From: Chen, LeFevre and Ramakrishnan 2007."""

def greedy_grouping(*, order: Sequence[object] | None = ..., sort: Literal["lexicographic", "hilbert"] | None = ..., bucket: int | None = ..., anatomize: bool | None = ...) -> Member:
    """Sorts records and closes a group as soon as it is safe; vulnerable to an attacker who knows the method.

    ``order``: quasi-identifiers by priority; those not listed follow, the one with the fewest distinct values first; a list of values (may be left out).
    ``sort``: compare quasi-identifiers one after the other, or follow a Hilbert curve through all of them at once; one of lexicographic, hilbert (default lexicographic).
    ``bucket``: records that are taken at a time; 0 for the l of the criteria (their k, where there is no l); a whole number, at least 0 (default 0).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "greedy-grouping"; bucket = 0``.
    From: Cormode et al. 2010, Section 4."""

def randomized_greedy_grouping(*, p: Number | None = ..., order: Sequence[object] | None = ..., sort: Literal["lexicographic", "hilbert"] | None = ..., bucket: int | None = ..., anatomize: bool | None = ...) -> Member:
    """Greedy grouping in which a safe group goes on with probability p, which blurs what the method discloses.

    ``p``: the chance that a safe group takes one more bucket; 1 would never close a group; a number from 0 and below 1 (default 0.65).
    ``order``: quasi-identifiers by priority; those not listed follow, the one with the fewest distinct values first; a list of values (may be left out).
    ``sort``: compare quasi-identifiers one after the other, or follow a Hilbert curve through all of them at once; one of lexicographic, hilbert (default lexicographic).
    ``bucket``: records that are taken at a time; 0 for the l of the criteria (their k, where there is no l); a whole number, at least 0 (default 0).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "randomized-greedy-grouping"; p = 0.6``.
    From: Cormode et al. 2010, Section 4.3."""

def symmetric_grouping(*, order: Sequence[object] | None = ..., sort: Literal["lexicographic", "hilbert"] | None = ..., anatomize: bool | None = ...) -> Member:
    """Sorts records and halves groups as long as both halves are safe; hardly anything is learnt from the method.

    ``order``: quasi-identifiers by priority; those not listed follow, the one with the fewest distinct values first; a list of values (may be left out).
    ``sort``: compare quasi-identifiers one after the other, or follow a Hilbert curve through all of them at once; one of lexicographic, hilbert (default lexicographic).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "symmetric-grouping"; sort = "hilbert"``.
    From: Cormode et al. 2010, Appendix C.3."""

def anatomy(*, bucket: int | None = ..., anatomize: bool | None = ...) -> Member:
    """Groups of records with l different sensitive values, drawn at random; the method discloses nothing.

    ``bucket``: records that are taken at a time; 0 for the l of the criteria (their k, where there is no l); a whole number, at least 0 (default 0).
    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "anatomy"; bucket = 0``.
    From: Xiao and Tao 2006."""

def base(*, anatomize: bool | None = ...) -> Member:
    """One group of all records: quasi-identifiers and sensitive values independently of each other.

    ``anatomize``: divide every large group once more, by sensitive values alone: smaller groups, as safe; true or false (default false).

    In a plan: ``name = "base"``.
    From: Cormode et al. 2010, Section 5.3."""
