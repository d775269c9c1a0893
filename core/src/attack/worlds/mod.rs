//! Possible worlds: in how many of them would the method have published a group as it did, and who
//! has which value there?
//!
//! A world gives every record of a group one of the sensitive values of its *urn*: the published
//! group that it is in, normally the replayed group itself. All worlds are equally likely before
//! the method is replayed on them; afterwards each has the weight that [`Replay`] tells. The belief
//! in a value is its share of the weight. Worlds are counted exactly where that is feasible, and
//! drawn by lot where it is not: then beliefs are intervals.
//!
//! What criteria cannot tell apart is not told apart here either: an *atom* is a combination of the
//! codes that criteria read. Records of one block and urn, a *cell*, have equal beliefs; so have
//! atoms of one *class*: those that criteria treat alike and of which there are equally many.
//! Groups with equal signatures have equal beliefs, and are worked out once.

mod division;
mod exact;
mod graph;
mod least;
mod merged;
mod number;
mod plan;
mod rare;
pub(super) mod release;
mod sample;

pub(super) use sample::{LEAST_ACCEPTED, around, within};

use crate::anonymize::{Checker, Replay, Safety};
use crate::candidate::{Counter, dense_ids};
use crate::criterion::Criterion;
use crate::exact::Fraction;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use merged::Merged;
use number::Wide;
use std::sync::{Mutex, OnceLock};

/// A table whose records differ in what criteria read.
pub struct Scene<'a> {
    safety: &'a Safety<'a>,
    readers: Vec<Reader<'a>>,
    /// The atom of each row, and a row for each atom.
    atom_of: Vec<u32>,
    row_of: Vec<u32>,
    /// The memory of checkers that nobody needs just now.
    idle: Mutex<Vec<Vec<Counter>>>,
}

/// A criterion with the codes that it reads.
struct Reader<'a> {
    criterion: &'a dyn Criterion,
    codes: &'a [u32],
    /// For each code the first that it treats alike.
    kinds: Vec<u32>,
}

impl<'a> Scene<'a> {
    /// Of the table that the criteria of `safety` read.
    pub fn new(safety: &'a Safety<'a>, rows: usize) -> Scene<'a> {
        let read = safety.criteria().filter_map(|(criterion, coded)| Some((criterion, coded?)));
        let read: Vec<_> = read.collect();
        let columns: Vec<_> = read.iter().map(|(_, coded)| *coded).collect();
        let (atom_of, atoms) =
            if columns.is_empty() { (vec![0; rows], usize::from(rows > 0)) } else { dense_ids(&columns, rows) };
        let mut row_of = vec![0; atoms];
        (0u32..).zip(&atom_of).for_each(|(row, &atom)| row_of[atom as usize] = row);
        let readers = read.into_iter().map(|(criterion, (codes, domain))| {
            let kinds = kinds(criterion, domain);
            Reader { criterion, codes, kinds }
        });
        Scene { safety, readers: readers.collect(), atom_of, row_of, idle: Mutex::default() }
    }

    fn checker(&self) -> Checker<'a> {
        match self.idle.lock().ok().and_then(|mut idle| idle.pop()) {
            Some(memory) => self.safety.checker_with(memory),
            None => self.safety.checker(),
        }
    }

    fn give_back(&self, checker: Checker<'_>) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(checker.into_memory());
        }
    }

    /// The atom of a row.
    pub fn atom_of(&self, row: u32) -> u32 {
        self.atom_of[row as usize]
    }

    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.row_of.len()
    }

    /// Whether a code of an atom makes no difference to any criterion in groups of at least that
    /// size.
    fn ignores(&self, atom: &Atom, size: u64) -> bool {
        let mut codes = self.readers.iter().zip(&atom.codes);
        codes.all(|(reader, code)| reader.criterion.ignores(code.code, code.at_most, size))
    }

    /// Whether so many records of an atom make every group of at most that size unsafe.
    fn rules_out(&self, atom: &Atom, count: u32, size: u64) -> bool {
        let mut codes = self.readers.iter().zip(&atom.codes);
        codes.any(|(reader, code)| reader.criterion.rules_out(code.code, u64::from(count), size))
    }
}

/// For each code the first one that is alike. Of many kinds only some are looked for: to tell apart
/// what is alike costs time, and nothing else.
fn kinds(criterion: &dyn Criterion, domain: usize) -> Vec<u32> {
    const LOOKED_FOR: usize = 64;
    let mut first: Vec<u32> = Vec::new();
    let kind_of = |code: u32| {
        let known = first.iter().take(LOOKED_FOR).copied().find(|&other| criterion.interchangeable(other, code));
        known.unwrap_or_else(|| {
            first.push(code);
            code
        })
    };
    (0..domain as u32).map(kind_of).collect()
}

/// One group that is replayed, with nothing left in it that does not matter.
pub struct Case {
    /// How many rows of each block are in each urn.
    sizes: Vec<Vec<u32>>,
    tests: Vec<Vec<Vec<u32>>>,
    passed: Fraction,
    /// Those of a class are next to each other.
    atoms: Vec<Atom>,
    classes: usize,
    /// For each urn its place among those given.
    urns: Vec<usize>,
    /// For each block of the replay its own.
    block_of: Vec<u32>,
    signature: Vec<u32>,
}

/// A combination of the codes that criteria read.
struct Atom {
    number: u32,
    row: u32,
    class: usize,
    codes: Vec<Code>,
    /// How many there are in each urn.
    counts: Vec<u32>,
    wanted: bool,
}

#[derive(Clone, Copy)]
struct Code {
    code: u32,
    /// How many records of the group have it.
    at_most: u64,
}

impl Atom {
    fn total(&self) -> u32 {
        self.counts.iter().sum()
    }
}

impl Case {
    /// A replayed group; `urns` are the published groups in it, and beliefs in atoms that are
    /// `wanted` will be asked for.
    pub fn new(scene: &Scene<'_>, replay: &Replay, urns: &[&[u32]], wanted: impl Fn(u32) -> bool) -> Case {
        let held: Vec<Vec<(u32, u32)>> = urns.iter().map(|rows| counted(scene, rows)).collect();
        let merged = Merged::new(replay, scene.safety.least_size());
        let shapes = shapes(replay, &merged, urns);
        let mut order: Vec<usize> = (0..urns.len()).collect();
        order.sort_by(|&a, &b| shapes[a].cmp(&shapes[b]).then_with(|| held[a].cmp(&held[b])));
        let sizes = (0..merged.blocks).map(|block| order.iter().map(|&urn| shapes[urn][block]).collect());
        let sizes: Vec<Vec<u32>> = sizes.collect();

        let mut described = describe(scene, &order.iter().map(|&urn| held[urn].as_slice()).collect::<Vec<_>>(), wanted);
        described.sort();
        let mut signature = header(&sizes, &merged.tests, replay.passed);
        let mut atoms: Vec<Atom> = Vec::with_capacity(described.len());
        for at in 0..described.len() {
            let same = at > 0 && described[at].0 == described[at - 1].0;
            let class = atoms.last().map_or(0, |last: &Atom| last.class + usize::from(!same));
            signature.extend_from_slice(&described[at].0);
            let number = described[at].1;
            let counts: Vec<u32> = order.iter().map(|&urn| count_in(&held[urn], number)).collect();
            let wanted = described[at].0.last() == Some(&1);
            atoms.push(Atom { number, row: scene.row_of[number as usize], class, codes: Vec::new(), counts, wanted });
        }
        let classes = atoms.last().map_or(0, |last| last.class + 1);
        let Merged { block_of, tests, .. } = merged;
        let mut case = Case { sizes, tests, passed: replay.passed, atoms, classes, urns: order, block_of, signature };
        case.know_codes(scene);
        case
    }

    /// Takes down the codes of atoms and how often each occurs in the group.
    fn know_codes(&mut self, scene: &Scene<'_>) {
        for reader in &scene.readers {
            let held: Vec<(u32, u64)> =
                self.atoms.iter().map(|atom| (reader.codes[atom.row as usize], u64::from(atom.total()))).collect();
            for (atom, &(code, _)) in self.atoms.iter_mut().zip(&held) {
                let at_most = held.iter().filter(|other| other.0 == code).map(|other| other.1).sum();
                atom.codes.push(Code { code, at_most });
            }
        }
    }

    /// Equal for groups with equal beliefs.
    pub fn signature(&self) -> &[u32] {
        &self.signature
    }

    /// For each urn its place among those that the case was made of; the order depends on their
    /// contents alone.
    pub fn urns(&self) -> &[usize] {
        &self.urns
    }

    /// How many beliefs can be asked for.
    pub fn beliefs(&self) -> usize {
        let wanted = self.atoms.chunk_by(|a, b| a.class == b.class).filter(|class| class[0].wanted).count();
        wanted * self.sizes.len() * self.urns.len()
    }

    /// The class of an atom.
    pub fn class_of(&self, atom: u32) -> Option<usize> {
        self.atoms.iter().find(|own| own.number == atom).map(|own| own.class)
    }

    /// The block that one of the replay is part of: what no test tells apart is one.
    pub fn block_of(&self, replayed: usize) -> usize {
        self.block_of[replayed] as usize
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.sizes.len()
    }

    /// How many records of a block are in an urn.
    pub fn size(&self, block: usize, urn: usize) -> u32 {
        self.sizes[block][urn]
    }

    fn urn_size(&self, urn: usize) -> u32 {
        self.sizes.iter().map(|sizes| sizes[urn]).sum()
    }

    /// How many records the group has.
    fn rows(&self) -> u32 {
        (0..self.sizes.len()).map(|block| self.block_size(block)).sum()
    }

    /// Whether the only test is of two halves of equal size.
    ///
    /// # Claim
    /// Exchanging the halves maps the worlds in which one of them is unsafe onto each other, so
    /// that both have as many records with a value on average: beliefs are shares.
    fn is_halved_evenly(&self) -> bool {
        let is_whole = self.sizes.len() == 2 && self.urns.len() == 1 && self.block_size(0) == self.block_size(1);
        is_whole
            && matches!(&self.tests[..], [parts] if matches!(&parts[..], [a, b] if a.len() == 1 && b.len() == 1 && a != b))
    }

    /// The size of the smallest part of a test.
    fn least_part(&self) -> u64 {
        let size = |part: &Vec<u32>| part.iter().map(|&block| u64::from(self.block_size(block as usize))).sum();
        self.tests.iter().flatten().map(size).min().unwrap_or(u64::MAX)
    }

    fn block_size(&self, block: usize) -> u32 {
        self.sizes[block].iter().sum()
    }

    fn cell(&self, block: usize, urn: usize) -> usize {
        block * self.urns.len() + urn
    }

    /// The atoms of each class.
    fn by_class(&self) -> impl Iterator<Item = &[Atom]> {
        self.atoms.chunk_by(|a, b| a.class == b.class)
    }
}

/// The atoms of rows with their counts, ascending.
fn counted(scene: &Scene<'_>, rows: &[u32]) -> Vec<(u32, u32)> {
    let mut atoms: Vec<u32> = rows.iter().map(|&row| scene.atom_of[row as usize]).collect();
    atoms.sort_unstable();
    atoms.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

fn count_in(held: &[(u32, u32)], atom: u32) -> u32 {
    held.binary_search_by_key(&atom, |entry| entry.0).map_or(0, |at| held[at].1)
}

/// For each urn how many of its rows are in each block.
fn shapes(replay: &Replay, merged: &Merged, urns: &[&[u32]]) -> Vec<Vec<u32>> {
    let mut shapes = vec![vec![0; merged.blocks]; urns.len()];
    let blocks = || merged.block_of.iter().map(|&block| block as usize).zip(&replay.blocks);
    if let [_] = urns {
        blocks().for_each(|(block, rows)| shapes[0][block] += rows.len() as u32);
        return shapes;
    }
    let mut places: Vec<(u32, usize)> =
        (0..).zip(urns).flat_map(|(urn, rows)| rows.iter().map(move |&row| (row, urn))).collect();
    places.sort_unstable();
    for (block, rows) in blocks() {
        for row in rows {
            let at = places.binary_search_by_key(row, |place| place.0).expect("each row is in an urn");
            shapes[places[at].1][block] += 1;
        }
    }
    shapes
}

/// Each atom with what matters of it: equal words are interchangeable.
///
/// # Claim
/// A criterion that treats two codes alike cannot tell worlds apart in which they are exchanged. To
/// exchange two *atoms* is to exchange codes only where no other atom of the group has them; other
/// codes are therefore told as they are. Exchanging atoms of which every urn has equally many maps
/// the worlds of a group onto each other.
fn describe(scene: &Scene<'_>, urns: &[&[(u32, u32)]], wanted: impl Fn(u32) -> bool) -> Vec<(Vec<u32>, u32)> {
    let mut numbers: Vec<u32> = urns.iter().flat_map(|held| held.iter().map(|entry| entry.0)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let code_of = |reader: &Reader<'_>, atom: u32| reader.codes[scene.row_of[atom as usize] as usize];
    let mut described: Vec<(Vec<u32>, u32)> = numbers.iter().map(|&atom| (Vec::new(), atom)).collect();
    for reader in &scene.readers {
        let mut codes: Vec<u32> = numbers.iter().map(|&atom| code_of(reader, atom)).collect();
        codes.sort_unstable();
        for (words, atom) in &mut described {
            let code = code_of(reader, *atom);
            let first = codes.partition_point(|&other| other < code);
            let alone = codes.get(first + 1) != Some(&code);
            words.extend(if alone { [0, reader.kinds[code as usize]] } else { [1, code] });
        }
    }
    for (words, atom) in &mut described {
        words.extend(urns.iter().map(|held| count_in(held, *atom)));
        words.push(u32::from(wanted(*atom)));
    }
    described
}

/// The part of a signature that is not about values.
fn header(sizes: &[Vec<u32>], tests: &[Vec<Vec<u32>>], passed: Fraction) -> Vec<u32> {
    let mut words = vec![sizes.len() as u32, sizes.first().map_or(0, Vec::len) as u32, tests.len() as u32];
    words.extend(sizes.iter().flatten());
    for part in tests.iter().flat_map(|parts| {
        let count = std::iter::once(vec![parts.len() as u32]);
        count.chain(parts.iter().cloned())
    }) {
        words.push(part.len() as u32);
        words.extend(part);
    }
    let Fraction { num, den } = passed.reduced();
    words.extend([num, den].iter().flat_map(|number| (0..4).map(move |at| (number >> (32 * at)) as u32)));
    words
}

/// How much work may be done.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most steps from state to state that are counted exactly, for all values of a group
    /// together.
    pub budget: u64,
    /// How many worlds are drawn at first where that is not enough.
    pub samples: u64,
    /// The most steps for everything together.
    pub steps: u64,
    /// The chance that any interval does not hold the belief.
    pub doubt: f64,
}

impl Effort {
    /// A part of all the steps.
    pub fn part(self, one: u64, of: u64) -> Effort {
        Effort { steps: self.steps / of * one, ..self }
    }
}

/// The most records of a group that are counted in integers of any size.
const MOST_ROWS_EXACTLY: u32 = 1000;

/// What is believed about the records of a group.
pub struct Solution<'a> {
    scene: &'a Scene<'a>,
    case: &'a Case,
    how: How,
    exactly: OnceLock<Option<Vec<Vec<RBig>>>>,
}

/// How beliefs were found; by class and cell.
enum How {
    /// No test says anything: beliefs are shares.
    Even,
    Counted(Vec<Vec<f64>>),
    Sampled(sample::Sampled),
    /// Between bounds that follow without drawing.
    Framed(Vec<Vec<Estimate>>),
    /// In no world would the method have published the group.
    Impossible,
}

/// A belief, or an interval that it is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// It is at least this.
    pub low: f64,
    /// And at most this.
    pub high: f64,
}

impl<'a> Solution<'a> {
    /// Works out the beliefs in a group.
    pub fn of(scene: &'a Scene<'a>, case: &'a Case, effort: &Effort) -> Solution<'a> {
        let counted = Solution::counted(scene, case, effort.budget, effort.budget > 0);
        if counted.is_counted() { counted } else { Solution::sampled(scene, case, effort) }
    }

    /// By lot: the beliefs are intervals.
    pub fn sampled(scene: &'a Scene<'a>, case: &'a Case, effort: &Effort) -> Solution<'a> {
        Solution::drawn(scene, case, sample::Drawing::new(scene, case).draw(effort.samples, effort.doubt))
    }

    /// Works out the beliefs in a group by counting; nothing is known if that takes too many steps.
    fn counted(scene: &'a Scene<'a>, case: &'a Case, budget: u64, divides: bool) -> Solution<'a> {
        let divided = || division::count::<f64>(scene, case).or_else(|| division::count::<Wide>(scene, case));
        let tally = || match divides.then(divided).flatten() {
            Some(tally) => tally,
            None => exact::count::<f64>(scene, case, budget),
        };
        let how = if case.tests.is_empty() || scene.readers.is_empty() {
            How::Even
        } else {
            match tally() {
                exact::Tally::Even => How::Even,
                exact::Tally::Counted(beliefs) => How::Counted(beliefs),
                exact::Tally::Impossible => How::Impossible,
                exact::Tally::TooMuch => How::Sampled(sample::Sampled::none(case)),
            }
        };
        Solution { scene, case, how, exactly: OnceLock::new() }
    }

    fn drawn(scene: &'a Scene<'a>, case: &'a Case, sampled: sample::Sampled) -> Solution<'a> {
        Solution { scene, case, how: How::Sampled(sampled), exactly: OnceLock::new() }
    }

    fn is_counted(&self) -> bool {
        !matches!(self.how, How::Sampled(_))
    }

    /// The same with bounds, if hardly any world that was drawn was possible.
    fn framed(&self) -> Option<Solution<'a>> {
        let is_vain = matches!(&self.how, How::Sampled(sampled) if sampled.accepted < LEAST_ACCEPTED);
        let frames = is_vain.then(|| rare::framed(self.scene, self.case)).flatten()?;
        Some(Solution { scene: self.scene, case: self.case, how: How::Framed(frames), exactly: OnceLock::new() })
    }

    /// Whether beliefs are between bounds, and no world was drawn.
    pub fn is_framed(&self) -> bool {
        matches!(self.how, How::Framed(_))
    }

    /// The group that it is about.
    pub fn case(&self) -> &'a Case {
        self.case
    }

    /// Whether nothing is learnt: every belief is a share.
    pub fn is_even(&self) -> bool {
        matches!(self.how, How::Even)
    }

    /// How many of the worlds drawn were possible, if any were drawn.
    pub fn accepted(&self) -> Option<u64> {
        match &self.how {
            How::Sampled(sampled) => Some(sampled.accepted),
            How::Framed(_) => Some(0),
            _ => None,
        }
    }

    /// The belief that a record of a cell has one of the atoms of a class that is wanted, and not
    /// another of the class.
    pub fn belief(&self, class: usize, block: usize, urn: usize) -> Estimate {
        let cell = self.case.cell(block, urn);
        let known = |belief: f64| Estimate { low: belief, high: belief };
        match &self.how {
            How::Even => {
                let (count, size) = self.share(class, urn);
                known(f64::from(count) / f64::from(size))
            }
            How::Counted(beliefs) => known(beliefs[class][cell]),
            How::Sampled(sampled) => sampled.intervals[class][cell],
            How::Framed(frames) => frames[class][cell],
            How::Impossible => Estimate { low: 0.0, high: 1.0 },
        }
    }

    /// The same exactly; nothing where worlds were drawn.
    pub fn exactly(&self, class: usize, block: usize, urn: usize) -> Option<RBig> {
        match &self.how {
            How::Even => {
                let (count, size) = self.share(class, urn);
                Some(RBig::from_parts(IBig::from(count), UBig::from(size)))
            }
            // Integers grow with the group, and there is one for each state.
            How::Counted(_) if self.case.rows() > MOST_ROWS_EXACTLY => None,
            How::Counted(_) => {
                let tally = || match division::count::<UBig>(self.scene, self.case) {
                    Some(tally) => tally,
                    None => exact::count::<UBig>(self.scene, self.case, u64::MAX),
                };
                let beliefs = self.exactly.get_or_init(|| match tally() {
                    exact::Tally::Counted(beliefs) => Some(beliefs),
                    _ => None,
                });
                Some(beliefs.as_ref()?[class][self.case.cell(block, urn)].clone())
            }
            How::Sampled(_) | How::Framed(_) | How::Impossible => None,
        }
    }

    fn share(&self, class: usize, urn: usize) -> (u32, u32) {
        let atom = self.case.atoms.iter().find(|atom| atom.class == class).expect("a class has an atom");
        (atom.counts[urn], self.case.urn_size(urn))
    }
}
