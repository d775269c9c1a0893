"""Constructors of criteria, methods, attacks, metrics and hierarchies.

None is typed by hand: names, signatures and documentation come from the library's own lists, and so do the type stubs
beside this file (``python -m sfumato._stubs`` writes them anew).
"""

from __future__ import annotations

import inspect
import json
import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from . import _native


@dataclass(frozen=True)
class Member:
    """A member of a family with its parameters, as a plan has it."""

    family: str
    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        params = ", ".join(f"{key}={value!r}" for key, value in self.params.items())
        return f"{python_name(self.name)}({params})"

    def named(self, key: str) -> dict[str, Any]:
        """Give the keys of a plan's section, in which ``key`` names the member."""
        return {key: self.name, **self.params}


@cache
def families() -> dict[str, Any]:
    """Give every family with its members, as the library lists them."""
    listed: dict[str, Any] = json.loads(_native.members())
    return listed


def python_name(name: str) -> str:
    """Give a member's name as Python writes names."""
    plain_name = name.replace("-", "_")
    return f"{plain_name}_" if keyword.iskeyword(plain_name) else plain_name


def find(family: str, name: str) -> Member:
    """Give a member by its name, with the usual parameters."""
    known = [member["name"] for member in families()[family]["members"]]
    return Member(family, name.replace("_", "-") if name not in known else name)


def with_parameter(family: str, **params: Any) -> Member:
    """Give the first member of a family that has these parameters."""
    for member in families()[family]["members"]:
        if set(params) <= {param["name"] for param in member["params"]}:
            return Member(family, member["name"], params)
    raise LookupError(f"no member of {family} has the parameters {', '.join(params)}")


@dataclass(frozen=True)
class Signature:
    """How a member's constructor is called."""

    #: Parameters that must be given, first to last.
    required: tuple[dict[str, Any], ...]
    #: Parameters that may be left out.
    optional: tuple[dict[str, Any], ...]
    #: The parameter that takes all positional arguments.
    gathered: dict[str, Any] | None
    #: The parameter that must be true, and so goes without saying.
    implied: str | None
    #: Whether columns can be named.
    has_columns: bool


def signature(family: str, member: dict[str, Any]) -> Signature:
    """Say how a member's constructor is called."""
    params = member["params"]
    own = next((param for param in params if param["name"] == member["name"]), None)
    gathered = own if own and own["shape"] in ("numbers", "values") else None
    implied = own["name"] if own and own["shape"] == "flag" else None
    rest = [param for param in params if param is not gathered and param["name"] != implied]
    return Signature(
        tuple(param for param in rest if param["default"] is None),
        tuple(param for param in rest if param["default"] is not None),
        gathered,
        implied,
        family == "criteria",
    )


def constructor(family: str, member: dict[str, Any]) -> Callable[..., Member]:
    """Make the constructor of a member."""
    name, shape = member["name"], signature(family, member)
    own = inspect.Signature(_parameters(shape), return_annotation=Member)
    # A parameter that is called like a word of Python has an underscore behind it there.
    written = {python_name(param["name"]): param["name"] for param in member["params"]}

    def make(*args: Any, **kwargs: Any) -> Member:
        given = own.bind(*args, **kwargs).arguments
        params = {written.get(key, key): value for key, value in given.items() if value is not None}
        if shape.gathered:
            params[shape.gathered["name"]] = list(given.get(shape.gathered["name"], ()))
        if shape.implied:
            params[shape.implied] = True
        return Member(family, name, params)

    make.__name__ = make.__qualname__ = python_name(name)
    make.__doc__ = documentation(member)
    make.__module__ = f"sfumato.{family.replace('-', '_')}"
    make.__signature__ = own  # type: ignore[attr-defined]
    return make


def _parameters(shape: Signature) -> list[inspect.Parameter]:
    parameter = inspect.Parameter
    found = []
    if shape.gathered:
        found.append(parameter(python_name(shape.gathered["name"]), parameter.VAR_POSITIONAL))
    for one in shape.required:
        kind = parameter.KEYWORD_ONLY if shape.gathered else parameter.POSITIONAL_OR_KEYWORD
        found.append(parameter(python_name(one["name"]), kind))
    found += [parameter(python_name(one["name"]), parameter.KEYWORD_ONLY, default=None) for one in shape.optional]
    if shape.has_columns:
        found.append(parameter("on", parameter.KEYWORD_ONLY, default=None))
    return found


def documentation(member: dict[str, Any]) -> str:
    """Write a member's docstring."""
    lines = [f"{member['summary']}.", ""]
    for param in member["params"]:
        default = param["default"]
        said = f" (default {default})" if default else " (may be left out)" if default == "" else ""
        lines.append(f"``{python_name(param['name'])}``: {param['summary']}; {param['describes']}{said}.")
    if member["params"]:
        lines.append("")
    if member["example"]:
        lines.append(f"In a plan: ``{member['example']}``.")
    if member["reference"]:
        lines.append(f"From: {member['reference']}.")
    return "\n".join(lines).rstrip()


def fill(namespace: dict[str, Any], family: str) -> None:
    """Put a family's constructors into a module."""
    names = []
    for member in families()[family]["members"]:
        make = constructor(family, member)
        namespace[make.__name__] = make
        names.append(make.__name__)
    namespace["__all__"] = names
