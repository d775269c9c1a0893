//! Counting all worlds: records are drawn one after the other, and ways that lead to the same state
//! are counted together.
//!
//! A state tells how many of each atom have been drawn from each urn and, for every part of a test
//! that is not just what has been drawn so far, how many are in it. Blocks are drawn one after the
//! other; a part of a test is known as soon as it, or the rest of the group, has been drawn. Atoms
//! that no later test can tell apart are counted together, and of atoms of one class it is not told
//! which is which. What leads from state to state does not depend on the kind of number that is
//! counted with: floats, in which all terms are positive so that hardly anything is lost, or
//! integers of any size.

use super::graph::{Cells, Edge, Graph, Step, StepKind};
use super::least::least_states;
use super::number::Number;
use super::plan::{Plan, Stage, Told};
use super::{Atom, Case, Scene};
use crate::anonymize::Checker;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

/// Groups with more tests have more states than any budget worth while.
const MOST_TESTS: u64 = 200;

/// How much more may be counted where only one value matters.
const EASE: u64 = 200;

/// What came of counting; beliefs by class and cell.
pub(super) enum Tally<S> {
    /// No test depends on who has what.
    Even,
    Counted(Vec<Vec<S>>),
    /// No world is possible.
    Impossible,
    /// It would take more steps than allowed.
    TooMuch,
}

/// Counts the worlds of a group, once for each class that is wanted.
pub(super) fn count<N: Number>(scene: &Scene<'_>, case: &Case, budget: u64) -> Tally<N::Share> {
    let rows = case.rows();
    let smallest = case.least_part();
    let ignored: Vec<bool> = case.atoms.iter().map(|atom| scene.ignores(atom, smallest)).collect();
    if case.is_halved_evenly() && case.passed.num == 0 {
        return Tally::Even;
    }
    // Where one value matters, states are few and ways between them cheap.
    let ease = if ignored.iter().filter(|ignored| !**ignored).count() > 1 { 1 } else { EASE };
    let mut budget = budget.saturating_mul(ease);
    if rows >= u32::from(u16::MAX) || u64::from(rows) > budget || case.tests.len() as u64 > MOST_TESTS * ease {
        return Tally::TooMuch;
    }
    let plan = Plan::new(case);
    if ignored.iter().all(|&ignored| ignored) || plan.end() == 0 {
        return if is_ever_possible(scene, case) { Tally::Even } else { Tally::Impossible };
    }
    let lumped: Vec<usize> = (0..case.atoms.len()).filter(|&at| ignored[at]).collect();
    let mut beliefs: Vec<Vec<N::Share>> = vec![Vec::new(); case.classes];
    let mut of_lumped: Option<Cells<N>> = None;
    let starts = (0..case.atoms.len()).filter(|&at| at == 0 || case.atoms[at].class != case.atoms[at - 1].class);
    let looked_for: Vec<usize> = starts.filter(|&at| case.atoms[at].wanted && !ignored[at]).collect();
    // States are built once for each class, which tells no fewer of them apart.
    if looked_for.len() as f64 * least_states(scene, case, &plan, &ignored) > budget as f64 {
        return Tally::TooMuch;
    }
    for at in looked_for {
        let counted = match Builder::new(scene, case, &plan, &[at], &ignored).build(&mut budget) {
            Some(graph) => graph.cells::<N>(case, &plan),
            None => return Tally::TooMuch,
        };
        match shares(case, &counted, &case.atoms[at], &[at]) {
            Some(found) => beliefs[case.atoms[at].class] = found,
            None => return Tally::Impossible,
        }
        if lumped.len() + 1 == case.atoms.len() {
            of_lumped = Some(counted.into_iter().map(|(own, others)| (others, own)).collect());
        }
    }
    for at in lumped.iter().copied().filter(|&at| case.atoms[at].wanted) {
        if of_lumped.is_none() {
            match Builder::new(scene, case, &plan, &lumped, &ignored).build(&mut budget) {
                Some(graph) => of_lumped = Some(graph.cells::<N>(case, &plan)),
                None => return Tally::TooMuch,
            }
        }
        let counted = of_lumped.as_ref().expect("counted");
        match shares(case, counted, &case.atoms[at], &lumped) {
            Some(found) => beliefs[case.atoms[at].class] = found,
            None => return Tally::Impossible,
        }
    }
    Tally::Counted(beliefs)
}

/// Whether the tests come out as they must where they say the same in every world.
fn is_ever_possible(scene: &Scene<'_>, case: &Case) -> bool {
    let mut checker = scene.checker();
    let passes = |parts: &Vec<Vec<u32>>| {
        parts.iter().all(|part| {
            let size: u32 = part.iter().map(|&block| case.block_size(block as usize)).sum();
            checker.holds_counted(&spread(case.atoms.iter(), size))
        })
    };
    let possible = case.passed.num > 0 || !case.tests.iter().any(passes);
    scene.give_back(checker);
    possible
}

/// So many records with these atoms, none more often than the group has it.
fn spread<'a>(atoms: impl Iterator<Item = &'a Atom>, records: u32) -> Vec<(u32, u32)> {
    let mut left = records;
    let take = |atom: &Atom| {
        let taken = left.min(atom.total());
        left -= taken;
        (atom.row, taken)
    };
    atoms.map(take).collect()
}

/// The belief in one atom of a counted slot: its share of the slot in each urn.
fn shares<N: Number>(case: &Case, counted: &Cells<N>, atom: &Atom, slot: &[usize]) -> Option<Vec<N::Share>> {
    let urns = case.urns.len();
    let whole: Vec<u32> = (0..urns).map(|urn| slot.iter().map(|&at| case.atoms[at].counts[urn]).sum()).collect();
    let share = |(cell, (own, others)): (usize, &(N, N))| {
        let (block, urn) = (cell / urns, cell % urns);
        if case.sizes[block][urn] == 0 || whole[urn] == 0 {
            return Some(N::nothing());
        }
        N::share(own, others, (atom.counts[urn], whole[urn]))
    };
    counted.iter().enumerate().map(share).collect()
}

/// Atoms that are counted together: one, or those that make no difference.
struct Slot {
    atoms: Vec<usize>,
    /// Slots of the same class are interchangeable.
    class: Option<usize>,
    totals: Vec<u32>,
}

impl Slot {
    fn new(case: &Case, atoms: Vec<usize>, class: Option<usize>) -> Slot {
        let total = |urn: usize| atoms.iter().map(|&at| case.atoms[at].counts[urn]).sum();
        let totals = (0..case.urns.len()).map(total).collect();
        Slot { atoms, class, totals }
    }
}

/// States with as many numbers each; a state is known by its number.
struct Layer {
    width: usize,
    keys: Vec<u16>,
    count: usize,
    table: HashTable<u32>,
}

impl Layer {
    fn new(width: usize) -> Layer {
        Layer { width, keys: Vec::new(), count: 0, table: HashTable::new() }
    }

    fn key(&self, state: usize) -> &[u16] {
        &self.keys[state * self.width..][..self.width]
    }

    fn number_of(&mut self, key: &[u16]) -> u32 {
        let (keys, width) = (&self.keys, self.width);
        let own = |state: u32| &keys[state as usize * width..][..width];
        let hash = |key: &[u16]| FixedState::default().hash_one(key);
        match self.table.entry(hash(key), |&state| own(state) == key, |&state| hash(own(state))) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = self.count as u32;
                entry.insert(number);
                self.count += 1;
                self.keys.extend_from_slice(key);
                number
            }
        }
    }
}

/// Stands for every number of a slot that is counted with the last one now.
const LUMPED: u16 = u16::MAX;

/// Builds the graph for one slot of atoms whose records are looked for.
struct Builder<'a> {
    scene: &'a Scene<'a>,
    case: &'a Case,
    plan: &'a Plan,
    /// First the one whose records are looked for, then single atoms, last those that make no
    /// difference from the start.
    slots: Vec<Slot>,
    /// By slot and number of its records: the parts that so many make unsafe, whatever else is in
    /// them, and one fewer do not.
    doomed_at: Vec<Vec<Vec<usize>>>,
    /// By part and slot: whether the slot makes no difference to parts at least as large.
    ignored: Vec<Vec<bool>>,
    checker: Checker<'a>,
}

impl<'a> Builder<'a> {
    fn new(scene: &'a Scene<'a>, case: &'a Case, plan: &'a Plan, wanted: &[usize], ignored: &[bool]) -> Self {
        let others = (0..case.atoms.len()).filter(|at| !wanted.contains(at));
        let (lumped, apart): (Vec<usize>, Vec<usize>) = others.partition(|&at| ignored[at]);
        let mut slots = vec![Slot::new(case, wanted.to_vec(), None)];
        slots.extend(apart.iter().map(|&at| Slot::new(case, vec![at], Some(case.atoms[at].class))));
        slots.push(Slot::new(case, lumped, None));
        let atom_of = |slot: &Slot| match slot.atoms[..] {
            [at] => Some(&case.atoms[at]),
            _ => None,
        };
        let last = &slots[slots.len() - 1];
        let doomed_at = |slot: &Slot| {
            // The last slot takes in others: its number is no atom's.
            let Some(atom) = atom_of(slot).filter(|_| !std::ptr::eq(slot, last)) else { return Vec::new() };
            let mut doomed_at = vec![Vec::new(); atom.total() as usize + 1];
            for (number, part) in plan.parts.iter().enumerate() {
                let enough = (1..=atom.total()).find(|&count| scene.rules_out(atom, count, part.size));
                enough.into_iter().for_each(|count| doomed_at[count as usize].push(number));
            }
            doomed_at
        };
        let ignores = |size: u64, slot: &Slot| atom_of(slot).is_none_or(|atom| scene.ignores(atom, size));
        let by_part = plan.parts.iter().map(|part| part.size);
        Builder {
            doomed_at: slots.iter().map(doomed_at).collect(),
            ignored: by_part.map(|size| slots.iter().map(|slot| ignores(size, slot)).collect()).collect(),
            case,
            plan,
            slots,
            checker: scene.checker(),
            scene,
        }
    }

    /// Nothing if there are more ways than are left of the budget.
    fn build(mut self, budget: &mut u64) -> Option<Graph> {
        let graph = self.graph(budget);
        self.scene.give_back(self.checker);
        graph
    }

    fn graph(&mut self, budget: &mut u64) -> Option<Graph> {
        let urns = self.case.urns.len();
        let mut layer = Layer::new(self.slots.len() * urns);
        layer.number_of(&vec![0; layer.width]);
        let mut steps: Vec<Step> = Vec::new();
        for at in 0..=self.plan.end() {
            steps.push(self.decide(at, &mut layer));
            *budget = budget.checked_sub(layer.count as u64)?;
            if at == self.plan.end() {
                break;
            }
            let block = self.plan.order[at];
            for urn in 0..urns {
                for row in 0..self.case.sizes[block][urn] {
                    let kind = StepKind::Draw { cell: self.case.cell(block, urn), first: row == 0 };
                    let (next, step) = self.draw(at, urn, &layer, kind);
                    *budget = budget.checked_sub(step.edges.len() as u64)?;
                    steps.push(step);
                    layer = next;
                }
            }
        }
        let totals = &self.slots[0].totals;
        let left = layer.keys.iter().enumerate().map(|(at, &drawn)| totals[at % urns] - u32::from(drawn));
        Some(Graph { left: left.collect(), steps, passed: self.case.passed })
    }

    /// How many numbers of a state are about one slot.
    fn width(&self, stage: Option<&Stage>) -> usize {
        self.case.urns.len() + stage.map_or(0, |stage| stage.kept.len())
    }

    /// Whether two neighbouring slots are interchangeable.
    fn are_alike(&self, place: usize) -> bool {
        let class = |place: usize| self.slots.get(place).and_then(|slot| slot.class);
        class(place).is_some() && class(place) == class(place + 1)
    }

    /// Draws one record from an urn, in every state.
    fn draw(&self, at: usize, urn: usize, layer: &Layer, kind: StepKind) -> (Layer, Step) {
        let (urns, stage) = (self.case.urns.len(), &self.plan.stages[at]);
        let width = self.width(Some(stage));
        let block = self.plan.order[at];
        let grows: Vec<bool> = stage.kept.iter().map(|&part| self.plan.parts[part].inside[block]).collect();
        let mut next = Layer::new(layer.width);
        let mut step = Step { ends: Vec::with_capacity(layer.count), edges: Vec::new(), states_after: 0, kind };
        let mut key = vec![0; layer.width];
        for state in 0..layer.count {
            let view = StateView { builder: self, stage: Some(stage), key: layer.key(state) };
            let mut alike = 0;
            for place in 0..self.slots.len() {
                alike += 1;
                // Of slots in the same state the last one is drawn from, for all of them.
                if view.is_lumped(place) || (self.are_alike(place) && view.own(place) == view.own(place + 1)) {
                    alike = if view.is_lumped(place) { 0 } else { alike };
                    continue;
                }
                let ways = alike * (view.total(place, urn) - u32::from(view.own(place)[urn]));
                alike = 0;
                if ways == 0 {
                    continue;
                }
                key.copy_from_slice(view.key);
                key[place * width + urn] += 1;
                for (sum, _) in key[place * width + urns..].iter_mut().zip(&grows).filter(|(_, grows)| **grows) {
                    *sum += 1;
                }
                if self.doom(stage, place, &mut key) {
                    self.settle(stage, &mut key);
                } else {
                    self.sort_from(place, width, &mut key);
                }
                step.edges.push(Edge { to: next.number_of(&key), ways, mark: u32::from(place == 0) });
            }
            step.ends.push(step.edges.len() as u32);
        }
        step.states_after = next.count;
        (next, step)
    }

    /// Puts a slot that has grown in its place among those of its class.
    fn sort_from(&self, place: usize, width: usize, key: &mut [u16]) {
        let mut place = place;
        while self.are_alike(place) {
            let (own, next) = key[place * width..][..2 * width].split_at_mut(width);
            if *own <= *next {
                break;
            }
            own.swap_with_slice(next);
            place += 1;
        }
    }

    /// Marks tests that must fail now that a slot has grown by a record; whether there are any.
    fn doom(&self, stage: &Stage, slot: usize, key: &mut [u16]) -> bool {
        let doomed_at = &self.doomed_at[slot];
        let view = StateView { builder: self, stage: Some(stage), key };
        let nowhere = doomed_at.get(view.drawn(slot) as usize).is_none_or(Vec::is_empty);
        if nowhere && (doomed_at.is_empty() || stage.kept.is_empty()) {
            return false;
        }
        let is_doomed = |part: usize| doomed_at[view.inside(slot, part) as usize].contains(&part);
        let doomed = stage.by_size.iter().filter(|&&(part, test)| !view.has_failed(test) && is_doomed(part));
        let doomed: Vec<usize> = doomed.map(|&(_, test)| test).collect();
        let flags = key.len() - stage.flags();
        doomed.iter().for_each(|test| key[flags + test / 16] |= 1 << (test % 16));
        !doomed.is_empty()
    }

    /// Forgets what makes no difference to tests that are open and not known to fail: atoms that
    /// they cannot tell apart are counted together.
    fn settle(&self, stage: &Stage, key: &mut [u16]) {
        let (urns, width) = (self.case.urns.len(), self.width(Some(stage)));
        let view = StateView { builder: self, stage: Some(stage), key };
        let mut open =
            stage.by_size.iter().filter(|&&(_, test)| !view.has_failed(test)).map(|&(part, _)| part).peekable();
        let smallest = open.peek().copied();
        let told: Vec<Told> =
            if stage.kept.is_empty() { Vec::new() } else { open.map(|part| stage.told[part]).collect() };
        let last = self.slots.len() - 1;
        for slot in (1..last).filter(|&slot| smallest.is_none_or(|part| self.ignored[part][slot])) {
            let (before, lump) = key.split_at_mut(last * width);
            let own = &mut before[slot * width..][..width];
            if own[0] != LUMPED {
                lump.iter_mut().zip(&*own).for_each(|(sum, count)| *sum += count);
                own.fill(LUMPED);
            }
        }
        for place in 0..stage.kept.len() {
            if !told.contains(&Told::Kept(place)) && !told.contains(&Told::AllBut(place)) {
                let slots = key[..(last + 1) * width].chunks_mut(width).filter(|own| own[0] != LUMPED);
                slots.for_each(|own| own[urns + place] = 0);
            }
        }
        self.sort(width, key);
    }

    /// Slots of one class in the order of their numbers.
    fn sort(&self, width: usize, key: &mut [u16]) {
        let mut start = 0;
        for class in self.slots.chunk_by(|a, b| a.class.is_some() && a.class == b.class) {
            let stretch = &mut key[start * width..(start + class.len()) * width];
            start += class.len();
            if class.len() > 1 && !stretch.chunks(width).is_sorted() {
                let mut tuples: Vec<Vec<u16>> = stretch.chunks(width).map(<[u16]>::to_vec).collect();
                tuples.sort_unstable();
                stretch.copy_from_slice(&tuples.concat());
            }
        }
    }

    /// Decides what is known after so many blocks, and goes over to what is told during the next.
    fn decide(&mut self, at: usize, layer: &mut Layer) -> Step {
        let plan = self.plan;
        let before = at.checked_sub(1).map(|before| &plan.stages[before]);
        let after = plan.stages.get(at);
        let decided = (0..plan.tests.len()).filter(|&test| plan.decided(test) == at).count();
        let length = |after: &Stage| self.slots.len() * self.width(Some(after)) + after.flags();
        // At the end only what is left of the first slot is asked for.
        let mut next = Layer::new(after.map_or(self.case.urns.len(), length));
        let kind = StepKind::Decide { tests: decided };
        let mut step = Step { ends: Vec::with_capacity(layer.count), edges: Vec::new(), states_after: 0, kind };
        for state in 0..layer.count {
            let failed = self.failed_tests(at, before, layer.key(state));
            let passes = (0..plan.tests.len()).filter(|&test| plan.decided(test) == at && !failed[test]).count() as u32;
            if passes == 0 || self.case.passed.num > 0 {
                let view = StateView { builder: self, stage: before, key: layer.key(state) };
                let key = match after {
                    Some(after) => view.carried(after, &failed),
                    None => view.own(0)[..self.case.urns.len()].to_vec(),
                };
                step.edges.push(Edge { to: next.number_of(&key), ways: 1, mark: passes });
            }
            step.ends.push(step.edges.len() as u32);
        }
        step.states_after = next.count;
        *layer = next;
        step
    }

    /// Whether each test is known to fail once so many blocks are drawn.
    fn failed_tests(&mut self, at: usize, before: Option<&Stage>, key: &[u16]) -> Vec<bool> {
        let plan = self.plan;
        let mut failed = vec![false; plan.tests.len()];
        for (place, (test, _)) in before.iter().flat_map(|before| before.open.iter().enumerate()) {
            failed[*test] = StateView { builder: self, stage: before, key }.has_failed(place);
        }
        let mut safe: Vec<Option<bool>> = vec![None; plan.parts.len()];
        for (test, failed) in failed.iter_mut().enumerate() {
            for &part in plan.tests[test].iter().filter(|&&part| plan.parts[part].known == at) {
                if !*failed && safe[part].is_none() {
                    let records = StateView { builder: self, stage: before, key }.records(part);
                    safe[part] = Some(self.checker.holds_counted(&records));
                }
                *failed |= safe[part] == Some(false);
            }
        }
        failed
    }
}

/// A state with what its numbers mean.
struct StateView<'a> {
    builder: &'a Builder<'a>,
    stage: Option<&'a Stage>,
    key: &'a [u16],
}

impl StateView<'_> {
    fn own(&self, slot: usize) -> &[u16] {
        let width = self.builder.width(self.stage);
        &self.key[slot * width..][..width]
    }

    fn is_lumped(&self, slot: usize) -> bool {
        self.own(slot)[0] == LUMPED
    }

    /// The slots that are counted in one: itself, and for the last one those that are counted with
    /// it now.
    fn counted_in(&self, slot: usize) -> impl Iterator<Item = &Slot> {
        let last = self.builder.slots.len() - 1;
        let others = (1..last).filter(move |&other| slot == last && self.is_lumped(other));
        std::iter::once(slot).chain(others).map(|slot| &self.builder.slots[slot])
    }

    /// How many records of a slot an urn has.
    fn total(&self, slot: usize, urn: usize) -> u32 {
        self.counted_in(slot).map(|slot| slot.totals[urn]).sum()
    }

    fn drawn(&self, slot: usize) -> u16 {
        self.own(slot)[..self.builder.case.urns.len()].iter().sum()
    }

    /// How many records that have been drawn for a part are of a slot.
    fn inside(&self, slot: usize, part: usize) -> u16 {
        let kept = |place: usize| self.own(slot)[self.builder.case.urns.len() + place];
        match self.stage.map_or(Told::Nowhere, |stage| stage.told[part]) {
            Told::Nowhere => 0,
            Told::All => self.drawn(slot),
            Told::Kept(place) => kept(place),
            Told::AllBut(place) => self.drawn(slot) - kept(place),
        }
    }

    /// Whether a test that is open is known to fail.
    fn has_failed(&self, test: usize) -> bool {
        let flags = self.key.len() - self.stage.map_or(0, Stage::flags);
        self.key[flags + test / 16] >> (test % 16) & 1 == 1
    }

    /// The records of a part that is known.
    fn records(&self, part: usize) -> Vec<(u32, u32)> {
        let builder = self.builder;
        let by_rest = builder.plan.parts[part].by_rest;
        let slots = (0..builder.slots.len()).filter(|&slot| !self.is_lumped(slot)).flat_map(|slot| {
            let inside = u32::from(self.inside(slot, part));
            let total: u32 = (0..builder.case.urns.len()).map(|urn| self.total(slot, urn)).sum();
            let count = if by_rest { total - u32::from(self.drawn(slot)) + inside } else { inside };
            let atoms = self.counted_in(slot).flat_map(|slot| &slot.atoms).map(|&at| &builder.case.atoms[at]);
            spread(atoms, count)
        });
        slots.collect()
    }

    /// The same state as it is told during the next block, with tests that are known to fail.
    fn carried(&self, after: &Stage, failed: &[bool]) -> Vec<u16> {
        let (builder, urns) = (self.builder, self.builder.case.urns.len());
        let mut key = Vec::with_capacity(builder.slots.len() * builder.width(Some(after)) + after.flags());
        for slot in 0..builder.slots.len() {
            let lumped = self.is_lumped(slot);
            key.extend_from_slice(&self.own(slot)[..urns]);
            key.extend(after.kept.iter().map(|&part| if lumped { LUMPED } else { self.inside(slot, part) }));
        }
        let flags = after
            .open
            .chunks(16)
            .map(|tests| tests.iter().rev().fold(0, |flags, &(test, _)| flags << 1 | u16::from(failed[test])));
        key.extend(flags);
        builder.settle(after, &mut key);
        key
    }
}
