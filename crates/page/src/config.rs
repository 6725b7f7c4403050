//! Settings for reading pages.

use gleaner_html::{Tag, TreeBuilder, TreeLimits};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// How a page is cut into blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A line as rendered: text between block-level tags, `<br>` and the newlines of `<pre>`.
    #[default]
    Line,
    /// The texts between any two tags, each of whole words and with the punctuation that touches them:
    /// `Hello <b>world</b>! <i>B</i>ye` is the three blocks `Hello`, `world!` and `Bye`. Lines of a `<pre>` are not cut.
    Tag,
    /// A line of the page's text, of whose tags nothing is known, as Common Crawl writes it into WET records: the title
    /// first, and hidden parts like all others; `delete` and `alt` count for nothing. For models of such texts to learn
    /// from pages, and to be scored on them.
    Text,
}

/// How pages are read. Every limit that is met leaves a flag in [`crate::Page::truncated`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageConfig {
    /// What a block is.
    pub unit: Unit,
    /// Names of elements that are taken out with all they hold. Names that HTML does not know are
    /// without effect.
    pub delete: Vec<String>,
    /// Whether the `alt` text of images counts as text.
    pub alt: bool,
    /// Limits for one page.
    pub limits: Limits,
    /// What builds trees. Models do not say: both builders give the same.
    #[serde(skip)]
    pub parser: TreeBuilder,
}

/// Limits for one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredLimits")]
pub struct Limits {
    /// Bytes of the body, before its charset is decoded; [`Limits::MOST_BYTES`] at most.
    pub bytes: usize,
    /// Ancestors of an element. Deeper elements are left out, their text goes to the deepest
    /// element there is.
    pub depth: u16,
    /// Elements of a page. What follows is left out.
    pub elements: usize,
    /// Blocks of a page. What follows is left out, the rest of a text too.
    pub blocks: usize,
    /// Attributes kept of one element.
    pub attributes: usize,
    /// Bytes of the value of an attribute.
    pub attribute_bytes: usize,
    /// Steps of work for one page, in each stage: tags, texts, attributes and nodes, and what is looked at to find
    /// their places. A page that nests as it should takes a step for each or little more.
    pub steps: u64,
}

/// Limits as configurations hold them.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoredLimits {
    bytes: usize,
    depth: u16,
    elements: usize,
    blocks: usize,
    attributes: usize,
    attribute_bytes: usize,
    steps: u64,
    /// What models trained before steps were counted have in their place.
    #[serde(rename = "milliseconds")]
    _milliseconds: IgnoredAny,
}

impl Default for StoredLimits {
    fn default() -> StoredLimits {
        let limits = Limits::default();
        StoredLimits {
            bytes: limits.bytes,
            depth: limits.depth,
            elements: limits.elements,
            blocks: limits.blocks,
            attributes: limits.attributes,
            attribute_bytes: limits.attribute_bytes,
            steps: limits.steps,
            _milliseconds: IgnoredAny,
        }
    }
}

impl From<StoredLimits> for Limits {
    fn from(stored: StoredLimits) -> Limits {
        Limits {
            bytes: stored.bytes,
            depth: stored.depth,
            elements: stored.elements,
            blocks: stored.blocks,
            attributes: stored.attributes,
            attribute_bytes: stored.attribute_bytes,
            steps: stored.steps,
        }
    }
}

impl PageConfig {
    /// Elements deleted unless configured otherwise: not rendered as text, or not written by the
    /// page's author for reading.
    pub const DEFAULT_DELETE: [Tag; 22] = [
        Tag::Script,
        Tag::Style,
        Tag::Template,
        Tag::Svg,
        Tag::Object,
        Tag::Embed,
        Tag::Iframe,
        Tag::Select,
        Tag::Option,
        Tag::Optgroup,
        Tag::Datalist,
        Tag::Textarea,
        Tag::Canvas,
        Tag::Map,
        Tag::Audio,
        Tag::Video,
        Tag::Applet,
        Tag::Noframes,
        Tag::Noembed,
        Tag::Title,
        Tag::Meta,
        Tag::Link,
    ];
}

impl Default for PageConfig {
    fn default() -> PageConfig {
        PageConfig {
            unit: Unit::default(),
            delete: PageConfig::DEFAULT_DELETE
                .iter()
                .map(|tag| tag.name().to_owned())
                .collect(),
            alt: true,
            limits: Limits::default(),
            parser: TreeBuilder::default(),
        }
    }
}

impl Limits {
    /// As of trees.
    pub const DEFAULT_BYTES: usize = TreeLimits::DEFAULT_BYTES;
    /// As of trees.
    pub const MOST_BYTES: usize = TreeLimits::MOST_BYTES;
    /// As of trees.
    pub const DEFAULT_DEPTH: u16 = TreeLimits::DEFAULT_DEPTH;
    /// As of trees.
    pub const DEFAULT_STEPS: u64 = TreeLimits::DEFAULT_STEPS;

    /// The limits for a page's tree.
    pub(crate) fn of_tree(&self) -> TreeLimits {
        TreeLimits {
            bytes: self.bytes,
            depth: self.depth,
            elements: self.elements,
            attributes: self.attributes,
            attribute_bytes: self.attribute_bytes,
            steps: self.steps,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: Limits::DEFAULT_BYTES,
            depth: Limits::DEFAULT_DEPTH,
            elements: TreeLimits::DEFAULT_ELEMENTS,
            blocks: 200_000,
            attributes: TreeLimits::DEFAULT_ATTRIBUTES,
            attribute_bytes: TreeLimits::DEFAULT_ATTRIBUTE_BYTES,
            steps: Limits::DEFAULT_STEPS,
        }
    }
}
