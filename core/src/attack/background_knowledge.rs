//! Background knowledge: whoever knows some values that a person does *not* have is left with fewer.
//!
//! **Knowledge**: the release, everybody's quasi-identifiers, and `eliminate` values that the person does not have: whichever tell most about her.
//! **Finds** the people whose value becomes certain, and the highest belief in a value that needs protection.
//! **Definition**: belief in a value with count r is r/(n − the counts of the `eliminate` most frequent *other* values of the group); 1 where no other value is left. Affected are the records
//! whose own value needs protection, in groups with at most `eliminate` + 1 different values: for these people there are that many values, none of them theirs, that leave only theirs.
//! **Cost**: sorting the counts of each group.
//! **Reference**: Machanavajjhala et al. 2007, Sections 1.1 and 4.
//!
//! ```
//! let found = sfumato::attack::example("background-knowledge", &[("eliminate", "1")])?;
//! assert_eq!(found[0].highest.to_f64(), 1.0); // not the flu? then cancer
//! assert_eq!(found[0].people, 3); // the first group has but two diseases
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::homogeneity::{believe_each, tally_groups};
use super::shared::for_each_sensitive;
use super::{Attack, Build, Finding, Target};
use crate::candidate::Histogram;
use crate::criterion::Knowledge;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Shape};

/// The description of the background-knowledge attack.
pub const KIND: Kind<Build> = Kind {
    name: "background-knowledge",
    summary: "Measures belief once some values are known that a person does not have",
    reference: "Machanavajjhala et al. 2007, Sections 1.1 and 4",
    params: &[Param {
        name: "eliminate",
        summary: "how many values are known that the person does not have",
        shape: Shape::Count(1),
        default: Some("1"),
    }],
    example: &[("eliminate", "2")],
    build: |params| Box::new(BackgroundKnowledge { params: params.clone() }),
};

struct BackgroundKnowledge {
    params: Params,
}

impl Attack for BackgroundKnowledge {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let eliminate = self.params.count("eliminate");
        for_each_sensitive(target, Knowledge::Eliminated(eliminate), |sensitive| {
            let tally = tally_groups(target, sensitive, |group, tally| {
                let ruled_out = RuledOut::new(group, eliminate);
                believe_each(group, sensitive, tally, |count| ruled_out.belief(count));
                let certain = group.entries().len() as u64 <= eliminate.saturating_add(1);
                let cared = group.entries().iter().filter(|entry| sensitive.cared_for[entry.0 as usize]);
                tally.affect(if certain { cared.map(|entry| u64::from(entry.1)).sum() } else { 0 });
            });
            let values = if eliminate == 1 { "one value".to_string() } else { format!("{eliminate} values") };
            let knowledge =
                format!("the release, everybody's quasi-identifiers, and {values} that the person does not have");
            let finding = tally.finding(KIND.name, &self.params, knowledge, target.groups.records());
            Finding { on: Some(sensitive.column.name().to_string()), ..finding }
        })
    }
}

/// The most frequent values of a group, for attackers to rule out.
struct RuledOut {
    size: u64,
    /// The sums of the so many largest counts, and of one more.
    sums: [u64; 2],
    /// The smallest of the former counts.
    least: u32,
}

impl RuledOut {
    fn new(group: &Histogram<'_>, values: u64) -> Self {
        let counts = group.descending();
        let values = usize::try_from(values).unwrap_or(usize::MAX).min(counts.len());
        let sum = |values: usize| counts.iter().take(values).map(|&count| u64::from(count)).sum();
        RuledOut { size: group.size(), sums: [sum(values), sum(values + 1)], least: counts[values - 1] }
    }

    /// The belief in a value with this count, once the most frequent others are ruled out: it does not rule out itself.
    fn belief(&self, count: u32) -> Fraction {
        let own = u64::from(count);
        let others = if count >= self.least { self.sums[1] - own } else { self.sums[0] };
        Fraction::new(u128::from(own), u128::from(self.size - others))
    }
}
