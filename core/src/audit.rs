//! One scan over the groups of a table, or of counts, that answers every criterion.

use crate::candidate::{Counter, Counts, Groups, Histogram, Records};
use crate::criterion::{Bound, Codes, Criterion, Evidence, Holders, Reached, Requirement, Subject, Verdict};
use crate::data::{Schema, Table};
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::Point;
use crate::skew::Ranked;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::path::Path;

/// What a check of a table found.
#[derive(Clone)]
pub struct Audit {
    /// Records in the table.
    pub records: u64,
    /// Groups of records that look alike.
    pub groups: usize,
    /// One answer for each requirement, in their order.
    pub criteria: Vec<Answer>,
}

/// The answer to one requirement.
#[derive(Clone)]
pub struct Answer {
    /// What was asked.
    pub requirement: Requirement,
    /// What was found.
    pub verdict: Verdict,
    /// The first record (from 1) of the group that decides; `None` where only counts are at hand.
    pub worst_record: Option<usize>,
    /// For a criterion about how frequent values are: whether one of them is in the way of every
    /// grouping.
    pub eligibility: Option<Eligibility>,
    /// Whether it was checked on what is at hand. Of a release alone some criteria cannot be: then
    /// it is stated that they hold, and nothing was measured.
    pub is_checked: bool,
}

/// Whether any grouping of a table can satisfy a criterion about how frequent values are.
#[derive(Clone, Copy, Debug)]
pub struct Eligibility {
    /// If no value has more than one in l of the records, some grouping can.
    pub l: u64,
    /// The share of the value that is in the way of every grouping, if one is.
    pub too_frequent: Option<Fraction>,
}

impl Answer {
    /// That a requirement holds, as somebody states who could check it.
    pub fn stated(requirement: Requirement) -> Answer {
        let verdict = Verdict { holds: true, ..Verdict::default() };
        Answer { requirement, verdict, worst_record: None, eligibility: None, is_checked: false }
    }

    /// The points of a skyline, as asked for, each with what was reached.
    pub fn points(&self) -> impl Iterator<Item = (&Point, &Reached)> {
        let asked = self.requirement.points();
        self.verdict.points.iter().map(move |reached| (&asked[reached.point], reached))
    }
}

impl Audit {
    /// Whether every criterion holds.
    pub fn holds(&self) -> bool {
        self.criteria.iter().all(|answer| answer.verdict.holds)
    }
}

/// Groups the rows by their quasi-identifiers as they stand and checks every requirement.
///
/// ```
/// use sfumato::criterion::Requirement;
/// use sfumato::data::{Column, Schema, Table};
/// use sfumato::kind::Raw;
///
/// let table = Table::new(vec![
///     Column::from_values("zip", ["130**", "130**", "148**"]),
///     Column::from_values("disease", ["flu", "cancer", "flu"]),
/// ])?;
/// let schema = Schema::of(&["zip"], &["disease"]);
/// let wanted = Requirement::new("k-anonymity", &[("k", Raw::from("2"))], &[], &schema)?;
/// let audit = sfumato::audit(&table, &schema, &[wanted], ".".as_ref())?;
/// assert!(!audit.holds()); // 148** is alone
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn audit(table: &Table, schema: &Schema, requirements: &[Requirement], folder: &Path) -> Result<Audit> {
    let quasi = schema.quasi(table)?;
    audit_groups(table, schema, &Groups::by_columns(&quasi, table.rows()), requirements, folder)
}

/// Checks every requirement on given groups.
pub fn audit_groups(
    table: &Table,
    schema: &Schema,
    groups: &Groups,
    requirements: &[Requirement],
    folder: &Path,
) -> Result<Audit> {
    let table = &*schema.prepare(table)?;
    let bound = requirements.iter().map(|wanted| wanted.bind(table, schema, folder)).collect::<Result<Vec<_>>>()?;
    audit_bound(table, groups, requirements, &bound)
}

/// Checks every requirement on counts alone, as they stand: the verdicts are those of the table
/// that was counted, and no record is named.
///
/// ```
/// use sfumato::candidate::Counts;
/// use sfumato::criterion::Requirement;
/// use sfumato::data::{Schema, sample};
///
/// let schema = Schema::of(&["zip"], &["disease"]);
/// let counts = Counts::of_table(&sample::clinic(), &schema)?;
/// let wanted = Requirement::new("distinct-l-diversity", &[("l", "2".into())], &[], &schema)?;
/// let audit = sfumato::audit::audit_counts(&counts, &schema, &[wanted], ".".as_ref())?;
/// assert_eq!((audit.records, audit.groups), (6, 2));
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn audit_counts(counts: &Counts, schema: &Schema, requirements: &[Requirement], folder: &Path) -> Result<Audit> {
    let table = Records::from(counts).rows();
    let groups = Groups::by_columns(&schema.quasi(table)?, table.rows());
    let prepared = counts.prepare(schema)?;
    let bind = requirements.iter().map(|wanted| wanted.bind(&prepared, schema, folder));
    audit_bound(&prepared, &groups, requirements, &bind.collect::<Result<Vec<_>>>()?)
}

/// Checks requirements that are bound already, on groups of the rows that they are bound to; not
/// all rows need be in one.
pub fn audit_bound<'a>(
    records: impl Into<Records<'a>>,
    groups: &Groups,
    requirements: &[Requirement],
    bound: &[Bound],
) -> Result<Audit> {
    let records = records.into();
    for bound in bound {
        if let Holders::Records(whose) = &bound.holders {
            keep_people_whole(groups, whose)?;
        }
    }
    let mut evidence = vec![Evidence::none(); bound.len()];
    for scan in scans(records, bound)? {
        let found = scan.run(groups, bound);
        for (&at, found) in scan.criteria.iter().zip(found) {
            evidence[at] = found;
        }
    }
    let mut counted = HashMap::new();
    let answers = requirements.iter().zip(bound).zip(evidence).map(|((wanted, bound), evidence)| {
        let verdict = bound.criterion.verdict(&evidence);
        let worst = verdict.worst.filter(|_| records.counts().is_none());
        let worst_record = worst.map(|worst| groups.rows(worst.group)[0] as usize + 1);
        let eligibility = match bound.criterion.properties().eligibility {
            // What holds for all groups would hold for them merged.
            Some(l) if verdict.holds => Some(Eligibility { l, too_frequent: None }),
            _ => eligibility(records, bound, &mut counted)?,
        };
        Ok(Answer { requirement: wanted.clone(), verdict, worst_record, eligibility, is_checked: true })
    });
    let in_groups = records.weight_of(groups.order());
    Ok(Audit { records: in_groups, groups: groups.len(), criteria: answers.collect::<Result<_>>()? })
}

/// Whether any grouping of records can satisfy a criterion that is bound to them; `None` if it is
/// not about how frequent values are.
///
/// # Claim
/// Such criteria are monotone: if all groups of a grouping hold, so does everybody in one group.
/// And that is a grouping.
fn eligibility<'b>(
    records: Records<'_>,
    bound: &'b Bound,
    counted: &mut HashMap<&'b str, Vec<u64>>,
) -> Result<Option<Eligibility>> {
    let (Some(l), Subject::Column(name)) = (bound.criterion.properties().eligibility, &bound.subject) else {
        return Ok(None);
    };
    let column = records.rows().column(name)?;
    let counts = counted.entry(name).or_insert_with(|| records.counts_of(column));
    let ranked = Ranked::new(counts);
    let mut counter = Counter::new(counts.len());
    let entries = (0u32..).zip(&*counts).filter(|(_, count)| **count > 0).map(|(code, &count)| (code, count));
    let is_too_small = ranked.records() < bound.criterion.properties().least.size;
    if is_too_small || ranked.is_eligible(l) || bound.criterion.holds(&counter.take(0, entries)) {
        return Ok(Some(Eligibility { l, too_frequent: None }));
    }
    // Some values may not need protection, and may be as frequent as they like.
    let is_in_the_way = |code: u32, count: u64| bound.criterion.rules_out(code, count, ranked.records());
    let known = ranked.codes.iter().zip(&ranked.frequencies).find(|(code, count)| is_in_the_way(**code, **count));
    let largest = known.map(|(_, &count)| count).or(ranked.frequencies.first().copied()).unwrap_or(0);
    let share = Fraction::new(u128::from(largest), u128::from(ranked.records().max(1)));
    Ok(Some(Eligibility { l, too_frequent: Some(share) }))
}

/// Refuses groups that divide somebody's records, withheld ones included: what she has would be
/// counted in one of them only, or not at all.
pub(crate) fn keep_people_whole(groups: &Groups, whose: &[u32]) -> Result<()> {
    // Of records in no group; and of people of whom no record was seen yet.
    const NOWHERE: u32 = u32::MAX - 1;
    const UNSEEN: u32 = u32::MAX;
    let mut group_of = vec![NOWHERE; whose.len()];
    for group in 0..groups.len() {
        groups.rows(group).iter().for_each(|&row| group_of[row as usize] = group as u32);
    }
    let mut home_of = vec![UNSEEN; whose.iter().max().map_or(0, |last| *last as usize + 1)];
    for (row, (&person, &group)) in whose.iter().zip(&group_of).enumerate() {
        let home = &mut home_of[person as usize];
        if *home != UNSEEN && *home != group {
            let message = match NOWHERE == group || NOWHERE == *home {
                true => format!("record {} and another one of the same person: one is withheld, one is not", row + 1),
                false => format!("record {} is in another group than a record of the same person", row + 1),
            };
            let help = "a person's records need equal quasi-identifiers; and a method that keeps equal records together, as all do that choose levels";
            return Err(Error::data(message).help(help));
        }
        *home = group;
    }
    Ok(())
}

/// Criteria that read the same column, answered in one pass.
struct Scan<'a> {
    records: Records<'a>,
    /// What they read; `None` where sizes are enough.
    codes: Option<Codes<'a>>,
    criteria: Vec<usize>,
}

fn scans<'a>(records: Records<'a>, bound: &'a [Bound]) -> Result<Vec<Scan<'a>>> {
    let mut scans: Vec<(Option<&str>, Scan<'a>)> = Vec::new();
    for (at, bound) in bound.iter().enumerate() {
        let codes = bound.codes(records.rows())?;
        // Columns are told by their name, sizes alone by none; all others are each their own.
        let name = match &bound.subject {
            Subject::Nothing => Some(""),
            Subject::Column(name) => Some(name.as_str()),
            Subject::Columns(_) | Subject::Rows(..) => None,
        };
        match scans.iter_mut().find(|(known, _)| name.is_some() && *known == name) {
            Some((_, scan)) => scan.criteria.push(at),
            None => scans.push((name, Scan { records, codes, criteria: vec![at] })),
        }
    }
    Ok(scans.into_iter().map(|(_, scan)| scan).collect())
}

impl Scan<'_> {
    fn run(&self, groups: &Groups, bound: &[Bound]) -> Vec<Evidence> {
        let criteria: Vec<&dyn Criterion> = self.criteria.iter().map(|&at| &*bound[at].criterion).collect();
        let nothing = || vec![Evidence::none(); criteria.len()];
        // Stretches rather than single groups: a counter's memory is made, and equal small groups
        // are found, once for each.
        let stretch = (groups.len() / (8 * rayon::current_num_threads())).clamp(1, 1 << 16);
        (0..groups.len().div_ceil(stretch))
            .into_par_iter()
            .map(|at| self.stretch(groups, at * stretch..groups.len().min((at + 1) * stretch), &criteria))
            .reduce(nothing, |a, b| a.into_iter().zip(b).map(|(a, b)| a.combine(b)).collect())
    }

    fn stretch(&self, groups: &Groups, range: std::ops::Range<usize>, criteria: &[&dyn Criterion]) -> Vec<Evidence> {
        let mut evidence = vec![Evidence::none(); criteria.len()];
        let mut add = |histogram: &Histogram<'_>, times: u64| {
            for (evidence, criterion) in evidence.iter_mut().zip(criteria) {
                criterion.gather(evidence, histogram, times);
            }
        };
        let Some((codes, domain)) = self.codes.as_ref().map(Codes::as_coded) else {
            range.for_each(|group| add(&Histogram::of_size(group, self.records.weight_of(groups.rows(group))), 1));
            return evidence;
        };
        let mut counter = Counter::new(domain);
        if let Some(counts) = self.records.counts() {
            for group in range {
                let rows = groups.rows(group).iter().map(|&row| (codes[row as usize], counts[row as usize]));
                add(&counter.add(group, rows), 1);
            }
            return evidence;
        }
        let mut small = SmallGroups::default();
        for group in range {
            let codes = groups.rows(group).iter().map(|&row| codes[row as usize]);
            if !small.take(group, domain, codes.clone()) {
                add(&counter.count(group, codes), 1);
            }
        }
        for (codes, first, times) in small.distinct() {
            add(&counter.count(first, codes), times);
        }
        evidence
    }
}

/// Groups of a few rows, of which there are many and few different ones: each kind is judged once.
#[derive(Default)]
struct SmallGroups {
    /// The codes of a group as one word, the first group with them, and how many have them.
    kinds: HashTable<(u64, usize, u64)>,
    hasher: RandomState,
}

impl SmallGroups {
    const ROWS: usize = 4;
    const BITS: u32 = u64::BITS / Self::ROWS as u32;

    /// Counts a group if it is small enough; says whether it was.
    fn take(&mut self, group: usize, domain: usize, codes: impl ExactSizeIterator<Item = u32>) -> bool {
        if codes.len() > Self::ROWS || domain >= 1 << Self::BITS {
            return false;
        }
        // One more than the code, so that zero means "no row".
        let mut words = [0u64; Self::ROWS];
        codes.zip(&mut words).for_each(|(code, word)| *word = u64::from(code) + 1);
        words.sort_unstable();
        let key = words.iter().fold(0, |key, word| key << Self::BITS | word);
        let hash = self.hasher.hash_one(key);
        match self.kinds.find_mut(hash, |kind| kind.0 == key) {
            Some(kind) => kind.2 += 1,
            None => {
                self.kinds.insert_unique(hash, (key, group, 1), |kind| self.hasher.hash_one(kind.0));
            }
        }
        true
    }

    /// The different groups: codes, the first of them, and how many there are.
    fn distinct(&self) -> impl Iterator<Item = (impl Iterator<Item = u32>, usize, u64)> {
        let word = |key: u64, at: usize| (key >> (Self::BITS * at as u32)) & ((1 << Self::BITS) - 1);
        self.kinds.iter().map(move |&(key, first, times)| {
            let codes = (0..Self::ROWS).map(move |at| word(key, at)).filter(|&word| word > 0);
            (codes.map(|word| word as u32 - 1), first, times)
        })
    }
}
