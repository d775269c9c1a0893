//! First plans by rules that custodians are held to. A guideline says what each line follows, and
//! what it does not settle: nobody can read that off a table.

use super::ColumnProfile;
use super::roles::{told_by, words};
use crate::data::{Column, Role, ValueType, hierarchy};

/// A set of rules that a first plan follows.
pub struct Guideline {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// How many records a group needs, and why.
    pub(super) group_size: (u64, &'static str),
    /// The largest chance to pick a person's record, as plans write it, and why.
    pub(super) max_risk: Option<(&'static str, &'static str)>,
    /// What a plan by it must not be taken for.
    pub(super) unsettled: &'static [&'static str],
    /// What it says about a column; `None` if what suggests itself stays.
    pub(super) line: fn(&Column, &ColumnProfile) -> Option<Line>,
}

/// What a plan says about a column.
pub(super) struct Line {
    pub role: Role,
    /// What stands behind the role, from the comma on.
    pub more: String,
    pub reason: String,
}

/// The guidelines, in alphabetical order.
pub const GUIDELINES: [&Guideline; 3] = [&GDPR_RESEARCH, &HIPAA_SAFE_HARBOR, &OPEN_DATA];

const GDPR_RESEARCH: Guideline = Guideline {
    name: "gdpr-research",
    summary: "Research within the EU: GDPR Recital 26 and Article 89, WP29 Opinion 05/2014 on anonymisation",
    group_size: (12, "against singling out (Opinion 05/2014): a chance of at most 0.09 takes groups of 12"),
    max_risk: Some(("0.09", "the threshold that the EMA recommends for clinical reports (Policy 0070)")),
    unsettled: &[
        "Whether the data are anonymous depends on all means reasonably likely to be used (Recital 26): other releases, \
         other data, and who receives them. Data that are not stay personal data, and Article 89 asks for safeguards.",
        "Linkability (Opinion 05/2014): see `sfumato compare` for several releases of the same people.",
        "The legal basis, information of the people concerned, and a data protection impact assessment (Article 35).",
    ],
    line: |_, _| None,
};

const HIPAA_SAFE_HARBOR: Guideline = Guideline {
    name: "hipaa-safe-harbor",
    summary: "United States health data: the Safe Harbor method, 45 CFR 164.514(b)(2)",
    group_size: (5, "Safe Harbor asks for no group size: this is stricter than the rule"),
    max_risk: None,
    unsettled: &[
        "164.514(b)(2)(ii): you must have no actual knowledge that what remains could identify a person.",
        "(C): of people over 89 no year may show the age either, such as that of birth or of a diagnosis at an age.",
        "Free text, images, biometric identifiers and files beside the table: look at them yourself.",
        "Codes that let you re-identify people must not be derived from their data, 164.514(c).",
        "The table of populations is yours to provide: the first three digits and the number of people, by the \
         current data of the Bureau of the Census.",
    ],
    line: safe_harbor,
};

const OPEN_DATA: Guideline = Guideline {
    name: "open-data",
    summary: "Data that everybody may download, so that anybody may be the attacker",
    group_size: (11, "no cell of 10 people or fewer: the cell size suppression policy of the CMS"),
    max_risk: None,
    unsettled: &[
        "What is published cannot be called back: the next release of the same people adds to it (`sfumato compare`).",
        "Which other data are out there, or will be: give a column role = \"quasi\" if in doubt.",
        "Whether the law, or what people were told, allows to publish at all.",
    ],
    line: |_, _| None,
};

const POSTAL: [&str; 6] = ["zip", "zip code", "postal", "postal code", "postcode", "plz"];
const SMALL_AREA: [&str; 17] = [
    "street",
    "address",
    "city",
    "cities",
    "town",
    "village",
    "county",
    "district",
    "precinct",
    "parish",
    "municipality",
    "neighborhood",
    "geocode",
    "lat",
    "latitude",
    "lon",
    "longitude",
];

/// What Safe Harbor says about a column.
fn safe_harbor(column: &Column, found: &ColumnProfile) -> Option<Line> {
    let name = words(column.name());
    let line = |role: Role, more: String, reason: &str| Some(Line { role, more, reason: reason.to_string() });
    let from_level_1 = |rule: String, top: usize| format!(", hierarchy = {{ {rule} }}, levels = [1, {top}]");
    if told_by(&name, &POSTAL).is_some() {
        let rule = hierarchy::populous_areas("zip3.csv", 20_001);
        return line(
            Role::Quasi,
            from_level_1(rule, 2),
            "(B): the first three digits, 000 where at most 20,000 people live",
        );
    }
    if told_by(&name, &SMALL_AREA).is_some() {
        return line(Role::Identifier, String::new(), "(B): areas smaller than a state");
    }
    if matches!(found.value_type, ValueType::Date | ValueType::Timestamp) {
        return line(Role::Quasi, from_level_1(hierarchy::years_only(), 2), "(C): of dates only the year");
    }
    let is_age = told_by(&name, &["age"]).is_some() && found.value_type == ValueType::Integer;
    if is_age {
        return line(Role::Quasi, from_level_1(hierarchy::capped_at(90), 4), "(C): ages over 89 are one category");
    }
    let reason = format!("(A) and (D) to (R): {}", found.reason);
    (found.role == Role::Identifier).then(|| Line { role: Role::Identifier, more: String::new(), reason })
}

#[cfg(test)]
mod tests {
    use super::super::{draft_plan_by, inspect};
    use super::*;
    use crate::data::{ReadOptions, Table, sample};
    use crate::plan::Plan;

    fn table() -> Table {
        let hospital = sample::hospital(500, 1);
        let city = Column::from_values("city", (0..500).map(|row| format!("c{}", row % 7)));
        Table::new(hospital.columns().iter().cloned().chain([city]).collect()).unwrap()
    }

    #[test]
    fn every_guideline_drafts_a_plan_that_says_why() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("zip3.csv"), "130,25000\n").unwrap();
        let table = table();
        let profile = inspect(&table);
        for guideline in GUIDELINES {
            let draft = draft_plan_by(Some(guideline), &table, &profile, "data.csv", &ReadOptions::default());
            let plan = Plan::parse(&draft, folder.path()).unwrap_or_else(|error| panic!("{error}\n{draft}"));
            let plan = plan.table().unwrap();
            assert_eq!(plan.schema.columns().len(), table.columns().len());
            assert!(guideline.unsettled.iter().all(|point| draft.contains(point)), "{draft}");
            assert!(draft.contains(guideline.summary) && draft.contains(guideline.group_size.1), "{draft}");
        }
    }

    #[test]
    fn safe_harbor_drops_what_the_rule_lists() {
        let table = table();
        let draft =
            draft_plan_by(Some(&HIPAA_SAFE_HARBOR), &table, &inspect(&table), "data.csv", &ReadOptions::default());
        let line = |name: &str| draft.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap().to_string();
        assert!(line("zip").contains("at_least = 20001 }, levels = [1, 2]"), "{draft}");
        assert!(line("admitted").contains("units = [\"year\"] }, levels = [1, 2]"), "{draft}");
        assert!(line("age").contains("top = 90 }, levels = [1, 4]"), "{draft}");
        assert!(line("city").contains("identifier") && line("patient").contains("identifier"), "{draft}");
        assert!(line("disease").contains("sensitive"), "{draft}");
    }
}
