//! How far a sensitive column is from l-eligibility, what each way to get there would withhold, and
//! what it would tell.

use super::Batches;
use crate::data::Column;
use crate::exact::Fraction;
use crate::kind::Kind;
use crate::skew::{self, PossibleDraw, PublishedCounts, Ranked, Skewed, Suppression};
use dashu_ratio::RBig;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// So many choices, times values, at most are followed to list what may come out of a way to
/// suppress.
const MOST_CHOICES: u64 = 1_000_000;
/// So many different publications at most are listed: the most probable ones.
const MOST_SIGHTS: usize = 50;

/// Whether a column is l-eligible, and what could be done about it if it is not.
#[derive(Clone, Debug)]
pub struct Eligibility {
    /// The column.
    pub column: String,
    /// No value may have more than 1/l of the records.
    pub l: u64,
    /// How many records there are.
    pub records: u64,
    /// How many different values they have; a missing one is a value of its own.
    pub values: usize,
    /// How many records have the most frequent value.
    pub largest: u64,
    /// How many values have more than 1/l of the records.
    pub values_above: usize,
    /// Whether none has.
    pub eligible: bool,
    /// Every way to suppress, in the order of the family's list.
    pub ways: Vec<Way>,
    /// How many batches would be eligible, if that was asked.
    pub batches: Vec<Batches>,
}

impl Eligibility {
    /// The share of the most frequent value; zero if there is none.
    pub fn largest_share(&self) -> Fraction {
        Fraction::new(u128::from(self.largest), u128::from(self.records.max(1)))
    }

    /// The largest l for which the column is eligible as it is; nothing without records, which are
    /// eligible for every l.
    pub fn largest_l(&self) -> Option<u64> {
        self.records.checked_div(self.largest)
    }

    /// Whether no part of the table but the empty one is eligible, whatever is withheld.
    pub fn is_hopeless(&self) -> bool {
        !self.eligible && (self.values as u64) < self.l
    }

    /// The way that withholds least among those that may be published and keep to 1/l.
    pub fn recommended(&self) -> Option<&Way> {
        let kept = self.ways.iter().filter(|way| way.is_publishable && way.keeps_to_limit && way.expected.is_some());
        kept.min_by(|a, b| a.expected.cmp(&b.expected))
    }
}

/// What one way to suppress would cost, and what it would tell.
#[derive(Clone, Debug)]
pub struct Way {
    /// Its name.
    pub name: &'static str,
    /// What documents call the number of records that it withholds.
    pub figure: &'static str,
    /// Whether what it leaves may be published.
    pub is_publishable: bool,
    /// Whether no belief is above 1/l, whatever the table.
    pub keeps_to_limit: bool,
    /// How many records it withholds, in the mean; nothing where no suppression helps.
    pub expected: Option<RBig>,
    /// What may be published, the most probable first, and not more than fifty; nothing where there
    /// are too many choices to follow, or where there is nothing to suppress.
    pub sights: Option<Vec<Sight>>,
}

impl Way {
    fn new((kind, way): &Member, expected: Option<RBig>) -> Way {
        Way {
            name: kind.name,
            figure: way.figure(),
            is_publishable: way.is_publishable(),
            keeps_to_limit: way.keeps_to_limit(),
            expected,
            sights: None,
        }
    }

    /// Whether everything that may be published is listed.
    pub fn is_listed_in_full(&self) -> bool {
        let listed = self.sights.iter().flatten().fold(RBig::ZERO, |sum, sight| sum + &sight.probability);
        listed == RBig::ONE
    }
}

/// Something that everybody may see, whichever values are behind the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// How many records each value has that is left, largest first; none where everything is
    /// withheld.
    pub published: Vec<u64>,
    /// With which chance it is published.
    pub probability: RBig,
    /// How sure somebody can be of one value that it is the most frequent of the table; nothing
    /// where there is nothing to see.
    pub max_belief: Option<RBig>,
    /// How sure somebody who knows all frequencies, but not which value has which, can be of the
    /// value of a person who is missing.
    pub missing_belief: RBig,
}

/// Looks whether a column is l-eligible, and what each way to suppress would mean if it is not.
///
/// ```
/// use sfumato::data::Column;
/// use sfumato::inspect::eligibility;
///
/// let disease = Column::from_values("disease", ["flu", "flu", "flu", "cold", "cancer", "cough"]);
/// assert!(eligibility(&disease, 2).eligible);
/// let found = eligibility(&disease, 3);
/// assert!(!found.eligible && found.values_above == 1 && found.largest_l() == Some(2));
/// ```
pub fn eligibility(column: &Column, l: u64) -> Eligibility {
    let ranked = Ranked::new(&column.counts());
    let records = ranked.records();
    let is_above = |count: &&u64| u128::from(**count) * u128::from(l) > u128::from(records);
    let eligible = ranked.is_eligible(l);
    // Refused are eligible columns, and those with too few values.
    let skewed = Skewed::new(&ranked.frequencies, l).ok();
    let way = |member: &Member| {
        let expected =
            if eligible { Some(RBig::ZERO) } else { skewed.as_ref().map(|skewed| member.1.expected(skewed)) };
        Way { sights: skewed.as_ref().and_then(|skewed| sights(&*member.1, skewed)), ..Way::new(member, expected) }
    };
    Eligibility {
        column: column.name().to_string(),
        l,
        records,
        values: ranked.frequencies.len(),
        largest: ranked.frequencies.first().copied().unwrap_or(0),
        values_above: ranked.frequencies.iter().filter(is_above).count(),
        eligible,
        ways: members().par_iter().map(way).collect(),
        batches: Vec::new(),
    }
}

/// What every way to suppress would cost, without what it would tell.
pub fn ways(skewed: &Skewed) -> Vec<Way> {
    members().iter().map(|member| Way::new(member, Some(member.1.expected(skewed)))).collect()
}

/// A way to suppress with its description.
pub(super) type Member = (&'static Kind<skew::Build>, Box<dyn Suppression>);

/// Every way to suppress.
pub(super) fn members() -> Vec<Member> {
    skew::KINDS.iter().map(|kind| (*kind, skew::make(kind))).collect()
}

/// What may be published, and what somebody then believes; outcomes that look alike are one.
fn sights(way: &dyn Suppression, skewed: &Skewed) -> Option<Vec<Sight>> {
    let mut alike: BTreeMap<Vec<u64>, Vec<PossibleDraw>> = BTreeMap::new();
    for outcome in way.outcomes(skewed, MOST_CHOICES)? {
        alike.entry(outcome.seen()).or_default().push(outcome);
    }
    let chance = |outcomes: &[PossibleDraw]| outcomes.iter().fold(RBig::ZERO, |sum, outcome| sum + &outcome.chance);
    let mut likely: Vec<(RBig, Vec<u64>, Vec<PossibleDraw>)> =
        alike.into_iter().map(|(published, outcomes)| (chance(&outcomes), published, outcomes)).collect();
    likely.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    likely.truncate(MOST_SIGHTS);
    let sight = |(probability, published, outcomes): (RBig, Vec<u64>, Vec<PossibleDraw>)| {
        let missing_belief = missing_belief(skewed, &outcomes);
        let seen = PublishedCounts { counts: published, records: skewed.records(), l: skewed.l() };
        let max_belief = way.beliefs(&seen).and_then(|beliefs| beliefs.into_iter().max());
        let published = seen.counts.into_iter().filter(|&count| count > 0).collect();
        Sight { published, probability, max_belief, missing_belief }
    };
    Some(likely.into_par_iter().map(sight).collect())
}

/// The highest belief in a value of a missing person, where these outcomes look alike and nothing
/// else does.
///
/// Values that are published as often cannot be told apart, so what each lost is taken together and
/// shared evenly.
fn missing_belief(skewed: &Skewed, outcomes: &[PossibleDraw]) -> RBig {
    let mut lost: BTreeMap<u64, RBig> = BTreeMap::new();
    let mut all = RBig::ZERO;
    for PossibleDraw { kept, chance } in outcomes {
        for (&kept, had) in kept.iter().zip(skewed.frequencies()) {
            let part = chance * RBig::from(had - kept);
            all += &part;
            *lost.entry(kept).or_default() += part;
        }
    }
    let values = |kept: u64| RBig::from(outcomes[0].kept.iter().filter(|&&other| other == kept).count() as u64);
    let belief = |(kept, lost): (u64, RBig)| lost / (values(kept) * &all);
    lost.into_iter().map(belief).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column in which the values have these frequencies.
    fn column(frequencies: &[usize]) -> Column {
        let values = frequencies.iter().enumerate().flat_map(|(at, &count)| vec![format!("v{at:03}"); count]);
        Column::from_values("disease", values)
    }

    fn expected(found: &Eligibility, figure: &str) -> f64 {
        let way = found.ways.iter().find(|way| way.figure == figure).unwrap();
        way.expected.as_ref().unwrap().to_f64().value()
    }

    fn sights<'a>(found: &'a Eligibility, figure: &str) -> &'a [Sight] {
        found.ways.iter().find(|way| way.figure == figure).unwrap().sights.as_deref().unwrap()
    }

    #[test]
    fn costs_of_the_paper_s_example() {
        let found = eligibility(&column(&[1, 4, 10, 1, 2]), 3);
        assert_eq!((found.records, found.values, found.largest, found.values_above), (18, 5, 10, 1));
        assert!(!found.eligible && !found.is_hopeless());
        assert_eq!((found.largest_share(), found.largest_l()), (Fraction::new(5, 9), Some(1)));
        assert_eq!([expected(&found, "unsafe_d"), expected(&found, "safe_d")], [6.0, 10.0]);
        assert_eq!(expected(&found, "calibrated"), 9.0);
        assert!((expected(&found, "r_expected") - 7.8889).abs() < 5e-5);
        assert_eq!(found.recommended().unwrap().figure, "calibrated");
    }

    #[test]
    fn what_may_be_published_with_what_it_tells() {
        let found = eligibility(&column(&[10, 4, 2, 1, 1]), 3);
        let random = sights(&found, "r_expected");
        assert_eq!(random[0].published, [4, 4, 2, 1, 1]);
        assert_eq!(random[0].probability, RBig::from_parts(4.into(), 9u8.into()));
        assert!((random[0].max_belief.as_ref().unwrap().to_f64().value() - 0.461).abs() < 5e-4);
        assert!(random.is_sorted_by(|a, b| a.probability >= b.probability));
        let third = RBig::from_parts(1.into(), 3u8.into());
        assert!(sights(&found, "calibrated").iter().all(|sight| sight.max_belief.as_ref().unwrap() <= &third));
        for way in &found.ways {
            let all = way.sights.iter().flatten().fold(RBig::ZERO, |sum, sight| sum + &sight.probability);
            assert_eq!(all, RBig::ONE, "{}", way.name);
            let mean = |sight: &Sight| &sight.probability * RBig::from(18 - sight.published.iter().sum::<u64>());
            let withheld = way.sights.iter().flatten().map(mean).fold(RBig::ZERO, |sum, part| sum + part);
            assert_eq!(way.expected.as_ref(), Some(&withheld), "{}", way.name);
        }
    }

    /// What is promised is about which value was too frequent; others lose records, too.
    #[test]
    fn of_missing_people_more_may_be_believed() {
        let missing = |frequencies: &[usize], l: u64, figure: &str| {
            let found = eligibility(&column(frequencies), l);
            sights(&found, figure)[0].missing_belief.to_f64().value()
        };
        let close = [100, 99, 12].into_iter().chain([10; 18]).chain([8]).collect::<Vec<usize>>();
        assert!((missing(&close, 4, "calibrated") - 0.368).abs() < 5e-4);
        // Twenty-one values have the most records then.
        assert_eq!(missing(&close, 4, "safe_d"), 1.0 / 21.0);
        for figure in ["calibrated", "safe_d"] {
            assert_eq!(missing(&[10, 4, 2, 1, 1], 3, figure), 1.0 / 3.0);
        }
    }

    #[test]
    fn an_eligible_column_costs_nothing() {
        for (frequencies, l) in [(&[2, 2, 2][..], 3), (&[7][..], 1), (&[][..], 3)] {
            let found = eligibility(&column(frequencies), l);
            assert!(found.eligible && found.values_above == 0 && !found.is_hopeless(), "{frequencies:?}");
            assert!(found.ways.iter().all(|way| way.expected == Some(RBig::ZERO) && way.sights.is_none()));
        }
        assert_eq!(eligibility(&column(&[]), 3).largest_l(), None);
        assert_eq!(eligibility(&column(&[]), 3).largest_share(), Fraction::ZERO);
    }

    #[test]
    fn with_too_few_values_nothing_helps() {
        let found = eligibility(&column(&[5, 5]), 3);
        assert!(!found.eligible && found.is_hopeless() && found.values_above == 2 && found.largest_l() == Some(2));
        assert!(found.ways.iter().all(|way| way.expected.is_none() && way.sights.is_none()));
        assert!(found.recommended().is_none());
    }

    #[test]
    fn a_missing_value_is_a_value() {
        let found = eligibility(&Column::from_values("disease", ["", "", "flu"]), 2);
        assert_eq!((found.values, found.largest, found.eligible), (2, 2, false));
    }

    #[test]
    fn everything_may_be_withheld() {
        let found = eligibility(&column(&[3, 1]), 2);
        let nothing = sights(&found, "r_expected").iter().find(|sight| sight.published.is_empty()).unwrap();
        assert_eq!(nothing.max_belief, None);
    }

    #[test]
    fn what_is_too_much_is_not_listed() {
        let found = eligibility(&column(&[400_000, 9000, 5000, 2000, 1000, 10]), 3);
        assert!(found.ways.iter().any(|way| way.sights.is_none()));
        assert!(found.ways.iter().all(|way| way.expected.is_some()));
    }
}
