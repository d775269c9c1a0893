//! Which published groups a failed cut of a larger group runs through: what such a cut says is
//! about several groups together.

use super::axis::Axis;
use super::split::{Formed, Rule, Splitter};
use crate::candidate::Groups;
use crate::data::Column;
use crate::watch::Watch;

/// For each group whether a cut runs through it that failed on a larger group before another was
/// taken.
///
/// # Claim
/// Cuts are tried in an order that quasi-identifiers tell. A cut that runs through no published
/// group has sides that are unions of safe groups, so that criteria that merging keeps hold for
/// them: it would have been taken. So the first such cut is the one that was taken, and those
/// before it failed. A group that no failed cut runs through lies on one side of each of them:
/// exchanging its values changes none. Its worlds are told by its own cuts alone. A cut with fewer
/// than `least` records on a side fails whatever the values, and tells nothing.
pub(super) fn coupled(groups: &Groups, dimensions: &[(&Column, Axis)], even: bool, least: u64) -> Vec<bool> {
    let rows = dimensions.first().map_or(0, |(column, _)| column.codes().len());
    let Some(formed) = Formed::new(groups, rows, even, least) else { return vec![true; groups.len()] };
    Splitter { dimensions, rule: Rule::Whole(&formed), lots: None, watch: Watch::NONE }.split(rows);
    formed.cut_through()
}
