//! Attribute names as small integers.

/// Attributes that are kept in the tree. All others are dropped while parsing. Models know attributes by their numbers:
/// new ones stand at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "each is the attribute of that name")]
pub enum Attr {
    Alt,
    AriaHidden,
    AriaLabel,
    Charset,
    Class,
    Content,
    Datetime,
    Hidden,
    Href,
    HttpEquiv,
    Id,
    Itemprop,
    Itemtype,
    Lang,
    Name,
    Property,
    Rel,
    Role,
    Src,
    Style,
    Title,
    Type,
    Value,
    Colspan,
    Dir,
    Reversed,
    Rowspan,
    Start,
    XmlLang,
    Alttext,
    Encoding,
    Shadowrootmode,
    Slot,
    DataSrc,
    Display,
    Srcdoc,
    Close,
    Linethickness,
    Mathvariant,
    Notation,
    Open,
    Separators,
    /// `data-latex`, `data-tex` or another by which editors keep the source of a formula that an element shows.
    Tex,
    DataCfemail,
    DataLanguage,
    DataLineNumber,
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

    /// The attribute of a lower-case name, if it is one that is kept.
    pub(crate) fn from_bytes(name: &[u8]) -> Option<Attr> {
        Some(match name {
            b"alt" => Attr::Alt,
            b"alttext" => Attr::Alttext,
            b"aria-hidden" => Attr::AriaHidden,
            b"aria-label" => Attr::AriaLabel,
            b"close" => Attr::Close,
            b"linethickness" => Attr::Linethickness,
            b"mathvariant" => Attr::Mathvariant,
            b"notation" => Attr::Notation,
            b"open" => Attr::Open,
            b"separators" => Attr::Separators,
            b"data-equation"
            | b"data-equation-content"
            | b"data-formula"
            | b"data-latex"
            | b"data-math"
            | b"data-tex" => Attr::Tex,
            b"charset" => Attr::Charset,
            b"class" => Attr::Class,
            b"content" => Attr::Content,
            b"data-src" | b"data-lazy-src" | b"data-original" => Attr::DataSrc,
            b"data-cfemail" => Attr::DataCfemail,
            b"data-lang"
            | b"data-language"
            | b"data-enlighter-language"
            | b"data-syntaxhighlighter-params" => Attr::DataLanguage,
            b"data-line" | b"data-line-number" | b"data-ln" => Attr::DataLineNumber,
            b"datetime" => Attr::Datetime,
            b"hidden" => Attr::Hidden,
            b"href" => Attr::Href,
            b"http-equiv" => Attr::HttpEquiv,
            b"id" => Attr::Id,
            b"itemprop" => Attr::Itemprop,
            b"itemtype" => Attr::Itemtype,
            b"lang" => Attr::Lang,
            b"name" => Attr::Name,
            b"property" => Attr::Property,
            b"rel" => Attr::Rel,
            b"role" => Attr::Role,
            b"src" => Attr::Src,
            b"style" => Attr::Style,
            b"title" => Attr::Title,
            b"type" => Attr::Type,
            b"value" => Attr::Value,
            b"colspan" => Attr::Colspan,
            b"display" => Attr::Display,
            b"dir" => Attr::Dir,
            b"encoding" => Attr::Encoding,
            b"reversed" => Attr::Reversed,
            b"rowspan" => Attr::Rowspan,
            b"shadowrootmode" => Attr::Shadowrootmode,
            b"slot" => Attr::Slot,
            b"srcdoc" => Attr::Srcdoc,
            b"start" => Attr::Start,
            b"xml:lang" => Attr::XmlLang,
            _ => return None,
        })
    }
}
