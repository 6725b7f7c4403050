//! How much of a page is read, and what was cut off.

/// Limits for one page. Every limit that is met leaves a flag in a [`TreeTruncation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// Bytes of the body, before its charset is decoded; [`TreeLimits::MOST_BYTES`] at most.
    pub bytes: usize,
    /// Ancestors of an element. Deeper elements are left out, their text goes to the deepest element there is.
    pub depth: u16,
    /// Elements of a page. The maximum of nodes is four times this number; what follows is left out.
    pub elements: usize,
    /// Attributes kept of one element.
    pub attributes: usize,
    /// Bytes of the value of an attribute.
    pub attribute_bytes: usize,
    /// Steps of work in each stage, see [`Steps`](crate::Steps).
    pub steps: u64,
}

/// Limits that were met while a tree was built; the rest of the page is missing from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTruncation {
    /// More bytes than the limit.
    pub bytes: bool,
    /// Nested more deeply than the limit (the text is kept, in the deepest element allowed).
    pub depth: bool,
    /// More elements than the limit.
    pub elements: bool,
    /// An element with more attributes, or an attribute with more bytes, than the limit.
    pub attributes: bool,
    /// More steps of work than the limit.
    pub steps: bool,
}

impl TreeLimits {
    /// 16 MiB: in web crawls larger bodies are data, not pages.
    pub const DEFAULT_BYTES: usize = 16 << 20;
    /// 256 MiB: places in a page are 32 bits wide.
    pub const MOST_BYTES: usize = 256 << 20;
    /// As deep as browsers allow.
    pub const DEFAULT_DEPTH: u16 = 512;
    /// Elements of a page.
    pub const DEFAULT_ELEMENTS: usize = 500_000;
    /// Attributes of an element.
    pub const DEFAULT_ATTRIBUTES: usize = 64;
    /// Bytes of an attribute's value.
    pub const DEFAULT_ATTRIBUTE_BYTES: usize = 64 << 10;
    /// Five hundred million: some ten seconds for the slowest kinds of pages, and a hundred times what the largest pages
    /// take that were not made to be slow.
    pub const DEFAULT_STEPS: u64 = 500_000_000;

    /// The part of a body that is read.
    pub(crate) fn cut<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        &body[..body.len().min(self.bytes).min(TreeLimits::MOST_BYTES)]
    }
}

impl Default for TreeLimits {
    fn default() -> TreeLimits {
        TreeLimits {
            bytes: TreeLimits::DEFAULT_BYTES,
            depth: TreeLimits::DEFAULT_DEPTH,
            elements: TreeLimits::DEFAULT_ELEMENTS,
            attributes: TreeLimits::DEFAULT_ATTRIBUTES,
            attribute_bytes: TreeLimits::DEFAULT_ATTRIBUTE_BYTES,
            steps: TreeLimits::DEFAULT_STEPS,
        }
    }
}
