//! Words and labels, and the features of a text.

use std::collections::HashMap;
use std::io::Read;

use super::reader::Reader;
use super::{FastTextError, Settings};

/// What ends a text: a word of its own.
const END: &[u8] = b"</s>";

const LABEL: &[u8] = b"__label__";

#[derive(Debug)]
pub(super) struct Dictionary {
    settings: Settings,
    /// The numbers of the words.
    words: HashMap<Box<[u8]>, u32>,
    labels: Vec<(String, i64)>,
    /// In a pruned model, the rows of the buckets that are left, after those of the words.
    buckets: Option<HashMap<u32, u32>>,
    rows: usize,
}

impl Dictionary {
    pub(super) fn read(
        reader: &mut Reader<impl Read>,
        settings: Settings,
    ) -> Result<Dictionary, FastTextError> {
        let (entries, words, labels) = (reader.size()?, reader.size()?, reader.size()?);
        let _tokens = reader.long()?;
        let pruned = reader.long()?;
        if words.checked_add(labels) != Some(entries) {
            return Err(FastTextError::Damaged("words and labels are not all entries"));
        }
        let mut dictionary = Dictionary {
            settings,
            words: HashMap::new(),
            labels: Vec::new(),
            buckets: None,
            rows: 0,
        };
        for entry in 0..entries {
            dictionary.read_entry(reader, entry)?;
        }
        if dictionary.words.len() != words || dictionary.labels.is_empty() {
            return Err(FastTextError::Damaged(
                "the dictionary has not as many words and labels as it says",
            ));
        }
        if let Ok(pruned) = usize::try_from(pruned) {
            dictionary.buckets = Some(read_pairs(reader, pruned)?);
        }
        dictionary.rows = words + dictionary.bucket_rows();
        Ok(dictionary)
    }

    fn read_entry(&mut self, reader: &mut Reader<impl Read>, entry: usize) -> Result<(), FastTextError> {
        let word = reader.word()?;
        let count = reader.long()?;
        match reader.byte()? {
            0 => {
                self.words.insert(word, entry as u32);
            }
            1 => self
                .labels
                .push((String::from_utf8_lossy(&word).into_owned(), count)),
            _ => return Err(FastTextError::Damaged("an entry is neither a word nor a label")),
        }
        Ok(())
    }

    /// The rows of the input matrix that n-grams have.
    fn bucket_rows(&self) -> usize {
        let has_ngrams = self.settings.max_ngram > 0 || self.settings.word_ngrams > 1;
        match &self.buckets {
            Some(buckets) => buckets.values().max().map_or(0, |last| *last as usize + 1),
            None if has_ngrams => self.settings.buckets as usize,
            None => 0,
        }
    }

    /// The rows that the input matrix must have.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|(label, _)| label.as_str())
    }

    pub(super) fn label(&self, number: usize) -> &str {
        &self.labels[number].0
    }

    /// How often each label is in the training texts.
    pub(super) fn label_counts(&self) -> Vec<i64> {
        self.labels.iter().map(|(_, count)| *count).collect()
    }

    /// The features of a text, as rows of the input matrix.
    pub(super) fn features(&self, text: &str) -> Vec<u32> {
        let mut features = Vec::new();
        let mut hashes = Vec::new();
        let line = text.split('\n').next().unwrap_or_default();
        let words = line.as_bytes().split(is_space).filter(|word| !word.is_empty());
        for word in words.chain([END]) {
            let number = self.words.get(word).copied();
            if number.is_none() && word.starts_with(LABEL) {
                continue;
            }
            self.add_word(word, number, &mut features);
            hashes.push(hash(word));
            if word == END {
                break;
            }
        }
        self.add_word_ngrams(&hashes, &mut features);
        features
    }

    fn add_word(&self, word: &[u8], number: Option<u32>, features: &mut Vec<u32>) {
        features.extend(number);
        if word != END && self.settings.max_ngram > 0 {
            self.add_letter_ngrams(&[b"<", word, b">"].concat(), features);
        }
    }

    /// Adds the n-grams of the characters of a word with its marks of beginning and end. The marks alone are none.
    fn add_letter_ngrams(&self, word: &[u8], features: &mut Vec<u32>) {
        let is_start = |byte: &u8| byte & 0xc0 != 0x80;
        for start in (0..word.len()).filter(|start| is_start(&word[*start])) {
            let mut end = start;
            for length in 1..=self.settings.max_ngram {
                if end == word.len() {
                    break;
                }
                let rest = word[end + 1..].iter();
                end += 1 + rest.take_while(|byte| !is_start(byte)).count();
                let is_mark = length == 1 && (start == 0 || end == word.len());
                if length >= self.settings.min_ngram && !is_mark {
                    let bucket = hash(&word[start..end]) % self.settings.buckets;
                    self.add_bucket(bucket, features);
                }
            }
        }
    }

    fn add_word_ngrams(&self, hashes: &[u32], features: &mut Vec<u32>) {
        // The hashes are of 32 bits with a sign.
        let signed = |hash: &u32| i64::from(hash.cast_signed()).cast_unsigned();
        for (at, first) in hashes.iter().enumerate() {
            let mut ngram = signed(first);
            let longest = self.settings.word_ngrams.saturating_sub(1);
            for next in hashes[at + 1..].iter().take(longest) {
                ngram = ngram.wrapping_mul(116_049_371).wrapping_add(signed(next));
                if let Some(bucket) = ngram.checked_rem(u64::from(self.settings.buckets)) {
                    self.add_bucket(bucket as u32, features);
                }
            }
        }
    }

    fn add_bucket(&self, bucket: u32, features: &mut Vec<u32>) {
        let bucket = match &self.buckets {
            Some(buckets) => buckets.get(&bucket).copied(),
            None => Some(bucket),
        };
        features.extend(bucket.map(|bucket| self.words.len() as u32 + bucket));
    }
}

fn read_pairs(reader: &mut Reader<impl Read>, count: usize) -> Result<HashMap<u32, u32>, FastTextError> {
    let mut pairs = HashMap::new();
    for _ in 0..count {
        pairs.insert(reader.size()? as u32, reader.size()? as u32);
    }
    Ok(pairs)
}

/// FNV-1a of 32 bits, of bytes with signs.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |hash: u32, byte| {
        let signed = i32::from(byte.cast_signed()).cast_unsigned();
        (hash ^ signed).wrapping_mul(16_777_619)
    })
}

fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\r' | b'\t' | 0x0b | 0x0c | 0)
}
