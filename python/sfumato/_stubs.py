"""Type stubs of the families, made from the library's own lists: ``python -m sfumato._stubs`` writes them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ._members import documentation, families, python_name, signature

#: The modules that have a constructor for every member, by family.
MODULES = [
    "attacks",
    "criteria",
    "hierarchies",
    "methods",
    "metrics",
    "skews",
    "transaction-attacks",
    "transaction-criteria",
    "transaction-methods",
    "transaction-metrics",
]

_TYPES = {
    "count": "int",
    "number": "Number",
    "values": "Sequence[object]",
    "numbers": "Sequence[Number]",
    "file": "str | PathLike[str]",
    "flag": "bool",
    "text": "str",
    "points": "Sequence[Mapping[str, object]]",
}

_HEAD = """# Made from the library's own lists by `python -m sfumato._stubs`: do not edit.
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import Literal, TypeAlias

from ._members import Member

Number: TypeAlias = int | float | str | Decimal | Fraction

"""


def stub(family: str) -> str:
    """Write the stub of a family's module."""
    members = families()[family]["members"]
    listed = "".join(f'    "{python_name(member["name"])}",\n' for member in members)
    return f"{_HEAD}__all__ = [\n{listed}]\n" + "".join(_function(family, member) for member in members)


def _function(family: str, member: dict[str, Any]) -> str:
    shape = signature(family, member)
    required = [f"{python_name(one['name'])}: {_type(one)}" for one in shape.required]
    optional = [f"{python_name(one['name'])}: {_type(one)} | None = ..." for one in shape.optional]
    if shape.has_columns:
        optional.append("on: str | Sequence[str] | None = ...")
    if shape.gathered:
        of = "Number" if shape.gathered["shape"] == "numbers" else "object"
        params = [f"*{python_name(shape.gathered['name'])}: {of}", *required, *optional]
    else:
        params = [*required, *(["*", *optional] if optional else [])]
    said = documentation(member).replace("\\", "\\\\").replace("\n", "\n    ").replace("\n    \n", "\n\n")
    head = f"def {python_name(member['name'])}({', '.join(params)}) -> Member:"
    return f'\n{head}\n    """{said}"""\n'


def _type(param: dict[str, Any]) -> str:
    words = ", ".join(f'"{word}"' for word in param["choices"])
    if param["shape"] == "choice":
        return f"Literal[{words}]"
    return _TYPES[param["shape"]] + (f" | Literal[{words}]" if words else "")


def path(family: str) -> Path:
    """Say where a family's stub is."""
    return Path(__file__).parent / f"{family.replace('-', '_')}.pyi"


def write() -> None:
    """Write all stubs."""
    for family in MODULES:
        path(family).write_text(stub(family), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.stdout.write(f"{len(MODULES)} stubs\n")
