//! How well a release answers counting queries: what it is worth to whoever asks how many people
//! there are of which kind.
//!
//! **Measures** the average relative error of answers to random queries: how many people have
//! values of some sets in some quasi-identifiers, and a sensitive value of another set?
//! **Definition**: a query has predicates on `dimensions` different quasi-identifiers, drawn at
//! random, and one on the sensitive column. A predicate is a set of values, drawn at random from
//! the column's domain D; its size is drawn evenly from 0 … ⌊selectivity·|D|⌋. The truth is the
//! number of records of the original table that meet all predicates. The answer is Σ m(g)·s(g) over
//! the groups of the release: s(g) is the share of the group's sensitive values that the query asks
//! for, and m(g) the expected number of its records that meet the predicates on quasi-identifiers.
//! A record whose label in a column stands for a set of values C meets a predicate V with
//! probability |C ∩ V|/|C|, in every column independently. The relative error is |answer −
//! truth|/truth; queries whose truth is 0 have none, are left out and numbered. A query's
//! correlation is its truth over what the shares of its predicates in the whole table multiply to,
//! as if all columns were independent: of the most positively correlated queries the truth is
//! largest against that, of the most negatively correlated ones smallest. A tenth of the queries
//! that are not left out, 100 of 1000, is averaged on either side. **Deviations** from the paper:
//! ⌊selectivity·|D|⌋ is taken to be 1 at least, since otherwise every predicate on a small domain
//! would be empty; and the paper calls negative the queries whose true count is much larger than
//! multiplied selectivities tell (and positive those with a smaller one), which must be a slip:
//! here it is the other way round. **Cost**: records that look alike are counted once; each query
//! then visits the records that meet its narrowest predicate. In parallel over queries; the seed
//! alone decides which are asked. **Reference**: Cormode, Srivastava, Li and Li 2010, "Minimizing
//! minimality and maximizing utility", section 5.3; Xiao and Tao 2006 (answers by independence in
//! groups).
//!
//! ```
//! use sfumato::candidate::Groups;
//! use sfumato::exact::Fraction;
//! use sfumato::utility::queries::{Published, Release, Workload, measure};
//!
//! let village = [0, 1].repeat(50); // in the second village
//! let disease = [0, 2, 0, 1].repeat(25); // other diseases occur than in the first
//! let workload = Workload::new(1, Fraction::new(1, 2)); // one village at a time
//! let error = |groups: &Groups| {
//!     let release = Release { columns: vec![Published::Exact(&village)], groups, sensitive: &disease };
//!     measure(&workload, &[(&village, 2)], (&disease, 3), &release).unwrap().error
//! };
//! let (together, apart) = (Groups::by_ids(&[0; 100], 1), Groups::by_ids(&village, 2));
//! assert_eq!(error(&apart), 0.0);
//! assert_eq!(error(&together), 0.5);
//! ```

pub use super::published::Published;

use crate::candidate::{Coded, Groups, dense_ids};
use crate::exact::Fraction;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Which queries are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// How many.
    pub queries: u64,
    /// How many quasi-identifiers each has a predicate on; all of them, if there are no more.
    pub dimensions: usize,
    /// The largest share of a domain that a predicate asks for.
    pub selectivity: Fraction,
    /// Decides what is drawn: randomness is no defence here.
    pub seed: u64,
}

impl Workload {
    /// 1000 queries.
    pub fn new(dimensions: usize, selectivity: Fraction) -> Workload {
        Workload { queries: 1000, dimensions, selectivity, seed: 20_100_913 }
    }

    /// The workload where a plan says nothing, for a table with so many quasi-identifiers:
    /// predicates on two of them, each on up to half of a column's values.
    pub fn usual(quasi: usize) -> Workload {
        Workload::new(quasi.clamp(1, 2), Fraction::new(1, 2))
    }
}

/// What is published.
#[derive(Clone, Debug)]
pub struct Release<'a> {
    /// The quasi-identifiers, in the order of the original ones.
    pub columns: Vec<Published<'a>>,
    /// The groups within which nobody can tell whose sensitive value is whose. Rows that are in
    /// none are not published.
    pub groups: &'a Groups,
    /// For every row the code of a sensitive value in the original domain; within a group it does
    /// not matter whose.
    pub sensitive: &'a [u32],
}

/// How well queries are answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// How many queries were asked.
    pub queries: u64,
    /// How many of them were left out, because their truth is 0.
    pub left_out: u64,
    /// The average relative error of the others.
    pub error: f64,
    /// The same over the most positively correlated ones.
    pub positive: f64,
    /// The same over the most negatively correlated ones.
    pub negative: f64,
    /// The average relative error of answers from each column's counts alone, as if all columns
    /// were independent: the release is to be better.
    pub independent: f64,
}

/// The figures of a workload, with what they mean.
pub const FIGURES: [(&str, &str); 5] = [
    ("query-error", "Average relative error of random COUNT queries"),
    (
        "query-error-positive",
        "The same over the tenth of them that has most records, against columns that are independent",
    ),
    (
        "query-error-negative",
        "The same over the tenth of them that has fewest records, against columns that are independent",
    ),
    ("query-error-independent", "Average relative error of answers from each column's counts alone"),
    ("queries-left-out", "Queries that no record of the table answers: they have no relative error"),
];

impl Answers {
    /// The figures by name.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let values = [self.error, self.positive, self.negative, self.independent, self.left_out as f64];
        FIGURES.into_iter().zip(values).map(|((name, _), value)| (name, value))
    }
}

/// How well a release answers queries about the table from which it was made: quasi-identifiers and
/// the sensitive column, coded. Nothing if the truth of all queries is 0.
///
/// # Panics
/// When a code is not in its domain, or the release has another number of columns than the table.
pub fn measure(
    workload: &Workload,
    quasi: &[Coded<'_>],
    sensitive: Coded<'_>,
    release: &Release<'_>,
) -> Option<Answers> {
    assert_eq!(quasi.len(), release.columns.len(), "every quasi-identifier is published");
    let domains: Vec<usize> = quasi.iter().map(|column| column.1).collect();
    let shares = Shares::new(quasi, sensitive);
    let truth = Source::of_table(quasi, sensitive);
    let published = Source::of_release(release, &domains, sensitive.1);
    let answer = |memory: &mut (Memory, Memory), number: u64| {
        let query = Query::draw(workload, number, &domains, sensitive.1);
        let truth = truth.count(&query, &mut memory.0);
        // Without a truth there is no relative error, whatever the answer is.
        let answer = if truth > 0.0 { published.count(&query, &mut memory.1) } else { 0.0 };
        Answer { truth, answer, independent: shares.count(&query) }
    };
    let answers: Vec<Answer> = (0..workload.queries)
        .into_par_iter()
        .map_init(|| (truth.memory(), published.memory()), answer)
        .filter(|answer| answer.truth > 0.0)
        .collect();
    summed_up(workload.queries, answers)
}

/// What is known of one query.
struct Answer {
    truth: f64,
    answer: f64,
    independent: f64,
}

impl Answer {
    fn error(&self) -> f64 {
        (self.answer - self.truth).abs() / self.truth
    }

    fn correlation(&self) -> f64 {
        self.truth / self.independent
    }
}

fn summed_up(queries: u64, mut answers: Vec<Answer>) -> Option<Answers> {
    let average =
        |answers: &[Answer], error: fn(&Answer) -> f64| answers.iter().map(error).sum::<f64>() / answers.len() as f64;
    // Equally correlated ones stay in the order in which they were asked.
    answers.sort_by(|a, b| a.correlation().total_cmp(&b.correlation()));
    // Of those that have an error: a tenth of all that were asked might be more than half of them,
    // and then on both sides.
    let tail = answers.len().div_ceil(10);
    (!answers.is_empty()).then(|| Answers {
        queries,
        left_out: queries - answers.len() as u64,
        error: average(&answers, Answer::error),
        positive: average(&answers[answers.len() - tail..], Answer::error),
        negative: average(&answers[..tail], Answer::error),
        independent: average(&answers, |answer| (answer.independent - answer.truth).abs() / answer.truth),
    })
}

/// A counting query.
struct Query {
    /// Quasi-identifiers with the values that are asked for.
    predicates: Vec<(usize, Vec<u32>)>,
    /// The sensitive values that are asked for.
    sensitive: Vec<u32>,
}

impl Query {
    /// The query with a number: each has a stream of random numbers of its own.
    fn draw(workload: &Workload, number: u64, domains: &[usize], sensitive: usize) -> Query {
        let mut random = ChaCha8Rng::seed_from_u64(workload.seed);
        random.set_stream(number);
        let columns = sample(&mut random, domains.len(), workload.dimensions.min(domains.len()));
        let mut values = |domain: usize| {
            let size = random.random_range(0..=largest(workload.selectivity, domain));
            sample(&mut random, domain, size).into_iter().map(|code| code as u32).collect()
        };
        let predicates = columns.into_iter().map(|column| (column, values(domains[column]))).collect();
        Query { predicates, sensitive: values(sensitive) }
    }
}

/// The most values of a domain that a predicate asks for.
fn largest(selectivity: Fraction, domain: usize) -> usize {
    if selectivity >= Fraction::ONE {
        return domain;
    }
    let share = selectivity.num.saturating_mul(domain as u128) / selectivity.den;
    (share as usize).max(1).min(domain)
}

/// How often each value of each column occurs in the original table.
struct Shares {
    quasi: Vec<Vec<u32>>,
    sensitive: Vec<u32>,
    rows: f64,
}

impl Shares {
    fn new(quasi: &[Coded<'_>], sensitive: Coded<'_>) -> Shares {
        let counts = |&(codes, domain): &Coded<'_>| {
            let mut counts = vec![0; domain];
            codes.iter().for_each(|&code| counts[code as usize] += 1);
            counts
        };
        let rows = sensitive.0.len() as f64;
        Shares { quasi: quasi.par_iter().map(counts).collect(), sensitive: counts(&sensitive), rows }
    }

    /// The answer if all columns were independent.
    fn count(&self, query: &Query) -> f64 {
        let records =
            |counts: &[u32], values: &[u32]| values.iter().map(|&value| f64::from(counts[value as usize])).sum::<f64>();
        let quasi = query.predicates.iter().map(|(column, values)| records(&self.quasi[*column], values));
        quasi.fold(records(&self.sensitive, &query.sensitive), |count, records| count * records / self.rows)
    }
}

/// Groups of records, from which queries are answered.
struct Source {
    /// Records of a group with equal labels in all quasi-identifiers.
    quasi: Cells,
    /// Records of a group with equal sensitive values.
    sensitive: Cells,
    /// How many records each group has.
    sizes: Vec<u32>,
    /// What the labels of each quasi-identifier stand for.
    meanings: Vec<Meaning>,
}

/// Where a source counts; made once for a thread.
struct Memory {
    /// For each group how many of its sensitive values are asked for.
    wanted: Vec<u32>,
    /// For each quasi-identifier and label the probability that what it stands for is asked for.
    chances: Vec<Vec<f64>>,
}

impl Source {
    /// The original table: if records with equal sensitive values are a group, what is answered is
    /// the truth.
    fn of_table(quasi: &[Coded<'_>], sensitive: Coded<'_>) -> Source {
        Source::new(sensitive, quasi, sensitive, quasi.iter().map(|_| Meaning::Itself).collect())
    }

    fn of_release(release: &Release<'_>, domains: &[usize], sensitive: usize) -> Source {
        let groups = release.groups;
        let taken = |codes: &[u32]| groups.order().iter().map(|&row| codes[row as usize]).collect::<Vec<u32>>();
        let group_of: Vec<u32> =
            (0..groups.len()).flat_map(|group| std::iter::repeat_n(group as u32, groups.size(group))).collect();
        let labels: Vec<(Vec<u32>, usize)> = release
            .columns
            .par_iter()
            .zip(domains)
            .map(|(column, &domain)| match column {
                Published::Exact(codes) => (taken(codes), domain),
                Published::Covers { labels, covers } => (taken(labels), covers.len()),
            })
            .collect();
        let labels: Vec<Coded<'_>> = labels.iter().map(|(labels, count)| (labels.as_slice(), *count)).collect();
        let meanings = release.columns.iter().zip(domains).map(|(column, &domain)| Meaning::of(column, domain));
        let values = taken(release.sensitive);
        Source::new((&group_of, groups.len()), &labels, (&values, sensitive), meanings.collect())
    }

    fn new(groups: Coded<'_>, quasi: &[Coded<'_>], sensitive: Coded<'_>, meanings: Vec<Meaning>) -> Source {
        let mut sizes = vec![0; groups.1];
        groups.0.iter().for_each(|&group| sizes[group as usize] += 1);
        Source { quasi: Cells::new(groups, quasi), sensitive: Cells::new(groups, &[sensitive]), sizes, meanings }
    }

    fn memory(&self) -> Memory {
        let chances = self.quasi.columns.iter().map(|column| vec![0.0; column.with_label.len()]);
        Memory { wanted: vec![0; self.sizes.len()], chances: chances.collect() }
    }

    /// The expected number of records that meet all predicates.
    fn count(&self, query: &Query, memory: &mut Memory) -> f64 {
        self.count_wanted(&query.sensitive, &mut memory.wanted);
        for (column, values) in &query.predicates {
            self.meanings[*column].find_chances(values, &mut memory.chances[*column]);
        }
        let mut predicates: Vec<Predicate<'_>> = query
            .predicates
            .iter()
            .map(|(column, _)| Predicate { column: &self.quasi.columns[*column], chances: &memory.chances[*column] })
            .collect();
        predicates.sort_by_cached_key(Predicate::cells);
        let Some((narrowest, others)) = predicates.split_first() else {
            return memory.wanted.iter().map(|&wanted| f64::from(wanted)).sum();
        };
        let mut count = 0.0;
        for (label, chance) in narrowest.possible() {
            for &cell in narrowest.column.with_label.rows(label) {
                let expected = self.expected(cell as usize, &memory.wanted);
                if expected > 0.0 {
                    count += others.iter().fold(chance * expected, |count, other| count * other.chance(cell as usize));
                }
            }
        }
        count
    }

    /// How many of a cell's records have a sensitive value that is asked for, if these are spread
    /// evenly over the group.
    fn expected(&self, cell: usize, wanted: &[u32]) -> f64 {
        let group = self.quasi.groups[cell] as usize;
        match wanted[group] {
            0 => 0.0,
            wanted => f64::from(self.quasi.counts[cell]) * f64::from(wanted) / f64::from(self.sizes[group]),
        }
    }

    fn count_wanted(&self, values: &[u32], wanted: &mut [u32]) {
        wanted.fill(0);
        for &value in values {
            for &cell in self.sensitive.columns[0].with_label.rows(value as usize) {
                wanted[self.sensitive.groups[cell as usize] as usize] += self.sensitive.counts[cell as usize];
            }
        }
    }
}

/// A predicate on the labels of a column.
struct Predicate<'a> {
    column: &'a Labels,
    chances: &'a [f64],
}

impl Predicate<'_> {
    /// Labels that can meet it, with the probability that they do.
    fn possible(&self) -> impl Iterator<Item = (usize, f64)> {
        self.chances.iter().copied().enumerate().filter(|(_, chance)| *chance > 0.0)
    }

    /// How many cells can meet it.
    fn cells(&self) -> usize {
        self.possible().map(|(label, _)| self.column.with_label.size(label)).sum()
    }

    /// The probability that a record of the cell meets it.
    fn chance(&self, cell: usize) -> f64 {
        self.chances[self.column.of_cell[cell] as usize]
    }
}

/// Records of one group with equal labels, counted together.
struct Cells {
    groups: Vec<u32>,
    counts: Vec<u32>,
    columns: Vec<Labels>,
}

/// The labels of cells in one column.
struct Labels {
    of_cell: Vec<u32>,
    with_label: Groups,
}

impl Cells {
    fn new(groups: Coded<'_>, columns: &[Coded<'_>]) -> Cells {
        let rows = groups.0.len();
        // Groups first, so that cells of one group lie next to each other.
        let keys: Vec<Coded<'_>> = std::iter::once(groups).chain(columns.iter().copied()).collect();
        let (cell_of, cells) = dense_ids(&keys, rows);
        let mut counts = vec![0; cells];
        let mut row_of = vec![0u32; cells];
        for (row, &cell) in (0u32..).zip(&cell_of) {
            counts[cell as usize] += 1;
            row_of[cell as usize] = row;
        }
        let of_cell = |codes: &[u32]| row_of.iter().map(|&row| codes[row as usize]).collect::<Vec<u32>>();
        let labels = |&(codes, count): &Coded<'_>| {
            let of_cell = of_cell(codes);
            Labels { with_label: Groups::by_ids(&of_cell, count), of_cell }
        };
        Cells { groups: of_cell(groups.0), counts, columns: columns.par_iter().map(labels).collect() }
    }
}

/// What the labels of a column stand for.
enum Meaning {
    /// For the value with the same code.
    Itself,
    /// For several values.
    Several {
        /// For each value the labels that stand for it, among others.
        labels_of: Vec<Vec<u32>>,
        /// For each label how many values it stands for.
        sizes: Vec<u32>,
    },
}

impl Meaning {
    fn of(column: &Published<'_>, domain: usize) -> Meaning {
        let Published::Covers { covers, .. } = column else { return Meaning::Itself };
        let mut labels_of = vec![Vec::new(); domain];
        for (label, cover) in (0u32..).zip(*covers) {
            cover.iter().for_each(|&code| labels_of[code as usize].push(label));
        }
        Meaning::Several { labels_of, sizes: covers.iter().map(|cover| cover.len() as u32).collect() }
    }

    /// For each label the share of what it stands for that is among the values.
    fn find_chances(&self, values: &[u32], chances: &mut [f64]) {
        chances.fill(0.0);
        match self {
            Meaning::Itself => values.iter().for_each(|&value| chances[value as usize] = 1.0),
            Meaning::Several { labels_of, sizes } => {
                for &label in values.iter().flat_map(|&value| &labels_of[value as usize]) {
                    chances[label as usize] += 1.0;
                }
                let found = chances.iter_mut().zip(sizes).filter(|(chance, _)| **chance > 0.0);
                found.for_each(|(chance, &size)| *chance /= f64::from(size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A table and a release of it: three quasi-identifiers, of which the last is published by
    /// labels, a sensitive column and groups.
    struct Example {
        quasi: Vec<(Vec<u32>, usize)>,
        sensitive: Vec<u32>,
        labels: Vec<u32>,
        covers: Vec<Vec<u32>>,
        groups: Groups,
    }

    const VALUES: usize = 5;

    impl Example {
        /// Labels stand for the values of a pair, 0 and 1 or 2 and 3, or for one; the label in a
        /// row is one that stands for its value, narrow or wide.
        fn new(rows: &[(u32, u32, u32, u32, bool)], per_group: usize) -> Example {
            let codes = |of: fn(&(u32, u32, u32, u32, bool)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
            let covers = vec![vec![0], vec![1], vec![2], vec![3], vec![0, 1], vec![2, 3], vec![3, 1, 0, 2]];
            let labels = codes(|row| if row.4 { 4 + row.2 / 2 } else { [row.2, 6][row.0 as usize % 2] });
            let quasi = vec![(codes(|row| row.0), 3), (codes(|row| row.1), 2), (codes(|row| row.2), 4)];
            let ids: Vec<u32> = (0..rows.len()).map(|row| (row / per_group) as u32).collect();
            let groups = Groups::by_ids(&ids, rows.len().div_ceil(per_group));
            Example { quasi, sensitive: codes(|row| row.3), labels, covers, groups }
        }

        fn quasi(&self) -> Vec<Coded<'_>> {
            self.quasi.iter().map(|(codes, domain)| (codes.as_slice(), *domain)).collect()
        }

        fn release(&self) -> Release<'_> {
            let last = Published::Covers { labels: &self.labels, covers: &self.covers };
            let columns = vec![Published::Exact(&self.quasi[0].0), Published::Exact(&self.quasi[1].0), last];
            Release { columns, groups: &self.groups, sensitive: &self.sensitive }
        }

        fn measure(&self, workload: &Workload, release: &Release<'_>) -> Option<Answers> {
            measure(workload, &self.quasi(), (&self.sensitive, VALUES), release)
        }

        fn truth(&self, query: &Query) -> f64 {
            let meets = |row: &usize| {
                let quasi =
                    query.predicates.iter().all(|(column, values)| values.contains(&self.quasi[*column].0[*row]));
                quasi && query.sensitive.contains(&self.sensitive[*row])
            };
            (0..self.sensitive.len()).filter(meets).count() as f64
        }

        /// The probability that a row meets the predicates on quasi-identifiers, as the release
        /// tells it.
        fn chance(&self, query: &Query, row: usize) -> f64 {
            let of_column = |(column, values): &(usize, Vec<u32>)| {
                let own = [self.quasi[*column].0[row]];
                let cover = if *column == 2 { &self.covers[self.labels[row] as usize][..] } else { &own };
                cover.iter().filter(|code| values.contains(code)).count() as f64 / cover.len() as f64
            };
            query.predicates.iter().map(of_column).product()
        }

        fn answer(&self, query: &Query) -> f64 {
            let of_group = |group: usize| {
                let rows = self.groups.rows(group);
                let wanted =
                    rows.iter().filter(|&&row| query.sensitive.contains(&self.sensitive[row as usize])).count();
                let matching: f64 = rows.iter().map(|&row| self.chance(query, row as usize)).sum();
                matching * wanted as f64 / rows.len() as f64
            };
            (0..self.groups.len()).map(of_group).sum()
        }

        fn independent(&self, query: &Query) -> f64 {
            let rows = self.sensitive.len() as f64;
            let share =
                |codes: &[u32], values: &[u32]| codes.iter().filter(|code| values.contains(code)).count() as f64 / rows;
            let quasi = query.predicates.iter().map(|(column, values)| share(&self.quasi[*column].0, values));
            rows * share(&self.sensitive, &query.sensitive) * quasi.product::<f64>()
        }

        /// How many queries are left out, and the average error of the others: of the release's
        /// answers, and of independent columns.
        fn plainly(&self, workload: &Workload) -> Option<(u64, f64, f64)> {
            let draw = |number| Query::draw(workload, number, &[3, 2, 4], VALUES);
            let queries: Vec<Query> = (0..workload.queries).map(draw).filter(|query| self.truth(query) > 0.0).collect();
            let average = |answer: fn(&Example, &Query) -> f64| {
                let error = |query: &Query| (answer(self, query) / self.truth(query) - 1.0).abs();
                queries.iter().map(error).sum::<f64>() / queries.len() as f64
            };
            let left_out = workload.queries - queries.len() as u64;
            (!queries.is_empty()).then(|| (left_out, average(Example::answer), average(Example::independent)))
        }
    }

    fn workload(queries: u64, dimensions: usize, tenths: u128, seed: u64) -> Workload {
        Workload { queries, dimensions, selectivity: Fraction::new(tenths, 10), seed }
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(1.0)
    }

    fn rows() -> impl Strategy<Value = Vec<(u32, u32, u32, u32, bool)>> {
        proptest::collection::vec((0u32..3, 0u32..2, 0u32..4, 0..VALUES as u32, any::<bool>()), 1..40)
    }

    proptest! {
        #[test]
        fn each_query_is_answered_as_defined(
            rows in rows(), per_group in 1usize..6, dimensions in 0usize..4, tenths in 1u128..11, seed: u64,
        ) {
            let example = Example::new(&rows, per_group);
            let workload = workload(30, dimensions, tenths, seed);
            let table = Source::of_table(&example.quasi(), (&example.sensitive, VALUES));
            let published = Source::of_release(&example.release(), &[3, 2, 4], VALUES);
            let shares = Shares::new(&example.quasi(), (&example.sensitive, VALUES));
            let (mut of_table, mut of_release) = (table.memory(), published.memory());
            for number in 0..workload.queries {
                let query = Query::draw(&workload, number, &[3, 2, 4], VALUES);
                prop_assert_eq!(table.count(&query, &mut of_table), example.truth(&query));
                prop_assert!(close(published.count(&query, &mut of_release), example.answer(&query)));
                prop_assert!(close(shares.count(&query), example.independent(&query)));
            }
        }

        #[test]
        fn averages_are_as_defined(rows in rows(), per_group in 1usize..6, dimensions in 1usize..4, seed: u64) {
            let example = Example::new(&rows, per_group);
            let workload = workload(50, dimensions, 10, seed);
            let found = example.measure(&workload, &example.release());
            let plain = example.plainly(&workload);
            prop_assert_eq!(found.is_some(), plain.is_some());
            if let (Some(found), Some((left_out, error, independent))) = (found, plain) {
                prop_assert_eq!((found.queries, found.left_out), (50, left_out));
                prop_assert!(close(found.error, error) && close(found.independent, independent));
            }
        }

        #[test]
        fn records_of_their_own_are_answered_without_error(rows in rows(), dimensions in 1usize..4, seed: u64) {
            let example = Example::new(&rows, 1);
            let columns = example.quasi.iter().map(|(codes, _)| Published::Exact(codes)).collect();
            let release = Release { columns, ..example.release() };
            if let Some(found) = example.measure(&workload(50, dimensions, 10, seed), &release) {
                prop_assert_eq!((found.error, found.positive, found.negative), (0.0, 0.0, 0.0));
            }
        }

        #[test]
        fn labels_of_one_value_are_that_value(rows in rows(), per_group in 1usize..6, seed: u64) {
            let example = Example::new(&rows, per_group);
            let single: Vec<Vec<u32>> = (0..4).map(|code| vec![code]).collect();
            let exact = example.quasi.iter().map(|(codes, _)| Published::Exact(codes)).collect();
            let covers = example.quasi.iter().map(|(labels, domain)| Published::Covers { labels, covers: &single[..*domain] });
            let [exact, covers] = [exact, covers.collect()].map(|columns| {
                example.measure(&workload(50, 2, 10, seed), &Release { columns, ..example.release() })
            });
            prop_assert_eq!(exact, covers);
        }
    }

    /// A table in which the sensitive value follows from the first quasi-identifier for every other
    /// record.
    fn correlated(rows: u32) -> Example {
        let row = |at: u32| {
            let mixed = at.wrapping_mul(2_654_435_761) >> 7;
            let value = if at.is_multiple_of(2) { mixed % 3 } else { mixed / 24 % 5 };
            (mixed % 3, mixed / 3 % 2, mixed / 6 % 4, value, false)
        };
        Example::new(&(0..rows).map(row).collect::<Vec<_>>(), rows as usize)
    }

    #[test]
    fn one_group_answers_as_if_both_sides_were_independent() {
        let example = correlated(600);
        let columns = example.quasi.iter().map(|(codes, _)| Published::Exact(codes)).collect();
        let release = Release { columns, ..example.release() };
        // With one predicate, the sides are all columns.
        let found = example.measure(&workload(200, 1, 10, 1), &release).unwrap();
        assert!(close(found.error, found.independent) && found.error > 0.05, "{found:?}");
        assert!(found.positive > 0.0 && found.negative > 0.0);
        let several = example.measure(&workload(200, 3, 10, 1), &release).unwrap();
        assert!(!close(several.error, several.independent), "{several:?}");
    }

    #[test]
    fn positive_means_that_the_truth_is_larger() {
        let answer = |truth: f64, independent: f64| Answer { truth, answer: independent, independent };
        let mut answers: Vec<Answer> = (0..5).map(|_| answer(10.0, 10.0)).collect();
        answers.insert(3, answer(10.0, 1.0));
        answers.insert(1, answer(10.0, 100.0));
        let found = summed_up(10, answers).unwrap();
        assert_eq!((found.positive, found.negative, found.left_out), (0.9, 9.0, 3));
        // However many are left out, no query is on both sides.
        let answers = [100.0, 10.0, 1.0].map(|independent| answer(10.0, independent)).into();
        let found = summed_up(100, answers).unwrap();
        assert_eq!((found.positive, found.negative, found.left_out), (0.9, 9.0, 97));
    }

    #[test]
    fn threads_change_nothing_and_the_seed_does() {
        let example = correlated(500);
        let run = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| example.measure(&workload(100, 2, 5, seed), &example.release()))
        };
        assert_eq!(run(1, 1), run(3, 1));
        assert_ne!(run(1, 1), run(1, 2));
    }

    #[test]
    fn queries_without_truth_are_left_out_and_numbered() {
        let example = correlated(500);
        let workload = workload(200, 2, 10, 7);
        let found = example.measure(&workload, &example.release()).unwrap();
        let empty =
            (0..200).filter(|&number| example.truth(&Query::draw(&workload, number, &[3, 2, 4], VALUES)) == 0.0);
        assert_eq!(found.left_out, empty.count() as u64);
        assert!(found.left_out > 0);
        let nobody = Example::new(&[], 1);
        assert_eq!(nobody.measure(&workload, &nobody.release()), None);
    }

    #[test]
    fn rows_outside_of_groups_are_not_published() {
        let example = correlated(100);
        let half: Vec<u32> = (0..50).collect();
        let groups = Groups::by_ids(&[0; 50], 1).mapped(&half);
        let published = Source::of_release(&Release { groups: &groups, ..example.release() }, &[3, 2, 4], VALUES);
        let every = Query { predicates: vec![(0, vec![0, 1, 2])], sensitive: (0..VALUES as u32).collect() };
        assert_eq!(published.count(&every, &mut published.memory()), 50.0);
    }

    #[test]
    fn predicates_are_never_bound_to_be_empty_or_larger_than_the_domain() {
        assert_eq!(largest(Fraction::new(1, 10), 2), 1);
        assert_eq!(largest(Fraction::new(1, 10), 29), 2);
        assert_eq!(largest(Fraction::ONE, 29), 29);
        assert_eq!(largest(Fraction::INFINITE, 29), 29);
        assert_eq!(largest(Fraction::new(1, 10), 0), 0);
        let workload = workload(300, 9, 5, 3);
        let drawn: Vec<Query> = (0..300).map(|number| Query::draw(&workload, number, &[8, 2], 5)).collect();
        assert!(
            drawn.iter().all(|query| query.predicates.len() == 2 && query.predicates[0].0 != query.predicates[1].0)
        );
        let sizes = |column: usize| {
            let of = |query: &Query| query.predicates.iter().find(|(at, _)| *at == column).unwrap().1.len();
            drawn.iter().map(of).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(sizes(0), (0..=4).collect());
        assert_eq!(sizes(1), (0..=1).collect());
    }
}
