//! Which delimiter a text uses.

/// Delimiters that are tried, most usual first.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records looked at.
const SAMPLE: usize = 50;

/// The candidate that splits the first records most evenly into most fields; a comma when none
/// splits them at all.
pub(super) fn detect(text: &[u8]) -> u8 {
    let score = |delimiter: u8| {
        let counts = fields_per_record(text, delimiter);
        let first = counts.first().copied().unwrap_or(1);
        let even = counts.iter().filter(|&&count| count == first).count() == counts.len();
        (first > 1, even, first)
    };
    // `max_by_key` takes the last of equals: reversed, the most usual wins.
    CANDIDATES.into_iter().rev().max_by_key(|&delimiter| score(delimiter)).unwrap_or(b',')
}

/// The number of fields in each of the first records; an incomplete last one is left out.
fn fields_per_record(text: &[u8], delimiter: u8) -> Vec<usize> {
    let mut counts = Vec::new();
    let (mut fields, mut quoted, mut at_start, mut empty) = (1, false, true, true);
    for &byte in text {
        match byte {
            b'"' if quoted || at_start => quoted = !quoted,
            b'\n' if !quoted => {
                if !empty {
                    counts.push(fields);
                }
                if counts.len() == SAMPLE {
                    break;
                }
                (fields, at_start, empty) = (1, true, true);
                continue;
            }
            _ if byte == delimiter && !quoted => {
                fields += 1;
                (at_start, empty) = (true, false);
                continue;
            }
            b'\r' => continue,
            _ => {}
        }
        (at_start, empty) = (false, false);
    }
    if counts.is_empty() {
        counts.push(fields);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::detect;

    #[test]
    fn the_delimiter_that_splits_evenly_wins() {
        assert_eq!(detect(b"a,b\n1,2\n"), b',');
        assert_eq!(detect(b"a;b\n1,5;2\n3,5;4\n"), b';');
        assert_eq!(detect(b"a\tb, c\n1\t2\n"), b'\t');
        assert_eq!(detect(b"a|b\r\n1|2\r\n"), b'|');
        assert_eq!(detect(b"name\nJones; Mary\n"), b',');
        assert_eq!(detect(b"a;\"b,c,d\"\n1;\"2,3\"\n"), b';');
        assert_eq!(detect(b"a;b"), b';');
        assert_eq!(detect(b""), b',');
    }
}
