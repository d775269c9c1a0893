//! Linkage: whoever has a register with names looks up whose record this is.
//!
//! **Knowledge**: the release and everybody's quasi-identifiers; and who is in the release (`register = "original"`), or, with a register file, only who is in the register.
//! **Finds** the chance to pick a person's record. *Prosecutor*: the target is known to be in the release. *Journalist*: she is known to be in the register. *Marketer*: the share of records
//! that are expected to be linked to the right person when all are tried.
//! **Definition**: for a group of n records and F people of the register who fit it, the prosecutor's chance is 1/n; the journalist's is 1/max(F, n), for groups that anybody in the register fits
//! (a register with F < n is not complete: n people fit, listed or not); the marketer's is the mean over records of the journalist's. With "original" the register holds just the published people, F = n.
//! In a bucketized release, whose quasi-identifiers are exact, n counts the records with equal quasi-identifiers, and
//! k-anonymity of its groups is no limit.
//! A person of the register fits a group when each of her values is the group's, or the first of its hierarchy's labels that the release has is. The highest belief is the prosecutor's for "original" and the
//! journalist's for a file; affected are the records for which it is reached.
//! **Cost**: one look at each group; with a file, grouping its rows together with the release's groups.
//! **Reference**: Samarati 2001; El Emam and Dankar 2008 (prosecutor, journalist, marketer).
//!
//! ```
//! let found = sfumato::attack::example("linkage", &[])?;
//! assert_eq!(found[0].highest.to_f64(), 1.0 / 3.0); // one of three, in either group
//! assert_eq!(found[0].people, 6);
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Belief, Tally, published_codes};
use super::{Attack, Build, Finding, Target};
use crate::candidate::{Groups, dense_ids};
use crate::criterion::{About, Knowledge, Limit};
use crate::data::{Column, ReadOptions, Role, Table};
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Kind, Param, Params, Shape};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

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
        let classes = classes(target)?;
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
            finding.details.push(("register_fitting", register.fitting.iter().sum::<u64>() as f64));
            finding.details.push(("register_unknown", register.unknown as f64));
        }
        Ok(vec![finding])
    }

    fn is_made(&self, _: &Target<'_>) -> bool {
        true
    }
}

/// Records that nobody can tell apart by their published quasi-identifiers. In a bucketized release those are exact, and
/// a group number does not hide whose row it is.
fn classes<'t>(target: &Target<'t>) -> Result<Cow<'t, Groups>> {
    if !target.bucketized {
        return Ok(Cow::Borrowed(target.groups));
    }
    let quasi = target.schema.select(target.release, Role::Quasi)?;
    Ok(Cow::Owned(Groups::by_columns(&quasi, target.release.rows())))
}

/// The tightest limit on the chance to pick a person's record. What criteria promise about groups is no promise about
/// rows with exact quasi-identifiers.
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

/// A register, and how it fits the release.
struct Register {
    records: usize,
    /// People who fit each group.
    fitting: Vec<u64>,
    /// People with a value that has no label in the release.
    unknown: u64,
}

impl Register {
    fn read(target: &Target<'_>, path: &Path) -> Result<Register> {
        if target.bucketized {
            let error =
                Error::plan("linkage: a register is compared with generalized values, and the release is bucketized");
            return Err(error.help("leave out `register`: whoever is in a group is known from the exact values anyway"));
        }
        let path = target.folder.join(path);
        let table = target.formats.read(&path, &ReadOptions::default())?;
        let quasi = target.schema.select(target.release, Role::Quasi)?;
        for column in &quasi {
            if table.find(column.name()).is_none() {
                let message = format!("linkage: the register has no column \"{}\"", column.name());
                let help = "a register has a column for every quasi-identifier, named as in the plan";
                return Err(Error::plan(message).file(&path).help(help));
            }
        }
        Register::join(target, &quasi, &table)
    }

    fn join(target: &Target<'_>, quasi: &[&Column], table: &Table) -> Result<Register> {
        let groups = target.groups;
        let mut unknown = vec![false; table.rows()];
        // For each column the codes of the groups, then those of the register.
        let mut columns: Vec<(Vec<u32>, usize)> = Vec::with_capacity(quasi.len());
        for release in quasi {
            let column = table.column(release.name())?;
            let published = labels_of(target, column, release)?;
            let mut codes: Vec<u32> =
                (0..groups.len()).map(|group| release.codes()[groups.rows(group)[0] as usize]).collect();
            for (&code, unknown) in column.codes().iter().zip(&mut unknown) {
                let label = published[code as usize];
                *unknown |= label.is_none();
                codes.push(label.unwrap_or(0));
            }
            columns.push((codes, release.domain().len().max(1)));
        }
        let coded: Vec<(&[u32], usize)> = columns.iter().map(|(codes, domain)| (codes.as_slice(), *domain)).collect();
        let (ids, count) = dense_ids(&coded, groups.len() + table.rows());
        let (of_groups, of_people) = ids.split_at(groups.len());
        let mut people = vec![0u64; count];
        of_people.iter().zip(&unknown).filter(|person| !person.1).for_each(|(&id, _)| people[id as usize] += 1);
        Ok(Register {
            records: table.rows(),
            fitting: of_groups.iter().map(|&id| people[id as usize]).collect(),
            unknown: unknown.iter().filter(|&&unknown| unknown).count() as u64,
        })
    }
}

/// For each value of a register's column the code of its published label. The original's values are looked up first: some hierarchies depend on which values
/// there are.
fn labels_of(target: &Target<'_>, column: &Column, release: &Column) -> Result<Vec<Option<u32>>> {
    let mut known: HashMap<&str, Option<u32>> = HashMap::new();
    if let Some(original) = target.original {
        let values = original.table.column(release.name())?;
        let codes = published_codes(target.schema, values, release);
        known.extend(values.domain().labels().iter().zip(codes));
    }
    let labels = column.domain().labels();
    let strange: Vec<&str> = labels.iter().filter(|label| !known.contains_key(label)).collect();
    look_up(target, release, &strange, &mut known);
    Ok(labels.iter().map(|label| known[label]).collect())
}

/// Looks up values that may not be in the hierarchy: as long as some are not, in halves.
fn look_up<'v>(target: &Target<'_>, release: &Column, values: &[&'v str], known: &mut HashMap<&'v str, Option<u32>>) {
    if values.is_empty() {
        return;
    }
    let column = Column::from_values(release.name(), values);
    let rule = target.schema.find(release.name()).and_then(|spec| spec.rule.as_deref());
    let all_known = rule.is_none_or(|rule| rule.ladder(&column).is_ok());
    if values.len() > 1 && !all_known {
        let (left, right) = values.split_at(values.len() / 2);
        look_up(target, release, left, known);
        look_up(target, release, right, known);
        return;
    }
    let codes = published_codes(target.schema, &column, release);
    for (value, &code) in values.iter().zip(column.codes()) {
        known.insert(value, codes[code as usize]);
    }
}
