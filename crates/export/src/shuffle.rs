//! Pages in the order of their keys, with little memory: they are spread over temporary files by the first bits of the key, and a
//! file at a time is ordered in memory. A file that is too large for that is spread again. The order depends on the keys alone.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use gleaner_store::Output;

use crate::error::Error;
use crate::format::body::Record;

/// Bits of the key that are read for each spreading, and how many files that makes.
const BITS: u32 = 6;
const FILES: usize = 1 << BITS;

/// Bytes of a file that is ordered in memory.
const LARGEST: u64 = 64 << 20;

/// Pages with their keys, on the disk.
pub(crate) struct Shuffle<'o> {
    output: &'o Output,
    largest: u64,
    /// Bits of the key that all pages here have in common.
    depth: u32,
    files: Vec<Bucket>,
}

#[derive(Default)]
struct Bucket {
    file: Option<BufWriter<File>>,
    bytes: u64,
}

impl<'o> Shuffle<'o> {
    /// Temporary files are beside the output.
    pub(crate) fn new(output: &'o Output) -> Shuffle<'o> {
        Shuffle::within(output, LARGEST, 0)
    }

    fn within(output: &'o Output, largest: u64, depth: u32) -> Shuffle<'o> {
        Shuffle {
            output,
            largest,
            depth,
            files: (0..FILES).map(|_| Bucket::default()).collect(),
        }
    }

    /// Takes a page.
    pub(crate) fn push(&mut self, key: u128, record: &Record) -> Result<(), Error> {
        let bytes = bincode::serialize(record).map_err(|error| Error::Scratch(io::Error::other(error)))?;
        self.put(key, &bytes)
    }

    fn put(&mut self, key: u128, bytes: &[u8]) -> Result<(), Error> {
        let number = (key << self.depth >> (u128::BITS - BITS)) as usize;
        let bucket = &mut self.files[number];
        let file = match &mut bucket.file {
            Some(file) => file,
            None => bucket.file.insert(BufWriter::new(self.output.scratch()?)),
        };
        bucket.bytes += bytes.len() as u64;
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(Error::Scratch);
        write(&key.to_le_bytes())?;
        write(&(bytes.len() as u64).to_le_bytes())?;
        write(bytes)
    }

    /// Gives all pages, in the order of their keys.
    pub(crate) fn each(self, give: &mut dyn FnMut(Record) -> Result<(), Error>) -> Result<(), Error> {
        for Bucket { file, bytes } in self.files {
            let Some(file) = file else { continue };
            let mut file = file
                .into_inner()
                .map_err(|error| Error::Scratch(error.into_error()))?;
            file.rewind().map_err(Error::Scratch)?;
            let mut read = BufReader::new(file);
            // Pages whose keys are the same in all bits are few.
            let depth = self.depth + BITS;
            if bytes > self.largest && depth + BITS <= u128::BITS {
                let mut spread = Shuffle::within(self.output, self.largest, depth);
                while let Some((key, bytes)) = next(&mut read)? {
                    spread.put(key, &bytes)?;
                }
                drop(read);
                spread.each(give)?;
            } else {
                in_memory(&mut read, give)?;
            }
        }
        Ok(())
    }
}

fn in_memory(read: &mut impl Read, give: &mut dyn FnMut(Record) -> Result<(), Error>) -> Result<(), Error> {
    let mut records = Vec::new();
    while let Some(record) = next(read)? {
        records.push(record);
    }
    records.sort_by_key(|(key, _)| *key);
    for (_, bytes) in records {
        let record = bincode::deserialize(&bytes);
        give(record.map_err(|error| Error::Scratch(io::Error::other(error)))?)?;
    }
    Ok(())
}

/// The next key and page of a temporary file.
fn next(read: &mut impl Read) -> Result<Option<(u128, Vec<u8>)>, Error> {
    let mut key = [0; 16];
    match read.read_exact(&mut key) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        result => result.map_err(Error::Scratch)?,
    }
    let mut length = [0; 8];
    read.read_exact(&mut length).map_err(Error::Scratch)?;
    let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
    read.read_exact(&mut bytes).map_err(Error::Scratch)?;
    Ok(Some((u128::from_le_bytes(key), bytes)))
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;
    use crate::format::body::Body;
    use crate::value::Value;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// However often the files are spread, the order is that of the keys.
        #[test]
        fn pages_come_in_the_order_of_their_keys(
            keys in prop::collection::btree_set(any::<u128>().prop_map(|key| key >> (key % 60)), 0..200),
            largest in 1_u64..4000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(Options::default()).unwrap();
            let output = store.output(folder.path().to_str().unwrap()).unwrap();
            let mut shuffle = Shuffle::within(&output, largest, 0);
            let record = |key: u128| Record {
                row_id: format!("{key:032x}"),
                body: Body::Row(vec![Value::Share(0.5), Value::Null, Value::Text("x".repeat((key % 50) as usize).into())]),
            };
            let mut shuffled: Vec<u128> = keys.iter().copied().collect();
            shuffled.sort_by_key(|key| key.reverse_bits());
            for key in shuffled {
                shuffle.push(key, &record(key)).unwrap();
            }
            let mut given = Vec::new();
            shuffle.each(&mut |record| { given.push(record); Ok(()) }).unwrap();
            let expected: Vec<Record> = keys.into_iter().map(record).collect();
            prop_assert_eq!(given, expected);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
