//! Decompression, a step at a time, of what archives are stored in.

mod gzip;
mod lz4;
mod whole;
mod zstd;

use std::sync::Arc;

use gzip::Gzip;
use lz4::Lz4;
pub(crate) use whole::Whole;
use zstd::Zstd;

use crate::{Container, Reason};

/// What one step did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// The member is complete and its checksum right. A step that neither reads nor writes nor ends needs
    /// more input.
    pub(crate) end: bool,
}

/// Why a member cannot be decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: Reason,
    pub(crate) detail: String,
}

impl Fault {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into(),
        }
    }
}

/// The decoder of the member at hand. What it gives before a fault is the same however the input comes in
/// pieces, so that damaged files read the same way every time.
pub(crate) struct Codec {
    kind: CodecKind,
    /// Damage found after good bytes; reported at the next step.
    fault: Option<Fault>,
}

enum CodecKind {
    Gzip(Gzip),
    Zstd(Zstd),
    Lz4(Lz4),
}

impl Codec {
    /// A decoder for one member of `container`, with the dictionary of the file if it has one.
    pub(crate) fn new(container: Container, dictionary: Option<&Arc<[u8]>>) -> Result<Self, Fault> {
        let kind = match container {
            Container::Zstd => CodecKind::Zstd(Zstd::new(dictionary)?),
            Container::Lz4 => CodecKind::Lz4(Lz4::default()),
            Container::Gzip | Container::Plain => CodecKind::Gzip(Gzip::new()),
        };
        Ok(Self { kind, fault: None })
    }

    /// Makes the decoder of one member that of the next, if it is of `container` and that is cheaper than a
    /// new one: a Zstandard decoder has large tables, and a dictionary to read.
    pub(crate) fn reuse(mut self, container: Container) -> Option<Self> {
        let is_ready = match &mut self.kind {
            CodecKind::Zstd(codec) => container == Container::Zstd && codec.restart(),
            CodecKind::Gzip(_) | CodecKind::Lz4(_) => false,
        };
        self.fault = None;
        is_ready.then_some(self)
    }

    pub(crate) fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut done = Progress::default();
        let result = match &mut self.kind {
            CodecKind::Gzip(codec) => codec.decode(input, output, &mut done),
            CodecKind::Zstd(codec) => codec.decode(input, output, &mut done),
            CodecKind::Lz4(codec) => codec.decode(input, output, &mut done),
        };
        match result {
            Err(fault) if done.written == 0 => Err(fault),
            Err(fault) => {
                self.fault = Some(fault);
                Ok(done)
            }
            Ok(()) => Ok(done),
        }
    }
}

/// The longest magic number.
pub(crate) const MAGIC_BYTES: usize = 4;

/// What a member that begins with these bytes is stored in.
pub(crate) fn container_of(bytes: &[u8]) -> Option<Container> {
    match bytes {
        [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0 => Some(Container::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Container::Zstd),
        [0x04, 0x22, 0x4d, 0x18, ..] => Some(Container::Lz4),
        _ => None,
    }
}

/// The first bytes by which a member of this container is found.
pub(crate) const fn magic(container: Container) -> &'static [u8] {
    match container {
        Container::Plain => b"WARC/",
        Container::Gzip => &[0x1f, 0x8b, 8],
        Container::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
        Container::Lz4 => &[0x04, 0x22, 0x4d, 0x18],
    }
}
