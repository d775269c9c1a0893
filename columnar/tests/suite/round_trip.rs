//! Tables that are written and read back, and files of other writers.

use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Int64Array, ListArray,
    NullArray, RecordBatch, StringArray, StringViewArray, TimestampMicrosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use sfumato::data::{Column, Domain, Formats, ReadOptions, Table, ValueType, sample};
use sfumato::{Error, Fault, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

const ENDINGS: [&str; 2] = ["parquet", "arrow"];

fn formats() -> Formats {
    Formats::default().with(sfumato_columnar::formats())
}

fn read(path: &Path) -> Result<Table> {
    formats().read(path, &ReadOptions::default())
}

fn folder() -> (TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().to_owned();
    (folder, move |name| base.join(name))
}

fn values(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).unwrap();
    (0..table.rows()).map(|row| column.value(row).to_string()).collect()
}

/// Writes a batch in every way there is, and reads each file.
fn through_all_writers(batch: &RecordBatch) -> Vec<Result<Table>> {
    let (_folder, path) = folder();
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
    ];
    let mut read_back = Vec::new();
    for (version, codec) in versions.into_iter().flat_map(|version| codecs.map(|codec| (version, codec))) {
        for dictionary in [true, false] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_compression(codec)
                .set_dictionary_enabled(dictionary);
            let file = File::create(path("x.parquet")).unwrap();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
            writer.write(batch).unwrap();
            writer.flush().unwrap();
            writer.write(batch).unwrap();
            writer.close().unwrap();
            read_back.push(read(&path("x.parquet")));
        }
    }
    for codec in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let file = File::create(path("x.feather")).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options.clone()).unwrap();
        writer.write(batch).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        read_back.push(read(&path("x.feather")));
        let file = File::create(path("x.ipc")).unwrap();
        let mut writer = StreamWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        writer.write(batch).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        read_back.push(read(&path("x.ipc")));
    }
    read_back
}

#[test]
fn the_sample_comes_back_as_it_was() {
    let (_folder, path) = folder();
    let table = sample::hospital(1000, 1);
    for ending in ["parquet", "pq", "arrow", "feather", "ipc"] {
        let path = path(&format!("patients.{ending}"));
        formats().write(&table, &path).unwrap();
        assert_eq!(read(&path).unwrap(), table, "{ending}");
    }
}

#[test]
fn more_rows_than_a_batch_come_back() {
    let (_folder, path) = folder();
    let table = sample::hospital(150_000, 2);
    for ending in ENDINGS {
        let path = path(&format!("patients.{ending}"));
        formats().write(&table, &path).unwrap();
        assert!(read(&path).unwrap() == table, "{ending}");
    }
}

#[test]
fn missing_values_and_types_come_back() {
    let missing = ["?".to_string()];
    let column = |name: &str, values: [&str; 3]| {
        let mut lexicon = sfumato::data::Lexicon::new();
        let codes = values.map(|value| lexicon.code(value)).to_vec();
        let encoding = sfumato::data::Encoding { missing: &missing, ..Default::default() };
        encoding.column(name.into(), vec![(lexicon, codes)], &[(0, 3)])
    };
    let table = Table::new(vec![
        column("integer", ["-7", "?", "12"]),
        column("decimal", ["1e3", "0.5", "?"]),
        column("date", ["?", "1850-01-01", "2021-03-31"]),
        column("text", ["", "?", "é\n\""]),
        column("nothing", ["?", "?", "?"]),
        column("long", ["12345678901234567890", "?", "2"]),
    ])
    .unwrap();
    let (_folder, path) = folder();
    for ending in ENDINGS {
        let path = path(&format!("x.{ending}"));
        formats().write(&table, &path).unwrap();
        let options = ReadOptions { missing: missing.to_vec(), ..Default::default() };
        let back = formats().read(&path, &options).unwrap();
        assert_eq!(values(&back, "decimal"), ["1000", "0.5", "?"], "a float has one way to be written");
        for (before, after) in table.columns().iter().zip(back.columns()) {
            assert_eq!(before.domain().value_type(), after.domain().value_type(), "{}", before.name());
            if before.name() != "decimal" {
                assert_eq!(before, after);
            }
        }
    }
}

#[test]
fn files_of_other_writers_are_read() {
    let dictionary: DictionaryArray<Int16Type> = vec![Some("b"), None, Some("a")].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("int", Arc::new(Int64Array::from(vec![Some(-5), None, Some(50)]))),
        ("float", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(7.0)]))),
        ("text", Arc::new(StringArray::from(vec![Some("x"), None, Some("é")]))),
        ("view", Arc::new(StringViewArray::from(vec![Some("x"), None, Some("more than twelve bytes")]))),
        ("date", Arc::new(Date32Array::from(vec![Some(0), None, Some(-1)]))),
        (
            "time",
            Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(1_500_000)]).with_timezone("+02:00")),
        ),
        (
            "decimal",
            Arc::new(Decimal128Array::from(vec![Some(150), None, Some(-5)]).with_precision_and_scale(9, 2).unwrap()),
        ),
        ("dictionary", Arc::new(dictionary)),
        ("null", Arc::new(NullArray::new(3))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    for table in through_all_writers(&batch.unwrap()) {
        let table = table.unwrap();
        let check = |name: &str, cells: [&str; 3], kind: ValueType| {
            assert_eq!(values(&table, name), [cells, cells].concat());
            let domain = table.column(name).unwrap().domain();
            assert_eq!((domain.value_type(), domain.missing()), (kind, Some(domain.len() as u32 - 1)), "{name}");
        };
        check("bool", ["true", "", "false"], ValueType::Text);
        check("int", ["-5", "", "50"], ValueType::Integer);
        check("float", ["0.1", "", "7"], ValueType::Decimal);
        check("text", ["x", "", "é"], ValueType::Text);
        check("view", ["x", "", "more than twelve bytes"], ValueType::Text);
        check("date", ["1970-01-01", "", "1969-12-31"], ValueType::Date);
        check("time", ["1970-01-01T00:00:00Z", "", "1970-01-01T00:00:01.500Z"], ValueType::Timestamp);
        check("decimal", ["1.50", "", "-0.05"], ValueType::Decimal);
        check("dictionary", ["b", "", "a"], ValueType::Text);
        check("null", ["", "", ""], ValueType::Text);
    }
}

/// Long enough for several pages and blocks of every encoding.
#[test]
fn every_encoding_of_parquet_is_read() {
    let numbers: Vec<Option<i64>> = (0..5000).map(|n| (n % 7 != 0).then_some(n * n % 1000)).collect();
    let texts: Vec<Option<String>> = numbers.iter().map(|n| n.map(|n| format!("text {n}"))).collect();
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("n", Arc::new(Int64Array::from(numbers.clone())) as ArrayRef, true),
        ("t", Arc::new(StringArray::from(texts.clone())) as ArrayRef, true),
    ])
    .unwrap();
    let (_folder, path) = folder();
    let encodings = [
        (Encoding::PLAIN, Encoding::PLAIN),
        (Encoding::DELTA_BINARY_PACKED, Encoding::DELTA_LENGTH_BYTE_ARRAY),
        (Encoding::BYTE_STREAM_SPLIT, Encoding::DELTA_BYTE_ARRAY),
    ];
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (number, text) in encodings {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(false)
                .set_data_page_row_count_limit(1500)
                .set_write_batch_size(500)
                .set_column_encoding("n".into(), number)
                .set_column_encoding("t".into(), text);
            let file = File::create(path("x.parquet")).unwrap();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let table = read(&path("x.parquet")).unwrap();
            let expected = |row: usize| numbers[row].map(|n| n.to_string()).unwrap_or_default();
            assert!((0..5000).all(|row| table.columns()[0].value(row) == expected(row)), "{number}");
            assert!(
                (0..5000).all(|row| table.columns()[1].value(row) == texts[row].as_deref().unwrap_or("")),
                "{text}"
            );
        }
    }
}

#[test]
fn nested_columns_are_refused_without_showing_cells() {
    let list = ListArray::from_iter_primitive::<Int16Type, _, _>([Some(vec![Some(31_313)])]);
    let columns: [(&str, ArrayRef); 2] =
        [("visits", Arc::new(list)), ("name", Arc::new(StringArray::from(vec!["SECRET"])))];
    for result in through_all_writers(&RecordBatch::try_from_iter(columns).unwrap()) {
        let error = result.unwrap_err();
        assert_eq!(error.fault(), Fault::Data);
        let message = error.to_string();
        assert!(message.contains("\"visits\" is of type list") && message.contains("drop it"), "{message}");
        assert!(!message.contains("SECRET") && !message.contains("31313"), "{message}");
    }
}

#[test]
fn repeated_names_and_empty_tables_are_refused() {
    let ones = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    let twice = RecordBatch::try_from_iter([("a", ones()), ("a", ones())]).unwrap();
    for result in through_all_writers(&twice) {
        assert!(result.unwrap_err().message().contains("same name"));
    }
    let empty = RecordBatch::try_from_iter([("a", ones())]).unwrap().slice(0, 0);
    let nothing = RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()));
    for result in through_all_writers(&empty).into_iter().chain(through_all_writers(&nothing)) {
        assert!(result.unwrap_err().message().contains("no records"));
    }
}

#[track_caller]
fn refused(result: Result<Table>, fault: Fault, part: &str) -> Error {
    let error = result.unwrap_err();
    assert_eq!(error.fault(), fault, "{error}");
    assert!(error.to_string().contains(part), "{error}");
    error
}

#[test]
fn what_is_no_such_file_is_named() {
    let (folder, path) = folder();
    for ending in ENDINGS {
        let path = path(&format!("x.{ending}"));
        refused(read(&path), Fault::Io, "no such file");
        for text in ["age,disease\n47,SECRET\n", "a", "PAR1", "ARROW1"] {
            std::fs::write(&path, text).unwrap();
            let error = refused(read(&path), Fault::Data, &format!("x.{ending}: is "));
            assert!(!error.to_string().contains("SECRET"));
        }
        std::fs::write(&path, "").unwrap();
        refused(read(&path), Fault::Data, "empty");
    }
    for format in sfumato_columnar::formats() {
        let error = format.read(folder.path(), &ReadOptions::default()).unwrap_err();
        assert!(error.message().contains("folder"), "{error}");
        let error = format.write(&sample::hospital(1, 1), &path("no/such/folder")).unwrap_err();
        assert!(error.message().contains("no such file"), "{error}");
    }
    std::fs::write(path("old.feather"), "FEA1 and more").unwrap();
    refused(read(&path("old.feather")), Fault::Data, "version 1");
    std::fs::write(path("x.parquet"), "PAR1 and more PARE").unwrap();
    refused(read(&path("x.parquet")), Fault::Data, "encrypted");
}

/// A table in which one value has no row any more.
fn suppressed() -> Table {
    let labels = ["kept", "suppressed"].into_iter().collect();
    let text = Column::new("text", vec![0, 0], Domain::new(labels, ValueType::Text, None));
    let labels = ["1", "7777"].into_iter().collect();
    Table::new(vec![text, Column::new("number", vec![0, 0], Domain::new(labels, ValueType::Integer, None))]).unwrap()
}

#[test]
fn parquet_holds_the_cells_and_nothing_about_them() {
    let (_folder, path) = folder();
    let path = path("x.parquet");
    for table in [sample::hospital(1000, 1), suppressed()] {
        formats().write(&table, &path).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let metadata = reader.metadata().file_metadata();
        assert_eq!(metadata.created_by(), Some("sfumato"));
        assert!(metadata.key_value_metadata().is_none());
        for (at, group) in reader.metadata().row_groups().iter().enumerate() {
            for (column, chunk) in group.columns().iter().enumerate() {
                assert!(chunk.statistics().is_none() && chunk.geo_statistics().is_none());
                assert!(
                    chunk.unencoded_byte_array_data_bytes().is_none() && chunk.definition_level_histogram().is_none()
                );
                assert!(chunk.bloom_filter_offset().is_none());
                assert!(chunk.column_index_offset().is_none() && chunk.offset_index_offset().is_none());
                for page in reader.get_row_group(at).unwrap().get_column_page_reader(column).unwrap() {
                    let page = page.unwrap();
                    assert!(page.statistics().is_none());
                    let holds = |bytes: &[u8]| page.buffer().windows(bytes.len()).any(|window| window == bytes);
                    assert!(!holds(b"suppressed") && !holds(&7777i64.to_le_bytes()));
                }
            }
        }
    }
}

#[test]
fn arrow_holds_no_value_without_a_row() {
    let (_folder, path) = folder();
    formats().write(&suppressed(), &path("x.arrow")).unwrap();
    let bytes = std::fs::read(path("x.arrow")).unwrap();
    let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    assert!(holds(b"kept") && !holds(b"suppressed") && !holds(&7777i64.to_le_bytes()));
}
