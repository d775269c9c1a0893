//! Tables that come row by row.

use sfumato::data::{Encoding, Lexicon, ReadOptions, Table, check_room};
use sfumato::{Error, Fault, Result};

/// More columns than this are no table about people.
pub(crate) const MOST_COLUMNS: usize = 10_000;

/// Rows between two looks at the room that is left, and at whether to go on.
const STEP: usize = 1 << 14;

/// A table in the making.
pub(crate) struct Rows<'a> {
    options: &'a ReadOptions,
    columns: Vec<Coded>,
    rows: usize,
    /// How a cell without a value is written.
    nothing: String,
}

struct Coded {
    name: String,
    lexicon: Lexicon,
    codes: Vec<u32>,
    has_nothing: bool,
}

impl<'a> Rows<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        let nothing = options.missing.first().cloned().unwrap_or_default();
        Rows { options, columns: Vec::new(), rows: 0, nothing }
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    /// Adds a column; rows before have no value in it. Returns its place.
    pub fn add_column(&mut self, name: String) -> Result<usize> {
        if self.columns.len() == MOST_COLUMNS {
            return Err(crate::too_many_columns(MOST_COLUMNS + 1));
        }
        let mut column = Coded { name, lexicon: Lexicon::new(), codes: Vec::new(), has_nothing: false };
        for _ in 0..self.rows {
            column.nothing(&self.nothing);
        }
        self.columns.push(column);
        Ok(self.columns.len() - 1)
    }

    /// The cell of the next row in a column.
    pub fn cell(&mut self, column: usize, value: Option<&str>) {
        let column = &mut self.columns[column];
        match value {
            Some(value) => {
                let code = column.lexicon.code(value);
                column.codes.push(code);
            }
            None => column.nothing(&self.nothing),
        }
    }

    /// Whether the next row has a cell in a column already.
    pub fn has_cell(&self, column: usize) -> bool {
        self.columns[column].codes.len() > self.rows
    }

    /// Ends a row: columns without a cell have no value in it.
    pub fn end_row(&mut self) -> Result<()> {
        for column in self.columns.iter_mut().filter(|column| column.codes.len() == self.rows) {
            column.nothing(&self.nothing);
        }
        self.rows += 1;
        if self.rows.is_multiple_of(STEP) {
            check_room(self.rows as u64, self.columns.len(), self.options.memory)?;
            self.options.watcher.watch().check();
        }
        if self.rows > u32::MAX as usize {
            let message = format!("the table has more than {} records", u32::MAX);
            return Err(Error::new(Fault::Resources, message).help("split the table"));
        }
        Ok(())
    }

    /// The table, typed as the options say.
    pub fn finish(self) -> Result<Table> {
        if self.rows == 0 {
            return Err(Error::data("the table has no records").help("there must be a record behind the names"));
        }
        let turns = [(0, self.rows)];
        let only_nothing = [self.nothing];
        let columns = self.columns.into_iter().map(|column| {
            let encoding = self.options.encoding_of(&column.name);
            let is_undeclared = encoding.missing.is_empty() && column.has_nothing;
            let missing = if is_undeclared { &only_nothing[..] } else { encoding.missing };
            let encoding = Encoding { missing, ..encoding };
            encoding.column(column.name, vec![(column.lexicon, column.codes)], &turns)
        });
        Table::new(columns.collect())
    }
}

impl Coded {
    fn nothing(&mut self, text: &str) {
        self.has_nothing = true;
        let code = self.lexicon.code(text);
        self.codes.push(code);
    }
}
