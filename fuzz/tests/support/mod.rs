//! Changes files by lot, always the same lot; and watches what reading them costs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder beside the tests.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a reader's corpus with their names, in the order of names.
pub fn corpus(reader: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder("corpus").join(reader)).expect("every reader has a corpus");
    let file = |entry: std::fs::DirEntry| {
        let bytes = std::fs::read(entry.path()).expect("a file");
        (entry.file_name().to_string_lossy().into_owned(), bytes)
    };
    let mut files: Vec<(String, Vec<u8>)> = entries.map(|entry| file(entry.expect("an entry"))).collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus of {reader} has files");
    files
}

/// The words of a reader's dictionary, which has the form that libFuzzer reads: one word in quotes
/// on each line.
pub fn dictionary(reader: &str) -> Vec<Vec<u8>> {
    let path = folder("dictionaries").join(format!("{reader}.dict"));
    let text = std::fs::read_to_string(path).expect("every reader has a dictionary");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| unescaped(line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("a word")))
        .collect()
}

fn unescaped(word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        (rest, _) = match (first, behind) {
            (b'\\', [b'x', high, low, behind @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("digits");
                (behind, bytes.push(u8::from_str_radix(digits, 16).expect("two digits")))
            }
            (b'\\', [letter, behind @ ..]) => (behind, bytes.push(*letter)),
            _ => (behind, bytes.push(first)),
        };
    }
    bytes
}

/// Changes bytes by lot.
pub struct Mutator<'a> {
    random: ChaCha8Rng,
    seeds: &'a [(String, Vec<u8>)],
    words: &'a [Vec<u8>],
}

/// Numbers at which programs go wrong.
const NUMBERS: [u64; 14] = [
    0,
    1,
    7,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1_000_000_000,
    i64::MAX as u64,
    u64::MAX,
];

/// Larger files are cut: they take time and tell nothing new.
const LONGEST: usize = 1 << 15;

impl<'a> Mutator<'a> {
    /// The same changes for the same number.
    pub fn new(number: u64, seeds: &'a [(String, Vec<u8>)], words: &'a [Vec<u8>]) -> Self {
        Mutator { random: ChaCha8Rng::seed_from_u64(number), seeds, words }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.random_range(0..limit.max(1))
    }

    /// The bytes with a few changes.
    pub fn change(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(5) {
            self.change_once(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change_once(&mut self, bytes: &mut Vec<u8>) {
        // Half of the changes near the end, where binary formats keep what matters most.
        let reach = if self.below(2) == 0 { bytes.len() } else { bytes.len().min(600) };
        let at = bytes.len() - self.below(reach + 1);
        let longest = if self.below(4) == 0 { 200 } else { 8 };
        let length = 1 + self.below(longest);
        let end = (at + length).min(bytes.len());
        match self.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.random.random(),
            2 => bytes[at..end].fill([0, 0x7f, 0x80, 0xff][at % 4]),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let again = bytes[at..end].repeat(1 + self.below(4));
                bytes.splice(at..at, again);
            }
            5 => self.write_number(bytes, at),
            6 => self.splice(bytes, at),
            7 if self.below(4) == 0 => bytes.truncate(at),
            _ => self.insert_word(bytes, at),
        }
    }

    /// Writes a number as binary formats do: of fixed length, or in groups of seven bits; or as
    /// digits.
    fn write_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let number = NUMBERS[self.below(NUMBERS.len())];
        let width = [1, 2, 4, 8][self.below(4)];
        let written = match self.below(3) {
            0 => number.to_le_bytes()[..width].to_vec(),
            1 => groups_of_seven(number),
            _ => number.to_string().into_bytes(),
        };
        let end = if self.below(3) == 0 { at } else { (at + written.len()).min(bytes.len()) };
        bytes.splice(at..end, written);
    }

    /// Goes on as another file.
    fn splice(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let seeds = self.seeds;
        let (_, other) = &seeds[self.below(seeds.len())];
        let from = self.below(other.len() + 1);
        bytes.truncate(at);
        bytes.extend_from_slice(&other[from..]);
    }

    fn insert_word(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let words = self.words;
        let word = &words[self.below(words.len())];
        let end = if self.below(2) == 0 { at } else { (at + word.len()).min(bytes.len()) };
        bytes.splice(at..end, word.iter().copied());
    }
}

fn groups_of_seven(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Time that this process has worked, on all threads: how busy the machine is makes no difference.
pub fn worked() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may hold anything: the twelfth and thirteenth are ticks of a hundredth
    // of a second.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Duration::from_millis(10 * fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>())
}

/// Starts to measure the most memory that this process holds; false where the system does not.
pub fn start_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most memory held since then, in bytes.
pub fn peak() -> u64 {
    status("VmHWM:")
}

/// Memory held now, in bytes.
pub fn resident() -> u64 {
    status("VmRSS:")
}

fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
