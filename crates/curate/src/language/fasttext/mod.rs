//! Models of fastText that a user brings, such as GlotLID (`.bin`) and lid.176 (`.bin` and `.ftz`).
//!
//! Only what a prediction needs: dictionary, hashes of n-grams, dense and quantised matrices, and the three ways from scores to
//! probabilities. Sources: Joulin et al., *Bag of Tricks for Efficient Text Classification* (2016) and *FastText.zip* (2016), and
//! the files that the program `fasttext` 0.9.2 writes (versions 11 and 12 of its format).
//!
//! A text is a bag of features: its words, the n-grams of the letters of its words, and the n-grams of its words. Each feature is
//! a row of the input matrix; the mean of the rows is multiplied by the output matrix, which has a row for each label (or for
//! each inner node of a Huffman tree of the labels).

mod dictionary;
mod matrix;
mod output;
mod reader;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use dictionary::Dictionary;
use matrix::Matrix;
use output::Output;
use reader::Reader;

/// A model of fastText that predicts labels.
#[derive(Debug)]
pub struct FastText {
    dictionary: Dictionary,
    input: Matrix,
    output: Output,
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FastTextError {
    /// The file cannot be read.
    #[error("could not read the language model {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The bytes cannot be read.
    #[error("could not read the language model")]
    Read(#[from] io::Error),
    /// The file begins otherwise than a model.
    #[error(
        "not a fastText model: give a .bin or .ftz file that `fasttext supervised` or `fasttext quantize` wrote"
    )]
    NotAModel,
    /// Another version of the format.
    #[error("a fastText model of version {0} of its format; versions 11 and 12 are supported")]
    Version(i32),
    /// A model of word vectors, which has no labels.
    #[error(
        "a fastText model of word vectors, which predicts no languages: give one that `fasttext supervised` wrote"
    )]
    NoLabels,
    /// The file ends early, or its parts do not fit together.
    #[error("the fastText model is damaged: {0}")]
    Damaged(&'static str),
}

/// How a model was trained, as far as a prediction depends on it.
#[derive(Clone, Copy, Debug)]
struct Settings {
    dimensions: usize,
    word_ngrams: usize,
    loss: i32,
    buckets: u32,
    min_ngram: usize,
    max_ngram: usize,
}

const MAGIC: i32 = 793_712_314;
const SUPERVISED: i32 = 3;

impl FastText {
    /// Reads a model from a file.
    pub fn open(path: &Path) -> Result<FastText, FastTextError> {
        let file = File::open(path).map_err(|source| FastTextError::Open {
            path: path.to_owned(),
            source,
        })?;
        FastText::read(BufReader::with_capacity(1 << 20, file))
    }

    /// Reads a model.
    pub fn read(bytes: impl Read) -> Result<FastText, FastTextError> {
        let mut reader = Reader::new(bytes);
        let settings = Settings::read(&mut reader)?;
        let dictionary = Dictionary::read(&mut reader, settings)?;
        let is_quantised = reader.flag()?;
        let input = Matrix::read(&mut reader, is_quantised)?;
        let is_output_quantised = reader.flag()?;
        let output = Matrix::read(&mut reader, is_quantised && is_output_quantised)?;
        let fits = input.rows() >= dictionary.rows() && input.columns() == settings.dimensions;
        if !fits {
            return Err(FastTextError::Damaged(
                "the input matrix has another size than the dictionary",
            ));
        }
        let output = Output::new(output, settings, dictionary.label_counts())?;
        Ok(FastText {
            dictionary,
            input,
            output,
        })
    }

    /// The labels, in the order of the file.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.dictionary.labels()
    }

    /// The most probable labels of a line of text, the first one first, with their probabilities. None if the text has no
    /// feature that the model knows. A line feed ends the text, as it does for fastText.
    pub fn predict(&self, text: &str, count: usize) -> Vec<(&str, f32)> {
        let features = self.dictionary.features(text);
        if features.is_empty() {
            return Vec::new();
        }
        let mut mean = vec![0.0; self.input.columns()];
        for feature in &features {
            self.input.add_row(*feature as usize, &mut mean);
        }
        let scale = 1.0 / features.len() as f32;
        mean.iter_mut().for_each(|value| *value *= scale);
        let labels = self.output.best(&mean, count).into_iter();
        labels
            .map(|(label, probability)| (self.dictionary.label(label), probability))
            .collect()
    }
}

impl Settings {
    fn read(reader: &mut Reader<impl Read>) -> Result<Settings, FastTextError> {
        if !reader.begins_with(MAGIC)? {
            return Err(FastTextError::NotAModel);
        }
        let version = reader.int()?;
        if !matches!(version, 11 | 12) {
            return Err(FastTextError::Version(version));
        }
        let dimensions = reader.size()?;
        // Window, epochs, least count, negative samples.
        reader.skip_ints(4)?;
        let word_ngrams = reader.size()?;
        let loss = reader.int()?;
        let model = reader.int()?;
        let buckets = reader.size()?;
        let (min_ngram, max_ngram) = (reader.size()?, reader.size()?);
        // Rate of updates; then the sampling threshold, which has eight bytes.
        reader.skip_ints(3)?;
        if model != SUPERVISED {
            return Err(FastTextError::NoLabels);
        }
        if max_ngram > 0 && buckets == 0 {
            return Err(FastTextError::Damaged("n-grams have no buckets"));
        }
        Ok(Settings {
            dimensions,
            word_ngrams,
            loss,
            buckets: buckets as u32,
            min_ngram,
            // Version 11 had no n-grams of letters in models with labels.
            max_ngram: if version == 11 { 0 } else { max_ngram },
        })
    }
}
