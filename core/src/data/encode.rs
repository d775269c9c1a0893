//! From cells to codes: local lexicons while reading, one ordered domain at the end.

use super::spelling::{self, Found, Spelling, Written};
use super::{Column, Dictionary, Domain, ValueType};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Gives each distinct string a code, in order of appearance. Readers keep one per column and
/// thread.
///
/// A column in which most values are new (names, numbers of persons) is not worth looking up:
/// beyond a few thousand values it is only collected, and repetitions are found when the values are
/// put in order.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// The values back to back, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Recently seen short values, each in the one place its key may have: most cells end here.
    recent: Box<[(Key, u32); RECENT]>,
    codes: HashTable<(Key, u32)>,
    hasher: RandomState,
    seen: usize,
    expected: usize,
    only_collects: bool,
    always_looks_up: bool,
}

/// A value of up to 15 bytes with its length, or a hash of a longer one with the length byte 255:
/// short values need no second look.
type Key = u128;

const HASHED: Key = 255 << 120;

const RECENT: usize = 256;

/// The place of a key among the recent ones.
#[inline]
fn place(key: Key) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (key as u64 ^ ((key >> 64) as u64).wrapping_mul(ODD)).wrapping_mul(ODD);
    (mixed >> 56) as usize
}

impl Default for Lexicon {
    fn default() -> Self {
        Lexicon {
            text: Vec::new(),
            ends: Vec::new(),
            recent: Box::new([(Key::MAX, 0); RECENT]),
            codes: HashTable::new(),
            hasher: RandomState::default(),
            seen: 0,
            expected: 0,
            only_collects: false,
            always_looks_up: false,
        }
    }
}

impl Lexicon {
    /// Up to here every value is looked up.
    const LOOKED_UP: usize = 1 << 14;

    /// An empty lexicon.
    pub fn new() -> Self {
        Self::default()
    }

    /// A lexicon that lists every value once, however many there are.
    pub fn listing() -> Self {
        Lexicon { always_looks_up: true, ..Lexicon::default() }
    }

    /// Tells how many strings will be asked for in all, so that a column of new values need not
    /// grow step by step.
    pub fn expect(&mut self, strings: usize) {
        self.expected = strings;
    }

    /// The code of a string; new strings get the next one.
    pub fn code(&mut self, value: &str) -> u32 {
        self.code_within(value, 0, value.len())
    }

    /// The code of the `length` bytes at `start` of a text, which must be whole characters.
    #[inline]
    pub(super) fn code_within(&mut self, text: &str, start: usize, length: usize) -> u32 {
        let bytes = text.as_bytes();
        if self.only_collects {
            return self.push(&bytes[start..start + length]);
        }
        self.seen += 1;
        if length > 15 {
            return self.code_of_long(&bytes[start..start + length]);
        }
        let key = packed(bytes, start, length);
        let at = place(key);
        if self.recent[at].0 == key {
            return self.recent[at].1;
        }
        let code = match self.codes.find(self.hasher.hash_one(key), |(known, _)| *known == key) {
            Some(&(_, code)) => code,
            None => self.insert(key, &bytes[start..start + length]),
        };
        self.recent[at] = (key, code);
        code
    }

    fn code_of_long(&mut self, value: &[u8]) -> u32 {
        let key = HASHED | Key::from(self.hasher.hash_one(value));
        let is_same = |&(known, code): &(Key, u32)| known == key && self.bytes(code) == value;
        match self.codes.find(self.hasher.hash_one(key), is_same) {
            Some(&(_, code)) => code,
            None => self.insert(key, value),
        }
    }

    #[cold]
    fn insert(&mut self, key: Key, value: &[u8]) -> u32 {
        let code = self.push(value);
        let hasher = &self.hasher;
        self.codes.insert_unique(hasher.hash_one(key), (key, code), |(known, _)| hasher.hash_one(known));
        if !self.always_looks_up && self.ends.len() >= Self::LOOKED_UP && self.ends.len() * 2 > self.seen {
            self.only_collects = true;
            self.codes = HashTable::new();
            let more = self.expected.saturating_sub(self.seen);
            // Guesses: if there is no room for them, the vectors grow as they must.
            let _ = self.ends.try_reserve_exact(more);
            let _ = self.text.try_reserve_exact(more.saturating_mul(self.text.len() / self.ends.len() + 1));
        }
        code
    }

    fn push(&mut self, value: &[u8]) -> u32 {
        let code = u32::try_from(self.ends.len()).expect("a column has fewer than 2^32 distinct values");
        self.text.extend_from_slice(value);
        self.ends.push(self.text.len());
        code
    }

    fn bytes(&self, code: u32) -> &[u8] {
        let at = code as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// The strings, in the order of their codes.
    pub fn into_values(self) -> Dictionary {
        let text = String::from_utf8(self.text).expect("values are whole characters");
        Dictionary::from_parts(text, self.ends)
    }
}

/// A value of up to 15 bytes as a number that is unique to it: its bytes and its length.
#[inline]
fn packed(bytes: &[u8], start: usize, length: usize) -> Key {
    let kept = (1 << (8 * length)) - 1;
    let word = match bytes.get(start..start + 16) {
        Some(word) => Key::from_le_bytes(word.try_into().expect("16 bytes")) & kept,
        None => packed_slowly(&bytes[start..start + length]),
    };
    word | (length as Key) << 120
}

#[cold]
fn packed_slowly(value: &[u8]) -> Key {
    let mut word = [0; 16];
    word[..value.len()].copy_from_slice(value);
    Key::from_le_bytes(word)
}

/// Whether cells may be written in another way than values are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// Texts are values as they are: labels of a release, say.
    #[default]
    AsStored,
    /// Local numbers, dates and times are recognised.
    Detected,
    /// They are written as a plan says.
    Stated(Written),
}

/// How cells become a column: which texts mean "missing", and the type if it is not to be detected.
#[derive(Clone, Debug, Default)]
pub struct Encoding<'a> {
    /// Texts that mean "no value"; the first is written back.
    pub missing: &'a [String],
    /// The type to use; `None` detects it.
    pub value_type: Option<ValueType>,
    /// How cells may be written.
    pub writing: Writing,
}

impl Encoding<'_> {
    /// Joins what several readers have coded of one column into a column with an ordered domain.
    /// `turns` tells, in the order of the rows, which reader coded how many of them.
    pub fn column(&self, name: String, readers: Vec<(Lexicon, Vec<u32>)>, turns: &[(usize, usize)]) -> Column {
        let (values, codes): (Vec<Dictionary>, Vec<Vec<u32>>) =
            readers.into_iter().map(|(lexicon, codes)| (lexicon.into_values(), codes)).unzip();
        let (domain, maps) = self.domain(values);
        Column::new(name, in_order(codes, &maps, turns), domain)
    }

    /// The ordered domain of several lists of values, and for each list the codes of its values.
    fn domain(&self, lists: Vec<Dictionary>) -> (Domain, Vec<Vec<u32>>) {
        let is_missing = |value: &str| self.missing.iter().any(|token| token == value);
        let present = lists.iter().flat_map(Dictionary::iter).filter(|value| !is_missing(value));
        let (value_type, spelling) = self.kind(present);
        // Whether a cell is missing is told by what was written.
        let stored: Option<Vec<Dictionary>> = (spelling != Spelling::Plain).then(|| {
            let normal = |text: &str| spelling.normal(text).map(|normal| normal.into_owned());
            lists.iter().map(|list| list.iter().map(|text| normal(text).unwrap_or_default()).collect()).collect()
        });
        let stored = stored.as_ref().unwrap_or(&lists);

        let mut labels = Dictionary::new();
        let mut maps: Vec<Vec<u32>> = lists.iter().map(|list| vec![u32::MAX; list.len()]).collect();
        let mut current = None;
        for (list, at) in value_type.sorted(stored) {
            let value = stored[list as usize].get(at);
            if is_missing(lists[list as usize].get(at)) {
                continue;
            }
            let code = match current {
                Some((known, code)) if known == value => code,
                _ => labels.push(value),
            };
            current = Some((value, code));
            maps[list as usize][at as usize] = code;
        }
        let unset = || maps.iter().flatten().any(|&code| code == u32::MAX);
        let missing = unset().then(|| labels.push(&self.missing[0]));
        if let Some(code) = missing {
            maps.iter_mut().flatten().filter(|slot| **slot == u32::MAX).for_each(|slot| *slot = code);
        }
        (Domain::new(labels, value_type, missing).spelled(spelling), maps)
    }

    /// The type of values, and how they are written.
    fn kind<'v>(&self, present: impl Iterator<Item = &'v str> + Clone) -> (ValueType, Spelling) {
        let found = match (self.writing, self.value_type) {
            (Writing::AsStored, Some(declared)) => return (declared, Spelling::Plain),
            (Writing::AsStored, None) => return (ValueType::detect(present), Spelling::Plain),
            (_, Some(ValueType::Text)) => None,
            (Writing::Stated(written), _) => written.read(present.clone()),
            (Writing::Detected, _) => match spelling::detect(present.clone()) {
                Found::Typed(value_type, spelling) => Some((value_type, spelling)),
                Found::Unclear(_) | Found::Text => None,
            },
        };
        // A stored value must not look like one that is missing.
        let is_taken = |normal: &str| self.missing.iter().any(|token| token == normal);
        let is_told = |spelling: Spelling| {
            spelling == Spelling::Plain
                || !present.clone().filter_map(|text| spelling.normal(text)).any(|text| is_taken(&text))
        };
        let (value_type, spelling) =
            found.filter(|(_, spelling)| is_told(*spelling)).unwrap_or((ValueType::Text, Spelling::Plain));
        match self.value_type {
            Some(declared) if spelling == Spelling::Plain || !widens(value_type, declared) => {
                (declared, Spelling::Plain)
            }
            Some(declared) => (declared, spelling),
            None => (value_type, spelling),
        }
    }
}

impl Column {
    /// The same column as if its labels were cells that are read now.
    pub(crate) fn reread(&self, encoding: &Encoding) -> Column {
        let mut lexicon = Lexicon::listing();
        let codes: Vec<u32> = self.domain().labels().iter().map(|label| lexicon.code(label)).collect();
        let codes: Vec<u32> = self.codes().iter().map(|&code| codes[code as usize]).collect();
        let turns = [(0, codes.len())];
        encoding.column(self.name().to_string(), vec![(lexicon, codes)], &turns)
    }
}

/// Whether every value of a type is one of another.
fn widens(narrow: ValueType, wide: ValueType) -> bool {
    narrow == wide
        || matches!((narrow, wide), (ValueType::Integer, ValueType::Decimal) | (ValueType::Date, ValueType::Timestamp))
}

/// The codes of all readers in the order of the rows, in terms of the common domain.
fn in_order(mut codes: Vec<Vec<u32>>, maps: &[Vec<u32>], turns: &[(usize, usize)]) -> Vec<u32> {
    for (codes, map) in codes.iter_mut().zip(maps) {
        codes.iter_mut().for_each(|code| *code = map[*code as usize]);
    }
    if let [alone] = codes.as_mut_slice() {
        alone.shrink_to_fit();
        return std::mem::take(alone);
    }
    let mut merged = Vec::with_capacity(codes.iter().map(Vec::len).sum());
    let mut used = vec![0; codes.len()];
    for &(reader, rows) in turns {
        merged.extend_from_slice(&codes[reader][used[reader]..used[reader] + rows]);
        used[reader] += rows;
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_several_readers_make_one_ordered_column() {
        let (mut first, mut second) = (Lexicon::new(), Lexicon::new());
        let one = ["9", "?", "10"].map(|value| first.code(value)).to_vec();
        let two = ["10", "", "7"].map(|value| second.code(value)).to_vec();
        let missing = ["?".to_string(), String::new()];
        let encoding = Encoding { missing: &missing, ..Encoding::default() };
        let column = encoding.column("age".into(), vec![(first, one), (second, two)], &[(0, 3), (1, 3)]);
        assert_eq!(column.domain().value_type(), ValueType::Integer);
        let values: Vec<&str> = (0..6).map(|row| column.value(row)).collect();
        assert_eq!(values, ["9", "?", "10", "10", "?", "7"]);
        assert_eq!(column.codes(), [1, 3, 2, 2, 3, 0]);
        assert_eq!(column.domain().missing(), Some(3));
    }

    fn read(values: &[&str], missing: &[&str], writing: Writing, value_type: Option<ValueType>) -> Column {
        let missing: Vec<String> = missing.iter().map(|text| text.to_string()).collect();
        let mut lexicon = Lexicon::new();
        let codes: Vec<u32> = values.iter().map(|value| lexicon.code(value)).collect();
        let turns = [(0, codes.len())];
        Encoding { missing: &missing, value_type, writing }.column("c".into(), vec![(lexicon, codes)], &turns)
    }

    #[test]
    fn local_spellings_become_stored_values_in_their_order() {
        let column = read(&["12,5 %", "NA", "7 %", "7%"], &["", "NA"], Writing::Detected, None);
        let values: Vec<&str> = (0..4).map(|row| column.value(row)).collect();
        assert_eq!(values, ["12.5", "", "7", "7"]);
        assert_eq!((column.domain().value_type(), column.domain().missing()), (ValueType::Decimal, Some(2)));
        assert_eq!(column.domain().spelling().to_string(), "1234,5 %");
        let same = read(&["12,5 %"], &[], Writing::AsStored, None);
        assert_eq!((same.value(0), same.domain().value_type()), ("12,5 %", ValueType::Text));
    }

    #[test]
    fn what_is_declared_binds_and_what_is_missing_stays_so() {
        let text = read(&["1,5"], &[], Writing::Detected, Some(ValueType::Text));
        assert_eq!((text.value(0), text.domain().value_type()), ("1,5", ValueType::Text));
        let number = read(&["45 %"], &[], Writing::Detected, Some(ValueType::Decimal));
        assert_eq!((number.value(0), number.domain().value_type()), ("45", ValueType::Decimal));
        let day = read(&["31.03.2021"], &[], Writing::Detected, Some(ValueType::Integer));
        assert_eq!((day.value(0), day.domain().value_type()), ("31.03.2021", ValueType::Integer), "checks refuse it");
        let taken = read(&["45 %", "7 %"], &["7"], Writing::Detected, None);
        assert_eq!((taken.value(1), taken.domain().missing()), ("7 %", None), "7 would mean no value");
    }
}
