//! Class and id attributes: the keywords in them, what distinguishes kinds of elements, and roles.

use std::ops::Range;

use gleaner_html::{Attr, NONE};
use gleaner_page::{Element, Page};

use super::keywords::Keywords;
use super::{Facts, Holds, Landmark, bytes};
use crate::eights::{HIGH, Heads, within};

/// Maximum classes, and bytes of their texts, that are kept from page to page: what does not fit
/// the nearer caches takes longer to find than to read again.
const KEPT_VALUES: usize = 1 << 10;
const KEPT_BYTES: usize = 1 << 16;
/// Binary logarithm of the number of slots, for two values each.
const PLACE_BITS: u32 = 10;

/// What the names of the elements around a page's blocks say. Equal classes are looked at once, and not
/// again on the pages that follow, unless others have taken their place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Two values whose hashes begin alike, the one that was met last before the other.
    places: Vec<[Known; 2]>,
    values: Vec<Value>,
    /// The texts of the values.
    texts: String,
}

/// What is looked for in names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) keywords: Option<Keywords>,
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
    /// Where its text is in [`Names::texts`].
    text: Range<u32>,
    /// Its keyword groups, once they were asked for.
    keywords: Option<u64>,
    /// A hash of the part of it that distinguishes kinds of elements.
    kind: u32,
}

/// What the names of one element say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Named {
    pub(crate) keywords: u64,
    /// Those of its ancestors too.
    pub(super) keywords_around: u64,
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
}

impl Wanted {
    /// The keyword groups in a class or an id.
    fn find(&self, text: &str) -> u64 {
        self.keywords.as_ref().map_or(0, |keywords| keywords.find(text))
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
        }
    }

    /// Reads what the names of an element say, and a hash of its classes, numbers apart. What its role
    /// says goes into `landmarks`, whatever it holds.
    #[inline]
    pub(super) fn read(
        &mut self,
        page: &Page,
        element: &Element,
        holds: Holds,
        wanted: &Wanted,
        named: &mut Named,
        landmarks: &mut u32,
    ) -> u32 {
        let mut kind = 0;
        let is_around = holds >= Holds::Block;
        for (name, range) in &page.attributes[bytes(&element.attributes)] {
            match name {
                // Siblings are compared by their classes, whatever is in them.
                Attr::Class if holds != Holds::Nothing => {
                    let index = self.value(&page.values[bytes(range)]);
                    kind = self.values[index as usize].kind;
                    if is_around {
                        named.keywords |= self.keywords(index, wanted);
                    }
                }
                // Most ids are of one element: there is nothing to remember of them.
                Attr::Id if is_around => named.keywords |= wanted.find(&page.values[bytes(range)]),
                Attr::Role => *landmarks |= Landmark::of_role(&page.values[bytes(range)]),
                _ => {}
            }
        }
        kind
    }

    /// The number of a value, which is learned if it is new.
    fn value(&mut self, text: &str) -> u32 {
        let hash = hash_value(text.as_bytes());
        let place = (hash >> (u32::BITS - PLACE_BITS)) as usize;
        let [last, other] = self.places[place];
        let is = |known: Known| known.hash == hash && self.is(known.index, text);
        if is(last) {
            return last.index;
        }
        let index = if is(other) { other.index } else { self.learn(text) };
        self.places[place] = [Known { hash, index }, last];
        index
    }

    /// The keyword groups in a value, which are looked for once they are asked for.
    fn keywords(&mut self, index: u32, wanted: &Wanted) -> u64 {
        let value = &mut self.values[index as usize];
        *value
            .keywords
            .get_or_insert_with(|| wanted.find(&self.texts[bytes(&value.text)]))
    }

    /// Apart from what is done for each element, which needs few registers without it.
    #[inline(never)]
    fn learn(&mut self, text: &str) -> u32 {
        let index = self.values.len() as u32;
        let start = self.texts.len() as u32;
        self.texts.push_str(text);
        self.values.push(Value {
            text: start..self.texts.len() as u32,
            keywords: None,
            kind: kind(text),
        });
        index
    }

    /// Whether a value is this one: other pages' values must not count for it, whatever their hash.
    fn is(&self, index: u32, text: &str) -> bool {
        self.values.get(index as usize).is_some_and(|value| {
            value.text.len() == text.len() && self.texts.as_bytes()[bytes(&value.text)] == *text.as_bytes()
        })
    }
}

/// A hash whose first bits are a value's place in [`Names::places`].
fn hash_value(value: &[u8]) -> u32 {
    let mut state = (value.len() as u64) << 32;
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

/// A hash of the first three classes, any number as good as another; never zero in practice, which stands
/// for no class attribute.
fn kind(text: &str) -> u32 {
    let (text, mut at) = (text.trim_ascii().as_bytes(), 0);
    let (mut state, mut classes) = (u64::from(BASIS), 0);
    let heads = Heads::new(text);
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
    let others = (within(eight, b'0', b'9') | within(eight, 0, b' ')) & !eight & HIGH;
    others.trailing_zeros() as usize / 8
}

/// Seed of the hashes of classes.
const BASIS: u32 = 0x811c_9dc5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_distinguish_kinds() {
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
        let mut names = Names::default();
        // More than there is room for, and again while some are still known.
        for round in 0..3 {
            names.begin_page();
            for number in 0..3 * (2 << PLACE_BITS) {
                let text = format!("item item-{}-{}", "x".repeat(number % 30), number / (round + 1));
                let index = names.value(&text);
                assert!(names.is(index, &text) && !names.is(index, "item"));
                assert_eq!(index, names.value(&text));
                assert_eq!(names.values[index as usize].kind, kind(&text));
            }
            assert!(names.values.len() > KEPT_VALUES);
        }
        names.begin_page();
        assert!(names.values.is_empty() && names.texts.is_empty());
    }
}
