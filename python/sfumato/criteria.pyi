# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

__all__ = [
    "k_anonymity",
    "alpha_k_anonymity",
    "distinct_l_diversity",
    "frequency_l_diversity",
    "entropy_l_diversity",
    "recursive_cl_diversity",
    "pd_recursive_cl_diversity",
    "npd_recursive_cl_diversity",
    "entropy_l_diversity_dont_care",
    "multi_attribute_distinct_l_diversity",
    "multi_attribute_frequency_l_diversity",
    "multi_attribute_entropy_l_diversity",
    "multi_attribute_recursive_cl_diversity",
    "t_closeness",
    "delta_disclosure",
    "beta_likeness",
    "bayes_optimal",
    "ck_safety",
    "skyline",
]

def k_anonymity(k: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """Every group has at least k records.

    ``k``: the smallest group allowed; a whole number, at least 1.

    In a plan: ``criterion = "k-anonymity"; k = 5``.
    From: Samarati 2001; Sweeney 2002."""

def alpha_k_anonymity(alpha: Number, k: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """Every group has at least k records, and no sensitive value more than the share alpha of them.

    ``alpha``: the largest share of a value; a number above 0 and at most 1.
    ``k``: the smallest group allowed; a whole number, at least 1.

    In a plan: ``criterion = "alpha-k-anonymity"; alpha = 0.5; k = 3``.
    From: Wong et al. 2006."""

def distinct_l_diversity(l: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """Every group has at least l different sensitive values.

    ``l``: how many values every group has; a whole number, at least 1.

    In a plan: ``criterion = "distinct-l-diversity"; l = 2``.
    From: Machanavajjhala et al. 2007."""

def frequency_l_diversity(l: Number, *, on: str | Sequence[str] | None = ...) -> Member:
    """No sensitive value has more than one in l of the records of a group.

    ``l``: no value has more than one in l of a group; a number at least 1.

    In a plan: ``criterion = "frequency-l-diversity"; l = 2``.
    From: Xiao and Tao 2006; Wong et al. 2006."""

def entropy_l_diversity(l: Number, *, on: str | Sequence[str] | None = ...) -> Member:
    """The sensitive values of every group have at least the entropy of l equally frequent ones.

    ``l``: the number of equally frequent values with the entropy wanted; a number at least 1.

    In a plan: ``criterion = "entropy-l-diversity"; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.1."""

def recursive_cl_diversity(c: Number, l: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """In every group the most frequent value occurs less than c times as often as the l-th and rarer ones together.

    ``c``: the most frequent value stays below c times the tail; a number above 0.
    ``l``: where the tail starts; a whole number, at least 1.

    In a plan: ``criterion = "recursive-cl-diversity"; c = 3; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.2."""

def pd_recursive_cl_diversity(c: Number, l: int, *, dont_care: Sequence[object] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """Recursive (c,l)-diversity in which some values may be disclosed.

    ``c``: the most frequent value stays below c times the tail; a number above 0.
    ``l``: where the tail starts; a whole number, at least 1.
    ``dont_care``: values that may be disclosed; a list of values (may be left out).

    In a plan: ``criterion = "pd-recursive-cl-diversity"; c = 2; l = 2; dont_care = ["flu"]``.
    From: Machanavajjhala et al. 2007, Definition 4.3."""

def npd_recursive_cl_diversity(c1: Number, c2: Number, l: int, *, dont_care: Sequence[object] | None = ..., keep: Sequence[object] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """pd-recursive (c1,l)-diversity, and every value of `keep` has at least c2 percent of every group.

    ``c1``: the most frequent value stays below c times the tail; a number above 0.
    ``c2``: the least percentage of each value of `keep`; a number from 0 to 100.
    ``l``: where the tail starts; a whole number, at least 1.
    ``dont_care``: values that may be disclosed; a list of values (may be left out).
    ``keep``: values that nobody may be known not to have; a list of values (may be left out).

    In a plan: ``criterion = "npd-recursive-cl-diversity"; c1 = 3; c2 = 5; l = 2; keep = ["cancer"]``.
    From: Machanavajjhala et al. 2007, Definition 4.4."""

def entropy_l_diversity_dont_care(l: Number, *, dont_care: Sequence[object] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """Entropy l-diversity in which some values may be disclosed (adjusted entropy).

    ``l``: the number of equally frequent values with the entropy wanted; a number at least 1.
    ``dont_care``: values that may be disclosed; a list of values (may be left out).

    In a plan: ``criterion = "entropy-l-diversity-dont-care"; l = 2; dont_care = ["flu"]``.
    From: Machanavajjhala et al. 2007, Definition 4.5."""

def multi_attribute_distinct_l_diversity(l: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """Distinct l-diversity of every sensitive column, the others being known.

    ``l``: how many values every group has; a whole number, at least 1.

    In a plan: ``criterion = "multi-attribute-distinct-l-diversity"; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.6."""

def multi_attribute_frequency_l_diversity(l: Number, *, on: str | Sequence[str] | None = ...) -> Member:
    """Frequency l-diversity of every sensitive column, the others being known.

    ``l``: no value has more than one in l of a group; a number at least 1.

    In a plan: ``criterion = "multi-attribute-frequency-l-diversity"; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.6."""

def multi_attribute_entropy_l_diversity(l: Number, *, on: str | Sequence[str] | None = ...) -> Member:
    """Entropy l-diversity of every sensitive column, the others being known.

    ``l``: the number of equally frequent values with the entropy wanted; a number at least 1.

    In a plan: ``criterion = "multi-attribute-entropy-l-diversity"; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.6."""

def multi_attribute_recursive_cl_diversity(c: Number, l: int, *, on: str | Sequence[str] | None = ...) -> Member:
    """Recursive (c,l)-diversity of every sensitive column, the others being known.

    ``c``: the most frequent value stays below c times the tail; a number above 0.
    ``l``: where the tail starts; a whole number, at least 1.

    In a plan: ``criterion = "multi-attribute-recursive-cl-diversity"; c = 3; l = 2``.
    From: Machanavajjhala et al. 2007, Definition 4.6."""

def t_closeness(t: Number, *, distance: Literal["equal", "ordered", "hierarchical"] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """The sensitive values of every group are distributed as in the whole table, up to distance t.

    ``t``: the largest distance; a number from 0 to 1.
    ``distance``: how far values are apart; one of equal, ordered, hierarchical (default equal).

    In a plan: ``criterion = "t-closeness"; t = 0.3``.
    From: Li et al. 2007."""

def delta_disclosure(delta: Number, *, absent: Literal["breach", "ignore"] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """The share of every sensitive value in every group is within a factor e^delta of its share in the table.

    ``delta``: bound on the logarithm of the ratio; a number above 0.
    ``absent``: what a value means that a group lacks; one of breach, ignore (default breach).

    In a plan: ``criterion = "delta-disclosure"; delta = 1.5``.
    From: Brickell and Shmatikov 2008."""

def beta_likeness(beta: Number, *, variant: Literal["basic", "enhanced"] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """No sensitive value's share in a group exceeds its share in the table by more than the factor 1 + beta.

    ``beta``: the largest relative gain; a number above 0.
    ``variant``: whether frequent values are bounded more tightly; one of basic, enhanced (default basic).

    In a plan: ``criterion = "beta-likeness"; beta = 2``.
    From: Cao and Karras 2012."""

def bayes_optimal(rho1: Number, rho2: Number, *, joint: str | PathLike[str] | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """No belief of an attacker who knows the joint distribution rises from below rho1 to above rho2, or falls likewise.

    ``rho1``: prior beliefs below this are low; a number from 0 to 1.
    ``rho2``: beliefs above this are high; a number from 0 to 1.
    ``joint``: the joint distribution: a file, or estimated from the table; a file, or "table" (default table).

    In a plan: ``criterion = "bayes-optimal"; rho1 = 0.3; rho2 = 0.6``.
    From: Machanavajjhala et al. 2007, Theorem 3.1 and Definition 3.3."""

def ck_safety(k: int, c: Number, *, on: str | Sequence[str] | None = ...) -> Member:
    """Attackers who know k implications between people's values stay below a confidence.

    ``k``: how many implications are known; a whole number, at least 0.
    ``c``: the confidence that is not reached; a number above 0 and at most 1.

    In a plan: ``criterion = "ck-safety"; k = 1; c = 0.9``.
    From: Martin, Kifer, Machanavajjhala, Gehrke and Halpern 2007."""

def skyline(points: Sequence[Mapping[str, object]], *, case: Literal["svpi", "set", "multiset"] | None = ..., person: str | None = ..., separator: str | None = ..., on: str | Sequence[str] | None = ...) -> Member:
    """Attackers who know l things about a person, k others and m of the family stay below a confidence.

    ``points``: what may be known, and the confidence that it must not lead to; a point without a value is for all that no point names; a list such as [{ value = "AIDS", l = 1, k = 5, m = 2, c = "0.5" }].
    ``case``: how many sensitive values a person has: one, a set, or a multiset; one of svpi, set, multiset (default svpi).
    ``person``: for sets and multisets: the column that says whose record it is; a text (may be left out).
    ``separator``: for sets and multisets in one cell: what stands between values; a text (may be left out).

    In a plan: ``criterion = "skyline"; points = [{ l = 1, k = 1, m = 1, c = "0.9" }]``.
    From: Chen, LeFevre and Ramakrishnan 2007."""
