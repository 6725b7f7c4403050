//! Gzip members, by zlib-rs.

use flate2::{Decompress, FlushDecompress, Status};

use super::{Fault, Progress};
use crate::Reason;

/// One gzip member.
pub(crate) struct Gzip {
    inflate: Decompress,
    /// Found after bytes that are still good; told at the next step.
    fault: Option<Fault>,
}

/// The window of a gzip member, as a power of two.
const WINDOW_BITS: u8 = 15;

impl Gzip {
    pub(crate) fn new() -> Self {
        Self {
            inflate: Decompress::new_gzip(WINDOW_BITS),
            fault: None,
        }
    }

    pub(crate) fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let result = self.inflate.decompress(input, output, FlushDecompress::None);
        let progress = Progress {
            read: (self.inflate.total_in() - read) as usize,
            written: (self.inflate.total_out() - written) as usize,
            end: matches!(result, Ok(Status::StreamEnd)),
        };
        if let Err(error) = result {
            self.fault = Some(fault(&error));
            if progress.written == 0 {
                return Err(fault(&error));
            }
        }
        Ok(progress)
    }
}

fn fault(error: &flate2::DecompressError) -> Fault {
    match error.message() {
        Some(message @ ("incorrect data check" | "incorrect length check")) => {
            Fault::new(Reason::BadChecksum, format!("gzip: {message}"))
        }
        Some(message) => Fault::new(Reason::BadCompression, format!("gzip: {message}")),
        None => Fault::new(Reason::BadCompression, "gzip: invalid data"),
    }
}
