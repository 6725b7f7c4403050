//! Class and id attributes: the keywords in them, their tokens as hashes, and roles.

use std::ops::Range;

use gleaner_columns::BUCKETS;
use gleaner_html::{Attr, NONE};
use gleaner_page::{Element, Page};

use super::keywords::{Heads, Keywords};
use super::{Facts, Holds, Landmark, bytes};

/// How many ancestors' names go into a block's bag.
const LEVELS: usize = 8;
/// How many tokens of an attribute are read.
const TOKENS: usize = 12;
/// How many letters of an attribute that is taken whole count.
const LETTERS: usize = 24;

/// Attribute values and the bytes of their texts that are remembered from page to page: what does not fit
/// the nearer caches takes longer to find than to read again.
const KEPT_VALUES: usize = 1 << 10;
const KEPT_BYTES: usize = 1 << 16;
/// How many places there are for two values each, as a power of two.
const PLACE_BITS: u32 = 10;

/// What the names of the elements around a page's blocks say. Equal attribute values are looked at once, and not
/// again on the pages that follow, unless others have taken their place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Two values whose hashes begin alike, the one that was met last before the other.
    places: Vec<[Known; 2]>,
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

/// A value's number, [`NONE`] where there is none, and its hash: a value that has another one is not looked at, as
/// it may be far away in memory.
#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u32,
    index: u32,
}

const NOTHING: Known = Known { hash: 0, index: NONE };

#[derive(Clone, Debug)]
struct Value {
    name: Attr,
    /// Where its text is in [`Names::texts`].
    text: Range<u32>,
    /// Its keyword groups, once they were asked for.
    keywords: Option<u64>,
    /// A hash of what of it tells elements of the same kind from others.
    kind: u32,
    /// Its hashes in [`Names::tokens`].
    tokens: Range<u32>,
}

/// What the names of one element say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named {
    pub(crate) keywords: u64,
    /// Those of its ancestors too.
    pub(super) keywords_around: u64,
    /// Values of its class and id, and what else is hashed, one above their index; zero for none.
    values: [u32; 3],
}

impl Facts {
    /// Gives each block the keyword groups around it by distance: bits of groups within 2, within 5 and within any
    /// number of elements.
    pub(super) fn measure_keywords(&mut self, page: &Page) {
        for block in &mut self.blocks {
            let facts = |element: u32| self.elements.get(element as usize);
            let keywords = |element: u32| facts(element).map_or(0, |facts| facts.named.keywords);
            let [own, parent, above, third] = block.up;
            let fourth = page.elements[third as usize].parent;
            let near = keywords(own) | keywords(parent);
            let middle = near | keywords(above) | keywords(third) | keywords(fourth);
            block.keywords = [near, middle, self.elements[own as usize].named.keywords_around];
        }
    }

    /// The hashed names around an element: each token by itself, and as near or far.
    pub(crate) fn hash_names(&self, page: &Page, element: u32, mut push: impl FnMut(&[u32])) {
        for (distance, up) in page.ancestors(element).take(LEVELS).enumerate() {
            for value in self.elements[up as usize].named.values {
                let Some(value) = (value as usize).checked_sub(1).map(|at| &self.names.values[at]) else {
                    continue;
                };
                for token in &self.names.tokens[bytes(&value.tokens)] {
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

impl Wanted {
    /// The keyword groups in a class or an id.
    fn find(&self, text: &str) -> u64 {
        self.keywords.as_ref().map_or(0, |keywords| keywords.find(text))
    }

    /// The place in [`Named`] of the values of an attribute that are looked at. Classes beside an element around a
    /// block are, too, because siblings are compared by them.
    fn slot(&self, name: Attr, holds: Holds) -> Option<usize> {
        let is_around = holds >= Holds::Block;
        match name {
            Attr::Class if holds != Holds::Nothing => Some(0),
            Attr::Id if is_around && (self.tokens || self.keywords.is_some()) => Some(1),
            Attr::Itemprop | Attr::Role if is_around && self.tokens => Some(2),
            _ => None,
        }
    }
}

impl Names {
    /// Forgets all once it is too much. Memory is kept, but not more than is needed mostly.
    pub(super) fn begin_page(&mut self) {
        if self.values.capacity() > 4 * KEPT_VALUES || self.texts.capacity() > 4 * KEPT_BYTES {
            *self = Names::default();
        }
        if self.values.len() > KEPT_VALUES || self.texts.len() > KEPT_BYTES || self.places.is_empty() {
            self.places.clear();
            self.places.resize(1 << PLACE_BITS, [NOTHING; 2]);
            self.values.clear();
            self.texts.clear();
            self.tokens.clear();
        }
    }

    /// Reads what the names of an element say, and a hash of its classes, numbers apart. What its role
    /// says goes into `landmarks`, whatever it holds.
    #[inline]
    pub(super) fn read(
        &mut self,
        page: &Page,
        element: &Element,
        (holds, wanted): (Holds, &Wanted),
        (named, landmarks): (&mut Named, &mut u32),
    ) -> u32 {
        let mut kind = 0;
        for (name, range) in &page.attributes[bytes(&element.attributes)] {
            let slot = wanted.slot(*name, holds);
            if slot.is_none() && *name != Attr::Role {
                continue;
            }
            let text = &page.values[bytes(range)];
            if *name == Attr::Role {
                *landmarks |= Landmark::of_role(text);
            }
            // Most ids are of one element: without tokens there is nothing to remember of them.
            if *name == Attr::Id && slot.is_some() && !wanted.tokens {
                named.keywords |= wanted.find(text);
                continue;
            }
            if let Some(slot) = slot {
                let index = self.value(*name, text, wanted);
                named.values[slot] = index + 1;
                if slot == 0 {
                    kind = self.values[index as usize].kind;
                }
                if holds >= Holds::Block {
                    named.keywords |= self.keywords(index, wanted);
                }
            }
        }
        kind
    }

    /// The number of a value, which is learned if it is new.
    fn value(&mut self, name: Attr, text: &str, wanted: &Wanted) -> u32 {
        let hash = hash_value(name, text.as_bytes());
        let place = (hash >> (u32::BITS - PLACE_BITS)) as usize;
        let [last, other] = self.places[place];
        let is = |known: Known| known.hash == hash && self.is(known.index, name, text);
        if is(last) {
            return last.index;
        }
        let index = if is(other) {
            other.index
        } else {
            self.learn(name, text, wanted)
        };
        self.places[place] = [Known { hash, index }, last];
        index
    }

    /// The keyword groups in a value, which are looked for once they are asked for.
    fn keywords(&mut self, index: u32, wanted: &Wanted) -> u64 {
        let value = &mut self.values[index as usize];
        *value.keywords.get_or_insert_with(|| match value.name {
            Attr::Class | Attr::Id => wanted.find(&self.texts[bytes(&value.text)]),
            _ => 0,
        })
    }

    /// Apart from what is done for each element, which needs few registers without it.
    #[inline(never)]
    fn learn(&mut self, name: Attr, text: &str, wanted: &Wanted) -> u32 {
        let first_token = self.tokens.len() as u32;
        match name {
            _ if !wanted.tokens => {}
            Attr::Class | Attr::Id => tokens(text, |token| self.tokens.push(in_bags(hash(token)))),
            _ => self.tokens.push(in_bags(hash_whole(name, text))),
        }
        let index = self.values.len() as u32;
        let start = self.texts.len() as u32;
        self.texts.push_str(text);
        self.values.push(Value {
            name,
            text: start..self.texts.len() as u32,
            keywords: None,
            kind: if name == Attr::Class { kind(text) } else { 0 },
            tokens: first_token..self.tokens.len() as u32,
        });
        index
    }

    /// Whether a value is this one: other pages' values must not count for it, whatever their hash.
    fn is(&self, index: u32, name: Attr, text: &str) -> bool {
        self.values.get(index as usize).is_some_and(|value| {
            value.name == name
                && value.text.len() == text.len()
                && self.texts.as_bytes()[bytes(&value.text)] == *text.as_bytes()
        })
    }
}

/// A hash whose first bits are a value's place in [`Names::places`].
fn hash_value(name: Attr, value: &[u8]) -> u32 {
    let mut state = (value.len() as u64) << 32 ^ name as u64;
    let (eights, rest) = value.as_chunks::<8>();
    for eight in eights {
        state = spread(state ^ u64::from_le_bytes(*eight));
    }
    let rest = match value.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => rest.iter().fold(0, |rest, &byte| rest << 8 | u64::from(byte)),
    };
    spread(state ^ rest) as u32
}

/// Spreads bits upwards and brings them down again: a step of a hash that lives no longer than the
/// program.
fn spread(state: u64) -> u64 {
    state.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(32)
}

/// The buckets of the hashed tokens of an attribute of some element around a block, each with words
/// for it: the token, and the token as near the block or far from it. For people who look into a
/// model, in which only the buckets are left.
///
/// ```
/// use gleaner_features::name_buckets;
/// use gleaner_html::Attr;
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

/// A hash of the first three classes, any number as good as another; never zero in practice, which stands
/// for no class attribute.
fn kind(text: &str) -> u32 {
    let (text, mut at) = (text.trim_ascii().as_bytes(), 0);
    let (mut state, mut classes) = (u64::from(BASIS), 0);
    let heads = Heads::of(text);
    while at < text.len() {
        at = spread_plain(&mut state, &heads, at);
        let Some(&byte) = text.get(at) else { break };
        // Each number is one sign, and so is what stands between classes.
        let (sign, length) = match byte {
            b'0'..=b'9' => (b'0', count(&text[at..], u8::is_ascii_digit)),
            byte if byte.is_ascii_whitespace() => (b' ', count(&text[at..], u8::is_ascii_whitespace)),
            byte => (byte, 1),
        };
        classes += u32::from(sign == b' ');
        if classes == 3 {
            break;
        }
        state = spread(state ^ u64::from(sign));
        at += length;
    }
    spread(state ^ u64::from(b' ')) as u32
}

/// How many bytes a text begins with that are so.
fn count(text: &[u8], is_so: impl Fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| is_so(byte)).count()
}

/// Takes up, by eights, the bytes from a place on that are neither digits nor white space nor other control
/// characters; says where they end.
fn spread_plain(state: &mut u64, text: &Heads<'_>, mut at: usize) -> usize {
    loop {
        let eight = text.at(at);
        match plain_bytes(eight) {
            8 => *state = spread(*state ^ eight),
            0 => return at,
            count => {
                *state = spread(*state ^ eight << (64 - 8 * count));
                return at + count;
            }
        }
        at += 8;
    }
}

/// How many of the eight bytes come before the first that is a digit or not above a space.
fn plain_bytes(eight: u64) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    // Without the high bit no byte's sum runs over into the next.
    let at_least = |byte: u8| (eight & !HIGH) + (0x80 - u64::from(byte)) * ONES;
    let is_digit = at_least(b'0') & !at_least(b'9' + 1);
    let others = (is_digit | !at_least(b' ' + 1)) & !eight & HIGH;
    others.trailing_zeros() as usize / 8
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
        assert_eq!(kind(" a  b\n"), kind("a b"));
        assert_ne!(kind("a b"), kind("ab"));
        assert_eq!(
            kind("long-name-of-a-list2-item10\t x"),
            kind("long-name-of-a-list17-item3 x")
        );
        let others = [
            "",
            "a",
            "abcdefgh",
            "abcdefghi",
            "abcdefgh i",
            "abcdefgh0",
            "é\u{b}a",
            "é\u{b}b",
        ];
        for (at, one) in others.iter().enumerate() {
            let same = others.iter().filter(|other| kind(other) == kind(one));
            assert_eq!(same.count(), 1, "{at}");
        }
    }

    #[test]
    fn values_are_remembered_as_themselves() {
        let (mut names, wanted) = (Names::default(), Wanted::default());
        // More than there is room for, and again while some are still known.
        for round in 0..3 {
            names.begin_page();
            for number in 0..3 * (2 << PLACE_BITS) {
                let text = format!("item item-{}-{}", "x".repeat(number % 30), number / (round + 1));
                let index = names.value(Attr::Class, &text, &wanted);
                assert!(names.is(index, Attr::Class, &text) && !names.is(index, Attr::Id, &text));
                assert_eq!(index, names.value(Attr::Class, &text, &wanted));
                assert_eq!(names.values[index as usize].kind, kind(&text));
            }
            assert!(names.values.len() > KEPT_VALUES);
        }
        names.begin_page();
        assert!(names.values.is_empty() && names.texts.is_empty());
    }
}
