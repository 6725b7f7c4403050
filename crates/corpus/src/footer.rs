//! The footer of a Parquet file, read by its end.

use gleaner_store::Output;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::Error;

/// Bytes at the end of a file that are read first: most footers are shorter.
const TAIL: u64 = 1 << 18;

/// The longest footer that is read. One of a gigabyte of rows has about a megabyte.
const LONGEST: u64 = 64 << 20;

/// The footer of a file of `size` bytes.
///
/// # Errors
/// The file cannot be read, or ends in another way ([`Error::Read`]).
pub(crate) fn footer(output: &Output, file: &str, size: u64) -> Result<ParquetMetaData, Error> {
    let mut length = TAIL.min(size);
    let mut reader = ParquetMetaDataReader::new();
    loop {
        let tail = output.get_range(file, size - length..size)?;
        match reader.try_parse_sized(&tail, size) {
            Err(ParquetError::NeedMoreData(more))
                if (length..=size.min(LONGEST)).contains(&(more as u64)) =>
            {
                length = more as u64;
            }
            parsed => {
                let footer = parsed.and_then(|()| reader.finish());
                return footer.map_err(|error| Error::Read(file.to_owned(), error.to_string()));
            }
        }
    }
}
