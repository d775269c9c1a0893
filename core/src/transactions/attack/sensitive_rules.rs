//! Sensitive rules: what follows about people from the items that somebody knows of them.
//!
//! **Knowledge**: the release, and any items of a person, as many as the demand says; sensitive
//! ones too. **Finds** the most confident rules with a sensitive item at their end, how many are
//! more confident than is demanded, and how many people they betray. **Definition**: of the rules q
//! → e that hold for the same records the longest stands for all (see
//! [`rho_uncertainty`](crate::transactions::criterion::rho_uncertainty)). A record is betrayed if
//! it holds q and e of a rule above the demand. Rules with less than `min_support` records are left
//! out. Where sensitive items are told for groups of records, a group's share of an item is a rule
//! with an empty antecedent, and it betrays as many records as have the item: of a group at most
//! all. **Cost**: that of the criterion; where rules are above the demand, the search ends after
//! half a million or some more, and they are not counted. **Reference**: Cao, Karras, Raïssi and
//! Tan 2010; Jia, Pan, Xu, Zhu and Lo 2014.
//!
//! ```
//! use sfumato::exact::Fraction;
//! use sfumato::transactions::{Demand, Released, Sensitive, Together, Transactions, attack};
//!
//! let table = Transactions::from_names([vec!["bread", "test"], vec!["bread"], vec!["milk", "test"]]);
//! let sensitive = Sensitive::named(&table, ["test"]);
//! let kind = attack::find("sensitive-rules")?;
//! let attack = (kind.build)(&kind.check(&[])?);
//! let release = Released::Together(Together { table, published_as: None });
//! let found = attack.run(&release, &sensitive, Demand::at_most(Fraction::new(1, 2)))?;
//! assert_eq!((found.above, found.people), (Some(1), 1)); // who bought milk took the test
//! assert_eq!(found.rules.len(), 2); // and of two who bought bread one did
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::{Attack, Build, Found};
use crate::error::Result;
use crate::kind::{Kind, Param, Shape};
use crate::transactions::closed::{Index, VisitedRule, Visitor, is_within, least_allowed, worst_first};
use crate::transactions::criterion::published_sensitive;
use crate::transactions::{Demand, Released, Rule, Sensitive, Separated, Shared, Together, Transactions};
use hashbrown::HashSet;
use std::ops::ControlFlow;

/// The description of the attack.
pub const KIND: Kind<Build> = Kind {
    name: "sensitive-rules",
    summary: "Lists the most confident rules about sensitive items, and counts the people whose items they disclose",
    reference: "Cao et al. 2010",
    params: &[
        Param { name: "most", summary: "how many rules are listed", shape: Shape::Count(1), default: Some("20") },
        Param {
            name: "min_support",
            summary: "the least number of records that a rule holds for",
            shape: Shape::Count(1),
            default: Some("1"),
        },
    ],
    example: &[("most", "5")],
    build: |params| {
        Box::new(SensitiveRules { most: params.count("most") as usize, min_support: params.count("min_support") })
    },
};

/// How many rules are looked at where some are above the demand.
const ENOUGH: u64 = 500_000;

struct SensitiveRules {
    most: usize,
    min_support: u64,
}

impl Attack for SensitiveRules {
    fn run(&self, released: &Released, sensitive: &Sensitive, demand: Demand) -> Result<Found> {
        match released {
            Released::Together(together) => self.infer(together, sensitive, demand),
            Released::Separated(separated) => Ok(self.read_groups(separated, demand)),
        }
    }
}

impl SensitiveRules {
    fn infer(&self, together: &Together, sensitive: &Sensitive, demand: Demand) -> Result<Found> {
        let table = &together.table;
        let holders = table.holders();
        let tally = Tally {
            table,
            holders: &holders,
            demand,
            min_support: self.min_support,
            most: self.most,
            worst: Vec::new(),
            above: 0,
            silent: None,
            betrayed: HashSet::default(),
        };
        let index = Index::new(table, &published_sensitive(together, sensitive));
        let visited = index.visit_all(demand.into(), tally, |tally, effort| tally.above > 0 && effort > ENOUGH)?;
        let tally = visited.visitor;
        let above = visited.exhaustive.then_some(tally.above);
        Ok(Found { rules: tally.worst, above, people: tally.betrayed.len() as u64 })
    }

    fn read_groups(&self, separated: &Separated, demand: Demand) -> Found {
        let enough = |count: &u64| *count >= self.min_support;
        let of_group = |group: &Shared| {
            let of = group.records as u64;
            let items = group.items.iter().filter(|(_, count)| enough(count));
            let rule = |(item, support): &(u32, u64)| Rule {
                antecedent: Vec::new(),
                consequent: *item,
                support: *support,
                of,
            };
            items.map(rule).collect::<Vec<Rule>>()
        };
        let is_above = |rule: &&Rule| !demand.allows(rule.support, rule.of);
        let betrayed = |group: &Shared| {
            let told: u64 = of_group(group).iter().filter(is_above).map(|rule| rule.support).sum();
            told.min(group.records as u64)
        };
        let people = separated.groups.iter().map(betrayed).sum();
        let mut rules: Vec<Rule> = separated.groups.iter().flat_map(of_group).collect();
        let above = Some(rules.iter().filter(is_above).count() as u64);
        rules.sort_unstable_by(worst_first);
        rules.truncate(self.most);
        Found { rules, above, people }
    }
}

/// What rules add up to.
#[derive(Clone)]
struct Tally<'a> {
    table: &'a Transactions,
    holders: &'a [Vec<u32>],
    demand: Demand,
    min_support: u64,
    most: usize,
    /// The most confident rules, the worst first.
    worst: Vec<Rule>,
    above: u64,
    /// The records that hold the item that rules are about now, and that none of them betrays;
    /// ascending.
    silent: Option<Vec<u32>>,
    betrayed: HashSet<u32, foldhash::fast::FixedState>,
}

impl Tally<'_> {
    fn list(&mut self, rule: Rule) {
        let place = self.worst.partition_point(|other| worst_first(other, &rule).is_lt());
        if place < self.most {
            self.worst.insert(place, rule);
            self.worst.truncate(self.most);
        }
    }

    /// Takes note of the records that hold all items of a rule.
    fn betray(&mut self, rule: &Rule) {
        let holders = |item: &u32| self.holders[*item as usize].as_slice();
        // All rules that are seen between two merges are about the same item.
        let silent = self.silent.get_or_insert_with(|| holders(&rule.consequent).to_vec());
        let rarest = rule.antecedent.iter().map(holders).min_by_key(|records| records.len());
        let betrayed = |at: &u32| is_within(&rule.antecedent, self.table.record(*at as usize));
        match rarest.filter(|rarest| rarest.len() < silent.len()) {
            None => silent.retain(|at| !betrayed(at)),
            Some(rarest) => {
                let found: Vec<u32> = rarest.iter().copied().filter(betrayed).collect();
                if found.iter().any(|at| silent.binary_search(at).is_ok()) {
                    silent.retain(|at| found.binary_search(at).is_err());
                }
            }
        }
    }

    /// Adds the records about which the rules seen tell an item.
    fn settle(&mut self, other: &Self) {
        let Some((rule, silent)) = other.worst.first().zip(other.silent.as_ref()) else { return };
        let told = self.holders[rule.consequent as usize].iter().filter(|at| silent.binary_search(at).is_err());
        self.betrayed.extend(told);
    }
}

impl Visitor for Tally<'_> {
    fn wants(&self, support: u64) -> bool {
        support >= self.min_support
    }

    fn most(&self, support: u64) -> u64 {
        if self.worst.len() < self.most {
            return u64::MAX;
        }
        let listed = self.worst.last().map_or(u64::MAX, |rule| support * rule.of / rule.support);
        least_allowed(&self.demand, support).map_or(u64::MAX, |of| listed.max(of - 1))
    }

    fn see(&mut self, seen: &VisitedRule<'_>) -> ControlFlow<()> {
        let rule = seen.rule();
        if !self.demand.allows(rule.support, rule.of) {
            self.above += 1;
            self.betray(&rule);
        }
        self.list(rule);
        ControlFlow::Continue(())
    }

    fn fork(&self) -> Self {
        Tally { worst: Vec::new(), above: 0, silent: None, betrayed: HashSet::default(), ..*self }
    }

    fn merge(mut self, other: Self) -> Self {
        self.settle(&other);
        other.worst.into_iter().for_each(|rule| self.list(rule));
        self.above += other.above;
        self.betrayed.extend(other.betrayed);
        self
    }
}
