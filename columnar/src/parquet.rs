//! Parquet files, column by column.

use crate::decode::{Coder, check_schema};
use crate::encode::Batches;
use crate::guard::{Pages, Sound, check_cells, has_sound_schema};
use crate::{damaged, guarded, io_error, open, table, too_many_rows, unwritten};
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowGroups};
use ::parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::column::page::{PageIterator, PageReader};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;
use sfumato::data::{Column, Format, ReadOptions, Table, check_room};
use sfumato::{Error, Result};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time, per column.
const ROWS: usize = 1 << 13;

const MAGIC: &[u8] = b"PAR1";

pub(crate) struct Parquet;

impl Format for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn summary(&self) -> &'static str {
        "Apache Parquet; nested columns are refused, written without statistics"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["parquet", "pq"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let (mut file, length) = open(path)?;
        check_footer(&mut file, length, path).map_err(|error| error.file(path))?;
        guarded("Parquet", || read(path, &file, length, options)).map_err(|error| error.file(path))
    }

    fn write(&self, table: &Table, path: &Path) -> Result<()> {
        let batches = Batches::new(table)?;
        let file = File::create(path).map_err(|error| Error::io(&error, path))?;
        let attempt = || -> ParquetResult<()> {
            let options = ArrowWriterOptions::new().with_properties(properties()).with_skip_arrow_metadata(true);
            let mut writer = ArrowWriter::try_new_with_options(&file, batches.schema.clone(), options)?;
            for batch in batches.iter() {
                writer.write(&batch?)?;
            }
            // Unlike `into_inner`, this hands on why the system did not write.
            writer.finish()?;
            Ok(file.sync_all()?)
        };
        attempt().map_err(|error| unwritten(error, path))
    }
}

/// Smallest and largest values, counts and filters would tell more than the cells do.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_created_by("sfumato".into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_write_page_header_statistics(false)
        .set_offset_index_disabled(true)
        .set_bloom_filter_enabled(false)
        .build()
}

/// Refuses what is no Parquet file, and a footer that the library could not stand.
fn check_footer(file: &mut File, length: u64, path: &Path) -> Result<()> {
    let mut bytes = |start: u64, count: usize| {
        let mut bytes = vec![0; count];
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut bytes));
        read.map(|()| bytes).map_err(|error| failed(&error.into(), path))
    };
    let (Some(end), true) = (length.checked_sub(8), length >= 12) else { return Err(damaged("Parquet")) };
    let (head, tail) = (bytes(0, 4)?, bytes(end, 8)?);
    if &tail[4..] == b"PARE" {
        return Err(Error::data("is an encrypted Parquet file").help("decrypt it first"));
    }
    if head != MAGIC && &tail[4..] != MAGIC {
        return Err(Error::data("is not a Parquet file").help("check the ending of its name"));
    }
    if &tail[4..] != MAGIC {
        return Err(Error::data("is a Parquet file without its end: it was cut short").help("deliver it again"));
    }
    let footer = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    let start = end.checked_sub(footer.into()).ok_or_else(|| damaged("Parquet"))?;
    if has_sound_schema(&bytes(start, footer as usize)?) { Ok(()) } else { Err(damaged("Parquet")) }
}

fn read(path: &Path, file: &File, length: u64, options: &ReadOptions) -> Result<Table> {
    let loaded = ArrowReaderMetadata::load(file, ArrowReaderOptions::new());
    let loaded = loaded.map_err(|error| failed(&error, path))?;
    check_schema(loaded.schema())?;
    let metadata = loaded.metadata();
    let claimed = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).ok());
    let rows = claimed.sum::<Option<u64>>().ok_or_else(|| damaged("Parquet"))?;
    check_cells(rows, loaded.schema().fields().len(), length)?;
    let rows = u32::try_from(rows).map_err(|_| too_many_rows())? as usize;
    check_room(rows as u64, loaded.schema().fields().len(), options.memory)?;
    check_compression(metadata)?;
    // Column after column, so that only few pages are in memory at a time.
    let columns = (0..loaded.schema().fields().len()).into_par_iter().with_max_len(1);
    let columns = columns.map(|at| read_column(path, &loaded, at, rows, options));
    table(columns.collect::<Result<Vec<Column>>>()?)
}

fn check_compression(metadata: &ParquetMetaData) -> Result<()> {
    let chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let unknown = |codec: &Compression| matches!(codec, Compression::BROTLI(_) | Compression::LZO);
    match chunks.map(|chunk| chunk.compression()).find(unknown) {
        Some(_) => Err(Error::data("is compressed in a way that is not supported (Brotli or LZO)")
            .help("write it with Zstandard, Snappy, Gzip or LZ4")),
        None => Ok(()),
    }
}

fn read_column(
    path: &Path,
    loaded: &ArrowReaderMetadata,
    at: usize,
    rows: usize,
    options: &ReadOptions,
) -> Result<Column> {
    let schema = loaded.parquet_schema();
    let mask = ProjectionMask::leaves(schema, [at]);
    let attempt = || -> ParquetResult<ParquetRecordBatchReader> {
        let levels = parquet_to_arrow_field_levels(schema, mask, Some(loaded.schema().fields()))?;
        // Columns are read at the same time: each needs a place in the file of its own.
        let chunks = Chunks { file: Arc::new(Sound::new(File::open(path)?)), metadata: loaded.metadata().clone() };
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, &chunks, ROWS, None)
    };
    let batches = attempt().map_err(|error| failed(&error, path))?;
    let mut coder = Coder::new(loaded.schema().field(at).name(), options);
    for batch in batches {
        let batch = batch.map_err(|error| failed(&ParquetError::External(Box::new(error)), path))?;
        coder.append(batch.column(0))?;
        if coder.rows() > rows {
            break;
        }
    }
    if coder.rows() == rows { Ok(coder.column(options)) } else { Err(damaged("Parquet")) }
}

/// Only failures of the system are told as they are.
fn failed(error: &ParquetError, path: &Path) -> Error {
    let from_system = io_error(error).filter(|error| error.raw_os_error().is_some());
    match from_system.filter(|error| error.kind() != ErrorKind::InvalidInput) {
        Some(error) => Error::io(error, path),
        None => damaged("Parquet"),
    }
}

/// The column chunks of a file, page by page.
struct Chunks {
    file: Arc<Sound>,
    metadata: Arc<ParquetMetaData>,
}

impl RowGroups for Chunks {
    fn num_rows(&self) -> usize {
        self.metadata.row_groups().iter().map(|group| group.num_rows() as usize).sum()
    }

    fn column_chunks(&self, at: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let chunks = Chunks { file: self.file.clone(), metadata: self.metadata.clone() };
        Ok(Box::new(ChunkIterator { chunks, at, group: 0 }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

struct ChunkIterator {
    chunks: Chunks,
    at: usize,
    group: usize,
}

impl Iterator for ChunkIterator {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.chunks.metadata.row_groups().get(self.group)?;
        self.group += 1;
        let (chunk, rows) = (group.column(self.at), group.num_rows() as usize);
        let pages = SerializedPageReader::new(self.chunks.file.clone(), chunk, rows, None);
        let optional = chunk.column_descr().max_def_level() > 0;
        Some(pages.map(|pages| Box::new(Pages { pages, rows, optional }) as Box<dyn PageReader>))
    }
}

impl PageIterator for ChunkIterator {}
