//! Long texts, looked at several bytes at a time when they are read.
//!
//! For fields of what waits in staging: `#[serde(with = "crate::packed::text")]`. The texts of pages are most of that.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serializer};

/// For serde.
pub fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(text.as_bytes())
}

/// For serde.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let bytes = <&[u8]>::deserialize(deserializer)?;
    let text = simdutf8::basic::from_utf8(bytes);
    text.map(str::to_owned)
        .map_err(|_| D::Error::invalid_value(Unexpected::Bytes(&bytes[..bytes.len().min(16)]), &"UTF-8"))
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Text(#[serde(with = "crate::packed::text")] String);

    #[test]
    fn texts_come_back() {
        for text in ["", "a", "\u{e9}t\u{e9} \u{65e5}\u{672c}", &"long ".repeat(100)] {
            let bytes = bincode::serialize(&Text(text.to_owned())).unwrap();
            assert_eq!(
                bincode::deserialize::<Text>(&bytes).unwrap(),
                Text(text.to_owned())
            );
        }
    }

    #[test]
    fn what_is_no_text_is_damage() {
        let mut bytes = bincode::serialize(&Text("long ".repeat(100))).unwrap();
        *bytes.last_mut().unwrap() = 0xff;
        assert!(bincode::deserialize::<Text>(&bytes).is_err());
    }
}
