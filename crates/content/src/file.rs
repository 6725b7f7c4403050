//! The model file.
//!
//! ```text
//! magic        8 bytes  "\x89GCRF\r\n\x1a": never text, and damaged by line-end conversion
//! version      u32      all integers are little-endian
//! length       u64      of the whole file
//! description  u32 + n  TOML: labels, decoder, template, features
//! card         u32 + n  TOML, for people
//! fingerprint  u64      of the features
//! transitions  f32 * labels * labels
//! present      bits     one a weight, in order of the template: whether it is not zero
//! weights      f32      those that are present
//!              and where the description names kinds of pages, the same two parts twice more:
//!              of the gate of kinds, then of content
//! splits       where the description names trees, tree by tree: u16 the input, u8 the least code,
//!              u8 the leaf
//! leaves       f32, tree by tree
//!              and where it names trees for labels, the same two parts of each label
//! pages        where the description counts training pages: 5 bytes of the digest of each, ascending,
//!              the first byte the highest
//! checksum     u64      XXH3 of all before
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use gleaner_crf::{Template, TemplateConfig};
use gleaner_gbdt::{MAX_LEAVES, MAX_TREES, Question, Split, Trees};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::adjust::Adjustments;
use crate::confidence::Calibration;
use crate::content::{ContentColumns, ContentModel};
use crate::conventions::Conventions;
use crate::decoder::Decoder;
use crate::training_pages::{self, TrainingPages};
use crate::{Error, FeatureSpace, Labels, Model};

/// How a model file begins.
pub const MAGIC: [u8; 8] = *b"\x89GCRF\r\n\x1a";

/// The version of the format.
pub const VERSION: u32 = 3;

/// The part of the file that people may want to read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// How many pages the model was trained on, where their digests are in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    training_pages: Option<usize>,
    /// How much the blocks that look alike count beside a block itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    group_smoothing: f32,
    /// What a text that stands elsewhere on the page, too, loses of its log odds.
    #[serde(default, skip_serializing_if = "is_zero")]
    repeated: f32,
    /// What a preformatted text between blocks of content gains in log odds.
    #[serde(default, skip_serializing_if = "is_zero")]
    preformatted: f32,
    /// Whether captions go with what they are about.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    captions: bool,
    /// The columns that content is judged by, where they are not those of the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_columns: Option<ContentColumns>,
    /// The kinds of pages that the model distinguishes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kinds: Vec<String>,
    /// The conventions of gold sets, the kinds of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    conventions: BTreeMap<String, Vec<String>>,
    /// Pairs of an expected and an observed word F1 of pages, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    confidence: Vec<[f32; 2]>,
    labels: Labels,
    decoder: Decoder,
    /// The trees of each label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_trees: Option<TreesShape>,
    /// The trees that judge content beside the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trees: Option<TreesShape>,
    template: TemplateConfig,
    features: FeatureSpace,
}

fn is_zero(value: &f32) -> bool {
    *value == 0.0
}

/// How many trees there are, of how many leaves, and what they count.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreesShape {
    count: usize,
    leaves: usize,
    share: f32,
}

impl TreesShape {
    fn new(trees: &Trees) -> TreesShape {
        TreesShape {
            count: trees.count(),
            leaves: trees.width,
            share: trees.share,
        }
    }

    /// Trees of that shape, unless they need more than `left` bytes.
    fn zero(self, left: usize) -> Result<Trees, String> {
        let TreesShape { count, leaves, share } = self;
        if !(1..=MAX_TREES).contains(&count) || !(2..=MAX_LEAVES).contains(&leaves) {
            return Err(format!("{count} trees of {leaves} leaves"));
        }
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("trees that count {share}"));
        }
        let bytes = count * (SPLIT * (leaves - 1) + 4 * leaves);
        if bytes > left {
            return Err(format!(
                "trees of {bytes} bytes are described, but {left} bytes are left"
            ));
        }
        Ok(Trees::zero(count, leaves, share))
    }
}

/// Bytes of a split.
const SPLIT: usize = 4;

impl Model {
    /// The bytes of the model file; the same for the same model.
    ///
    /// # Errors
    /// The description cannot be written as TOML or is longer than 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let description = toml::to_string(&Description {
            training_pages: self.training_pages.as_ref().map(TrainingPages::len),
            group_smoothing: self.group_smoothing(),
            repeated: self.repeated(),
            preformatted: self.preformatted(),
            captions: self.captions(),
            content_columns: self.content.as_ref().and_then(|content| content.columns.clone()),
            kinds: self.kinds().to_vec(),
            conventions: self.conventions(),
            confidence: self.calibration.points().to_vec(),
            trees: self
                .content
                .as_ref()
                .and_then(|content| content.trees.as_ref())
                .map(TreesShape::new),
            label_trees: self.label_trees.first().map(TreesShape::new),
            labels: self.labels.clone(),
            decoder: self.decoder,
            template: self.template_config.clone(),
            features: self.space.clone(),
        })
        .map_err(|error| Error::Description(error.to_string()))?;
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(0u64.to_le_bytes());
        put_text(&mut out, &description)?;
        put_text(&mut out, &self.card)?;
        out.extend(self.space.fingerprint.to_le_bytes());
        self.transitions
            .iter()
            .for_each(|weight| out.extend(weight.to_le_bytes()));
        put_weights(&mut out, &self.weights);
        if let Some(content) = &self.content {
            put_weights(&mut out, &content.gate);
            put_weights(&mut out, &content.weights);
            content.trees.iter().for_each(|trees| put_trees(&mut out, trees));
        }
        self.label_trees
            .iter()
            .for_each(|trees| put_trees(&mut out, trees));
        if let Some(pages) = &self.training_pages {
            out.extend(pages.to_bytes());
        }
        let length = out.len() as u64 + 8;
        out[12..20].copy_from_slice(&length.to_le_bytes());
        out.extend(xxh3_64(&out).to_le_bytes());
        Ok(out)
    }

    /// Reads a model file's bytes and checks everything in them. Memory stays within a small
    /// multiple of their length.
    ///
    /// # Errors
    /// Any byte that is not as it was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        let mut reader = Reader {
            bytes: verified(bytes)?,
            offset: 20,
        };
        let at = reader.offset;
        let description = reader.text("description")?;
        let description: Description =
            toml::from_str(description).map_err(|error| Error::Description(error.to_string()))?;
        let training_pages = description.training_pages;
        let card = reader.text("card")?.to_owned();
        let mut model = Model::zero_checked(description, reader.left(), at)?;
        model.card = card;
        model.space.fingerprint = reader.u64("fingerprint")?;
        for weight in &mut model.transitions {
            *weight = reader.weight("transitions")?;
        }
        reader.weights(&mut model.weights)?;
        if let Some(content) = &mut model.content {
            reader.weights(&mut content.gate)?;
            reader.weights(&mut content.weights)?;
            if let Some(trees) = &mut content.trees {
                reader.trees(trees, model.space.columns.len() + content.kinds.len())?;
            }
        }
        let inputs = model.label_inputs().count();
        for trees in &mut model.label_trees {
            reader.trees(trees, inputs)?;
        }
        model.training_pages = training_pages
            .map(|count| reader.training_pages(count))
            .transpose()?;
        if reader.left() > 0 {
            return Err(reader.inconsistent(format!("{} bytes are left over", reader.left())));
        }
        Ok(model)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// As [`Model::from_bytes`], with the path.
    pub fn load(path: &Path) -> Result<Model, Error> {
        let bytes = std::fs::read(path).map_err(|source| Error::Io(path.into(), source))?;
        Model::from_bytes(&bytes).map_err(|source| Error::File(path.into(), Box::new(source)))
    }

    /// Writes a model file: beside it first, then renamed. A link stays one, and what is no file (a device, a pipe) is
    /// written to.
    ///
    /// # Errors
    /// The system's.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, &self.to_bytes()?).map_err(|source| Error::Io(path.into(), source))
    }

    /// A model without weights, unless its description asks for more of them than `left` bytes
    /// can hold a bit for each.
    fn zero_checked(description: Description, left: usize, at: usize) -> Result<Model, Error> {
        let Description {
            training_pages: _,
            labels,
            decoder,
            template,
            features,
            group_smoothing,
            repeated,
            preformatted,
            captions,
            content_columns,
            kinds,
            conventions,
            confidence,
            trees,
            label_trees,
        } = description;
        let inconsistent = |detail| Error::Inconsistent(at, detail);
        let compiled = Template::compile(&template, &features.columns)?;
        let weights = compiled.attributes() * labels.len();
        if weights.div_ceil(8) > left {
            let detail = format!("{weights} weights are described, but {left} bytes are left for them");
            return Err(inconsistent(detail));
        }
        let settings = [group_smoothing, repeated, preformatted];
        let is_asked = trees.is_some() || captions || settings != [0.0; 3] || content_columns.is_some();
        if kinds.is_empty() && (is_asked || !conventions.is_empty()) {
            let detail = "content is judged by trees, blocks that look alike, repeated or preformatted texts, captions, \
                          conventions or columns of its own, but there are no kinds of pages";
            return Err(inconsistent(detail.to_owned()));
        }
        if !(0.0..=1.0).contains(&group_smoothing) {
            return Err(inconsistent(format!(
                "blocks that look alike count {group_smoothing}"
            )));
        }
        if !(repeated.is_finite() && repeated >= 0.0) {
            return Err(inconsistent(format!("repeated texts lose {repeated}")));
        }
        if !(preformatted.is_finite() && preformatted >= 0.0) {
            return Err(inconsistent(format!("preformatted texts gain {preformatted}")));
        }
        let calibration = Calibration::new(confidence).map_err(|detail| inconsistent(detail.to_owned()))?;
        let mut model = Model::zero(features, labels, template, decoder)?;
        model.calibration = calibration;
        if !kinds.is_empty() {
            let mut content =
                ContentModel::zero(kinds, content_columns, &model.template_config, &model.space)?;
            content.adjustments = Adjustments {
                group_smoothing,
                repeated,
                preformatted,
                captions,
            };
            content.conventions = conventions_of(&content.kinds, &conventions).map_err(inconsistent)?;
            content.trees = trees
                .map(|shape| shape.zero(left))
                .transpose()
                .map_err(inconsistent)?;
            model.content = Some(content);
        }
        if let Some(shape) = label_trees {
            let count = model.labels.len();
            let trees = shape.zero(left / count).map_err(inconsistent)?;
            model.label_trees = vec![trees; count];
        }
        Ok(model)
    }
}

/// The conventions that a description names.
fn conventions_of(
    kinds: &[String],
    described: &BTreeMap<String, Vec<String>>,
) -> Result<Conventions, String> {
    let mut conventions = Conventions::default();
    for (name, own) in described {
        if own.is_empty() {
            return Err(format!("the convention '{name}' has no kinds of pages"));
        }
        for own in own {
            let kind = kinds.iter().position(|kind| kind == own);
            let kind =
                kind.ok_or_else(|| format!("the convention '{name}' has pages of no kind: '{own}'"))?;
            conventions.add(name, kind);
        }
    }
    Ok(conventions)
}

/// Checks magic, version, length and checksum; gives what the checksum covers.
fn verified(bytes: &[u8]) -> Result<&[u8], Error> {
    let mut reader = Reader { bytes, offset: 0 };
    if reader.take(8, "magic").map_err(|_| Error::Magic)? != MAGIC {
        return Err(Error::Magic);
    }
    let found = reader.u32("version")?;
    if found != VERSION {
        return Err(Error::Version {
            found,
            supported: VERSION,
        });
    }
    let length = reader.u64("length")?;
    if length > bytes.len() as u64 {
        return Err(Error::Truncated {
            what: "model",
            offset: 0,
            needed: length,
            left: bytes.len(),
        });
    }
    if length < bytes.len() as u64 {
        return Err(reader.inconsistent(format!("length {length}, but the file has {}", bytes.len())));
    }
    let Some((content, checksum)) = bytes.split_last_chunk::<8>() else {
        return Err(Error::Magic);
    };
    let (found, computed) = (u64::from_le_bytes(*checksum), xxh3_64(content));
    if found == computed {
        Ok(content)
    } else {
        Err(Error::Checksum { found, computed })
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) -> Result<(), Error> {
    let length =
        u32::try_from(text.len()).map_err(|_| Error::Description("text longer than 4 GiB".into()))?;
    out.extend(length.to_le_bytes());
    out.extend(text.as_bytes());
    Ok(())
}

fn put_weights(out: &mut Vec<u8>, weights: &[f32]) {
    for group in weights.chunks(8) {
        let bits = group
            .iter()
            .enumerate()
            .map(|(bit, weight)| u8::from(*weight != 0.0) << bit);
        out.push(bits.sum());
    }
    let present = weights.iter().filter(|weight| **weight != 0.0);
    present.for_each(|weight| out.extend(weight.to_le_bytes()));
}

fn put_trees(out: &mut Vec<u8>, trees: &Trees) {
    for Split { question, leaf } in &trees.splits {
        out.extend(question.input.to_le_bytes());
        out.extend([question.threshold, *leaf]);
    }
    let leaves = trees.leaves.iter().flat_map(|leaves| &leaves[..trees.width]);
    leaves.for_each(|leaf| out.extend(leaf.to_le_bytes()));
}

/// Reads bytes in order, never past their end.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn inconsistent(&self, detail: String) -> Error {
        Error::Inconsistent(self.offset, detail)
    }

    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Error> {
        let (offset, left) = (self.offset, self.left());
        if count > left {
            return Err(Error::Truncated {
                what,
                offset,
                needed: count as u64,
                left,
            });
        }
        self.offset += count;
        Ok(&self.bytes[offset..offset + count])
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, Error> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, Error> {
        self.array(what).map(u64::from_le_bytes)
    }

    fn text(&mut self, what: &'static str) -> Result<&'a str, Error> {
        let length = self.u32(what)? as usize;
        let offset = self.offset;
        std::str::from_utf8(self.take(length, what)?)
            .map_err(|error| Error::Inconsistent(offset, format!("{what} is not UTF-8: {error}")))
    }

    fn weight(&mut self, what: &'static str) -> Result<f32, Error> {
        let weight = f32::from_le_bytes(self.array(what)?);
        if weight.is_finite() {
            Ok(weight)
        } else {
            Err(self.inconsistent(format!("{what}: {weight}")))
        }
    }

    /// Reads trees whose questions are about `inputs` inputs.
    fn trees(&mut self, trees: &mut Trees, inputs: usize) -> Result<(), Error> {
        for (place, split) in trees.splits.iter_mut().enumerate() {
            let [low, high, threshold, leaf] = self.array("splits")?;
            let input = u16::from_le_bytes([low, high]);
            if usize::from(input) >= inputs {
                return Err(self.inconsistent(format!("a question about input {input} of {inputs}")));
            }
            let leaves = place % (trees.width - 1) + 1;
            if usize::from(leaf) >= leaves {
                return Err(self.inconsistent(format!("a split of leaf {leaf} of {leaves}")));
            }
            *split = Split {
                question: Question { input, threshold },
                leaf,
            };
        }
        let leaves = trees
            .leaves
            .iter_mut()
            .flat_map(|leaves| &mut leaves[..trees.width]);
        for leaf in leaves {
            *leaf = self.weight("leaves")?;
        }
        Ok(())
    }

    fn training_pages(&mut self, count: usize) -> Result<TrainingPages, Error> {
        let bytes = self.take(count.saturating_mul(training_pages::BYTES), "pages")?;
        TrainingPages::from_bytes(bytes)
            .ok_or_else(|| self.inconsistent("the digests of training pages do not ascend".to_owned()))
    }

    fn weights(&mut self, weights: &mut [f32]) -> Result<(), Error> {
        let present = self.take(weights.len().div_ceil(8), "present")?;
        for (place, weight) in weights.iter_mut().enumerate() {
            if present[place / 8] >> (place % 8) & 1 == 1 {
                *weight = self.weight("weights")?;
            }
        }
        Ok(())
    }
}

/// Writes a file that is there as a whole or not at all.
///
/// # Errors
///
/// It cannot be written; a file that was there stays.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, bytes);
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, &path))
        .inspect_err(|_| drop(std::fs::remove_file(&part)))
}
