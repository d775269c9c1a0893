//! Homogeneity: where nearly all of a group have the same value, knowing the group is knowing the
//! value.
//!
//! **Knowledge**: the release, and everybody's quasi-identifiers. **Finds** the people in groups in
//! which one value that needs protection has at least the share `threshold`; at 1, the default,
//! those whose value is certain. **Definition**: belief in a value is its share of the group, r/n;
//! a group is homogeneous when r/n ≥ threshold for some value that needs protection. **Cost**: one
//! pass over the records. **Reference**: Machanavajjhala et al. 2007, Section 1.1.
//!
//! ```
//! let found = sfumato::attack::example("homogeneity", &[("threshold", "0.6")])?;
//! assert_eq!(found[0].people, 3); // two of three in the first group have the flu
//! assert_eq!(found[0].highest.to_f64(), 2.0 / 3.0);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Belief, Sensitive, Tally, for_each_sensitive, over_groups};
use super::{Attack, Build, Finding, Target};
use crate::candidate::{Counter, Histogram};
use crate::criterion::Knowledge;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Range, Shape};

/// The description of the homogeneity attack.
pub const KIND: Kind<Build> = Kind {
    name: "homogeneity",
    summary: "Counts people in groups in which one sensitive value has nearly all of the records",
    reference: "Machanavajjhala et al. 2007, Section 1.1",
    params: &[Param {
        name: "threshold",
        summary: "the share of one value that makes a group homogeneous",
        shape: Shape::Decimal(Range::SHARE),
        default: Some("1"),
    }],
    example: &[("threshold", "0.95")],
    build: |params| Box::new(Homogeneity { params: params.clone() }),
};

struct Homogeneity {
    params: Params,
}

impl Attack for Homogeneity {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let threshold = self.params.decimal("threshold").fraction();
        for_each_sensitive(target, Knowledge::Nothing, |sensitive| {
            let tally = tally_groups(target, sensitive, |group, tally| {
                let share = |_: u32, count: u64| Fraction::new(u128::from(count), u128::from(group.size()));
                let highest = believe_each(group, sensitive, tally, share);
                tally.affect(if highest >= threshold { group.size() } else { 0 });
            });
            let knowledge = "the release, and everybody's quasi-identifiers".to_string();
            let finding = tally.finding(KIND.name, &self.params, knowledge, target.groups.records());
            Finding { on: Some(sensitive.column.name().to_string()), ..finding }
        })
    }
}

/// What all groups add up to, each seen by its histogram.
pub(super) fn tally_groups(
    target: &Target<'_>,
    sensitive: &Sensitive<'_>,
    visit: impl Fn(&Histogram<'_>, &mut Tally) + Sync,
) -> Tally {
    let codes = sensitive.column.codes();
    let start = || (Tally::default(), Counter::new(sensitive.column.domain().len()));
    let see = |(tally, counter): &mut (Tally, Counter), group: usize| {
        let rows = target.groups.rows(group);
        visit(&counter.count(group, rows.iter().map(|&row| codes[row as usize])), tally);
    };
    over_groups(target.groups, start, see, |a, b| (a.0.merge(b.0), a.1)).0
}

/// Takes note of the belief in each value of a group that needs protection, given its code and
/// count; the highest of them.
pub(super) fn believe_each(
    group: &Histogram<'_>,
    sensitive: &Sensitive<'_>,
    tally: &mut Tally,
    belief: impl Fn(u32, u64) -> Fraction,
) -> Fraction {
    let (mut highest, mut above_limit) = (Fraction::ZERO, false);
    for &(code, count) in group.entries().iter().filter(|entry| sensitive.cared_for[entry.0 as usize]) {
        let one = Belief::new(belief(code, count), sensitive.limits[code as usize]);
        tally.believe(one);
        above_limit |= one.exceeds;
        highest = highest.max(one.belief);
    }
    tally.count(group.size(), highest.to_f64(), above_limit);
    highest
}
