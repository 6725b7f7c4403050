//! The labels of the CleanEval task, as the Victor thesis uses them (section 2.3).

use gleaner_crf::LANES;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::Error;

/// What a block is. The first four are content, the last is noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[repr(u8)]
pub enum Label {
    /// A heading.
    Header,
    /// The start of a paragraph.
    Paragraph,
    /// The start of a list item.
    List,
    /// Continues the block before.
    Continuation,
    /// Noise: navigation, advertisements, copyright lines and the like.
    Other,
}

impl Label {
    /// Number of labels.
    pub const COUNT: usize = 5;

    /// All labels, in the order of their integers.
    pub const ALL: [Label; Label::COUNT] = [
        Label::Header,
        Label::Paragraph,
        Label::List,
        Label::Continuation,
        Label::Other,
    ];

    /// Whether a block with this label is kept.
    pub fn is_content(self) -> bool {
        self != Label::Other
    }

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The labels that a model distinguishes, in the order of its weights: [`Label::Other`] and one
/// content label or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Label>", into = "Vec<Label>")]
pub struct Labels {
    labels: Vec<Label>,
    classes: [u8; Label::COUNT],
    other: usize,
}

impl Labels {
    /// Checks a list of labels.
    ///
    /// # Errors
    /// A label twice, `other` missing, no content label, more labels than the kernels hold (8).
    pub fn new(labels: Vec<Label>) -> Result<Labels, Error> {
        let other = labels
            .iter()
            .position(|&label| label == Label::Other)
            .ok_or_else(|| Error::Labels("`other` is missing".into()))?;
        let content = labels
            .iter()
            .position(|&label| label.is_content())
            .ok_or_else(|| Error::Labels("there is no content label".into()))?;
        if labels.len() > LANES {
            return Err(Error::Labels(format!("{} labels, at most {LANES}", labels.len())));
        }
        let mut classes = [content as u8; Label::COUNT];
        classes[Label::Other as usize] = other as u8;
        for (class, &label) in labels.iter().enumerate() {
            if labels[..class].contains(&label) {
                return Err(Error::Labels(format!("`{}` stands there twice", label.name())));
            }
            classes[label as usize] = class as u8;
        }
        Ok(Labels {
            labels,
            classes,
            other,
        })
    }

    /// How many there are; never fewer than two.
    #[expect(clippy::len_without_is_empty, reason = "there are always two")]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The labels in the order of the model's weights.
    pub fn as_slice(&self) -> &[Label] {
        &self.labels
    }

    /// The place of [`Label::Other`].
    pub fn other(&self) -> usize {
        self.other
    }

    /// The place of a label. Content that the model has no label of its own for counts as its
    /// first content label, so that a model of two labels learns from gold with five.
    pub fn class(&self, label: Label) -> usize {
        usize::from(self.classes[label as usize])
    }
}

impl Default for Labels {
    fn default() -> Self {
        Labels::new(Label::ALL.to_vec()).expect("all labels once")
    }
}

impl TryFrom<Vec<Label>> for Labels {
    type Error = Error;

    fn try_from(labels: Vec<Label>) -> Result<Labels, Error> {
        Labels::new(labels)
    }
}

impl From<Labels> for Vec<Label> {
    fn from(labels: Labels) -> Vec<Label> {
        labels.labels
    }
}
