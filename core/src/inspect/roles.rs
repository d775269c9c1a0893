//! Which role suggests itself for a column: by the words of its name, and by what its values are
//! like.
//!
//! Names are compared word by word (`dateOfBirth` has "date", "of" and "birth"), so that a page is
//! no age and a combination no nation.

use super::patterns;
use super::{IDENTIFYING, TELLING_RECORDS};
use crate::data::{Column, Role, ValueType};

/// A role with its reason.
#[derive(Clone, Debug)]
pub(super) struct Suggestion {
    pub role: Role,
    pub reason: String,
    /// Whether name or values say that it identifies people directly, however often each occurs.
    pub is_direct: bool,
}

impl Suggestion {
    fn new(role: Role, reason: impl Into<String>) -> Suggestion {
        Suggestion { role, reason: reason.into(), is_direct: false }
    }

    fn direct(reason: String) -> Suggestion {
        Suggestion { role: Role::Identifier, reason, is_direct: true }
    }
}

// Words of names that tell a role. `*` stands for any ending; two words may be written as one.

const SENSITIVE: [&str; 22] = [
    "disease",
    "diagnos*",
    "condition",
    "illness*",
    "symptom*",
    "icd",
    "drug",
    "medication",
    "treatment",
    "hiv",
    "salary",
    "salaries",
    "income",
    "wage",
    "debt",
    "religi*",
    "politic*",
    "sexual*",
    "offence",
    "offense",
    "crim*",
    "grade",
];

/// Direct identifiers, whatever the rest of the name says.
const IDENTIFIER: [&str; 54] = [
    "ssn",
    "social security",
    "mrn",
    "medical record",
    "national id",
    "national insurance",
    "nhs number",
    "tax id",
    "tax number",
    "insurance number",
    "insurance no",
    "policy number",
    "policy no",
    "record no",
    "insurance id",
    "passport",
    "driver license",
    "drivers license",
    "driving licence",
    "license plate",
    "licence plate",
    "number plate",
    "vin",
    "email",
    "e mail",
    "email addr",
    "emailaddr",
    "phone",
    "cellphone",
    "homephone",
    "workphone",
    "telephone",
    "mobile",
    "fax",
    "iban",
    "bank account",
    "credit card",
    "card number",
    "ip address",
    "ip addr",
    "mac address",
    "device id",
    "uuid",
    "guid",
    "url",
    "first name",
    "last name",
    "full name",
    "given name",
    "family name",
    "maiden name",
    "surname",
    "address",
    "street",
];

/// Who or what has a number or a name that identifies people.
const HOLDERS: [&str; 15] = [
    "patient",
    "person",
    "customer",
    "client",
    "member",
    "user",
    "employee",
    "student",
    "subject",
    "participant",
    "applicant",
    "citizen",
    "account",
    "resident",
    "respondent",
];
const KEYS: [&str; 9] = ["id", "no", "nr", "num", "number", "key", "code", "name", "identifier"];

/// First or last words of columns that are about an identifier and are none: `email_domain`,
/// `has_phone`.
const ABOUT_FIRST: [&str; 6] = ["has", "is", "n", "num", "count", "with"];
const ABOUT_LAST: [&str; 18] = [
    "type", "status", "kind", "class", "category", "count", "flag", "balance", "domain", "provider", "verified",
    "consent", "model", "brand", "usage", "os", "age", "length",
];

const COORDINATE: [&str; 12] = [
    "lat",
    "latitude",
    "lon",
    "lng",
    "longitude",
    "coord",
    "coordinate",
    "gps",
    "geolocation",
    "geohash",
    "easting",
    "northing",
];

const QUASI: [&str; 38] = [
    "age",
    "birth*",
    "born",
    "dob",
    "yob",
    "date of birth",
    "year of birth",
    "sex",
    "gender",
    "zip",
    "zip code",
    "postal",
    "postal code",
    "postcode",
    "plz",
    "city",
    "cities",
    "town",
    "village",
    "county",
    "district",
    "province",
    "region",
    "state",
    "country",
    "countries",
    "nation*",
    "race",
    "ethnic*",
    "marital",
    "educat*",
    "occupation*",
    "profession*",
    "job",
    "work*",
    "employ*",
    "admission",
    "admitted",
];

pub(super) fn suggest(column: &Column, records: usize, unique_share: f64) -> Suggestion {
    let (domain, words) = (column.domain(), words(column.name()));
    let percent = unique_share * 100.0;
    if let Some(pattern) = patterns::identifier(domain) {
        return Suggestion::direct(format!("its values look like {}", pattern.name));
    }
    // Two values in a large table are a flag: whether there is an address, say.
    let is_flag = domain.len() <= 2 && records >= TELLING_RECORDS;
    if let Some(phrase) = identifier_name(&words).filter(|_| !is_flag) {
        return Suggestion::direct(format!("its name has \"{phrase}\", which identifies people directly"));
    }
    if domain.len() <= 1 {
        return Suggestion::new(Role::Insensitive, "one value discloses nothing");
    }
    if let Some(phrase) = told_by(&words, &SENSITIVE) {
        return Suggestion::new(Role::Sensitive, format!("its name has \"{phrase}\""));
    }
    let place = told_by(&words, &COORDINATE).is_some() || patterns::are_coordinates(domain);
    if place && unique_share < IDENTIFYING {
        return Suggestion::new(Role::Quasi, "a place on the map can identify a person");
    }
    let unique = || Suggestion::new(Role::Identifier, format!("{percent:.0} % of records have a value of their own"));
    let measured = domain.value_type() == ValueType::Decimal;
    let identifies = unique_share >= IDENTIFYING && (place || !measured);
    // In a small table anything may be unique, so names come first there.
    if identifies && (place || records >= TELLING_RECORDS) {
        return unique();
    }
    if told_by(&words, &["name"]).is_some() && unique_share > 0.2 {
        return Suggestion::direct(format!("its name has \"name\", and {percent:.0} % of values are unique"));
    }
    if let Some(phrase) = told_by(&words, &QUASI) {
        return Suggestion::new(Role::Quasi, format!("its name has \"{phrase}\": outsiders may know it"));
    }
    if identifies {
        return unique();
    }
    Suggestion::new(Role::Quasi, by_values(column, records, unique_share))
}

/// Why a column of which its name says nothing is a quasi-identifier. It is not insensitive: beside
/// groups of a few records nearly any value is the only one of its kind.
fn by_values(column: &Column, records: usize, unique_share: f64) -> String {
    let (kind, distinct) = (column.domain().value_type(), column.domain().len());
    if unique_share > 0.05 && records >= TELLING_RECORDS {
        let percent = unique_share * 100.0;
        return format!("{percent:.0} % of records have a unique value, which can identify them");
    }
    let rarely = |what: &str| {
        format!(
            "{what} that outsiders rarely know, but as it is it would make records unique: \"identifier\" leaves it out"
        )
    };
    match kind {
        ValueType::Decimal => rarely("a measurement"),
        ValueType::Integer if distinct > 20 => rarely("a number"),
        _ => "outsiders may know it: say otherwise if not".into(),
    }
}

/// What in a name says that the column identifies people directly.
fn identifier_name(words: &[String]) -> Option<String> {
    let is = |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
    if words.len() > 1 && (is(words.first(), &ABOUT_FIRST) || is(words.last(), &ABOUT_LAST)) {
        return None;
    }
    if let Some(phrase) = told_by(words, &IDENTIFIER) {
        return Some(phrase.to_string());
    }
    if let [word] = words {
        let whole = HOLDERS.iter().chain(&["name", "id", "cell"]).find(|known| is_word(word, known));
        if let Some(known) = whole {
            return Some(known.to_string());
        }
    }
    let numbered = HOLDERS.iter().flat_map(|holder| KEYS.iter().map(move |key| format!("{holder} {key}")));
    numbered.into_iter().find(|phrase| has_phrase(words, phrase))
}

pub(super) fn told_by(words: &[String], phrases: &[&'static str]) -> Option<&'static str> {
    phrases.iter().find(|phrase| has_phrase(words, phrase)).map(|phrase| phrase.trim_end_matches('*'))
}

/// Whether the words of a phrase follow each other in a name, or are one word of it.
fn has_phrase(words: &[String], phrase: &str) -> bool {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let follows = |window: &[String]| window.iter().zip(&parts).all(|(word, part)| is_word(word, part));
    words.windows(parts.len()).any(follows)
        || (parts.len() > 1 && words.iter().any(|word| is_word(word, &parts.concat())))
}

/// Whether a word is one of a list, in the plural or not; `*` stands for any ending.
fn is_word(word: &str, known: &str) -> bool {
    match known.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == known || word.strip_suffix('s') == Some(known),
    }
}

/// The words of a name in small letters: divided at anything but letters and digits, between small
/// and capital letters, and between letters and digits.
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let starts = before.is_some_and(|before| is_boundary(before, letter, letters.get(at + 1).copied()));
        if starts || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is one").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word starts at a letter: `zip|Code`, `IP|Address`, `icd|10`.
fn is_boundary(before: char, letter: char, after: Option<char>) -> bool {
    let rises = before.is_lowercase() && letter.is_uppercase();
    let ends_capitals = before.is_uppercase() && letter.is_uppercase() && after.is_some_and(char::is_lowercase);
    let turns = before.is_alphabetic() && letter.is_numeric() || before.is_numeric() && letter.is_alphabetic();
    rises || ends_capitals || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of 200 records with `distinct` texts that look like nothing.
    fn named(name: &str, distinct: usize) -> Suggestion {
        let column = Column::from_values(name, (0..200).map(|row| format!("v{}", row % distinct)));
        suggest(&column, 200, if distinct == 200 { 1.0 } else { 0.0 })
    }

    #[test]
    fn names_are_divided_into_words() {
        for (name, expected) in [
            ("rate_marriage", &["rate", "marriage"][..]),
            ("dateOfBirth", &["date", "of", "birth"]),
            ("IPAddress", &["ip", "address"]),
            ("ICD10-code", &["icd", "10", "code"]),
            ("marital status", &["marital", "status"]),
            ("größeInCm", &["größe", "in", "cm"]),
            ("__", &[]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn names_tell_roles_by_whole_words() {
        use Role::{Identifier, Quasi, Sensitive};
        for (role, names) in [
            (Quasi, &["age", "Age", "patient_age", "ageAtAdmission", "dob", "BirthDate", "dateofbirth"][..]),
            (Quasi, &["sex", "zip", "ZIPCODE", "zip_code", "postal-code", "city", "native-country", "race"]),
            (Quasi, &["marital-status", "workclass", "education", "occupation", "admitted", "admission_date"]),
            (Sensitive, &["disease", "diagnosis", "primaryDiagnosis", "icd10", "wages", "salary", "drug_name"]),
            (Identifier, &["ssn", "SSN", "social_security_number", "mrn", "MedicalRecordNo", "medical record"]),
            (Identifier, &["patient", "patient_id", "patientId", "PATIENTID", "customer_no", "account", "user name"]),
            (Identifier, &["email", "e-mail", "eMail", "EmailAddress", "phone", "phone_number", "mobile", "Telephone"]),
            (Identifier, &["cellphone", "home_phone", "emailaddr", "insurance_no", "record_no", "cell"]),
            (Identifier, &["passport", "iban", "account_number", "ip_address", "IPAddress", "ipaddress", "id", "name"]),
            (Identifier, &["first_name", "LastName", "surname", "street", "home address", "credit_card"]),
        ] {
            for name in names {
                let found = named(name, 50);
                assert_eq!(found.role, role, "{name}: {}", found.reason);
                assert!(found.reason.contains("its name has"), "{name}: {}", found.reason);
            }
        }
    }

    /// Parts of words tell nothing: before, each of these was taken for something else.
    #[test]
    fn parts_of_words_tell_nothing() {
        for name in [
            "rate_marriage",
            "average",
            "stage",
            "page",
            "cage",
            "language",
            "mileage",
            "package",
            "combination",
            "estate",
            "township_code",
            "trace",
            "raced",
            "essex",
            "email_domain",
            "has_phone",
            "mobile_os",
            "account_balance",
            "hospital_name",
            "ward_id",
            "phone_count",
            "administration_route",
            "flat",
            "colony",
        ] {
            let found = named(name, 50);
            assert_eq!(found.reason, "outsiders may know it: say otherwise if not", "{name}");
        }
    }

    #[test]
    fn identifiers_that_repeat_are_identifiers() {
        let emails = (0..200).map(|row| format!("p{}@example.org", row % 40));
        let found = suggest(&Column::from_values("contact", emails), 200, 0.0);
        assert!(found.role == Role::Identifier && found.is_direct, "{}", found.reason);
        assert!(found.reason.contains("e-mail"), "{}", found.reason);
        assert!(named("mrn", 40).is_direct && !named("x", 200).is_direct);
        assert_eq!(named("address", 2).role, Role::Quasi, "two values are a flag");
    }

    #[test]
    fn places_are_never_insensitive() {
        let degrees = |name: &str, distinct: usize| {
            let column = Column::from_values(name, (0..200).map(|row| format!("47.{:05}", row % distinct * 37)));
            suggest(&column, 200, if distinct == 200 { 1.0 } else { 0.0 })
        };
        assert_eq!([degrees("lat", 200).role, degrees("Longitude", 200).role], [Role::Identifier; 2]);
        assert_eq!([degrees("latitude", 30).role, degrees("gps_lon", 30).role], [Role::Quasi; 2]);
        let pairs = Column::from_values("where", (0..200).map(|row| format!("47.{row:05}, 8.{row:05}")));
        assert_eq!(suggest(&pairs, 200, 1.0).role, Role::Identifier);
        assert_eq!(suggest(&pairs, 200, 0.1).role, Role::Quasi);
    }

    /// Any value beside a group may be the only one of its kind: see `publish/exposure.rs`.
    #[test]
    fn only_a_constant_is_insensitive() {
        assert_eq!(named("x", 1).role, Role::Insensitive);
        for distinct in [2, 3, 21, 150] {
            let numbers = Column::from_values("x", (0..200).map(|row| (row % distinct).to_string()));
            let measures = Column::from_values("x", (0..200).map(|row| format!("{}.5", row % distinct)));
            for column in [numbers, measures] {
                let found = suggest(&column, 200, 0.0);
                assert_ne!(found.role, Role::Insensitive, "{distinct}: {}", found.reason);
            }
        }
    }
}
