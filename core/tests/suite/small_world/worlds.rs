//! Possible worlds of a small release, counted: every way in which the values of a group can belong
//! to its people.

use super::naive::{Case, ratio};
use dashu_ratio::RBig;

/// Six people have at most 720 worlds.
type Event = [u64; 12];

/// For everybody and every value, the worlds in which she has it.
pub struct Worlds {
    group_of: Vec<usize>,
    has: Vec<Vec<Event>>,
    all: Event,
}

fn and(a: &Event, b: &Event) -> Event {
    std::array::from_fn(|at| a[at] & b[at])
}

fn or(a: &Event, b: &Event) -> Event {
    std::array::from_fn(|at| a[at] | b[at])
}

fn except(a: &Event, b: &Event) -> Event {
    std::array::from_fn(|at| a[at] & !b[at])
}

fn count(event: &Event) -> u64 {
    event.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// All different orders of some values.
fn orders(values: &[u8]) -> Vec<Vec<u8>> {
    if values.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, &first) in values.iter().enumerate() {
        if values[..at].contains(&first) {
            continue;
        }
        let rest: Vec<u8> = values[..at].iter().chain(&values[at + 1..]).copied().collect();
        all.extend(orders(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// All sets of at most so many of some things.
fn sets<T: Clone>(things: &[T], most: usize) -> Vec<Vec<T>> {
    let Some((first, rest)) = things.split_first() else { return vec![Vec::new()] };
    let mut all = sets(rest, most);
    if most > 0 {
        all.extend(sets(rest, most - 1).into_iter().map(|set| [vec![first.clone()], set].concat()));
    }
    all
}

fn people_mask(set: &[usize]) -> u32 {
    set.iter().fold(0, |mask, person| mask | 1 << person)
}

impl Worlds {
    pub fn new(case: &Case) -> Worlds {
        let mut worlds = vec![Vec::new()];
        let mut group_of = Vec::new();
        for (group, people) in case.groups.iter().enumerate() {
            group_of.extend(std::iter::repeat_n(group, people.len()));
            let own: Vec<u8> = people.iter().map(|person| person.values[0]).collect();
            let orders = orders(&own);
            worlds = worlds
                .iter()
                .flat_map(|before: &Vec<u8>| orders.iter().map(move |order| [before.as_slice(), order].concat()))
                .collect();
        }
        let values = worlds[0].iter().max().map_or(0, |largest| *largest as usize + 1);
        let mut has = vec![vec![[0; 12]; values]; group_of.len()];
        let mut all = [0; 12];
        for (at, world) in worlds.iter().enumerate() {
            let bit = 1u64 << (at % 64);
            all[at / 64] |= bit;
            world.iter().enumerate().for_each(|(person, value)| has[person][*value as usize][at / 64] |= bit);
        }
        Worlds { group_of, has, all }
    }

    fn people(&self) -> std::ops::Range<usize> {
        0..self.group_of.len()
    }

    /// One person of each group: the others are in the same position.
    fn targets(&self) -> impl Iterator<Item = usize> {
        self.people().filter(|&person| person == 0 || self.group_of[person] != self.group_of[person - 1])
    }

    fn atoms(&self) -> Vec<(usize, usize)> {
        self.people().flat_map(|person| (0..self.has[person].len()).map(move |value| (person, value))).collect()
    }

    /// The highest belief in anything of somebody who knows so many implications that end in it.
    pub fn implications(&self, known: usize) -> RBig {
        let atoms: Vec<Event> = self.atoms().iter().map(|(person, value)| self.has[*person][*value]).collect();
        let sets = sets(&atoms, known);
        let beliefs = self.targets().flat_map(|target| &self.has[target]).filter(|own| count(own) > 0).map(|own| {
            let refuted = |set: &Vec<Event>| set.iter().fold([0; 12], |so_far, atom| or(&so_far, atom));
            let left = sets.iter().map(|set| count(&or(own, &except(&self.all, &refuted(set))))).min();
            ratio(count(own), left.expect("the empty set is one"))
        });
        beliefs.max().expect("somebody has something")
    }

    /// The same for implications that begin and end wherever they like.
    pub fn any_implications(&self, known: usize) -> RBig {
        let atoms = self.atoms();
        let event = |(person, value): &(usize, usize)| self.has[*person][*value];
        let implication = |from: &(usize, usize), to: &(usize, usize)| or(&except(&self.all, &event(from)), &event(to));
        let mut facts: Vec<Event> =
            atoms.iter().flat_map(|from| atoms.iter().map(move |to| implication(from, to))).collect();
        facts.sort_unstable();
        facts.dedup();
        let mut highest = RBig::ZERO;
        for set in sets(&facts, known) {
            let possible = set.iter().fold(self.all, |so_far, fact| and(&so_far, fact));
            let (total, most) = (count(&possible), atoms.iter().map(|atom| count(&and(&possible, &event(atom)))).max());
            if total > 0 {
                highest = highest.max(ratio(most.expect("somebody has something"), total));
            }
        }
        highest
    }

    /// The highest belief in a protected value of somebody who knows at most l values that the
    /// target does not have, the values of k others, and m members of the family.
    pub fn budget(&self, [l, k, m]: [usize; 3], protects: &dyn Fn(u8) -> bool) -> RBig {
        let mut highest = (0, 1);
        for target in self.targets() {
            let others: Vec<usize> = self.people().filter(|&person| person != target).collect();
            let known_others = self.known_others(&others, k);
            for value in (0..self.has[target].len()).filter(|&value| protects(value as u8)) {
                let own = &self.has[target][value];
                if count(own) == 0 {
                    continue;
                }
                let alternatives: Vec<usize> = (0..self.has[target].len()).filter(|&other| other != value).collect();
                // Each leaves fewer worlds in which she does not have the value, and all in which
                // she has it.
                let spared = |event: Event| except(&self.all, &event);
                let excluded: Vec<Event> = sets(&alternatives, l)
                    .iter()
                    .map(|set| spared(set.iter().fold([0; 12], |sum, other| or(&sum, &self.has[target][*other]))))
                    .collect();
                let families: Vec<(u32, Event)> = sets(&others, m)
                    .iter()
                    .map(|set| {
                        let any = set.iter().fold([0; 12], |sum, person| or(&sum, &self.has[*person][value]));
                        (people_mask(set), spared(any))
                    })
                    .collect();
                for (who, known) in &known_others {
                    let has = count(&and(known, own));
                    if has == 0 {
                        continue;
                    }
                    let lacks = except(known, own);
                    for excluded in &excluded {
                        let lacks = and(&lacks, excluded);
                        // Whoever is known is no member of the family: by definition they are
                        // different people.
                        for (_, family) in families.iter().filter(|(members, _)| members & who == 0) {
                            let possible = has + count(&and(&lacks, family));
                            if has * highest.1 > highest.0 * possible {
                                highest = (has, possible);
                            }
                        }
                    }
                }
            }
        }
        ratio(highest.0, highest.1)
    }

    /// At most so many of some people, and the worlds that their values leave.
    fn known_others(&self, others: &[usize], k: usize) -> Vec<(u32, Event)> {
        let mut all = Vec::new();
        for set in sets(others, k) {
            let mut known = vec![self.all];
            let who = people_mask(&set);
            for person in set {
                let next = known.iter().flat_map(|so_far| self.has[person].iter().map(move |event| and(so_far, event)));
                known = next.filter(|event| count(event) > 0).collect();
            }
            all.extend(known.into_iter().map(|event| (who, event)));
        }
        all
    }
}
