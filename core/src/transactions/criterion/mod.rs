//! What must hold for a release of transactions.

pub mod rho_uncertainty;

use super::{Demand, Released, Rule, Sensitive, Together};
use crate::error::Result;
use crate::kind::{self, Kind, Params};

/// Makes a criterion from checked parameters.
pub type Build = fn(&Params) -> Box<dyn Criterion>;

/// The criteria.
pub const KINDS: [&Kind<Build>; 1] = [&rho_uncertainty::KIND];

/// The criterion with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "criterion for transactions", name)
}

/// Decides whether a release may be published.
///
/// Obligations: the verdict depends on the release, the sensitive items and the parameters alone;
/// `holds` is decided in whole numbers, for every rule there is.
pub trait Criterion: Send + Sync {
    /// What it demands of every rule: methods work towards it.
    fn demand(&self) -> Demand;

    /// Looks at every rule; an error if they are too many.
    fn check(&self, released: &Released, sensitive: &Sensitive) -> Result<Verdict>;
}

/// What a criterion found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// The most confident rule: of equals the one with most support, then the one with the first
    /// items, then with the first item at its end. Nothing if there is no rule about a sensitive
    /// item. Of rules that hold for the same records the longest that somebody can know stands for
    /// all.
    pub worst: Option<Rule>,
    /// How many rules had to be looked at.
    pub looked_at: u64,
    /// Whether no rule at all is more confident than the one told. Always so if the criterion
    /// holds; if not, the search for a worse rule ends some time.
    pub exhaustive: bool,
}

/// Which published items are sensitive: those that were, and coarser ones that stand for some of
/// them.
pub(super) fn published_sensitive(together: &Together, sensitive: &Sensitive) -> Sensitive {
    let mut flags = vec![false; together.table.names().len()];
    for item in sensitive.items() {
        let published = together.published_as.as_ref().and_then(|published_as| published_as[item as usize]);
        [item].into_iter().chain(published).for_each(|item| flags[item as usize] = true);
    }
    Sensitive::new(flags)
}
