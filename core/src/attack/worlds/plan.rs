//! The plan of counting: in which order blocks are drawn, when each test is decided, and what must
//! be kept in mind until then.

use super::Case;

/// In which order blocks are drawn, and what is kept in mind meanwhile.
pub(super) struct Plan {
    pub order: Vec<usize>,
    pub parts: Vec<Part>,
    /// The parts of each test.
    pub tests: Vec<Vec<usize>>,
    pub stages: Vec<Stage>,
}

pub(super) struct Part {
    pub inside: Vec<bool>,
    pub size: u64,
    /// After how many blocks its contents are known, and whether as what is left rather than drawn.
    pub known: usize,
    pub by_rest: bool,
}

/// While a block is drawn.
pub(super) struct Stage {
    /// The parts whose drawn records are counted.
    pub kept: Vec<usize>,
    /// Where the drawn records of each part are told.
    pub told: Vec<Told>,
    /// Tests that are not decided yet, each with its parts that are not known yet.
    pub open: Vec<(usize, Vec<usize>)>,
    /// The same parts, the smallest first, each with the place of its test among the open ones.
    pub by_size: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Told {
    Nowhere,
    All,
    Kept(usize),
    AllBut(usize),
}

impl Stage {
    /// How many numbers tell which open tests are known to fail, a bit for each.
    pub fn flags(&self) -> usize {
        self.open.len().div_ceil(16)
    }
}

impl Plan {
    /// The plan that seems to need the fewest states.
    pub fn new(case: &Case) -> Plan {
        let blocks = case.sizes.len();
        let mut sets: Vec<Vec<bool>> = Vec::new();
        let mut tests = Vec::with_capacity(case.tests.len());
        for parts in &case.tests {
            let mut numbers = Vec::with_capacity(parts.len());
            for part in parts {
                let mut set = vec![false; blocks];
                part.iter().for_each(|&block| set[block as usize] = true);
                let known = sets.iter().position(|other| *other == set);
                numbers.push(known.unwrap_or(sets.len()));
                if known.is_none() {
                    sets.push(set);
                }
            }
            tests.push(numbers);
        }
        let plans = orders(&sets, blocks).into_iter().map(|order| Plan::in_order(case, order, &sets, &tests));
        let cost = |plan: &Plan| -> f64 {
            let stages = plan.stages.iter().zip(&plan.order);
            stages.map(|(stage, &block)| f64::from(case.block_size(block)) * 16f64.powi(stage.kept.len() as i32)).sum()
        };
        plans.min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("an order")
    }

    fn in_order(case: &Case, order: Vec<usize>, sets: &[Vec<bool>], tests: &[Vec<usize>]) -> Plan {
        let part = |inside: &Vec<bool>| {
            let after = |side: bool| order.iter().rposition(|&block| inside[block] == side).map_or(0, |at| at + 1);
            let size = (0..inside.len()).filter(|&block| inside[block]).map(|block| u64::from(case.block_size(block)));
            let (drawn, left) = (after(true), after(false));
            Part { inside: inside.clone(), size: size.sum(), known: drawn.min(left), by_rest: left < drawn }
        };
        let parts: Vec<Part> = sets.iter().map(part).collect();
        let mut plan = Plan { order, parts, tests: tests.to_vec(), stages: Vec::new() };
        let end = (0..tests.len()).map(|test| plan.decided(test)).max().unwrap_or(0);
        plan.stages = (0..end).map(|at| plan.stage(at)).collect();
        plan
    }

    /// After how many blocks a test is decided.
    pub fn decided(&self, test: usize) -> usize {
        self.tests[test].iter().map(|&part| self.parts[part].known).max().unwrap_or(0)
    }

    /// After how many blocks all is decided.
    pub fn end(&self) -> usize {
        self.stages.len()
    }

    /// What is told while the block at a place is drawn.
    fn stage(&self, at: usize) -> Stage {
        let drawn = &self.order[..=at];
        let mut kept: Vec<usize> = Vec::new();
        let told = self.parts.iter().enumerate().map(|(number, part)| {
            let inside = |part: &Part| drawn.iter().map(|&block| part.inside[block]).collect::<Vec<bool>>();
            if part.known <= at {
                return Told::Nowhere;
            }
            let own = inside(part);
            if own.iter().all(|inside| !inside) {
                return Told::Nowhere;
            }
            if own.iter().all(|&inside| inside) {
                return Told::All;
            }
            for (place, &other) in kept.iter().enumerate() {
                let others = inside(&self.parts[other]);
                if others == own {
                    return Told::Kept(place);
                }
                if others.iter().zip(&own).all(|(other, own)| other != own) {
                    return Told::AllBut(place);
                }
            }
            kept.push(number);
            Told::Kept(kept.len() - 1)
        });
        let told = told.collect();
        let open_parts = |test: usize| {
            let parts = self.tests[test].iter().copied().filter(|&part| self.parts[part].known > at);
            Some((test, parts.collect::<Vec<usize>>())).filter(|(_, parts)| !parts.is_empty())
        };
        let open: Vec<(usize, Vec<usize>)> = (0..self.tests.len()).filter_map(open_parts).collect();
        let places = open.iter().enumerate();
        let mut by_size: Vec<(usize, usize)> =
            places.flat_map(|(place, (_, parts))| parts.iter().map(move |&part| (part, place))).collect();
        by_size.sort_by_key(|&(part, _)| self.parts[part].size);
        Stage { kept, told, open, by_size }
    }
}

/// Orders worth looking at: as given and backwards, and some part before the rest.
fn orders(sets: &[Vec<bool>], blocks: usize) -> Vec<Vec<usize>> {
    const PARTS_LOOKED_AT: usize = 8;
    let given: Vec<usize> = (0..blocks).collect();
    let grow = |pair: &[Vec<bool>]| pair[0].iter().zip(&pair[1]).all(|(first, second)| first <= second);
    let begins = |set: &Vec<bool>| set.is_sorted_by(|a, b| a >= b);
    if sets.iter().all(begins) && sets.windows(2).all(grow) {
        return vec![given];
    }
    let mut orders = vec![given.clone(), given.iter().rev().copied().collect()];
    for first in sets.iter().take(PARTS_LOOKED_AT) {
        let mut order = given.clone();
        order.sort_by_key(|&block| (!first[block], sets.iter().map(|set| !set[block]).collect::<Vec<bool>>()));
        orders.push(order);
    }
    orders
}
