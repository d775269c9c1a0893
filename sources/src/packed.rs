//! Compressed text.

use sfumato::data::Packing;
use std::io::{BufReader, Read, Result};

pub(crate) struct Gzip;

impl Packing for Gzip {
    fn name(&self) -> &'static str {
        "gzip"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["gz", "gzip"]
    }

    fn starts(&self, start: &[u8]) -> bool {
        start.starts_with(&[0x1f, 0x8b, 8])
    }

    fn open<'a>(&self, source: Box<dyn Read + Send + 'a>) -> Result<Box<dyn Read + Send + 'a>> {
        // Files that were joined have several members.
        Ok(Box::new(flate2::read::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, source))))
    }
}

pub(crate) struct Zstandard;

/// Windows beyond this take more memory than a text needs: 128 MiB, as `zstd -d` has it.
const WINDOW: u32 = 27;

impl Packing for Zstandard {
    fn name(&self) -> &'static str {
        "Zstandard"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["zst", "zstd"]
    }

    fn starts(&self, start: &[u8]) -> bool {
        start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
    }

    fn open<'a>(&self, source: Box<dyn Read + Send + 'a>) -> Result<Box<dyn Read + Send + 'a>> {
        let mut decoder = zstd::stream::read::Decoder::new(source)?;
        decoder.window_log_max(WINDOW)?;
        Ok(Box::new(decoder))
    }
}
