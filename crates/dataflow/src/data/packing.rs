//! Values as bytes, one after the other, or each with a checksum as a file of its own.

use bincode::Options;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Error;

/// Bytes of a length, and of a checksum.
const LENGTH: usize = 8;

/// Adds a value to bytes, its length before it.
pub(crate) fn pack(value: &impl Serialize, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; LENGTH]);
    let written = numbers().serialize_into(&mut *bytes, value);
    written.expect("memory takes all that is written to it");
    let length = (bytes.len() - start - LENGTH) as u64;
    bytes[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
}

/// Takes the next value off bytes that [`pack`] wrote.
///
/// # Errors
/// The bytes are not what was written: a file was changed, or its disk is broken.
pub(crate) fn unpack<'a, T: Deserialize<'a>>(bytes: &mut &'a [u8]) -> Result<T, Error> {
    numbers().deserialize(packed(bytes)?).map_err(|_| Error::Damaged)
}

/// Takes the bytes of the next value off bytes that [`pack`] wrote.
///
/// # Errors
/// As [`unpack`].
pub(crate) fn packed<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Error> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH>().ok_or(Error::Damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Error::Damaged)?;
    let (value, rest) = rest.split_at_checked(length).ok_or(Error::Damaged)?;
    *bytes = rest;
    Ok(value)
}

/// Bytes of a value that is packed.
pub(crate) fn packed_size(value: &impl Serialize) -> usize {
    let size = numbers().serialized_size(value);
    size.expect("it has no bound") as usize
}

/// Adds a checksum at the end of bytes that wait on a disk or in a store.
pub(crate) fn add_sum(bytes: &mut Vec<u8>) {
    let sum = xxh3_64(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// The bytes before the checksum that [`add_sum`] added.
///
/// # Errors
/// They are not what was written.
pub(crate) fn check_sum(bytes: &[u8]) -> Result<&[u8], Error> {
    let (bytes, sum) = bytes.split_last_chunk::<LENGTH>().ok_or(Error::Damaged)?;
    match xxh3_64(bytes) == u64::from_le_bytes(*sum) {
        true => Ok(bytes),
        false => Err(Error::Damaged),
    }
}

/// Bytes that wait, compressed and with a checksum.
pub(crate) fn compressed(bytes: &[u8], level: i32) -> Vec<u8> {
    let mut packed = zstd::bulk::compress(bytes, level).expect("there is room for what comes of it");
    add_sum(&mut packed);
    packed
}

/// What [`compressed`] was given.
///
/// # Errors
/// As [`check_sum`].
pub(crate) fn decompressed(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let packed = check_sum(bytes)?;
    let size = zstd::zstd_safe::get_frame_content_size(packed);
    let size = size.ok().flatten().and_then(|size| usize::try_from(size).ok());
    zstd::bulk::decompress(packed, size.ok_or(Error::Damaged)?).map_err(|_| Error::Damaged)
}

/// A value, compressed.
pub(crate) fn pack_compressed(value: &impl Serialize, level: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(value, &mut bytes);
    compressed(&bytes, level)
}

/// The value that [`pack_compressed`] was given.
///
/// # Errors
/// As [`unpack`].
pub(crate) fn unpack_compressed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    unpack(&mut &*decompressed(bytes)?)
}

/// A value as a file of its own, with a checksum.
pub(crate) fn sealed(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(value, &mut bytes);
    [&xxh3_64(&bytes).to_le_bytes()[..], &bytes].concat()
}

/// The value of a file that [`sealed`] made.
///
/// # Errors
/// As [`unpack`].
pub(crate) fn unsealed<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    let (sum, mut rest) = bytes.split_first_chunk::<LENGTH>().ok_or(Error::Damaged)?;
    match xxh3_64(rest) == u64::from_le_bytes(*sum) {
        true => unpack(&mut rest),
        false => Err(Error::Damaged),
    }
}

/// Small numbers take few bytes.
fn numbers() -> impl bincode::Options {
    bincode::DefaultOptions::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_one_by_one() {
        let mut bytes = Vec::new();
        pack(&(1u32, "text".to_owned()), &mut bytes);
        pack(&vec![Some(2.5f32), None], &mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(
            unpack::<(u32, String)>(&mut rest).unwrap(),
            (1, "text".to_owned())
        );
        assert_eq!(unpack::<Vec<Option<f32>>>(&mut rest).unwrap(), [Some(2.5), None]);
        assert!(rest.is_empty());
    }

    #[test]
    fn any_change_of_an_entry_is_seen() {
        let value = (7u32, vec!["a".to_owned(), "bc".to_owned()]);
        let bytes = sealed(&value);
        assert_eq!(unsealed::<(u32, Vec<String>)>(&bytes).unwrap(), value);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(unsealed::<(u32, Vec<String>)>(&changed).is_err());
            assert!(unsealed::<(u32, Vec<String>)>(&bytes[..at]).is_err());
        }
    }
}
