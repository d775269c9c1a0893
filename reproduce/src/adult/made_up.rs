//! People of the shape of Adult: the same columns and values in about the same shares, with
//! occupations that depend on sex and education. No row describes a real person.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::data::{Column, Table};

type Shares = &'static [(&'static str, u32)];

/// Shares per thousand, as in the real table.
const WORK: Shares = &[
    ("Private", 736),
    ("Self-emp-not-inc", 84),
    ("Local-gov", 69),
    ("State-gov", 43),
    ("Self-emp-inc", 36),
    ("Federal-gov", 31),
    ("Without-pay", 1),
];

/// Education with its share and how much of it there is, from 0 to 3.
const EDUCATION: [(&str, u32, usize); 16] = [
    ("HS-grad", 327, 1),
    ("Some-college", 219, 2),
    ("Bachelors", 167, 3),
    ("Masters", 56, 3),
    ("Assoc-voc", 43, 2),
    ("11th", 36, 0),
    ("Assoc-acdm", 33, 2),
    ("10th", 27, 0),
    ("7th-8th", 18, 0),
    ("Prof-school", 17, 3),
    ("9th", 15, 0),
    ("12th", 13, 0),
    ("Doctorate", 12, 3),
    ("5th-6th", 10, 0),
    ("1st-4th", 5, 0),
    ("Preschool", 2, 0),
];

/// Marital status of the young and of the others.
const YOUNG: Shares = &[
    ("Never-married", 760),
    ("Married-civ-spouse", 190),
    ("Divorced", 25),
    ("Separated", 15),
    ("Married-spouse-absent", 8),
    ("Married-AF-spouse", 2),
];
const OLDER: Shares = &[
    ("Married-civ-spouse", 585),
    ("Divorced", 185),
    ("Never-married", 135),
    ("Widowed", 42),
    ("Separated", 38),
    ("Married-spouse-absent", 14),
    ("Married-AF-spouse", 1),
];

const RACE: Shares =
    &[("White", 860), ("Black", 94), ("Asian-Pac-Islander", 29), ("Amer-Indian-Eskimo", 10), ("Other", 8)];

/// Occupation with its weight for men and women, and how much more or less likely each level of
/// education makes it, in tenths.
const OCCUPATION: [(&str, [u32; 2], [u32; 4]); 14] = [
    ("Craft-repair", [190, 22], [14, 14, 9, 3]),
    ("Prof-specialty", [126, 155], [1, 3, 8, 34]),
    ("Exec-managerial", [140, 118], [2, 7, 10, 22]),
    ("Adm-clerical", [58, 260], [5, 11, 15, 6]),
    ("Sales", [117, 124], [8, 10, 12, 11]),
    ("Other-service", [70, 180], [24, 12, 8, 2]),
    ("Machine-op-inspct", [70, 56], [22, 14, 5, 1]),
    ("Transport-moving", [72, 8], [16, 14, 6, 2]),
    ("Handlers-cleaners", [60, 15], [21, 13, 6, 1]),
    ("Farming-fishing", [45, 7], [18, 11, 7, 5]),
    ("Tech-support", [29, 37], [1, 7, 17, 12]),
    ("Protective-serv", [28, 8], [5, 11, 14, 7]),
    ("Priv-house-serv", [1, 14], [32, 9, 5, 1]),
    ("Armed-Forces", [1, 0], [2, 12, 14, 6]),
];

/// Countries but for the first, which nine in ten come from; the second has a quarter of the rest.
const COUNTRIES: [&str; 41] = [
    "United-States",
    "Mexico",
    "Philippines",
    "Germany",
    "Puerto-Rico",
    "Canada",
    "India",
    "El-Salvador",
    "Cuba",
    "England",
    "China",
    "Jamaica",
    "South",
    "Italy",
    "Dominican-Republic",
    "Japan",
    "Guatemala",
    "Vietnam",
    "Columbia",
    "Poland",
    "Haiti",
    "Portugal",
    "Iran",
    "Taiwan",
    "Greece",
    "Nicaragua",
    "Peru",
    "Ecuador",
    "France",
    "Ireland",
    "Thailand",
    "Hong",
    "Cambodia",
    "Trinadad&Tobago",
    "Yugoslavia",
    "Outlying-US(Guam-USVI-etc)",
    "Laos",
    "Scotland",
    "Honduras",
    "Hungary",
    "Holand-Netherlands",
];

/// So many people, always the same for the same seed, with the columns of [`super::COLUMNS`].
///
/// ```
/// let people = sfumato_reproduce::adult::made_up(1000, 1);
/// assert_eq!((people.rows(), people.columns().len()), (1000, 9));
/// ```
pub fn made_up(rows: usize, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut cells: [Vec<String>; 9] = std::array::from_fn(|_| Vec::with_capacity(rows));
    for _ in 0..rows {
        for (column, cell) in cells.iter_mut().zip(person(&mut random)) {
            column.push(cell);
        }
    }
    let columns = super::COLUMNS.iter().zip(&cells).map(|(name, cells)| Column::from_values(*name, cells));
    Table::new(columns.collect()).expect("columns of equal length")
}

fn person(random: &mut ChaCha8Rng) -> [String; 9] {
    let age = draw_age(random);
    let woman = usize::from(random.random_range(0..1000) >= 675);
    let (education, _, level) = EDUCATION[draw(random, EDUCATION.iter().map(|entry| entry.1))];
    let marital = pick(random, if age < 28 { YOUNG } else { OLDER });
    let weight = |entry: &(&str, [u32; 2], [u32; 4])| entry.1[woman] * entry.2[level];
    let occupation = OCCUPATION[draw(random, OCCUPATION.iter().map(weight))].0;
    let country = match random.random_range(0..1000) {
        0..913 => 0,
        913..933 => 1,
        _ => random.random_range(2..COUNTRIES.len()).min(random.random_range(2..COUNTRIES.len())),
    };
    let wealthy = [30, 120, 220, 460][level] + if marital == "Married-civ-spouse" { 160 } else { 0 };
    let salary = if age >= 25 && random.random_range(0..1000) < wealthy { ">50K" } else { "<=50K" };
    let sex = ["Male", "Female"][woman];
    let (work, race) = (pick(random, WORK), pick(random, RACE));
    [&age.to_string(), work, education, marital, occupation, race, sex, COUNTRIES[country], salary]
        .map(|cell: &str| cell.to_string())
}

/// Ages from 17 to 90, most of them between 20 and 50.
fn draw_age(random: &mut ChaCha8Rng) -> u32 {
    let spread: u32 = (0..3).map(|_| random.random_range(0..25)).sum();
    let age = 5 + spread + random.random_range(0..3) * random.random_range(0..9);
    if random.random_range(0..1000) == 0 { 90 } else { age.clamp(17, 90) }
}

fn pick(random: &mut ChaCha8Rng, shares: Shares) -> &'static str {
    shares[draw(random, shares.iter().map(|entry| entry.1))].0
}

/// The place of a weight, drawn by it.
fn draw(random: &mut ChaCha8Rng, weights: impl Iterator<Item = u32> + Clone) -> usize {
    let mut left = random.random_range(0..weights.clone().sum());
    for (at, weight) in weights.enumerate() {
        if left < weight {
            return at;
        }
        left -= weight;
    }
    unreachable!("a number below the sum is within a weight")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_people_have_the_values_of_real_ones() {
        let table = made_up(45_222, 1);
        let values: Vec<usize> = table.columns().iter().map(|column| column.domain().len()).collect();
        assert_eq!(values[1..], [7, 16, 7, 14, 5, 2, 41, 2]);
        assert!((60..=74).contains(&values[0]), "{values:?}");
        let most = |place: usize| {
            let mut counts = vec![0; values[place]];
            table.columns()[place].codes().iter().for_each(|&code| counts[code as usize] += 1);
            *counts.iter().max().unwrap() as f64 / table.rows() as f64
        };
        assert!((0.11..0.15).contains(&most(4)), "the most frequent occupation has {:.3}", most(4));
        assert!((0.70..0.85).contains(&most(8)), "salaries are as skewed as real ones: {:.3}", most(8));
    }
}
