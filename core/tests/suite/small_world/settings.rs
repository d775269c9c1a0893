//! What is asked of small tables: of every criterion of the list several settings, and settings
//! exactly where some small group is.

use super::naive::{self, Measured, floor, ratio, written};
use crate::support::settings::{LETTERS, binds, plain_table, settings};
use dashu_ratio::RBig;
use sfumato::criterion::Build;
use sfumato::data::{Schema, Table};
use sfumato::kind::{Kind, Shape};
use std::sync::LazyLock;

pub use crate::support::settings::Asked;

/// What each criterion is asked for.
pub fn of(kind: &'static Kind<Build>) -> Vec<Asked> {
    settings(kind, LETTERS, 15)
}

/// Decimals of the parameters around a measured value.
const PLACES: usize = 24;

/// The same question with each parameter at what was measured, and a hair to either side, as far as
/// a plan may say so.
pub fn around(asked: &Asked, found: &naive::Found) -> Vec<Asked> {
    if !found.points.is_empty() {
        return around_points(asked, found);
    }
    let (measured, places) = match &found.measured {
        Measured::Nothing | Measured::Unknown => return Vec::new(),
        Measured::Exactly(number) => (number, PLACES),
        Measured::About(number, places) => (number, *places),
    };
    let written = asked.kind.params.iter().filter(|param| asked.params.iter().any(|(name, _)| *name == param.name));
    let near = written.flat_map(|param| {
        let texts = match param.shape {
            Shape::Count(_) => {
                let whole = measured.floor();
                vec![whole.to_string(), (whole + dashu_int::IBig::ONE).to_string()]
            }
            Shape::Decimal(_) => hairs(measured, places),
            _ => Vec::new(),
        };
        texts.into_iter().map(|text| asked.with(param.name, text))
    });
    near.filter(is_possible).collect()
}

fn is_possible(asked: &Asked) -> bool {
    static PLAIN: LazyLock<(Table, Schema)> = LazyLock::new(|| plain_table(LETTERS));
    binds(asked, &PLAIN)
}

/// Decimals at and about a number.
fn hairs(measured: &RBig, places: usize) -> Vec<String> {
    let hair = ratio(1, 10).pow(places as isize);
    let at = floor(measured, places);
    let near = [&at - &hair, at.clone(), &at + &hair];
    near.iter().filter(|number| **number >= RBig::ZERO).map(|number| written(number, places)).collect()
}

fn around_points(asked: &Asked, found: &naive::Found) -> Vec<Asked> {
    if found.points.len() != 1 {
        return Vec::new();
    }
    let text = asked.params.iter().find(|(name, _)| *name == "points").map(|(_, text)| text).expect("points");
    let before = text.split("c = ").next().expect("some text");
    let belief = hairs(&found.points[0].1, PLACES).into_iter();
    belief.map(|c| asked.with("points", format!("{before}c = {c} }}]"))).filter(is_possible).collect()
}
