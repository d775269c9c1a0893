//! Small tables that go along with an antecedent.

/// Parts of records. The items that may still be added to the antecedent come first, behind them
/// those that would already have been.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) ranks: Vec<u32>,
    pub(super) rows: Vec<Row>,
    /// The items that may be added, ascending, and where the rows that hold them start in
    /// `of_item`.
    pub(super) items: Vec<(u32, usize)>,
    of_item: Vec<u32>,
}

#[derive(Clone, Copy)]
pub(super) struct Row {
    start: usize,
    open: usize,
    end: usize,
    pub(super) times: u32,
    /// Of the records that it stands for, the fewest that one of them has around it.
    pub(super) around: u32,
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.ranks.clear();
        self.rows.clear();
    }

    pub(super) fn open(&self, row: &Row) -> &[u32] {
        &self.ranks[row.start..row.open]
    }

    pub(super) fn all(&self, row: &Row) -> &[u32] {
        &self.ranks[row.start..row.end]
    }

    /// Adds a row whose ranks from `start` to `open` may still be added to the antecedent; without
    /// such it is of no use.
    pub(super) fn push(&mut self, start: usize, open: usize, times: u32, around: u32) {
        if open == start {
            return self.ranks.truncate(start);
        }
        let row = Row { start, open, end: self.ranks.len(), times, around };
        match self.rows.last_mut() {
            // Neighbours are often alike; merging them costs next to nothing.
            Some(last)
                if last.open == last.end
                    && row.open == row.end
                    && self.ranks[last.start..last.open] == self.ranks[start..open] =>
            {
                last.times += times;
                last.around = last.around.min(around);
                self.ranks.truncate(start);
            }
            _ => self.rows.push(row),
        }
    }

    /// Merges rows to which the same may be added; of the other items they keep those that they
    /// share.
    pub(super) fn merge(&mut self) {
        let Rows { ranks, rows, .. } = self;
        rows.sort_unstable_by(|a, b| ranks[a.start..a.open].cmp(&ranks[b.start..b.open]));
        rows.dedup_by(|row, kept| {
            let alike = ranks[row.start..row.open] == ranks[kept.start..kept.open];
            if alike {
                kept.times += row.times;
                kept.around = kept.around.min(row.around);
                kept.end = keep_shared(ranks, kept.open..kept.end, row.open..row.end);
            }
            alike
        });
    }

    /// Finds the rows that hold each item. `counts` is zero before and after.
    pub(super) fn deliver(&mut self, counts: &mut [u32]) {
        let Rows { ranks, rows, items, of_item } = self;
        items.clear();
        for rank in rows.iter().flat_map(|row| &ranks[row.start..row.open]) {
            if counts[*rank as usize] == 0 {
                items.push((*rank, 0));
            }
            counts[*rank as usize] += 1;
        }
        items.sort_unstable();
        let mut end = 0;
        for (rank, start) in items.iter_mut() {
            *start = end;
            end += counts[*rank as usize] as usize;
            counts[*rank as usize] = *start as u32;
        }
        of_item.clear();
        of_item.resize(end, 0);
        for (at, row) in rows.iter().enumerate() {
            for rank in &ranks[row.start..row.open] {
                let place = &mut counts[*rank as usize];
                of_item[*place as usize] = at as u32;
                *place += 1;
            }
        }
        items.iter().for_each(|(rank, _)| counts[*rank as usize] = 0);
    }

    pub(super) fn with(&self, number: usize) -> &[u32] {
        let end = self.items.get(number + 1).map_or(self.of_item.len(), |next| next.1);
        &self.of_item[self.items[number].1..end]
    }
}

/// Keeps of the ranks in one place those that are in another too: where they end then.
fn keep_shared(ranks: &mut [u32], kept: std::ops::Range<usize>, other: std::ops::Range<usize>) -> usize {
    let (mut end, mut at) = (kept.start, other.start);
    for place in kept {
        while at < other.end && ranks[at] < ranks[place] {
            at += 1;
        }
        if at < other.end && ranks[at] == ranks[place] {
            ranks[end] = ranks[place];
            end += 1;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_what_they_share() {
        let mut ranks = [1, 3, 5, 7, 0, 3, 7, 9];
        assert_eq!(keep_shared(&mut ranks, 0..4, 4..8), 2);
        assert_eq!(ranks[..2], [3, 7]);
    }
}
