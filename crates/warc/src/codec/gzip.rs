//! Gzip members, by zlib-rs.

use flate2::{Decompress, FlushDecompress, Status};

use super::{Fault, Progress};
use crate::Reason;

/// One gzip member.
pub(super) struct Gzip {
    inflate: Decompress,
}

/// The window of a gzip member, as a power of two.
const WINDOW_BITS: u8 = 15;

impl Gzip {
    pub(super) fn new() -> Self {
        Self {
            inflate: Decompress::new_gzip(WINDOW_BITS),
        }
    }

    pub(super) fn decode(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        done: &mut Progress,
    ) -> Result<(), Fault> {
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let result = self.inflate.decompress(input, output, FlushDecompress::None);
        done.read = (self.inflate.total_in() - read) as usize;
        done.written = (self.inflate.total_out() - written) as usize;
        done.end = result.map_err(|error| fault(&error))? == Status::StreamEnd;
        Ok(())
    }
}

/// The library's words for damage depend on how the input was cut into pieces; these do not.
fn fault(error: &flate2::DecompressError) -> Fault {
    match error.message() {
        Some(message @ ("incorrect data check" | "incorrect length check")) => {
            Fault::new(Reason::BadChecksum, format!("gzip: {message}"))
        }
        _ => Fault::new(Reason::BadCompression, "gzip: invalid compressed data"),
    }
}
