//! Element names as small integers.

macro_rules! tags {
    ($($variant:ident $name:literal)*) => {
        /// The name of an HTML element. Names outside of HTML share [`Tag::Other`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Tag {
            /// An element that HTML does not define, such as a custom element.
            Other,
            $(#[doc = concat!("`<", $name, ">`")] $variant,)*
        }

        impl Tag {
            /// How many tags there are; every tag as an integer is below.
            pub const COUNT: usize = [Tag::Other, $(Tag::$variant),*].len();

            /// All tags, in the order of their integers.
            pub const ALL: [Tag; Tag::COUNT] = [Tag::Other, $(Tag::$variant),*];

            /// The tag of a lower-case name.
            pub fn from_name(name: &str) -> Tag {
                match name {
                    $($name => Tag::$variant,)*
                    _ => Tag::Other,
                }
            }

            /// The lower-case name; `*` for [`Tag::Other`].
            pub fn name(self) -> &'static str {
                match self {
                    Tag::Other => "*",
                    $(Tag::$variant => $name,)*
                }
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
}

impl Tag {
    /// Whether the element stands within a line: text before and after it is on the same line.
    /// Elements that HTML does not know count as block-level; most are containers.
    pub fn is_inline(self) -> bool {
        use Tag::*;
        matches!(
            self,
            A | Abbr
                | Acronym
                | B
                | Basefont
                | Bdi
                | Bdo
                | Big
                | Blink
                | Button
                | Cite
                | Code
                | Data
                | Del
                | Dfn
                | Em
                | Font
                | I
                | Img
                | Input
                | Ins
                | Kbd
                | Label
                | Mark
                | Math
                | Meter
                | Nobr
                | Output
                | Picture
                | Progress
                | Q
                | Rb
                | Rp
                | Rt
                | Rtc
                | Ruby
                | S
                | Samp
                | Slot
                | Small
                | Source
                | Span
                | Strike
                | Strong
                | Sub
                | Sup
                | Time
                | Tt
                | U
                | Var
                | Wbr
        )
    }

    /// Whether the element has no content and no closing tag.
    pub fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Area | Base
                | Basefont
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }
}
