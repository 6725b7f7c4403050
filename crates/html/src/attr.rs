//! Attribute names as small integers.

macro_rules! attributes {
    ($($variant:ident $($name:literal)+,)*) => {
        /// Attributes that are kept in the tree. All others are dropped while parsing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each is the attribute of that name")]
        pub enum Attr {
            $($variant,)*
        }

        impl Attr {
            /// The attribute of a lower-case name, if it is one that is kept.
            pub(crate) fn from_bytes(name: &[u8]) -> Option<Attr> {
                match name {
                    $($($name)|+ => Some(Attr::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

// Attributes of one meaning are one: those by which editors keep the source of a formula are `Tex`.
attributes! {
    Alt b"alt", AriaHidden b"aria-hidden", AriaLabel b"aria-label", Charset b"charset", Class b"class",
    Content b"content", Datetime b"datetime", Hidden b"hidden", Href b"href", HttpEquiv b"http-equiv",
    Id b"id", Itemprop b"itemprop", Itemtype b"itemtype", Lang b"lang", Name b"name", Property b"property",
    Rel b"rel", Role b"role", Src b"src", Style b"style", Title b"title", Type b"type", Value b"value",
    Colspan b"colspan", Dir b"dir", Reversed b"reversed", Rowspan b"rowspan", Start b"start",
    XmlLang b"xml:lang", Alttext b"alttext", Encoding b"encoding", Shadowrootmode b"shadowrootmode",
    Slot b"slot", DataSrc b"data-src" b"data-lazy-src" b"data-original", Display b"display", Close b"close",
    Linethickness b"linethickness", Mathvariant b"mathvariant", Notation b"notation", Open b"open",
    Separators b"separators",
    Tex b"data-equation" b"data-equation-content" b"data-formula" b"data-latex" b"data-math" b"data-tex",
    DataCfemail b"data-cfemail",
    DataLanguage b"data-lang" b"data-language" b"data-enlighter-language" b"data-syntaxhighlighter-params",
    DataLineNumber b"data-line" b"data-line-number" b"data-ln",
}

/// A set of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttrSet(u64);

impl AttrSet {
    /// Whether an attribute is in the set.
    #[inline]
    pub fn has(self, name: Attr) -> bool {
        self.0 >> name as u8 & 1 == 1
    }

    /// Puts an attribute into the set.
    #[inline]
    pub fn insert(&mut self, name: Attr) {
        self.0 |= 1 << name as u8;
    }
}

impl Attr {
    /// The attribute of a lower-case name, if it is one that is kept.
    pub fn from_name(name: &str) -> Option<Attr> {
        Attr::from_bytes(name.as_bytes())
    }
}
