//! The share of all occurrences of items that were deleted.
//!
//! **Definition**: occurrences of the original that are not published, over all its occurrences; 0
//! if it has none. What is published under a coarser name is not deleted, also where several items
//! of a record became one. Sensitive items that are told for a group of records are published as
//! often as the group says. **Reference**: Jia, Pan, Xu, Zhu and Lo 2014, NS in equation (2).

use super::{Build, Compared, Metric};
use crate::kind::Kind;
use crate::transactions::{Released, Together, Transactions};

/// The description of the share.
pub const KIND: Kind<Build> = Kind {
    name: "deleted-share",
    summary: "The share of all occurrences of items that were deleted",
    reference: "Jia et al. 2014, equation (2)",
    params: &[],
    example: &[],
    build: |_| Box::new(DeletedShare),
};

struct DeletedShare;

impl Metric for DeletedShare {
    fn measure(&self, compared: &Compared<'_>) -> f64 {
        let all = compared.original.occurrences();
        let published = match compared.released {
            Released::Together(together) => kept(compared.original, together),
            Released::Separated(_) => compared.released.supports().iter().sum(),
        };
        all.saturating_sub(published) as f64 / all.max(1) as f64
    }
}

/// How many occurrences of the original are published, by whatever name.
fn kept(original: &Transactions, together: &Together) -> u64 {
    let Some(published_as) = &together.published_as else { return together.table.occurrences() };
    let of_record = |(had, has): (&[u32], &[u32])| {
        let is_kept = |item: &&u32| published_as[**item as usize].is_some_and(|to| has.binary_search(&to).is_ok());
        had.iter().filter(is_kept).count() as u64
    };
    original.iter().zip(together.table.iter()).map(of_record).sum()
}
