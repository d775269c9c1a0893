//! Keep as many items as can be, sensitive or not, so that rules among the others stay.

use super::Objective;
use super::work::{Work, counted, places, signature};
use crate::transactions::Rule;

/// What an item that is kept is worth. Of two parts of the same size the one with more items that
/// are not sensitive is better: rules among those are what analysts look for.
const WORTH: u32 = 129;

/// How many parts of a record are looked at before the best so far is taken.
const MOST_PARTS: u32 = 400;

/// How many ways of sparing one sensitive item are followed.
const MOST_COVERS: usize = 6;

/// Chooses the largest part of a record.
pub struct Mine;

impl Objective for Mine {
    /// # How
    /// A sensitive item of a part can stay if enough other records have the rest of the part but
    /// not that item: they *cover* it. Beginning with the whole record, an item that is not covered
    /// is deleted, or the part is cut down to what it has in common with a record that would cover
    /// it; whatever keeps more is followed first, and what cannot keep more than the best so far is
    /// left. To keep no sensitive item is always possible.
    fn choose(&self, work: &Work<'_>, at: usize, items: &[u32]) -> Vec<u32> {
        let mut plain: Vec<u32> = items.iter().copied().filter(|item| !work.sensitive.has(*item)).collect();
        if plain.is_empty() {
            plain.extend(items.iter().max_by_key(|item| work.left(**item)));
        }
        if items.len() > 128 {
            return plain;
        }
        let part = |set: u128| items.iter().enumerate().filter(move |(place, _)| set >> place & 1 == 1);
        let mut search = PartSearch {
            others: others(work, at, items, plain.len()),
            sensitive: places(
                items,
                &items.iter().copied().filter(|item| work.sensitive.has(*item)).collect::<Vec<_>>(),
            ),
            best: places(items, &plain),
            work,
            looked_at: 0,
        };
        search.visit(u128::MAX >> (128 - items.len()));
        part(search.best).map(|(_, item)| *item).collect()
    }

    /// The item with the least leftover · number of deletions.
    fn victim(&self, work: &Work<'_>, rule: &Rule, needed: impl Fn(u32) -> u64) -> u32 {
        let cost = |item: u32| work.left(item) as f64 / work.at_first(item) as f64 * needed(item) as f64;
        let items = rule.antecedent.iter().copied().chain([rule.consequent]);
        items.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).expect("a rule has a consequent")
    }

    fn wants_back(&self, _work: &Work<'_>, _item: u32) -> bool {
        true
    }
}

/// What records other than one have in common with its items, if it is at least so much.
pub fn others(work: &Work<'_>, at: usize, items: &[u32], least: usize) -> Vec<(u128, u64)> {
    let mut rarest = items.to_vec();
    rarest.sort_unstable_by_key(|item| work.at_first(*item));
    // Whoever lacks more than `len − least` of the items has too little in common: so a record that
    // has enough has one of any `len − least + 1`.
    rarest.truncate(items.len() - least + 1);
    let (own, mut near) = (signature(items), Vec::<u32>::new());
    let twins = items.len() as u32 - own.count_ones();
    for item in &rarest {
        near.extend(work.first_holders(*item).iter().filter(|other| {
            **other as usize != at && work.most_common(**other as usize, own, twins) as usize >= least
        }));
    }
    near.sort_unstable();
    near.dedup();
    let common = near.into_iter().map(|other| places(items, work.record(other as usize)));
    counted(common.filter(|common| common.count_ones() as usize >= least).collect())
}

/// The search for the best part of a record; parts are sets of places.
struct PartSearch<'w, 'a> {
    work: &'w Work<'a>,
    others: Vec<(u128, u64)>,
    sensitive: u128,
    best: u128,
    looked_at: u32,
}

impl PartSearch<'_, '_> {
    fn worth(&self, part: u128) -> u32 {
        part.count_ones() * WORTH - (part & self.sensitive).count_ones()
    }

    /// How many records would have all of a part, the record itself among them.
    fn support(&self, part: u128) -> u64 {
        1 + self.others.iter().filter(|(common, _)| common & part == part).map(|(_, count)| count).sum::<u64>()
    }

    fn visit(&mut self, part: u128) {
        self.looked_at += 1;
        if self.looked_at > MOST_PARTS || self.worth(part) <= self.worth(self.best) {
            return;
        }
        let Some(exposed) = self.most_exposed(part) else {
            self.best = part;
            return;
        };
        let mut next = self.covered(part, exposed);
        next.push(part & !(1 << exposed));
        next.sort_unstable_by_key(|part| (std::cmp::Reverse(self.worth(*part)), *part));
        next.into_iter().for_each(|part| self.visit(part));
    }

    /// The sensitive item of a part that is surest for whoever knows the others, if it is too sure.
    fn most_exposed(&self, part: u128) -> Option<u32> {
        let support = self.support(part);
        let too_sure = bits(part & self.sensitive).filter_map(|place| {
            let rest = part & !(1 << place);
            let of = self.support(rest);
            (rest != 0 && !self.work.demand.allows(support, of)).then_some((of, place))
        });
        too_sure.min().map(|(_, place)| place)
    }

    /// Parts that the sensitive item at a place could stay in, because a record without it has all
    /// the rest.
    fn covered(&self, part: u128, place: u32) -> Vec<u128> {
        let without = self.others.iter().filter(|(common, _)| common >> place & 1 == 0);
        let mut parts: Vec<u128> = without.map(|(common, _)| common & part | 1 << place).collect();
        parts.retain(|smaller| *smaller != part && self.worth(*smaller) > self.worth(self.best));
        parts.sort_unstable_by_key(|part| (std::cmp::Reverse(self.worth(*part)), *part));
        parts.dedup();
        parts.truncate(MOST_COVERS);
        parts
    }
}

fn bits(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let place = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (place < 128).then_some(place)
    })
}
