//! What the tokenizer hands to the tree builder.

use crate::Attr;
use crate::Tag;

/// The name of an element, to be compared with others: the tag's integer, or a hash of the
/// lower-case name where HTML does not know the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u32);

impl Key {
    pub(crate) const fn from_tag(tag: Tag) -> Key {
        Key(tag as u32)
    }

    /// The key of a name as written.
    pub(crate) fn new(tag: Tag, name: &[u8]) -> Key {
        if tag != Tag::Other {
            return Key::from_tag(tag);
        }
        let hash = name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| match byte {
            0 => "\u{fffd}".bytes().fold(hash, fnv),
            byte => fnv(hash, byte.to_ascii_lowercase()),
        });
        Key((hash ^ (hash >> 32)) as u32 | 1 << 31)
    }

    /// A small number, the same for equal keys.
    pub(crate) fn bucket(self) -> usize {
        (self.0 & 255) as usize
    }
}

fn fnv(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// A start tag. Its attributes are at the end of the arena's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartTag {
    pub(crate) tag: Tag,
    pub(crate) key: Key,
    pub(crate) self_closing: bool,
    /// First and one past the last of its attributes.
    pub(crate) attributes: (u32, u32),
    /// Where all its attributes stand in the source, kept or not.
    pub(crate) source: (u32, u32),
    /// What the tree builder wants to know of the name or of attributes that are not kept.
    pub(crate) special: Special,
}

/// Names and attributes that matter in SVG and MathML only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Special {
    #[default]
    None,
    /// `<font>` with color, face or size.
    StyledFont,
    /// `<annotation>`.
    Annotation,
    /// `<annotation-xml>`; whether its encoding is HTML.
    AnnotationXml(bool),
    /// `<mi>`, `<mo>`, `<mn>`, `<ms>`, `<mtext>`.
    MathText,
    /// `<mglyph>`, `<malignmark>`.
    MathGlyph,
    /// `<foreignObject>`, `<desc>`; `<title>` is known by its tag.
    SvgHtml,
}

impl Special {
    /// What the name of an element means.
    pub(crate) fn new(tag: Tag, name: &[u8]) -> Special {
        match tag {
            Tag::Other => Special::of_name(name),
            tag if tag.is_math_text() => Special::MathText,
            _ => Special::None,
        }
    }

    /// What a name that is no HTML element's means.
    fn of_name(name: &[u8]) -> Special {
        const NAMES: [(&str, Special); 6] = [
            ("annotation", Special::Annotation),
            ("annotation-xml", Special::AnnotationXml(false)),
            ("mglyph", Special::MathGlyph),
            ("malignmark", Special::MathGlyph),
            ("foreignobject", Special::SvgHtml),
            ("desc", Special::SvgHtml),
        ];
        let known = NAMES
            .iter()
            .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
        known.map_or(Special::None, |&(_, special)| special)
    }
}

/// The tag and the name of an element without the prefix that XHTML may give to elements of MathML: `mml:math`, `m:mi`.
/// Browsers that read such a page as HTML know none of them; their formula is lost there.
#[inline]
pub(crate) fn without_prefix(tag: Tag, name: &[u8]) -> (Tag, &[u8]) {
    match tag {
        Tag::Other => of_mathml(name).unwrap_or((tag, name)),
        _ => (tag, name),
    }
}

fn of_mathml(name: &[u8]) -> Option<(Tag, &[u8])> {
    let own = &name[memchr::memchr(b':', name)? + 1..];
    let tag = Tag::from_bytes(own);
    let is_annotation = || {
        matches!(
            Special::of_name(own),
            Special::Annotation | Special::AnnotationXml(_)
        )
    };
    (tag == Tag::Math || tag.is_of_formula() || is_annotation()).then_some((tag, own))
}

/// How the tokenizer continues after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Tags and text.
    Markup,
    /// Text with character references, up to the end tag.
    Rcdata,
    /// Text, up to the end tag.
    Rawtext,
    /// As raw text, with the escapes of scripts.
    Script,
    /// Text to the end of the page.
    Plaintext,
}

/// A run of characters: in the source, newlines as they are, or in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Characters {
    pub(crate) pool: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Maximum bytes of the name of an attribute that may be kept.
const LONGEST: usize = "data-equation-content".len();

/// The attribute of a name as written, if it is one that is kept.
pub(crate) fn kept_attribute(name: &[u8]) -> Option<Attr> {
    if name.len() > LONGEST {
        return None;
    }
    // Nearly all names are in lower case.
    let is_in_lower_case = || !name.iter().any(u8::is_ascii_uppercase);
    Attr::from_bytes(name).or_else(|| match is_in_lower_case() {
        true => None,
        false => Attr::from_bytes(&name.to_ascii_lowercase()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HtmlParser, NodeKind, TreeBuilder, TreeLimits};

    #[test]
    fn only_elements_of_mathml_lose_their_prefix() {
        for (name, own) in [
            ("mml:math", "math"),
            ("m:mI", "mI"),
            ("x:annotation-xml", "annotation-xml"),
            ("m:p", "m:p"),
            ("svg:title", "svg:title"),
            ("a:b:math", "a:b:math"),
            (":", ":"),
            ("math", "math"),
        ] {
            let (_, found) = without_prefix(Tag::Other, name.as_bytes());
            assert_eq!(found, own.as_bytes(), "{name}");
        }
    }

    /// The elements in the body with their kinds, as both builders find them.
    fn elements(html: &str) -> Vec<(NodeKind, Tag)> {
        let trees = [TreeBuilder::Gleaner, TreeBuilder::Html5ever].map(|builder| {
            let mut parser = HtmlParser::new(TreeLimits::default()).with(builder);
            let parsed = parser.parse_str(html);
            let tree = parsed.tree();
            let elements = tree.nodes().filter(|&node| tree.kind(node).is_element());
            elements
                .map(|node| (tree.kind(node), tree.tag(node)))
                .skip_while(|(_, tag)| *tag != Tag::Body)
                .skip(1)
                .collect::<Vec<_>>()
        });
        assert_eq!(trees[0], trees[1], "of {html}");
        trees[0].clone()
    }

    #[test]
    fn a_prefix_makes_no_other_tree() {
        let plain = "<p><math><mfrac><mi>a</mi><mspace/><mtext>b</mtext></mfrac><annotation>c</annotation></math>d<b>e";
        let prefixed = plain
            .replace("<m", "<q:m")
            .replace("</m", "</q:m")
            .replace("annotation", "q:annotation");
        assert_eq!(elements(&prefixed), elements(plain));
        assert_eq!(elements(plain)[1], (NodeKind::Math, Tag::Math));
    }
}
