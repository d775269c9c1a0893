"""Tables from any data frame, and back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from . import _html, _native
from .errors import DataError, PlanError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: How many rows are shown in a notebook.
SHOWN = 10


class Table:
    """A table that sfumato holds: what is published, or what an attacker believes.

    Whatever takes Arrow takes it: ``pandas``, ``polars``, ``pyarrow``, DuckDB, DataFusion.

    >>> import sfumato as sf
    >>> table = sf.Table({"zip": ["13053", "13068"], "disease": ["flu", None]})
    >>> len(table), table.columns
    (2, ['zip', 'disease'])
    """

    def __init__(self, data: Any) -> None:
        self._frame = data if isinstance(data, _native.Frame) else read(data)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._frame.columns

    def __len__(self) -> int:
        return len(self._frame)

    def __repr__(self) -> str:
        return f"<sfumato.Table: {len(self):,} records, columns {', '.join(self.columns)}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a sfumato.Table cannot be pickled: convert it first (to_pandas, to_polars, to_arrow)")

    def __arrow_c_schema__(self) -> object:
        return self._frame.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """Convert to a ``pyarrow.Table``; texts are dictionaries."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Convert to a ``pandas.DataFrame``; texts are categoricals."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Convert to a ``polars.DataFrame``; texts are categoricals."""
        import polars

        found = polars.DataFrame(self)
        assert isinstance(found, polars.DataFrame)
        return found

    def _repr_html_(self) -> str:
        more = len(self) - SHOWN
        caption = f"{len(self):,} records" + (f", the first {SHOWN} of them" if more > 0 else "")
        return _html.page(_html.table(self.columns, self._frame.head(SHOWN), caption))


def read(data: Any, plan: _native.NativePlan | None = None, progress: Any = None) -> _native.Frame:
    """Read whatever people have: a frame, a file, or columns by name."""
    if isinstance(data, Table) and (plan is None or plan.reads_as_usual):
        return data._frame
    if hasattr(data, "certificate") and hasattr(data, "table"):
        # A release: what it publishes.
        data = data.table
    if isinstance(data, (str, os.PathLike)):
        return _native.Frame.from_file(os.fspath(data), plan, progress)
    needed = None if plan is None else set(plan.columns)
    return _native.Frame.from_arrow(_with_stream(data, needed), plan, progress)


def _with_stream(data: Any, needed: set[str] | None) -> Any:
    """Give something that hands over an Arrow stream. Columns that are not needed only have to be recognised again."""
    # Also of classes that others derived from them.
    modules = {base.__module__.split(".")[0] for base in type(data).__mro__}
    if "polars" in modules:
        return _Guarded(_from_polars(data))
    if "pandas" in modules:
        return _Guarded(_from_pandas(data, needed))
    if isinstance(data, dict):
        return _Guarded(_from_columns(data))
    is_array = "pyarrow" in modules and not hasattr(data, "schema")
    if hasattr(data, "__arrow_c_stream__") and not is_array:
        return _Guarded(data)
    raise PlanError(
        f"a table cannot be read from a {type(data).__name__}",
        help="hand over a data frame (pandas, polars, pyarrow, DuckDB), a dict of columns, or the path of a file",
    )


class _Guarded:
    """Hands over a stream, or says that it cannot be without what others say: that may quote cells."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with suppress(Exception):
            found: object = self._data.__arrow_c_stream__(requested_schema)
            return found
        raise DataError("the frame cannot be handed over by Arrow", help="look at it with the library that it is of")


def _from_polars(data: Any) -> Any:
    """Hand over a polars frame. Columns of nothing but nulls have a type of their own that Arrow's readers refuse."""
    import polars

    if isinstance(data, polars.LazyFrame):
        lazy, data = data, None
        with suppress(Exception):
            data = lazy.collect()
        if data is None:
            raise DataError("the LazyFrame cannot be collected", help="collect it yourself to see why")
    if isinstance(data, polars.Series):
        raise PlanError("a table cannot be read from a Series", help="make it a frame: series.to_frame()")
    nothing = [name for name, kind in data.schema.items() if kind == polars.Null]
    return data.with_columns(polars.col(nothing).cast(polars.String)) if nothing else data


def _from_pandas(data: Any, needed: set[str] | None) -> Any:
    """Hand over a pandas frame without its index, which is no column of the table."""
    if not hasattr(data, "columns"):
        raise PlanError("a table cannot be read from a Series", help="make it a frame: series.to_frame()")
    repeated = [str(name) for name in data.columns[data.columns.duplicated()]]
    if repeated:
        raise DataError(f'the column "{repeated[0]}" is there twice', help="rename one of them")
    try:
        import pyarrow
    except ImportError:
        raise PlanError(
            "pandas hands tables over with pyarrow, which is not installed", help="pip install pyarrow"
        ) from None
    data = data.set_axis([_name(name) for name in data.columns], axis=1)
    arrays = [_column(pyarrow, name, column, needed is None or name in needed) for name, column in data.items()]
    return pyarrow.table(arrays, names=list(data.columns))


#: Types of pandas that Arrow would hand over as numbers which nobody sees in the frame.
_CODED = ("period", "interval")


def _column(pyarrow: Any, name: str, column: Any, is_needed: bool) -> Any:
    if not str(column.dtype).startswith(_CODED):
        # What is said about a failure quotes a cell: nothing of it is kept.
        with suppress(Exception):
            return pyarrow.Array.from_pandas(column)
    if is_needed and not str(column.dtype).startswith(_CODED):
        raise DataError(
            f'the column "{name}" holds values of several types, or of one that Arrow lacks',
            help=f'make them one: df["{name}"] = df["{name}"].astype("string")',
        )
    return pyarrow.array(_as_texts(column))


def _as_texts(column: Any) -> list[str | None]:
    return [None if missing else _text(value) for value, missing in zip(column, column.isna(), strict=True)]


def _text(value: Any) -> str:
    with suppress(Exception):
        return str(value).encode("utf-8", "replace").decode("utf-8")
    return type(value).__name__


def _name(name: Any) -> str:
    """Give a column's name as a text."""
    text = _text(name)
    if text != str(name):
        raise DataError("the name of a column is no valid text", help="rename it")
    return text


def _from_columns(data: dict[str, Any]) -> Any:
    """Hand over a dict of columns by whatever library is at hand."""
    for maker in (_arrow_table, _polars_frame):
        try:
            return maker(data)
        except ImportError:
            continue
    raise PlanError("columns by name are handed over with pyarrow or polars, and neither is installed")


def _arrow_table(data: dict[str, Any]) -> Any:
    import pyarrow

    arrays: dict[str, Any] = {}
    for name, values in ((_name(name), values) for name, values in data.items()):
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise DataError(f'the column "{name}" is one value, not a list of them')
        with suppress(Exception):
            arrays[name] = pyarrow.array(list(values))
        if name not in arrays:
            raise DataError(f'the column "{name}" holds values of several types, or of one that Arrow lacks')
    if len({len(array) for array in arrays.values()}) > 1:
        raise DataError("the columns have different lengths")
    return pyarrow.table(arrays)


def _polars_frame(data: dict[str, Any]) -> Any:
    import polars

    with suppress(Exception):
        return polars.DataFrame(data)
    raise DataError("the columns hold values of several types, or have different lengths")
