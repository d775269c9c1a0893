"""The functions of ``anjana.anonymity`` (1.2.3), made by ``sfumato.publish``.

>>> import pandas as pd
>>> from sfumato.compat.anjana import generate_intervals, k_anonymity
>>> df = pd.DataFrame({"name": list("ABCDEF"), "age": [21, 22, 23, 31, 32, 33],
...                    "disease": ["flu", "hiv", "flu", "gout", "flu", "hiv"]})
>>> hierarchies = {"age": {0: df["age"].values, 1: generate_intervals(df["age"].values, 0, 100, 10)}}
>>> published = k_anonymity(df, ["name"], ["age"], 3, 0, hierarchies)
>>> sorted(published["age"].unique())
['[20, 30)', '[30, 40)']
>>> list(published.columns)
['age', 'disease']

Parameters mean in every function:

``data``: a pandas frame.
``ident``: the identifiers. They are left out.
``quasi_ident``: the quasi-identifiers.
``sens_att``: the sensitive attribute.
``k``: the smallest equivalence class allowed.
``supp_level``: how many records may be suppressed, in percent.
``hierarchies``: for each quasi-identifier the labels of its values by level, ``{0: values, 1: labels, …}``, value by
value. One without a hierarchy is kept or replaced by ``*``.

As in anjana, all values of a column are published on one level, and other columns as they stand. If there is no such
release, an error says why: ``sfumato.Infeasible`` or ``sfumato.Refused``. ``sfumato.publish`` gives the release with
its report and certificate, and has more methods.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Union

from .. import criteria, methods
from .. import hierarchies as kinds
from .._api import publish
from .._members import Member
from ..errors import PlanError
from .pycanon import distance

if TYPE_CHECKING:
    import numpy
    import pandas

__all__ = [
    "alpha_k_anonymity",
    "basic_beta_likeness",
    "delta_disclosure",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "generate_intervals",
    "k_anonymity",
    "l_diversity",
    "recursive_c_l_diversity",
    "t_closeness",
]

#: Names of columns.
Names = Union[Sequence[Any], "numpy.ndarray[Any, Any]"]
#: For each column its labels by level.
Hierarchies = Mapping[Any, Mapping[int, Iterable[Any]]]
#: A number that is meant exactly as it is written.
Number = int | float


def k_anonymity(
    data: pandas.DataFrame, ident: Names, quasi_ident: Names, k: int, supp_level: Number, hierarchies: Hierarchies
) -> pandas.DataFrame:
    """Publish a table in which every equivalence class has at least k records."""
    return _published(data, ident, quasi_ident, None, supp_level, hierarchies, criteria.k_anonymity(k))


def alpha_k_anonymity(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    alpha: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with (alpha,k)-anonymity: no value has more than the share alpha of an equivalence class."""
    wanted = criteria.alpha_k_anonymity(alpha, k, on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, wanted)


def l_diversity(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    l_div: int,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and distinct l-diversity."""
    wanted = criteria.distinct_l_diversity(l_div, on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def entropy_l_diversity(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    l_div: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and entropy l-diversity."""
    wanted = criteria.entropy_l_diversity(l_div, on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def recursive_c_l_diversity(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    c: Number,
    l_div: int,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and recursive (c,l)-diversity, by its definition: smaller c are stricter."""
    wanted = criteria.recursive_cl_diversity(c, l_div, on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def t_closeness(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    t: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and t-closeness: ordered for numbers, equal distances for texts."""
    wanted = criteria.t_closeness(t, distance=distance(data, str(sens_att)), on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def basic_beta_likeness(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    beta: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and basic beta-likeness."""
    wanted = criteria.beta_likeness(beta, variant="basic", on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def enhanced_beta_likeness(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    beta: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and enhanced beta-likeness."""
    wanted = criteria.beta_likeness(beta, variant="enhanced", on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def delta_disclosure(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str,
    k: int,
    delta: Number,
    supp_level: Number,
    hierarchies: Hierarchies,
) -> pandas.DataFrame:
    """Publish a table with k-anonymity and delta-disclosure privacy; values that a class lacks are ignored."""
    wanted = criteria.delta_disclosure(delta, absent="ignore", on=str(sens_att))
    return _published(data, ident, quasi_ident, sens_att, supp_level, hierarchies, criteria.k_anonymity(k), wanted)


def generate_intervals(quasi_ident: Iterable[Any], inf: Number, sup: Number, step: int) -> list[str]:
    """Give the interval of each number: from ``inf`` on, ``step`` wide, without its upper end.

    anjana puts a number on a boundary into the interval below, which does not hold it.

    >>> generate_intervals([19, 20, 24], 0, 100, 5)
    ['[15, 20)', '[20, 25)', '[20, 25)']
    """
    found = []
    for number in quasi_ident:
        if not inf <= number <= sup:
            raise PlanError(f"a number is not between {inf} and {sup}", help="widen `inf` and `sup`")
        low = inf + int((number - inf) // step) * step
        found.append(f"[{low}, {low + step})")
    return found


def _published(
    data: pandas.DataFrame,
    ident: Names,
    quasi_ident: Names,
    sens_att: str | None,
    supp_level: Number,
    hierarchies: Hierarchies,
    *require: Member,
) -> pandas.DataFrame:
    identifiers, quasi = [str(name) for name in ident], [str(name) for name in quasi_ident]
    sensitive = [] if sens_att is None else [str(sens_att)]
    rest = [str(name) for name in data.columns if str(name) not in {*identifiers, *quasi, *sensitive}]
    if rest:
        listed = ", ".join(f'"{name}"' for name in rest)
        warnings.warn(f"published as they stand, and protected by no criterion: {listed}", stacklevel=3)
    by_name = {str(name): levels for name, levels in hierarchies.items()}
    release = publish(
        data,
        quasi={name: _hierarchy(data, name, by_name[name]) if name in by_name else kinds.suppress() for name in quasi},
        sensitive=sensitive,
        identifiers=identifiers,
        insensitive=rest,
        accept=rest,
        require=require,
        method=methods.optimal(),
        # A percentage, exactly as it is written.
        max_suppressed=Fraction(str(supp_level)) / 100,
        show_suppressed=False,
        record=False,
    )
    frame = release.table.to_pandas()
    plain = {name: frame[name].cat.categories.dtype for name in frame.select_dtypes("category").columns}
    return frame.astype(plain)


def _hierarchy(data: pandas.DataFrame, name: str, levels: Mapping[int, Iterable[Any]]) -> dict[str, list[str]]:
    """Give the labels of each value, starting at the first level that has all values of the column."""
    columns: list[list[str | None]] = [[_text(label) for label in levels[level]] for level in sorted(levels)]
    if len({len(column) for column in columns}) > 1:
        raise PlanError(f'the levels of the hierarchy of "{name}" differ in length', help="give a label to every value")
    values = next((column for label, column in data.items() if str(label) == name), ())
    present = {_text(value) for value in set(values)} - {None}
    for base in range(len(columns)):
        if present <= set(columns[base]):
            # A missing value is generalized to the top, which therefore must be a label that is true of it.
            top = [] if set(columns[-1]) == {"*"} else [["*"] * len(columns[0])]
            return _chains(name, [*columns[base:], *top])
    raise PlanError(f'column "{name}" has values that its hierarchy lacks', help="list all of them on level 0")


def _chains(name: str, columns: Sequence[Sequence[str | None]]) -> dict[str, list[str]]:
    parents: dict[tuple[int, str], str] = {}
    found: dict[str, list[str]] = {}
    for row in zip(*columns, strict=True):
        labels = [label for label in row if label is not None]
        if row[0] is None:
            continue
        if len(labels) < len(row):
            raise PlanError(f'the hierarchy of "{name}" has missing labels', help="give a label to every value")
        for level, (label, parent) in enumerate(pairwise(labels)):
            if parents.setdefault((level, label), parent) != parent:
                raise PlanError(
                    f'the hierarchy of "{name}" generalizes one label of level {level} in two ways',
                    help="a label has one parent",
                )
        found[labels[0]] = labels[1:]
    return found


def _text(value: Any) -> str | None:
    """Write a value as a table has it; ``None`` if it is missing. Whole numbers have no point."""
    if value is None or value != value or str(value) == "<NA>":  # noqa: PLR0124
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
