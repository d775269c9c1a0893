//! Where a sensitive value has more than one in l of the records: withhold some first, or, if no
//! grouping could hide it, say what that would cost.

use super::SkewReport;
use super::infeasible::{attainable, describe};
use crate::audit::{Answer, Eligibility, audit_bound};
use crate::candidate::Groups;
use crate::chance::Chance;
use crate::criterion::{Bound, Requirement};
use crate::data::{Column, Role, Schema, Table};
use crate::error::{Error, ErrorCode, Fault, Result};
use crate::exact::Fraction;
use crate::inspect::{self, Way};
use crate::kind::Kind;
use crate::plan::{Publishing, TablePlan};
use crate::skew::{self, Ranked, Skewed};
use rand::RngExt;
use rand_chacha::ChaCha20Rng;
use std::slice;

/// What is left of a table, and what was done.
pub(super) struct Restored {
    pub table: Table,
    pub report: SkewReport,
}

/// What the plan asks for where a value is too frequent, whether or not one is.
#[derive(Clone, Debug)]
pub struct DeclaredSkew {
    /// How records are withheld.
    pub method: &'static Kind<skew::Build>,
    /// The sensitive column.
    pub on: String,
    /// Among how many values the most frequent one is to hide.
    pub l: u64,
}

/// The purpose of random choices here.
const RECORDS: u64 = 0x736b_6577;

/// Withholds records of frequent values, as the plan says, wherever a value has more than one in l
/// of the records; nothing where none has. If the plan says nothing, refuses what no grouping could
/// satisfy.
///
/// Whether records are withheld depends on frequencies alone, not on what a criterion makes of them
/// or on which values need protection: so everybody knows what it means that some were, and beliefs
/// are those that [`skew`] states.
pub(super) fn restore(
    plan: &TablePlan,
    table: &Table,
    bound: &[Bound],
) -> Result<(Option<DeclaredSkew>, Option<Restored>)> {
    let tested = tested(&plan.requirements, table, bound)?;
    let publishing = &plan.publishing;
    let wanted = wanted(&tested, plan)?;
    let Some(method) = publishing.skew.method else {
        return refuse(&tested, &wanted, table).map(|restored| (None, restored));
    };
    let &[(on, l)] = wanted.as_slice() else { return Err(no_column(&wanted)) };
    let declared = Some(DeclaredSkew { method, on: on.to_string(), l });
    let Some(ranked) = skewed_ranks(&tested, (on, l), publishing, table)? else { return Ok((declared, None)) };
    let skewed = Skewed::new(&ranked.frequencies, l)?;
    let rows = suppress(method, table.column(on)?, ranked, &skewed, publishing.chance)?;
    let withheld = skewed.records() - rows.len() as u64;
    let report = SkewReport { method, on: on.to_string(), l, records: skewed.records(), withheld: Some(withheld) };
    Ok((declared, Some(Restored { table: rest(table, &plan.schema, &rows)?, report })))
}

/// The plan must say which column records are withheld for: if the table decided, whoever reads
/// that it was this column would know that the others had no such value.
fn no_column(wanted: &[(&str, u64)]) -> Error {
    match wanted {
        [] => Error::plan("[skew]: no criterion says among how many values a frequent one is to hide")
            .help("require a criterion that limits the share of a value, or write [skew] l = … and, for several sensitive columns, on = …"),
        several => {
            let names: Vec<String> = several.iter().map(|(on, _)| format!("\"{on}\"")).collect();
            Error::plan(format!("[skew]: criteria are about {}; which may have a frequent value?", names.join(" and ")))
                .help("write [skew] on = …, one of these columns; what withholding for one discloses about another is not known")
        }
    }
}

/// How often the values of a column occur, if one has more than one in l of the records.
fn skewed_ranks(
    tested: &[Tested],
    (on, l): (&str, u64),
    publishing: &Publishing,
    table: &Table,
) -> Result<Option<Ranked>> {
    let ranked = Ranked::new(&table.column(on)?.counts());
    let values = ranked.frequencies.len() as u64;
    let is_in_the_way = || tested.iter().any(|tested| tested.on() == on && tested.too_frequent.is_some());
    if ranked.is_eligible(l) || (values < l && publishing.skew.l.is_none() && is_in_the_way()) {
        // Of too few values nothing can be restored; the method says what could be met.
        return Ok(None);
    }
    if values < l {
        let message = format!("[skew]: hiding among {l} values, where \"{on}\" has {values}");
        return Err(Error::plan(message).help("leave out `l` or lower it, or leave out [skew]"));
    }
    Ok(Some(ranked))
}

/// The error where the plan says nothing about a value that is in the way of every grouping, if one
/// is.
fn refuse(tested: &[Tested], wanted: &[(&str, u64)], table: &Table) -> Result<Option<Restored>> {
    let in_the_way = tested.iter().filter(|tested| tested.too_frequent.is_some());
    let Some(first) = in_the_way.max_by_key(|tested| tested.l) else { return Ok(None) };
    let l = wanted.iter().find(|(on, _)| *on == first.on()).map_or(first.l, |(_, l)| *l);
    let ranked = Ranked::new(&table.column(first.on())?.counts());
    match Skewed::new(&ranked.frequencies, l) {
        Ok(skewed) => Err(refused(first, &skewed)),
        // Too few values: the method says what could be met.
        Err(_) => Ok(None),
    }
}

/// The columns that are to be made eligible, each with its l: those that criteria on frequencies
/// are about, or the one that the plan names; with an l of its own, also the only sensitive one.
fn wanted<'t>(tested: &'t [Tested], plan: &'t TablePlan) -> Result<Vec<(&'t str, u64)>> {
    let skew = &plan.publishing.skew;
    let sensitive = plan.schema.names(Role::Sensitive);
    if let Some(on) = skew.on.as_deref().filter(|on| !sensitive.contains(on)) {
        return Err(Error::unknown(format!("[skew]: \"{on}\" is not a sensitive column"), on, sensitive));
    }
    let is_meant = |on: &str| skew.on.as_deref().is_none_or(|named| named == on);
    let mut columns: Vec<(&str, u64)> = Vec::new();
    for one in tested.iter().filter(|one| is_meant(one.on())) {
        match columns.iter_mut().find(|(on, _)| *on == one.on()) {
            Some((_, l)) => *l = one.l.max(*l),
            None => columns.push((one.on(), one.l)),
        }
    }
    let Some(l) = skew.l else { return Ok(columns) };
    let only = skew.on.as_deref().or(<[&str; 1]>::try_from(sensitive).ok().map(|[only]| only));
    match (columns.as_slice(), only) {
        (&[(_, needed)], _) if l < needed => {
            let message =
                format!("[skew]: hiding among {l} values is not enough for the criteria, which need {needed}");
            Err(Error::plan(message).help("leave out `l`"))
        }
        (&[(on, _)], _) | (&[], Some(on)) => Ok(vec![(on, l)]),
        _ => Err(Error::plan("[skew]: which column is `l` for?").help("write [skew] on = …, a sensitive column")),
    }
}

/// A requirement about how frequent values are, tried on everybody in one group.
struct Tested {
    answer: Answer,
    l: u64,
    too_frequent: Option<Fraction>,
}

fn tested(requirements: &[Requirement], table: &Table, bound: &[Bound]) -> Result<Vec<Tested>> {
    let everybody = Groups::by_columns(&[], table.rows());
    let mut tested = Vec::new();
    for (wanted, bound) in
        requirements.iter().zip(bound).filter(|(_, bound)| bound.criterion.properties().eligibility.is_some())
    {
        let audit = audit_bound(table, &everybody, slice::from_ref(wanted), slice::from_ref(bound))?;
        for answer in audit.criteria {
            let Some(Eligibility { l, too_frequent }) = answer.eligibility else { continue };
            tested.push(Tested { answer, l, too_frequent });
        }
    }
    Ok(tested)
}

impl Tested {
    /// The column that it is about.
    fn on(&self) -> &str {
        &self.answer.requirement.on[0]
    }

    /// What fails, which share is in the way, and with which none would be.
    fn in_the_way(&self) -> String {
        let (share, enough) = (self.too_frequent.map_or(0.0, |share| share.to_f64() * 100.0), 100.0 / self.l as f64);
        // As many digits as tell them apart.
        let digits = (1..9).find(|&digits| format!("{share:.digits$}") != format!("{enough:.digits$}")).unwrap_or(9);
        format!(
            "no grouping satisfies the plan: even with everybody in one group, {}; one value has {share:.digits$} % of the records, where at most one in {} ({enough:.digits$} %) is possible",
            describe(&self.answer),
            self.l,
        )
    }
}

/// The rows that are left.
fn suppress(
    method: &Kind<skew::Build>,
    column: &Column,
    ranked: Ranked,
    skewed: &Skewed,
    chance: Chance,
) -> Result<Vec<u32>> {
    let mut generator = chance.generator(RECORDS)?;
    let ranked = ranked.by_lot(&mut generator);
    let drawn = skew::make(method).draw(skewed, &mut generator);
    let mut kept = vec![0; column.domain().len()];
    ranked.codes.iter().zip(drawn).for_each(|(&code, records)| kept[code as usize] = records);
    let rows = choose(column, kept, &mut generator);
    if rows.is_empty() {
        let message = format!(
            "{} drew to withhold every record, as it may where there are just {} values",
            method.name,
            skewed.l()
        );
        let help = format!(
            "use [skew] method = \"{}\", which never does: drawing until something is left would disclose more than is promised",
            skew::ADVISED.name
        );
        return Err(Error::new(Fault::Infeasible, message).help(help));
    }
    Ok(rows)
}

/// Rows of which so many of each value are kept, chosen uniformly: of the rows of a value that are
/// still to come, each is as likely to be among those still to be kept.
fn choose(column: &Column, mut kept: Vec<u64>, generator: &mut ChaCha20Rng) -> Vec<u32> {
    let mut to_come = column.counts();
    let mut is_chosen = |code: u32| {
        let (kept, to_come) = (&mut kept[code as usize], &mut to_come[code as usize]);
        let chosen = *kept == *to_come || generator.random_range(0..*to_come) < *kept;
        *to_come -= 1;
        *kept -= u64::from(chosen);
        chosen
    };
    (0u32..).zip(column.codes()).filter(|(_, code)| is_chosen(**code)).map(|(row, _)| row).collect()
}

/// Some rows of a table. Sensitive values that none of them has are forgotten; quasi-identifiers
/// keep theirs, since hierarchies are made of them.
fn rest(table: &Table, schema: &Schema, rows: &[u32]) -> Result<Table> {
    let sensitive = schema.names(Role::Sensitive);
    let of = |column: &Column| match sensitive.contains(&column.name()) {
        true => column.rows(rows),
        false => {
            let codes = rows.iter().map(|&row| column.codes()[row as usize]).collect();
            Column::new(column.name(), codes, column.domain().clone())
        }
    };
    Table::new(table.columns().iter().map(of).collect())
}

/// The error where the plan does not say what to do: the ways there are, and what each costs. What
/// keeps to its promise comes first.
fn refused(tested: &Tested, skewed: &Skewed) -> Error {
    let mut ways = inspect::ways(skewed);
    ways.retain(|way| way.is_publishable);
    ways.sort_by(|a, b| b.keeps_to_limit.cmp(&a.keeps_to_limit).then_with(|| a.expected.cmp(&b.expected)));
    let ways: Vec<String> = ways.iter().map(|way| cost(way, skewed)).collect();
    let help = format!(
        "ask for less diversity, or withhold records of frequent values first ([skew] in the plan):\n    {}\n  `sfumato inspect --plan PLAN --eligibility {}` says more",
        ways.join("\n    "),
        skewed.l()
    );
    Error::of(ErrorCode::TooFrequent, tested.in_the_way()).help(help).could_meet(vec![attainable(&tested.answer)])
}

/// What a way to suppress costs, for somebody who chooses.
fn cost(way: &Way, skewed: &Skewed) -> String {
    let (name, l) = (way.name, skewed.l());
    let expected = way.expected.as_ref().map_or(0.0, |expected| expected.to_f64().value());
    let (records, share) = ((expected * 10.0).round() / 10.0, expected * 100.0 / skewed.records() as f64);
    let (mean, promise) = match way.keeps_to_limit {
        true => ("records", "nobody who knows the method believes by more than"),
        false => ("records in the mean", "claimed, but an attacker who computes it may believe more than"),
    };
    format!("method = \"{name}\": {records} {mean} ({share:.1} %); {promise} 1/{l} which value was the most frequent")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_of_a_value_is_as_likely_to_be_kept() {
        let column = Column::from_values("s", ["a", "b", "a", "a", "b", "a"]);
        let mut generator = Chance::insecure(3).generator(0).unwrap();
        let mut times = [0u32; 6];
        for _ in 0..6000 {
            let rows = choose(&column, vec![1, 2], &mut generator);
            assert_eq!(rows.len(), 3);
            rows.iter().for_each(|&row| times[row as usize] += 1);
        }
        assert_eq!([times[1], times[4]], [6000, 6000]);
        // χ² with three degrees of freedom: above 16.3 once in a thousand.
        let of_a = [times[0], times[2], times[3], times[5]].map(f64::from);
        let chi: f64 = of_a.iter().map(|times| (times - 1500.0).powi(2) / 1500.0).sum();
        assert!(chi < 16.3, "{of_a:?}");
    }
}
