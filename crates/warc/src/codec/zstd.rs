//! Zstandard frames, with the dictionary of the file if it has one.

use std::{io, sync::Arc};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::{Fault, Progress};
use crate::Reason;

/// Frames that need a larger window (as a power of two) are refused: 128 MiB, the library's own default.
const WINDOW_LOG_MAX: u32 = 27;

/// Bytes of the header of the block after the one at hand, which the decoder would like to have early.
const AHEAD_BYTES: usize = 3;

/// One frame.
pub(super) struct Zstd {
    decoder: Decoder<'static>,
    has_dictionary: bool,
    /// How much input brings the frame to the end of the block at hand.
    hint: usize,
}

impl Zstd {
    pub(super) fn new(dictionary: Option<&Arc<[u8]>>) -> Result<Self, Fault> {
        let bytes = dictionary.map_or(&[][..], |dictionary| &dictionary[..]);
        let mut decoder = Decoder::with_dictionary(bytes).map_err(|error| fault(&error))?;
        decoder
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(|error| fault(&error))?;
        Ok(Self {
            decoder,
            has_dictionary: dictionary.is_some(),
            hint: 1,
        })
    }

    /// Begins another frame. The dictionary stays.
    pub(super) fn restart(&mut self) -> bool {
        self.hint = 1;
        self.decoder.reinit().is_ok()
    }

    /// Goes block by block: a step that fails gives nothing, not even the blocks before the damage.
    pub(super) fn decode(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        done: &mut Progress,
    ) -> Result<(), Fault> {
        while !done.end {
            let rest = &input[done.read..];
            let wanted = self.hint.saturating_sub(AHEAD_BYTES).max(1);
            let mut from = InBuffer::around(&rest[..rest.len().min(wanted)]);
            let mut to = OutBuffer::around(&mut output[done.written..]);
            self.hint = self
                .decoder
                .run(&mut from, &mut to)
                .map_err(|error| self.fault(&error))?;
            let (read, written) = (from.pos(), to.pos());
            done.read += read;
            done.written += written;
            done.end = self.hint == 0 && read + written > 0;
            if read + written == 0 {
                break;
            }
        }
        Ok(())
    }

    fn fault(&self, error: &io::Error) -> Fault {
        let text = error.to_string();
        if !self.has_dictionary && text.to_lowercase().contains("dictionary") {
            return Fault::new(
                Reason::MissingDictionary,
                "zstd: compressed with a dictionary that the file lacks",
            );
        }
        fault(error)
    }
}

fn fault(error: &io::Error) -> Fault {
    let text = error.to_string();
    let reason = if text.contains("checksum") {
        Reason::BadChecksum
    } else {
        Reason::BadCompression
    };
    Fault::new(reason, format!("zstd: {}", text.to_lowercase()))
}
