//! UCI Adult, whole and complete, or made-up people of the same shape.

mod made_up;
mod trees;

pub use made_up::made_up;
pub(crate) use trees::ages;
pub use trees::hierarchy;

use crate::Setting;
use crate::page::Source;
use sfumato::data::{ReadOptions, Table, csv};
use sfumato::report::grouped;
use sfumato::{Error, Result};
use std::path::Path;

/// The columns that experiments use, in the order of the file.
pub const COLUMNS: [&str; 9] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "salary"];

/// The columns of the file, in its order.
const FILE: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "salary",
];

/// How many records have no missing value, of both parts.
const COMPLETE: usize = 45_222;

/// The people of Adult without missing values, or made-up ones.
pub struct Adult {
    /// Nine columns, as in [`COLUMNS`]; training records first.
    pub table: Table,
    /// How many of the records are of the training part.
    pub training: usize,
    /// What to say about where they come from.
    pub source: Source,
    /// Whether they are but a tenth of the people.
    quick: bool,
}

impl Adult {
    /// The real people if the setting has them; made-up ones, as many, otherwise. A quick run takes
    /// every tenth.
    pub fn load(setting: &Setting<'_>) -> Result<Adult> {
        setting.now("reading Adult");
        let files = setting
            .folder
            .as_ref()
            .and_then(|folder| Some([folder.find("adult/adult.data")?, folder.find("adult/adult.test")?]));
        let Some(files) = files else {
            let rows = setting.pick(COMPLETE / 10, COMPLETE);
            let source = Source::stand_in(format!("{} made-up people in the shape of Adult", grouped(rows)));
            let quick = setting.is_quick();
            return Ok(Adult { table: made_up(rows, 1), training: rows * 2 / 3, source, quick });
        };
        let whole = read(&files)?;
        if whole.table.rows() != COMPLETE {
            let message = format!(
                "has {} complete records together with adult.test, where Adult has {}",
                grouped(whole.table.rows()),
                grouped(COMPLETE)
            );
            let error = Error::data(message).file(&files[0]);
            return Err(error.help("a part of it was lost or changed: tools/get-data.sh DIR fetches the whole"));
        }
        if !setting.is_quick() {
            return Ok(whole);
        }
        let rows: Vec<u32> = (0..whole.table.rows() as u32).step_by(10).collect();
        let source = Source::real(format!("every tenth of Adult's complete records, {}", grouped(rows.len())));
        let training = whole.training.div_ceil(10);
        Ok(Adult { table: whole.table.select(&rows), training, source, quick: true })
    }

    /// The records of the training part: what papers use that speak of 30,162.
    pub fn training(&self) -> Table {
        self.table.select(&(0..self.training as u32).collect::<Vec<u32>>())
    }

    /// Why a figure is not the paper's: the reason given, if the people are all of the paper's.
    pub(crate) fn because(&self, reason: &str) -> String {
        match (self.source.made_up, self.quick) {
            (true, _) => "The people are made up in the shape of Adult; the paper's are Adult's own.".into(),
            (false, true) => "A quick run takes every tenth of Adult's records; the paper takes all 45,222.".into(),
            (false, false) => reason.into(),
        }
    }
}

/// Reads both parts; records with missing values are left out, the dots after labels of the test
/// part too.
fn read(files: &[impl AsRef<Path>; 2]) -> Result<Adult> {
    let mut text = COLUMNS.join(",") + "\n";
    let mut complete = [0; 2];
    for (file, complete) in files.iter().zip(&mut complete) {
        let path = file.as_ref();
        let lines = std::fs::read_to_string(path).map_err(|error| Error::io(&error, path))?;
        for line in lines.lines() {
            let cells: Vec<&str> = line.trim_end_matches('.').split(',').map(str::trim).collect();
            if cells.len() != FILE.len() || cells.contains(&"?") {
                continue;
            }
            let kept: Vec<&str> =
                FILE.iter().zip(&cells).filter(|(name, _)| COLUMNS.contains(name)).map(|(_, cell)| *cell).collect();
            text += &kept.join(",");
            text.push('\n');
            *complete += 1;
        }
        if *complete == 0 {
            let error = Error::data("holds no complete record of Adult").file(path);
            return Err(error.help("it should have 15 columns, separated by commas, and no header"));
        }
    }
    let options = ReadOptions { delimiter: Some(b','), ..Default::default() };
    let table = csv::read_from(text.as_bytes(), &options)?;
    let source = Source::real(format!("Adult, {} complete records", grouped(table.rows())));
    Ok(Adult { table, training: complete[0], source, quick: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_records_of_both_parts_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let line = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K";
        let files = ["adult.data", "adult.test"].map(|name| folder.path().join(name));
        std::fs::write(&files[0], format!("{line}\n{}\n", line.replace("State-gov", "?"))).unwrap();
        std::fs::write(&files[1], format!("|1x3 Cross validator\n{line}.\n\n")).unwrap();
        let adult = read(&files).unwrap();
        assert_eq!((adult.table.rows(), adult.training), (2, 1));
        assert_eq!(adult.table.columns()[8].value(1), "<=50K");
        std::fs::write(&files[1], "").unwrap();
        assert!(read(&files).is_err());
    }
}
