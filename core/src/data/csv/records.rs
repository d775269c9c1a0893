//! Where records end, and what their fields are.

use memchr::{memchr, memchr_iter, memrchr};
use wide::u8x16;

/// The whole records at the start of a block, cut into pieces of about equal size.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cuts {
    /// Ends of the pieces; the last is the end of the whole records.
    pub ends: Vec<usize>,
    /// Where a quoted field starts that does not end in the block.
    pub open_quote: Option<usize>,
}

impl Cuts {
    /// The end of the whole records.
    pub fn whole(&mut self) -> &mut usize {
        self.ends.last_mut().expect("a cut has an end")
    }
}

/// Cuts a block that starts with a record at line ends that stand outside quotes.
///
/// A quote opens a field only at its start, two quotes inside stand for one, and a quote elsewhere
/// is text: so every quoted stretch can be found by hopping from quote to quote, without looking at
/// the fields in between.
pub(super) fn cut(block: &[u8], delimiter: u8, pieces: usize) -> Cuts {
    let target = |piece: usize| block.len() * piece / pieces;
    let mut ends = Vec::with_capacity(pieces);
    let mut last_end = 0;
    let mut see_plain = |start: usize, end: usize| {
        while ends.len() + 1 < pieces && target(ends.len() + 1) < end {
            let from = target(ends.len() + 1).max(start);
            match memchr(b'\n', &block[from..end]) {
                Some(found) => ends.push(from + found + 1),
                None => break,
            }
        }
        if let Some(found) = memrchr(b'\n', &block[start..end]) {
            last_end = start + found + 1;
        }
    };

    let (mut plain, mut at) = (0, 0);
    let mut open_quote = None;
    while let Some(found) = memchr(b'"', &block[at..]) {
        let quote = at + found;
        at = quote + 1;
        if quote > 0 && !is_break(block[quote - 1], delimiter) {
            continue;
        }
        see_plain(plain, quote);
        match closing_quote(block, quote + 1) {
            Some(end) => (plain, at) = (end + 1, end + 1),
            None => {
                (plain, open_quote) = (block.len(), Some(quote));
                break;
            }
        }
    }
    see_plain(plain, block.len());
    ends.retain(|&end| end < last_end);
    ends.dedup();
    ends.push(last_end);
    Cuts { ends, open_quote }
}

fn is_break(byte: u8, delimiter: u8) -> bool {
    byte == delimiter || byte == b'\n' || byte == b'\r'
}

/// The position of the quote that closes a field whose text starts at `from`.
fn closing_quote(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + memchr(b'"', &bytes[from..])?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

/// How a field ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Field,
    Record,
}

/// Where a field's text stands: in the bytes themselves, or among the texts that had to be freed of
/// doubled quotes.
///
/// One word (flag, start, length), because splitting writes one for every field of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span(u64);

impl Span {
    const LENGTH_BITS: u32 = 28;
    const REWRITTEN: u64 = 1 << 63;

    /// The longest text that a span can hold; longer fields are cut to one more and so recognised.
    pub const LONGEST: usize = (1 << Self::LENGTH_BITS) - 2;

    #[inline]
    fn new(start: usize, length: usize) -> Span {
        Span((start as u64) << Self::LENGTH_BITS | length.min(Self::LONGEST + 1) as u64)
    }

    #[inline]
    pub fn start(self) -> usize {
        ((self.0 & !Self::REWRITTEN) >> Self::LENGTH_BITS) as usize
    }

    #[inline]
    pub fn length(self) -> usize {
        (self.0 & ((1 << Self::LENGTH_BITS) - 1)) as usize
    }

    #[inline]
    fn is_rewritten(self) -> bool {
        self.0 & Self::REWRITTEN != 0
    }
}

/// Finds delimiters and line ends, 64 bytes at a time.
struct Breaks<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    /// Where the stretch starts that `found` is about.
    base: usize,
    /// A bit for each of 64 bytes: whether it is a break.
    found: u64,
}

impl<'a> Breaks<'a> {
    fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        let mut breaks = Breaks { bytes, delimiter, base: 0, found: 0 };
        breaks.look(0);
        breaks
    }

    /// The first break at or behind a position; the end of the bytes if there is none.
    #[inline]
    fn at_or_behind(&mut self, mut position: usize) -> usize {
        loop {
            let ahead = position - self.base;
            if ahead < 64 {
                let left = self.found & (u64::MAX << ahead);
                if left != 0 {
                    return self.base + left.trailing_zeros() as usize;
                }
                position = self.base + 64;
            }
            if position >= self.bytes.len() {
                return self.bytes.len();
            }
            self.look(position);
        }
    }

    // Kept out of the loop over fields, which most of the time finds the next break among those
    // already seen.
    #[inline(never)]
    fn look(&mut self, base: usize) {
        self.base = base;
        self.found = match self.bytes[base..].first_chunk::<64>() {
            Some(stretch) => breaks_in(stretch, self.delimiter),
            None => {
                let rest = &self.bytes[base..];
                let mut stretch = [0; 64];
                stretch[..rest.len()].copy_from_slice(rest);
                breaks_in(&stretch, self.delimiter) & !(u64::MAX << rest.len())
            }
        };
    }
}

#[inline]
fn breaks_in(stretch: &[u8; 64], delimiter: u8) -> u64 {
    let [delimiter, feed, carriage] = [delimiter, b'\n', b'\r'].map(u8x16::splat);
    let mut found = 0;
    for (at, part) in stretch.as_chunks::<16>().0.iter().enumerate() {
        let part = u8x16::new(*part);
        let hits = part.simd_eq(delimiter) | part.simd_eq(feed) | part.simd_eq(carriage);
        found |= u64::from(hits.to_bitmask()) << (16 * at);
    }
    found
}

/// Walks the fields of whole records.
pub(super) struct Fields<'a> {
    text: &'a str,
    bytes: &'a [u8],
    breaks: Breaks<'a>,
    rewritten: String,
    at: usize,
    delimiter: u8,
    trim: bool,
}

impl<'a> Fields<'a> {
    pub fn new(text: &'a str, delimiter: u8, trim: bool) -> Self {
        let bytes = text.as_bytes();
        let breaks = Breaks::new(bytes, delimiter);
        Fields { text, bytes, breaks, rewritten: String::new(), at: 0, delimiter, trim }
    }

    /// Where the next field starts.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The text that a span points into.
    #[inline]
    pub fn source(&self, span: Span) -> &str {
        if span.is_rewritten() { &self.rewritten } else { self.text }
    }

    /// Forgets rewritten texts; spans to them must be done with.
    pub fn forget_rewritten(&mut self) {
        self.rewritten.clear();
    }

    /// Skips empty lines; false at the end of the bytes.
    #[inline]
    pub fn start_record(&mut self) -> bool {
        while let Some(b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.at < self.bytes.len()
    }

    /// The next field and what follows it.
    #[inline]
    pub fn next(&mut self) -> (Span, End) {
        let start = self.at;
        if self.bytes.get(start) == Some(&b'"') {
            return self.quoted();
        }
        let stop = self.breaks.at_or_behind(start);
        let end = self.pass_break(stop);
        if self.trim {
            let left = self.bytes[start..stop].trim_ascii_start();
            return (Span::new(stop - left.len(), left.trim_ascii_end().len()), end);
        }
        (Span::new(start, stop - start), end)
    }

    /// Moves behind the break at a position.
    #[inline]
    fn pass_break(&mut self, at: usize) -> End {
        self.at = (at + 1).min(self.bytes.len());
        if self.bytes.get(at) == Some(&self.delimiter) { End::Field } else { End::Record }
    }

    #[cold]
    fn quoted(&mut self) -> (Span, End) {
        let start = self.at + 1;
        let close = closing_quote(self.bytes, start).unwrap_or(self.bytes.len());
        let inside = &self.text[start..close];
        // Text between the closing quote and the break belongs to the field, as other readers have
        // it.
        let behind = (close + 1).min(self.bytes.len());
        let stop = self.breaks.at_or_behind(behind);
        let tail = &self.text[behind..stop];
        let end = self.pass_break(stop);
        if tail.is_empty() && !inside.contains('"') {
            return (Span::new(start, inside.len()), end);
        }
        let text_start = self.rewritten.len();
        self.rewritten.push_str(&inside.replace("\"\"", "\""));
        self.rewritten.push_str(tail);
        let span = Span::new(text_start, self.rewritten.len() - text_start);
        (Span(span.0 | Span::REWRITTEN), end)
    }
}

/// Line breaks in the bytes.
pub(super) fn count_lines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, pieces: usize) -> Vec<usize> {
        cut(text.as_bytes(), b',', pieces).ends
    }

    #[test]
    fn cuts_stand_behind_line_ends_outside_quotes() {
        assert_eq!(ends("a,b\nc,d\ne", 1), [8]);
        assert_eq!(ends("a,b\nc,d\ne,f\n", 2), [8, 12]);
        assert_eq!(ends("a,\"x\ny\"\nc,d\n", 1), [12]);
        assert_eq!(ends("a,\"x\n\n\n\n\ny\"\nc,d\n", 3), [12, 16]);
        assert_eq!(ends("a,5\" pipe\nb,6\"\nc", 1), [15], "a quote inside a field is text");
    }

    #[test]
    fn an_open_quote_ends_the_whole_records_before_it() {
        let cuts = cut(b"a,b\nc,\"d\ne", b',', 1);
        assert_eq!(cuts, Cuts { ends: vec![4], open_quote: Some(6) });
        assert_eq!(cut(b"\"a\"\"b\"\n", b',', 1), Cuts { ends: vec![7], open_quote: None });
    }
}
