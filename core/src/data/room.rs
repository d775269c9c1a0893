//! Whether a table fits, told before room is made for it.

use crate::error::{Error, ErrorCode, Result};

/// Refuses a table whose codes alone would take more than the `memory` allowed.
///
/// ```
/// use sfumato::data::check_room;
///
/// assert!(check_room(1_000_000, 10, Some(1 << 30)).is_ok());
/// let error = check_room((1 << 31) + 1, 3, Some(1 << 30)).unwrap_err();
/// assert!(error.message().contains("24.0 GiB"));
/// ```
pub fn check_room(records: u64, columns: usize, memory: Option<u64>) -> Result<()> {
    let needed = needed(records, columns);
    match memory.filter(|memory| needed > u128::from(*memory)) {
        None => Ok(()),
        Some(memory) => Err(too_large(records, columns, memory)),
    }
}

/// That a table does not fit.
pub(super) fn too_large(records: u64, columns: usize, memory: u64) -> Error {
    let message = format!(
        "about {records} records in {columns} columns would take {}, and {} are allowed",
        in_words(needed(records, columns)),
        in_words(memory.into())
    );
    Error::of(ErrorCode::Memory, message).help("allow more with --memory, or split the table, or drop columns")
}

/// Bytes that the codes take.
fn needed(records: u64, columns: usize) -> u128 {
    (u128::from(records) * columns as u128).saturating_mul(size_of::<u32>() as u128)
}

/// A number of bytes as people read it.
pub fn in_words(bytes: u128) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let at = (0..units.len() - 1).take_while(|&at| bytes >> (10 * (at + 1)) > 0).count();
    match at {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / (1u128 << (10 * at)) as f64, units[at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;

    #[test]
    fn what_fits_exactly_fits() {
        assert!(check_room(5, 2, Some(40)).is_ok());
        assert_eq!(check_room(5, 2, Some(39)).unwrap_err().fault(), Fault::Resources);
        assert!(check_room(u64::MAX, usize::MAX, None).is_ok());
        assert!(check_room(u64::MAX, usize::MAX, Some(u64::MAX)).is_err());
    }

    #[test]
    fn sizes_are_told_in_fitting_units() {
        let told = [0, 1023, 1024, 1536, 1 << 20, 3 << 29, 1 << 40, 1 << 55].map(in_words);
        assert_eq!(
            told,
            ["0 bytes", "1023 bytes", "1.0 KiB", "1.5 KiB", "1.0 MiB", "1.5 GiB", "1.0 TiB", "32768.0 TiB"]
        );
    }
}
