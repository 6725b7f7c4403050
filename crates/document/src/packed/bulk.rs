//! Values a block, as bytes of fixed length: written and read at once, not one by one.
//!
//! For fields of what waits in staging: `#[serde(with = "crate::packed::bulk")]`.

use std::ops::Range;

use gleaner_content::{Label, TextCopy};
use gleaner_page::{Joint, Tabs};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// A value of fixed length.
pub trait Fixed: Sized {
    /// How many bytes it has.
    const BYTES: usize;

    /// Writes it to as many bytes.
    fn write(&self, bytes: &mut [u8]);

    /// None if the bytes, which are as many, are no such value.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// For serde.
pub fn serialize<S: Serializer, T: Fixed>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = vec![0; values.len() * T::BYTES];
    for (bytes, value) in bytes.chunks_exact_mut(T::BYTES).zip(values) {
        value.write(bytes);
    }
    serializer.serialize_bytes(&bytes)
}

/// For serde.
pub fn deserialize<'de, D: Deserializer<'de>, T: Fixed>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let bytes = <&[u8]>::deserialize(deserializer)?;
    let values = bytes.chunks_exact(T::BYTES);
    if !values.remainder().is_empty() {
        return Err(D::Error::invalid_length(bytes.len(), &"a whole number of values"));
    }
    // Collected from options, they would not know how many they are to be.
    let mut read = Vec::with_capacity(values.len());
    for value in values {
        read.push(T::read(value).ok_or_else(|| D::Error::custom("no such value"))?);
    }
    Ok(read)
}

impl Fixed for u32 {
    const BYTES: usize = 4;

    fn write(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<u32> {
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }
}

impl Fixed for f32 {
    const BYTES: usize = 4;

    fn write(&self, bytes: &mut [u8]) {
        self.to_bits().write(bytes);
    }

    fn read(bytes: &[u8]) -> Option<f32> {
        u32::read(bytes).map(f32::from_bits)
    }
}

impl Fixed for bool {
    const BYTES: usize = 1;

    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }

    fn read(bytes: &[u8]) -> Option<bool> {
        Some(bytes[0] != 0)
    }
}

impl Fixed for Label {
    const BYTES: usize = 1;

    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = *self as u8;
    }

    fn read(bytes: &[u8]) -> Option<Label> {
        Label::ALL.get(usize::from(bytes[0])).copied()
    }
}

impl Fixed for Joint {
    const BYTES: usize = 1;

    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = *self as u8;
    }

    fn read(bytes: &[u8]) -> Option<Joint> {
        Joint::ALL.get(usize::from(bytes[0])).copied()
    }
}

impl Fixed for Tabs {
    const BYTES: usize = 2;

    fn write(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&[self.before, self.after]);
    }

    fn read(bytes: &[u8]) -> Option<Tabs> {
        let &[before, after] = bytes else { return None };
        Some(Tabs { before, after })
    }
}

impl Fixed for Range<u32> {
    const BYTES: usize = 8;

    fn write(&self, bytes: &mut [u8]) {
        self.start.write(&mut bytes[..4]);
        self.end.write(&mut bytes[4..]);
    }

    fn read(bytes: &[u8]) -> Option<Range<u32>> {
        Some(u32::read(&bytes[..4])?..u32::read(&bytes[4..])?)
    }
}

impl Fixed for (Label, f32) {
    const BYTES: usize = 5;

    fn write(&self, bytes: &mut [u8]) {
        self.0.write(&mut bytes[..1]);
        self.1.write(&mut bytes[1..]);
    }

    fn read(bytes: &[u8]) -> Option<(Label, f32)> {
        Some((Label::read(&bytes[..1])?, f32::read(&bytes[1..])?))
    }
}

impl Fixed for TextCopy {
    const BYTES: usize = 16;

    fn write(&self, bytes: &mut [u8]) {
        let numbers = [self.block, self.first, self.group, self.content.to_bits()];
        for (bytes, number) in bytes.chunks_exact_mut(4).zip(numbers) {
            number.write(bytes);
        }
    }

    fn read(bytes: &[u8]) -> Option<TextCopy> {
        let number = |place: usize| u32::read(&bytes[4 * place..4 * place + 4]);
        Some(TextCopy {
            block: number(0)?,
            first: number(1)?,
            group: number(2)?,
            content: f32::from_bits(number(3)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Page {
        #[serde(with = "crate::packed::bulk")]
        blocks: Vec<Range<u32>>,
        #[serde(with = "crate::packed::bulk")]
        flags: Vec<bool>,
        #[serde(with = "crate::packed::bulk")]
        labels: Vec<(Label, f32)>,
        #[serde(with = "crate::packed::bulk")]
        copies: Vec<TextCopy>,
        name: String,
    }

    #[test]
    fn values_come_back() {
        let page = Page {
            blocks: vec![0..3, 4..u32::MAX],
            flags: vec![true, false],
            labels: vec![(Label::Header, 0.5), (Label::Other, f32::MIN_POSITIVE)],
            copies: vec![TextCopy {
                block: 7,
                first: 1,
                group: 5,
                content: 0.25,
            }],
            name: "a".to_owned(),
        };
        for page in [page, Page::default()] {
            let bytes = bincode::serialize(&page).unwrap();
            assert_eq!(bincode::deserialize::<Page>(&bytes).unwrap(), page);
        }
    }

    #[test]
    fn what_is_no_value_is_damage() {
        let bytes = bincode::serialize(&(vec![9u8], 7u8)).unwrap();
        #[derive(Debug, Deserialize)]
        struct Labels(
            #[serde(with = "crate::packed::bulk")]
            #[expect(dead_code)]
            Vec<Label>,
        );
        #[derive(Debug, Deserialize)]
        struct Numbers(
            #[serde(with = "crate::packed::bulk")]
            #[expect(dead_code)]
            Vec<u32>,
        );
        assert!(bincode::deserialize::<Labels>(&bytes).is_err());
        assert!(bincode::deserialize::<Numbers>(&bytes).is_err());
    }
}
