//! Real data sets, when they are there.

use sfumato::data::{Formats, ReadOptions, Table, csv};
use std::path::{Path, PathBuf};

/// The folder with the data sets, or nothing, with a message.
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}

/// Adult's 45,222 complete rows, training and test part.
pub fn adult_complete() -> Option<Table> {
    let folder = folder()?.join("adult");
    let names = "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,\
                 capital-gain,capital-loss,hours-per-week,native-country,salary";
    let mut text = format!("{names}\n");
    for part in ["adult.data", "adult.test"] {
        let lines = std::fs::read_to_string(folder.join(part)).expect("a data file");
        for line in lines.lines().filter(|line| line.matches(',').count() == 14 && !line.contains('?')) {
            text += line;
            text.push('\n');
        }
    }
    let options = ReadOptions { delimiter: Some(b','), trim: true, ..Default::default() };
    Some(csv::read_from(text.as_bytes(), &options).expect("Adult is a table"))
}

/// The 30,162 complete training rows with nine columns.
pub fn adult_arx() -> Option<(Table, PathBuf)> {
    let folder = folder()?.join("adult-arx");
    let table = Formats::default().read(&folder.join("adult.csv"), &ReadOptions::default());
    Some((table.expect("Adult is a table"), folder))
}
