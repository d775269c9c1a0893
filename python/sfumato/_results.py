"""What is found: as numbers, as text, and as it looks in a notebook."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, KeysView, Mapping
from typing import Any

from . import _html, _native, _progress
from ._frames import Table
from ._plan import Plan
from .errors import PlanError, _in_python


class Result(Mapping[str, Any]):
    """What the library found, as its own JSON document; printing it gives what the command line prints."""

    def __init__(self, document: str | dict[str, Any], text: str = "") -> None:
        self._data: dict[str, Any] = json.loads(document) if isinstance(document, str) else document
        self._text = text

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def keys(self) -> KeysView[str]:
        """Give the names of the entries."""
        return self._data.keys()

    def to_dict(self) -> dict[str, Any]:
        """Give the whole document."""
        return self._data

    def __str__(self) -> str:
        return self._text or json.dumps(self._data, indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        return str(self).rstrip()


class Inspection(Result):
    """What a table is like: types, shares, how identifying its columns are, which roles suggest themselves."""

    @property
    def roles(self) -> dict[str, str]:
        """The suggested role of every column."""
        return {column["column"]: column["role"] for column in self["columns"]}

    def _repr_html_(self) -> str:
        header = [
            "column",
            "type",
            "different values",
            "missing",
            "most frequent",
            "unique",
            "suggested role",
            "because",
        ]
        rows = [
            (
                one["column"],
                one["type"],
                one["distinct"],
                one["missing"],
                f"{100 * one['top_share']:.1f} %",
                f"{100 * one['unique_share']:.1f} %",
                one["role"],
                one["reason"],
            )
            for one in self["columns"]
        ]
        shares = [(one["column"], one["unique_share"]) for one in self["columns"]]
        picture = _html.bars("Share of the records that one column alone makes unique", shares)
        notes = [_html.soft(note) for note in self.get("notes", [])]
        return _html.page(_html.table(header, rows, f"{self['records']:,} records"), picture, *notes)


class Population(Result):
    """How many people of a population are unique, by each estimator: none is a bound."""

    def _repr_html_(self) -> str:
        people = self["people"]
        rows = [
            (name, None if count is None else round(count), None if count is None else _share(count / people))
            for name, count in self["population_uniques"].items()
        ]
        said = f"{self['records']:,} records of {people:,} people; {self['sample_uniques']:,} records are unique here"
        caption = f"Advised for this share of the people: {self['advised'] or 'none'}"
        return _html.page(
            _html.soft(said), _html.table(["estimator", "unique people", "share of the people"], rows, caption)
        )


class Audit(Result):
    """Whether a table satisfies criteria, and what each measures. True if all hold."""

    @property
    def holds(self) -> bool:
        """Whether every criterion holds."""
        return bool(self["holds"])

    def __bool__(self) -> bool:
        return self.holds

    def _repr_html_(self) -> str:
        said = "All criteria hold" if self.holds else "Not all criteria hold"
        rows = [
            (
                _html.mark(one["holds"]),
                one["criterion"],
                ", ".join(_names(one.get("on"))),
                ", ".join(f"{key} = {value}" for key, value in (one.get("params") or {}).items()),
                one.get("measured"),
            )
            for one in self["criteria"]
        ]
        header = ["", "criterion", "on", "asked for", "measured"]
        caption = f"{self['records']:,} records in {self['groups']:,} groups"
        return _html.page(_html.lead(said, self.holds), _html.table(header, rows, caption))


def _names(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


class Measures(Result):
    """What a table measures by every criterion, as plain numbers by the criterion's name."""

    def __init__(self, values: dict[str, Any], details: list[dict[str, Any]]) -> None:
        super().__init__(values)
        #: A row for each criterion and column, with the parameters that were used.
        self.details = details

    def __str__(self) -> str:
        width = max((len(name) for name in self), default=0)
        return "\n".join(f"{name:<{width}}  {_html.number(value)}" for name, value in self.items())

    def _repr_html_(self) -> str:
        rows = [
            (one["criterion"], ", ".join(one["on"]), _params(one["params"]), one["measured"]) for one in self.details
        ]
        return _html.page(_html.table(["criterion", "on", "with", "measured"], rows))


def _params(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in params.items())


class Findings(Result):
    """What attackers believe. A list of findings, one for each attack and sensitive column."""

    @property
    def attacks(self) -> list[dict[str, Any]]:
        """Every finding."""
        return list(self["attacks"])

    @property
    def verifies(self) -> bool:
        """Whether the release is what was published."""
        return bool(self["verifies"])

    def _repr_html_(self) -> str:
        rows = [
            (
                one["attack"],
                ", ".join(_names(one.get("on"))),
                _belief(one),
                _share(one.get("limit"), "none"),
                one.get("people"),
                int(one.get("undecided_people") or 0),
                one.get("source"),
            )
            for one in self.attacks
        ]
        header = ["attack", "on", "highest belief", "limit", "people affected", "people undecided", "found from"]
        doubt = (
            [] if self.verifies else [_html.lead("The release does not verify: it is not what was published", False)]
        )
        return _html.page(*doubt, _html.table(header, rows))


def _belief(found: Mapping[str, Any]) -> str:
    words = {"exact": "", "at least": "≥ ", "claimed": "claims "}
    return words.get(found.get("highest_belief_is", ""), "") + _share(found.get("max_belief"))


def _share(value: float | None, otherwise: str = "–") -> str:
    return otherwise if value is None else f"{100 * value:.1f} %"


class Verification(Result):
    """Whether a release is what its certificate says. True if every claim that can be told holds."""

    @property
    def holds(self) -> bool:
        """Whether every claim that can be told holds."""
        return bool(self["holds"])

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        signs = {True: "✓", False: "✗", None: "–"}
        lines = [
            f"{signs[one['holds']]} {one['claim']}" + (f": {one['detail']}" if one["detail"] else "")
            for one in self["claims"]
        ]
        verdict = "✓ The release verifies" if self.holds else "✗ The release does not verify"
        failed = [line for line, one in zip(lines, self["claims"], strict=True) if one["holds"] is False]
        rest = [line for line, one in zip(lines, self["claims"], strict=True) if one["holds"] is not False]
        return "\n".join([verdict, *failed, *rest, _in_python(self["authenticity_sentence"])])

    def _repr_html_(self) -> str:
        said = "The release verifies" if self.holds else "The release does not verify"
        rows = [(_html.mark(one["holds"]), one["claim"], one["detail"]) for one in self["claims"]]
        sentence = _html.soft(_in_python(self["authenticity_sentence"]))
        return _html.page(_html.lead(said, self.holds), sentence, _html.table(["", "claim", "detail"], rows))


class WithPage(Result):
    """A result that has a page with pictures."""

    def __init__(self, document: str, text: str, page: str) -> None:
        super().__init__(document, text)
        #: The page: shown in a notebook, and saved to a file.
        self.page = _html.Page(page)

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


class Skyline(WithPage):
    """How much somebody may know before she is too sure of a value. Not for release: it names records."""

    @property
    def points(self) -> list[list[int]]:
        """The largest amounts of knowledge (l, k, m) that the value still withstands."""
        return list(self["points"])


class Comparison(WithPage):
    """Releases side by side, and what two of the same people disclose together."""


#: What is printed of a release that was just made.
_INTERNAL = "For you, not for release: what attacks found depends on the original. The public page is release.report."


class Release:
    """A release that passed its gate and was verified: there is none of what was refused.

    ``table`` is what is published. ``certificate`` and ``report`` are public; ``internal`` and ``internal_report``
    hold what only the custodian may see. ``save`` writes the directory that recipients get.
    """

    def __init__(self, native: _native.NativeRelease, plan: Plan | None = None) -> None:
        self._native = native
        self._tables: dict[str, Table] | None = None
        #: The plan that it was made by, if it was made here.
        self.plan = plan

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Release:
        """Open a release directory. Verify it before you rely on it."""
        return cls(_native.open_release(os.fspath(path)))

    @property
    def path(self) -> str:
        """The directory that it is in now: a temporary one until it is opened from where it was saved."""
        return str(self._native.folder)

    @property
    def tables(self) -> dict[str, Table]:
        """The published tables: ``data``, or ``quasi`` and ``sensitive`` of a bucketized release."""
        if self._native.is_sets:
            raise PlanError("a release of sets has no table", help="its sets are under .sets")
        if self._tables is None:
            self._tables = {name: Table(frame) for name, frame in self._native.tables()}
        return self._tables

    @property
    def table(self) -> Table:
        """The published table."""
        tables = self.tables
        if len(tables) > 1:
            listed = " and ".join(f'.tables["{name}"]' for name in tables)
            raise PlanError("a bucketized release has two tables", help=f"take {listed}")
        return next(iter(tables.values()))

    @property
    def sets(self) -> list[list[str]]:
        """The published sets of items."""
        if not self._native.is_sets:
            raise PlanError("a release of a table has no sets", help="its table is under .table")
        return self._native.sets()

    @property
    def certificate(self) -> dict[str, Any]:
        """Everything that is stated of the release, for everybody."""
        document: dict[str, Any] = json.loads(self._native.certificate)
        return document

    @property
    def seal(self) -> str:
        """The seal of the certificate: give it to recipients in another way than the release."""
        return str(self.certificate["seal"])

    @property
    def report(self) -> _html.Page:
        """The report for everybody."""
        return _html.Page(self._native.report)

    @property
    def internal(self) -> dict[str, Any]:
        """Every figure that is known, also those that depend on the original: not for release."""
        document: dict[str, Any] = json.loads(self._custody(self._native.internal))
        return document

    @property
    def internal_report(self) -> _html.Page:
        """The report with every figure: not for release."""
        return _html.Page(self._custody(self._native.internal_report))

    def _custody(self, text: str | None) -> str:
        if text is None:
            raise PlanError("the release was opened from its directory, which holds nothing but what is public")
        return text

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        replace: bool = False,
        sign: str | os.PathLike[str] | None = None,
        progress: _progress.Progress | bool | None = None,
    ) -> None:
        """Write the release directory, whole or not at all.

        With ``sign``, a private key (Ed25519, of ``sfumato keygen`` or ``ssh-keygen``), the certificate is signed.
        The release is noted in the record of releases of this machine, by which the same table is recognised again.
        """
        following = _progress.usual(progress)
        key = os.fspath(sign) if sign is not None else None
        try:
            said = self._native.save(os.fspath(path), replace, key, following)
        finally:
            _progress.close(following)
        for warning in said:
            warnings.warn(warning, stacklevel=2)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a release cannot be pickled: save it, and open it again (sfumato.Release.open)")

    def __repr__(self) -> str:
        text = self._native.text
        if text:
            return f"{text.rstrip()}\n{_INTERNAL}"
        return f"<sfumato.Release in {self.path}, seal {self.seal[:12]}…>"

    def _repr_html_(self) -> str:
        stated = self.certificate
        parts = [_html.lead(self._headline(stated))]
        if self._native.text:
            parts.append(_html.soft(_INTERNAL))
        rows = [
            (_html.mark(one.get("holds")), one["criterion"], ", ".join(_names(one.get("on"))), one.get("measured"))
            for one in stated.get("criteria", [])
        ]
        parts.append(_html.table(["", "criterion", "on", "measured"], rows))
        kept = stated.get("information_kept")
        shares = kept.get("columns") if isinstance(kept, dict) else None
        if isinstance(shares, dict) and all(isinstance(share, (int, float)) for share in shares.values()):
            parts.append(_html.bars("Information kept, by column", list(shares.items())))
        parts.append(_html.soft(f"Seal {self.seal}"))
        return _html.page(*parts)

    def _headline(self, stated: dict[str, Any]) -> str:
        """Give the sentence that terminal and report begin with; of a release that was opened, what it is."""
        text = self._native.text
        if text:
            return text.split("\n", 1)[0]
        published, records = stated.get("published"), stated.get("records")
        of = f" of {records:,}" if isinstance(records, int) else ""
        told = f"A release of {published:,}{of} records" if isinstance(published, int) else "A release"
        return f"{told}: verify it before you rely on it"
