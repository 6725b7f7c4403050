//! Zstandard frames, with the dictionary of the file if it has one.

use std::{io, sync::Arc};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::{Fault, Progress};
use crate::Reason;

/// Frames that need a larger window (as a power of two) are refused: 128 MiB, the library's own default.
const WINDOW_LOG_MAX: u32 = 27;

/// One frame.
pub(crate) struct Zstd {
    decoder: Decoder<'static>,
    has_dictionary: bool,
}

impl Zstd {
    pub(crate) fn new(dictionary: Option<&Arc<[u8]>>) -> Result<Self, Fault> {
        let bytes = dictionary.map_or(&[][..], |dictionary| &dictionary[..]);
        let mut decoder = Decoder::with_dictionary(bytes).map_err(|error| fault(&error))?;
        decoder
            .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(|error| fault(&error))?;
        Ok(Self {
            decoder,
            has_dictionary: dictionary.is_some(),
        })
    }

    pub(crate) fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Fault> {
        let mut from = InBuffer::around(input);
        let mut to = OutBuffer::around(output);
        let hint = self
            .decoder
            .run(&mut from, &mut to)
            .map_err(|error| self.fault(&error))?;
        let (read, written) = (from.pos(), to.pos());
        Ok(Progress {
            read,
            written,
            end: hint == 0 && read + written > 0,
        })
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
