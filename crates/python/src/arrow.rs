//! Tables for Python by Arrow's C data interface: pyarrow, Polars, DuckDB and others read them without a copy.

use std::sync::Mutex;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::guarded;

/// A table in memory. All libraries that know Arrow's PyCapsules read it, without a copy and as often as you like:
/// pyarrow.table(blocks), polars.DataFrame(blocks), duckdb.sql("select * from blocks").
#[pyclass(frozen, module = "gleaner")]
pub(crate) struct ArrowTable {
    rows: RecordBatch,
}

impl ArrowTable {
    pub(crate) fn new(rows: RecordBatch) -> ArrowTable {
        ArrowTable { rows }
    }
}

#[pymethods]
impl ArrowTable {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.rows.schema())
    }

    fn __len__(&self) -> usize {
        self.rows.num_rows()
    }

    fn __repr__(&self) -> String {
        format!(
            "<ArrowTable: {} rows of {}>",
            self.rows.num_rows(),
            self.column_names().join(", ")
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| schema_capsule(py, &self.rows.schema()))
    }

    /// The consumer casts to `requested_schema` where it differs.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(|| {
            let batches = RecordBatchIterator::new([Ok(self.rows.clone())], self.rows.schema());
            stream_capsule(py, Box::new(batches))
        })
    }
}

/// Batches of rows that are made as they are read: once, by pyarrow.RecordBatchReader.from_stream(stream),
/// polars.DataFrame(stream) or DuckDB. To read it a second time raises ValueError.
#[pyclass(frozen, module = "gleaner")]
pub(crate) struct ArrowStream {
    schema: SchemaRef,
    batches: Mutex<Option<Box<dyn RecordBatchReader + Send>>>,
}

impl ArrowStream {
    pub(crate) fn new(batches: Box<dyn RecordBatchReader + Send>) -> ArrowStream {
        ArrowStream {
            schema: batches.schema(),
            batches: Mutex::new(Some(batches)),
        }
    }
}

#[pymethods]
impl ArrowStream {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.schema)
    }

    fn __repr__(&self) -> String {
        format!("<ArrowStream of {}>", self.column_names().join(", "))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| schema_capsule(py, &self.schema))
    }

    /// The consumer casts to `requested_schema` where it differs.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(|| {
            let batches = self.batches.lock().ok().and_then(|mut batches| batches.take());
            match batches {
                Some(batches) => stream_capsule(py, batches),
                None => Err(PyValueError::new_err(
                    "this stream was read: make another one, or keep its rows with pyarrow.table(stream)",
                )),
            }
        })
    }
}

fn names(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// The capsule owns what is not taken out of it, and releases it.
fn stream_capsule(
    py: Python<'_>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(batches);
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| broken(&error))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A table that cannot be put together.
pub(crate) fn broken(error: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
