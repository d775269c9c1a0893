//! What two releases tell together, against all possible worlds of small tables: never more people
//! than the truth where it says "at least", and never a belief beyond it.

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha20Rng;
use sfumato::attack::together::{Composition, Depth, Found, Published, Quasi, together};
use sfumato::candidate::Groups;
use sfumato::data::Column;
use sfumato::data::hierarchy::Ruler;
use std::collections::BTreeMap;

/// A person: two quasi-identifiers and a sensitive value.
#[derive(Clone, Copy)]
struct Person {
    quasi: [u8; 2],
    value: u8,
}

/// A release: for each person the group, none if left out; and the table that is seen.
struct Release {
    group_of: Vec<Option<usize>>,
    groups: Groups,
    quasi: [Column; 2],
    sensitive: Column,
}

fn word(letter: char, number: u8) -> String {
    format!("{letter}{number}")
}

/// The labels of a group in a column: the set of values, or a star.
fn label(people: &[Person], group: &[usize], column: usize, is_starred: bool) -> String {
    let mut values: Vec<u8> = group.iter().map(|&at| people[at].quasi[column]).collect();
    values.sort_unstable();
    values.dedup();
    let words: Vec<String> = values.iter().map(|&value| word('q', value)).collect();
    match (is_starred, words.as_slice()) {
        (true, _) => "*".into(),
        (false, [one]) => one.clone(),
        (false, several) => format!("{{{}}}", several.join(", ")),
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    Bucketized,
    /// Labels are sets of values, or a star in one of the columns.
    Generalized(Option<usize>),
}

impl Release {
    /// The people in some groups at random. Rows are in another order, and the values of a group of
    /// a bucketized release are dealt out anew.
    fn new(people: &[Person], form: Form, leaves_out: bool, generator: &mut ChaCha20Rng) -> Release {
        let mut order: Vec<usize> = (0..people.len()).collect();
        order.shuffle(generator);
        let kept = &order[usize::from(leaves_out)..];
        let parts = generator.random_range(1..=kept.len().div_ceil(2));
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); parts];
        kept.iter().enumerate().for_each(|(at, &person)| groups[at % parts].push(person));
        let mut rows: Vec<(usize, [String; 2], u8)> = Vec::new();
        for group in &groups {
            let mut values: Vec<u8> = group.iter().map(|&person| people[person].value).collect();
            values.shuffle(generator);
            for (&person, dealt) in group.iter().zip(values) {
                let labels = [0, 1].map(|column| match form {
                    Form::Bucketized => word('q', people[person].quasi[column]),
                    Form::Generalized(star) => label(people, group, column, star == Some(column)),
                });
                rows.push((person, labels, if form == Form::Bucketized { dealt } else { people[person].value }));
            }
        }
        let quasi =
            [0, 1].map(|column| Column::from_values(format!("q{column}"), rows.iter().map(|row| &row.1[column])));
        let seen = match form {
            Form::Bucketized => {
                let ids: Vec<u32> = groups.iter().zip(0u32..).flat_map(|(group, at)| vec![at; group.len()]).collect();
                Groups::by_ids(&ids, parts)
            }
            // Parts with the same labels are one group.
            Form::Generalized(_) => Groups::by_columns(&[&quasi[0], &quasi[1]], rows.len()),
        };
        let mut group_of = vec![None; people.len()];
        for group in 0..seen.len() {
            seen.rows(group).iter().for_each(|&row| group_of[rows[row as usize].0] = Some(group));
        }
        let sensitive = Column::from_values("s", rows.iter().map(|row| word('s', row.2)));
        Release { group_of, groups: seen, quasi, sensitive }
    }

    fn published(&self) -> Published<'_> {
        let quasi =
            self.quasi.iter().map(|column| Quasi { column, ruler: &Ruler::Values, depth: Depth::Mixed }).collect();
        let missing = self.group_of.iter().filter(|group| group.is_none()).count() as u64;
        Published { groups: &self.groups, quasi, sensitive: &self.sensitive, missing }
    }

    /// How often each group has each value, if people had these.
    fn histogram(&self, values: &[u8]) -> BTreeMap<(usize, u8), u64> {
        let mut counts = BTreeMap::new();
        for (group, &value) in self.group_of.iter().zip(values) {
            if let Some(group) = group {
                *counts.entry((*group, value)).or_default() += 1;
            }
        }
        counts
    }
}

/// For everybody who is in one of the releases, how many worlds give each value: all ways to give
/// people values that lead to both.
fn beliefs(people: &[Person], releases: &[Release; 2], kinds: u8) -> Vec<Vec<f64>> {
    let truth: Vec<u8> = people.iter().map(|person| person.value).collect();
    let wanted = [0, 1].map(|at: usize| releases[at].histogram(&truth));
    let mut counts = vec![vec![0u32; kinds as usize]; people.len()];
    let (mut worlds, mut values) = (0u32, vec![0u8; people.len()]);
    loop {
        if (0..2).all(|at| releases[at].histogram(&values) == wanted[at]) {
            worlds += 1;
            values.iter().zip(&mut counts).for_each(|(&value, counts)| counts[value as usize] += 1);
        }
        let Some(next) = values.iter().position(|&value| value + 1 < kinds) else { break };
        values[next] += 1;
        values[..next].fill(0);
    }
    let is_published = |at: &usize| releases.iter().any(|release| release.group_of[*at].is_some());
    let share = |at: usize| counts[at].iter().map(|&count| f64::from(count) / f64::from(worlds)).collect();
    (0..people.len()).filter(is_published).map(share).collect()
}

struct Case {
    found: Found,
    beliefs: Vec<Vec<f64>>,
}

impl Case {
    fn draw(forms: [Form; 2], leaves_out: bool, generator: &mut ChaCha20Rng) -> Case {
        let kinds = generator.random_range(2..=4u8);
        let most = if kinds == 4 { 6 } else { 7 };
        let person = |generator: &mut ChaCha20Rng| Person {
            quasi: [generator.random_range(0..4), generator.random_range(0..3)],
            value: generator.random_range(0..kinds),
        };
        let people: Vec<Person> = (0..generator.random_range(3..=most)).map(|_| person(generator)).collect();
        let releases = [0, 1].map(|at: usize| Release::new(&people, forms[at], leaves_out && at == 1, generator));
        let outcome = together(&releases[0].published(), &releases[1].published());
        let Composition::Found(found) = outcome else { panic!("they are of one table: {outcome:?}") };
        let alone = found.alone.iter().map(|alone| alone.certain).max().unwrap();
        assert!(found.certain >= alone, "what one release tells is told: {found:?}");
        Case { found, beliefs: beliefs(&people, &releases, kinds) }
    }

    /// How many people have no more candidates than so many.
    fn people_with(&self, few: usize) -> u64 {
        let candidates = |beliefs: &&Vec<f64>| beliefs.iter().filter(|belief| **belief > 0.0).count() <= few;
        self.beliefs.iter().filter(candidates).count() as u64
    }

    fn highest(&self) -> f64 {
        self.beliefs.iter().flatten().copied().fold(0.0, f64::max)
    }

    /// Nothing that is found is beyond the truth.
    fn check(&self, what: &str) {
        let found = &self.found;
        assert!(found.certain <= self.people_with(1), "{what}: {found:?}, {:?}", self.beliefs);
        assert!(found.fewest.1 <= self.people_with(found.fewest.0), "{what}: {found:?}, {:?}", self.beliefs);
        assert!(found.at_least <= self.highest() + 1e-9, "{what}: {found:?}, {:?}", self.beliefs);
        assert!(found.people as usize <= self.beliefs.len(), "{what}: {found:?}");
    }
}

const FORMS: [[Form; 2]; 5] = [
    [Form::Bucketized, Form::Bucketized],
    [Form::Generalized(None), Form::Generalized(None)],
    [Form::Generalized(Some(0)), Form::Generalized(Some(1))],
    [Form::Bucketized, Form::Generalized(None)],
    [Form::Generalized(Some(1)), Form::Bucketized],
];

#[test]
fn nothing_is_claimed_beyond_all_possible_worlds() {
    let mut generator = ChaCha20Rng::seed_from_u64(1);
    for forms in FORMS {
        for at in 0..150 {
            let leaves_out = at % 3 == 0;
            Case::draw(forms, leaves_out, &mut generator).check(&format!("{forms:?}, {leaves_out}"));
        }
    }
}

#[test]
fn most_of_what_exact_quasi_identifiers_tell_is_found() {
    let mut generator = ChaCha20Rng::seed_from_u64(2);
    let cases: Vec<Case> = (0..200).map(|_| Case::draw(FORMS[0], false, &mut generator)).collect();
    let found: u64 = cases.iter().map(|case| case.found.certain).sum();
    let truth: u64 = cases.iter().map(|case| case.people_with(1)).sum();
    assert!(truth > 300, "{truth} people are certain: enough to look for");
    assert!(found * 10 >= truth * 8, "{found} of {truth} people who are certain are found");
}

#[test]
fn estimates_are_near_the_mean_over_all_worlds() {
    let mut generator = ChaCha20Rng::seed_from_u64(3);
    let cases: Vec<Case> = (0..300).map(|_| Case::draw(FORMS[0], false, &mut generator)).collect();
    let errors: Vec<f64> = cases.iter().filter_map(|case| Some((case.found.about? - case.highest()).abs())).collect();
    assert!(errors.len() > 150, "{} estimates", errors.len());
    let near = errors.iter().filter(|error| **error <= 0.1).count();
    assert!(
        near * 100 >= errors.len() * 95,
        "{near} of {} are near, {:?}",
        errors.len(),
        errors.iter().copied().fold(0.0, f64::max)
    );
}

/// Groups and values of both releases; everybody is under the same label.
fn on_values(first: &[&str], second: &[&str], groups: [&[u32]; 2]) -> Composition {
    let count = |ids: &[u32]| ids.iter().max().map_or(0, |last| *last as usize + 1);
    let [a, b] = groups.map(|ids| Groups::by_ids(ids, count(ids)));
    let [first, second] = [first, second].map(|values| Column::from_values("s", values));
    let seen = |groups, sensitive| Published { groups, quasi: vec![], sensitive, missing: 0 };
    together(&seen(&a, &first), &seen(&b, &second))
}

#[test]
fn releases_of_different_people_are_told_apart() {
    let outcome = on_values(&["flu", "flu", "cold"], &["flu", "cold", "cold"], [&[0, 0, 0], &[0, 0, 0]]);
    assert_eq!(outcome, Composition::Unrelated);
    // The same values in all, and no way to share them out: flu is in one group of each, under
    // labels that do not overlap.
    let quasi = |labels: [&str; 4]| Column::from_values("q", labels);
    let (a, b) = (quasi(["a", "a", "b", "b"]), quasi(["b", "b", "a", "a"]));
    let values = Column::from_values("s", ["flu", "cold", "gout", "ulcer"]);
    let groups = [&a, &b].map(|column| Groups::by_columns(&[column], 4));
    let seen = |column, groups| Published {
        groups,
        quasi: vec![Quasi { column, ruler: &Ruler::Values, depth: Depth::Mixed }],
        sensitive: &values,
        missing: 0,
    };
    assert_eq!(together(&seen(&a, &groups[0]), &seen(&b, &groups[1])), Composition::Unrelated);
}

/// Exact ages in one release and ranges in the other, which leaves out somebody whose age no range
/// holds: so it leaves out nobody else, and everybody else's pair of groups is known.
#[test]
fn people_who_fit_nowhere_are_the_ones_who_are_left_out() {
    let ages = Column::from_values("q", ["21", "34", "22", "38", "90"]);
    let ranges = Column::from_values("q", ["20-29", "30-39", "20-29", "30-39"]);
    let values = Column::from_values("s", ["flu", "cold", "gout", "ulcer", "flu"]);
    let fewer = Column::from_values("s", ["flu", "cold", "gout", "ulcer"]);
    let exact = Groups::of_lists(&[vec![0, 1], vec![2, 3, 4]]);
    let coarse = Groups::by_columns(&[&ranges], 4);
    let seen = |column, groups, sensitive, missing| Published {
        groups,
        quasi: vec![Quasi { column, ruler: &Ruler::Numbers { whole: None }, depth: Depth::Mixed }],
        sensitive,
        missing,
    };
    let both = together(&seen(&ages, &exact, &values, 0), &seen(&ranges, &coarse, &fewer, 1));
    let Composition::Found(found) = both else { panic!("{both:?}") };
    assert!(found.certain >= 4, "{found:?}");
}

#[test]
fn a_coarser_release_adds_nothing() {
    let values = ["flu", "cold", "gout", "flu", "ulcer", "gout"];
    let Composition::Found(found) = on_values(&values, &values, [&[0, 0, 0, 1, 1, 1], &[0, 0, 0, 0, 0, 0]]) else {
        panic!()
    };
    assert!(found.is_nested);
    assert_eq!((found.certain, found.fewest), (0, (3, 6)));
    assert!((found.about.unwrap() - 1.0 / 3.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn groups_that_cross_tell_everything_although_each_has_two_values() {
    let values = ["flu", "cold", "gout", "ulcer"];
    let Composition::Found(found) = on_values(&values, &values, [&[0, 0, 1, 1], &[0, 1, 0, 1]]) else { panic!() };
    assert_eq!((found.people, found.certain, found.about), (4, 4, Some(1.0)));
    assert_eq!(found.alone.map(|alone| (alone.highest, alone.certain)), [(0.5, 0), (0.5, 0)]);
}
