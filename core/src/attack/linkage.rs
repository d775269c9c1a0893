//! Linkage: whoever has a register with names looks up whose record this is.
//!
//! **Knowledge**: the release and everybody's quasi-identifiers; and who is in the release
//! (`register = "original"`), or, with a register file, only who is in the register. **Finds** the
//! chance to pick a person's record. *Prosecutor*: the target is known to be in the release.
//! *Journalist*: she is known to be in the register. *Marketer*: the share of records that are
//! expected to be linked to the right person when all are tried. **Definition**: for a group of n
//! records and F people of the register who fit it, the prosecutor's chance is 1/n; the
//! journalist's is 1/max(F, n), for groups that anybody in the register fits (a register with F < n
//! is not complete: n people fit, listed or not); the marketer's is the mean over records of the
//! journalist's. With "original" the register holds just the published people, F = n. In a
//! bucketized release, whose quasi-identifiers are exact, n counts the records with equal
//! quasi-identifiers, and k-anonymity of its groups is no limit. A person of the register fits a
//! group when the group's labels stand for all of her values ([`register`](super::register) says
//! how labels are read). The highest belief is the prosecutor's for "original" and the journalist's
//! for a file; affected are the records for which it is reached. **Cost**: one look at each group;
//! with a file, grouping its rows together with the release's groups, or, where labels overlap,
//! comparing each row with every group. **Reference**: Samarati 2001; El Emam and Dankar 2008
//! (prosecutor, journalist, marketer).
//!
//! ```
//! let found = sfumato::attack::example("linkage", &[])?;
//! assert_eq!(found[0].highest.to_f64(), 1.0 / 3.0); // one of three, in either group
//! assert_eq!(found[0].people, 6);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::register::Register;
use super::reidentification::classes_of;
use super::shared::{Belief, Tally};
use super::{Attack, Build, Finding, REGISTER_FITTING, Target};
use crate::criterion::{About, Knowledge, Limit};
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Shape};

/// The description of the linkage attack.
pub const KIND: Kind<Build> = Kind {
    name: "linkage",
    summary: "Measures the chance to pick a person's record by her quasi-identifiers",
    reference: "Samarati 2001; El Emam and Dankar 2008",
    params: &[Param {
        name: "register",
        summary: "the people the attacker knows of: a file, or those of the original",
        shape: Shape::FileOr("original"),
        default: Some("original"),
    }],
    example: &[],
    build: |params| Box::new(Linkage { params: params.clone() }),
};

struct Linkage {
    params: Params,
}

impl Attack for Linkage {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let classes = classes_of(target)?;
        let sizes: Vec<u64> = (0..classes.len()).map(|class| classes.size(class) as u64).collect();
        let register = self.params.file("register").map(|path| Register::read(target, path)).transpose()?;
        // How many people a record of each group may belong to; nobody where the register has none.
        let candidates: Vec<Option<u64>> = match &register {
            None => sizes.iter().map(|&size| Some(size)).collect(),
            Some(register) => {
                register.fitting.iter().zip(&sizes).map(|(&fit, &n)| (fit > 0).then(|| fit.max(n))).collect()
            }
        };
        let knowledge = match &register {
            None => "everybody's quasi-identifiers, and who is in the release".to_string(),
            Some(register) => format!("a register of {} people with their quasi-identifiers", register.records),
        };

        let tally = tally(target, &sizes, &candidates);
        let mut finding = tally.finding(KIND.name, &self.params, knowledge, target.groups.records());
        finding.repeatable = register.is_none();
        finding.details.extend(details(&sizes, &candidates));
        if let Some(register) = register {
            finding.details.push(("register_records", register.records as f64));
            finding.details.push((REGISTER_FITTING, register.fitting.iter().sum::<u64>() as f64));
            finding.details.push(("register_unknown", register.unknown as f64));
        }
        Ok(vec![finding])
    }

    fn is_made(&self, _: &Target<'_>) -> bool {
        true
    }
}

/// The tightest limit on the chance to pick a person's record. What criteria promise about groups
/// is no promise about rows with exact quasi-identifiers.
fn limit(target: &Target<'_>) -> Option<Limit> {
    match target.bucketized {
        false => target.promises.limit(None, About::Identity, Knowledge::Nothing),
        true => target.promises.tolerated(About::Identity, Knowledge::Nothing),
    }
}

fn one_of(people: u64) -> Fraction {
    Fraction::new(1, u128::from(people))
}

fn tally(target: &Target<'_>, sizes: &[u64], candidates: &[Option<u64>]) -> Tally {
    let limit = limit(target);
    let fewest = candidates.iter().flatten().min();
    let mut tally = Tally::default();
    for (&size, people) in sizes.iter().zip(candidates) {
        let risk = Belief::new(people.map_or(Fraction::ZERO, one_of), limit);
        tally.believe(risk);
        tally.count(size, risk.belief.to_f64(), risk.exceeds);
        tally.affect(if people.is_some() && people.as_ref() == fewest { size } else { 0 });
    }
    tally
}

fn details(sizes: &[u64], candidates: &[Option<u64>]) -> [(&'static str, f64); 4] {
    let chance = |people: Option<u64>| people.map_or(0.0, |people| one_of(people).to_f64());
    let records: u64 = sizes.iter().sum();
    let linked: f64 = sizes
        .iter()
        .zip(candidates)
        .map(|(&size, people)| people.map_or(0.0, |people| size as f64 / people as f64))
        .sum();
    [
        ("prosecutor", chance(sizes.iter().min().copied())),
        ("journalist", chance(candidates.iter().flatten().min().copied())),
        ("marketer", if records == 0 { 0.0 } else { linked / records as f64 }),
        ("unique", sizes.iter().filter(|&&size| size == 1).count() as f64),
    ]
}
