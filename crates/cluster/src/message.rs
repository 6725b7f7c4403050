//! Messages between processes, as bytes.

use bincode::Options;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A message as bytes, its length of eight bytes before it.
pub(crate) fn encode(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; 8];
    let written = bincode::DefaultOptions::new().serialize_into(&mut bytes, message);
    written.expect("a vector takes all that is written to it");
    let length = (bytes.len() - 8) as u64;
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// The message that [`encode`] made these bytes of; none where they are of something else.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (length, message) = bytes.split_first_chunk()?;
    if u64::from_le_bytes(*length) != message.len() as u64 {
        return None;
    }
    bincode::DefaultOptions::new().deserialize(message).ok()
}
