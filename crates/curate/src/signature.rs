//! Signatures of texts.

use xxhash_rust::xxh3::xxh3_64;

use crate::minima::{Permutations, mixed};
use crate::sketch;
use crate::words::Words;
use crate::{ConfigError, SignatureConfig};

/// Computes signatures. Its memory is kept from one text to the next.
#[derive(Clone, Debug)]
pub struct Signer {
    config: SignatureConfig,
    permutations: Permutations,
    words: Words,
    /// A hash of each shingle.
    shingles: Vec<u32>,
    /// The hashes of shingles with numbers, in order, each with a hash of its numbers.
    numbered: Vec<(u32, u32)>,
}

/// The signature of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// XXH3 (128 bits) of the normalised words with a space after each: equal for exact duplicates. A text without words has
    /// none, and is no duplicate of anything.
    pub digest: Option<u128>,
    /// The number of words.
    pub words: u32,
    /// The least hash of a shingle under each permutation, band by band. A text with fewer words than a shingle has none: it
    /// has exact duplicates only.
    pub minima: Vec<u32>,
    /// What is kept beside a text: [`similarity`](crate::similarity) compares such sketches. A text without words has none.
    pub sketch: Vec<u8>,
    /// Minima in a band.
    rows: usize,
}

impl Signer {
    /// A signer with some settings.
    pub fn new(config: SignatureConfig) -> Result<Signer, ConfigError> {
        config.check()?;
        Ok(Signer {
            config,
            permutations: Permutations::new(config.minima()),
            words: Words::default(),
            shingles: Vec::new(),
            numbered: Vec::new(),
        })
    }

    /// Computes the signature of a text in place of the one before.
    pub fn sign(&mut self, text: &str, into: &mut Signature) {
        self.words.read(text);
        let words = self.words.hashes();
        self.shingles.clear();
        let shingles = words.windows(self.config.shingle);
        self.shingles
            .extend(shingles.map(|words| xxh3_64(words.as_flattened()) as u32));
        self.permutations.minima(&self.shingles, &mut into.minima);
        into.digest = self.words.digest();
        into.words = u32::try_from(words.len()).unwrap_or(u32::MAX);
        into.rows = self.config.rows;
        self.sketch(into);
    }

    /// Computes the sketch of a signature: of the words with their numbers.
    fn sketch(&mut self, of: &mut Signature) {
        of.sketch.clear();
        let Some(digest) = of.digest else { return };
        let numbers = self.words.numbers();
        let words = numbers
            .iter()
            .fold(digest as u64, |hash, number| mixed(hash ^ number.hash));
        self.find_numbered();
        let minima = of.minima.iter().enumerate().map(|(permutation, minimum)| {
            let numbers = self.numbers_of(self.permutations.number(permutation, *minimum));
            sketch::byte(minimum ^ numbers)
        });
        of.sketch.extend(words.to_le_bytes());
        of.sketch.extend(minima);
    }

    /// Finds the shingles with numbers. Of those that differ only in their numbers one counts.
    fn find_numbered(&mut self) {
        self.numbered.clear();
        let mut numbers = self.words.numbers();
        for (place, shingle) in self.shingles.iter().enumerate() {
            let passed = numbers.iter().take_while(|number| number.word < place).count();
            numbers = &numbers[passed..];
            let end = place + self.config.shingle;
            let within = numbers.iter().take_while(|number| number.word < end);
            let hash = within.fold(0, |hash, number| mixed(hash ^ number.hash));
            if hash != 0 {
                self.numbered.push((*shingle, hash as u32));
            }
        }
        self.numbered.sort_unstable();
        self.numbered.dedup_by_key(|(shingle, _)| *shingle);
    }

    /// The hash of the numbers of a shingle; 0 if it has none.
    fn numbers_of(&self, shingle: u32) -> u32 {
        let found = self
            .numbered
            .binary_search_by_key(&shingle, |(shingle, _)| *shingle);
        found.map_or(0, |place| self.numbered[place].1)
    }
}

impl Signature {
    /// A key for each band: texts are near duplicates if they share one. Bands with different numbers have different keys.
    pub fn band_keys(&self) -> impl Iterator<Item = u64> {
        let bands = self.minima.chunks_exact(self.rows.max(1));
        bands.zip(1u64..).map(|(minima, band)| {
            let add = |key: u64, minimum: &u32| mixed(key ^ u64::from(*minimum));
            minima.iter().fold(mixed(band), add)
        })
    }
}
