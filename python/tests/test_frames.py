"""Every kind of frame and every type comes in and goes out as it is."""

import datetime as dt
import decimal
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf


def texts(table, column="x"):
    """The cells of a column as texts; missing ones are None."""
    found = table.to_arrow().column(column).to_pylist()
    return [None if value is None else str(value) for value in found]


DAY = dt.date(2024, 2, 29)
MOMENT = dt.datetime(2024, 2, 29, 12, 30, 1)

# A type of Arrow, values with a missing one, and how they come out.
TYPES = [
    (pa.int8(), [-128, None, 7], ["-128", None, "7"]),
    (pa.int16(), [-300, None, 7], ["-300", None, "7"]),
    (pa.int32(), [-70_000, None, 7], ["-70000", None, "7"]),
    (pa.int64(), [2**62, None, 7], [str(2**62), None, "7"]),
    (pa.uint8(), [255, None, 7], ["255", None, "7"]),
    (pa.uint16(), [65_535, None, 7], ["65535", None, "7"]),
    (pa.uint32(), [2**32 - 1, None, 7], [str(2**32 - 1), None, "7"]),
    (pa.uint64(), [2**64 - 1, None, 7], [str(2**64 - 1), None, "7"]),
    (pa.float16(), [np.float16(0.5), None], ["0.5", None]),
    (pa.float32(), [0.1, None, 2.5], ["0.1", None, "2.5"]),
    (pa.float64(), [0.1, None, 2.5], ["0.1", None, "2.5"]),
    (pa.bool_(), [True, None, False], ["true", None, "false"]),
    (pa.string(), ["é", None, "x y"], ["é", None, "x y"]),
    (pa.large_string(), ["é", None, "x"], ["é", None, "x"]),
    (pa.string_view(), ["more than twelve bytes", None, "x"], ["more than twelve bytes", None, "x"]),
    (pa.dictionary(pa.int8(), pa.string()), ["b", None, "a"], ["b", None, "a"]),
    (pa.dictionary(pa.int32(), pa.large_string()), ["b", None, "a"], ["b", None, "a"]),
    (pa.dictionary(pa.int32(), pa.int64()), [7, None, 9], ["7", None, "9"]),
    (pa.decimal128(10, 2), [decimal.Decimal("1.25"), None], ["1.25", None]),
    (pa.decimal128(30, 2), [decimal.Decimal("12345678901234567.89"), None], ["12345678901234567.89", None]),
    (pa.decimal256(40, 2), [decimal.Decimal("1.25"), None], ["1.25", None]),
    (pa.date32(), [DAY, None], ["2024-02-29", None]),
    (pa.date64(), [DAY, None], ["2024-02-29", None]),
    (pa.timestamp("s"), [MOMENT, None], ["2024-02-29T12:30:01", None]),
    (pa.timestamp("us"), [MOMENT, None], ["2024-02-29T12:30:01", None]),
    (pa.timestamp("ns", tz="UTC"), [MOMENT, None], ["2024-02-29T12:30:01Z", None]),
    (pa.time64("us"), [dt.time(8, 30), None], ["08:30:00", None]),
    (pa.null(), [None, None], [None, None]),
]


@pytest.mark.parametrize(("kind", "values", "expected"), TYPES, ids=[str(kind) for kind, *_ in TYPES])
def test_every_arrow_type_comes_in_and_goes_out(kind, values, expected):
    column = pa.array(values, kind)
    assert texts(sf.Table(pa.table({"x": column}))) == expected
    # In pieces, and as a part of a longer one.
    halves = pa.chunked_array([column[:1], column[1:]])
    assert texts(sf.Table(pa.table({"x": halves}))) == expected
    longer = pa.concat_arrays([column, column])
    assert texts(sf.Table(pa.table({"x": longer[len(values) :]}))) == expected


PANDAS = [
    (pd.Series([1, 2]), ["1", "2"]),
    (pd.Series([1.0, np.nan]), ["1.0", None]),
    (pd.Series([1, None], dtype="Int64"), ["1", None]),
    (pd.Series([True, None], dtype="boolean"), ["true", None]),
    (pd.Series(["a", None]), ["a", None]),
    (pd.Series(["a", np.nan], dtype="object"), ["a", None]),
    (pd.Series(["a", None], dtype="string"), ["a", None]),
    (pd.Series(["a", None], dtype="category"), ["a", None]),
    (pd.Series([MOMENT, None]), ["2024-02-29T12:30:01", None]),
    (pd.Series([pd.Timestamp("2024-02-29"), None]), ["2024-02-29", None]),
    (pd.Series([DAY, None]), ["2024-02-29", None]),
    (pd.Series([1, None], dtype=pd.ArrowDtype(pa.int32())), ["1", None]),
    (pd.Series([decimal.Decimal("1.5"), None]), ["1.5", None]),
    (pd.Series(pd.period_range("2020-01", periods=2, freq="M")), ["2020-01", "2020-02"]),
]


@pytest.mark.parametrize(("column", "expected"), PANDAS, ids=[str(column.dtype) for column, _ in PANDAS])
def test_pandas_types_come_in(column, expected):
    found = texts(sf.Table(pd.DataFrame({"x": column})))
    assert [None if one is None else one.removesuffix(".0") for one in found] == [
        None if one is None else one.removesuffix(".0") for one in expected
    ]


POLARS = [
    (pl.Series([1, None], dtype=pl.Int8), ["1", None]),
    (pl.Series([1, None], dtype=pl.UInt64), ["1", None]),
    (pl.Series([0.5, None], dtype=pl.Float32), ["0.5", None]),
    (pl.Series([0.5, float("nan")]), ["0.5", None]),
    (pl.Series([True, None]), ["true", None]),
    (pl.Series(["é", None]), ["é", None]),
    (pl.Series(["b", None], dtype=pl.Categorical), ["b", None]),
    (pl.Series(["b", None], dtype=pl.Enum(["a", "b"])), ["b", None]),
    (pl.Series([decimal.Decimal("1.25"), None], dtype=pl.Decimal(10, 2)), ["1.25", None]),
    (pl.Series([DAY, None]), ["2024-02-29", None]),
    (pl.Series([MOMENT, None], dtype=pl.Datetime("ms")), ["2024-02-29T12:30:01", None]),
    (pl.Series([dt.time(8, 30), None]), ["08:30:00", None]),
    (pl.Series([None, None]), [None, None]),
]


@pytest.mark.parametrize(("column", "expected"), POLARS, ids=[str(column.dtype) for column, _ in POLARS])
def test_polars_types_come_in(column, expected):
    frame = pl.DataFrame({"x": column})
    assert texts(sf.Table(frame)) == expected
    assert texts(sf.Table(frame.lazy())) == expected


def test_results_go_to_every_frame(release):
    arrow, pandas, polars = release.table.to_arrow(), release.table.to_pandas(), release.table.to_polars()
    assert arrow.num_rows == len(pandas) == polars.height == len(release.table)
    assert arrow.column("age").to_pylist() == pandas["age"].tolist() == polars["age"].to_list()
    held = release.table
    assert duckdb.sql("select count(*), count(distinct age) from held").fetchall()[0] == (
        len(held),
        polars["age"].n_unique(),
    )


def test_duckdb_comes_in():
    relation = duckdb.sql("select range as age, 'a' as x from range(3)")
    assert texts(sf.Table(relation), "age") == ["0", "1", "2"]


def test_the_index_of_pandas_is_no_column():
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["Ann", "Bob"], name="name"))
    assert sf.Table(frame).columns == ["x"]


def test_many_batches_are_one_table():
    batches = [pa.record_batch({"x": pa.array([n] * 3)}) for n in range(100)]
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, batches)
    assert len(sf.Table(reader)) == 300


def test_dictionaries_hold_nothing_that_is_not_published():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array(["a", "SECRET"]))
    out = sf.Table(pa.table({"x": column})).to_arrow().column("x").chunk(0)
    assert out.dictionary.to_pylist() == ["a"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pa.table({"visits": pa.array([[1]])}), '"visits" is of type list'),
        (pa.table({"visits": pa.array([{"a": 1}])}), '"visits" is of type struct'),
        (pa.table({"photo": pa.array([b"SECRET"])}), '"photo" is of type binary'),
        (pa.table({"x": pa.array([], pa.int64())}), "no records"),
        (pa.table({}), "no records"),
        (pd.DataFrame({"x": [1, "SECRET"]}), 'the column "x" holds values of several types'),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), 'the column "x" is there twice'),
        ({"x": [1], "y": [1, 2]}, "different lengths"),
        ({"x": [1, "SECRET"]}, "several types"),
    ],
)
def test_what_is_no_table_is_refused_without_a_cell(data, said):
    with pytest.raises(sf.DataError) as caught:
        sf.Table(data)
    assert said in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


class Derived(pd.DataFrame):
    """As others derive frames of their own."""


def test_derived_frames_are_frames():
    frame = Derived({"age": [21, 22]}, index=pd.Index(["Ann", "Tom"], name="name"))
    assert sf.Table(frame).columns == ["age"]
    with pytest.raises(sf.DataError) as caught:
        sf.Table(Derived({"q": [1, "SECRET"]}))
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("cells", [["SECRET\ud800"], [10**100], [1, "SECRET"], [object()]])
def test_cells_that_no_frame_can_hold(cells):
    for data in ({"q": cells}, pd.DataFrame({"q": pd.Series(cells, dtype="object")})):
        with pytest.raises(sf.DataError) as caught:
            sf.Table(data)
        seen = caught.value
        while seen is not None:
            assert "SECRET" not in repr(seen)
            seen = seen.__context__


def test_malformed_arrays_are_refused():
    offsets = pa.py_buffer(np.array([0, 2, 4, 3], dtype=np.int32))
    column = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"abcdef")])
    with pytest.raises(sf.DataError, match="malformed"):
        sf.Table(pa.table({"q": column}))
    with pytest.raises(sf.PlanError):
        sf.Table(pa.chunked_array([pa.array([{"q": 1}])]))


def test_other_things_are_refused():
    with pytest.raises(sf.PlanError, match="cannot be read from a int"):
        sf.Table(3)
    with pytest.raises(sf.PlanError, match="Series"):
        sf.Table(pd.Series([1]))


def test_streams_that_fail_tell_no_cell():
    def batches():
        yield pa.record_batch({"x": pa.array([1])})
        raise ValueError("SECRET")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.int64())]), batches())
    with pytest.raises(sf.DataError) as caught:
        sf.Table(reader)
    assert "SECRET" not in str(caught.value)


def test_tables_are_not_pickled(patients, release):
    with pytest.raises(TypeError, match="convert it first"):
        pickle.dumps(patients)
    with pytest.raises(TypeError, match="save it"):
        pickle.dumps(release)
    assert pickle.loads(pickle.dumps(release.plan)) == release.plan
