//! Means and medians in the place of ranges: for which columns, and which value is nearest to one.

use crate::data::{Center, Column, Schema, ValueType, parse_decimal};
use crate::error::{Error, Result};

/// The number that the plan gives groups of a column, if it does; refused where values are no
/// numbers, or in an order that is not theirs.
///
/// # Claim
/// It is a function of the quasi-identifiers of one group. Groups with equal labels are one group
/// to everybody who sees them, so what is audited is the union; a criterion that merging may
/// violate is refused beforehand.
pub fn center_of(column: &Column, schema: &Schema) -> Result<Option<Center>> {
    let Some((spec, center)) = schema.find(column.name()).and_then(|spec| Some((spec, spec.center?))) else {
        return Ok(None);
    };
    let is_number = matches!(column.domain().value_type(), ValueType::Integer | ValueType::Decimal);
    if is_number && spec.order.is_empty() {
        return Ok(Some(center));
    }
    let why = if is_number { "`order` says that they lie otherwise" } else { "its values are no numbers" };
    let message = format!("column \"{}\": `label` = \"{}\" is about numbers, and {why}", spec.name, center.name());
    Err(Error::plan(message).help("leave it out"))
}

/// The code of the value that is nearest to a number, the lower of two.
pub(super) fn nearest(column: &Column, center: &str) -> Option<u32> {
    let (domain, center) = (column.domain(), parse_decimal(center)?);
    let number = |code: u32| parse_decimal(domain.label(code)).unwrap_or(f64::INFINITY);
    let numbers: Vec<u32> = (0..domain.len() as u32).filter(|code| domain.missing() != Some(*code)).collect();
    let above = numbers.partition_point(|&code| number(code) < center);
    let around = numbers[above.saturating_sub(1)..].iter().take(2).copied();
    around.reduce(|low, high| if (number(high) - center).abs() < (number(low) - center).abs() { high } else { low })
}
