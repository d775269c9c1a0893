"""The functions of ``pycanon.anonymity`` and ``pycanon.report`` (1.3.6), measured by ``sfumato.check``.

>>> import pandas as pd
>>> from sfumato.compat import pycanon as anonymity
>>> df = pd.DataFrame({"zip": ["130", "130", "148", "148"], "disease": ["flu", "hiv", "flu", "gout"]})
>>> anonymity.k_anonymity(df, ["zip"])
2
>>> anonymity.alpha_k_anonymity(df, ["zip"], ["disease"])
(0.5, 2)

Parameters mean in every function:

``data``: a pandas frame, or whatever else ``sfumato.check`` reads.
``quasi_ident``: the names of the quasi-identifiers.
``sens_att``: the names of the sensitive attributes. The worst of them counts.
``gen``: with ``False``, the other sensitive attributes are quasi-identifiers too while one is measured.

``inf`` means that no finite parameter holds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, Union

from .. import criteria
from .._api import check, inspect
from .._members import Member
from ..errors import PlanError

if TYPE_CHECKING:
    import numpy

__all__ = [
    "alpha_k_anonymity",
    "basic_beta_likeness",
    "delta_disclosure",
    "enhanced_beta_likeness",
    "entropy_l_diversity",
    "get_json_report",
    "get_report_values",
    "k_anonymity",
    "l_diversity",
    "print_report",
    "recursive_c_l_diversity",
    "t_closeness",
]

#: Names of columns.
Names = Union[Sequence[Any], "numpy.ndarray[Any, Any]"]
#: What every function of a report gives: k, (alpha, k), l, entropy l, (c, l), basic and enhanced beta, delta, t.
Report = tuple[int, tuple[float, int], int, float, tuple[float, int], float, float, float, float]


def k_anonymity(data: Any, quasi_ident: Names) -> int:
    """Measure k: the records of the smallest equivalence class."""
    found = check(_part(data, quasi_ident), quasi=_listed(quasi_ident), require=criteria.k_anonymity(1))
    return int(found["criteria"][0]["measured"])


def alpha_k_anonymity(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> tuple[float, int]:
    """Measure alpha, the largest share of a value in an equivalence class, and k."""
    alpha = max(_one(data, quasi_ident, sens_att, gen, _alpha))
    return alpha, k_anonymity(data, quasi_ident)


def l_diversity(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> int:
    """Measure distinct l: the fewest different values in an equivalence class."""
    return int(min(_one(data, quasi_ident, sens_att, gen, _distinct)))


def entropy_l_diversity(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> float:
    """Measure entropy l, as the number that it is: pycanon truncates it to an integer.

    >>> import pandas as pd
    >>> df = pd.DataFrame({"zip": ["130"] * 5, "disease": ["flu", "flu", "hiv", "hiv", "gout"]})
    >>> round(entropy_l_diversity(df, ["zip"], ["disease"]), 3)
    2.872
    """
    return min(_one(data, quasi_ident, sens_att, gen, _entropy))


def recursive_c_l_diversity(
    data: Any, quasi_ident: Names, sens_att: Names, imp: bool = False, gen: bool = True
) -> tuple[float, int]:
    """Measure recursive (c,l)-diversity: l is the distinct l, and c must be *above* the number given.

    By the definition (Machanavajjhala et al. 2007): the most frequent value of every equivalence class occurs less
    than c times as often as the l-th and rarer ones together. pycanon's c is another number. If l is 1, c is ``nan``;
    with ``imp`` that is printed too.

    >>> import pandas as pd
    >>> df = pd.DataFrame({"zip": ["130"] * 10, "disease": ["flu"] * 8 + ["hiv", "gout"]})
    >>> recursive_c_l_diversity(df, ["zip"], ["disease"])
    (8.0, 3)
    """
    # As in pycanon, l is that of the classes of the quasi-identifiers alone, whatever `gen` says.
    least = l_diversity(data, quasi_ident, sens_att)
    if least <= 1:
        if imp:
            print(f"c for (c,l)-diversity cannot be calculated as l={least}")
        return math.nan, least
    return max(_one(data, quasi_ident, sens_att, gen, _recursive(least))), least


def basic_beta_likeness(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> float:
    """Measure beta: by how much, relatively, the share of a value grows from the table to an equivalence class."""
    return max(_one(data, quasi_ident, sens_att, gen, _basic_beta))


def enhanced_beta_likeness(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> float:
    """Measure beta of enhanced beta-likeness: ``inf`` if a value gains more than -ln of its share in the table.

    No beta is large enough then (Cao and Karras 2012: each gain is at most min(beta, -ln p)). pycanon gives a number.
    """
    return max(_one(data, quasi_ident, sens_att, gen, _enhanced_beta))


def t_closeness(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> float:
    """Measure t: the largest distance of an equivalence class from the table, ordered for numbers, equal for texts."""
    return max(_one(data, quasi_ident, sens_att, gen, _closeness(data)))


def delta_disclosure(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> float:
    """Measure delta: the largest logarithm of a value's share in an equivalence class over that in the table.

    As in pycanon, values that a class lacks are ignored. Their logarithm is infinite, and by the definition no delta
    holds: ``sfumato.delta_disclosure`` has both readings.
    """
    return max(_one(data, quasi_ident, sens_att, gen, _delta))


def get_report_values(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> Report:
    """Measure everything: k, (alpha, k), l, entropy l, (c, l), basic beta, enhanced beta, delta, t."""
    makers = (_alpha, _distinct, _entropy, _basic_beta, _enhanced_beta, _delta, _closeness(data))
    rows = _limits(data, quasi_ident, sens_att, gen, makers)
    alpha, distinct, entropy, basic, enhanced, delta, close = zip(*rows, strict=True)
    k = k_anonymity(data, quasi_ident)
    return (
        k,
        (max(alpha), k),
        int(min(distinct)),
        min(entropy),
        recursive_c_l_diversity(data, quasi_ident, sens_att, gen=gen),
        max(basic),
        max(enhanced),
        max(delta),
        max(close),
    )


def get_json_report(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> str:
    """Write everything as JSON, with pycanon's keys. What has no finite value is ``null``."""
    k, (alpha, alpha_k), least, entropy, (c, c_l), basic, enhanced, delta, close = get_report_values(
        data, quasi_ident, sens_att, gen
    )
    document: dict[str, dict[str, Any]] = {
        "data": {"quasi-identifiers": _listed(quasi_ident), "sensitive attributes": _listed(sens_att)},
        "k_anonymity": {"k": k},
        "alpha_k_anonymity": {"alpha": alpha, "k": alpha_k},
        "l_diversity": {"l": least},
        "entropy_l_diversity": {"l": entropy},
        "recursive_c_l_diversity": {"c": c, "l": c_l},
        "basic_beta_likeness": {"beta": basic},
        "enhanced_beta_likeness": {"beta": enhanced},
        "t_closeness": {"t": close},
        "delta_disclosure": {"delta": delta},
    }
    return json.dumps({name: {key: _finite(value) for key, value in said.items()} for name, said in document.items()})


def print_report(data: Any, quasi_ident: Names, sens_att: Names, gen: bool = True) -> None:
    """Print everything.

    >>> import pandas as pd
    >>> df = pd.DataFrame({"zip": ["130", "130", "148", "148"], "disease": ["flu", "hiv", "flu", "gout"]})
    >>> print_report(df, ["zip"], ["disease"])
    The dataset verifies:
      - k-anonymity with k = 2
      - (alpha,k)-anonymity with alpha = 0.5 and k = 2
      - l-diversity with l = 2
      - entropy l-diversity with l = 2.0
      - (c,l)-diversity with c above 1.0 and l = 2
      - basic beta-likeness with beta = 1.0
      - enhanced beta-likeness with beta = 1.0
      - t-closeness with t = 0.25
      - delta-disclosure privacy with delta = 0.6931471805599453
    """
    k, (alpha, alpha_k), least, entropy, (c, c_l), basic, enhanced, delta, close = get_report_values(
        data, quasi_ident, sens_att, gen
    )
    print(
        "The dataset verifies:",
        f"k-anonymity with k = {k}",
        f"(alpha,k)-anonymity with alpha = {alpha} and k = {alpha_k}",
        f"l-diversity with l = {least}",
        f"entropy l-diversity with l = {entropy}",
        f"(c,l)-diversity with c above {c} and l = {c_l}",
        f"basic beta-likeness with beta = {basic}",
        f"enhanced beta-likeness with beta = {enhanced}",
        f"t-closeness with t = {close}",
        f"delta-disclosure privacy with delta = {delta}",
        sep="\n  - ",
    )


#: Makes a criterion on a column. Its threshold does not matter: the limit is measured.
Maker = Callable[[str], Member]


def _alpha(column: str) -> Member:
    return criteria.alpha_k_anonymity(1, 1, on=column)


def _distinct(column: str) -> Member:
    return criteria.distinct_l_diversity(1, on=column)


def _entropy(column: str) -> Member:
    return criteria.entropy_l_diversity(1, on=column)


def _recursive(least: int) -> Maker:
    return lambda column: criteria.recursive_cl_diversity(1, least, on=column)


def _basic_beta(column: str) -> Member:
    return criteria.beta_likeness(1, variant="basic", on=column)


def _enhanced_beta(column: str) -> Member:
    return criteria.beta_likeness(1, variant="enhanced", on=column)


def _delta(column: str) -> Member:
    return criteria.delta_disclosure(1, absent="ignore", on=column)


def _closeness(data: Any) -> Maker:
    return lambda column: criteria.t_closeness(1, distance=distance(data, column), on=column)


def distance(data: Any, column: str) -> Literal["equal", "ordered"]:
    """Give the distance of t-closeness for a column: ordered for numbers, by pandas' type or else by the values."""
    if type(data).__module__.split(".")[0] == "pandas":
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        kinds = {str(name): kind for name, kind in data.dtypes.items()}
        kind = kinds.get(column, "object")
        return "ordered" if is_numeric_dtype(kind) and not is_bool_dtype(kind) else "equal"
    found = {one["column"]: one["type"] for one in inspect(data)["columns"]}
    return "ordered" if found.get(column) in ("integer", "decimal") else "equal"


def _one(data: Any, quasi_ident: Names, sens_att: Names, gen: bool, maker: Maker) -> list[float]:
    return [row[0] for row in _limits(data, quasi_ident, sens_att, gen, (maker,))]


def _limits(
    data: Any, quasi_ident: Names, sens_att: Names, gen: bool, makers: Sequence[Maker]
) -> list[tuple[float, ...]]:
    """Measure criteria on every sensitive attribute: a row for each attribute."""
    quasi, sensitive = _listed(quasi_ident), _listed(sens_att)
    data = _part(data, [*quasi, *sensitive])
    if gen:
        rounds = [(quasi, sensitive)]
    else:
        rounds = [(quasi + [one for one in sensitive if one != column], [column]) for column in sensitive]
    rows = []
    for known, columns in rounds:
        require = [maker(column) for column in columns for maker in makers]
        found = [_limit(one) for one in check(data, quasi=known, sensitive=columns, require=require)["criteria"]]
        rows += [tuple(found[at : at + len(makers)]) for at in range(0, len(found), len(makers))]
    return rows


def _limit(found: dict[str, Any]) -> float:
    """Give what was measured; infinity where no parameter holds."""
    measured = found["measured"]
    if measured is None:
        return math.nan if found["holds"] else math.inf
    return float(measured)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _part(data: Any, names: Names) -> Any:
    """Give the named columns of a pandas frame alone: what other columns hold does not matter."""
    if type(data).__module__.split(".")[0] != "pandas" or not hasattr(data, "columns"):
        return data
    wanted = set(_listed(names))
    known = {str(name) for name in data.columns}
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        near = get_close_matches(unknown, known, 1)
        raise PlanError(
            f'the table has no column "{unknown}"', help=f'did you mean "{near[0]}"?' if near else "see data.columns"
        )
    return data.loc[:, [str(name) in wanted for name in data.columns]]
