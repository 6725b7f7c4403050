//! Element names as small integers.

macro_rules! tags {
    ($($variant:ident $name:literal)*) => {
        /// The name of an element of HTML, or of one of MathML that gives a formula its form. All other names share
        /// [`Tag::Other`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Tag {
            /// An element that HTML does not define, such as a custom element.
            Other,
            $(#[doc = concat!("`<", $name, ">`")] $variant,)*
        }

        impl Tag {
            /// Number of tags; every tag as an integer is below.
            pub const COUNT: usize = [Tag::Other, $(Tag::$variant),*].len();

            /// All tags, in the order of their integers.
            pub const ALL: [Tag; Tag::COUNT] = [Tag::Other, $(Tag::$variant),*];

            /// The lower-case names, in the order of their integers; `*` for [`Tag::Other`].
            const NAMES: [&str; Tag::COUNT] = ["*", $($name),*];

            /// The lower-case name; `*` for [`Tag::Other`].
            pub const fn name(self) -> &'static str {
                Tag::NAMES[self as usize]
            }
        }
    };
}

tags! {
    A "a" Abbr "abbr" Acronym "acronym" Address "address" Applet "applet" Area "area"
    Article "article" Aside "aside" Audio "audio" B "b" Base "base" Basefont "basefont" Bdi "bdi"
    Bdo "bdo" Bgsound "bgsound" Big "big" Blink "blink" Blockquote "blockquote" Body "body"
    Br "br" Button "button" Canvas "canvas" Caption "caption" Center "center" Cite "cite"
    Code "code" Col "col" Colgroup "colgroup" Data "data" Datalist "datalist" Dd "dd" Del "del"
    Details "details" Dfn "dfn" Dialog "dialog" Dir "dir" Div "div" Dl "dl" Dt "dt" Em "em"
    Embed "embed" Fieldset "fieldset" Figcaption "figcaption" Figure "figure" Font "font"
    Footer "footer" Form "form" Frame "frame" Frameset "frameset" H1 "h1" H2 "h2" H3 "h3" H4 "h4"
    H5 "h5" H6 "h6" Head "head" Header "header" Hgroup "hgroup" Hr "hr" Html "html" I "i"
    Iframe "iframe" Img "img" Input "input" Ins "ins" Kbd "kbd" Label "label" Legend "legend"
    Li "li" Link "link" Listing "listing" Main "main" Map "map" Mark "mark" Marquee "marquee"
    Math "math" Menu "menu" Meta "meta" Meter "meter" Nav "nav" Nobr "nobr" Noembed "noembed"
    Noframes "noframes" Noscript "noscript" Object "object" Ol "ol" Optgroup "optgroup"
    Option "option" Output "output" P "p" Param "param" Picture "picture" Plaintext "plaintext"
    Pre "pre" Progress "progress" Q "q" Rb "rb" Rp "rp" Rt "rt" Rtc "rtc" Ruby "ruby" S "s"
    Samp "samp" Script "script" Search "search" Section "section" Select "select" Slot "slot"
    Small "small" Source "source" Span "span" Strike "strike" Strong "strong" Style "style"
    Sub "sub" Summary "summary" Sup "sup" Svg "svg" Table "table" Tbody "tbody" Td "td"
    Template "template" Textarea "textarea" Tfoot "tfoot" Th "th" Thead "thead" Time "time"
    Title "title" Tr "tr" Track "track" Tt "tt" U "u" Ul "ul" Var "var" Video "video" Wbr "wbr"
    Xmp "xmp"
    Image "image" Isindex "isindex" Keygen "keygen"
    Mfrac "mfrac" Mover "mover" Mroot "mroot" Msqrt "msqrt" Msub "msub" Msubsup "msubsup" Msup "msup"
    Mtable "mtable" Mtd "mtd" Mtr "mtr" Munder "munder" Munderover "munderover"
    Menclose "menclose" Mfenced "mfenced" Mi "mi" Mlabeledtr "mlabeledtr" Mmultiscripts "mmultiscripts"
    Mn "mn" Mo "mo" Mphantom "mphantom" Mprescripts "mprescripts" Ms "ms" Mspace "mspace" Mtext "mtext"
}

impl Tag {
    /// The tag of a name, in upper or lower case.
    pub fn from_name(name: &str) -> Tag {
        Tag::from_bytes(name.as_bytes())
    }

    /// The tag of a name, in upper or lower case.
    pub(crate) fn from_bytes(name: &[u8]) -> Tag {
        match name.len() {
            ..=LONGEST => Tag::from_packed(pack(name)),
            _ => Tag::Other,
        }
    }

    /// The tag of the name that some bytes begin with, up to white space, a slash or `>`; and the length of the name.
    #[inline(always)]
    pub(crate) fn at_start(bytes: &[u8]) -> (Tag, usize) {
        let (mut packed, mut length) = (1_u64, 0);
        while let Some(&byte) = bytes.get(length)
            && LETTERS[byte as usize] != 0
        {
            packed = packed << 8 | u64::from(LETTERS[byte as usize]);
            length += 1;
        }
        match length {
            ..8 => (Tag::from_packed(packed.into()), length),
            _ => (Tag::from_bytes(&bytes[..length]), length),
        }
    }

    #[inline]
    fn from_packed(packed: u128) -> Tag {
        let mut at = slot(packed);
        loop {
            let tag = SLOTS[at];
            if tag == 0 || PACKED[tag as usize] == packed {
                return Tag::ALL[tag as usize];
            }
            at = (at + 1) % SLOTS.len();
        }
    }
}

/// The bytes of names in lower case; 0 for those that end a name. No tag has a NUL, so that any other byte may stand for it.
static LETTERS: [u8; 256] = {
    let mut letters = [1; 256];
    let mut byte = 1_u8;
    while byte < 255 {
        letters[byte as usize] = match byte {
            b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'/' | b'>' => 0,
            _ => byte.to_ascii_lowercase(),
        };
        byte += 1;
    }
    letters
};

/// Maximum bytes of a packed name.
const LONGEST: usize = 15;

/// The names packed, so that one comparison distinguishes two of them.
static PACKED: [u128; Tag::COUNT] = {
    let mut packed = [0; Tag::COUNT];
    let mut tag = 0;
    while tag < Tag::COUNT {
        packed[tag] = pack(Tag::NAMES[tag].as_bytes());
        tag += 1;
    }
    packed
};

/// A hash table of the names, with integers of tags: [`Tag::Other`] where it is empty.
static SLOTS: [u8; 1024] = {
    let mut slots = [0; 1024];
    let mut tag = 1;
    while tag < Tag::COUNT {
        let mut at = slot(PACKED[tag]);
        while slots[at] != 0 {
            at = (at + 1) % 1024;
        }
        slots[at] = tag as u8;
        tag += 1;
    }
    slots
};

/// The bytes of a name as one integer, in lower case, behind a one that keeps its length.
const fn pack(name: &[u8]) -> u128 {
    let mut packed = 1;
    let mut at = 0;
    while at < name.len() {
        packed = packed << 8 | name[at].to_ascii_lowercase() as u128;
        at += 1;
    }
    packed
}

/// Where a name is looked for first.
const fn slot(packed: u128) -> usize {
    let folded = packed as u64 ^ (packed >> 64) as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

impl Tag {
    /// Whether the element stands within a line: text before and after it is on the same line.
    /// Elements that HTML does not know count as block-level here: where they stand in a line, only their place on the
    /// page shows it.
    #[inline]
    pub fn is_inline(self) -> bool {
        use Tag::*;
        const INLINE: TagSet = TagSet::new(&[
            A, Abbr, Acronym, B, Basefont, Bdi, Bdo, Big, Blink, Button, Cite, Code, Data, Del, Dfn, Em,
            Font, I, Img, Input, Ins, Kbd, Label, Mark, Math, Meter, Nobr, Output, Picture, Progress, Q, Rb,
            Rp, Rt, Rtc, Ruby, S, Samp, Slot, Small, Source, Span, Strike, Strong, Sub, Sup, Time, Tt, U,
            Var, Wbr,
        ]);
        INLINE.has(self) || self.is_of_formula()
    }

    /// Whether the element gives a formula of MathML its form, or holds its letters and signs: the last tags are these.
    #[inline]
    pub fn is_of_formula(self) -> bool {
        self >= Tag::Mfrac
    }

    /// Whether the element holds letters or signs of a formula of MathML.
    pub(crate) const fn is_math_text(self) -> bool {
        matches!(self, Tag::Mi | Tag::Mn | Tag::Mo | Tag::Ms | Tag::Mtext)
    }

    /// Whether the element has no content and no closing tag.
    pub fn is_void(self) -> bool {
        use Tag::*;
        const VOID: TagSet = TagSet::new(&[
            Area, Base, Basefont, Bgsound, Br, Col, Embed, Frame, Hr, Img, Input, Link, Meta, Param, Source,
            Track, Wbr,
        ]);
        VOID.has(self)
    }
}

/// A set of tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagSet([u64; Tag::COUNT.div_ceil(64)]);

impl TagSet {
    /// A set of these tags.
    pub const fn new(tags: &[Tag]) -> TagSet {
        let mut set = [0; Tag::COUNT.div_ceil(64)];
        let mut at = 0;
        while at < tags.len() {
            set[tags[at] as usize / 64] |= 1 << (tags[at] as usize % 64);
            at += 1;
        }
        TagSet(set)
    }

    /// Whether a tag is in the set.
    #[inline]
    pub const fn has(&self, tag: Tag) -> bool {
        self.0[tag as usize / 64] >> (tag as usize % 64) & 1 == 1
    }
}

impl FromIterator<Tag> for TagSet {
    #[inline]
    fn from_iter<T: IntoIterator<Item = Tag>>(tags: T) -> TagSet {
        let mut set = TagSet::default();
        for tag in tags {
            set.0[tag as usize / 64] |= 1 << (tag as usize % 64);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_found_by_its_name() {
        for tag in &Tag::ALL[1..] {
            assert_eq!(Tag::from_name(tag.name()), *tag);
            assert_eq!(Tag::from_name(&tag.name().to_uppercase()), *tag);
            assert_eq!(
                Tag::from_name(&format!("{}x", tag.name())),
                Tag::Other,
                "{tag:?}x"
            );
        }
        for name in ["", "*", "my-element", "\0a", "a name that is much too long"] {
            assert_eq!(Tag::from_name(name), Tag::Other);
        }
    }
}
