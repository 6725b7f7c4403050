//! Keys of places: a hash of the end of a block's path, equal for the same place of two pages.

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Number of elements at the end of a path that make its key.
const ELEMENTS: usize = 6;

/// Prefixes of classes that describe the topic of a page, not the place: blog software adds the categories, tags, author and
/// format of a post to the classes of its element.
const TOPIC_PREFIXES: [&[u8]; 6] = [b"category-", b"tag-", b"author-", b"cat-", b"label-", b"format-"];

/// Computes the keys of a page's elements. Its memory is kept from page to page.
///
/// A key is a hash of the last six elements of a path, each with its name and its set of classes. Each run of digits in a
/// class counts as one zero, so that `post-12` and `post-345` are the same; classes that describe a topic, such as
/// `category-boats`, are left out.
///
/// It is a polynomial rolling hash: with the hashes h of the elements of a path from the root on, the hash of the path to
/// element i is `p(i) = p(i - 1) * BASE + h(i)` modulo 2^64, and the key is `p(i) - p(i - 6) * BASE^6`.
#[derive(Clone, Debug)]
pub struct PathKeys {
    /// The hash of the path to each element; 0 until it is computed.
    paths: Vec<u64>,
    /// Elements whose paths are being computed, each inside the next.
    open: Vec<u32>,
    /// The hash of an element without classes, by its name.
    plain: [u64; Tag::COUNT],
    /// A direct-mapped cache of the hashes of elements with classes.
    cache: Vec<CacheEntry>,
    classes: Vec<u64>,
    folded: Vec<u8>,
}

/// The hash of an element with classes.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEntry {
    /// A hash of the element's name and the value of its attribute `class`.
    value: u64,
    element: u64,
}

/// Entries per cache: a site has a few hundred values of `class`.
const CACHE: usize = 1 << 10;

/// The base of the rolling hash. Odd, so that multiplication by it is invertible.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its power for the elements before the last ones.
const OUTER: u64 = BASE.wrapping_pow(ELEMENTS as u32);

impl Default for PathKeys {
    fn default() -> PathKeys {
        PathKeys {
            paths: Vec::new(),
            open: Vec::new(),
            plain: Tag::ALL.map(|tag| xxh3_64(tag.name().as_bytes())),
            cache: vec![CacheEntry::default(); CACHE],
            classes: Vec::new(),
            folded: Vec::new(),
        }
    }
}

impl PathKeys {
    /// Starts a page.
    pub fn begin(&mut self, page: &Page) {
        self.paths.clear();
        self.paths.resize(page.elements.len(), 0);
    }

    /// The key of the path that ends in an element of the started page; 0 for [`NONE`].
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
            at => path.wrapping_sub(self.paths[at as usize].wrapping_mul(OUTER)),
        }
    }

    /// The hash of the path to an element; 0 for [`NONE`].
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
            path = path.wrapping_mul(BASE).wrapping_add(self.element(page, element));
            self.paths[element as usize] = path;
        }
        path
    }

    /// The hash of an element.
    fn element(&mut self, page: &Page, element: u32) -> u64 {
        let tag = page.elements[element as usize].tag;
        let Some(classes) = page.attribute(element, Attr::Class) else {
            return self.plain[tag as usize];
        };
        let value = xxh3_64_with_seed(classes.as_bytes(), tag as u64);
        let slot = value as usize % CACHE;
        if self.cache[slot].value != value {
            let element = self.with_classes(tag, classes);
            self.cache[slot] = CacheEntry { value, element };
        }
        self.cache[slot].element
    }

    /// The hash of an element with this name and these classes.
    fn with_classes(&mut self, tag: Tag, classes: &str) -> u64 {
        self.classes.clear();
        let is_topic = |class: &&str| {
            let mut prefixes = TOPIC_PREFIXES.iter();
            let class = class.as_bytes();
            prefixes.any(|prefix| prefix[0] == class[0] && class.starts_with(prefix))
        };
        for class in classes.split_ascii_whitespace().filter(|class| !is_topic(class)) {
            let class = self.class(class);
            self.classes.push(class);
        }
        self.classes.sort_unstable();
        self.classes.dedup();
        self.classes
            .iter()
            .fold(self.plain[tag as usize], |hash, &class| combine(hash, class))
    }

    /// The hash of a class, with each run of digits as one zero.
    fn class(&mut self, class: &str) -> u64 {
        if !class.bytes().any(|byte| byte.is_ascii_digit()) {
            return xxh3_64(class.as_bytes());
        }
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

/// Combines two hashes, in their order: the exclusive or of both halves of a product.
fn combine(one: u64, other: u64) -> u64 {
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
        fn equal_keys_mean_equal_places(pages in prop::collection::vec("(<(div|ul|p)( class=[ab])?>x?|</div>|</ul>){0,40}", 1..4)) {
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
