//! One file per command, and what they share.

pub mod check;
pub mod compare;
pub mod demo;
pub mod init;
pub mod inspect;
pub mod list;
pub mod publish;
pub mod verify;

use clap::Args;
use sfumato::data::{Formats, ReadOptions};

/// How to read a table for which there is no plan yet.
#[derive(Args)]
pub struct ReadArguments {
    /// The delimiter of a text file; detected if not said.
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// A text that means "no value"; can be repeated. The empty text always does.
    #[arg(long, value_name = "TEXT")]
    missing: Vec<String>,
    /// The first line of a text file is a record, not column names.
    #[arg(long)]
    no_header: bool,
    /// Drop blanks around fields of a text file.
    #[arg(long)]
    trim: bool,
}

impl ReadArguments {
    pub fn options(&self) -> ReadOptions {
        let mut options =
            ReadOptions { delimiter: self.delimiter, header: !self.no_header, trim: self.trim, ..Default::default() };
        options.missing.extend(self.missing.iter().cloned());
        options
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ => match text.as_bytes() {
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
            _ => Err("one ASCII character, or `tab`".into()),
        },
    }
}

/// Every format that this program reads and writes.
pub fn formats() -> Formats {
    Formats::default().with(sfumato_columnar::formats())
}
