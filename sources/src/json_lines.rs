//! JSON lines: one object with plain values on each line.

use crate::not_written;
use crate::rows::Rows;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use sfumato::data::{Format, ReadOptions, Table, unread};
use sfumato::{Error, Fault, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

pub(crate) struct JsonLines;

/// Lines beyond this are no record of a person.
const LONGEST: u64 = 1 << 26;

impl Format for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn summary(&self) -> &'static str {
        "JSON lines: an object on each line; read only"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn is_written(&self) -> bool {
        false
    }

    fn starts(&self, start: &[u8]) -> bool {
        start.trim_ascii_start().starts_with(b"{")
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let file = File::open(path).map_err(|error| Error::io(&error, path))?;
        self.read_stream(Box::new(file), options)
    }

    fn read_stream(&self, source: Box<dyn Read + Send + '_>, options: &ReadOptions) -> Result<Table> {
        let mut source = BufReader::with_capacity(1 << 18, source);
        let mut reader = Reader { rows: Rows::new(options), places: HashMap::new() };
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = source.by_ref().take(LONGEST).read_until(b'\n', &mut line);
            let read = read.map_err(|error| unread(&error))?;
            number += 1;
            match read as u64 {
                0 => return reader.rows.finish(),
                LONGEST => {
                    let message = format!("a line is longer than {} MiB", LONGEST >> 20);
                    return Err(Error::new(Fault::Resources, message).line(number));
                }
                _ => reader.read(&line).map_err(|error| error.line(number))?,
            }
        }
    }

    fn write(&self, _: &Table, path: &Path) -> Result<()> {
        Err(not_written("JSON lines", path))
    }
}

struct Reader<'a> {
    rows: Rows<'a>,
    places: HashMap<String, usize>,
}

impl Reader<'_> {
    fn read(&mut self, line: &[u8]) -> Result<()> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let wrong = || {
            let error = Error::data("the line is not one JSON object");
            error.help("JSON lines have an object such as {\"age\": 47} on each line")
        };
        let Fields(fields) = serde_json::from_slice(line).map_err(|_| wrong())?;
        for (name, value) in fields {
            let place = match self.places.get(&*name) {
                Some(place) => *place,
                None => {
                    let place = self.rows.add_column(name.to_string())?;
                    self.places.insert(name.to_string(), place);
                    place
                }
            };
            if self.rows.has_cell(place) {
                return Err(Error::data(format!("the object has \"{name}\" twice")).help("keep one of them"));
            }
            let text = text(value.get()).ok_or_else(|| nested(&name))?;
            self.rows.cell(place, text.as_deref());
        }
        self.rows.end_row()
    }
}

/// A plain value as text, `None` for null; nothing for lists and objects.
fn text(raw: &str) -> Option<Option<Cow<'_, str>>> {
    match raw.as_bytes().first()? {
        b'"' => serde_json::from_str::<String>(raw).ok().map(|text| Some(text.into())),
        b'{' | b'[' => None,
        b'n' => Some(None),
        _ => Some(Some(raw.into())),
    }
}

fn nested(name: &str) -> Error {
    let error = Error::data(format!("\"{name}\" is a list or an object; only plain values can be read"));
    error.help("flatten it into columns, or drop it")
}

/// The fields of an object, in order.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<Name<'de>, &'de RawValue>()? {
                    fields.push((name.0, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// A key, borrowed where nothing in it is escaped.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Self::Value, E> {
                Ok(Name(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::ValueType;

    fn read(text: &str) -> Result<Table> {
        JsonLines.read_stream(Box::new(text.as_bytes()), &ReadOptions::default())
    }

    #[test]
    fn plain_values_keep_their_digits() {
        let table = read("{\"age\": 47, \"cost\": 1.50, \"ok\": true, \"na\\u0301me\": \"a\\\"b\"}\n\n{\"cost\": 1e400, \"age\": null, \"late\": \"x\"}\n").unwrap();
        let row = |row: usize| table.columns().iter().map(|column| column.value(row)).collect::<Vec<_>>();
        assert_eq!(row(0), ["47", "1.50", "true", "a\"b", ""]);
        assert_eq!(row(1), ["", "1e400", "", "", "x"]);
        assert_eq!(table.columns()[0].domain().value_type(), ValueType::Integer);
        assert_eq!(table.columns()[0].domain().missing(), Some(1));
    }

    #[test]
    fn faults_name_the_line_and_no_cell() {
        for (text, expected) in [
            ("{\"a\": 1}\nSECRET\n", "line 2: the line is not one JSON object"),
            ("{\"a\": 1}\n{\"a\": \"SECRET\"", "line 2"),
            ("[\"SECRET\"]\n", "line 1"),
            ("{\"a\": 1}\n{\"a\": [\"SECRET\"]}\n", "line 2: \"a\" is a list or an object"),
            ("{\"a\": 1, \"a\": 2}\n", "line 1: the object has \"a\" twice"),
            ("", "no records"),
            ("{\"\": 1}\n", "no name"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("SECRET"), "{message}");
        }
    }
}
