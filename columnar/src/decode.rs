//! From Arrow arrays to coded columns.

use crate::too_many_rows;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_datetime, as_time};
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, StringArrayType, new_empty_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use foldhash::fast::RandomState;
use sfumato::data::{Column, Encoding, Lexicon, ReadOptions};
use sfumato::{Error, Fault, Result};
use std::collections::HashMap;

/// More columns than this are no table about people; every further one would cost time with all
/// others.
const MOST_COLUMNS: usize = 10_000;

/// Numbers whose codes are remembered, per column.
const REMEMBERED: usize = 1 << 16;

/// A code that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Refuses a schema that is no table of plain values.
pub(crate) fn check_schema(schema: &Schema) -> Result<()> {
    if schema.fields().is_empty() {
        return Err(Error::data("the table has no records").help("the file has no columns"));
    }
    if schema.fields().len() > MOST_COLUMNS {
        let message = format!("has {} columns; at most {MOST_COLUMNS} are read", schema.fields().len());
        return Err(Error::new(Fault::Resources, message).help("drop columns that are not needed"));
    }
    let readable = |field: &&Field| cells(&new_empty_array(field.data_type())).is_some();
    match schema.fields().iter().map(AsRef::as_ref).find(|field| !readable(field)) {
        Some(field) => Err(unreadable(field)),
        None => Ok(()),
    }
}

fn unreadable(field: &Field) -> Error {
    use DataType::*;
    let (kind, help) = match field.data_type() {
        List(_) | LargeList(_) | ListView(_) | LargeListView(_) | FixedSizeList(..) => ("list", "flatten"),
        Struct(_) => ("struct", "flatten"),
        Map(..) => ("map", "flatten"),
        Union(..) => ("union", "flatten"),
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => ("binary", "convert"),
        Duration(_) => ("duration", "convert"),
        Interval(_) => ("interval", "convert"),
        RunEndEncoded(..) => ("run-end encoded", "convert"),
        _ => ("dictionary of nested values", "flatten"),
    };
    let message = format!("column \"{}\" is of type {kind}; only plain values can be read", field.name());
    let help = match help {
        "flatten" => "flatten it into columns of numbers, dates or text, or drop it",
        _ => "convert it to numbers, dates or text, or drop it",
    };
    Error::data(message).help(help)
}

/// Codes one column, array after array.
pub(crate) struct Coder {
    name: String,
    lexicon: Lexicon,
    codes: Vec<u32>,
    /// How a null is written, and its code once there is one.
    null_text: String,
    null: Option<u32>,
    /// Codes of numbers, so that only new ones are written out.
    numbers: HashMap<i64, u32, RandomState>,
    /// The values of the last dictionary array, and their codes.
    dictionary: Option<ArrayRef>,
    entries: Vec<u32>,
}

impl Coder {
    pub(crate) fn new(name: &str, options: &ReadOptions) -> Self {
        Coder {
            name: name.to_string(),
            lexicon: Lexicon::new(),
            codes: Vec::new(),
            null_text: options.missing.first().cloned().unwrap_or_default(),
            null: None,
            numbers: HashMap::default(),
            dictionary: None,
            entries: Vec::new(),
        }
    }

    /// How many rows are coded.
    pub(crate) fn rows(&self) -> usize {
        self.codes.len()
    }

    /// Codes the next rows.
    pub(crate) fn append(&mut self, array: &dyn Array) -> Result<()> {
        if array.len() > u32::MAX as usize - self.codes.len() {
            return Err(too_many_rows());
        }
        self.look_at_dictionary(array);
        let cells = cells(array).expect("the schema has been checked");
        let nulls = array.nulls();
        for row in 0..array.len() {
            let code = match nulls.is_some_and(|nulls| nulls.is_null(row)) {
                true => Some(self.null()),
                false => cells(self, row),
            };
            self.codes.push(code.ok_or_else(|| self.beyond_the_calendar())?);
        }
        Ok(())
    }

    /// The finished column, typed as the options say.
    pub(crate) fn column(self, options: &ReadOptions) -> Column {
        // Nulls are missing even where no text is.
        let only_nulls = [String::new()];
        let nothing_declared = options.missing.is_empty() && self.null.is_some();
        let missing: &[String] = if nothing_declared { &only_nulls } else { &options.missing };
        let turns = [(0, self.codes.len())];
        let encoding = Encoding { missing, ..options.encoding_of(&self.name) };
        encoding.column(self.name, vec![(self.lexicon, self.codes)], &turns)
    }

    fn null(&mut self) -> u32 {
        *self.null.get_or_insert_with(|| self.lexicon.code(&self.null_text))
    }

    fn number(&mut self, key: Option<i64>, text: impl FnOnce() -> Option<String>) -> Option<u32> {
        if let Some(&code) = key.and_then(|key| self.numbers.get(&key)) {
            return Some(code);
        }
        let code = self.lexicon.code(&text()?);
        if let Some(key) = key.filter(|_| self.numbers.len() < REMEMBERED) {
            self.numbers.insert(key, code);
        }
        Some(code)
    }

    /// Forgets the codes of the last dictionary unless the array shares it.
    fn look_at_dictionary(&mut self, array: &dyn Array) {
        let Some(array) = array.as_any_dictionary_opt() else { return };
        let values = array.values();
        if !self.dictionary.as_ref().is_some_and(|known| known.to_data().ptr_eq(&values.to_data())) {
            self.entries = vec![UNKNOWN; values.len()];
            self.dictionary = Some(values.clone());
        }
    }

    fn beyond_the_calendar(&self) -> Error {
        let message =
            format!("column \"{}\": the date or time in record {} does not exist", self.name, self.rows() + 1);
        Error::data(message).help("mend the value, or make it null")
    }
}

/// Codes the cell in a row that is not null; `None` if it is a point in time that no calendar has.
type Cells<'a> = Box<dyn Fn(&mut Coder, usize) -> Option<u32> + 'a>;

/// How the cells of an array are coded; `None` if they are no plain values. This is the list of
/// readable types.
fn cells(array: &dyn Array) -> Option<Cells<'_>> {
    use DataType::*;
    use TimeUnit::*;
    Some(match array.data_type() {
        Null => Box::new(|coder, _| Some(coder.null())),
        Boolean => {
            let values = array.as_boolean();
            Box::new(move |coder, row| Some(coder.lexicon.code(if values.value(row) { "true" } else { "false" })))
        }
        Utf8 => text(array.as_string::<i32>()),
        LargeUtf8 => text(array.as_string::<i64>()),
        Utf8View => text(array.as_string_view()),
        Int8 => number::<Int8Type>(array, |value| Some(value.to_string())),
        Int16 => number::<Int16Type>(array, |value| Some(value.to_string())),
        Int32 => number::<Int32Type>(array, |value| Some(value.to_string())),
        Int64 => number::<Int64Type>(array, |value| Some(value.to_string())),
        UInt8 => number::<UInt8Type>(array, |value| Some(value.to_string())),
        UInt16 => number::<UInt16Type>(array, |value| Some(value.to_string())),
        UInt32 => number::<UInt32Type>(array, |value| Some(value.to_string())),
        UInt64 => number::<UInt64Type>(array, |value| Some(value.to_string())),
        Float16 => float::<Float16Type>(array, |value| value.to_f32().into(), |value| value.to_f32().to_string()),
        Float32 => float::<Float32Type>(array, f64::from, |value| value.to_string()),
        Float64 => float::<Float64Type>(array, |value| value, |value| value.to_string()),
        &Decimal32(digits, scale) => decimal::<Decimal32Type>(array, digits, scale),
        &Decimal64(digits, scale) => decimal::<Decimal64Type>(array, digits, scale),
        &Decimal128(digits, scale) => decimal::<Decimal128Type>(array, digits, scale),
        &Decimal256(digits, scale) => decimal::<Decimal256Type>(array, digits, scale),
        Date32 => number::<Date32Type>(array, |value| date::<Date32Type>(value.into())),
        Date64 => number::<Date64Type>(array, date::<Date64Type>),
        Timestamp(Second, zone) => moment::<TimestampSecondType>(array, zone.is_some()),
        Timestamp(Millisecond, zone) => moment::<TimestampMillisecondType>(array, zone.is_some()),
        Timestamp(Microsecond, zone) => moment::<TimestampMicrosecondType>(array, zone.is_some()),
        Timestamp(Nanosecond, zone) => moment::<TimestampNanosecondType>(array, zone.is_some()),
        Time32(Second) => number::<Time32SecondType>(array, |value| time::<Time32SecondType>(value.into())),
        Time32(_) => number::<Time32MillisecondType>(array, |value| time::<Time32MillisecondType>(value.into())),
        Time64(Microsecond) => number::<Time64MicrosecondType>(array, time::<Time64MicrosecondType>),
        Time64(_) => number::<Time64NanosecondType>(array, time::<Time64NanosecondType>),
        Dictionary(..) => dictionary(array)?,
        _ => return None,
    })
}

fn text<'a>(values: impl StringArrayType<'a> + 'a) -> Cells<'a> {
    Box::new(move |coder, row| Some(coder.lexicon.code(values.value(row))))
}

fn number<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    text: impl Fn(T::Native) -> Option<String> + 'a,
) -> Cells<'a> {
    let values = array.as_primitive::<T>();
    Box::new(move |coder, row| {
        let value = values.value(row);
        coder.number(value.to_i64(), || text(value))
    })
}

/// What is not a number is missing: data frames store it so.
fn float<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    widened: impl Fn(T::Native) -> f64 + 'a,
    text: impl Fn(T::Native) -> String + 'a,
) -> Cells<'a> {
    let values = array.as_primitive::<T>();
    Box::new(move |coder, row| {
        let value = values.value(row);
        match widened(value) {
            number if number.is_nan() => Some(coder.null()),
            number => coder.number(Some(number.to_bits() as i64), || Some(text(value))),
        }
    })
}

fn decimal<T: DecimalType>(array: &dyn Array, digits: u8, scale: i8) -> Cells<'_> {
    number::<T>(array, move |value| Some(T::format_decimal(value, digits, scale)))
}

fn date<T: ArrowPrimitiveType>(value: i64) -> Option<String> {
    Some(as_datetime::<T>(value)?.date().to_string())
}

fn time<T: ArrowPrimitiveType>(value: i64) -> Option<String> {
    Some(as_time::<T>(value)?.to_string())
}

/// Points in time that have a zone are told in UTC, whatever the zone: no table of zones is needed,
/// and none can be wrong. Midnight without a zone is a date: data frames store dates so.
fn moment<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array, zoned: bool) -> Cells<'_> {
    let end = if zoned { "Z" } else { "" };
    number::<T>(array, move |value| {
        let moment = as_datetime::<T>(value)?;
        let midnight = !zoned && value.rem_euclid(per_day::<T>()) == 0;
        Some(if midnight { moment.date().to_string() } else { format!("{moment:?}{end}") })
    })
}

/// How many of a timestamp's units make a day.
fn per_day<T: ArrowPrimitiveType>() -> i64 {
    use arrow_schema::TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    let per_second = match T::DATA_TYPE {
        DataType::Timestamp(Second, _) => 1,
        DataType::Timestamp(Millisecond, _) => 1_000,
        DataType::Timestamp(Microsecond, _) => 1_000_000,
        DataType::Timestamp(Nanosecond, _) => 1_000_000_000,
        _ => unreachable!("only timestamps are moments"),
    };
    86_400 * per_second
}

/// Each dictionary value is coded when a row needs it first: values without a row must not get into
/// the column.
fn dictionary(array: &dyn Array) -> Option<Cells<'_>> {
    let array = array.as_any_dictionary();
    let values = array.values();
    let inner = cells(values)?;
    let keys = if values.is_empty() { Vec::new() } else { array.normalized_keys() };
    Some(Box::new(move |coder, row| {
        let Some(&key) = keys.get(row) else { return Some(coder.null()) };
        if coder.entries[key] == UNKNOWN {
            coder.entries[key] = if values.is_null(key) { coder.null() } else { inner(coder, key)? };
        }
        Some(coder.entries[key])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::*;
    use arrow_buffer::i256;
    use sfumato::data::ValueType;
    use std::sync::Arc;

    fn read_with(arrays: &[&dyn Array], options: &ReadOptions) -> Column {
        let mut coder = Coder::new("x", options);
        arrays.iter().for_each(|array| coder.append(*array).unwrap());
        coder.column(options)
    }

    fn read(array: impl Array) -> (Vec<String>, ValueType) {
        let column = read_with(&[&array], &ReadOptions::default());
        let values = (0..array.len()).map(|row| column.value(row).to_string()).collect();
        (values, column.domain().value_type())
    }

    #[track_caller]
    fn check<const N: usize>(array: impl Array, expected: [&str; N], kind: ValueType) {
        assert_eq!(read(array), (expected.map(String::from).to_vec(), kind));
    }

    #[test]
    fn every_plain_type_is_read() {
        use ValueType::*;
        check(Int8Array::from(vec![-128, 9]), ["-128", "9"], Integer);
        check(Int16Array::from(vec![-300, 9]), ["-300", "9"], Integer);
        check(Int32Array::from(vec![-70_000, 9]), ["-70000", "9"], Integer);
        check(Int64Array::from(vec![-1, 1 << 40]), ["-1", "1099511627776"], Integer);
        check(UInt8Array::from(vec![255, 9]), ["255", "9"], Integer);
        check(UInt16Array::from(vec![65_535, 9]), ["65535", "9"], Integer);
        check(UInt32Array::from(vec![u32::MAX, 9]), ["4294967295", "9"], Integer);
        check(UInt64Array::from(vec![u64::MAX, 9]), ["18446744073709551615", "9"], Decimal);
        check(BooleanArray::from(vec![true, false]), ["true", "false"], Text);
        check(StringArray::from(vec!["é", "x"]), ["é", "x"], Text);
        check(LargeStringArray::from(vec!["é", "x"]), ["é", "x"], Text);
        check(
            StringViewArray::from(vec!["a text of more than twelve bytes", "x"]),
            ["a text of more than twelve bytes", "x"],
            Text,
        );
        check(Float64Array::from(vec![0.1, 1e21, -0.0]), ["0.1", "1000000000000000000000", "-0"], Decimal);
        check(Float32Array::from(vec![0.1, 2.5]), ["0.1", "2.5"], Decimal);
        check(Float64Array::from(vec![f64::NAN, 0.5]), ["", "0.5"], Decimal);
        check(Float32Array::from(vec![f32::NAN, f32::INFINITY]), ["", "inf"], Text);
        check(
            Decimal128Array::from(vec![150, -5]).with_precision_and_scale(10, 2).unwrap(),
            ["1.50", "-0.05"],
            Decimal,
        );
        check(
            Decimal256Array::from(vec![i256::MINUS_ONE]).with_precision_and_scale(10, 2).unwrap(),
            ["-0.01"],
            Decimal,
        );
        check(Decimal64Array::from(vec![7]).with_precision_and_scale(10, 1).unwrap(), ["0.7"], Decimal);
        check(Date32Array::from(vec![0, -1]), ["1970-01-01", "1969-12-31"], Date);
        check(Date64Array::from(vec![86_400_000, -1]), ["1970-01-02", "1969-12-31"], Date);
        check(TimestampSecondArray::from(vec![0, 86_400]), ["1970-01-01", "1970-01-02"], Date);
        check(TimestampSecondArray::from(vec![1]), ["1970-01-01T00:00:01"], Timestamp);
        check(TimestampMicrosecondArray::from(vec![1]), ["1970-01-01T00:00:00.000001"], Timestamp);
        let zoned = TimestampMillisecondArray::from(vec![1500]).with_timezone("Europe/Rome");
        check(zoned, ["1970-01-01T00:00:01.500Z"], Timestamp);
        check(Time64NanosecondArray::from(vec![60_000_000_000]), ["00:01:00"], Time);
        check(NullArray::new(2), ["", ""], Text);
    }

    #[test]
    fn nulls_are_missing_whatever_the_options_say() {
        let array = Int32Array::from(vec![Some(3), None]);
        for (tokens, label) in [(vec![], ""), (vec!["?".to_string(), "NA".to_string()], "?")] {
            let column = read_with(&[&array], &ReadOptions { missing: tokens, ..Default::default() });
            assert_eq!((column.codes(), column.domain().missing(), column.value(1)), (&[0, 1][..], Some(1), label));
            assert_eq!(column.domain().value_type(), ValueType::Integer);
        }
        let full = StringArray::from(vec!["", "x"]);
        let column = read_with(&[&full], &ReadOptions { missing: vec![], ..Default::default() });
        assert_eq!(column.domain().missing(), None, "without nulls, an empty text is a text");
    }

    #[test]
    fn dictionaries_bring_only_values_that_have_rows() {
        let values: ArrayRef = Arc::new(StringArray::from(vec![Some("never"), Some("b"), None, Some("a")]));
        let array = |keys: Vec<Option<i8>>| DictionaryArray::new(Int8Array::from(keys), values.clone());
        let first = array(vec![Some(3), Some(1), Some(2), None]);
        let second = array(vec![Some(1)]);
        let numbers: ArrayRef = Arc::new(StringArray::from(vec!["c"]));
        let other = DictionaryArray::new(Int8Array::from(vec![0]), numbers);
        let column = read_with(&[&first, &second, &other], &ReadOptions::default());
        let labels: Vec<&str> = column.domain().labels().iter().collect();
        assert_eq!(labels, ["a", "b", "c", ""]);
        assert_eq!(column.codes(), [0, 1, 3, 3, 1, 2]);
        let empty = DictionaryArray::new(Int8Array::from(vec![None]), Arc::new(Int64Array::from(Vec::<i64>::new())));
        assert_eq!(read(empty).0, [""]);
    }

    #[test]
    fn declared_types_are_honoured() {
        let options = ReadOptions { types: vec![("x".into(), ValueType::Text)], ..Default::default() };
        let column = read_with(&[&Int32Array::from(vec![9, 10])], &options);
        assert_eq!((column.domain().value_type(), column.codes()), (ValueType::Text, &[1, 0][..]));
    }

    #[test]
    fn dates_beyond_the_calendar_are_refused_by_record() {
        let mut coder = Coder::new("born", &ReadOptions::default());
        let error = coder.append(&Date64Array::from(vec![0, i64::MAX])).unwrap_err();
        assert!(error.message().contains("\"born\"") && error.message().contains("record 2"), "{error}");
    }

    #[test]
    fn nested_types_are_refused_by_name() {
        let item = || Arc::new(Field::new("item", DataType::Int8, true));
        let key = || Box::new(DataType::Int8);
        let refused = [
            DataType::List(item()),
            DataType::Struct(vec![item()].into()),
            DataType::Binary,
            DataType::FixedSizeBinary(16),
            DataType::Duration(TimeUnit::Second),
            DataType::Dictionary(key(), Box::new(DataType::Binary)),
        ];
        for kind in refused {
            let schema = Schema::new(vec![Field::new("visits", kind.clone(), true)]);
            let error = check_schema(&schema).unwrap_err().to_string();
            assert!(error.contains("\"visits\"") && error.contains("drop it"), "{kind}: {error}");
        }
        assert!(check_schema(&Schema::empty()).unwrap_err().message().contains("no records"));
    }

    #[test]
    fn many_different_numbers_are_coded_beyond_what_is_remembered() {
        let values: Vec<i64> = (0..200_000).map(|n| n % 150_000).collect();
        let column = read_with(&[&Int64Array::from(values.clone())], &ReadOptions::default());
        assert_eq!(column.domain().len(), 150_000);
        assert!(column.codes().iter().zip(&values).all(|(&code, &value)| i64::from(code) == value));
    }
}
