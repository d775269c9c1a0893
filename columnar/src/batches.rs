//! Record batches that are in memory: what other programs hand over and take.

use crate::decode::{Coder, check_schema};
use crate::encode::Batches;
use crate::{guarded, table, unreadable_stream};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use rayon::prelude::*;
use sfumato::data::{ReadOptions, Table, check_room};
use sfumato::{Error, Result};

/// The table that record batches of one schema hold. Each batch is let go once it is coded.
///
/// ```
/// use sfumato::data::{ReadOptions, sample};
/// use sfumato_columnar::{record_batches, schema, table_of};
///
/// let table = sample::hospital(100, 1);
/// let batches = record_batches(&table)?;
/// assert_eq!(table_of(&*schema(&table)?, batches.into_iter().map(Ok), &ReadOptions::default())?, table);
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn table_of(
    schema: &Schema,
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>>,
    options: &ReadOptions,
) -> Result<Table> {
    let part = options.part.as_ref().map(|part| part.key().0);
    if let Some(key) = options.said_of_text().or(part) {
        let error = Error::plan(format!("[data] `{key}` has no effect: a frame carries its columns itself"));
        return Err(error.help("leave it out"));
    }
    check_schema(schema)?;
    let mut coders: Vec<Coder> = schema.fields().iter().map(|field| Coder::new(field.name(), options)).collect();
    let stage = options.watcher.watch().stage("reading", None);
    let mut rows = 0;
    guarded("Arrow", || {
        for batch in batches {
            let batch = batch.map_err(|_| unreadable_stream())?;
            // Whoever handed it over was not asked whether it is well formed.
            let malformed = |column: &ArrayRef| column.to_data().validate_full().is_err();
            if batch.columns().par_iter().any(malformed) {
                return Err(Error::data("an Arrow array is malformed").help("check the program that hands it over"));
            }
            rows += batch.num_rows() as u64;
            check_room(rows, coders.len(), options.memory)?;
            let code = |(at, coder): (usize, &mut Coder)| coder.append(batch.column(at));
            coders.par_iter_mut().enumerate().with_max_len(1).try_for_each(code)?;
            stage.advance(batch.num_rows() as u64);
        }
        let table = table(coders.into_par_iter().with_max_len(1).map(|coder| coder.column(options)).collect())?;
        table.check_types(&options.types)?;
        table.check_written(&options.written)?;
        Ok(table)
    })
}

/// The types of a table's columns, as its record batches have them.
pub fn schema(table: &Table) -> Result<SchemaRef> {
    Ok(Batches::new(table)?.schema)
}

/// The rows of a table: numbers, dates, and texts as dictionaries that hold nothing but what is in a
/// row.
pub fn record_batches(table: &Table) -> Result<Vec<RecordBatch>> {
    let batches = Batches::new(table)?;
    batches.iter().collect::<std::result::Result<_, _>>().map_err(|_| unreadable_stream())
}
