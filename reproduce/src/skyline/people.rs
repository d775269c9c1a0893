//! The synthetic people of Agrawal, Imielinski and Swami (1993), with the zip code as the sensitive
//! value.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::Result;
use sfumato::data::{Column, Dictionary, Domain, Schema, Table, ValueType};

/// Quasi-identifiers with how many values they have: money in dollars; house values and loans in
/// hundreds of dollars.
pub const QUASI: [(&str, usize); 8] = [
    ("salary", 130_001),
    ("commission", 65_002),
    ("age", 61),
    ("elevel", 5),
    ("car", 20),
    ("hvalue", 13_001),
    ("hyears", 30),
    ("loan", 5_001),
];

/// How many zip codes there are.
pub const ZIP: usize = 9;

/// A person: quasi-identifiers as codes, then the zip code. Houses cost more where the zip code is
/// higher; who earns 75,000 or more gets no commission.
fn person(random: &mut ChaCha8Rng) -> [u32; 9] {
    let salary = random.random_range(0..130_001);
    let commission = if salary >= 55_000 { 0 } else { random.random_range(1..65_002) };
    let zip = random.random_range(0..ZIP as u32);
    let house = random.random_range(500 * (zip + 1)..=1_500 * (zip + 1)) - 500;
    let (age, elevel, car) = (random.random_range(0..61), random.random_range(0..5), random.random_range(0..20));
    [salary, commission, age, elevel, car, house, random.random_range(0..30), random.random_range(0..5_001), zip]
}

/// So many people, one after the other.
pub fn people(rows: usize) -> impl Iterator<Item = [u32; 9]> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    (0..rows).map(move |_| person(&mut random))
}

/// A column whose labels are the numbers below `values`.
fn column(name: &str, values: usize, codes: Vec<u32>) -> Column {
    let mut labels = Dictionary::new();
    (0..values).for_each(|value| {
        labels.push(&value.to_string());
    });
    Column::new(name, codes, Domain::new(labels, ValueType::Integer, None))
}

/// So many people as a table.
pub fn table(rows: usize) -> Result<Table> {
    let mut codes: Vec<Vec<u32>> = (0..9).map(|_| Vec::with_capacity(rows)).collect();
    for person in people(rows) {
        codes.iter_mut().zip(person).for_each(|(codes, code)| codes.push(code));
    }
    let names = QUASI.into_iter().chain([("zip", ZIP)]);
    Table::new(names.zip(codes).map(|((name, values), codes)| column(name, values, codes)).collect())
}

/// The zip codes alone, each once: criteria need to know which there are, not the records.
pub fn zip_codes() -> Result<Table> {
    Table::new(vec![column("zip", ZIP, (0..ZIP as u32).collect())])
}

pub fn schema() -> Schema {
    Schema::of(&QUASI.map(|(name, _)| name), &["zip"])
}
