//! Small numbers side by side in few words: how records are carried around.

/// Which bits of which word hold a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    pub(super) fn read(self, item: &[u64]) -> u32 {
        (item[self.word] >> self.shift & self.mask) as u32
    }

    /// Writes a number where nothing is yet.
    #[inline]
    pub(super) fn write(self, item: &mut [u64], number: u32) {
        item[self.word] |= u64::from(number) << self.shift;
    }
}

/// How numbers are packed, the first in the highest bits.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    /// How many words it takes.
    pub(super) words: usize,
}

impl Layout {
    /// For numbers that are each below one of these.
    pub(super) fn of(sizes: impl Iterator<Item = usize>) -> Layout {
        let (mut word, mut free) = (0, u64::BITS);
        let field = |values: usize| {
            let bits = usize::BITS - values.saturating_sub(1).leading_zeros();
            if bits > free {
                (word, free) = (word + 1, u64::BITS);
            }
            free -= bits;
            // A field of no bits at the very top has nothing to shift.
            Field { word, shift: free.min(u64::BITS - 1), mask: (1 << bits) - 1 }
        };
        let fields: Vec<Field> = sizes.map(field).collect();
        let words = fields.last().map_or(1, |last| last.word + 1);
        Layout { fields, words }
    }

    /// The last of the numbers.
    #[inline]
    pub(super) fn last(&self) -> Field {
        self.fields[self.fields.len() - 1]
    }
}
