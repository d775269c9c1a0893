//! From the library's errors to Python's exceptions.

use pyo3::prelude::*;
use sfumato::{Error, Fault};

/// The exception for an error: `sfumato.errors` has a class for each [`Fault`].
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let made = || {
        let attainable: Vec<_> =
            error.attainable().iter().map(|one| (one.criterion.clone(), one.on.clone(), one.best.clone())).collect();
        let details = (
            fault_name(error.fault()),
            error.code().name(),
            error.message(),
            error.advice(),
            error.named_file().map(|file| file.display().to_string()),
            error.named_line(),
            attainable,
        );
        py.import("sfumato.errors")?.getattr("_from_native")?.call1(details)
    };
    made().map_or_else(|failed| failed, PyErr::from_value)
}

fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::Plan => "plan",
        Fault::Data => "data",
        Fault::Infeasible => "infeasible",
        Fault::Gate => "gate",
        Fault::Resources => "resources",
        Fault::Io => "io",
        Fault::Cancelled => "cancelled",
        Fault::Internal => "internal",
    }
}

/// What the library gives back, or raises.
pub trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for sfumato::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, &error))
    }
}
