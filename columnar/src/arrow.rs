//! Arrow IPC files and streams, message by message.

use crate::decode::{Coder, check_schema};
use crate::encode::Batches;
use crate::guard::check_cells;
use crate::{damaged, guarded, open, table, unwritten};
use arrow_array::ArrayRef;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, Message, MessageHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use rayon::prelude::*;
use sfumato::data::{Format, ReadOptions, Table, check_room};
use sfumato::{Error, Fault, Result};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8] = b"ARROW1";

/// Comes before the length of a message since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// A compressed buffer may unpack to this many bytes.
const LARGEST_BUFFER: i64 = 1 << 31;

/// No codec packs more bytes into one: a block of Zstandard takes four at least, and holds 128 KiB
/// at most.
const CLOSEST_PACKING: i64 = 1 << 15;

pub(crate) struct Arrow;

impl Format for Arrow {
    fn name(&self) -> &'static str {
        "arrow"
    }

    fn summary(&self) -> &'static str {
        "Apache Arrow IPC, files (Feather) and streams; nested columns are refused, files are written"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["arrow", "feather", "ipc"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Table> {
        let (file, length) = open(path)?;
        let mut source = Source { file: BufReader::new(file), length, path };
        guarded("Arrow", || source.read(options)).map_err(|error| error.file(path))
    }

    fn write(&self, table: &Table, path: &Path) -> Result<()> {
        let batches = Batches::new(table)?;
        let file = File::create(path).map_err(|error| Error::io(&error, path))?;
        let attempt = || -> std::result::Result<(), ArrowError> {
            let mut writer = FileWriter::try_new_buffered(file, &batches.schema)?;
            for batch in batches.iter() {
                writer.write(&batch?)?;
            }
            let file = writer.into_inner()?.into_inner().map_err(|error| error.into_error())?;
            Ok(file.sync_all()?)
        };
        attempt().map_err(|error| unwritten(error, path))
    }
}

struct Source<'a> {
    file: BufReader<File>,
    length: u64,
    path: &'a Path,
}

impl Source<'_> {
    fn read(&mut self, options: &ReadOptions) -> Result<Table> {
        let magic = self.bytes(0, self.length.min(6))?;
        if magic.starts_with(b"FEA1") {
            return Err(Error::data("is a Feather file of version 1").help("write it with version 2"));
        }
        let reader = if *magic == *MAGIC { self.read_file(options)? } else { self.read_stream(options)? };
        table(reader.columns.into_par_iter().with_max_len(1).map(|coder| coder.column(options)).collect())
    }

    /// Bytes of the file. More than it has are not made room for.
    fn bytes(&mut self, start: u64, count: u64) -> Result<Buffer> {
        if start.checked_add(count).is_none_or(|end| end > self.length) {
            return Err(damaged("Arrow"));
        }
        let mut bytes = MutableBuffer::from_len_zeroed(count as usize);
        let ahead = start as i64 - self.file.stream_position().map_err(|error| self.failed(error))? as i64;
        let read = self.file.seek_relative(ahead).and_then(|()| self.file.read_exact(&mut bytes));
        read.map(|()| bytes.into()).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof => damaged("Arrow"),
            _ => Error::io(&error, self.path),
        }
    }

    /// A file tells at its end where its messages are.
    fn read_file(&mut self, options: &ReadOptions) -> Result<Reader> {
        let end = self.length.checked_sub(10).ok_or_else(|| damaged("Arrow"))?;
        let tail = self.bytes(end, 10)?;
        if tail[4..] != *MAGIC {
            return Err(Error::data("is an Arrow file without its end: it was cut short").help("deliver it again"));
        }
        let count = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        let start = end.checked_sub(count).ok_or_else(|| damaged("Arrow"))?;
        let footer = self.bytes(start, count)?;
        let footer = root_as_footer(&footer).map_err(|_| damaged("Arrow"))?;
        let mut reader = Reader::new(footer.schema().ok_or_else(|| damaged("Arrow"))?, self.length, options)?;

        let blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
        // Messages that overlap would be read again and again.
        let total = blocks.clone().try_fold(0u64, |total, block| total.checked_add(size(block)?));
        if total.is_none_or(|total| total > self.length) {
            return Err(damaged("Arrow"));
        }
        for block in blocks {
            let (start, head) = (block.offset() as u64, block.metaDataLength() as u64);
            let message = self.bytes(start, head)?;
            let body = self.bytes(start.saturating_add(head), block.bodyLength() as u64)?;
            let prefix = if message.starts_with(&CONTINUATION) { 8 } else { 4 };
            let message = message.get(prefix..).and_then(|message| root_as_message(message).ok());
            reader.add(message.ok_or_else(|| damaged("Arrow"))?, &body)?;
        }
        Ok(reader)
    }

    /// A stream is message after message: a schema, then dictionaries and batches.
    fn read_stream(&mut self, options: &ReadOptions) -> Result<Reader> {
        let mut reader: Option<Reader> = None;
        let mut at = 0;
        while at < self.length {
            let mut count = self.bytes(at, 4)?;
            if *count == CONTINUATION {
                at += 4;
                count = self.bytes(at, 4)?;
            }
            let count = u64::from(u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
            if count == 0 {
                break;
            }
            let message = self.bytes(at + 4, count)?;
            let message = root_as_message(&message).map_err(|_| damaged("Arrow"))?;
            let size = u64::try_from(message.bodyLength()).map_err(|_| damaged("Arrow"))?;
            let body = self.bytes(at + 4 + count, size)?;
            at += 4 + count + size;
            match (&mut reader, message.header_as_schema()) {
                (None, Some(schema)) => reader = Some(Reader::new(schema, self.length, options)?),
                (Some(reader), None) => reader.add(message, &body)?,
                _ => return Err(damaged("Arrow")),
            }
        }
        reader.ok_or_else(|| damaged("Arrow"))
    }
}

/// Bytes of a message, unless it claims a negative number.
fn size(block: &Block) -> Option<u64> {
    u64::try_from(block.offset()).ok()?;
    u64::try_from(block.metaDataLength()).ok()?.checked_add(u64::try_from(block.bodyLength()).ok()?)
}

/// Codes the columns of one message after another.
struct Reader {
    schema: SchemaRef,
    /// Bytes of the file.
    bytes: u64,
    /// Rows that record batches claimed.
    rows: u64,
    dictionaries: HashMap<i64, ArrayRef>,
    columns: Vec<Coder>,
    /// Bytes that the table may take.
    memory: Option<u64>,
}

impl Reader {
    fn new(schema: arrow_ipc::Schema, bytes: u64, options: &ReadOptions) -> Result<Self> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::data("is an Arrow file of another byte order").help("write it on a machine like this"));
        }
        // Version 60 has one that fails instead of panicking, which is caught here; 59 has this alone.
        #[allow(deprecated)]
        let schema: Schema = arrow_ipc::convert::fb_to_schema(schema);
        check_schema(&schema)?;
        let columns = schema.fields().iter().map(|field| Coder::new(field.name(), options)).collect();
        Ok(Reader {
            schema: Arc::new(schema),
            bytes,
            rows: 0,
            dictionaries: HashMap::new(),
            columns,
            memory: options.memory,
        })
    }

    fn add(&mut self, message: Message, body: &Buffer) -> Result<()> {
        let version = message.version();
        match message.header_type() {
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().ok_or_else(|| damaged("Arrow"))?;
                check_cells(claimed_rows(batch.data())?, 1, self.bytes)?;
                check_buffers(batch.data(), body)?;
                let read = read_dictionary(body, batch, &self.schema, &mut self.dictionaries, &version);
                read.map_err(|_| damaged("Arrow"))
            }
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or_else(|| damaged("Arrow"))?;
                self.rows = self.rows.saturating_add(claimed_rows(Some(batch))?);
                check_cells(self.rows, self.columns.len(), self.bytes)?;
                check_room(self.rows, self.columns.len(), self.memory)?;
                check_buffers(Some(batch), body)?;
                let Reader { schema, dictionaries, columns, .. } = self;
                // Column by column, so that only few are in memory unpacked.
                columns.par_iter_mut().enumerate().with_max_len(1).try_for_each(|(at, coder)| {
                    let decoder = RecordBatchDecoder::try_new(body, batch, schema.clone(), dictionaries, &version);
                    let decoded = decoder.and_then(|decoder| decoder.with_projection(Some(&[at])).read_record_batch());
                    coder.append(decoded.map_err(|_| damaged("Arrow"))?.column(0))
                })
            }
            MessageHeader::NONE => Ok(()),
            _ => Err(damaged("Arrow")),
        }
    }
}

/// How many rows a batch claims to have.
fn claimed_rows(batch: Option<arrow_ipc::RecordBatch>) -> Result<u64> {
    u64::try_from(batch.map_or(0, |batch| batch.length())).map_err(|_| damaged("Arrow"))
}

/// Refuses compressed buffers that claim to unpack to more than can be.
fn check_buffers(batch: Option<arrow_ipc::RecordBatch>, body: &[u8]) -> Result<()> {
    let compressed = batch.filter(|batch| batch.compression().is_some());
    let Some(buffers) = compressed.and_then(|batch| batch.buffers()) else { return Ok(()) };
    // An empty buffer claims nothing.
    for buffer in buffers.iter().filter(|buffer| buffer.length() != 0) {
        let packed = usize::try_from(buffer.offset()).ok().and_then(|start| body.get(start..));
        let Some((claimed, packed)) = packed.and_then(|packed| packed.split_first_chunk()) else { continue };
        let claimed = i64::from_le_bytes(*claimed);
        if claimed > LARGEST_BUFFER {
            let message = "a column of a record batch would take more than 2 GiB";
            return Err(Error::new(Fault::Resources, message).help("write the file in smaller record batches"));
        }
        if claimed > (packed.len() as i64).min(buffer.length()).saturating_mul(CLOSEST_PACKING) {
            return Err(damaged("Arrow"));
        }
    }
    Ok(())
}
