//! Keys of places: what a block's path ends in, so that the same place of two pages is told by one number.

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// How many elements of a path make its key.
const ELEMENTS: usize = 6;

/// Classes that begin so tell what a page is about, not what stands there: blog software gives a post's
/// element those of its categories, tags, author and format.
const OF_PAGES: [&[u8]; 6] = [b"category-", b"tag-", b"author-", b"cat-", b"label-", b"format-"];

/// The keys of a page's elements; its memory is kept from page to page.
///
/// A key is a hash of the last six elements of a path, each as its name and its classes, in whatever
/// order they stand. Runs of digits in classes are alike, `post-12` and `post-345` are one place, and
/// classes that tell what a page is about, such as `category-boats`, are left out.
///
/// Each element by itself is a hash, and a path is the sum of those of its elements, each times a power of a number
/// (modulo 2^64) by how many stand in it. What the last six add to the sum is their key.
#[derive(Clone, Debug)]
pub struct PathKeys {
    /// The path to each element; 0 until it is asked for.
    paths: Vec<u64>,
    /// Elements whose paths are on their way, each in the next.
    open: Vec<u32>,
    /// What an element is by its name alone.
    plain: [u64; Tag::COUNT],
    /// What was last found out of values of the attribute, each in the place that its hash tells.
    known: Vec<Known>,
    classes: Vec<u64>,
    folded: Vec<u8>,
}

/// What an element of a name and a value of the attribute `class` is.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// A hash of both.
    of: u64,
    own: u64,
}

/// Values that are remembered: a site has a few hundred.
const KNOWN: usize = 1 << 10;

/// The number whose powers tell elements apart that are as such the same. Odd, so that nothing is lost.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its power for what a path has before its last elements.
const BEYOND: u64 = BASE.wrapping_pow(ELEMENTS as u32);

impl Default for PathKeys {
    fn default() -> PathKeys {
        PathKeys {
            paths: Vec::new(),
            open: Vec::new(),
            plain: Tag::ALL.map(|tag| xxh3_64(tag.name().as_bytes())),
            known: vec![Known::default(); KNOWN],
            classes: Vec::new(),
            folded: Vec::new(),
        }
    }
}

impl PathKeys {
    /// Forgets the page before.
    pub fn begin(&mut self, page: &Page) {
        self.paths.clear();
        self.paths.resize(page.elements.len(), 0);
    }

    /// The key of the path that ends in an element of the page that was begun; 0 without an element.
    ///
    /// # Panics
    /// The element is not of the page.
    pub fn key(&mut self, page: &Page, element: u32) -> u64 {
        let path = self.path(page, element);
        let mut at = element;
        for _ in 0..ELEMENTS {
            if at == NONE {
                return path;
            }
            at = page.elements[at as usize].parent;
        }
        match at {
            NONE => path,
            at => path.wrapping_sub(self.paths[at as usize].wrapping_mul(BEYOND)),
        }
    }

    /// The path to an element; 0 without one.
    fn path(&mut self, page: &Page, element: u32) -> u64 {
        let mut at = element;
        let mut path = loop {
            if at == NONE {
                break 0;
            }
            match self.paths[at as usize] {
                0 => self.open.push(at),
                path => break path,
            }
            at = page.elements[at as usize].parent;
        };
        while let Some(element) = self.open.pop() {
            path = path.wrapping_mul(BASE).wrapping_add(self.own(page, element));
            self.paths[element as usize] = path;
        }
        path
    }

    /// What an element is by itself.
    fn own(&mut self, page: &Page, element: u32) -> u64 {
        let tag = page.elements[element as usize].tag;
        let Some(classes) = page.attribute(element, Attr::Class) else {
            return self.plain[tag as usize];
        };
        let of = xxh3_64_with_seed(classes.as_bytes(), tag as u64);
        let place = of as usize % KNOWN;
        if self.known[place].of != of {
            let own = self.named(tag, classes);
            self.known[place] = Known { of, own };
        }
        self.known[place].own
    }

    /// What an element is by its name and its classes.
    fn named(&mut self, tag: Tag, classes: &str) -> u64 {
        self.classes.clear();
        let of_pages = |class: &&str| OF_PAGES.iter().any(|start| class.as_bytes().starts_with(start));
        for class in classes.split_ascii_whitespace().filter(|class| !of_pages(class)) {
            let class = self.class(class);
            self.classes.push(class);
        }
        self.classes.sort_unstable();
        self.classes.dedup();
        self.classes
            .iter()
            .fold(self.plain[tag as usize], |hash, &class| joined(hash, class))
    }

    /// A class, its runs of digits each as a zero.
    fn class(&mut self, class: &str) -> u64 {
        self.folded.clear();
        for byte in class.bytes() {
            match byte.is_ascii_digit() {
                false => self.folded.push(byte),
                true if self.folded.last() != Some(&b'0') => self.folded.push(b'0'),
                true => {}
            }
        }
        xxh3_64(&self.folded)
    }
}

/// A hash of two hashes, in their order: both halves of a product.
fn joined(one: u64, other: u64) -> u64 {
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
    let product = u128::from(one ^ ODD[0]) * u128::from(other ^ ODD[1]);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use gleaner_page::{PageConfig, Parser};
    use proptest::prelude::*;

    use super::*;

    fn keys(html: &str) -> Vec<u64> {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut keys = PathKeys::default();
        keys.begin(page);
        page.blocks
            .iter()
            .map(|block| keys.key(page, block.element))
            .collect()
    }

    #[test]
    fn a_place_is_its_last_elements_with_their_classes() {
        let one = keys("<div class='post post-12 hentry'><p>a<p>b</div><p>c");
        assert_eq!(one[0], one[1]);
        assert_ne!(one[0], one[2]);
        // Order, repetition, numbers and tags do not matter, nor what is further out than six.
        let other = keys("<div class='hentry post-7  post post tag-boats'><p>x</div>");
        assert_eq!(one[0], other[0]);
        assert_ne!(one[0], keys("<div class='post hentry'><p>x</div>")[0]);
        let deep = |outer: &str| keys(&format!("<div class={outer}><div><div><div><ul><li><p>x</div>"))[0];
        assert_eq!(deep("a"), deep("b"));
        assert_ne!(keys("<i class=a><div><ul><li>x")[0], 0);
    }

    /// The last six elements of a path in words.
    fn place(page: &Page, element: u32) -> Vec<(&'static str, &str)> {
        let class = |element| page.attribute(element, Attr::Class).unwrap_or_default();
        let elements = page.ancestors(element).take(6);
        elements
            .map(|element| (page.elements[element as usize].tag.name(), class(element)))
            .collect()
    }

    proptest! {
        #[test]
        fn places_are_told_apart(pages in prop::collection::vec("(<(div|ul|p)( class=[ab])?>x?|</div>|</ul>){0,40}", 1..4)) {
            let mut parser = Parser::new(PageConfig::default());
            let mut keys = PathKeys::default();
            let mut of_place = HashMap::new();
            let mut of_key = HashMap::new();
            for html in &pages {
                let page = parser.parse(html.as_bytes(), None).unwrap();
                keys.begin(page);
                for block in &page.blocks {
                    let place = format!("{:?}", place(page, block.element));
                    let key = keys.key(page, block.element);
                    prop_assert_eq!(*of_place.entry(place.clone()).or_insert(key), key);
                    prop_assert_eq!(of_key.entry(key).or_insert(place.clone()), &place);
                }
            }
        }
    }

    #[test]
    fn names_and_order_of_elements_matter() {
        let key = |html: &str| keys(html)[0];
        assert_ne!(key("<div><section>x"), key("<section><div>x"));
        assert_ne!(key("<div class=section>x"), key("<section class=div>x"));
        // The same in every release: flows and files may keep keys.
        assert_eq!(key("<p>x"), 13_416_501_129_811_474_509);
    }
}
