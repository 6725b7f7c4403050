//! Numbers a block, most of them small: a byte each, read at once, not one by one.
//!
//! For fields of what waits in staging: `#[serde(with = "crate::packed::small")]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Stands for a number that does not fit a byte: it follows in four.
const LARGE: u8 = u8::MAX;

/// For serde.
pub fn serialize<S: Serializer>(numbers: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(numbers.len() + numbers.len() / 4);
    for &number in numbers {
        match u8::try_from(number) {
            Ok(small) if small != LARGE => bytes.push(small),
            _ => {
                bytes.push(LARGE);
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }
    serializer.serialize_bytes(&bytes)
}

/// For serde.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let mut bytes = <&[u8]>::deserialize(deserializer)?;
    let mut numbers = Vec::with_capacity(bytes.len());
    while let Some((&byte, rest)) = bytes.split_first() {
        bytes = rest;
        if byte != LARGE {
            numbers.push(u32::from(byte));
            continue;
        }
        let (number, rest) = bytes
            .split_first_chunk()
            .ok_or_else(|| D::Error::invalid_length(bytes.len(), &"four bytes"))?;
        bytes = rest;
        numbers.push(u32::from_le_bytes(*number));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Serialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Words(#[serde(with = "crate::packed::small")] Vec<u32>);

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(prop_oneof![0u32..300, any::<u32>()], 0..40)) {
            let words = Words(numbers);
            let bytes = bincode::serialize(&words).unwrap();
            prop_assert_eq!(bincode::deserialize::<Words>(&bytes).unwrap(), words);
        }

        #[test]
        fn any_bytes_are_numbers_or_damage(bytes in prop::collection::vec(prop_oneof![Just(LARGE), any::<u8>()], 0..20)) {
            #[derive(Serialize)]
            struct Raw<'a>(#[serde(serialize_with = "raw")] &'a [u8]);
            fn raw<S: Serializer>(bytes: &&[u8], serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(bytes)
            }
            let packed = bincode::serialize(&Raw(&bytes)).unwrap();
            if let Ok(Words(numbers)) = bincode::deserialize(&packed) {
                prop_assert!(numbers.len() <= bytes.len());
            }
        }
    }
}
