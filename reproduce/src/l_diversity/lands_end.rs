//! Sales of the shape of the Lands End database (the paper's Figure 8), which is not public: the
//! same columns with as many values and the same heights. No row is a real sale.

use crate::Setting;
use crate::page::Source;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sfumato::Result;
use sfumato::data::hierarchy::{Rule, rule};
use sfumato::data::{Column, Table};
use sfumato::kind::Raw;
use sfumato::report::grouped;
use std::path::Path;
use std::sync::Arc;

/// The columns of Figure 8, in its order; the last is the sensitive one.
pub const COLUMNS: [&str; 8] = ["zipcode", "order-date", "gender", "style", "price", "quantity", "shipment", "cost"];

const ZIPCODES: usize = 31_953;
const DATES: usize = 320;
const STYLES: usize = 1_509;
const PRICES: usize = 346;
const COSTS: usize = 147;

/// Made-up sales.
pub struct Sales {
    pub table: Table,
    pub source: Source,
}

impl Sales {
    pub fn make(setting: &Setting<'_>) -> Sales {
        setting.now("making up sales");
        let rows = setting.pick(20_000, 500_000);
        let source = Source::stand_in(format!("{} made-up sales in the shape of Lands End", grouped(rows)));
        Sales { table: made_up(rows, 1), source }
    }
}

/// How a column is made coarser, with the heights of Figure 8.
pub fn hierarchy(column: &str) -> Result<Option<Arc<dyn Rule>>> {
    let units = || Raw::List(["month", "quarter"].map(Raw::from).into());
    let written = match column {
        "zipcode" => vec![("redact", Raw::Number("5".into()))],
        "order-date" => vec![("dates", Raw::Flag(true)), ("units", units())],
        "price" => vec![("redact", Raw::Number("4".into()))],
        _ => return Ok(None),
    };
    Ok(Some(Arc::from(rule(&written, Path::new("."))?)))
}

/// So many sales, always the same for the same seed. A style has a price, at which it is sold or at
/// a reduced one, and a cost, which varies a little but for every tenth style. Few styles and
/// places make most of the sales.
fn made_up(rows: usize, seed: u64) -> Table {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let listed: Vec<usize> = (0..STYLES).map(|_| skewed(&mut random, PRICES)).collect();
    let for_women: Vec<u32> = (0..STYLES).map(|_| random.random_range(5..=95)).collect();
    let mut columns: [Vec<String>; 8] = std::array::from_fn(|_| Vec::with_capacity(rows));
    for _ in 0..rows {
        let style = skewed(&mut random, STYLES);
        let reduced = random.random_range(0..10) == 0;
        let price = if reduced { listed[style] * 3 / 4 } else { listed[style] };
        let woman = random.random_range(0..100) < for_women[style];
        let time = if style.is_multiple_of(10) { 3 } else { random.random_range(0..7) };
        let cells = [
            zipcode(skewed(&mut random, ZIPCODES)),
            date(random.random_range(0..DATES)),
            if woman { "F" } else { "M" }.to_string(),
            format!("style {style:04}"),
            format!("{:04}", dimes(price)),
            "1".to_string(),
            if random.random_range(0..20) == 0 { "express" } else { "standard" }.to_string(),
            format!("{:03}", cost(listed[style], time)),
        ];
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
    }
    let columns = COLUMNS.iter().zip(&columns).map(|(name, cells)| Column::from_values(*name, cells));
    Table::new(columns.collect()).expect("columns of equal length")
}

/// A number below another one, small ones more often.
fn skewed(random: &mut ChaCha8Rng, below: usize) -> usize {
    let share: f64 = random.random();
    ((share * share * below as f64) as usize).min(below - 1)
}

/// Five digits, spread over the whole range.
fn zipcode(place: usize) -> String {
    format!("{:05}", 501 + place * 3)
}

/// Days of one year.
fn date(day: usize) -> String {
    format!("2003-{:02}-{:02}", day / 27 + 1, day % 27 + 1)
}

/// The price at a place of the list, in tenths.
fn dimes(place: usize) -> usize {
    45 + place * 10
}

/// What a style cost at one of seven times: a share of its listed price, three steps more or less.
fn cost(listed: usize, time: usize) -> usize {
    (listed * COSTS / PRICES + time).saturating_sub(3).min(COSTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::hierarchy::Hierarchy;

    #[test]
    fn sales_have_the_shape_of_figure_8() {
        let table = made_up(20_000, 1);
        let most = [ZIPCODES, DATES, 2, STYLES, PRICES, 1, 2, COSTS];
        for (column, most) in table.columns().iter().zip(most) {
            assert!(column.domain().len() <= most, "{}: {}", column.name(), column.domain().len());
        }
        for (name, height) in [("zipcode", 5), ("order-date", 3), ("price", 4)] {
            let rule = hierarchy(name).unwrap().unwrap();
            assert_eq!(Hierarchy::bind(&*rule, table.column(name).unwrap()).unwrap().height(), height, "{name}");
        }
    }
}
