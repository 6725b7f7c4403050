//! Page-type cues: the classes and ids of `<html>` and `<body>`, and the relations of its
//! `<link>` elements to other documents.

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;

/// What the roots say, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Root(u16);

/// Maximum words searched per attribute.
const MOST: usize = 200;
/// Maximum bytes per word: longer ones are no cues.
const LONGEST: usize = 16;

impl Root {
    // Words in classes and ids.
    pub(crate) const POST: Root = Root(1);
    pub(crate) const PRODUCT: Root = Root(1 << 1);
    pub(crate) const LIST: Root = Root(1 << 2);
    pub(crate) const THREAD: Root = Root(1 << 3);
    pub(crate) const MANUAL: Root = Root(1 << 4);
    pub(crate) const FRONT: Root = Root(1 << 5);
    // Relations.
    pub(crate) const NEXT: Root = Root(1 << 6);
    pub(crate) const CONTENTS: Root = Root(1 << 7);
    pub(crate) const FEED: Root = Root(1 << 8);
    pub(crate) const AMP: Root = Root(1 << 9);
    pub(crate) const SHORTLINK: Root = Root(1 << 10);
    pub(crate) const SEARCH: Root = Root(1 << 11);

    pub(crate) fn has(self, bit: Root) -> bool {
        self.0 & bit.0 != 0
    }

    fn add(&mut self, other: Root) {
        self.0 |= other.0;
    }

    /// Reads an element, if it is one of them.
    #[inline]
    pub(super) fn read(&mut self, page: &Page, element: u32, tag: Tag) {
        let value = |name| page.attribute(element, name).unwrap_or_default();
        match tag {
            Tag::Html | Tag::Body => {
                self.read_names(value(Attr::Class));
                self.read_names(value(Attr::Id));
            }
            Tag::Link => self.read_relations(value(Attr::Rel), value(Attr::Type)),
            _ => {}
        }
    }

    fn read_names(&mut self, names: &str) {
        let words = names.split(|letter: char| !letter.is_ascii_alphabetic());
        for word in words.filter(|word| !word.is_empty()).take(MOST) {
            self.add(of_word(small(word, &mut [0; LONGEST])));
        }
    }

    fn read_relations(&mut self, rel: &str, of_type: &str) {
        for word in rel.split_ascii_whitespace().take(MOST) {
            self.add(of_relation(small(word, &mut [0; LONGEST]), of_type));
        }
    }
}

/// What a word says that programs put into the names of pages of a kind.
fn of_word(word: &[u8]) -> Root {
    match word {
        b"post" | b"article" | b"single" | b"story" | b"news" | b"blog" | b"entry" => Root::POST,
        b"product" | b"item" | b"pdp" => Root::PRODUCT,
        b"category" | b"collection" | b"archive" | b"catalog" | b"listing" | b"list" | b"search" | b"tag"
        | b"browse" | b"tax" | b"plp" | b"department" => Root::LIST,
        b"topic" | b"thread" | b"forum" | b"viewtopic" | b"showthread" | b"discussion" | b"question"
        | b"community" => Root::THREAD,
        b"docs" | b"doc" | b"documentation" | b"wiki" | b"manual" | b"api" | b"reference" | b"guide"
        | b"docusaurus" => Root::MANUAL,
        b"home" | b"front" | b"homepage" | b"index" | b"landing" | b"main" => Root::FRONT,
        _ => Root::default(),
    }
}

/// What a relation says, of a link to a document of a type.
fn of_relation(relation: &[u8], of_type: &str) -> Root {
    match relation {
        b"next" | b"prev" | b"previous" => Root::NEXT,
        // Those of HTML 4 that lead up or to other parts of a book.
        b"up" | b"contents" | b"index" | b"start" | b"top" | b"chapter" | b"section" | b"toc"
        | b"glossary" | b"help" | b"home" => Root::CONTENTS,
        b"alternate" if of_type.contains("rss") || of_type.contains("atom") => Root::FEED,
        b"amphtml" => Root::AMP,
        b"shortlink" | b"pingback" | b"edituri" => Root::SHORTLINK,
        b"search" => Root::SEARCH,
        _ => Root::default(),
    }
}

/// A word in small letters; nothing of a longer one.
fn small<'b>(word: &str, buffer: &'b mut [u8; LONGEST]) -> &'b [u8] {
    let Some(small) = buffer.get_mut(..word.len()) else {
        return &[];
    };
    small.copy_from_slice(word.as_bytes());
    small.make_ascii_lowercase();
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &str) -> Root {
        let mut root = Root::default();
        root.read_names(names);
        root
    }

    fn related(rel: &str, of_type: &str) -> Root {
        let mut root = Root::default();
        root.read_relations(rel, of_type);
        root
    }

    #[test]
    fn classes_are_taken_apart() {
        let page = named("single single-post postid-12 HOME");
        assert!(page.has(Root::POST) && page.has(Root::FRONT) && !page.has(Root::LIST));
        let list = named("tax-product_cat woocommerce");
        assert!(list.has(Root::PRODUCT) && list.has(Root::LIST) && !list.has(Root::POST));
        assert_eq!(
            named("posts items é 12 documentationdocumentation"),
            Root::default()
        );
    }

    #[test]
    fn relations_are_recognised_and_feeds_by_their_type() {
        assert_eq!(related("Prev", ""), Root::NEXT);
        assert_eq!(related("x up", ""), Root::CONTENTS);
        assert_eq!(related("EditURI", "application/rsd+xml"), Root::SHORTLINK);
        assert_eq!(related("ALTERNATE home2", "application/atom+xml"), Root::FEED);
        assert_eq!(related("alternate", "text/html"), Root::default());
        assert_eq!(related("icon", "application/rss+xml"), Root::default());
    }
}
