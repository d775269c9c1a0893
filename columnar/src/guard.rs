//! What a Parquet file claims, checked before the library believes it.
//!
//! The `parquet` crate answers most malformed files with an error or a panic. A few claims it takes at face value: it descends as deep as
//! the schema nests, and makes room for as many values as a page promises. That would end the process, so those are checked here.

use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};

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
        Some(head & 15)
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
                // Elements of kind bool take no byte or one, as readers see it; a footer has no such list.
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
    fn packed_numbers_are_counted() {
        // Blocks of 128 in four parts, three numbers, the first 0; then one block, its first part one bit wide.
        let run = [128, 1, 4, 3, 0, 0, 1, 9, 9, 9, 1, 2, 3, 4, 77];
        let mut bytes = Bytes(&run);
        assert_eq!(bytes.skip_deltas(3), Some(()));
        assert_eq!(bytes.0, [77]);
        assert_eq!(Bytes(&run).skip_deltas(2), None);
        assert_eq!(Bytes(&run[..13]).skip_deltas(3), None);
        assert_eq!(Bytes(&[0, 1, 3, 0, 0, 0]).skip_deltas(3), None, "no progress");
    }
}
