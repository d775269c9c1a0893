//! Damaged and lying files: an error or a table, but never a panic that gets out.

use arrow_array::{ArrayRef, Int64Array, NullArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};
use sfumato::data::{Column, Format, ReadOptions, Table, sample};
use sfumato::{Fault, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// How often each file is damaged at random. Set SFUMATO_DAMAGE for a long run.
fn times() -> u64 {
    std::env::var("SFUMATO_DAMAGE").ok().and_then(|times| times.parse().ok()).unwrap_or(150)
}

/// Files of both formats, in the ways that readers treat differently.
fn files(folder: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let table = sample::hospital(300, 1);
    let mut files = Vec::new();
    for format in sfumato_columnar::formats() {
        format.write(&table, &folder.join("x")).unwrap();
        files.push((format.name(), std::fs::read(folder.join("x")).unwrap()));
    }
    let numbers: Int64Array = (0..300).map(|n| (n % 5 > 0).then_some(n * n)).collect();
    let texts: StringArray = (0..300).map(|n| (n % 3 > 0).then(|| format!("value {}", n % 20))).collect();
    let columns: [(&str, ArrayRef); 2] = [("number", Arc::new(numbers)), ("text", Arc::new(texts))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for (version, dictionary, codec) in [
        (WriterVersion::PARQUET_1_0, true, Compression::UNCOMPRESSED),
        (WriterVersion::PARQUET_2_0, false, Compression::UNCOMPRESSED),
        (WriterVersion::PARQUET_2_0, true, Compression::SNAPPY),
        (WriterVersion::PARQUET_1_0, false, Compression::GZIP(Default::default())),
    ] {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(dictionary)
            .set_compression(codec);
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        files.push(("parquet", bytes));
    }
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        files.push(("arrow", writer.into_inner().unwrap()));
    }
    files
}

/// A small random number generator: the same numbers every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Flips bits, sets bytes, and writes large numbers.
fn damage(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        // Half of the damage near the end, where formats keep what matters most.
        let reach = if random.below(2) == 0 { bytes.len() } else { bytes.len().min(1500) };
        let at = bytes.len() - 1 - random.below(reach);
        match random.below(4) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = [0, 0x7f, 0x80, 0xff][random.below(4)],
            2 => bytes[at] = random.below(256) as u8,
            _ => bytes[at..].iter_mut().take(1 + random.below(8)).for_each(|byte| *byte = 0xff),
        }
    }
    bytes
}

/// Reads every variant of every file; panics of the libraries are silent, those that get out are
/// told.
fn no_panic_gets_out(variants: impl Fn(&[u8]) -> Vec<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let formats = sfumato_columnar::formats();
    let find = |name: &str| -> &dyn Format { formats.iter().find(|format| format.name() == name).unwrap().as_ref() };
    let path = folder.path().join("damaged");
    let mut escaped = Vec::new();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for (at, (name, bytes)) in files.iter().enumerate() {
        for (variant, bytes) in variants(bytes).iter().enumerate() {
            std::fs::write(&path, bytes).unwrap();
            let read = || drop(find(name).read(&path, &ReadOptions::default()));
            if catch_unwind(AssertUnwindSafe(read)).is_err() {
                escaped.push((at, *name, variant));
            }
        }
    }
    std::panic::set_hook(hook);
    assert!(escaped.is_empty(), "{escaped:?}");
}

#[test]
fn files_cut_short_are_refused() {
    no_panic_gets_out(|bytes| (0..bytes.len()).step_by(50).map(|length| bytes[..length].to_vec()).collect());
}

#[test]
fn damaged_files_do_no_harm() {
    no_panic_gets_out(|bytes| {
        let mut random = Random(bytes.len() as u64);
        (0..times()).map(|_| damage(bytes, &mut random)).collect()
    });
}

fn read(name: &str, bytes: &[u8]) -> Result<Table> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lying");
    std::fs::write(&path, bytes).unwrap();
    let formats = sfumato_columnar::formats();
    let format = formats.iter().find(|format| format.name() == name).unwrap();
    format.read(&path, &ReadOptions::default())
}

fn fault(name: &str, bytes: &[u8]) -> Fault {
    read(name, bytes).unwrap_err().fault()
}

fn stream(column: ArrayRef, codec: Option<CompressionType>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn a_schema_of_endless_depth_is_refused() {
    let levels = 200_000u32;
    // Version 1, then a list of structs: a name, a repetition and one child each.
    let mut footer = vec![0x15, 0x02, 0x19, 0xfc];
    footer.extend([levels as u8 | 0x80, (levels >> 7) as u8 | 0x80, (levels >> 14) as u8]);
    footer.extend([0x35, 0x02, 0x18, 0x01, b'x', 0x15, 0x02, 0x00].repeat(levels as usize));
    footer.push(0);
    let length = (footer.len() as u32).to_le_bytes();
    assert_eq!(fault("parquet", &[b"PAR1", &footer[..], &length, b"PAR1"].concat()), Fault::Data);
}

#[test]
fn more_rows_than_can_be_coded_are_refused() {
    let rows = u32::MAX as usize + 1;
    assert_eq!(fault("arrow", &stream(Arc::new(NullArray::new(rows)), None)), Fault::Resources);
}

#[test]
fn buffers_that_claim_to_unpack_to_too_much_are_refused() {
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let mut bytes = stream(Arc::new(Int64Array::from(vec![7; 1000])), Some(codec));
        let claim = 8000i64.to_le_bytes();
        let at = bytes.windows(8).rposition(|window| window == claim).unwrap();
        bytes[at..at + 8].copy_from_slice(&(1i64 << 40).to_le_bytes());
        assert_eq!(fault("arrow", &bytes), Fault::Resources);
    }
}

/// Files that claim far more than they hold, and what is said about them.
#[test]
fn small_files_that_claim_a_billion_values_are_refused_at_once() {
    let files: [(&str, &[u8]); 8] = [
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-billion-values")),
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-billion-values-of-no-width")),
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-billion-values-claimed")),
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-billion-nulls")),
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-billion-in-the-footer")),
        ("parquet", include_bytes!("../../../fuzz/corpus/parquet/a-thousand-groups-of-a-million")),
        ("arrow", include_bytes!("../../../fuzz/corpus/arrow/a-billion-nulls")),
        ("arrow", include_bytes!("../../../fuzz/corpus/arrow/as-many-nulls-as-can-be")),
    ];
    for (name, bytes) in files {
        let started = std::time::Instant::now();
        assert_eq!(fault(name, bytes), Fault::Resources);
        assert!(started.elapsed().as_secs() < 10, "it is refused before anything is read");
    }
}

#[test]
fn constant_columns_of_a_million_rows_are_no_bomb() {
    let batch = RecordBatch::try_from_iter([("x", Arc::new(Int64Array::from(vec![7; 1_000_000])) as ArrayRef)]);
    let mut bytes = Vec::new();
    let batch = batch.unwrap();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(read("parquet", &bytes).unwrap().rows(), 1_000_000);
    let packed = stream(Arc::new(Int64Array::from(vec![7; 1_000_000])), Some(CompressionType::ZSTD));
    assert_eq!(read("arrow", &packed).unwrap().rows(), 1_000_000);
}

#[test]
fn composed_and_decomposed_letters_and_nul_stay_values_of_their_own() {
    let values = ["caf\u{e9}", "cafe\u{301}", "\u{212b}", "\u{c5}", "A\u{30a}", "a\0b", "a", "\u{feff}a"];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let table = Table::new(vec![Column::from_values("x", values)]).unwrap();
    for format in sfumato_columnar::formats() {
        format.write(&table, &path).unwrap();
        let again = format.read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(again.columns()[0].domain().len(), values.len(), "{}", format.name());
        assert_eq!(again, table, "{}", format.name());
    }
}

#[test]
fn texts_that_are_none_are_refused_without_telling_them() {
    for bytes in [
        &include_bytes!("../../../fuzz/corpus/parquet/text-not-utf-8")[..],
        include_bytes!("../../../fuzz/corpus/parquet/text-longer-than-the-page"),
    ] {
        let error = read("parquet", bytes).unwrap_err();
        assert_eq!(error.fault(), Fault::Data);
        assert!(!error.to_string().contains("Zq7Canary"), "{error}");
    }
}

#[test]
fn headers_of_pages_with_endless_lists_are_refused_at_once() {
    for bytes in [
        &include_bytes!("../../../fuzz/corpus/parquet/a-header-with-two-billion-numbers")[..],
        include_bytes!("../../../fuzz/corpus/parquet/a-header-with-two-billion-flags"),
        include_bytes!("../../../fuzz/corpus/parquet/a-header-that-takes-forever"),
    ] {
        let started = std::time::Instant::now();
        assert_eq!(fault("parquet", bytes), Fault::Data);
        assert!(started.elapsed().as_secs() < 10, "nothing is gone through two billion times");
    }
}
