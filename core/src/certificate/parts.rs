//! Parts of certificates of both kinds of data.

use super::broken;
use crate::attack::Reidentification;
use crate::data::Formulas;
use crate::error::Result;
use crate::exact::{Decimal, Fraction};
use crate::kind::{Kind, Member, Params, Point, Raw, Setting};
use crate::plan::Heading;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// The chance to pick a person's record. Without a population table nothing is known of the
/// journalist but that it is no more than the prosecutor's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RiskFigures {
    /// Of an attacker who knows that the person is in the release, for the smallest class.
    pub prosecutor: f64,
    /// At most, of one who does not.
    pub journalist_at_most: f64,
    /// The share of all records that an attacker picks on average.
    pub marketer: f64,
    /// Records that look alike.
    pub classes: u64,
    /// Records of the smallest class.
    pub smallest_class: u64,
    /// Records that no other equals.
    pub unique_records: u64,
}

impl From<Reidentification> for RiskFigures {
    fn from(risk: Reidentification) -> Self {
        RiskFigures {
            prosecutor: risk.prosecutor(),
            journalist_at_most: risk.prosecutor(),
            marketer: risk.marketer(),
            classes: risk.classes,
            smallest_class: risk.smallest,
            unique_records: risk.unique,
        }
    }
}

/// A heading that a certificate declares.
pub(crate) fn heading(title: Option<String>, date: Option<String>) -> Result<Heading> {
    let heading = Heading { title, date };
    match heading.wrong_key() {
        None => Ok(heading),
        Some(key) => Err(broken(&format!("something else than a {key}"))),
    }
}

/// Named entries in their order, each name once.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Named<T> {
    /// The entry with a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, entry)| entry)
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named(Vec::new())
    }
}

impl<N: Into<String>, T> FromIterator<(N, T)> for Named<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(entries: I) -> Self {
        Named(entries.into_iter().map(|(name, entry)| (name.into(), entry)).collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, entry)| (name, entry)))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let entries = Map::deserialize(deserializer)?.into_iter();
        let entries = entries.map(|(name, value)| Ok((name, T::deserialize(value).map_err(D::Error::custom)?)));
        entries.collect()
    }
}

/// A share between 0 and 1, as exactly as the number is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub Fraction);

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.to_f64())
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?.to_string().parse::<Decimal>();
        let share = number.ok().filter(|number| !number.is_negative()).map(|number| number.fraction());
        let share = share.filter(|share| *share <= Fraction::ONE);
        share.map(Share).ok_or_else(|| D::Error::custom("a share that is not between 0 and 1"))
    }
}

/// What wrote a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WrittenBy {
    /// The version of sfumato.
    pub version: String,
    /// The format of the certificate.
    pub certificate: u64,
}

impl WrittenBy {
    /// This version.
    pub fn own() -> WrittenBy {
        WrittenBy { version: env!("CARGO_PKG_VERSION").to_string(), certificate: super::FORMAT }
    }
}

/// What a release is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataKind {
    /// A table: what certificates are about that say nothing else.
    #[default]
    Table,
    /// Sets of items.
    Transactions,
}

/// What is stated of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileFacts {
    /// Its hash, in hexadecimal.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

/// A member of a family with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberDeclared {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Named<Value>,
}

impl<B> From<&Member<B>> for MemberDeclared {
    fn from(member: &Member<B>) -> Self {
        MemberDeclared { name: member.kind.name.to_string(), params: settings(&member.params) }
    }
}

/// A method with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodDeclared {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Named<Value>,
    /// The methods that it was chosen among, if the plan left that open, in the order in which they
    /// were to be tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_among: Vec<String>,
    /// Whether random choices were made with a seed.
    pub insecure_seed: bool,
}

/// What becomes of a release of which attacks find too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttacksWord {
    /// It is refused.
    Refuse,
    /// It is published all the same.
    Report,
}

impl AttacksWord {
    /// The word.
    pub fn of(refuses: bool) -> AttacksWord {
        if refuses { AttacksWord::Refuse } else { AttacksWord::Report }
    }

    /// Whether such a release is refused.
    pub fn refuses(self) -> bool {
        self == AttacksWord::Refuse
    }
}

/// The plan's limits on attacks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateDeclared {
    /// What becomes of a release that exceeds them.
    pub attacks: AttacksWord,
}

impl GateDeclared {
    /// Whether such a release is refused.
    pub fn of(refuses: bool) -> GateDeclared {
        GateDeclared { attacks: AttacksWord::of(refuses) }
    }
}

/// What became of cells that a spreadsheet would run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FormulasWord {
    /// They have an apostrophe in front.
    Escaped,
    /// They stay as they are.
    Kept,
    /// There are none.
    None,
}

impl From<Formulas> for FormulasWord {
    fn from(formulas: Formulas) -> Self {
        match formulas {
            Formulas::Escape => FormulasWord::Escaped,
            Formulas::Keep => FormulasWord::Kept,
            Formulas::Refuse => FormulasWord::None,
        }
    }
}

/// Parameters as written.
pub fn settings(params: &Params) -> Named<Value> {
    params.iter().map(|(name, setting)| (name, written(setting))).collect()
}

/// A setting as written: texts, flags, and lists of texts.
fn written(setting: &Setting) -> Value {
    match setting {
        Setting::Flag(flag) => (*flag).into(),
        Setting::Values(values) => values.as_slice().into(),
        Setting::Points(points) => points.iter().map(|point| Value::Object(point_entries(point))).collect(),
        Setting::Decimals(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().into(),
        single => single.to_string().into(),
    }
}

/// A point of a skyline, as a plan writes it.
pub fn point_entries(point: &Point) -> Map<String, Value> {
    let value = point.value.iter().map(|value| ("value", Value::from(value.as_str())));
    let counts = [("l", point.l), ("k", point.k), ("m", point.m)].map(|(name, count)| (name, Value::from(count)));
    let all = value.chain(counts).chain([("c", Value::from(point.c.to_string()))]);
    all.map(|(name, value)| (name.to_string(), value)).collect()
}

/// What finds the member of a family with a name.
type Find<B> = fn(&str) -> Result<&'static Kind<B>>;

/// A declared member of a family, checked.
pub fn member<B>(name: &str, params: &Named<Value>, find: Find<B>) -> Result<Member<B>> {
    Member::of(find(name)?, &as_written(params))
}

/// Parameters as somebody might have written them in a plan.
pub fn as_written(params: &Named<Value>) -> Vec<(&str, Raw)> {
    params.0.iter().map(|(name, value)| (name.as_str(), raw(value))).collect()
}

fn raw(value: &Value) -> Raw {
    match value {
        Value::Bool(flag) => Raw::Flag(*flag),
        Value::Array(items) => Raw::List(items.iter().map(raw).collect()),
        Value::Object(fields) => Raw::Table(fields.iter().map(|(name, value)| (name.clone(), raw(value))).collect()),
        other => Raw::Text(other.as_str().map_or_else(|| other.to_string(), str::to_string)),
    }
}
