//! What a Parquet file claims, checked before the library believes it.
//!
//! The `parquet` crate answers most malformed files with an error or a panic. A few claims it takes
//! at face value: it descends as deep as the schema nests, makes room for as many values as a page
//! promises, and goes through lists of any length in the header of a page. That would end the
//! process or take forever, so those are checked here.

use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use sfumato::{Error, Fault};
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom};

/// Cells that a byte of a file may stand for. Where all values of all columns are the same, a
/// writer may need a hundred bytes for a million rows; no table about people is like that.
const CELLS_PER_BYTE: u64 = 1 << 14;

/// Refuses a file that claims more cells than its bytes could tell: they would take memory, one by
/// one.
pub(crate) fn check_cells(rows: u64, columns: usize, bytes: u64) -> sfumato::Result<()> {
    let cells = rows.saturating_mul(columns as u64);
    if cells <= bytes.saturating_mul(CELLS_PER_BYTE) {
        return Ok(());
    }
    let message = format!("claims {rows} records in {columns} columns, and has {bytes} bytes");
    Err(Error::new(Fault::Resources, message).help("deliver it again; if it is as it should be, deliver it as CSV"))
}

/// Schemas nest no deeper than this.
const DEPTH: usize = 64;

/// Bytes read from the front; `None` at their end.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// An unsigned number in groups of seven bits.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }
}

/// Kinds of Thrift's compact protocol.
mod kind {
    pub(super) const STOP: u8 = 0;
    pub(super) const BOOL: u8 = 1;
    pub(super) const I32: u8 = 5;
    pub(super) const LIST: u8 = 9;
    pub(super) const STRUCT: u8 = 12;
}

impl Bytes<'_> {
    /// The kind of a struct's next field; `id` is the field before and becomes this one.
    fn field(&mut self, id: &mut i64) -> Option<u8> {
        let head = self.byte()?;
        if head == kind::STOP {
            return Some(head);
        }
        *id = if head >> 4 == 0 { self.signed()? } else { *id + i64::from(head >> 4) };
        // Readers hold numbers of fields in 16 bits, and take larger ones for others.
        (1..=i64::from(i16::MAX)).contains(id).then_some(head & 15)
    }

    /// How many elements a list has, and their kind.
    fn list(&mut self) -> Option<(usize, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.length()? } else { usize::from(head >> 4) };
        Some((count, head & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.take(8)?),
            8 => {
                let length = self.length()?;
                self.take(length)?;
            }
            kind::LIST => {
                // Elements of kind bool take no byte or one, as readers see it; a footer has no
                // such list.
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    self.skip(Some(kind).filter(|&kind| kind > 2)?, depth.checked_sub(1)?)?;
                }
            }
            kind::STRUCT => {
                let mut id = 0;
                loop {
                    match self.field(&mut id)? {
                        kind::STOP => break,
                        kind => self.skip(kind, depth.checked_sub(1)?)?,
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Goes behind a struct whose fields, by number, are of these kinds if they are there; `inner`
    /// goes behind the structs among them. Readers trust numbers and do not look at kinds.
    fn fields(&mut self, kinds: &[u8], inner: impl Fn(&mut Self, i64) -> Option<()>) -> Option<()> {
        let mut id = 0;
        loop {
            let kind = self.field(&mut id)?;
            let known = usize::try_from(id).ok().and_then(|id| kinds.get(id.checked_sub(1)?));
            match (kind, known) {
                (kind::STOP, _) => return Some(()),
                // True and false are kinds.
                (1 | 2, Some(&kind::BOOL)) => {}
                (kind::STRUCT, Some(&kind::STRUCT)) => inner(self, id)?,
                (kind, Some(&known)) if kind != known => return None,
                (kind, _) => self.skip(kind, DEPTH)?,
            }
        }
    }

    /// Goes behind the header of a page.
    fn page_header(&mut self) -> Option<()> {
        use kind::{BOOL, I32, STRUCT};
        let inner = |bytes: &mut Self, id: i64| {
            let kinds: &[u8] = match id {
                5 => &[I32, I32, I32, I32, STRUCT],
                7 => &[I32, I32, BOOL],
                8 => &[I32, I32, I32, I32, I32, I32, BOOL, STRUCT],
                _ => &[],
            };
            bytes.fields(kinds, |statistics, _| statistics.skip(STRUCT, DEPTH))
        };
        self.fields(&[I32, I32, I32, I32, STRUCT, STRUCT, STRUCT, STRUCT], inner)
    }

    /// How many children the next element of a schema claims.
    fn children(&mut self) -> Option<usize> {
        let (mut id, mut children) = (0, 0);
        loop {
            match self.field(&mut id)? {
                kind::STOP => return Some(children),
                kind::I32 if id == 5 => children = usize::try_from(self.signed()? as i32).unwrap_or(0),
                _ if id == 5 => return None,
                kind => self.skip(kind, DEPTH)?,
            }
        }
    }
}

/// Whether the schema in a footer is a tree of moderate depth.
pub(crate) fn has_sound_schema(footer: &[u8]) -> bool {
    let mut bytes = Bytes(footer);
    let mut id = 0;
    let mut walk = || {
        loop {
            match bytes.field(&mut id)? {
                kind::STOP => return Some(()),
                kind::LIST if id == 2 => {
                    let (count, element) = bytes.list()?;
                    let children = (0..count).map(|_| bytes.children()).collect::<Option<Vec<usize>>>()?;
                    (element == kind::STRUCT && is_shallow_tree(&children)).then_some(())?;
                }
                _ if id == 2 => return None,
                kind => bytes.skip(kind, DEPTH)?,
            }
        }
    };
    walk().is_some()
}

/// Whether the numbers of children, parents before children, describe a tree of moderate depth.
fn is_shallow_tree(children: &[usize]) -> bool {
    let mut open = vec![1];
    for &own in children {
        while open.last() == Some(&0) {
            open.pop();
        }
        let Some(left) = open.last_mut() else { return false };
        *left -= 1;
        open.push(own);
        if own > children.len() || open.len() > DEPTH {
            return false;
        }
    }
    open.iter().all(|&left| left == 0)
}

/// Bytes that most headers of pages fit in, and that none takes more of.
const USUAL_HEADER: u64 = 1 << 12;
const LONGEST_HEADER: u64 = 1 << 24;

/// A file of which nothing but sound headers of pages is read, and nothing behind its end is made
/// room for.
pub(crate) struct Sound {
    file: File,
    length: u64,
}

impl Sound {
    pub(crate) fn new(file: File) -> Sound {
        Sound { length: Length::len(&file), file }
    }
}

impl Length for Sound {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Sound {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        Ok(Header { file: self.file.try_clone()?, start, bytes: None })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a page ends behind the file".into()));
        }
        self.file.get_bytes(start, length)
    }
}

/// The header of a page. It is looked at when it is read: the library also asks for headers and
/// does not read them.
pub(crate) struct Header {
    file: File,
    start: u64,
    bytes: Option<Cursor<Vec<u8>>>,
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = match &mut self.bytes {
            Some(bytes) => bytes,
            None => self.bytes.insert(Cursor::new(sound_header(&mut self.file, self.start)?)),
        };
        // Whoever reads on is lost, and may not notice.
        match bytes.read(buffer)? {
            0 if !buffer.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

/// The bytes of a header, if they are one.
fn sound_header(file: &mut File, start: u64) -> io::Result<Vec<u8>> {
    let mut most = USUAL_HEADER;
    loop {
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        let read = file.take(most).read_to_end(&mut bytes)?;
        let mut rest = Bytes(&bytes);
        if rest.page_header().is_some() {
            let length = bytes.len() - rest.0.len();
            bytes.truncate(length);
            return Ok(bytes);
        }
        if (read as u64) < most || most >= LONGEST_HEADER {
            return Err(ErrorKind::InvalidData.into());
        }
        most *= 8;
    }
}

/// The pages of a column chunk, refused where they promise more values than they can hold.
pub(crate) struct Pages<R> {
    pub(crate) pages: R,
    /// Rows of the row group.
    pub(crate) rows: usize,
    /// Whether the column has nulls, marked before the values.
    pub(crate) optional: bool,
}

impl<R: PageReader> Iterator for Pages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: PageReader> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        match page.as_ref().is_none_or(|page| self.is_sound(page).unwrap_or(false)) {
            true => Ok(page),
            false => Err(ParquetError::General("a page promises too much".into())),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl<R> Pages<R> {
    fn is_sound(&self, page: &Page) -> Option<bool> {
        let count = page.num_values() as usize;
        let mut values = Bytes(page.buffer());
        match page {
            // A value of a dictionary takes at least four bytes, or one if it is of fixed length.
            Page::DictionaryPage { .. } => return Some(count <= values.0.len()),
            Page::DataPage { def_level_encoding: Encoding::RLE, .. } if self.optional => {
                let length = u32::from_le_bytes(values.take(4)?.try_into().ok()?);
                values.take(length as usize)?;
            }
            Page::DataPage { .. } if self.optional => drop(values.take(count.div_ceil(8))?),
            Page::DataPage { .. } => {}
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                values.take(*def_levels_byte_len as usize)?;
                values.take(*rep_levels_byte_len as usize)?;
            }
        }
        let runs = match page.encoding() {
            Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => 0,
        };
        Some(count <= self.rows && (0..runs).all(|_| values.skip_deltas(count).is_some()))
    }
}

impl Bytes<'_> {
    /// Goes behind a run of delta-packed numbers of which there are at most `most`.
    fn skip_deltas(&mut self, most: usize) -> Option<()> {
        let (block, parts, count) = (self.length()?, self.length()?, self.length()?);
        self.varint()?;
        let part = block.checked_div(parts).filter(|&part| part > 0 && count <= most)?;
        // The first number is in the header.
        let mut left = count.saturating_sub(1);
        while left > 0 {
            self.varint()?;
            for &width in self.take(parts)? {
                if left > 0 {
                    self.take(usize::from(width).checked_mul(part)? / 8)?;
                }
                left = left.saturating_sub(part);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_compared_with_bytes() {
        assert!(check_cells(1_000_000, 1, 200).is_ok(), "a row group of one value");
        assert!(check_cells(CELLS_PER_BYTE, 300, 300).is_ok());
        assert!(check_cells(CELLS_PER_BYTE + 1, 300, 300).is_err());
        assert_eq!(check_cells(u64::MAX, 2, 300).unwrap_err().fault(), Fault::Resources);
    }

    #[test]
    fn deep_and_lying_schemas_are_refused() {
        assert!(is_shallow_tree(&[2, 0, 0]));
        assert!(is_shallow_tree(&[2, 1, 0, 0]));
        assert!(!is_shallow_tree(&[1, 0, 0]), "one too many");
        assert!(!is_shallow_tree(&[3, 0, 0]), "one too few");
        assert!(!is_shallow_tree(&[usize::MAX, 0]));
        assert!(!is_shallow_tree(&vec![1; 100_000]));
        // A struct with a list of 100 000 elements, each a struct with one child.
        let mut footer = vec![0x29, 0xfc, 0xa0, 0x8d, 0x06];
        footer.extend([0x55, 0x02, 0x00].repeat(100_000));
        footer.push(0);
        assert!(!has_sound_schema(&footer));
        assert!(!has_sound_schema(&[0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f]), "the list ends early");
    }

    #[test]
    fn headers_are_read_to_their_end_and_no_further() {
        // Three numbers; a struct with four numbers and one with a text of 5000 bytes, as
        // statistics may hold.
        let mut header = vec![0x15, 0x00, 0x15, 0x04, 0x15, 0x04, 0x2c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06];
        header.extend([0x1c, 0x18, 0x88, 0x27]);
        header.extend([b'x'; 5000]);
        header.extend([0, 0, 0]);
        let read = |bytes: &[u8], length: usize| {
            let mut file = tempfile::tempfile().unwrap();
            io::Write::write_all(&mut file, &[&[9], bytes].concat()).unwrap();
            let mut found = vec![0; length];
            Sound::new(file).get_read(1).unwrap().read_exact(&mut found).map(|()| found)
        };
        let followed = [&header[..], &[7, 7, 7]].concat();
        assert_eq!(read(&followed, header.len()).unwrap(), header);
        assert!(read(&followed, header.len() + 1).is_err(), "what follows is no part of it");
        assert!(read(&header[..4000], 1).is_err(), "it ends early");
        let count = [0xff, 0xff, 0xff, 0xff, 0x07];
        assert!(read(&[&[0x99, 0xf7], &count[..], &[0]].concat(), 1).is_err(), "a list of two billion numbers");
        assert!(read(&[&[0x99, 0xf1], &count[..], &[0]].concat(), 1).is_err(), "a list of two billion flags");
        assert!(read(&[0x18, 0x01, b'x', 0x00], 1).is_err(), "a text where a number belongs");
        assert!(
            read(&[0x05, 0x82, 0x80, 0x08, 0x00, 0x00], 1).is_err(),
            "field 65537, which others take for the first"
        );
    }

    #[test]
    fn packed_numbers_are_counted() {
        // Blocks of 128 in four parts, three numbers, the first 0; then one block, its first part
        // one bit wide.
        let run = [128, 1, 4, 3, 0, 0, 1, 9, 9, 9, 1, 2, 3, 4, 77];
        let mut bytes = Bytes(&run);
        assert_eq!(bytes.skip_deltas(3), Some(()));
        assert_eq!(bytes.0, [77]);
        assert_eq!(Bytes(&run).skip_deltas(2), None);
        assert_eq!(Bytes(&run[..13]).skip_deltas(3), None);
        assert_eq!(Bytes(&[0, 1, 3, 0, 0, 0]).skip_deltas(3), None, "no progress");
    }
}
