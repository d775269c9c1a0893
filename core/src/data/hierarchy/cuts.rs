//! Intervals of unequal widths, between given numbers.

use super::scaled::{Ends, Scaled, at_one_scale, format_at, range_at};
use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary};
use crate::error::{Error, Result};
use crate::kind::{Kind, Param, Params, Range, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "cuts",
    summary: "Numbers to ranges between given ones: cuts = [18, 30, 65] gives <18, 18-29, 30-64, >=65, then *",
    reference: "unequal ranges; bottom and top coding: Hundepool et al. 2012",
    params: &[
        Param {
            name: "cuts",
            summary: "where ranges start, in ascending order",
            shape: Shape::Decimals(Range { low: (0, true), high: None }),
            default: None,
        },
        Param {
            name: "further",
            summary: "cuts that remain on a further level",
            shape: Shape::Decimals(Range { low: (0, true), high: None }),
            default: Some(""),
        },
    ],
    example: &[("cuts", "[18, 30, 65, 80]")],
    build: Build { make: |params, _| Ok(Box::new(Cuts::new(params)?)), draft: |_| None },
};

struct Cuts {
    /// In units of 10⁻ˢᶜᵃˡᵉ.
    scale: u32,
    /// For each level where intervals start.
    levels: Vec<Vec<i128>>,
}

impl Cuts {
    fn new(params: &Params) -> Result<Cuts> {
        let wrong = |what: &str| Error::plan(format!("cuts: {what}"));
        let lists = [params.decimals("cuts"), params.decimals("further")];
        let all: Vec<String> = lists.iter().flat_map(|list| list.iter().map(ToString::to_string)).collect();
        let (scale, numbers) = at_one_scale(&all).ok_or_else(|| wrong("a number has too many digits"))?;
        let (cuts, further) = numbers.split_at(lists[0].len());
        if cuts.is_empty() {
            return Err(wrong("the list is empty").help("e.g. cuts = [18, 30, 65, 80]"));
        }
        if [cuts, further].iter().any(|list| !list.is_sorted_by(|a, b| a < b)) {
            return Err(wrong("the numbers must ascend").help("e.g. cuts = [18, 30, 65, 80]"));
        }
        if further.iter().any(|cut| !cuts.contains(cut)) || further.len() == cuts.len() {
            return Err(wrong("`further` keeps some of the cuts, or ranges would overlap")
                .help("e.g. cuts = [18, 30, 65, 80], further = [18, 65]"));
        }
        let levels = [cuts, further].into_iter().filter(|list| !list.is_empty()).map(<[i128]>::to_vec).collect();
        Ok(Cuts { scale, levels })
    }

    fn interval(&self, number: Scaled, level: usize) -> Option<Ends> {
        let scale = self.scale.max(number.scale);
        let (value, raise) = (number.at(scale)?, 10i128.checked_pow(scale - self.scale)?);
        let cuts = &self.levels[level];
        let mut below = 0;
        for cut in cuts {
            below += usize::from(cut.checked_mul(raise)? <= value);
        }
        Some((below.checked_sub(1).map(|at| cuts[at]), cuts.get(below).copied()))
    }

    fn written(&self, ends: Ends) -> String {
        match ends {
            (Some(low), Some(high)) => range_at(low, high, self.scale),
            (Some(low), None) => format!(">={}", format_at(low, self.scale)),
            (None, Some(high)) => format!("<{}", format_at(high, self.scale)),
            (None, None) => TOP.to_string(),
        }
    }

    /// Every label: from each cut, or the start, to a later one, or the end.
    fn spans(&self) -> impl Iterator<Item = Ends> + '_ {
        let cuts = &self.levels[0];
        let starts = std::iter::once(None).chain(cuts.iter().copied().map(Some));
        let ends = move |low: Option<i128>| {
            let later = cuts.iter().copied().filter(move |cut| low.is_none_or(|low| *cut > low));
            later.map(Some).chain([None]).map(move |high| (low, high))
        };
        starts.flat_map(ends)
    }
}

impl Rule for Cuts {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let is_fraction = |label: &str| Scaled::parse(label).is_some_and(|number| number.scale > 0);
        if self.scale == 0 && column.domain().present_labels().any(is_fraction) {
            // 29.5 lies in [18, 30), which "18-29" would not say.
            return Err(Error::plan(format!("column \"{}\" has fractions, the cuts are whole", column.name()))
                .help("write a cut with a point, e.g. cuts = [18.0, 30.0]"));
        }
        ladder_of(column, "a number", |value| {
            let number = Scaled::parse(value)?;
            let label = |level: usize| self.interval(number, level).map(|ends| self.written(ends));
            (0..self.levels.len()).map(label).collect()
        })
    }

    fn makes(&self, label: &str) -> bool {
        label == TOP || self.spans().any(|ends| self.written(ends) == label)
    }

    fn span(&self, level: usize, first: &str, last: &str) -> Option<String> {
        let level = level.checked_sub(1)?;
        if level >= self.levels.len() {
            return Some(TOP.to_string());
        }
        let (low, _) = self.interval(Scaled::parse(first)?, level)?;
        let (_, high) = self.interval(Scaled::parse(last)?, level)?;
        Some(self.written((low, high)))
    }

    fn is_capped(&self) -> bool {
        true
    }

    /// What lies below the first or beyond the last cut counts as one more interval of the widest
    /// kind.
    fn ruler(&self, _: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        let cuts = &self.levels[0];
        let widest = cuts.windows(2).map(|pair| pair[1] - pair[0]).max();
        let whole = widest.and_then(|widest| {
            Some(range_at(cuts.first()?.checked_sub(widest)?, cuts.last()?.checked_add(widest)?, self.scale))
        });
        Some(Ruler::Numbers { whole })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{levels, numbers};
    use crate::kind::Raw;

    fn cuts(list: &[&str]) -> [(&'static str, Raw); 1] {
        [("cuts", numbers(list))]
    }

    #[test]
    fn intervals_lie_between_the_cuts() {
        let made = levels(&cuts(&["18", "30", "65", "80"]), &["3", "18", "29", "64", "79", "80", "104"]).unwrap();
        let first: Vec<&str> = made.iter().map(|path| path[1].as_str()).collect();
        assert_eq!(first, ["<18", "18-29", "18-29", "30-64", "65-79", ">=80", ">=80"]);
        assert!(made.iter().all(|path| path[2] == "*"));
        let halves = levels(&cuts(&["0.5", "2"]), &["0.49999", "0.5", "1.5", "2"]).unwrap();
        let first: Vec<&str> = halves.iter().map(|path| path[1].as_str()).collect();
        assert_eq!(first, ["<0.5", "[0.5, 2.0)", "[0.5, 2.0)", ">=2.0"]);
    }

    #[test]
    fn a_further_level_keeps_some_cuts() {
        let written = [("cuts", numbers(&["18", "30", "65"])), ("further", numbers(&["65"]))];
        let made = levels(&written, &["20", "70"]).unwrap();
        assert_eq!(made, [["20", "18-29", "<65", "*"], ["70", ">=65", ">=65", "*"]]);
    }

    #[test]
    fn neighbours_join_from_cut_to_cut() {
        let rule = super::super::rule(&cuts(&["18", "30", "65"]), ".".as_ref()).unwrap();
        assert_eq!(rule.span(1, "20", "40").unwrap(), "18-64");
        assert_eq!(rule.span(1, "3", "40").unwrap(), "<65");
        assert_eq!(rule.span(1, "40", "90").unwrap(), ">=30");
        assert_eq!(rule.span(1, "3", "90").unwrap(), "*");
        for made in ["18-64", "<65", ">=30", "*", "<18", ">=65"] {
            assert!(rule.makes(made), "{made}");
        }
        for foreign in ["18-63", "30-18", "<17", ">=31", "18"] {
            assert!(!rule.makes(foreign), "{foreign}");
        }
    }

    #[test]
    fn what_is_no_list_of_cuts_is_refused() {
        for wrong in [&[][..], &["30", "18"], &["18", "18"]] {
            assert!(levels(&cuts(wrong), &["1"]).is_err(), "{wrong:?}");
        }
        for further in [&["20"][..], &["18", "30"], &["30", "18"]] {
            let written = [("cuts", numbers(&["18", "30"])), ("further", numbers(further))];
            assert!(levels(&written, &["1"]).is_err(), "{further:?}");
        }
        let error = levels(&cuts(&["18"]), &["SECRET"]).unwrap_err().to_string();
        assert!(error.contains("record 1") && !error.contains("SECRET"), "{error}");
        assert!(levels(&cuts(&["18"]), &["1.5"]).unwrap_err().to_string().contains("fractions"));
    }
}
