//! SQLite databases: a table, or the answer to a query.

use crate::rows::Rows;
use crate::{damaged, not_written};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use sfumato::data::{Format, Part, ReadOptions, Table};
use sfumato::{Error, Fault, Result};
use std::path::Path;

pub(crate) struct Sqlite;

impl Format for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn summary(&self) -> &'static str {
        "SQLite database: `table` or `query` says what to read; read only"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["sqlite", "sqlite3", "db"]
    }

    fn is_written(&self) -> bool {
        false
    }

    fn parts(&self) -> &'static [&'static str] {
        &["table", "query"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        // A database that is not there would only be found out later.
        std::fs::File::open(path).map_err(|error| Error::io(&error, path))?;
        let database = open(path)?;
        let query = match &options.part {
            Some(Part::Query(query)) => query.clone(),
            Some(Part::Table(name)) => select_all(&database, name)?,
            Some(Part::Sheet(_)) | None => select_all(&database, &only_table(&database)?)?,
        };
        read(&database, &query, options)
    }

    fn write(&self, _: &Table, path: &Path) -> Result<()> {
        Err(not_written("SQLite databases", path))
    }
}

/// Opens a database so that nothing can be written, and nothing else can be opened from it.
fn open(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let database = Connection::open_with_flags(path, flags)?;
        database.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        database.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;")?;
        Ok(database)
    };
    open().map_err(|error| failed(&error))
}

/// What went wrong, without what the library says: it may quote the database.
fn failed(error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::new(Fault::Io, "the database is locked by another program").help("try again when it is done")
        }
        Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => {
            Error::new(Fault::Resources, "the database has a value that is too large").help("leave the column out")
        }
        _ => damaged("SQLite database"),
    }
}

/// The only table of a database.
fn only_table(database: &Connection) -> Result<String> {
    let list = || -> rusqlite::Result<Vec<String>> {
        let mut query = database.prepare(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        )?;
        query.query_map([], |row| row.get(0))?.collect()
    };
    let mut names = list().map_err(|error| failed(&error))?;
    match names.len() {
        0 => Err(Error::data("the database has no table").help("name another file")),
        1 => Ok(names.remove(0)),
        count => {
            let message = format!("the database has {count} tables and views: {}", shortened(&names));
            Err(Error::plan(message)
                .help("say which: table = \"…\" (or query = \"SELECT …\") under [data], or --table"))
        }
    }
}

fn shortened(names: &[String]) -> String {
    let listed: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    let more = if names.len() > listed.len() { ", …" } else { "" };
    format!("{}{more}", listed.join(", "))
}

fn select_all(database: &Connection, table: &str) -> Result<String> {
    let exists = database.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE",
        [table],
        |row| row.get::<_, i64>(0),
    );
    match exists.map_err(|error| failed(&error))? {
        0 => {
            let error = Error::plan(format!("the database has no table \"{table}\""));
            Err(error.help("`sqlite3 FILE .tables` lists them"))
        }
        _ => Ok(format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""))),
    }
}

/// Reads the answer to a query: one statement, so one state of the database.
fn read(database: &Connection, query: &str, options: &ReadOptions) -> Result<Table> {
    let mut statement = database.prepare(query).map_err(|_| {
        let error = Error::plan("SQLite does not understand the query, or it names what is not there");
        error.help("try it first: sqlite3 FILE 'SELECT …'")
    })?;
    if !statement.readonly() || statement.parameter_count() > 0 || statement.column_count() == 0 {
        return Err(Error::plan("the query does not read a table").help("write one SELECT without parameters"));
    }
    let names: Vec<String> = statement.column_names().map(str::to_string).collect();
    let mut rows = Rows::new(options);
    for name in &names {
        rows.add_column(name.clone())?;
    }
    let mut found = statement.query([]).map_err(|error| failed(&error))?;
    while let Some(row) = found.next().map_err(|error| failed(&error))? {
        for (at, name) in names.iter().enumerate() {
            match row.get_ref(at).map_err(|error| failed(&error))? {
                ValueRef::Null => rows.cell(at, None),
                ValueRef::Integer(number) => rows.cell(at, Some(&number.to_string())),
                ValueRef::Real(number) => rows.cell(at, Some(&number.to_string())),
                ValueRef::Text(text) => {
                    let text =
                        std::str::from_utf8(text).map_err(|_| no_text(name, rows.len(), "text that is not UTF-8"))?;
                    rows.cell(at, Some(text));
                }
                ValueRef::Blob(_) => return Err(no_text(name, rows.len(), "a blob")),
            }
        }
        rows.end_row()?;
    }
    rows.finish()
}

fn no_text(name: &str, rows: usize, what: &str) -> Error {
    let message = format!("column \"{name}\" has {what} in record {}; only plain values can be read", rows + 1);
    Error::data(message).help("leave the column out with query = \"SELECT …\", or convert it there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::{Formats, ValueType};

    fn with(sql: &str, part: Option<Part>) -> Result<Table> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let formats = Formats::default().with(crate::formats());
        formats.read(&path, &ReadOptions { part, ..Default::default() })
    }

    const PEOPLE: &str = "CREATE TABLE people (age INTEGER, cost REAL, name TEXT);
        INSERT INTO people VALUES (47, 1.5, 'Zoë'), (NULL, 3.0, 'SECRET'), ('old', 1e300, NULL);";

    #[test]
    fn a_table_or_a_query_is_read() {
        let table = with(PEOPLE, None).unwrap();
        let row = |row: usize| table.columns().iter().map(|column| column.value(row)).collect::<Vec<_>>();
        assert_eq!((row(0), row(1)), (vec!["47", "1.5", "Zoë"], vec!["", "3", "SECRET"]));
        assert_eq!(table.columns()[0].domain().value_type(), ValueType::Text, "types of cells are free");
        let named = with(PEOPLE, Some(Part::Table("People".into()))).unwrap();
        assert_eq!(named, table);
        let query = "SELECT age, count(*) AS \"how many\" FROM people WHERE age > 40 AND age < 60 GROUP BY age";
        let answer = with(PEOPLE, Some(Part::Query(query.into()))).unwrap();
        assert_eq!((answer.rows(), answer.columns()[1].name()), (1, "how many"));
    }

    #[test]
    fn what_cannot_be_read_is_refused_without_cells() {
        let two = format!("{PEOPLE} CREATE TABLE other (x); CREATE VIEW old AS SELECT age FROM people;");
        let cases: [(&str, Option<Part>, &str); 9] = [
            (&two, None, "3 tables and views: old, other, people"),
            ("CREATE TABLE empty (a)", None, "no records"),
            ("", None, "no table"),
            (PEOPLE, Some(Part::Table("persons".into())), "no table \"persons\""),
            (PEOPLE, Some(Part::Query("SELECT nothing FROM people".into())), "does not understand"),
            (PEOPLE, Some(Part::Query("DELETE FROM people".into())), "does not read"),
            (PEOPLE, Some(Part::Query("ATTACH 'other.db' AS other".into())), "does not read"),
            ("CREATE TABLE p (a); INSERT INTO p VALUES (1), (x'534543524554');", None, "a blob in record 2"),
            ("CREATE TABLE p (a); INSERT INTO p VALUES (CAST(x'FF' AS TEXT));", None, "not UTF-8 in record 1"),
        ];
        for (sql, part, expected) in cases {
            let message = with(sql, part).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains("SECRET"), "{message}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.db");
        std::fs::write(&path, "SECRET is not a database, and long enough to be looked at by SQLite.".repeat(40))
            .unwrap();
        let message = Sqlite.read(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains("not a valid SQLite database") && !message.contains("SECRET"), "{message}");
    }
}
