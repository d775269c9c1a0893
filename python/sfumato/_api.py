"""What people do: look, check, publish, verify, attack, compare."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from . import _native, _progress
from ._frames import Table, read
from ._members import Member, families, python_name
from ._plan import Columns, Plan, SetPlan, _members, _one, with_data
from ._results import Audit, Comparison, Findings, Inspection, Measures, Population, Release, Skyline, Verification
from ._values import names, plain
from .errors import DataError, PlanError

#: A release, or the directory that it is in.
ReleaseLike = Release | str | os.PathLike[str]
Progress = _progress.Progress | bool | None
T = TypeVar("T")


def _followed(progress: Progress, work: Callable[[_progress.Progress | None], T]) -> T:
    following = _progress.usual(progress)
    try:
        return work(following)
    finally:
        _progress.close(following)


def inspect(data: Any, *, progress: Progress = None) -> Inspection:
    """Look at a table: types, shares, how identifying its columns are, and which roles suggest themselves.

    No cell is shown, only counts and shares.

    >>> import sfumato as sf
    >>> sf.inspect(sf.demo(1000)).roles["disease"]
    'sensitive'
    """
    return _followed(progress, lambda following: Inspection(*_native.inspect(read(data, None, following), following)))


def population(data: Any, *, quasi: str | Iterable[str], people: int, progress: Progress = None) -> Population:
    """Estimate how many of so many people are unique, of whom the table is a sample: each known estimator.

    >>> import sfumato as sf
    >>> found = sf.population(sf.demo(1000), quasi=["age", "zip"], people=50_000)
    >>> sorted(found["population_uniques"]), found["advised"]
    (['pitman', 'snb', 'zayatz'], 'zayatz')
    """
    columns = names(quasi)
    return _followed(
        progress,
        lambda following: Population(*_native.population(read(data, None, following), columns, people, following)),
    )


def demo(rows: int = 1000, seed: int = 1) -> Table:
    """Make up a hospital's table, to try things on. The same numbers give the same table."""
    if rows < 1:
        raise PlanError("a table has at least one record")
    return Table(_native.sample(rows, seed))


def check(
    data: Any,
    plan: Plan | None = None,
    *,
    quasi: Columns = None,
    sensitive: Columns = None,
    require: Iterable[Member] | Member = (),
    groups: str | None = None,
    missing: Iterable[str] | None = None,
    progress: Progress = None,
) -> Audit:
    """Check whether a table, whoever made it, satisfies criteria. The answer is true if it does.

    Rows with equal quasi-identifiers, as they stand there, form a group; with ``groups`` those with equal values in
    that column. For each criterion the measured value is the limit: no stricter parameter would hold.

    >>> import sfumato as sf
    >>> table = {"zip": ["130", "130", "148", "148"], "disease": ["flu", "cancer", "flu", "flu"]}
    >>> found = sf.check(table, quasi="zip", sensitive="disease",
    ...                  require=[sf.k_anonymity(2), sf.distinct_l_diversity(2)])
    >>> found.holds, [one["measured"] for one in found["criteria"]]
    (False, [2.0, 1.0])
    """
    if plan is None:
        plan = Plan(quasi=quasi, sensitive=sensitive, require=require, missing=missing)
    else:
        _refuse_both({"quasi": quasi, "sensitive": sensitive, "require": require, "missing": missing})
    native = plan._native
    return _followed(
        progress,
        lambda following: Audit(*_native.audit(read(data, native, following), native, groups, following)),
    )


#: Parameters of these shapes name values or files, which no table has by itself.
_NAMING = {"values", "points", "file"}


def measure(
    data: Any,
    *,
    quasi: Columns,
    sensitive: Columns = None,
    criteria: Iterable[Member] | Member | None = None,
    missing: Iterable[str] | None = None,
    progress: Progress = None,
) -> Measures:
    """Measure a table by every criterion: plain numbers, by the criterion's name.

    Without ``criteria``, every one is taken that needs no values or files of yours; parameters besides the measured
    one are those of its example, and stand under ``details``. With several sensitive columns a value is a dict by
    column.

    >>> import sfumato as sf
    >>> table = {"zip": ["130", "130", "148", "148"], "disease": ["flu", "cancer", "flu", "hiv"]}
    >>> found = sf.measure(table, quasi="zip", sensitive="disease")
    >>> found["k_anonymity"], found["entropy_l_diversity"], found["t_closeness"]
    (2, 2.0, 0.25)
    """
    sensitive = list(sensitive) if isinstance(sensitive, Iterator) else sensitive
    columns = names(sensitive)
    wanted = _measurable(columns) if criteria is None else _members(criteria)
    plan = Plan(quasi=quasi, sensitive=sensitive, require=wanted, missing=missing)
    details = [
        {
            "criterion": one["criterion"],
            "on": names(one.get("on")),
            "params": one.get("params") or {},
            "measured": _whole(one["criterion"], one["measured"]),
        }
        | ({"holds": one["holds"]} if criteria is not None else {})
        for one in check(data, plan, progress=progress)["criteria"]
    ]
    values: dict[str, Any] = {}
    subjects = [(one["criterion"], tuple(one["on"])) for one in details]
    for one, subject in zip(details, subjects, strict=True):
        name = python_name(one["criterion"])
        if subjects.count(subject) > 1:
            # Asked for more than once: parameters tell which is which.
            name += "(" + ", ".join(f"{key}={value}" for key, value in one["params"].items()) + ")"
        if len(columns) > 1 and len(one["on"]) == 1:
            values.setdefault(name, {})[one["on"][0]] = one["measured"]
        else:
            values[name] = one["measured"]
    return Measures(values, details)


def _whole(criterion: str, measured: float | None) -> float | None:
    """Give a measure as a whole number where the criterion asks for nothing but counts."""
    member = next(one for one in families()["criteria"]["members"] if one["name"] == criterion)
    counts = all(param["shape"] == "count" for param in member["params"])
    return int(measured) if counts and measured is not None else measured


def _measurable(columns: Sequence[str]) -> list[Member]:
    """Give every criterion that a table can be measured by as it is, for every column."""
    wanted = []
    for member in families()["criteria"]["members"]:
        if any(param["shape"] in _NAMING for param in member["params"]):
            continue
        example, subject = member["settings"], member["subject"]
        if subject == "records":
            wanted.append(Member("criteria", member["name"], example))
        elif subject == "columns" and len(columns) > 1:
            wanted.append(Member("criteria", member["name"], {**example, "on": list(columns)}))
        elif subject == "column":
            wanted += [Member("criteria", member["name"], {**example, "on": column}) for column in columns]
    return wanted


def publish(
    data: Any,
    plan: Plan | None = None,
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
    record: bool = True,
    insecure_seed: int | None = None,
    progress: Progress = None,
) -> Release:
    """Publish a table: change, audit, attack, and give the release if it survives; else raise.

    Either by a plan, or by what is said here. Quasi-identifiers given by name alone get a hierarchy that fits their
    values; ``release.plan`` shows it. Columns that are not named take no part. With ``record``, earlier releases of
    the same table from this machine are looked up and declared, and ``release.save`` adds this one.

    >>> import sfumato as sf
    >>> release = sf.publish(sf.demo(1000), quasi=["age", "sex", "zip"], sensitive="disease", record=False,
    ...                      require=[sf.k_anonymity(5), sf.distinct_l_diversity(3)])
    >>> sf.check(release.table, quasi=["age", "sex", "zip"], sensitive="disease",
    ...          require=[sf.k_anonymity(5), sf.distinct_l_diversity(3)]).holds
    True
    """
    said = {
        "quasi": quasi,
        "sensitive": sensitive,
        "identifiers": identifiers,
        "insensitive": insensitive,
        "require": require,
        "method": method,
        "metric": metric,
        "form": form,
        "max_suppressed": max_suppressed,
        "weights": weights,
        "attacks": attacks,
        "max_belief": max_belief,
        "max_risk": max_risk,
        "skew": skew,
        "missing": missing,
        "title": title,
        "date": date,
        "format": format,
        "accept": accept,
        "predict": predict,
    }
    # What can be gone through only once is kept: the plan is made twice.
    said = {key: list(value) if isinstance(value, Iterator) else value for key, value in said.items()}
    if plan is not None and not isinstance(plan, Plan):
        raise PlanError("the plan is no Plan", help="read it first: sfumato.Plan.from_file(path)")
    following = _progress.usual(progress)
    try:
        if plan is None:
            flags = {"refuse": refuse, "drop_insensitive": drop_insensitive, "show_suppressed": show_suppressed}
            # Types and missing values are read as the plan says, so it is made of the names first.
            first = Plan(**{**said, **flags})
            frame = read(data, first._native, following)
            plan = with_data(frame, **{**said, **flags})
        else:
            flags = {"refuse": None if refuse else False, "drop_insensitive": drop_insensitive or None}
            _refuse_both({**said, **flags, "show_suppressed": show_suppressed})
            frame = read(data, plan._native, following)
        native = plan._native if insecure_seed is None else plan._native.with_insecure_seed(insecure_seed)
        return Release(_native.publish(frame, native, record, following), plan)
    finally:
        _progress.close(following)


def _refuse_both(said: dict[str, Any]) -> None:
    for key, value in said.items():
        if value is not None and not (isinstance(value, tuple) and not value):
            raise PlanError(
                f"`{key}`: a plan says that itself", help="hand over a plan, or what it would say, not both"
            )


def publish_sets(
    sets: Iterable[Iterable[str]],
    plan: SetPlan | None = None,
    *,
    sensitive: Iterable[str] | None = None,
    rho: Any = None,
    require: Iterable[Member] | Member = (),
    method: Member | str | None = None,
    attacks: Iterable[Member | str] | None = None,
    refuse: bool = True,
    keep_order: bool = False,
    title: str | None = None,
    date: str | None = None,
    record: bool = True,
    insecure_seed: int | None = None,
    progress: Progress = None,
) -> Release:
    """Publish sets of items, one for each person, so that no sensitive item follows from others with confidence.

    >>> import sfumato as sf
    >>> baskets = [["bread", "condom"], ["bread", "milk"], ["milk", "condom"], ["bread", "milk"]]
    >>> release = sf.publish_sets(baskets, sensitive=["condom"], rho=0.5, record=False)
    >>> len(release.sets)
    4
    """
    if plan is not None:
        said = {"sensitive": sensitive, "rho": rho, "require": require, "method": method, "attacks": attacks}
        flags = {"refuse": None if refuse else False, "keep_order": keep_order or None, "title": title, "date": date}
        _refuse_both({**said, **flags})
    else:
        if sensitive is None:
            raise PlanError("which items are sensitive?", help='name them: sensitive=["…"]')
        plan = SetPlan(
            sensitive=sensitive, rho=rho, require=require, method=method, attacks=attacks, refuse=refuse,
            keep_order=keep_order, title=title, date=date,
        )  # fmt: skip
    native = plan._native if insecure_seed is None else plan._native.with_insecure_seed(insecure_seed)
    given = _rows(sets)
    return _followed(progress, lambda following: Release(_native.publish_sets(given, native, record, following), plan))


def _rows(sets: Any) -> list[list[str]]:
    """Give the sets of a list, or of a column of lists."""
    if isinstance(sets, (str, Mapping)) or hasattr(sets, "columns"):
        raise PlanError(
            f"sets of items cannot be read from a {type(sets).__name__}",
            help='hand over a list of lists, or the column that has them: frame["items"]',
        )
    rows = sets.to_pylist() if hasattr(sets, "to_pylist") else sets.to_list() if hasattr(sets, "to_list") else sets
    return [_items(at, row) for at, row in enumerate(rows, 1)]


def _items(at: int, row: Any) -> list[str]:
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise DataError(f"set {at} is no set of items", help='each is a list, such as ["bread", "milk"]')
    items = list(row)
    if any(item is None or item != item for item in items):  # noqa: PLR0124
        raise DataError(f"set {at} has a missing item", help="leave it out")
    texts = [str(item) for item in items]
    if any(text.strip() != text or text.encode("utf-8", "replace").decode() != text for text in texts):
        raise DataError(f"set {at}: an item begins or ends with a blank, or is no valid text", help="mend its name")
    return texts


def _folder(release: ReleaseLike) -> str:
    if isinstance(release, Release):
        return release.path
    if isinstance(release, (str, os.PathLike)):
        return os.fspath(release)
    raise PlanError(f"a {type(release).__name__} is no release", help="hand over a release, or its directory")


def verify(
    release: ReleaseLike,
    *,
    key: str | os.PathLike[str] | None = None,
    seal: str | None = None,
    progress: Progress = None,
) -> Verification:
    """Verify a release from its files alone: every claim of its certificate. The answer is true if all hold.

    With ``key``, the publisher's public key, or ``seal``, also that it is the publisher's.
    """
    public = os.fspath(key) if key is not None else None
    folder = _folder(release)
    return _followed(progress, lambda following: Verification(_native.verify(folder, public, seal, following)))


def attack(
    release: ReleaseLike, only: Iterable[Member | str] | Member | str | None = None, *, progress: Progress = None
) -> Findings:
    """Attack a release: what does an attacker believe who knows how it was made?

    >>> import sfumato as sf
    >>> release = sf.publish(sf.demo(500), quasi=["age", "sex"], sensitive="disease", require=sf.k_anonymity(5),
    ...                      record=False)
    >>> [one["attack"] for one in sf.attack(release, "linkage").attacks]
    ['linkage']
    """
    wanted = None if only is None else _wanted(only, _is_sets(release))
    folder = _folder(release)
    return _followed(progress, lambda following: Findings(*_native.attack(folder, wanted, following)))


def _is_sets(release: ReleaseLike) -> bool:
    return (release if isinstance(release, Release) else Release.open(release))._native.is_sets


def _wanted(only: Iterable[Member | str] | Member | str, is_sets: bool) -> str:
    family = "transaction-attacks" if is_sets else "attacks"
    members = [_one(family, one, "only") for one in _members(only)]
    return json.dumps([plain(one.named("name")) for one in members])


def beliefs(release: ReleaseLike, attack: Member | str, *, progress: Progress = None) -> Table:
    """Give what an attacker believes about each group and value, as a table."""
    wanted = _wanted(attack, is_sets=False)
    folder = _folder(release)
    return _followed(progress, lambda following: Table(_native.beliefs(folder, wanted, following)))


def skyline(
    data: Any,
    *,
    value: str,
    confidence: Any,
    on: str | None = None,
    quasi: Columns = None,
    sensitive: Columns = None,
    groups: str | None = None,
    plan: Plan | None = None,
    progress: Progress = None,
) -> Skyline:
    """Find how much background knowledge a value withstands before an attacker believes in it with a confidence.

    Of a release, or of any table whose quasi-identifiers and sensitive column are named.
    """
    sure = str(plain(confidence)["$number"]) if isinstance(plain(confidence), dict) else str(plain(confidence))
    if isinstance(data, Release):
        folder = data.path
        return _followed(
            progress,
            lambda following: Skyline(*_native.skyline_of_release(folder, str(value), sure, on, following)),
        )
    if plan is not None:
        _refuse_both({"quasi": quasi, "sensitive": sensitive})
    wanted = plan if plan is not None else Plan(quasi=quasi, sensitive=sensitive)
    native = wanted._native
    return _followed(
        progress,
        lambda following: Skyline(
            *_native.skyline(read(data, native, following), native, str(value), sure, on, groups, following)
        ),
    )


def _called(release: ReleaseLike, at: int) -> str:
    if not isinstance(release, Release):
        return _folder(release)
    title = release.certificate.get("title")
    return f"release {at + 1}" + (f" ({title})" if title else "")


def compare(*releases: ReleaseLike, progress: Progress = None) -> Comparison:
    """Compare releases: what each holds, keeps and risks; and what two of the same people disclose together."""
    if not releases:
        raise PlanError("no release is named", help="hand over releases, or the directories that they are in")
    named = [(_called(one, at), _folder(one)) for at, one in enumerate(releases)]
    return _followed(progress, lambda following: Comparison(*_native.compare(named, following)))
