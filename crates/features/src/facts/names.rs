//! Class and id attributes: the keywords in them, their tokens as hashes, and roles.

use std::ops::Range;

use gleaner_page::{Attr, NONE, Page};
use rustc_hash::FxHashMap;

use super::keywords::Keywords;
use super::{Facts, Landmark, bytes};
use crate::BUCKETS;

/// How many ancestors' names go into a block's bag.
const LEVELS: usize = 8;
/// How many tokens of an attribute are read.
const TOKENS: usize = 12;
/// How many letters of an attribute that is taken whole count.
const LETTERS: usize = 24;

/// Attribute values and the bytes of their texts that are remembered from page to page.
const KEPT_VALUES: usize = 1 << 12;
const KEPT_BYTES: usize = 1 << 18;
/// How many values of the page at hand are remembered beside it, as a power of two.
const RECENT_BITS: u32 = 9;

/// What the names of all elements on a page say. Equal attribute values are looked at once, and not
/// again on the pages that follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Values of the page at hand, each at the place that a few of its bytes give it: most are there
    /// again soon, and what is known of all pages is too much for the near caches.
    recent: Vec<Recent>,
    /// The last value of a hash.
    known: FxHashMap<u64, u32>,
    values: Vec<Value>,
    /// The texts of the values.
    texts: String,
    /// Each token as it goes into bags, near and far; none where there are no bags.
    tokens: Vec<[[u32; 2]; 2]>,
}

/// What is looked for in names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) keywords: Option<Keywords>,
    /// Hashes of their tokens.
    pub(crate) tokens: bool,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    name: Attr,
    /// Where its text ends in [`Names::texts`]; it begins where that of the value before ends.
    text_end: u32,
    keywords: u64,
    /// Its hashes in [`Names::tokens`].
    start: u32,
    end: u32,
    /// A hash of what of it tells elements of the same kind from others.
    kind: u32,
}

/// A value and where on the page it was last seen.
#[derive(Clone, Copy, Debug)]
struct Recent {
    start: u32,
    end: u32,
    /// Its number in [`Names::values`]; [`NONE`] at a place that is free.
    index: u32,
    name: Attr,
    kind: u32,
    keywords: u64,
}

impl Recent {
    const FREE: Recent = Recent {
        start: 0,
        end: 0,
        index: NONE,
        name: Attr::Alt,
        kind: 0,
        keywords: 0,
    };
}

/// What the names of one element say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named {
    pub(crate) keywords: u64,
    /// Those of its ancestors too.
    keywords_around: u64,
    pub(crate) role: u32,
    /// A hash of its classes, numbers apart.
    pub(crate) kind: u32,
    /// Values of its class and id, and what else is hashed, one above their index; zero for none.
    values: [u32; 3],
}

impl Facts {
    /// Reads the names of all elements.
    pub(super) fn measure_names(&mut self, page: &Page, wanted: &Wanted) {
        self.names.begin_page();
        for (element, facts) in page.elements.iter().zip(&mut self.elements) {
            for (name, value) in
                &page.attributes[element.attributes.start as usize..element.attributes.end as usize]
            {
                self.names
                    .read(*name, (&page.values, value), wanted, &mut facts.named);
            }
            facts.landmarks |= facts.named.role;
        }
    }

    /// Gives each block the keywords around it.
    pub(super) fn measure_keywords(&mut self, page: &Page) {
        for (at, element) in page.elements.iter().enumerate() {
            let up = self.elements.get(element.parent as usize);
            let up = up.map_or(0, |up| up.named.keywords_around);
            let named = &mut self.elements[at].named;
            named.keywords_around = named.keywords | up;
        }
        for at in 0..self.blocks.len() {
            self.blocks[at].keywords = self.keywords_around(page, self.blocks[at].up[0]);
        }
    }

    /// Keyword groups by distance: bits of groups within 2, within 5 and within any number of
    /// elements.
    fn keywords_around(&self, page: &Page, element: u32) -> [u64; 3] {
        let named = |element: u32| &self.elements[element as usize].named;
        let (mut near, mut middle) = (0, 0);
        for (distance, up) in page.ancestors(element).take(5).enumerate() {
            middle |= named(up).keywords;
            if distance < 2 {
                near = middle;
            }
        }
        [near, middle, named(element).keywords_around]
    }

    /// The hashed names around an element: each token by itself, and as near or far.
    pub(crate) fn hash_names(&self, page: &Page, element: u32, mut push: impl FnMut(&[u32])) {
        for (distance, up) in page.ancestors(element).take(LEVELS).enumerate() {
            for value in self.elements[up as usize].named.values {
                let Some(value) = (value as usize).checked_sub(1).map(|at| self.names.values[at]) else {
                    continue;
                };
                for token in &self.names.tokens[value.start as usize..value.end as usize] {
                    push(&token[usize::from(distance >= 2)]);
                }
            }
        }
    }

    /// Whether two elements are sure to have the same names around them, level by level.
    pub(crate) fn same_names(&self, page: &Page, one: u32, other: u32) -> bool {
        let values = |element: u32| self.elements[element as usize].named.values;
        let (mut ones, mut others) = (page.ancestors(one), page.ancestors(other));
        for _ in 0..LEVELS {
            match (ones.next(), others.next()) {
                (Some(one), Some(other)) if one == other => return true,
                (Some(one), Some(other)) if values(one) == values(other) => {}
                (one, other) => return one == other,
            }
        }
        true
    }
}

impl Names {
    /// Forgets the page before, and all once it is too much.
    fn begin_page(&mut self) {
        if self.values.len() > KEPT_VALUES || self.texts.len() > KEPT_BYTES {
            self.forget();
        }
        self.recent.clear();
        self.recent.resize(1 << RECENT_BITS, Recent::FREE);
    }

    /// Memory is kept, but not more than is needed mostly.
    fn forget(&mut self) {
        if self.values.capacity() > 4 * KEPT_VALUES || self.texts.capacity() > 4 * KEPT_BYTES {
            *self = Names::default();
        }
        self.known.clear();
        self.values.clear();
        self.texts.clear();
        self.tokens.clear();
    }

    /// Reads an attribute, whose value is a range of a page's values.
    fn read(&mut self, name: Attr, value: (&str, &Range<u32>), wanted: &Wanted, into: &mut Named) {
        let slot = match name {
            Attr::Class => 0,
            Attr::Id => 1,
            Attr::Itemprop | Attr::Role => 2,
            _ => return,
        };
        let text = &value.0[bytes(value.1)];
        if name == Attr::Role {
            into.role = Landmark::of_role(text);
        }
        let place = place(name, text.as_bytes());
        let recent = self.recent[place];
        let same = recent.index != NONE
            && recent.name == name
            && recent.end - recent.start == text.len() as u32
            && value.0[bytes(&(recent.start..recent.end))] == *text;
        let found = if same {
            recent
        } else {
            self.find(name, value, wanted)
        };
        self.recent[place] = found;
        into.values[slot] = found.index + 1;
        into.keywords |= found.keywords;
        if slot == 0 {
            into.kind = found.kind;
        }
    }

    /// Finds a value among all that are known, and learns it if it is new.
    fn find(&mut self, name: Attr, (values, range): (&str, &Range<u32>), wanted: &Wanted) -> Recent {
        let text = &values[bytes(range)];
        let key = xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), name as u64);
        let known = self.known.get(&key).copied();
        let known = known.filter(|&index| self.is(index, name, text));
        let index = known.unwrap_or_else(|| self.learn(key, name, text, wanted));
        let Value { kind, keywords, .. } = self.values[index as usize];
        Recent {
            start: range.start,
            end: range.end,
            index,
            name,
            kind,
            keywords,
        }
    }

    fn learn(&mut self, key: u64, name: Attr, text: &str, wanted: &Wanted) -> u32 {
        let start = self.tokens.len() as u32;
        let is_name = matches!(name, Attr::Class | Attr::Id);
        match is_name {
            _ if !wanted.tokens => {}
            true => tokens(text, |token| self.tokens.push(in_bags(hash(token)))),
            false => self.tokens.push(in_bags(hash_whole(name, text))),
        }
        let keywords = wanted.keywords.as_ref().filter(|_| is_name);
        let index = self.values.len() as u32;
        self.texts.push_str(text);
        self.values.push(Value {
            name,
            text_end: self.texts.len() as u32,
            keywords: keywords.map_or(0, |keywords| keywords.find(text)),
            start,
            end: self.tokens.len() as u32,
            kind: if name == Attr::Class { kind(text) } else { 0 },
        });
        self.known.insert(key, index);
        index
    }

    /// Whether a value is this one: other pages' values must not count for it, whatever their hash.
    fn is(&self, index: u32, name: Attr, text: &str) -> bool {
        let value = &self.values[index as usize];
        let before = index
            .checked_sub(1)
            .map_or(0, |at| self.values[at as usize].text_end);
        value.name == name && self.texts[before as usize..value.text_end as usize] == *text
    }
}

/// A place in [`Names::recent`], by the name of an attribute and the length and both ends of its value.
fn place(name: Attr, value: &[u8]) -> usize {
    let (first, last) = match (value.first_chunk::<8>(), value.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (0, value.iter().fold(0, |all, &byte| all << 8 | u64::from(byte))),
    };
    let mut state = first ^ (value.len() as u64) << 32 ^ name as u64;
    state = state.wrapping_mul(SPREAD).rotate_left(29) ^ last;
    (state.wrapping_mul(SPREAD) >> (u64::BITS - RECENT_BITS)) as usize
}

/// An odd number without a pattern in its bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The buckets of the hashed tokens of an attribute of some element around a block, each with words
/// for it: the token, and the token as near the block or far from it. For people who look into a
/// model, in which only the buckets are left.
///
/// ```
/// use gleaner_features::name_buckets;
/// use gleaner_page::Attr;
///
/// let names: Vec<String> = name_buckets(Attr::Class, "sideBar").into_iter().map(|(_, name)| name).collect();
/// assert_eq!(names, ["side", "side (near)", "side (far)", "bar", "bar (near)", "bar (far)"]);
/// assert_eq!(name_buckets(Attr::Role, "main")[0].1, "role=main");
/// assert!(name_buckets(Attr::Href, "main").is_empty());
/// ```
pub fn name_buckets(name: Attr, text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut push = |hash: u32, name: String| {
        let [[itself, near], [_, far]] = in_bags(hash);
        found.extend([
            (itself, name.clone()),
            (near, format!("{name} (near)")),
            (far, format!("{name} (far)")),
        ]);
    };
    match name {
        Attr::Class | Attr::Id => tokens(text, |token| {
            push(hash(token), String::from_utf8_lossy(token).to_ascii_lowercase());
        }),
        Attr::Itemprop | Attr::Role => {
            let head: String = text.chars().take(LETTERS).collect();
            let kind = if name == Attr::Role { "role" } else { "itemprop" };
            push(hash_whole(name, text), format!("{kind}={head}"));
        }
        _ => {}
    }
    found
}

/// Finds the tokens of a name: runs of letters, cut where a capital follows a small letter. Single
/// letters are left out.
fn tokens(text: &str, mut push: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    let (mut start, mut count) = (0, 0);
    for at in 0..=bytes.len() {
        let letter = bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        let hump =
            letter && at > start && bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
        if letter && !hump {
            continue;
        }
        if at >= start + 2 && count < TOKENS {
            push(&bytes[start..at]);
            count += 1;
        }
        start = if hump { at } else { at + 1 };
    }
}

/// What a token puts into a bag near the block and far from it: itself, and itself as near or far.
fn in_bags(token: u32) -> [[u32; 2]; 2] {
    [1, 2].map(|distance| [token, mix(token, distance)].map(|hash| hash % BUCKETS))
}

/// A hash of the first three classes, any number as good as another.
fn kind(text: &str) -> u32 {
    let mut state = BASIS;
    for class in text.split_ascii_whitespace().take(3) {
        let mut digit = false;
        for byte in class.bytes() {
            if !(digit && byte.is_ascii_digit()) {
                state = step(state, if byte.is_ascii_digit() { b'#' } else { byte });
            }
            digit = byte.is_ascii_digit();
        }
        state = step(state, b' ');
    }
    state
}

const BASIS: u32 = 0x811c_9dc5;

/// A step of FNV-1a: the hashes are in trained models and may never change.
fn step(state: u32, byte: u8) -> u32 {
    (state ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// A hash of letters, whatever their case.
fn hash(bytes: &[u8]) -> u32 {
    let fold = |state, byte: &u8| step(state, byte.to_ascii_lowercase());
    mix(bytes.iter().fold(BASIS, fold), 0)
}

/// The hash of an attribute that is not cut into tokens.
fn hash_whole(name: Attr, text: &str) -> u32 {
    let head = &text.as_bytes()[..text.len().min(LETTERS)];
    mix(hash(head), 3 + name as u32)
}

/// Spreads a hash over all bits, with a salt.
fn mix(hash: u32, salt: u32) -> u32 {
    let mut state = hash ^ salt.wrapping_mul(0x9e37_79b9);
    state = (state ^ state >> 16).wrapping_mul(0x85eb_ca6b);
    state = (state ^ state >> 13).wrapping_mul(0xc2b2_ae35);
    state ^ state >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        tokens(text, |token| found.push(hash(token)));
        found
    }

    fn hashes(words: &[&str]) -> Vec<u32> {
        words.iter().map(|word| hash(word.as_bytes())).collect()
    }

    #[test]
    fn names_are_cut_at_humps_and_signs() {
        assert_eq!(
            all("sideBar_left2 x Main-ad é"),
            hashes(&["side", "bar", "left", "main", "ad"])
        );
        assert_eq!(all("HTML nav"), hashes(&["html", "nav"]));
        assert!(all("").is_empty() && all("a1 b").is_empty());
    }

    #[test]
    fn numbers_do_not_tell_kinds_apart() {
        assert_eq!(kind("post post-12 x"), kind("post post-7 x"));
        assert_ne!(kind("post first"), kind("post second"));
        assert_eq!(kind("a b c d"), kind("a b c e"));
    }
}
