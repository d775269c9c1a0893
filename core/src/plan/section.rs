//! Sections of a plan, with the line of everything that is wrong.

use crate::data::Weight;
use crate::error::{Error, Result};
use crate::exact::{Decimal, Fraction};
use crate::kind::Raw;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toml_edit::Value;

/// A table of the plan with its name, for errors.
pub(super) struct Section<'a> {
    pub name: &'a str,
    pub text: &'a str,
    pub table: &'a DeTable<'a>,
    pub line: u64,
}

impl<'a> Section<'a> {
    pub fn inside<'b>(&'b self, name: &'b str, value: &'b Spanned<DeValue<'a>>) -> Result<Section<'b>>
    where
        'a: 'b,
    {
        let line = line_of(self.text, value.span().start);
        let table = value
            .get_ref()
            .as_table()
            .ok_or_else(|| Error::plan(format!("{name} is {}, not a table", raw(value).describe())).line(line))?;
        Ok(Section { name, text: self.text, table, line })
    }

    pub fn section<'b>(&'b self, name: &'b str) -> Result<Option<Section<'b>>> {
        self.table.get(name).map(|value| self.inside(name, value)).transpose()
    }

    /// The tables of an array of tables; none if it is absent.
    pub fn sections<'b>(&'b self, name: &'b str) -> Result<Vec<Section<'b>>> {
        let Some(value) = self.table.get(name) else { return Ok(Vec::new()) };
        let list = value.get_ref().as_array().ok_or_else(|| {
            Error::plan(format!("`{name}` is a list")).line(self.line_of(name)).help(format!("write [[{name}]]"))
        })?;
        list.iter().map(|item| self.inside(name, item)).collect()
    }

    pub fn line_of(&self, key: &str) -> u64 {
        self.table.get(key).map_or(self.line, |value| line_of(self.text, value.span().start))
    }

    pub fn refuse_unknown<'k>(&self, known: impl IntoIterator<Item = &'k str> + Clone) -> Result<()> {
        for (key, value) in self.table.iter() {
            let key = key.get_ref().as_ref();
            if !known.clone().into_iter().any(|name| name == key) {
                let line = line_of(self.text, value.span().start);
                let message = format!("{} has no \"{key}\"", self.name);
                return Err(Error::unknown(message, key, known).line(line));
            }
        }
        Ok(())
    }

    /// A value in the form that `read` accepts.
    pub fn get<T>(&self, key: &str, read: fn(&Raw) -> std::result::Result<T, &'static str>) -> Result<Option<T>> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let wrong = |expected| Error::plan(format!("{}: `{key}` is {expected}", self.name)).line(self.line_of(key));
        read(&raw(value)).map(Some).map_err(wrong)
    }
}

pub(super) fn text(raw: &Raw) -> std::result::Result<String, &'static str> {
    match raw {
        Raw::Text(text) => Ok(text.clone()),
        _ => Err("a text in quotes"),
    }
}

pub(super) fn flag(raw: &Raw) -> std::result::Result<bool, &'static str> {
    match raw {
        Raw::Flag(flag) => Ok(*flag),
        _ => Err("true or false"),
    }
}

/// A whole number.
pub(super) fn number(raw: &Raw) -> std::result::Result<usize, &'static str> {
    match raw {
        Raw::Number(text) => text.parse().map_err(|_| "a whole number"),
        _ => Err("a whole number"),
    }
}

/// A list of small whole numbers.
pub(super) fn numbers(raw: &Raw) -> std::result::Result<Vec<usize>, &'static str> {
    const WRONG: &str = "a list of whole numbers";
    let Raw::List(items) = raw else { return Err(WRONG) };
    let one = |item: &Raw| match item {
        Raw::Number(text) => text.parse().ok().filter(|number| *number < 1000).ok_or(WRONG),
        _ => Err(WRONG),
    };
    items.iter().map(one).collect()
}

/// The weight of a column.
pub(super) fn weight(raw: &Raw) -> std::result::Result<Weight, &'static str> {
    match raw {
        Raw::Text(text) | Raw::Number(text) => text.parse(),
        _ => Err(Weight::RANGE),
    }
}

/// One text, or a list of texts or numbers.
pub(super) fn texts(raw: &Raw) -> std::result::Result<Vec<String>, &'static str> {
    let one = |item: &Raw| match item {
        Raw::Text(text) | Raw::Number(text) => Ok(text.clone()),
        _ => Err("a list of texts"),
    };
    match raw {
        Raw::List(items) => items.iter().map(one).collect(),
        single => Ok(vec![one(single)?]),
    }
}

pub(super) fn raw(value: &Spanned<DeValue<'_>>) -> Raw {
    match value.get_ref() {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => Raw::Number(number.to_string()),
        DeValue::Float(number) => Raw::Number(number.to_string()),
        DeValue::Boolean(flag) => Raw::Flag(*flag),
        DeValue::Array(items) => Raw::List(items.iter().map(raw).collect()),
        DeValue::Datetime(_) => Raw::Other("a date"),
        DeValue::Table(table) => {
            Raw::Table(table.iter().map(|(name, value)| (name.get_ref().to_string(), raw(value))).collect())
        }
    }
}

/// A value as TOML; a number keeps its digits, and one that TOML does not know becomes a text.
pub(super) fn toml(raw: &Raw) -> Result<Value> {
    let is_number = |value: &Value| value.is_integer() || value.is_float();
    Ok(match raw {
        Raw::Text(text) => text.into(),
        Raw::Number(text) => text.parse().ok().filter(is_number).unwrap_or_else(|| text.into()),
        Raw::Flag(flag) => (*flag).into(),
        Raw::List(items) => Value::Array(items.iter().map(toml).collect::<Result<_>>()?),
        Raw::Table(keys) => {
            let keys = keys.iter().map(|(key, value)| Ok((key, toml(value)?)));
            Value::InlineTable(keys.collect::<Result<_>>()?)
        }
        Raw::Other(name) => return Err(Error::plan(format!("{name} cannot be written into a plan"))),
    })
}

pub(super) fn line_of(text: &str, offset: usize) -> u64 {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1
}

/// Everything that is written in a section, but for some keys.
pub(super) fn written<'a>(section: &'a Section<'_>, not: &[&str]) -> Vec<(&'a str, Raw)> {
    let all = section.table.iter().map(|(key, value)| (key.get_ref().as_ref(), raw(value)));
    all.filter(|(key, _)| !not.contains(key)).collect()
}

/// Which of some words stands under a key.
pub(super) fn choice(section: &Section<'_>, key: &str, words: &[&str]) -> Result<Option<usize>> {
    let Some(word) = section.get(key, text)? else { return Ok(None) };
    let found = words.iter().position(|known| *known == word).ok_or_else(|| {
        let message = format!("{}: `{key}` cannot be \"{word}\"", section.name);
        Error::unknown(message, &word, words.iter().copied()).line(section.line_of(key))
    })?;
    Ok(Some(found))
}

/// A share: 0.02, "2%".
pub(super) fn share(section: &Section<'_>, key: &str) -> Result<Option<Fraction>> {
    let Some(value) = section.table.get(key).map(raw) else { return Ok(None) };
    let wrong = || {
        let error = Error::plan(format!("{}: `{key}` is a share from 0 to 1", section.name));
        error.line(section.line_of(key)).help(format!("write {key} = 0.02, or {key} = \"2%\""))
    };
    let (Raw::Text(written) | Raw::Number(written)) = value else { return Err(wrong()) };
    let number: Decimal = written.parse().map_err(|_| wrong())?;
    if number.is_negative() || number.fraction() > Fraction::ONE {
        return Err(wrong());
    }
    Ok(Some(number.fraction()))
}
