//! What the invariants have in common.

use sfumato::{Error, Fault};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Stands in cells wherever an invariant looks for cells in messages.
pub const CANARY: &str = "Zq7Canary";

/// Silences the messages of panics. The libraries below the columnar readers panic on malformed
/// files, which the readers turn into errors; a panic that is not caught still ends a run.
pub fn keep_quiet() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// Checks an error of a reader: somebody outside can act on it, and it holds no cell.
#[track_caller]
pub(crate) fn check_error(error: &Error) {
    check_fault(error);
    let told = without_column_name(&error.to_string());
    assert!(!told.contains(CANARY), "a cell is told: {told}");
}

/// Checks who must act on an error: whoever gave the file, never a developer.
#[track_caller]
pub(crate) fn check_fault(error: &Error) {
    let fault = error.fault();
    let is_outside = matches!(fault, Fault::Data | Fault::Plan | Fault::Resources | Fault::Io | Fault::Gate);
    assert!(is_outside, "{fault:?} is not the fault of a file: {error}");
}

/// A message without the name of the column that it is about: names may be told, and may be
/// anything.
fn without_column_name(message: &str) -> String {
    const BEFORE: &str = "column \"";
    match (message.find(BEFORE), message.rfind('"')) {
        (Some(start), Some(end)) if start + BEFORE.len() <= end => {
            format!("{}{}", &message[..start], &message[end..])
        }
        _ => message.to_string(),
    }
}

thread_local! {
    static FOLDER: TempDir = in_memory();
}

/// A folder in memory where there is one, as files are written for every input.
pub(crate) fn in_memory() -> TempDir {
    let place = Some(PathBuf::from("/dev/shm")).filter(|place| place.is_dir()).unwrap_or_else(std::env::temp_dir);
    tempfile::Builder::new().prefix("sfumato-fuzz-").tempdir_in(place).expect("a folder for files")
}

/// Lets `read` have a file of these bytes.
pub(crate) fn with_file<T>(name: &str, bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("room for a file");
        read(&path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_cell_in_a_message_is_found_and_the_name_of_a_column_is_none() {
        let told = |message: String| catch_unwind(|| check_error(&Error::data(message))).is_err();
        assert!(told(format!("{CANARY} is no number")));
        assert!(told(format!("column \"age\": {CANARY} is no number")));
        assert!(!told(format!("column \"{CANARY}\" is of type list")));
        assert!(!told("line 3: the record has 2 fields".to_string()));
    }

    #[test]
    fn an_internal_fault_is_found() {
        let found = |fault: Fault| catch_unwind(|| check_fault(&Error::new(fault, "x"))).is_err();
        assert!(found(Fault::Internal) && !found(Fault::Data) && !found(Fault::Resources));
    }
}
