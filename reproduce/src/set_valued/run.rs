//! One release: made, checked by the exact criterion, measured.

use super::data::Data;
use crate::clock;
use sfumato::chance::Chance;
use sfumato::exact::Fraction;
use sfumato::kind::Raw;
use sfumato::transactions::method::{self, Task, partial_suppression};
use sfumato::transactions::metric::{self, Compared};
use sfumato::transactions::{Demand, Released, Together, Transactions, criterion};
use sfumato::{Error, Fault, Result};
use std::path::Path;

/// The paper's limits unless it says otherwise.
pub const T_MAX: Option<u64> = Some(500);
pub const B_MAX: u64 = 1_000_000;
/// The least confidence of the rules that are compared, as it is written.
pub const CONFIDENCES: [&str; 2] = ["0.3", "0.7"];

/// A table with fewer records is small.
const SMALL: usize = 10_000;

/// How a release is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    TdControl,
    Global,
    Permutation,
    Mine { t_max: Option<u64>, b_max: u64 },
    Dist { t_max: Option<u64>, b_max: u64 },
}

/// Partial suppression for mining, with the paper's limits.
pub const MINE: Way = Way::Mine { t_max: T_MAX, b_max: B_MAX };
/// Partial suppression for statistics, with the paper's limits.
pub const DIST: Way = Way::Dist { t_max: T_MAX, b_max: B_MAX };

impl Way {
    /// The same with another limit for parts.
    pub fn parts(self, t_max: Option<u64>) -> Way {
        match self {
            Way::Mine { b_max, .. } => Way::Mine { t_max, b_max },
            Way::Dist { b_max, .. } => Way::Dist { t_max, b_max },
            other => other,
        }
    }

    /// The same with another limit for rules that are gathered.
    pub fn gathers(self, b_max: u64) -> Way {
        match self {
            Way::Mine { t_max, .. } => Way::Mine { t_max, b_max },
            Way::Dist { t_max, .. } => Way::Dist { t_max, b_max },
            other => other,
        }
    }

    /// As the paper calls it.
    pub fn name(self) -> &'static str {
        match self {
            Way::TdControl => "TDControl",
            Way::Global => "Global",
            Way::Permutation => "Permutation",
            Way::Mine { .. } => "Mine",
            Way::Dist { .. } => "Dist",
        }
    }

    fn build(self, data: &Data) -> Result<Box<dyn method::Method>> {
        let partial = |objective: &str, t_max: Option<u64>, b_max: u64| {
            let t_max = t_max.map_or(Raw::from("none"), |most| Raw::Number(most.to_string()));
            vec![("objective", Raw::from(objective)), ("t_max", t_max), ("b_max", Raw::Number(b_max.to_string()))]
        };
        let (kind, written) = match self {
            Way::TdControl => ("tdcontrol", vec![("taxonomy", Raw::Text(data.taxonomy()))]),
            Way::Global => ("global-suppression", Vec::new()),
            Way::Permutation => ("permutation", Vec::new()),
            Way::Mine { t_max, b_max } => ("partial-suppression", partial("mine", t_max, b_max)),
            Way::Dist { t_max, b_max } => ("partial-suppression", partial("dist", t_max, b_max)),
        };
        let kind = method::find(kind)?;
        Ok((kind.build)(&kind.check(&written)?))
    }
}

/// A release that is safe, and how long that took.
pub struct Run<'a> {
    data: &'a Data,
    pub released: Released,
    pub timed: Timed,
}

/// How long a release took, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    pub making: f64,
    pub checking: f64,
    /// How many rules the exact check looked at.
    pub looked_at: u64,
}

impl Timed {
    /// Making and checking.
    pub fn all(&self) -> f64 {
        self.making + self.checking
    }
}

impl Run<'_> {
    /// The share of occurrences that is published by no name.
    pub fn deleted(&self) -> Result<f64> {
        measure(&self.compared(), "deleted-share", &[])
    }

    /// By the paper's equation (2): an item that is published as a coarser one counts as lost.
    pub fn lost(&self) -> f64 {
        let all = self.data.table.occurrences();
        let kept: u64 = self.released.supports().iter().take(self.data.table.names().len()).sum();
        (all - kept) as f64 / all.max(1) as f64
    }

    /// How many kinds of items of the table are published nowhere as themselves.
    pub fn kinds_gone(&self) -> usize {
        let before = self.data.table.supports();
        before.iter().zip(self.released.supports()).filter(|(had, has)| **had > 0 && *has == 0).count()
    }

    pub fn symmetric_kl(&self) -> Result<f64> {
        measure(&self.compared(), "symmetric-kl", &[])
    }

    /// By the paper's equation (3).
    pub fn kl(&self) -> Result<f64> {
        measure(&self.compared(), "kl", &[])
    }

    /// The shares of all occurrences of sensitive items, and of all others, that are deleted; an
    /// item that was made coarser counts as kept.
    pub fn deleted_of_sensitive_and_others(&self) -> Result<[f64; 2]> {
        let all = self.data.table.occurrences() as f64;
        let had = self.data.sensitive_in(&self.data.table.supports()) as f64;
        let sensitive = had - self.data.sensitive_in(&self.released.supports()) as f64;
        let others = (self.deleted()? * all - sensitive).max(0.0);
        Ok([sensitive / had.max(1.0), others / (all - had).max(1.0)])
    }

    /// What becomes of rules between items that are not sensitive, for both confidences.
    pub fn rules(&self) -> Result<[Similarity; 2]> {
        let compared = self.compared();
        let [low, high] = CONFIDENCES.map(|confidence| {
            let mining = [("support", self.data.rule_support()), ("confidence", confidence)];
            let jaccard = measure(&compared, "rules-jaccard", &mining)?;
            Ok(Similarity { jaccard, lost: measure(&compared, "lost-rules", &mining)? })
        });
        Ok([low?, high?])
    }

    fn compared(&self) -> Compared<'_> {
        Compared::new(&self.data.table, &self.data.sensitive, &self.released)
    }
}

/// Rules after a release beside those before.
#[derive(Clone, Copy, Debug)]
pub struct Similarity {
    /// Rules of both over rules of either.
    pub jaccard: f64,
    /// How many rules are not there any more.
    pub lost: f64,
}

fn measure(compared: &Compared<'_>, name: &str, written: &[(&str, &str)]) -> Result<f64> {
    let kind = metric::find(name)?;
    let written: Vec<(&str, Raw)> = written.iter().map(|(key, text)| (*key, Raw::from(*text))).collect();
    Ok((kind.build)(&kind.check(&written)?).measure(compared))
}

impl Data {
    fn task(&self, rho: Fraction) -> Task<'_> {
        Task {
            watch: sfumato::watch::Watch::NONE,
            table: &self.table,
            sensitive: &self.sensitive,
            demand: Demand::at_most(rho),
            chance: Chance::insecure(self.seed),
            folder: Path::new("."),
        }
    }

    /// Makes a release and checks it. Nothing if no release of this way can be safe: an item is too
    /// frequent to be permuted.
    pub fn run(&self, way: Way, rho: Fraction) -> Result<Option<Run<'_>>> {
        let method = way.build(self)?;
        let (making, released) = clock::best(1, || method.make(&self.task(rho)));
        let released = match released {
            Err(error) if error.fault() == Fault::Infeasible => return Ok(None),
            released => released?,
        };
        let (checking, looked_at) = clock::best(1, || self.check(&released, way, rho));
        let timed = Timed { making: making.as_secs_f64(), checking: checking.as_secs_f64(), looked_at: looked_at? };
        Ok(Some(Run { data: self, released, timed }))
    }

    /// As [`run`](Data::run), for ways that can always be gone.
    pub fn suppress(&self, way: Way, rho: Fraction) -> Result<Run<'_>> {
        let run = self.run(way, rho)?;
        run.ok_or_else(|| Error::new(Fault::Internal, format!("{} found no release", way.name())))
    }

    /// The number of rules that were looked at; an error if one of them is too confident.
    ///
    /// The criterion takes decimals, and ρ may be a third: the most confident rule is held against
    /// the fraction itself.
    fn check(&self, released: &Released, way: Way, rho: Fraction) -> Result<u64> {
        let kind = criterion::find("rho-uncertainty")?;
        let params = kind.check(&[("rho", Raw::Text(rounded_up(rho)))])?;
        let verdict = (kind.build)(&params).check(released, &self.sensitive)?;
        let demand = Demand::at_most(rho);
        if verdict.holds && verdict.worst.is_none_or(|rule| demand.allows(rule.support, rule.of)) {
            return Ok(verdict.looked_at);
        }
        Err(Error::new(Fault::Internal, format!("a release of {} by {} is not safe", self.name, way.name())))
    }

    /// The share of all occurrences that has to be deleted, whatever method deletes.
    pub fn least_deleted(&self, rho: Fraction) -> f64 {
        partial_suppression::least_deleted(&self.task(rho)) as f64 / self.table.occurrences().max(1) as f64
    }

    /// How many parts the table is divided into.
    pub fn parts(&self, t_max: Option<u64>) -> Result<usize> {
        Ok(partial_suppression::divided(&self.task(Fraction::ONE), t_max)?.len())
    }

    /// The least support of rules that are compared: 0.05 % as in the paper; ten times that in
    /// small tables, where it would be a record or two.
    fn rule_support(&self) -> &'static str {
        if self.table.len() < SMALL { "0.005" } else { "0.0005" }
    }

    /// How many rules between items that are not sensitive there are, for both confidences: what is
    /// lost if all is.
    pub fn rules(&self) -> Result<[f64; 2]> {
        let empty = Transactions::new(self.table.names().clone(), (0..self.table.len()).map(|_| [0u32; 0]));
        let released = Released::Together(Together { table: empty, published_as: None });
        let compared = Compared::new(&self.table, &self.sensitive, &released);
        let [low, high] = CONFIDENCES.map(|confidence| {
            measure(&compared, "lost-rules", &[("support", self.rule_support()), ("confidence", confidence)])
        });
        Ok([low?, high?])
    }
}

/// A share as a decimal that is no smaller, with twelve digits.
fn rounded_up(share: Fraction) -> String {
    const DIGITS: u128 = 1_000_000_000_000;
    let scaled = (share.num * DIGITS).div_ceil(share.den);
    format!("{}.{:012}", scaled / DIGITS, scaled % DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_written_as_decimals_that_are_no_smaller() {
        assert_eq!(rounded_up(Fraction::new(7, 10)), "0.700000000000");
        assert_eq!(rounded_up(Fraction::new(1, 3)), "0.333333333334");
        assert_eq!(rounded_up(Fraction::ONE), "1.000000000000");
    }
}
