//! Randomized greedy grouping: as greedy grouping, but a group that is safe takes one more bucket
//! with a chance, again and again.
//!
//! **Finds** small groups of records that are near each other, a little larger than greedy
//! grouping's. **How**: as greedy grouping; whether a safe group goes on is drawn by lot, by the
//! operating system's generator. **Class**: asymmetric, but a group of several buckets no longer
//! tells that its first ones were not safe: the larger p, the less. **Reference**: Cormode,
//! Srivastava, Li and Li 2010, Section 4.3.

use super::greedy_grouping::Greedy;
use super::order::{ORDER, SORT};
use super::{ANATOMIZE, BUCKET, Build};
use crate::kind::{Kind, Param, Range, Shape};

/// The description of the method.
pub const KIND: Kind<Build> = Kind {
    name: "randomized-greedy-grouping",
    summary: "Greedy grouping in which a safe group goes on with probability p, which blurs what the method discloses",
    reference: "Cormode et al. 2010, Section 4.3",
    params: &[
        Param {
            name: "p",
            summary: "the chance that a safe group takes one more bucket; 1 would never close a group",
            shape: Shape::Decimal(Range::BELOW_ONE),
            default: Some("0.65"),
        },
        ORDER,
        SORT,
        BUCKET,
        ANATOMIZE,
    ],
    example: &[("p", "0.6")],
    build: |params| Box::new(Greedy { going_on: params.decimal("p").fraction().reduced(), params: params.clone() }),
};
