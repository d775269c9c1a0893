//! Fan-out over an order: neighbours are joined, so many at a time.

use super::{Build, Ladder, Rule, TOP};
use crate::data::{Column, ValueType};
use crate::error::{Error, Result};
use crate::exact::Decimal;
use crate::kind::{Kind, Param, Range, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "fanout",
    summary: "Join neighbours in the column's order, so many at a time on each level: fanout = [3, 2]",
    reference: "LeFevre et al. 2006 (ordered domains)",
    params: &[Param {
        name: "fanout",
        summary: "how many values of the level below are joined on each level",
        shape: Shape::Decimals(Range { low: (2, true), high: None }),
        default: None,
    }],
    example: &[("fanout", "[3, 2]")],
    build: Build {
        make: |params, _| {
            let sizes = params.decimals("fanout").iter().map(whole).collect::<Result<Vec<_>>>()?;
            if sizes.is_empty() {
                return Err(Error::plan("fanout: the list is empty").help("e.g. fanout = [3, 2]"));
            }
            Ok(Box::new(Fanout { sizes }))
        },
        draft: |domain| {
            let are_many = domain.value_type() == ValueType::Text && domain.present() > 8;
            are_many.then(|| "[2, 2]".into())
        },
    },
};

fn whole(number: &Decimal) -> Result<usize> {
    let value = number.fraction();
    let size = usize::try_from(value.num).ok().filter(|_| value.den == 1);
    size.ok_or_else(|| Error::plan(format!("fanout: {number} is not a whole number")).help("e.g. fanout = [3, 2]"))
}

struct Fanout {
    sizes: Vec<usize>,
}

impl Rule for Fanout {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let domain = column.domain();
        let present = domain.present();
        let label = |at: usize| domain.label(at as u32);
        let mut ladder = Ladder {
            paths: vec![Vec::new(); present],
            leaf_of_code: (0..domain.len()).map(|code| (code < present).then_some(code as u32)).collect(),
        };
        let mut width = 1usize;
        for size in &self.sizes {
            width = width.saturating_mul(*size);
            for (at, path) in ladder.paths.iter_mut().enumerate() {
                let first = at / width * width;
                let last = (first + width).min(present) - 1;
                path.push(if first == last { label(first).to_string() } else { joined(label(first), label(last)) });
            }
        }
        ladder.paths.iter_mut().for_each(|path| path.push(TOP.to_string()));
        Ok(ladder)
    }

    fn makes(&self, label: &str) -> bool {
        label == TOP || label.contains("..")
    }

    fn goes_by_order(&self) -> bool {
        true
    }
}

fn joined(first: &str, last: &str) -> String {
    format!("{first}..{last}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{levels, numbers};

    #[test]
    fn neighbours_join() {
        let made = levels(&[("fanout", numbers(&["2", "2"]))], &["a", "b", "c", "d", "e", "f"]).unwrap();
        assert_eq!(made[0], ["a", "a..b", "a..d", "*"]);
        assert_eq!(made[4], ["e", "e..f", "e..f", "*"]);
        assert!(levels(&[("fanout", numbers(&["1"]))], &["a"]).is_err());
        assert!(levels(&[("fanout", numbers(&["2.5"]))], &["a"]).is_err());
    }
}
