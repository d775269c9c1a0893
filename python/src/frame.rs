//! Tables: from any data frame by Arrow's C interface, and back.

use crate::errors::OrRaise;
use crate::plan::NativePlan;
use crate::work;
use arrow_array::{ArrayRef, RecordBatchReader, StructArray};
use arrow_schema::Field;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use sfumato::data::{ReadOptions, Table};
use sfumato_columnar::{record_batches, schema, table_of};
use std::path::PathBuf;
use std::sync::Arc;

/// A table, coded as the library holds it.
#[pyclass(frozen, module = "sfumato._native")]
pub struct Frame(pub Arc<Table>);

#[pymethods]
impl Frame {
    /// Reads whatever has `__arrow_c_stream__`, as the plan says how.
    #[staticmethod]
    #[pyo3(signature = (data, plan=None, progress=None))]
    fn from_arrow(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        plan: Option<&NativePlan>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Frame> {
        let reader: PyRecordBatchReader = data.extract()?;
        let reader = reader.into_reader()?;
        let options = plan.map_or_else(ReadOptions::default, NativePlan::options);
        let table =
            work::run(py, progress, move |formats| table_of(&reader.schema(), reader, &formats.bounded(&options)))?;
        Ok(Frame(Arc::new(table)))
    }

    /// Reads a file, as the plan says how.
    #[staticmethod]
    #[pyo3(signature = (path, plan=None, progress=None))]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        plan: Option<&NativePlan>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Frame> {
        let options = plan.map_or_else(ReadOptions::default, NativePlan::options);
        let table = work::run(py, progress, move |formats| formats.read(&path, &options))?;
        Ok(Frame(Arc::new(table)))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.0.columns().iter().map(|column| column.name()).collect()
    }

    /// How many records there are.
    fn __len__(&self) -> usize {
        self.0.rows()
    }

    /// The first records, as texts.
    fn head(&self, rows: usize) -> Vec<Vec<&str>> {
        let row = |row| self.0.columns().iter().map(|column| column.value(row)).collect();
        (0..rows.min(self.0.rows())).map(row).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = schema(&self.0).or_raise(py)?;
        Ok(to_schema_pycapsule(py, schema.as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = py.detach(|| record_batches(&self.0)).or_raise(py)?;
        let schema = schema(&self.0).or_raise(py)?;
        let field = Arc::new(Field::new_struct("", schema.fields().clone(), false));
        let arrays = batches.into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let reader = Box::new(ArrayIterator::new(arrays, field));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }
}

/// A made-up hospital's table: the same numbers give the same one.
#[pyfunction]
pub fn sample(rows: usize, seed: u64) -> Frame {
    Frame(Arc::new(sfumato::data::sample::hospital(rows, seed)))
}
