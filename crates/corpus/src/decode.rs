//! Record batches of a file, as its decoder gives them: what the decoder asks for is read from the output.

use std::ops::{ControlFlow, Range};

use arrow_array::RecordBatch;
use bytes::Bytes;
use gleaner_store::Output;
use parquet::DecodeResult;
use parquet::arrow::push_decoder::ParquetPushDecoder;
use parquet::errors::ParquetError;

use crate::Error;

/// Ranges with fewer bytes between them are one request: in a bucket, a request costs more than these bytes.
const GAP: u64 = 64 << 10;

/// Gives all batches, until one is enough. Waits for the store.
///
/// # Errors
/// The file cannot be read, or `give` says what is wrong with a batch.
pub(crate) fn decode(
    output: &Output,
    file: &str,
    mut decoder: ParquetPushDecoder,
    give: &mut dyn FnMut(RecordBatch) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    let broken = |error: ParquetError| Error::Read(file.to_owned(), error.to_string());
    loop {
        match decoder.try_decode().map_err(broken)? {
            DecodeResult::NeedsData(ranges) => {
                let bytes = fetch(output, file, &ranges)?;
                decoder.push_ranges(ranges, bytes).map_err(broken)?;
            }
            DecodeResult::Data(batch) => {
                if give(batch)?.is_break() {
                    return Ok(());
                }
            }
            DecodeResult::Finished => return Ok(()),
        }
    }
}

/// The bytes of some ranges of a file.
fn fetch(output: &Output, file: &str, ranges: &[Range<u64>]) -> Result<Vec<Bytes>, Error> {
    let requests = joined(ranges);
    let read = requests.iter().map(|range| output.get_range(file, range.clone()));
    let read: Vec<Bytes> = read.collect::<Result<_, _>>()?;
    let cut = |wanted: &Range<u64>| {
        let number = requests.partition_point(|request| request.start <= wanted.start) - 1;
        let start = (wanted.start - requests[number].start) as usize;
        let end = start + (wanted.end - wanted.start) as usize;
        let bytes = read[number].get(start..end);
        bytes
            .map(|_| read[number].slice(start..end))
            .ok_or_else(|| Error::Read(file.to_owned(), "it is shorter than its footer says".to_owned()))
    };
    ranges.iter().map(cut).collect()
}

/// Ranges in order, those that are near each other as one.
fn joined(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn near_ranges_are_one_request() {
        let far = 100 + GAP;
        assert_eq!(
            joined(&[far + 1..far + 2, 0..10, 20..100]),
            [0..100, far + 1..far + 2]
        );
        let all = 0..far + 2;
        assert_eq!(
            joined(&[far..far + 2, 0..10, 20..100, 30..40]),
            std::slice::from_ref(&all)
        );
    }

    #[test]
    fn each_range_has_its_own_bytes_and_a_short_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let bytes: Vec<u8> = (0..200_000_u32).map(|number| (number % 251) as u8).collect();
        output.put("file", &bytes).unwrap();
        let ranges = [150_000..150_010, 3..9, 100..70_000, 5..6];
        let read = fetch(&output, "file", &ranges).unwrap();
        for (range, read) in ranges.iter().zip(read) {
            assert_eq!(read, bytes[range.start as usize..range.end as usize]);
        }
        let error = fetch(&output, "file", &[0..10, 199_999..200_001]).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
    }
}
