"""Values of a script as values of a plan."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .errors import PlanError


def plain(value: Any) -> Any:
    """Give a value that JSON can carry. Thresholds stay exact: numbers that are not whole go by their digits."""
    if value is None or isinstance(value, (bool, str)):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind == "b" and not hasattr(value, "__len__"):
        return bool(value)
    if kind == "f" and not isinstance(value, float) and not hasattr(value, "__len__"):
        # A narrower float of numpy: what it prints, not what it is nearest to.
        value = Decimal(str(value))
    if isinstance(value, float):
        # The shortest text that gives the same float: what somebody typed.
        value = Decimal(repr(float(value)))
    if isinstance(value, Decimal):
        return {"$number": format(value, "f")}
    if isinstance(value, Fraction):
        return {"$number": _digits(value)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    try:
        return operator.index(value)
    except TypeError:
        pass
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    if hasattr(value, "__float__"):
        return plain(float(value))
    raise PlanError(f"a plan cannot hold a value of type {type(value).__name__}")


def _digits(value: Fraction) -> str:
    """Write a fraction as a decimal, if it is one."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        digits = max(digits, count)
    if rest != 1:
        raise PlanError(
            "a plan holds decimals, and the fraction is none",
            help="round it to the safe side: Decimal('0.3333')",
        )
    whole = str(abs(value.numerator) * 10**digits // value.denominator).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole)


def names(value: str | Iterable[str] | None) -> list[str]:
    """Give one name, or several, as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)
