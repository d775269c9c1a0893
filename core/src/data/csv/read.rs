//! Reading blocks of whole records and encoding their fields, in parallel.

use super::dialect;
use super::records::{End, Fields, Span, count_lines, cut};
use crate::data::room::{check_room, too_large};
use crate::data::table::check_names;
use crate::data::text_encoding::{Decoded, of_text};
use crate::data::{Lexicon, ReadOptions, Table, unread};
use crate::error::{Error, ErrorCode, Fault, Result};
use rayon::prelude::*;
use std::io::{Cursor, Read};

/// How much is read at a time and by how many.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Bytes per piece of work; a block holds one piece for each thread.
    pub piece: usize,
    /// Pieces worked on at the same time.
    pub threads: usize,
    /// Bytes of the whole text, where known: memory is then taken once instead of growing.
    pub whole: Option<u64>,
}

/// What a first column without a name is called.
const ROW_NAMES: &str = "row";

/// Columns beyond this are taken for a wrong delimiter or an attack.
const MOST_COLUMNS: usize = 10_000;

/// Records beyond this are taken for a wrong line end or an attack.
const LONGEST_RECORD: usize = 1 << 29;

/// How many times the memory allowed an estimate must exceed to be believed.
const DOUBT: u64 = 4;

/// Bytes that are enough to tell the encoding, as far as they tell it.
const START: usize = 64;

/// Bytes that are enough to tell the delimiter.
const SAMPLE: usize = 1 << 14;

impl Default for Sizes {
    fn default() -> Self {
        Sizes { piece: 1 << 20, threads: rayon::current_num_threads(), whole: None }
    }
}

/// Reads delimited text into a table.
///
/// ```
/// use sfumato::data::{ReadOptions, csv};
///
/// let text = "age;disease\r\n47;\"flu; mild\"\r\n\r\n31;cancer\r\n";
/// let table = csv::read_from(text.as_bytes(), &ReadOptions::default())?;
/// assert_eq!(table.rows(), 2);
/// assert_eq!(table.column("disease")?.value(0), "flu; mild");
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn read_from(source: impl Read + Send, options: &ReadOptions) -> Result<Table> {
    read_with_sizes(source, options, Sizes::default())
}

/// The same, with chosen sizes: for measurements and tests.
pub fn read_with_sizes(source: impl Read + Send, options: &ReadOptions, sizes: Sizes) -> Result<Table> {
    let mut source = source;
    let mut start = Vec::new();
    source.by_ref().take(START as u64).read_to_end(&mut start).map_err(|error| unread(&error))?;
    let encoding = of_text(&start, options.encoding)?;
    let source = Cursor::new(start).chain(source);
    match encoding.filter(|encoding| !encoding.is_utf8()) {
        None => read_utf8(source, options, sizes),
        Some(encoding) => {
            let whole = sizes.whole.map(|bytes| bytes / encoding.width());
            read_utf8(Decoded::new(source, encoding), options, Sizes { whole, ..sizes })
        }
    }
}

fn read_utf8(source: impl Read + Send, options: &ReadOptions, sizes: Sizes) -> Result<Table> {
    let mut blocks = Blocks::start(source, sizes)?;
    blocks.delimiter = options.delimiter.unwrap_or_else(|| dialect::detect(&blocks.carried));
    let mut block = blocks.next(Block::default())?;
    let mut spare = Block::default();
    let mut reader = Reader::start(&mut block, blocks.delimiter, options, sizes.threads)?;
    if block.bytes.is_empty() {
        // The header was all of it: the first record is longer than a block.
        block = blocks.next(block)?;
    }
    if let Some(whole) = sizes.whole {
        reader.expect(expected_records(&block.bytes, whole));
    }
    let stage = options.watcher.watch().stage("reading", sizes.whole);
    while !block.bytes.is_empty() {
        stage.advance(block.bytes.len() as u64);
        let is_first = reader.turns.is_empty();
        let (parsed, next) = rayon::join(|| reader.parse(&block), || blocks.next(std::mem::take(&mut spare)));
        parsed?;
        match sizes.whole {
            Some(whole) if is_first => reader.check_room(block.bytes.len(), whole, options.memory)?,
            Some(_) => {}
            // How much comes is not known: what has come must fit.
            None => check_room(reader.records() as u64, reader.names.len(), options.memory)?,
        }
        spare = std::mem::replace(&mut block, next?);
    }
    drop((block, spare));
    reader.finish(options)
}

/// The records of a text of `whole` bytes, if it goes on as it starts, with a little to spare.
fn expected_records(start: &[u8], whole: u64) -> usize {
    let per_byte = count_lines(start) as f64 / start.len().max(1) as f64;
    (per_byte * whole as f64 * 1.02) as usize + 16
}

/// Whole records, and where to cut them for the threads.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Lines of the file before this block.
    lines_before: u64,
}

struct Blocks<R> {
    source: R,
    delimiter: u8,
    sizes: Sizes,
    /// Bytes read but not yet handed out.
    carried: Vec<u8>,
    /// Lines handed out.
    lines: u64,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    /// Reads the first bytes and drops a byte order mark.
    fn start(source: R, sizes: Sizes) -> Result<Self> {
        let mut blocks = Blocks { source, delimiter: b',', sizes, carried: Vec::new(), lines: 0, ended: false };
        blocks.read_more(sizes.piece.max(SAMPLE))?;
        let bytes = &mut blocks.carried;
        // Text that is no file is taken as it is.
        if let Some(name) = wide_name(bytes).filter(|_| sizes.whole.is_some()) {
            let help = format!("say so: encoding = \"{name}\" under [data], or --encoding {name}");
            return Err(Error::data("the file is UTF-16 without a mark, not UTF-8").help(help));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        Ok(blocks)
    }

    /// The next whole records, in the memory of a block that is done with; empty at the end.
    fn next(&mut self, mut spare: Block) -> Result<Block> {
        let mut wanted = self.sizes.piece * self.sizes.threads;
        loop {
            self.read_more(wanted)?;
            let mut cuts = cut(&self.carried, self.delimiter, self.sizes.threads);
            if self.ended {
                if let Some(quote) = cuts.open_quote {
                    let line = self.lines + count_lines(&self.carried[..quote]) as u64 + 1;
                    let error = Error::data("a quoted field is opened and never closed").line(line);
                    return Err(error.help("close the quote, or double quotes that belong to the text"));
                }
                *cuts.whole() = self.carried.len();
            }
            let whole = *cuts.whole();
            if whole > 0 || self.ended {
                spare.bytes.clear();
                spare.bytes.extend_from_slice(&self.carried[whole..]);
                std::mem::swap(&mut self.carried, &mut spare.bytes);
                spare.bytes.truncate(whole);
                spare.ends = cuts.ends;
                spare.lines_before = self.lines;
                self.lines += count_lines(&spare.bytes) as u64;
                return Ok(spare);
            }
            if self.carried.len() > LONGEST_RECORD {
                let message = format!("a record is longer than {} MiB", LONGEST_RECORD >> 20);
                let error = Error::new(Fault::Resources, message).line(self.lines + 1);
                return Err(error.help("check the line ends and the quoting: is it a text?"));
            }
            // A record longer than the block: read on, in growing steps.
            wanted = 2 * wanted.max(self.carried.len());
        }
    }

    /// Reads until `wanted` bytes are carried or the source ends.
    fn read_more(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.carried.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        self.carried.reserve_exact(missing);
        let read = self.source.by_ref().take(missing as u64).read_to_end(&mut self.carried);
        let read = read.map_err(|error| unread(&error))?;
        self.ended = read < missing;
        Ok(())
    }
}

/// Which UTF-16 it is if every second of the first bytes is zero, as in Latin letters.
fn wide_name(bytes: &[u8]) -> Option<&'static str> {
    let pairs = bytes[..bytes.len().min(START)].as_chunks::<2>().0;
    let all = |is_zero: fn(&[u8; 2]) -> [bool; 2], wanted| {
        pairs.len() >= 4 && pairs.iter().all(|pair| is_zero(pair) == wanted)
    };
    let zeros: fn(&[u8; 2]) -> [bool; 2] = |pair| pair.map(|byte| byte == 0);
    if all(zeros, [false, true]) {
        return Some("utf-16le");
    }
    all(zeros, [true, false]).then_some("utf-16be")
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// The names of a header. Data frames write their row names, or an index, into a first column
/// without a name: it gets one, unless other columns have none either.
fn named(mut header: Vec<String>) -> Vec<String> {
    let is_alone = header.len() > 1 && header.iter().filter(|name| name.is_empty()).count() == 1;
    if is_alone && header[0].is_empty() {
        let taken = |name: &String| header.contains(name);
        let numbered = (2..).map(|number| format!("{ROW_NAMES}{number}"));
        header[0] = std::iter::once(ROW_NAMES.to_string()).chain(numbered).find(|name| !taken(name)).expect("endless");
    }
    header
}

/// What one thread has read: for every column its lexicon and its codes.
struct Worker {
    columns: Vec<(Lexicon, Vec<u32>)>,
}

struct Reader {
    delimiter: u8,
    trim: bool,
    names: Vec<String>,
    workers: Vec<Worker>,
    /// In the order of the file: which worker read how many records.
    turns: Vec<(usize, usize)>,
}

impl Reader {
    /// Reads the header off the first block.
    fn start(block: &mut Block, delimiter: u8, options: &ReadOptions, threads: usize) -> Result<Reader> {
        // A break further down is found again, with its line, when the records are read.
        let valid = std::str::from_utf8(&block.bytes).map_or_else(|error| error.valid_up_to(), str::len);
        let first_line = block.bytes.iter().position(|&byte| byte == b'\n').unwrap_or(block.bytes.len());
        if valid < first_line {
            return Err(broken_text(1));
        }
        let text = std::str::from_utf8(&block.bytes[..valid]).expect("cut to what is valid");
        let mut fields = Fields::new(text, delimiter, options.trim);
        if !fields.start_record() {
            return Err(Error::data("the file is empty").help("a table needs a header line and records"));
        }
        let mut first = Vec::new();
        loop {
            let (span, end) = fields.next();
            first.push(fields.source(span)[span.start()..][..span.length()].trim().to_string());
            if end == End::Record {
                break;
            }
        }
        let names = match &options.names {
            Some(names) if names.len() != first.len() => {
                let message = format!("{} names are given, the first record has {} fields", names.len(), first.len());
                return Err(Error::plan(message).help("name every column, in the order of the file"));
            }
            Some(names) => names.clone(),
            None if options.header => named(first),
            None => (1..=first.len()).map(|number| format!("column{number}")).collect(),
        };
        if names.len() > MOST_COLUMNS {
            let message = format!("the table has {} columns, more than {MOST_COLUMNS}", names.len());
            return Err(Error::new(Fault::Resources, message).help("check the delimiter, or split the table"));
        }
        check_names(names.iter().map(String::as_str)).map_err(|error| error.line(1))?;
        if options.header {
            let used = fields.position();
            block.lines_before = count_lines(&block.bytes[..used]) as u64;
            block.bytes.drain(..used);
            block.ends.iter_mut().for_each(|end| *end = end.saturating_sub(used));
        }
        let columns = || names.iter().map(|_| Default::default()).collect();
        let workers = (0..threads).map(|_| Worker { columns: columns() }).collect();
        Ok(Reader { delimiter, trim: options.trim, names, workers, turns: Vec::new() })
    }

    /// How many records there are so far.
    fn records(&self) -> usize {
        self.turns.iter().map(|&(_, records)| records).sum()
    }

    /// Makes room for so many records.
    fn expect(&mut self, records: usize) {
        let each = records.div_ceil(self.workers.len());
        for (lexicon, codes) in self.workers.iter_mut().flat_map(|worker| &mut worker.columns) {
            // A guess: if there is no room for it, the vectors grow as they must.
            let _ = codes.try_reserve_exact(each);
            lexicon.expect(each);
        }
    }

    /// Refuses a text that would take far more room than there is, if it goes on as its first
    /// bytes. Records may become longer: only what is beyond doubt is refused here.
    fn check_room(&self, bytes: usize, whole: u64, memory: Option<u64>) -> Result<()> {
        let records = self.records();
        let expected = (records as f64 / bytes.max(1) as f64 * whole as f64) as u64;
        check_room(expected, self.names.len(), memory.map(|memory| memory.saturating_mul(DOUBT)))
            .map_err(|_| too_large(expected, self.names.len(), memory.unwrap_or(u64::MAX)))
    }

    fn parse(&mut self, block: &Block) -> Result<()> {
        let starts = std::iter::once(0).chain(block.ends.iter().copied());
        let pieces: Vec<&[u8]> =
            starts.zip(&block.ends).filter(|(from, to)| from < *to).map(|(from, &to)| &block.bytes[from..to]).collect();
        let (delimiter, trim) = (self.delimiter, self.trim);
        let parsed: Vec<_> = self
            .workers
            .par_iter_mut()
            .zip(&pieces)
            .map(|(worker, piece)| worker.parse(piece, delimiter, trim))
            .collect();
        for (worker, (piece, result)) in pieces.iter().zip(parsed).enumerate() {
            match result {
                Ok(records) => self.turns.push((worker, records)),
                Err(fault) => {
                    let before = pieces[..worker].iter().copied().map(count_lines).sum::<usize>();
                    let line = block.lines_before + (before + count_lines(&piece[..fault.offset])) as u64 + 1;
                    return Err(fault.at(line));
                }
            }
        }
        Ok(())
    }

    fn finish(self, options: &ReadOptions) -> Result<Table> {
        if self.turns.iter().all(|&(_, records)| records == 0) {
            return Err(Error::data("the table has no records").help("there is only a header line"));
        }
        let records = self.records();
        if records > u32::MAX as usize {
            let message = format!("the table has {records} records, more than {}", u32::MAX);
            return Err(Error::new(Fault::Resources, message).help("split the table"));
        }
        let mut parts: Vec<_> = self.names.into_iter().map(|name| (name, Vec::new())).collect();
        for worker in self.workers {
            for ((_, part), column) in parts.iter_mut().zip(worker.columns) {
                part.push(column);
            }
        }
        // Column by column, so that codes exist twice for only as many columns as there are
        // threads.
        let columns = parts.into_par_iter().with_max_len(1).map(|(name, part)| {
            let encoding = options.encoding_of(&name);
            encoding.column(name, part, &self.turns)
        });
        Table::new(columns.collect())
    }
}

/// What is wrong with a piece, and where.
struct PieceFault {
    offset: usize,
    what: Wrong,
}

enum Wrong {
    Text,
    Fields { found: usize, expected: usize },
    Length,
}

impl PieceFault {
    fn at(&self, line: u64) -> Error {
        match self.what {
            Wrong::Text => broken_text(line),
            Wrong::Fields { found, expected } => {
                let message = format!("the record has {}, the first line has {expected}", plural(found, "field"));
                Error::of(ErrorCode::RaggedRow, message)
                    .line(line)
                    .help("quote fields that contain the delimiter, or set `delimiter`")
            }
            Wrong::Length => {
                let message = format!("a field is longer than {} MiB", Span::LONGEST >> 20);
                Error::new(Fault::Resources, message).line(line).help("check the quoting, or drop the column")
            }
        }
    }
}

fn broken_text(line: u64) -> Error {
    let help = "say which encoding it has, as in encoding = \"windows-1252\" under [data], or convert it to UTF-8";
    Error::of(ErrorCode::NotUtf8, "the text is not valid UTF-8").line(line).help(help)
}

/// Records split before their fields are coded: column by column, so that one lexicon at a time is
/// in the nearest cache.
const BATCH: usize = 256;

impl Worker {
    /// Reads whole records and returns how many there were.
    fn parse(&mut self, piece: &[u8], delimiter: u8, trim: bool) -> std::result::Result<usize, PieceFault> {
        // Breaks between fields are ASCII: where the whole is valid, so is every field.
        let text = std::str::from_utf8(piece)
            .map_err(|error| PieceFault { offset: error.valid_up_to(), what: Wrong::Text })?;
        let mut fields = Fields::new(text, delimiter, trim);
        let mut spans = Vec::with_capacity(BATCH * self.columns.len());
        let mut offsets = Vec::with_capacity(BATCH);
        let mut records = 0;
        loop {
            split(&mut fields, self.columns.len(), &mut spans, &mut offsets)?;
            if offsets.is_empty() {
                return Ok(records);
            }
            records += offsets.len();
            self.encode(&fields, &spans);
            fields.forget_rewritten();
        }
    }

    fn encode(&mut self, fields: &Fields, spans: &[Span]) {
        let width = self.columns.len();
        for (at, (lexicon, codes)) in self.columns.iter_mut().enumerate() {
            codes.extend(
                spans[at..]
                    .iter()
                    .step_by(width)
                    .map(|&span| lexicon.code_within(fields.source(span), span.start(), span.length())),
            );
        }
    }
}

/// Splits the next records, at most [`BATCH`]: the fields of each, `width` in number, and where it
/// starts.
fn split(
    fields: &mut Fields,
    width: usize,
    spans: &mut Vec<Span>,
    offsets: &mut Vec<usize>,
) -> std::result::Result<(), PieceFault> {
    spans.clear();
    offsets.clear();
    while offsets.len() < BATCH && fields.start_record() {
        let (offset, before) = (fields.position(), spans.len());
        offsets.push(offset);
        loop {
            let (span, end) = fields.next();
            if span.length() > Span::LONGEST {
                return Err(PieceFault { offset, what: Wrong::Length });
            }
            spans.push(span);
            if end == End::Record {
                break;
            }
        }
        let found = spans.len() - before;
        if found != width {
            return Err(PieceFault { offset, what: Wrong::Fields { found, expected: width } });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{TextEncoding, ValueType};
    use proptest::prelude::*;

    fn read(text: &[u8]) -> Result<Table> {
        read_from(text, &ReadOptions::default())
    }

    fn rows(table: &Table) -> Vec<Vec<String>> {
        (0..table.rows()).map(|row| table.columns().iter().map(|c| c.value(row).to_string()).collect()).collect()
    }

    /// The same text by the `csv` crate.
    fn oracle(text: &str) -> Vec<Vec<String>> {
        let mut reader = ::csv::ReaderBuilder::new().has_headers(true).from_reader(text.as_bytes());
        reader.records().map(|record| record.unwrap().iter().map(String::from).collect()).collect()
    }

    fn field() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "[a-z0-9é]{0,4}",
            1 => "[a-z]{1,2}\"[a-z]{0,2}",
            2 => "[a-z,;\n\r\"é ]{0,6}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\""))),
            1 => "[a-z,\n]{0,3}".prop_map(|text| format!("\"{text}\"zz")),
        ]
    }

    proptest! {
        #[test]
        fn reads_what_the_csv_crate_reads(
            records in proptest::collection::vec((field(), field(), field()), 1..30),
            piece in 1usize..60,
            threads in 1usize..4,
            crlf: bool,
        ) {
            let ending = if crlf { "\r\n" } else { "\n" };
            let lines: Vec<String> = records.iter().map(|(a, b, c)| format!("{a},{b},{c}{ending}")).collect();
            let text = format!("one,two,three{ending}{}", lines.concat());
            let options = ReadOptions { delimiter: Some(b','), missing: vec![], ..Default::default() };
            let table = read_with_sizes(text.as_bytes(), &options, Sizes { piece, threads, whole: Some(text.len() as u64) }).unwrap();
            prop_assert_eq!(rows(&table), oracle(&text));
        }
    }

    #[test]
    fn threads_and_block_sizes_do_not_change_the_table() {
        let lines: String = (0..500).map(|n| format!("{},{}\n", n % 7, (n * n) % 11)).collect();
        let text = format!("a,b\n{lines}");
        let with = |piece, threads| {
            read_with_sizes(
                text.as_bytes(),
                &ReadOptions::default(),
                Sizes { piece, threads, whole: Some(text.len() as u64) },
            )
            .unwrap()
        };
        for (piece, threads) in [(1, 1), (7, 2), (64, 8), (1 << 20, 3)] {
            assert_eq!(with(piece, threads), with(1 << 20, 1));
        }
    }

    #[test]
    fn marks_line_ends_and_the_last_line_are_handled() {
        let table = read("\u{feff}a,b\r\n1,x\r\n\r\n2,y".as_bytes()).unwrap();
        assert_eq!(rows(&table), [["1", "x"], ["2", "y"]]);
        assert_eq!(table.columns()[0].name(), "a");
        assert_eq!(table.columns()[0].domain().value_type(), ValueType::Integer);
        assert_eq!(rows(&read("\u{feff}\"a\",b\n1,x\n".as_bytes()).unwrap()), [["1", "x"]]);
    }

    #[test]
    fn faults_are_named_by_line_without_showing_cells() {
        let check = |text: &[u8], expected: &str| {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
            assert!(!message.contains("SECRET"), "{message}");
        };
        check(b"", "empty");
        check(b"\n\n", "empty");
        check(b"a,b\n", "no records");
        check(b"a,b\n1,2\nSECRET\n", "line 3: the record has 1 field, the first line has 2");
        check(b"a,b\n\"1\n1\",2\n1,2,SECRET\n", "line 4: the record has 3 fields");
        check(b"a,a\n1,2\n", "columns 1 and 2 have the same name");
        check(b"a,\n1,2\n", "column 2 has no name");
        check(b"a,b\n1,\xff\n", "line 2: the text is not valid UTF-8");
        check(b"\xff\xfea\0\0\xd8", "not valid utf-16le");
        check(b"a,b\n1,\"SECRET\n2,3\n", "never closed");
    }

    /// Every encoding that people have, with the same table in it.
    #[test]
    fn texts_are_read_in_their_encoding() {
        let text = "name,city\r\nZoë,Łódź\r\n";
        let wide = |bytes: fn(u16) -> [u8; 2], mark: bool| {
            let mark = mark.then_some(0xfeff);
            mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect::<Vec<u8>>()
        };
        let (little, big) = (u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes as fn(u16) -> [u8; 2]);
        let latin = b"name,city\r\nZo\xeb,K\xf6ln \x80\r\n".to_vec();
        let cases: [(Vec<u8>, Option<&str>, &str); 9] = [
            (text.as_bytes().to_vec(), None, "Łódź"),
            (text.as_bytes().to_vec(), Some("utf-8"), "Łódź"),
            (wide(little, true), None, "Łódź"),
            (wide(big, true), None, "Łódź"),
            (wide(little, true), Some("utf-16le"), "Łódź"),
            (wide(big, false), Some("utf-16be"), "Łódź"),
            (latin.clone(), Some("windows-1252"), "Köln €"),
            (latin.clone(), Some("latin1"), "Köln €"),
            (b"name,city\nZo\xeb,\xa3\xf3d\xbc\n".to_vec(), Some("iso-8859-2"), "Łódź"),
        ];
        for (bytes, name, city) in cases {
            let encoding = name.map(|name| TextEncoding::find(name).unwrap());
            let options = ReadOptions { encoding, ..Default::default() };
            let table = read_from(&bytes[..], &options).unwrap_or_else(|error| panic!("{name:?}: {error}"));
            assert_eq!(rows(&table), [["Zoë", city]], "{name:?}");
        }
        assert_eq!(read(&latin).unwrap_err().code(), ErrorCode::NotUtf8);
        let options = ReadOptions { encoding: TextEncoding::find("utf-16be"), ..Default::default() };
        assert!(read_from(&wide(little, true)[..], &options).unwrap_err().to_string().contains("mark says utf-16le"));
        let whole = Some(1000);
        let letters: Vec<u8> = "name,city\n".encode_utf16().flat_map(little).collect();
        let unmarked = read_with_sizes(&letters[..], &ReadOptions::default(), Sizes { whole, ..Sizes::default() });
        assert!(unmarked.unwrap_err().to_string().contains("encoding = \"utf-16le\""));
    }

    #[test]
    fn row_names_of_data_frames_get_a_name() {
        let names = |text: &str| {
            let table = read(text.as_bytes()).unwrap();
            table.columns().iter().map(|column| column.name().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("\"\",\"age\"\n\"1\",47\n"), ["row", "age"]);
        assert_eq!(names(",row,row2\n0,1,2\n"), ["row3", "row", "row2"]);
        assert!(read(b",a,\n1,2,3\n").unwrap_err().to_string().contains("column 1 has no name"));
    }

    #[test]
    fn headless_files_take_names_from_the_options() {
        let options = ReadOptions {
            names: Some(vec!["age".into(), "work".into()]),
            header: false,
            trim: true,
            missing: vec!["?".into()],
            ..Default::default()
        };
        let table = read_from("39, State-gov\n50, ?\n".as_bytes(), &options).unwrap();
        assert_eq!(rows(&table), [["39", "State-gov"], ["50", "?"]]);
        assert_eq!(table.column("work").unwrap().domain().missing(), Some(1));
    }
}
