//! Text that is not UTF-8: which encoding it has, and turning it into UTF-8 while it is read.

use crate::error::{Error, Result};
use encoding_rs::{Decoder, DecoderResult, Encoding};
use std::fmt;
use std::io::{self, Read};

/// How the letters of a text are stored, by the names that browsers know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

impl TextEncoding {
    /// What nearly every text is in that is not Unicode. Latin-1 is read so as well, as browsers
    /// do: the two differ only in control letters.
    pub const WINDOWS_1252: TextEncoding = TextEncoding(encoding_rs::WINDOWS_1252);

    /// The encoding of a name such as `utf-16le`, `windows-1252`, `latin1` or `shift_jis`.
    pub fn find(name: &str) -> Option<TextEncoding> {
        Encoding::for_label(name.as_bytes()).map(TextEncoding)
    }

    /// What the byte order mark at the start of a text says.
    pub(super) fn marked(start: &[u8]) -> Option<TextEncoding> {
        Encoding::for_bom(start).map(|(encoding, _)| TextEncoding(encoding))
    }

    /// Its name, in small letters.
    pub fn name(self) -> String {
        self.0.name().to_ascii_lowercase()
    }

    pub(super) fn is_utf8(self) -> bool {
        self.0 == encoding_rs::UTF_8
    }

    /// How many bytes a letter takes at least.
    pub(super) fn width(self) -> u64 {
        if [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&self.0) { 2 } else { 1 }
    }
}

impl fmt::Debug for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// A text that is turned into UTF-8 as it is read.
pub(super) struct Decoded<R> {
    source: R,
    encoding: TextEncoding,
    decoder: Decoder,
    /// Bytes read and not yet decoded.
    raw: Vec<u8>,
    /// UTF-8 that is decoded and not yet read.
    ready: Vec<u8>,
    at: usize,
    lines: u64,
    ended: bool,
}

const STEP: usize = 1 << 16;

impl<R: Read> Decoded<R> {
    pub fn new(source: R, encoding: TextEncoding) -> Self {
        let decoder = encoding.0.new_decoder_with_bom_removal();
        Decoded {
            source,
            encoding,
            decoder,
            raw: Vec::with_capacity(STEP),
            ready: Vec::new(),
            at: 0,
            lines: 1,
            ended: false,
        }
    }

    /// Decodes the next bytes of the source.
    fn fill(&mut self) -> io::Result<()> {
        self.raw.clear();
        let read = self.source.by_ref().take(STEP as u64).read_to_end(&mut self.raw)?;
        self.ended = read < STEP;
        (self.at, self.ready) = (0, std::mem::take(&mut self.ready));
        self.ready.clear();
        let most = self.decoder.max_utf8_buffer_length_without_replacement(self.raw.len());
        self.ready.resize(most.unwrap_or(STEP * 4), 0);
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.raw, &mut self.ready, self.ended);
        self.ready.truncate(written);
        match result {
            DecoderResult::InputEmpty => {
                self.lines += memchr::memchr_iter(b'\n', &self.ready).count() as u64;
                debug_assert_eq!(read, self.raw.len());
                Ok(())
            }
            DecoderResult::OutputFull | DecoderResult::Malformed(..) => {
                let line = self.lines + memchr::memchr_iter(b'\n', &self.ready).count() as u64;
                Err(io::Error::new(io::ErrorKind::InvalidData, Malformed { encoding: self.encoding, line }))
            }
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && !self.ended {
            self.fill()?;
        }
        let count = out.len().min(self.ready.len() - self.at);
        out[..count].copy_from_slice(&self.ready[self.at..][..count]);
        self.at += count;
        Ok(count)
    }
}

/// That a text has bytes which mean nothing in its encoding.
#[derive(Debug)]
struct Malformed {
    encoding: TextEncoding,
    line: u64,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text is not valid {}", self.encoding.name())
    }
}

impl std::error::Error for Malformed {}

/// The error that a text is not in its encoding, if that is why reading failed.
pub(super) fn malformed(error: &io::Error) -> Option<Error> {
    let found = error.get_ref()?.downcast_ref::<Malformed>()?;
    let error = Error::data(found.to_string()).line(found.line);
    Some(error.help("say which encoding it has: encoding = \"…\" under [data], or --encoding"))
}

/// The encoding of a text that starts so: what is declared, else what its mark says.
pub(super) fn of_text(start: &[u8], declared: Option<TextEncoding>) -> Result<Option<TextEncoding>> {
    let marked = TextEncoding::marked(start);
    match (declared, marked) {
        (Some(declared), Some(marked)) if declared != marked => {
            let message = format!("the file's mark says {}, not {}", marked.name(), declared.name());
            Err(Error::plan(message).help("leave `encoding` out: the mark tells it"))
        }
        _ => Ok(declared.or(marked)),
    }
}
