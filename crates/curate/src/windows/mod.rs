//! What is left of texts in other bytes: the windows of 40 characters of some texts, and strings, that occur in them.
//!
//! In: texts that must be gone ([`Windows`]), strings that must be gone ([`Strings`]), and the decompressed bytes of files in
//! pieces of any size. Out: what of these is in the bytes ([`Found`]).
//!
//! # The idea
//!
//! A rolling hash (Karp and Rabin 1987) gives a number for each window of the texts and of the bytes. A bit map with 16 bits a
//! window excludes most windows of the bytes (99% of random ones); what remains is compared by its characters. So each window
//! that occurs is found, and nothing else is.
//!
//! Pages share texts. [`Windows::remove_shared`] takes out what is also in a text that stays: what remains must occur nowhere.
//!
//! # The cost
//!
//! 20 to 25 bytes of memory a character of the texts. A search holds 64 KiB, and what it found. It decodes the bytes and has a
//! multiplication and a look-up in the bit map for each character.

mod roll;
mod search;
mod strings;

pub use search::{Found, Places, Search};
pub use strings::Strings;

use roll::roll;

/// The characters of a window.
pub const WINDOW: usize = 40;

/// The bits of the map for each window: at most two of them are set.
const BITS: usize = 16;
/// The windows that are in one bucket, on average.
const BUCKET: usize = 4;

/// The windows of 40 characters of some texts.
///
/// ```
/// use gleaner_curate::{Search, Strings, Windows};
///
/// let windows = Windows::new(["The boat left the harbour at nine, and came back at noon."]);
/// let strings = Strings::new(["https://example.org/boat"]);
/// let mut search = Search::new(&windows, &strings);
/// search.push(b"...left the harbour at nin");
/// search.push(b"e, and came back at noon... example.org/boat");
/// let found = search.found();
/// assert_eq!(found.passages, ["left the harbour at nine, and came back at noon."]);
/// assert!(found.strings.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Windows {
    /// The texts, one behind the other.
    text: String,
    /// The different windows, by their hashes.
    windows: Vec<Window>,
    /// Whether each is in a text that stays.
    shared: Vec<bool>,
    /// For each value of the first bits of a hash, the [`bits`] of the windows that have it.
    map: Vec<u64>,
    map_shift: u32,
    /// For each value of the first bits of a hash, where its windows begin; and the end.
    buckets: Vec<usize>,
    bucket_shift: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Window {
    hash: u64,
    /// Where it begins in the text.
    start: usize,
}

impl Windows {
    /// The windows of texts. A text of fewer than 40 characters has none.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Windows {
        let mut text = String::new();
        let mut windows = Vec::new();
        for next in texts {
            let before = text.len();
            roll(next, |hash, window| {
                windows.push(Window {
                    hash,
                    start: before + window.start,
                })
            });
            text.push_str(next);
        }
        windows.sort_unstable();
        windows.dedup_by(|one, other| {
            one.hash == other.hash && window_at(&text, one.start) == window_at(&text, other.start)
        });
        Windows::indexed(text, windows)
    }

    fn indexed(text: String, windows: Vec<Window>) -> Windows {
        let map_shift = shift_for(windows.len() * BITS / 64);
        let bucket_shift = shift_for(windows.len() / BUCKET);
        let mut map = vec![0; 1 << (64 - map_shift)];
        let mut buckets = vec![0; (1 << (64 - bucket_shift)) + 1];
        for window in &windows {
            map[(window.hash >> map_shift) as usize] |= bits(window.hash);
            buckets[(window.hash >> bucket_shift) as usize + 1] += 1;
        }
        let mut end = 0;
        for bucket in &mut buckets {
            end += *bucket;
            *bucket = end;
        }
        Windows {
            text,
            shared: vec![false; windows.len()],
            windows,
            map,
            map_shift,
            buckets,
            bucket_shift,
        }
    }

    /// The number of different windows that are not shared.
    pub fn len(&self) -> usize {
        self.shared.iter().filter(|shared| !**shared).count()
    }

    /// Whether all windows are shared, or there are none.
    pub fn is_empty(&self) -> bool {
        self.shared.iter().all(|shared| *shared)
    }

    /// Takes out the windows that are in a text that stays.
    pub fn remove_shared(&mut self, text: &str) {
        let mut shared = Places::default();
        self.each_in(text, |window| {
            shared.windows.insert(window);
        });
        self.remove(&shared);
    }

    /// Takes out the windows that a search of texts that stay has found. Texts can be searched by several threads.
    pub fn remove(&mut self, shared: &Places) {
        for &window in &shared.windows {
            self.shared[window] = true;
        }
    }

    /// The passages of the texts that were taken out.
    pub fn shared(&self) -> Vec<&str> {
        self.passages((0..self.windows.len()).filter(|window| self.shared[*window]))
    }

    /// Gives the places of the windows that are in a text.
    #[inline]
    fn each_in(&self, text: &str, mut each: impl FnMut(usize)) {
        let (map, shift) = (self.map.as_slice(), self.map_shift);
        roll(text, |hash, window| {
            // Most other windows end here.
            if map[(hash >> shift) as usize] & bits(hash) == bits(hash)
                && let Some(found) = self.find(hash, &text[window])
            {
                each(found);
            }
        });
    }

    /// The place of a window that is not shared, if it is one of these.
    #[inline(never)]
    fn find(&self, hash: u64, window: &str) -> Option<usize> {
        let bucket = (hash >> self.bucket_shift) as usize;
        let mut windows = self.buckets[bucket]..self.buckets[bucket + 1];
        // Both have the same number of characters.
        let is_equal = |one: &Window| one.hash == hash && self.text[one.start..].starts_with(window);
        windows.find(|&place| !self.shared[place] && is_equal(&self.windows[place]))
    }

    /// The passages that windows make, in the order of the texts: those of windows that begin at one character after the other.
    fn passages(&self, windows: impl Iterator<Item = usize>) -> Vec<&str> {
        let mut starts: Vec<usize> = windows.map(|window| self.windows[window].start).collect();
        starts.sort_unstable();
        let next = |start: usize| start + self.text[start..].chars().next().map_or(0, char::len_utf8);
        let passages = starts.chunk_by(|&one, &other| next(one) == other);
        let text = |passage: &[usize]| {
            let (first, last) = (passage[0], passage[passage.len() - 1]);
            &self.text[first..last + window_at(&self.text, last).len()]
        };
        passages.map(text).collect()
    }
}

/// The window that begins at a place.
fn window_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = rest.char_indices().nth(WINDOW).map_or(rest.len(), |(end, _)| end);
    &rest[..end]
}

/// Two bits of a word, by other bits of a hash than those that choose the word and the bucket.
#[inline]
fn bits(hash: u64) -> u64 {
    (1 << ((hash >> 12) % 64)) | (1 << ((hash >> 18) % 64))
}

/// How far to shift a hash for a number below at least this one: 6 to 40 bits remain.
fn shift_for(numbers: usize) -> u32 {
    64 - numbers.next_power_of_two().ilog2().clamp(6, 40)
}

#[cfg(test)]
mod tests;
