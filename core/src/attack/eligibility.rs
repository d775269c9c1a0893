//! Eligibility: which value was the most frequent, where records had to be withheld for it?
//!
//! **Knowledge**: the release, how many records the table had, and how records were withheld; the
//! frequencies of values as the way to withhold says, and for none of its values that it is
//! likelier than another. **Finds** the published records whose value is believed to be the most
//! frequent one of the table by more than 1/l. Which values missing people had is another question:
//! most, but not all, had that one. **Definition**: Pr(S_i′ = S1 | TP, K), counted over all tables
//! that lead to what is published, each with the true chance that it does. For R-suppression the
//! tables are all those with as many records and values, and with one most frequent value that has
//! more than 1/l of them, equally likely. **Cost**: no tables are listed; for R-suppression it
//! grows with the number of withheld records times l, otherwise with the number of values.
//! **Reference**: "Publishing Skewed Sensitive Microdata" (l-dichotomy), Sections 1.2 and 4.2; that
//! the bound of Theorem 3 does not hold against it is this project's finding.
//!
//! ```
//! // Where nothing was withheld for being too frequent, there is nothing to find.
//! assert!(sfumato::attack::example("eligibility", &[])?.is_empty());
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::shared::{Belief, Tally, on_the_right_side};
use super::{Attack, Build, CLAIMED_BELIEF, Finding, Suppressed, Target, UNDECIDED_PEOPLE, WITHHELD};
use crate::criterion::Limit;
use crate::data::Column;
use crate::error::Result;
use crate::exact::Fraction;
use crate::kind::{Kind, Params};
use crate::skew::{self, Ranked};
use dashu_ratio::RBig;

/// The description of the eligibility attack.
pub const KIND: Kind<Build> = Kind {
    name: "eligibility",
    summary: "Computes how surely an attacker who knows how records were withheld infers which value was the most frequent",
    reference: "l-dichotomy, Section 1.2",
    params: &[],
    example: &[],
    build: |params| Box::new(Eligibility { params: params.clone() }),
};

struct Eligibility {
    params: Params,
}

impl Attack for Eligibility {
    fn run(&self, target: &Target<'_>) -> Result<Vec<Finding>> {
        let Some(suppressed) = target.suppressed else { return Ok(Vec::new()) };
        let release = target.schema.prepare_recoded(target.release)?;
        let column = release.column(suppressed.on.name())?;
        let suppression = skew::make(suppressed.method);
        let claimed = Fraction::new(1, u128::from(suppressed.l));
        let promised = suppression.keeps_to_limit().then_some(claimed);
        let limit = promised.into_iter().chain(target.promises.max_here).min();
        let limit = limit.map(|belief| Limit { belief, strict: false });
        let sight = Sight { target, column, claimed, limit, beliefs: beliefs(&suppressed, column) };
        let mut finding = sight.tally().finding(KIND.name, &self.params, String::new(), column.codes().len());
        finding.details.extend(sight.details(&suppressed));
        finding.knowledge = format!("the release and {}", suppression.knowledge());
        finding.warning = sight.warning(&suppressed, promised.is_some());
        Ok(vec![Finding { on: Some(column.name().to_string()), limit, repeatable: suppressed.is_published, ..finding }])
    }

    fn is_about_withheld(&self) -> bool {
        true
    }

    fn is_made(&self, target: &Target<'_>) -> bool {
        target.suppressed.is_some()
    }
}

/// How far each value of a published column is believed to be S1, by its code there; nothing if
/// that could not be told.
fn beliefs(suppressed: &Suppressed<'_>, column: &Column) -> Option<Vec<RBig>> {
    let left = Ranked::new(&suppressed.on.counts());
    let found = skew::make(suppressed.method).beliefs(&suppressed.seen())?;
    let mut beliefs = vec![RBig::ZERO; column.domain().len()];
    for (&code, belief) in left.codes.iter().zip(found) {
        // What the method that formed groups withheld besides may have been all records of a value.
        if let Some(published) = column.domain().code(suppressed.on.domain().label(code)) {
            beliefs[published as usize] = belief;
        }
    }
    Some(beliefs)
}

/// What the attacker sees and believes.
struct Sight<'a> {
    target: &'a Target<'a>,
    column: &'a Column,
    /// One in l.
    claimed: Fraction,
    limit: Option<Limit>,
    beliefs: Option<Vec<RBig>>,
}

impl Sight<'_> {
    /// Published records by what is believed of their values; about all of them nothing could be
    /// decided if no belief is known.
    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        let records = self.column.codes().len() as u64;
        let Some(beliefs) = &self.beliefs else {
            // Nothing is known, so nothing is ruled out.
            tally.believe(Belief { belief: Fraction::ONE, limit: self.limit, exceeds: self.limit.is_some() });
            tally.count(records, 1.0, self.limit.is_some());
            return tally;
        };
        for (belief, records) in beliefs.iter().zip(self.column.counts()) {
            let exceeds = self.limit.is_some_and(|limit| *belief > RBig::from(limit.belief));
            let near = [Some(self.claimed), self.limit.map(|limit| limit.belief)];
            let shown = on_the_right_side(belief.clone(), &near);
            tally.believe(Belief { belief: shown, limit: self.limit, exceeds });
            tally.count(records, shown.to_f64(), exceeds);
        }
        let affected = self.affected();
        tally.people =
            affected.iter().zip(self.column.counts()).filter(|(affected, _)| **affected).map(|(_, n)| n).sum();
        let codes = self.column.codes();
        let has_one =
            |group: &usize| self.target.groups.rows(*group).iter().any(|&row| affected[codes[row as usize] as usize]);
        tally.groups = (0..self.target.groups.len()).filter(has_one).count() as u64;
        tally
    }

    /// Whether each value is believed to be S1 by more than one in l.
    fn affected(&self) -> Vec<bool> {
        let claimed = RBig::from(self.claimed);
        self.beliefs.iter().flatten().map(|belief| *belief > claimed).collect()
    }

    fn details(&self, suppressed: &Suppressed<'_>) -> Vec<(&'static str, f64)> {
        let withheld = suppressed.records - suppressed.on.codes().len() as u64;
        let mut details = vec![(CLAIMED_BELIEF, self.claimed.to_f64()), (WITHHELD, withheld as f64)];
        if self.beliefs.is_none() {
            details.push((UNDECIDED_PEOPLE, self.column.codes().len() as f64));
        }
        details
    }

    fn warning(&self, suppressed: &Suppressed<'_>, promised: bool) -> Option<String> {
        let Some(beliefs) = &self.beliefs else {
            return Some(format!(
                "The eligibility attack on \"{}\" is inconclusive: nothing is claimed about how surely its most frequent value can be inferred.",
                self.column.name()
            ));
        };
        let highest = beliefs.iter().max()?;
        if promised || *highest <= RBig::from(self.claimed) {
            return None;
        }
        // From a release that does not show all that was left, it cannot be computed to the last
        // digit, and need not be told.
        let reached = match suppressed.is_published {
            true => format!("an attacker who computes it from this release reaches {:.4}", highest.to_f64().value()),
            false => "an attacker who computes it may reach more".to_string(),
        };
        Some(format!(
            "{} was claimed to keep the belief in which value of \"{}\" was the most frequent to 1/{}; {reached}. Calibrated suppression keeps to it.",
            suppressed.method.name,
            self.column.name(),
            suppressed.l,
        ))
    }
}
