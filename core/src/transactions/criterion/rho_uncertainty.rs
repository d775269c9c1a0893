//! ρ-uncertainty: whatever somebody knows of a person's items, no sensitive one follows with more
//! confidence than ρ.
//!
//! **Promises** that of the records with any items that somebody may know, at most the share ρ has
//! any given sensitive item besides. **Threat**: somebody who knows part of a person's set, be it
//! one item or all but one, sensitive ones included, and infers another. **Definition**: for every
//! set q of at most `known` items that some record holds, and every sensitive item e that is not in
//! q: sup(q ∪ e) ≤ ρ·sup(q); with `strict`, below. The empty q, the plain frequency of e among all
//! records, counts with `empty`. A coarser item counts as sensitive if it stands for a sensitive
//! one. Where sensitive items are told for groups of records, each may occur in at most the share ρ
//! of a group's records: that rule is told with an empty antecedent, and a group's numbers.
//! **Cost**: in proportion to the rules that nothing longer stands for (the claim below) and to the
//! records that each has to be counted in; a release has some 10⁴ to 10⁶ of them. Where the demand
//! is not met, the search for the most confident rule ends after half a million or some more. A
//! table with more than fifty million is given up. With limited knowledge all sets of that many
//! items are looked at. **Reference**: Cao, Karras, Raïssi and Tan 2010; Jia, Pan, Xu, Zhu and Lo
//! 2014.
//!
//! # Claim
//! *A table is safe for unlimited knowledge if sup(C) ≤ ρ·sup(C∖e) for every intersection C of
//! records and every sensitive e in C, |C| > 1.* Take any rule q → e that some record supports, and
//! let C be the intersection of all records that hold q and e. The records that hold C are exactly
//! those, so sup(C) = sup(q ∪ e); and q is within C∖e, so sup(C∖e) ≤ sup(q). Hence C∖e → e has as
//! much support and at least as much confidence. So one rule for each C and e decides, and the most
//! confident of these is the most confident of all. Where only p items can be known, the same holds
//! for sets to which nothing can be added without losing a record, or that have p items.
//!
//! ```
//! use sfumato::kind::Raw;
//! use sfumato::transactions::{Released, Sensitive, Together, criterion, sample};
//!
//! let table = sample::purchases();
//! let sensitive = Sensitive::named(&table, ["condom"]);
//! let kind = criterion::find("rho-uncertainty")?;
//! let criterion = (kind.build)(&kind.check(&[("rho", Raw::from("0.5"))])?);
//! let verdict = criterion.check(&Released::Together(Together { table, published_as: None }), &sensitive)?;
//! assert!(!verdict.holds);
//! let worst = verdict.worst.unwrap(); // of three who bought milk, two bought condoms
//! assert_eq!((worst.antecedent, worst.consequent, worst.support, worst.of), (vec![1], 2, 2, 3));
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Build, Criterion, Verdict, published_sensitive};
use crate::error::Result;
use crate::kind::{Kind, Param, Params, Range, Shape};
use crate::transactions::closed::{Index, Worst, worst_first};
use crate::transactions::{Demand, Released, Rule, Sensitive, Separated, Together};

/// The description of ρ-uncertainty.
pub const KIND: Kind<Build> = Kind {
    name: "rho-uncertainty",
    summary: "No sensitive item follows from other items of a record with more confidence than rho",
    reference: "Cao et al. 2010",
    params: &[
        Param {
            name: "rho",
            summary: "the highest confidence allowed",
            shape: Shape::Decimal(Range::SHARE),
            default: None,
        },
        Param {
            name: "known",
            summary: "how many items of a person somebody knows at most",
            shape: Shape::CountOr(1, "all"),
            default: Some("all"),
        },
        Param {
            name: "empty",
            summary: "whether the share of an item among all records counts too",
            shape: Shape::Flag,
            default: Some("false"),
        },
        Param {
            name: "strict",
            summary: "whether confidence must be below rho",
            shape: Shape::Flag,
            default: Some("false"),
        },
    ],
    example: &[("rho", "0.7")],
    build: |params| Box::new(RhoUncertainty { demand: demand(params) }),
};

fn demand(params: &Params) -> Demand {
    Demand {
        rho: params.decimal("rho").fraction(),
        strict: params.flag("strict"),
        known: params.count_or("known").map(|known| known as usize),
        empty: params.flag("empty"),
    }
}

/// How many rules are looked at once the verdict is known, in search of a more confident one.
const ENOUGH: u64 = 500_000;

struct RhoUncertainty {
    demand: Demand,
}

impl Criterion for RhoUncertainty {
    fn demand(&self) -> Demand {
        self.demand
    }

    fn check(&self, released: &Released, sensitive: &Sensitive) -> Result<Verdict> {
        match released {
            Released::Together(together) => self.check_together(together, sensitive),
            Released::Separated(separated) => Ok(self.check_separated(separated)),
        }
    }
}

impl RhoUncertainty {
    fn allows(&self, worst: &Option<Rule>) -> bool {
        worst.as_ref().is_none_or(|rule| self.demand.allows(rule.support, rule.of))
    }

    fn check_together(&self, together: &Together, sensitive: &Sensitive) -> Result<Verdict> {
        let index = Index::new(&together.table, &published_sensitive(together, sensitive));
        let is_known = |worst: &Worst, effort: u64| effort > ENOUGH && !self.allows(&worst.0);
        let visited = index.visit_all(self.demand.into(), Worst(None), is_known)?;
        let worst = visited.visitor.0;
        let (looked_at, exhaustive) = (visited.looked_at, visited.exhaustive);
        Ok(Verdict { holds: self.allows(&worst), worst, looked_at, exhaustive })
    }

    fn check_separated(&self, separated: &Separated) -> Verdict {
        let rules = separated.groups.iter().flat_map(|group| {
            let of = group.records as u64;
            let shared = group.items.iter().filter(|(_, count)| *count > 0);
            shared.map(move |(item, count)| Rule { antecedent: Vec::new(), consequent: *item, support: *count, of })
        });
        let looked_at = rules.clone().count() as u64;
        let worst = rules.min_by(worst_first);
        Verdict { holds: self.allows(&worst), worst, looked_at, exhaustive: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Fraction;
    use crate::kind::Raw;

    fn written(params: &[(&str, Raw)]) -> crate::error::Result<Demand> {
        let rho = [("rho", Raw::from("0.7"))];
        KIND.check(&[&rho, params].concat()).map(|params| (KIND.build)(&params).demand())
    }

    #[test]
    fn demands_are_as_written() {
        let plain = Demand::at_most(Fraction::new(7, 10));
        assert_eq!(written(&[]).unwrap(), plain);
        assert_eq!(written(&[("known", Raw::from("all"))]).unwrap(), plain);
        let known = [("known", Raw::Number("2".into())), ("strict", Raw::Flag(true)), ("empty", Raw::Flag(true))];
        assert_eq!(written(&known).unwrap(), Demand { known: Some(2), strict: true, empty: true, ..plain });
        assert!(written(&[("known", Raw::Number("0".into()))]).is_err());
        assert!(written(&[("known", Raw::from("some"))]).is_err());
    }
}
