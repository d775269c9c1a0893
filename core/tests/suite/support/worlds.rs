//! Every possible world of a small release, and what an attacker believes: counted, without a
//! formula.

use super::dynamic_program::Semantics;

/// A small release: for each group its people, each with the values that she has (once or more
/// often).
pub type Release = Vec<Vec<Vec<usize>>>;

/// A set of worlds, one bit each.
#[derive(Clone, Debug, PartialEq)]
pub struct Event(Vec<u64>);

impl Event {
    fn and(&self, other: &Event) -> Event {
        Event(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// The worlds of the one that are not of the other.
    fn except(&self, other: &Event) -> Event {
        Event(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    fn or(&self, other: &Event) -> Event {
        Event(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn count_both(&self, other: &Event) -> u64 {
        self.0.iter().zip(&other.0).map(|(a, b)| u64::from((a & b).count_ones())).sum()
    }
}

/// Something that an attacker may know; people are numbered through all groups.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A person has a value.
    Has(usize, usize),
    /// A person does not have a value.
    Lacks(usize, usize),
    /// If the first person has the first value, then the second has the second.
    Implies((usize, usize), (usize, usize)),
}

/// A share of worlds, as two counts.
#[derive(Clone, Copy, Debug)]
pub struct Share(pub u64, pub u64);

impl Share {
    fn is_more(self, other: Share) -> bool {
        u128::from(self.0) * u128::from(other.1) > u128::from(other.0) * u128::from(self.1)
    }

    fn max(self, other: Share) -> Share {
        if other.is_more(self) { other } else { self }
    }

    pub fn to_f64(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }

    /// The largest number of twelve decimals that is not above it, and the least that is: the
    /// second only if it is at most one.
    pub fn decimals(self) -> (String, Option<String>) {
        const ONE: u128 = 1_000_000_000_000;
        let below = u128::from(self.0) * ONE / u128::from(self.1);
        let text = |steps: u128| format!("{}.{:012}", steps / ONE, steps % ONE);
        (text(below), (below < ONE).then(|| text(below + 1)))
    }
}

/// How many worlds a release has.
pub fn number_of_worlds(semantics: Semantics, release: &Release, values: usize) -> u128 {
    let factorial = |n: usize| (1..=n as u128).product::<u128>();
    let of_group = |group: &Vec<Vec<usize>>| {
        let counts = counts(semantics, group, values);
        let n = group.len();
        match semantics {
            Semantics::Single => factorial(n) / counts.iter().map(|&count| factorial(count)).product::<u128>(),
            Semantics::Set => counts.iter().map(|&c| factorial(n) / factorial(c) / factorial(n - c)).product(),
            Semantics::Multiset => (n as u128).pow(counts.iter().sum::<usize>() as u32),
        }
    };
    release.iter().map(of_group).product()
}

/// How often each value occurs in a group.
pub fn counts(semantics: Semantics, group: &[Vec<usize>], values: usize) -> Vec<usize> {
    let times = |person: &Vec<usize>, value: usize| {
        let times = person.iter().filter(|&&own| own == value).count();
        if semantics == Semantics::Multiset { times } else { times.min(1) }
    };
    (0..values).map(|value| group.iter().map(|person| times(person, value)).sum()).collect()
}

/// All worlds: for everybody and every value, those in which she has it.
pub struct Worlds {
    semantics: Semantics,
    values: usize,
    /// The group of each person.
    pub group_of: Vec<usize>,
    has: Vec<Vec<Event>>,
    all: Event,
}

impl Worlds {
    pub fn new(semantics: Semantics, release: &Release, values: usize) -> Worlds {
        let of_groups: Vec<Vec<Vec<u32>>> =
            release.iter().map(|group| worlds_of(semantics, group.len(), &counts(semantics, group, values))).collect();
        let total: usize = of_groups.iter().map(Vec::len).product();
        let nothing = Event(vec![0; total.div_ceil(64)]);
        let group_of: Vec<usize> =
            release.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |_| at)).collect();
        let mut has = vec![vec![nothing.clone(); values]; group_of.len()];
        let mut all = nothing;
        for world in 0..total {
            let (word, bit) = (world / 64, 1 << (world % 64));
            all.0[word] |= bit;
            let (mut rest, mut person) = (world, 0);
            for worlds in &of_groups {
                for held in &worlds[rest % worlds.len()] {
                    (0..values)
                        .filter(|value| held >> value & 1 == 1)
                        .for_each(|value| has[person][value].0[word] |= bit);
                    person += 1;
                }
                rest /= worlds.len();
            }
        }
        Worlds { semantics, values, group_of, has, all }
    }

    fn event(&self, fact: Fact) -> Event {
        match fact {
            Fact::Has(person, value) => self.has[person][value].clone(),
            Fact::Lacks(person, value) => self.all.except(&self.has[person][value]),
            Fact::Implies((w, z), (t, s)) => self.all.except(&self.has[w][z]).or(&self.has[t][s]),
        }
    }

    /// The belief that a person has a value, of somebody who knows some facts; nothing if they
    /// cannot be true.
    pub fn belief(&self, (target, value): (usize, usize), known: &[Fact]) -> Option<Share> {
        let possible = known.iter().fold(self.all.clone(), |event, &fact| event.and(&self.event(fact)));
        let share = Share(possible.count_both(&self.has[target][value]), possible.count());
        (share.1 > 0).then_some(share)
    }

    /// The highest belief in a value, for every (l, k, m) up to the given ones: every target, every
    /// l values, every k others with every value, every m relatives.
    pub fn breaches(&self, value: usize, most: (usize, usize, usize)) -> Vec<((usize, usize, usize), Share)> {
        let (l, k, m) = most;
        let mut found = vec![Share(0, 1); (l + 1) * (k + 1) * (m + 1)];
        let at = |(a, b, c): (usize, usize, usize)| (a * (k + 1) + b) * (m + 1) + c;
        for target in 0..self.group_of.len() {
            let others: Vec<usize> = (0..self.values).filter(|&other| other != value).collect();
            for chosen in 0u32..1 << others.len() {
                let about = chosen.count_ones() as usize;
                if about > l {
                    continue;
                }
                let facts = others.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, &other)| {
                    match self.semantics {
                        Semantics::Single => Fact::Lacks(target, other),
                        _ => Fact::Implies((target, other), (target, value)),
                    }
                });
                let possible = facts.fold(self.all.clone(), |event, fact| event.and(&self.event(fact)));
                let mut look = |known: usize, family: usize, share: Share| {
                    let best = &mut found[at((about, known, family))];
                    *best = best.max(share);
                };
                self.ground((target, value), 0, &possible, (0, 0), (k, m), &mut look);
            }
        }
        let points = || (0..=l).flat_map(|a| (0..=k).flat_map(move |b| (0..=m).map(move |c| (a, b, c))));
        let below = |x: (usize, usize, usize), y: (usize, usize, usize)| x.0 <= y.0 && x.1 <= y.1 && x.2 <= y.2;
        let most = |point| {
            points().filter(|&less| below(less, point)).map(|less| found[at(less)]).fold(Share(0, 1), Share::max)
        };
        points().map(|point| (point, most(point))).collect()
    }

    /// Everybody from a person on is unknown, known or a relative.
    fn ground(
        &self,
        aim @ (target, value): (usize, usize),
        person: usize,
        possible: &Event,
        used @ (known, family): (usize, usize),
        most: (usize, usize),
        look: &mut impl FnMut(usize, usize, Share),
    ) {
        let count = possible.count();
        if count == 0 {
            return;
        }
        if person == self.group_of.len() {
            look(known, family, Share(possible.count_both(&self.has[target][value]), count));
            return;
        }
        self.ground(aim, person + 1, possible, used, most, look);
        if person == target {
            return;
        }
        if known < most.0 {
            let facts: Vec<Fact> = match self.semantics {
                Semantics::Single => (0..self.values).map(|own| Fact::Has(person, own)).collect(),
                _ => vec![Fact::Lacks(person, value)],
            };
            for fact in facts {
                self.ground(aim, person + 1, &possible.and(&self.event(fact)), (known + 1, family), most, look);
            }
        }
        if family < most.1 {
            let relative = self.event(Fact::Implies((person, value), (target, value)));
            self.ground(aim, person + 1, &possible.and(&relative), (known, family + 1), most, look);
        }
    }

    /// The highest belief in any value of anybody, for every number of implications up to the given
    /// one.
    pub fn with_implications(&self, most: usize) -> Vec<Share> {
        let mut found = vec![Share(0, 1); most + 1];
        for target in 0..self.group_of.len() {
            for value in 0..self.values {
                let aim = &self.has[target][value];
                if aim.count() > 0 {
                    self.imply(aim, 0, &self.all, most, &mut found);
                }
            }
        }
        (1..=most).for_each(|k| found[k] = found[k].max(found[k - 1]));
        found
    }

    fn imply(&self, aim: &Event, first: usize, possible: &Event, left: usize, found: &mut [Share]) {
        let used = found.len() - 1 - left;
        found[used] = found[used].max(Share(possible.count_both(aim), possible.count()));
        if left == 0 {
            return;
        }
        for atom in first..self.group_of.len() * self.values {
            let antecedent = &self.has[atom / self.values][atom % self.values];
            let implication = self.all.except(antecedent).or(aim);
            self.imply(aim, atom + 1, &possible.and(&implication), left - 1, found);
        }
    }
}

/// The worlds of one group: for everybody the set of her values, as bits.
fn worlds_of(semantics: Semantics, people: usize, counts: &[usize]) -> Vec<Vec<u32>> {
    let mut worlds = vec![vec![0u32; people]];
    for (value, &count) in counts.iter().enumerate() {
        let give = |world: &Vec<u32>, chosen: &[usize]| {
            let mut world = world.clone();
            chosen.iter().for_each(|&person| world[person] |= 1 << value);
            world
        };
        let ways: Vec<Vec<usize>> = match semantics {
            Semantics::Multiset => draws(people, count),
            // Bijections that differ only in which of equal values somebody gets are one
            // arrangement; each stands for as many.
            _ => choices(people, count),
        };
        worlds = worlds
            .iter()
            .flat_map(|world| ways.iter().map(move |way| (world, way)))
            .filter_map(|(world, way)| {
                let taken = semantics == Semantics::Single && way.iter().any(|&person| world[person] != 0);
                (!taken).then(|| give(world, way))
            })
            .collect();
    }
    worlds
}

/// Every set of so many people.
fn choices(people: usize, count: usize) -> Vec<Vec<usize>> {
    let sets = (0u32..1 << people).filter(|set| set.count_ones() as usize == count);
    sets.map(|set| (0..people).filter(|person| set >> person & 1 == 1).collect()).collect()
}

/// Every way to draw a person so many times, with replacement.
fn draws(people: usize, count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![Vec::new()], |ways, _| {
        let longer = |way: &Vec<usize>, person: usize| way.iter().copied().chain([person]).collect();
        ways.iter().flat_map(|way| (0..people).map(move |person| longer(way, person))).collect()
    })
}
