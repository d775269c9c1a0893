//! Many strings in one allocation.

/// A list of strings, stored back to back; a code is a position in the list.
///
/// ```
/// use sfumato::data::Dictionary;
///
/// let colours: Dictionary = ["red", "green"].into_iter().collect();
/// assert_eq!(colours.get(1), "green");
/// assert_eq!(colours.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
}

impl Dictionary {
    /// An empty dictionary.
    pub fn new() -> Self {
        Self::default()
    }

    /// Strings back to back in `text`, each with its end.
    pub(super) fn from_parts(text: String, ends: Vec<usize>) -> Self {
        Dictionary { text, ends }
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a string and returns its code.
    ///
    /// # Panics
    /// When there are 2³² strings already.
    pub fn push(&mut self, value: &str) -> u32 {
        let code = u32::try_from(self.ends.len()).expect("a column has fewer than 2^32 distinct values");
        self.text.push_str(value);
        self.ends.push(self.text.len());
        code
    }

    /// The string with a code.
    pub fn get(&self, code: u32) -> &str {
        let at = code as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// The strings in the order of their codes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone + '_ {
        (0..self.len()).map(|code| self.get(code as u32))
    }

    /// Bytes held in memory.
    pub fn memory(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

impl<S: AsRef<str>> FromIterator<S> for Dictionary {
    fn from_iter<I: IntoIterator<Item = S>>(values: I) -> Self {
        let mut dictionary = Dictionary::new();
        for value in values {
            dictionary.push(value.as_ref());
        }
        dictionary
    }
}
