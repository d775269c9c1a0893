//! A made-up hospital table: for demonstrations, tests and measurements on machines that have no
//! real data.

use super::{Column, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Diseases with their share per thousand of patients below 40, from 40 to 64, and from 65. The
/// list is as skewed as real ones are.
const DISEASES: [(&str, [u32; 3]); 16] = [
    ("Influenza", [190, 120, 90]),
    ("Hypertension", [40, 170, 230]),
    ("Injury", [210, 90, 70]),
    ("Diabetes", [40, 120, 130]),
    ("Heart disease", [15, 90, 160]),
    ("Asthma", [110, 60, 35]),
    ("Depression", [105, 80, 40]),
    ("Back pain", [80, 90, 50]),
    ("Cancer", [20, 70, 95]),
    ("Gastritis", [75, 50, 30]),
    ("Migraine", [65, 25, 10]),
    ("Hepatitis", [20, 15, 8]),
    ("Kidney failure", [10, 10, 30]),
    ("Epilepsy", [12, 5, 6]),
    ("HIV", [6, 4, 2]),
    ("Tuberculosis", [2, 1, 14]),
];

const NATIONALITIES: [(&str, u32); 12] = [
    ("Italian", 620),
    ("Romanian", 90),
    ("Albanian", 60),
    ("Moroccan", 55),
    ("Chinese", 40),
    ("Ukrainian", 35),
    ("Indian", 30),
    ("French", 20),
    ("German", 18),
    ("Peruvian", 14),
    ("Senegalese", 10),
    ("Japanese", 8),
];

/// Districts: first three digits of the postal code, share, and mean age.
const DISTRICTS: [(u32, u32, f64); 6] =
    [(500, 260, 48.0), (501, 210, 44.0), (502, 160, 52.0), (503, 140, 39.0), (504, 130, 57.0), (505, 100, 35.0)];

/// A table of hospital patients, always the same for the same `rows` and `seed`.
///
/// Nine columns: `patient` (identifier), `age`, `sex`, `zip`, `nationality`, `marital-status`,
/// `admitted` (quasi-identifiers), `stay` in days, and `disease` (sensitive), which depends on age
/// and sex. No row describes a real person.
///
/// ```
/// let table = sfumato::data::sample::hospital(1000, 1);
/// assert_eq!((table.rows(), table.columns().len()), (1000, 9));
/// ```
pub fn hospital(rows: usize, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut cells: [Vec<String>; 9] = std::array::from_fn(|_| Vec::with_capacity(rows));
    for row in 0..rows {
        let patient = Patient::draw(&mut random, row);
        for (column, cell) in cells.iter_mut().zip(patient.cells()) {
            column.push(cell);
        }
    }
    let names = ["patient", "age", "sex", "zip", "nationality", "marital-status", "admitted", "stay", "disease"];
    let columns = names.into_iter().zip(cells).map(|(name, cells)| Column::from_values(name, cells));
    Table::new(columns.collect()).expect("the sample is a table")
}

/// Six records in two groups, with two sensitive columns: the table of all small examples.
///
/// | zip | disease | drug |
/// |---|---|---|
/// | 130** | flu | A |
/// | 130** | cancer | B |
/// | 130** | flu | C |
/// | 148** | flu | A |
/// | 148** | hiv | B |
/// | 148** | cancer | B |
pub fn clinic() -> Table {
    let columns = vec![
        Column::from_values("zip", ["130**", "130**", "130**", "148**", "148**", "148**"]),
        Column::from_values("disease", ["flu", "cancer", "flu", "flu", "hiv", "cancer"]),
        Column::from_values("drug", ["A", "B", "C", "A", "B", "B"]),
    ];
    Table::new(columns).expect("the sample is a table")
}

struct Patient {
    number: usize,
    age: u32,
    female: bool,
    zip: u32,
    nationality: &'static str,
    marital: &'static str,
    admitted: (u32, u32, u32),
    stay: u32,
    disease: &'static str,
}

impl Patient {
    fn draw(random: &mut ChaCha8Rng, row: usize) -> Patient {
        let (prefix, _, mean_age) = pick(random, &DISTRICTS, |district| district.1);
        // The sum of four uniform numbers is near enough to a bell curve.
        let bell: f64 = (0..4).map(|_| random.random_range(-0.5..0.5)).sum();
        let age = (mean_age + bell * 32.0).clamp(0.0, 99.0) as u32;
        let female = random.random_bool(0.52);
        let band = [40, 65, 200].iter().position(|&limit| age < limit).unwrap_or(2);
        let (disease, _) =
            pick(random, &DISEASES, |disease| disease.1[band] + u32::from(female && disease.0 == "Migraine") * 40);
        let (nationality, _) = pick(random, &NATIONALITIES, |nation| nation.1);
        Patient {
            number: row + 1,
            age,
            female,
            zip: prefix * 100 + random.random_range(20..60),
            nationality,
            marital: marital(random, age),
            admitted: (random.random_range(2021..2025), random.random_range(1..13), random.random_range(1..29)),
            stay: 1 + (random.random_range(0.0f64..1.0).powi(3) * (3.0 + f64::from(age) / 4.0)) as u32,
            disease,
        }
    }

    fn cells(&self) -> [String; 9] {
        let (year, month, day) = self.admitted;
        [
            format!("P{:07}", self.number),
            self.age.to_string(),
            (if self.female { "F" } else { "M" }).to_string(),
            self.zip.to_string(),
            self.nationality.to_string(),
            self.marital.to_string(),
            format!("{year}-{month:02}-{day:02}"),
            self.stay.to_string(),
            self.disease.to_string(),
        ]
    }
}

fn marital(random: &mut ChaCha8Rng, age: u32) -> &'static str {
    let shares = match age {
        0..18 => [1000, 0, 0, 0],
        18..30 => [750, 230, 20, 0],
        30..65 => [220, 590, 170, 20],
        _ => [80, 520, 110, 290],
    };
    let states = ["single", "married", "divorced", "widowed"];
    pick(random, &[0, 1, 2, 3].map(|at| (states[at], shares[at])), |state| state.1).0
}

/// One of the items, each with a chance in proportion to its weight.
fn pick<T: Copy>(random: &mut ChaCha8Rng, items: &[T], weight: impl Fn(&T) -> u32) -> T {
    let total: u32 = items.iter().map(&weight).sum();
    let mut left = random.random_range(0..total);
    for item in items {
        let own = weight(item);
        if left < own {
            return *item;
        }
        left -= own;
    }
    unreachable!("the draw is below the total weight")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ValueType;

    #[test]
    fn the_same_seed_gives_the_same_table() {
        assert_eq!(hospital(200, 7), hospital(200, 7));
        assert_ne!(hospital(200, 7), hospital(200, 8));
    }

    #[test]
    fn diseases_are_skewed_and_typed_columns_are_recognised() {
        let table = hospital(5000, 1);
        let types = |name| table.column(name).unwrap().domain().value_type();
        assert_eq!([types("age"), types("admitted")], [ValueType::Integer, ValueType::Date]);
        let mut counts = table.column("disease").unwrap().counts();
        counts.sort_unstable();
        assert_eq!(counts.len(), 16);
        assert!(counts[15] > 50 * counts[0].max(1) / 2);
    }
}
