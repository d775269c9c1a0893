//! From tables to Arrow record batches.

use arrow_array::types::{ArrowPrimitiveType, Date32Type, Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, DictionaryArray, Int32Array, LargeStringArray, PrimitiveArray, RecordBatch,
    StringArray, UInt32Array,
};
use arrow_cast::parse::Parser;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use sfumato::data::{Column, Table, ValueType};
use sfumato::{Error, Fault, Result};
use std::sync::Arc;

/// Rows per record batch.
const ROWS: usize = 1 << 16;

/// A table as Arrow sees it.
pub(crate) struct Batches<'a> {
    pub(crate) schema: SchemaRef,
    table: &'a Table,
    columns: Vec<Written>,
}

impl<'a> Batches<'a> {
    pub(crate) fn new(table: &'a Table) -> Result<Self> {
        let columns = table.columns().iter().map(Written::new).collect::<Result<Vec<_>>>()?;
        let fields = table.columns().iter().zip(&columns).map(|(column, written)| written.field(column));
        Ok(Batches { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())), table, columns })
    }

    /// The rows, some at a time.
    pub(crate) fn iter(&self) -> impl Iterator<Item = std::result::Result<RecordBatch, ArrowError>> {
        (0..self.table.rows()).step_by(ROWS).map(|start| {
            let rows = start..self.table.rows().min(start + ROWS);
            let columns = self.table.columns().iter().zip(&self.columns);
            let arrays = columns.map(|(column, written)| written.array(&column.codes()[rows.clone()]));
            RecordBatch::try_new(self.schema.clone(), arrays.collect::<std::result::Result<_, _>>()?)
        })
    }
}

/// What the codes of a column are written as: numbers and dates, or keys of a dictionary of texts.
struct Written {
    /// By code; null for the missing value, and for values without a row, so that those cannot get
    /// out.
    values: ArrayRef,
    texts: Option<ArrayRef>,
    nullable: bool,
}

impl Written {
    fn new(column: &Column) -> Result<Self> {
        let (domain, counts) = (column.domain(), column.counts());
        let label = |code: u32| {
            let written = counts[code as usize] > 0 && domain.missing() != Some(code);
            written.then(|| domain.label(code))
        };
        let labels: Vec<Option<&str>> = (0..domain.len() as u32).map(label).collect();
        let nullable = domain.missing().is_some_and(|code| counts[code as usize] > 0);
        let typed = match domain.value_type() {
            ValueType::Integer => typed::<Int64Type>(&labels, ValueType::Integer, |label| label.parse().ok()),
            ValueType::Decimal => typed::<Float64Type>(&labels, ValueType::Decimal, float),
            ValueType::Date => typed::<Date32Type>(&labels, ValueType::Date, Date32Type::parse),
            ValueType::Text | ValueType::Timestamp | ValueType::Time => None,
        };
        match typed {
            Some(values) => Ok(Written { values, texts: None, nullable }),
            None => Written::text(&labels, nullable),
        }
    }

    fn text(labels: &[Option<&str>], nullable: bool) -> Result<Self> {
        let texts = || labels.iter().flatten();
        if i32::try_from(texts().count()).is_err() {
            let message = format!("a text column has more than {} different values", i32::MAX);
            return Err(Error::new(Fault::Resources, message).help("write the table as CSV"));
        }
        let mut keys = 0..;
        let values = labels.iter().map(|label| label.and_then(|_| keys.next())).collect::<Int32Array>();
        let texts: ArrayRef = match i32::try_from(texts().map(|text| text.len()).sum::<usize>()) {
            Ok(_) => Arc::new(StringArray::from_iter_values(texts())),
            Err(_) => Arc::new(LargeStringArray::from_iter_values(texts())),
        };
        Ok(Written { values: Arc::new(values), texts: Some(texts), nullable })
    }

    fn field(&self, column: &Column) -> Field {
        let values = self.values.data_type().clone();
        let data_type = match &self.texts {
            Some(texts) => DataType::Dictionary(Box::new(values), Box::new(texts.data_type().clone())),
            None => values,
        };
        Field::new(column.name(), data_type, self.nullable)
    }

    fn array(&self, codes: &[u32]) -> std::result::Result<ArrayRef, ArrowError> {
        let values = take(&self.values, &UInt32Array::from(codes.to_vec()), None)?;
        Ok(match &self.texts {
            Some(texts) => {
                let keys = Int32Array::from(values.to_data());
                Arc::new(DictionaryArray::try_new(keys, texts.clone())?)
            }
            None => values,
        })
    }
}

/// The labels as values of a type; `None` if one cannot be told by it (a declared type admits any
/// label).
fn typed<T: ArrowPrimitiveType>(
    labels: &[Option<&str>],
    kind: ValueType,
    parse: impl Fn(&str) -> Option<T::Native>,
) -> Option<ArrayRef> {
    let value = |label: &str| if kind.admits(label) { parse(label) } else { None };
    let values = labels.iter().map(|label| label.map(|label| value(label).ok_or(())).transpose());
    let values: Vec<Option<T::Native>> = values.collect::<std::result::Result<_, ()>>().ok()?;
    // Two spellings of one number are two values: as numbers they would be one.
    let mut told: Vec<T::Native> = values.iter().flatten().copied().collect();
    told.sort_unstable_by(|a, b| a.compare(*b));
    if told.windows(2).any(|two| two[0].is_eq(two[1])) {
        return None;
    }
    Some(Arc::new(PrimitiveArray::<T>::from_iter(values)))
}

/// A number, unless it has more digits than a float (account and card numbers, long amounts): none
/// must be lost.
fn float(label: &str) -> Option<f64> {
    let number: f64 = label.parse().ok()?;
    let is_plain = label.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
    (!is_plain || significant(&number.to_string()) == significant(label)).then_some(number)
}

/// A plain number without zeros that say nothing.
fn significant(number: &str) -> (bool, &str, &str) {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let (digits, part) = (whole.trim_start_matches('-').trim_start_matches('0'), part.trim_end_matches('0'));
    // Minus zero is zero.
    (whole.starts_with('-') && !(digits.is_empty() && part.is_empty()), digits, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::data::Domain;

    fn kind(column: Column) -> DataType {
        Batches::new(&Table::new(vec![column]).unwrap()).unwrap().schema.field(0).data_type().clone()
    }

    #[test]
    fn types_follow_the_values() {
        let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        assert_eq!(kind(Column::from_values("x", ["1", "2"])), DataType::Int64);
        assert_eq!(kind(Column::from_values("x", ["1.5", "2"])), DataType::Float64);
        assert_eq!(kind(Column::from_values("x", ["2021-03-31"])), DataType::Date32);
        assert_eq!(kind(Column::from_values("x", ["a"])), text);
        for long in ["1234567890123456789", "12345678901234567.89", "0.12345678901234567891"] {
            assert_eq!(kind(Column::from_values("x", [long, "0.5"])), text, "a float would lose digits of {long}");
        }
        assert_eq!(kind(Column::from_values("x", ["1.50", "-0.0", "-7", "0.25"])), DataType::Float64);
        let declared = Domain::new(["007", "8"].into_iter().collect(), ValueType::Integer, None);
        assert_eq!(kind(Column::new("x", vec![0, 1], declared)), text, "as a number 007 would lose its zeros");
    }

    #[test]
    fn values_without_a_row_do_not_get_out() {
        let domain = Domain::new(["a", "gone", "z"].into_iter().collect(), ValueType::Text, None);
        let table = Table::new(vec![Column::new("x", vec![2, 0, 2], domain)]).unwrap();
        let batches = Batches::new(&table).unwrap();
        let texts = batches.columns[0].texts.as_ref().unwrap();
        assert_eq!(texts.as_ref(), &StringArray::from(vec!["a", "z"]) as &dyn Array);
        let domain = Domain::new(["1", "77", "?"].into_iter().collect(), ValueType::Integer, Some(2));
        let table = Table::new(vec![Column::new("x", vec![0, 2], domain)]).unwrap();
        let batch = Batches::new(&table).unwrap().iter().next().unwrap().unwrap();
        let expected = arrow_array::Int64Array::from(vec![Some(1), None]);
        assert_eq!(batch.column(0).as_ref(), &expected as &dyn Array);
    }
}
