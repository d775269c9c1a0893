"""Plans: what the custodian asks for."""

from __future__ import annotations

import csv
import json
import os
import shutil
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from . import _native
from ._frames import read
from ._members import Member, find, with_parameter
from ._values import names, plain
from .errors import PlanError


@dataclass(frozen=True)
class Column:
    """What is said of a column besides its role."""

    #: How its values are made coarser: a hierarchy, or for each value its labels from level to level.
    hierarchy: Member | Mapping[Any, Sequence[Any]] | None = None
    #: The lowest and the highest level that may be published.
    levels: tuple[int, int] | None = None
    #: What stands for a group: ``"mean"`` or ``"median"`` instead of a range.
    label: str | None = None
    #: How much the column counts beside the others.
    weight: Any = None
    #: For a sensitive column: the values that need protection; all if none is named.
    sensitive_values: Sequence[Any] | None = None
    #: The values in their order.
    order: Sequence[Any] | None = None
    #: ``"text"``, ``"integer"``, ``"decimal"``, ``"date"``, …, where it shall not be told from the values.
    type: str | None = None


#: What may be said of a column: nothing, a hierarchy, labels by value, or all of it.
ColumnLike = Member | Mapping[Any, Sequence[Any]] | Column | None
#: Columns by name; or just their names.
Columns = str | Iterable[str] | Mapping[str, ColumnLike] | None


class Plan:
    """What is wanted of a release: roles of columns, criteria, method, limits.

    A plan is the same wherever it is used: ``to_toml`` gives the file that the command line takes.

    >>> import sfumato as sf
    >>> plan = sf.Plan(quasi={"age": sf.intervals(5, 10, 20), "zip": sf.redact(5)}, sensitive="disease",
    ...                require=[sf.k_anonymity(5), sf.entropy_l_diversity(3)])
    >>> print(plan.to_toml())
    [columns]
    age = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
    zip = { role = "quasi", hierarchy = { redact = 5 } }
    disease = "sensitive"
    <BLANKLINE>
    [[require]]
    criterion = "k-anonymity"
    k = 5
    ...
    """

    def __init__(
        self,
        *,
        quasi: Columns = None,
        sensitive: Columns = None,
        identifiers: Columns = None,
        insensitive: Columns = None,
        require: Iterable[Member] | Member = (),
        method: Member | str | None = None,
        metric: Member | str | None = None,
        form: str | None = None,
        max_suppressed: Any = None,
        weights: Mapping[str, Any] | None = None,
        attacks: Iterable[Member | str | Mapping[str, Any]] | None = None,
        max_belief: Any = None,
        max_risk: Any = None,
        refuse: bool = True,
        skew: Member | str | Mapping[str, Any] | None = None,
        missing: Iterable[str] | None = None,
        title: str | None = None,
        date: str | None = None,
        format: str | None = None,  # noqa: A002
        accept: Iterable[str] | None = None,
        drop_insensitive: bool = False,
        show_suppressed: bool | None = None,
        predict: str | None = None,
    ) -> None:
        self._folder: str | None = None
        if accept and drop_insensitive:
            raise PlanError("`accept` publishes insensitive columns, `drop_insensitive` none", help="say one of them")
        if show_suppressed not in (None, True, False):
            raise PlanError("`show_suppressed` is True or False")
        columns = self._columns(quasi, sensitive, identifiers, insensitive, weights or {})
        release = {
            "title": title,
            "date": date,
            "form": form,
            "max_suppressed": max_suppressed,
            "suppressed": {None: None, True: "starred", False: "withheld"}[show_suppressed],
            "insensitive": {"accept": names(accept)} if accept else "drop" if drop_insensitive else None,
            "format": format,
        }
        gate = {"attacks": None if refuse else "report", "max_belief": max_belief, "max_risk": max_risk}
        sections: dict[str, Any] = {
            "data": {"missing": names(missing)} if missing is not None else {},
            "columns": columns,
            "require": [_required(one) for one in _members(require)],
            "method": _method(method, metric),
            "release": release,
            "gate": gate,
            "skew": _skew(skew),
            "attack": [_attempt(one) for one in _members(attacks)],
            "utility": [{"metric": "classification", "target": predict}] if predict else [],
        }
        self._native = _checked(sections, self._folder or ".")

    @classmethod
    def _of(cls, native: _native.NativePlan) -> Plan:
        made = cls.__new__(cls)
        made._native, made._folder = native, None
        return made

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan file."""
        return cls._of(_native.NativePlan.from_file(os.fspath(path)))

    @classmethod
    def from_toml(cls, text: str, folder: str | os.PathLike[str] = ".") -> Plan:
        """Read the text of a plan; files that it names are relative to the folder."""
        return cls._of(_native.NativePlan.from_text(text, os.fspath(folder)))

    @classmethod
    def draft(cls, data: Any) -> Plan:
        """Draft a plan from a table, as ``sfumato init`` does: a start, to be read and changed by a person."""
        return cls.from_toml(_native.draft(read(data)))

    def to_toml(self) -> str:
        """Write the plan as text."""
        return self._native.to_toml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a file, and hierarchies that were given by value beside it."""
        target = Path(path)
        target.write_text(self.to_toml(), encoding="utf-8")
        if self._folder:
            for file in Path(self._folder).iterdir():
                shutil.copy(file, target.parent / file.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<sfumato.Plan>\n{self.to_toml()}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._folder:
            raise TypeError("a plan with hierarchies given by value cannot be pickled: save it, and read it again")
        return (Plan.from_toml, (self.to_toml(), self._native.folder))

    def _columns(
        self, quasi: Columns, sensitive: Columns, identifiers: Columns, insensitive: Columns, weights: Mapping[str, Any]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        roles = (("identifier", identifiers), ("quasi", quasi), ("sensitive", sensitive), ("insensitive", insensitive))
        for role, columns in roles:
            for name, said in _by_name(columns):
                if name in found:
                    raise PlanError(f'column "{name}" has two roles', help="name it once")
                found[name] = self._column(name, role, said)
        for name, weight in weights.items():
            if found.get(name, {}).get("role") != "quasi":
                raise PlanError(
                    f'`weights`: "{name}" is no quasi-identifier', help="only quasi-identifiers are weighed"
                )
            found[name]["weight"] = weight
        return found

    def _column(self, name: str, role: str, said: ColumnLike) -> dict[str, Any]:
        column = said if isinstance(said, Column) else Column(hierarchy=said)
        keys: dict[str, Any] = {"role": role}
        for one in fields(column):
            value = getattr(column, one.name)
            if value is not None and one.name != "hierarchy":
                keys[one.name] = value
        if column.hierarchy is not None:
            keys["hierarchy"] = self._hierarchy(name, column.hierarchy)
        return keys

    def _hierarchy(self, name: str, said: Member | Mapping[Any, Sequence[Any]]) -> Any:
        if isinstance(said, Member):
            if said.family != "hierarchies":
                raise PlanError(f'column "{name}": {said!r} is no hierarchy', help="see sfumato.hierarchies")
            return dict(said.params)
        if not isinstance(said, Mapping):
            raise PlanError(
                f'column "{name}": a hierarchy cannot be a {type(said).__name__}',
                help='such as sfumato.intervals(5, 10), or labels by value: {"Rome": ["Italy", "*"]}',
            )
        if not self._folder:
            self._folder = mkdtemp(prefix="sfumato-plan-")
            weakref.finalize(self, _remove, self._folder, os.getpid())
        letters = "".join(letter if letter.isalnum() else "-" for letter in name)
        if any(isinstance(labels, Mapping) for labels in said.values()):
            raise PlanError(
                f'column "{name}": a hierarchy by value goes from each value to its labels',
                help='such as {"Rome": ["Italy", "*"]}, not from labels down to values',
            )
        rows = [[_label(value), *map(_label, names(labels))] for value, labels in said.items()]
        if not rows:
            raise PlanError(f'column "{name}": the hierarchy is empty')
        if len({len(row) for row in rows}) != 1:
            raise PlanError(
                f'column "{name}": some values have more labels than others', help="give each one label for every level"
            )
        out = StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(rows)
        content = out.getvalue().encode("utf-8", "replace")
        if content.decode("utf-8") != out.getvalue():
            raise PlanError(f'column "{name}": the hierarchy holds what is no valid text')
        # Of one name there is one content: plans may lie in one folder.
        file = Path(self._folder) / f"hierarchy-{letters[:40]}-{sha256(content).hexdigest()[:8]}.csv"
        file.write_bytes(content)
        return {"file": file.name}


def _remove(folder: str, owner: int) -> None:
    """Remove a folder; a child made by a fork leaves it to its parent."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _label(value: Any) -> str:
    """Write a value as the table has it: a whole number without a point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def with_data(data: _native.Frame, **wanted: Any) -> Plan:
    """Make a plan for a table: quasi-identifiers given by name alone get hierarchies that fit their values."""
    quasi = dict(_by_name(wanted.get("quasi")))
    if wanted.get("form") == "bucketized":
        # Values are published as they are: nothing is made coarser.
        return Plan(**wanted)
    open_ones = [name for name, said in quasi.items() if said is None or said == Column() or _lacks_hierarchy(said)]
    for name, drafted in zip(open_ones, _native.draft_hierarchies(data, open_ones), strict=True):
        if drafted is None:
            continue
        member = Member("hierarchies", "", json.loads(drafted))
        said = quasi[name]
        kept = {one.name: getattr(said, one.name) for one in fields(Column)} if isinstance(said, Column) else {}
        quasi[name] = Column(**{**kept, "hierarchy": member})
    return Plan(**{**wanted, "quasi": quasi})


def _lacks_hierarchy(said: ColumnLike) -> bool:
    return isinstance(said, Column) and said.hierarchy is None


def _by_name(columns: Columns) -> list[tuple[str, ColumnLike]]:
    if isinstance(columns, Mapping):
        return list(columns.items())
    return [(name, None) for name in names(columns)]


def _members(given: Any) -> list[Any]:
    """Give one member, or several, as a list."""
    if given is None:
        return []
    if isinstance(given, (Member, str, Mapping)) or callable(given) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def _one(family: str, given: Any, what: str) -> Member:
    """Give a member that was made, or named."""
    if isinstance(given, Member):
        return given
    if isinstance(given, str):
        return find(family, given)
    called = getattr(given, "__name__", type(given).__name__)
    help = f"call it: {called}(…)" if callable(given) else f"see sfumato.{family.replace('-', '_')}"  # noqa: A001
    raise PlanError(f"`{what}` cannot be {called}", help=help)


def _required(member: Any) -> dict[str, Any]:
    if isinstance(member, str) or not (isinstance(member, Member) or callable(member)):
        raise PlanError("`require` is a list of criteria", help="such as [sfumato.k_anonymity(5)]")
    return _one("criteria", member, "require").named("criterion")


def _method(method: Member | str | None, metric: Member | str | None) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    if method is not None:
        keys = _one("methods", method, "method").named("name")
    if metric is not None:
        member = _one("metrics", metric, "metric")
        keys["metric"] = member.named("name") if member.params else member.name
    return keys


def _skew(skew: Member | str | Mapping[str, Any] | None) -> dict[str, Any]:
    if skew is None:
        return {}
    if isinstance(skew, Mapping):
        return dict(skew)
    return _one("skews", skew, "skew").named("method")


def _attempt(attack: Member | str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(attack, Mapping):
        return dict(attack)
    return _one("attacks", attack, "attacks").named("attack")


def _checked(sections: dict[str, Any], folder: str) -> _native.NativePlan:
    said = {}
    for name, keys in sections.items():
        if isinstance(keys, dict):
            keys = {key: value for key, value in keys.items() if value is not None}  # noqa: PLW2901
        if keys or name == "columns":
            said[name] = plain(keys)
    return _native.NativePlan.from_values(json.dumps(said), folder)


class SetPlan(Plan):
    """What is wanted of a release of sets of items.

    >>> import sfumato as sf
    >>> print(sf.SetPlan(sensitive=["condom"], rho=0.7).to_toml())
    [data]
    kind = "transactions"
    sensitive = { items = ["condom"] }
    <BLANKLINE>
    [[require]]
    criterion = "rho-uncertainty"
    rho = 0.7
    ...
    """

    def __init__(
        self,
        *,
        sensitive: Iterable[str],
        rho: Any = None,
        require: Iterable[Member] | Member = (),
        method: Member | str | None = None,
        attacks: Iterable[Member | str] | None = None,
        refuse: bool = True,
        keep_order: bool = False,
        title: str | None = None,
        date: str | None = None,
    ) -> None:
        self._folder = None
        wanted = _members(require)
        if rho is not None:
            wanted.insert(0, with_parameter("transaction-criteria", rho=rho))
        keys: dict[str, Any] = {}
        if method is not None:
            keys = _one("transaction-methods", method, "method").named("name")
        tried = [_one("transaction-attacks", one, "attacks") for one in _members(attacks)]
        sections: dict[str, Any] = {
            "data": {"kind": "transactions", "sensitive": {"items": names(sensitive)}},
            "require": [_required(one) for one in wanted],
            "method": keys,
            "attack": [one.named("attack") for one in tried],
            "release": {"title": title, "date": date, "order": "input" if keep_order else None},
            "gate": {"attacks": None if refuse else "report"},
        }
        self._native = _checked(sections, ".")
