//! The native half of the Python package.
//!
//! It hands tables over by Arrow's C interface, runs the library's own calls without Python's lock,
//! and gives back what the library says as JSON. How that looks to people is the business of the
//! Python half, in `python/sfumato/`.

mod errors;
mod frame;
mod listing;
mod plan;
mod published;
mod releases;
mod study;
mod work;

use pyo3::prelude::*;

/// The native half of sfumato.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use frame::{Frame, sample};
    #[pymodule_export]
    use listing::members;
    #[pymodule_export]
    use plan::NativePlan;
    #[pymodule_export]
    use published::{NativeRelease, publish, publish_sets};
    #[pymodule_export]
    use releases::{attack, beliefs, compare, open_release, verify};
    #[pymodule_export]
    use study::{audit, draft, draft_hierarchies, inspect, population, skyline, skyline_of_release};
    #[pymodule_export]
    use work::settle;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        work::hide_panic_messages();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
