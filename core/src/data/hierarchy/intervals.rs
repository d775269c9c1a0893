//! Intervals of nested widths, with optional bottom and top coding.

use super::scaled::{Ends, Scaled, format_at, range_at};
use super::{Build, Ladder, Rule, Ruler, TOP, ladder_of};
use crate::data::{Column, Dictionary, ValueType, without_missing};
use crate::error::{Error, Result};
use crate::exact::Decimal;
use crate::kind::{Kind, Param, Params, Range, Shape};

pub(super) const KIND: Kind<Build> = Kind {
    name: "intervals",
    summary: "Numbers to intervals of nested widths: intervals = [5, 10, 20] gives 20-24, 20-29, 20-39, *",
    reference: "Samarati 2001; bottom and top coding: Hundepool et al. 2012",
    params: &[
        Param {
            name: "intervals",
            summary: "widths, each a multiple of the one before",
            shape: Shape::Decimals(Range::POSITIVE),
            default: None,
        },
        Param { name: "origin", summary: "where an interval starts", shape: Shape::Number, default: Some("0") },
        Param { name: "bottom", summary: "smaller numbers become one value", shape: Shape::Number, default: Some("") },
        Param {
            name: "top",
            summary: "numbers from here on become one value",
            shape: Shape::Number,
            default: Some(""),
        },
    ],
    example: &[("intervals", "[5, 10, 20]")],
    build: Build {
        make: |params, _| Ok(Box::new(Intervals::new(params)?)),
        draft: |domain| {
            let are_several = domain.value_type() == ValueType::Integer && domain.present() > 2;
            are_several.then(|| nice_widths(domain.label(0), domain.label(domain.present() as u32 - 1)))
        },
    },
};

/// Three nested widths; the widest has a handful of intervals between the least and the greatest
/// value.
fn nice_widths(least: &str, greatest: &str) -> String {
    let range = greatest.parse::<f64>().unwrap_or(0.0) - least.parse::<f64>().unwrap_or(0.0);
    let mut width = 2u64;
    while (width as f64) * 24.0 < range && width < 1 << 50 {
        width = next_nice(width);
    }
    format!("[{width}, {}, {}]", width * 2, width * 4)
}

/// 1, 2, 5, 10, 20, 50, …
fn next_nice(width: u64) -> u64 {
    if width.to_string().starts_with('2') { width / 2 * 5 } else { width * 2 }
}

struct Intervals {
    /// All in units of 10⁻ˢᶜᵃˡᵉ.
    scale: u32,
    widths: Vec<i128>,
    origin: i128,
    bottom: Option<i128>,
    top: Option<i128>,
}

impl Intervals {
    fn new(params: &Params) -> Result<Intervals> {
        let wrong = |what: &str| Error::plan(format!("intervals: {what}"));
        let number = |name: &str| -> Result<Option<Scaled>> {
            let Some(number) = params.number(name) else { return Ok(None) };
            Scaled::parse(&number.to_string()).map(Some).ok_or_else(|| wrong(&format!("`{name}` has too many digits")))
        };
        let widths: Option<Vec<Scaled>> =
            params.decimals("intervals").iter().map(|width: &Decimal| Scaled::parse(&width.to_string())).collect();
        let widths = widths.ok_or_else(|| wrong("a width has too many digits"))?;
        let (origin, bottom, top) = (number("origin")?, number("bottom")?, number("top")?);
        let all = widths.iter().chain(&origin).chain(&bottom).chain(&top);
        let scale = all.map(|number| number.scale).max().unwrap_or(0);
        let at = |number: Scaled| number.at(scale).ok_or_else(|| wrong("a number has too many digits"));
        let rule = Intervals {
            scale,
            widths: widths.into_iter().map(at).collect::<Result<_>>()?,
            origin: origin.map(at).transpose()?.unwrap_or(0),
            bottom: bottom.map(at).transpose()?,
            top: top.map(at).transpose()?,
        };
        if rule.widths.is_empty() {
            return Err(wrong("the list of widths is empty").help("e.g. intervals = [5, 10, 20]"));
        }
        if rule.widths.windows(2).any(|pair| pair[1] <= pair[0] || pair[1] % pair[0] != 0) {
            let help = "a width must be a multiple of the one before, or intervals would overlap: [5, 10, 20]";
            return Err(wrong("the widths do not nest").help(help));
        }
        if rule.bottom.zip(rule.top).is_some_and(|(bottom, top)| bottom >= top) {
            return Err(wrong("`bottom` must be below `top`"));
        }
        Ok(rule)
    }

    /// The label of a number in an interval of a width.
    fn label(&self, number: Scaled, width: i128) -> Option<String> {
        self.interval(number, width).map(|ends| self.written(ends))
    }

    /// The interval of a width that holds a number. Intervals end at `bottom` and `top`; what lies
    /// beyond has no end on that side.
    fn interval(&self, number: Scaled, width: i128) -> Option<Ends> {
        let scale = self.scale.max(number.scale);
        let raise = 10i128.checked_pow(scale - self.scale)?;
        let value = number.at(scale)?;
        let raised = |edge: Option<i128>| edge.map_or(Some(None), |edge| edge.checked_mul(raise).map(Some));
        let (low_edge, high_edge) = (raised(self.bottom)?, raised(self.top)?);
        if low_edge.is_some_and(|edge| value < edge) {
            return Some((None, self.bottom));
        }
        if high_edge.is_some_and(|edge| value >= edge) {
            return Some((self.top, None));
        }
        let index = value.checked_sub(self.origin.checked_mul(raise)?)?.div_euclid(width.checked_mul(raise)?);
        let low = self.origin.checked_add(index.checked_mul(width)?)?;
        let high = low.checked_add(width)?;
        let low = self.bottom.map_or(low, |bottom| low.max(bottom));
        let high = self.top.map_or(high, |top| high.min(top));
        Some((Some(low), Some(high)))
    }

    fn written(&self, ends: Ends) -> String {
        match ends {
            (Some(low), Some(high)) => self.range(low, high),
            (Some(low), None) => format!(">={}", self.format(low)),
            (None, Some(high)) => format!("<{}", self.format(high)),
            (None, None) => TOP.to_string(),
        }
    }

    /// The ends that a label tells: of one interval, or from one to another.
    fn ends(&self, label: &str) -> Option<Ends> {
        let number = |text: &str| Scaled::parse(text.trim())?.at(self.scale);
        if let Some(low) = label.strip_prefix(">=") {
            return Some((Some(number(low)?), None));
        }
        if let Some(high) = label.strip_prefix('<') {
            return Some((None, Some(number(high)?)));
        }
        if let Some(inside) = label.strip_prefix('[') {
            let (low, high) = inside.get(..inside.len().checked_sub(1)?)?.split_once(',')?;
            let beyond = i128::from(label.ends_with(']'));
            return Some((Some(number(low)?), Some(number(high)?.checked_add(beyond)?)));
        }
        let (low, high) = label.split_once('-').unwrap_or((label, label));
        Some((Some(number(low)?), Some(number(high)?.checked_add(1)?)))
    }

    /// Whether some interval of the smallest width ends here.
    fn is_boundary(&self, end: i128) -> bool {
        let on_grid = end.checked_sub(self.origin).is_some_and(|way| way.rem_euclid(self.widths[0]) == 0);
        let within = self.bottom.is_none_or(|bottom| bottom <= end) && self.top.is_none_or(|top| end <= top);
        (on_grid && within) || self.bottom == Some(end) || self.top == Some(end)
    }

    fn range(&self, low: i128, high: i128) -> String {
        range_at(low, high, self.scale)
    }

    fn format(&self, value: i128) -> String {
        format_at(value, self.scale)
    }
}

impl Intervals {
    /// From the least to the greatest published number, as far as the widest intervals reach that
    /// these lie in: the same on every level and for every grouping, as long as the same ends are
    /// published. What is beyond `bottom` or `top` counts as one more such interval.
    fn whole(&self, published: &Dictionary) -> Option<String> {
        let widest = *self.widths.last()?;
        let around = |number: Scaled| self.interval(number, widest);
        let at = |mantissa: i128| around(Scaled { mantissa, scale: self.scale });
        let of_label = |label: &str| -> Option<Vec<Ends>> {
            match (Scaled::parse(label), self.ends(label)) {
                (Some(number), _) => Some(vec![around(number)?]),
                (None, Some((low, high))) => {
                    let inside = low.into_iter().chain(high.and_then(|high| high.checked_sub(1)));
                    inside.map(at).collect()
                }
                (None, None) => None,
            }
        };
        let below = self.bottom.and_then(|bottom| Some((Some(bottom.checked_sub(widest)?), Some(bottom))));
        let beyond = self.top.and_then(|top| Some((Some(top), Some(top.checked_add(widest)?))));
        let labels = published.iter().filter_map(|label| of_label(without_missing(label))).flatten();
        let all: Vec<Ends> = labels.chain(below).chain(beyond).collect();
        let low = all.iter().filter_map(|ends| ends.0).min()?;
        let high = all.iter().filter_map(|ends| ends.1).max()?;
        Some(self.range(low, high))
    }
}

impl Rule for Intervals {
    fn ruler(&self, published: &Dictionary, _: Option<usize>) -> Option<Ruler> {
        Some(Ruler::Numbers { whole: self.whole(published) })
    }

    fn is_capped(&self) -> bool {
        self.top.is_some() || self.bottom.is_some()
    }

    fn ladder(&self, column: &Column) -> Result<Ladder> {
        let present =
            column.domain().labels().iter().zip(0u32..).filter(|(_, code)| column.domain().missing() != Some(*code));
        let is_fraction = |label: &str| Scaled::parse(label).is_some_and(|number| number.scale > 0);
        if self.scale == 0 && present.map(|(label, _)| label).any(is_fraction) {
            // 24.5 lies in [20, 25), which "20-24" would not say.
            return Err(Error::plan(format!("column \"{}\" has fractions, the widths are whole", column.name()))
                .help("write a width with a point, e.g. intervals = [5.0, 10.0]"));
        }
        ladder_of(column, "a number", |value| {
            let number = Scaled::parse(value)?;
            self.widths.iter().map(|&width| self.label(number, width)).collect()
        })
    }

    fn makes(&self, label: &str) -> bool {
        let made = |ends: Ends| {
            let both = [ends.0, ends.1].into_iter().flatten();
            both.clone().all(|end| self.is_boundary(end))
                && ends.0.zip(ends.1).is_none_or(|(low, high)| low < high)
                && (ends.0.is_some() || self.bottom.is_some())
                && (ends.1.is_some() || self.top.is_some())
                && self.written(ends) == label
        };
        label == TOP || self.ends(label).is_some_and(made)
    }

    fn span(&self, level: usize, first: &str, last: &str) -> Option<String> {
        let Some(&width) = self.widths.get(level.checked_sub(1)?) else { return Some(TOP.to_string()) };
        let (low, _) = self.interval(Scaled::parse(first)?, width)?;
        let (_, high) = self.interval(Scaled::parse(last)?, width)?;
        Some(self.written((low, high)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{levels, numbers};
    use super::nice_widths;
    use crate::kind::Raw;

    #[test]
    fn whole_numbers_read_as_ranges() {
        let made = levels(&[("intervals", numbers(&["5", "10", "20"]))], &["23", "-3", "40"]).unwrap();
        assert_eq!(made[0], ["23", "20-24", "20-29", "20-39", "*"]);
        assert_eq!(made[1], ["-3", "[-5, -1]", "[-10, -1]", "[-20, -1]", "*"]);
    }

    #[test]
    fn origin_bottom_and_top() {
        let written = [
            ("intervals", numbers(&["10", "20"])),
            ("origin", Raw::Number("18".into())),
            ("bottom", Raw::from("18")),
            ("top", Raw::from("90")),
        ];
        let made = levels(&written, &["17", "18", "27", "28", "89", "90", "104"]).unwrap();
        let first: Vec<&str> = made.iter().map(|path| path[1].as_str()).collect();
        assert_eq!(first, ["<18", "18-27", "18-27", "28-37", "88-89", ">=90", ">=90"]);
    }

    #[test]
    fn neighbours_are_joined_from_boundary_to_boundary() {
        let written = [("intervals", numbers(&["5", "10"])), ("bottom", Raw::from("18")), ("top", Raw::from("90"))];
        let rule = super::super::rule(&written, ".".as_ref()).unwrap();
        let span = |level: usize, first: &str, last: &str| rule.span(level, first, last).unwrap();
        assert_eq!(span(1, "21", "33"), "20-34");
        assert_eq!(span(2, "21", "33"), "20-39");
        assert_eq!(span(1, "86", "104"), ">=85");
        assert_eq!(span(1, "93", "104"), ">=90");
        assert_eq!(span(1, "3", "21"), "<25");
        assert_eq!(span(1, "3", "93"), "*");
        assert_eq!(span(3, "21", "22"), "*");
        for made in ["20-34", ">=85", ">=90", "<25", "18-19", "*"] {
            assert!(rule.makes(made), "{made}");
        }
        for foreign in ["21-34", "20-33", ">=91", ">=95", "<17", "34-20", "20-", "[20, 34]", "90-94"] {
            assert!(!rule.makes(foreign), "{foreign}");
        }
    }

    #[test]
    fn fractions_are_exact() {
        let made = levels(&[("intervals", numbers(&["0.1", "0.5"]))], &["0.3", "0.29999", "2.5e-1"]).unwrap();
        let first: Vec<&str> = made.iter().map(|path| path[1].as_str()).collect();
        assert_eq!(first, ["[0.3, 0.4)", "[0.2, 0.3)", "[0.2, 0.3)"]);
        assert!(levels(&[("intervals", numbers(&["5"]))], &["24.5"]).unwrap_err().to_string().contains("fractions"));
    }

    #[test]
    fn widths_must_nest() {
        let error = levels(&[("intervals", numbers(&["5", "12"]))], &["1"]).unwrap_err().to_string();
        assert!(error.contains("do not nest"), "{error}");
        assert!(levels(&[("intervals", numbers(&["5"]))], &["old"]).is_err());
    }

    #[test]
    fn widths_are_nice() {
        assert_eq!(nice_widths("0", "99"), "[5, 10, 20]");
        assert_eq!(nice_widths("17", "30"), "[2, 4, 8]");
        assert_eq!(nice_widths("0", "100000"), "[5000, 10000, 20000]");
    }
}
