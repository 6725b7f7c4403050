//! The notes of a page: what the sums of its site are made of.

use gleaner_html::Tag;
use gleaner_page::Page;

use crate::fingerprint::LookedUp;
use crate::numbering::Numbering;
use crate::{Fingerprinter, KindNote, PathKeys, PathSums};

/// Instead of the number of a text: the block has only numbers and addresses, or the page has too many texts. Such blocks
/// never count as repeated.
pub const NO_TEXT: u32 = u32::MAX;

/// The notes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockNote {
    /// Index of its text in [`PageNotes::texts`], or [`NO_TEXT`].
    pub text: u32,
    /// Index of its place in [`PageNotes::places`].
    pub place: u32,
    /// Number of its words.
    pub words: u32,
    /// Whether its text is the title of the page. Other pages show the title in menus and lists: that is no evidence
    /// against the block.
    pub is_title: bool,
    /// Whether it is a heading (`<h1>` to `<h6>`). Headings of sections often have the same few words on all pages.
    pub is_heading: bool,
}

/// The notes of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageNotes {
    /// Fingerprints of its texts, each once, in any order.
    pub texts: Vec<u128>,
    /// Keys of its places ([`PathKeys`]), each once, in any order.
    pub places: Vec<u64>,
    /// The notes of its blocks.
    pub blocks: Vec<BlockNote>,
    /// For each block the labeller's log odds that it is content, without site evidence.
    pub logits: Vec<f32>,
    /// Its evidence for the kinds of pages with such an address; the caller adds it.
    pub kind: KindNote,
}

/// Limits of the texts and the places of a page. The longest tables and indexes stay below; blocks beyond give no evidence.
const MAX_TEXTS: usize = 1 << 14;
const MAX_PLACES: usize = 1 << 12;

/// The key of all places beyond the limit.
const OVERFLOW: u64 = 0;

/// Makes notes of pages. Its memory is kept from page to page.
#[derive(Clone, Debug, Default)]
pub struct Noter {
    fingerprinter: Fingerprinter,
    texts: Numbering,
    places: Places,
    looked_up: Vec<LookedUp>,
}

/// The places of a page.
#[derive(Clone, Debug, Default)]
struct Places {
    keys: PathKeys,
    numbers: Numbering,
    /// The element of the last block.
    last: Option<ElementNote>,
    /// The index of [`OVERFLOW`], once a block needs it.
    overflow: Option<u32>,
}

/// The notes of an element that holds blocks.
#[derive(Clone, Copy, Debug)]
struct ElementNote {
    element: u32,
    place: Option<u32>,
    is_heading: bool,
}

impl Noter {
    /// Makes the notes of a page, except the logits, which the caller adds. `words` has the number of words of each block.
    /// A plain text has no paths: the key of a line is its fingerprint.
    ///
    /// # Panics
    /// `words` has another length than the blocks.
    pub fn note(&mut self, page: &Page, words: &[u32], title: Option<&str>, notes: &mut PageNotes) {
        assert_eq!(page.blocks.len(), words.len(), "a number of words for each block");
        notes.clear();
        self.texts.begin(words.len().min(MAX_TEXTS));
        self.places.begin(page);
        let title = title.and_then(|title| self.fingerprinter.fingerprint(title));
        self.looked_up.clear();
        let texts = page.blocks.iter().map(|block| page.text(block));
        self.looked_up
            .extend(texts.map(|text| self.fingerprinter.look_up(text)));
        notes.blocks.reserve(words.len());
        for ((block, &words), &looked_up) in page.blocks.iter().zip(words).zip(&self.looked_up) {
            let piece = block.text.start as usize..block.text.end as usize;
            let text = self.fingerprinter.of_piece(&page.text, piece, looked_up);
            let (place, is_heading) = match text.filter(|_| page.plain) {
                Some(text) => (self.places.number(text as u64, &mut notes.places), false),
                None => {
                    let element = self.places.element(page, block.element, &mut notes.places);
                    (element.place, element.is_heading)
                }
            };
            let number = text.filter(|_| place.is_some());
            let number = number.and_then(|text| self.texts.number(text, text as u64, &mut notes.texts));
            notes.blocks.push(BlockNote {
                text: number.unwrap_or(NO_TEXT),
                place: place.unwrap_or_else(|| self.places.overflow(&mut notes.places)),
                words,
                is_title: text.is_some() && text == title,
                is_heading,
            });
        }
    }
}

impl Places {
    /// Starts a page.
    fn begin(&mut self, page: &Page) {
        self.keys.begin(page);
        let limit = if page.plain { MAX_TEXTS } else { MAX_PLACES };
        self.numbers.begin(page.blocks.len().min(limit));
        (self.last, self.overflow) = (None, None);
    }

    /// The index of a place of the page; none beyond the limit.
    fn number(&mut self, key: u64, places: &mut Vec<u64>) -> Option<u32> {
        self.numbers.number(key, key, places)
    }

    /// The index of [`OVERFLOW`].
    fn overflow(&mut self, places: &mut Vec<u64>) -> u32 {
        *self.overflow.get_or_insert_with(|| {
            places.push(OVERFLOW);
            places.len() as u32 - 1
        })
    }

    /// The notes of an element. Adjacent blocks often have the same element.
    fn element(&mut self, page: &Page, element: u32, places: &mut Vec<u64>) -> ElementNote {
        if let Some(last) = self.last.filter(|last| last.element == element) {
            return last;
        }
        let key = self.keys.key(page, element);
        let note = ElementNote {
            element,
            place: self.number(key, places),
            is_heading: is_heading(page, element),
        };
        self.last = Some(note);
        note
    }
}

/// Whether an element, its parent or its grandparent is a heading.
fn is_heading(page: &Page, element: u32) -> bool {
    let mut around = page.ancestors(element).take(3);
    around.any(|up| {
        matches!(
            page.elements[up as usize].tag,
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6
        )
    })
}

impl PageNotes {
    /// Removes everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.places.clear();
        self.blocks.clear();
        self.logits.clear();
        self.kind = KindNote::default();
    }

    /// For each place, what the page adds to its sums, without repetition.
    ///
    /// # Panics
    /// There are not as many logits as blocks, or the place of a block is missing.
    pub fn sums(&self) -> Vec<PathSums> {
        assert_eq!(self.blocks.len(), self.logits.len(), "as many logits as blocks");
        let of_page = PathSums {
            pages: 1,
            ..PathSums::default()
        };
        let mut sums = vec![of_page; self.places.len()];
        for (block, &logit) in self.blocks.iter().zip(&self.logits) {
            sums[block.place as usize].add_block(logit, block.words);
        }
        sums
    }

    /// For each place, what the page adds to its sums, with repetition. `pages` has the number of pages with each text. The
    /// title of the page does not count as repeated.
    ///
    /// # Panics
    /// As [`PageNotes::sums`], or `pages` has another length than the texts.
    pub fn sums_with(&self, pages: &[u32]) -> Vec<PathSums> {
        assert_eq!(pages.len(), self.texts.len(), "a number of pages for each text");
        let mut sums = self.sums();
        for block in self.blocks.iter().filter(|block| block.can_repeat()) {
            sums[block.place as usize].add_repeated(pages[block.text as usize], i64::from(block.words));
        }
        sums
    }
}

impl BlockNote {
    /// Whether its words count as repeated if other pages have its text.
    pub(crate) fn can_repeat(&self) -> bool {
        self.text != NO_TEXT && !self.is_title
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(html: &str, words: &[u32], title: Option<&str>) -> PageNotes {
        let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .expect("it is a page");
        let mut notes = PageNotes::default();
        let mut noter = Noter::default();
        // The second call must not depend on the first.
        noter.note(page, words, None, &mut notes);
        noter.note(page, words, title, &mut notes);
        notes
    }

    #[test]
    fn texts_and_places_are_listed_once() {
        let notes = noted(
            "<p>Read more</p><p>12</p><i>Read more!</i><p>a</p>",
            &[2, 1, 2, 1],
            None,
        );
        let blocks: Vec<_> = notes
            .blocks
            .iter()
            .map(|block| (block.text, block.place))
            .collect();
        assert_eq!(blocks, [(0, 0), (NO_TEXT, 0), (0, 1), (1, 0)]);
        assert_eq!((notes.texts.len(), notes.places.len()), (2, 2));
    }

    #[test]
    fn lines_of_a_plain_text_are_places_of_their_own() {
        let mut parser = gleaner_page::Parser::new(gleaner_page::PageConfig::default());
        let text = "Read more\n12\nread more!\nOnce\n13";
        let page = parser.parse_text(text.as_bytes(), None).expect("it is a text");
        let (mut notes, mut noter) = (PageNotes::default(), Noter::default());
        noter.note(page, &[2, 1, 2, 1, 1], None, &mut notes);
        let blocks: Vec<_> = notes
            .blocks
            .iter()
            .map(|block| (block.text, block.place))
            .collect();
        assert_eq!(blocks, [(0, 0), (NO_TEXT, 1), (0, 0), (1, 2), (NO_TEXT, 1)]);
    }

    #[test]
    fn the_block_of_the_title_is_marked() {
        let html = "<h1>Installing\u{b6}</h1><p>Installing it is easy</p><p>12</p>";
        let marked = |title| {
            let blocks = noted(html, &[1, 4, 1], title).blocks;
            blocks.iter().map(|note| note.is_title).collect::<Vec<_>>()
        };
        assert_eq!(marked(Some("Installing")), [true, false, false]);
        assert_eq!(marked(Some("12")), [false; 3]);
        assert_eq!(marked(None), [false; 3]);
    }

    #[test]
    fn texts_and_places_beyond_the_limits_have_no_notes() {
        // Letters only: digits would be folded.
        let name = |block: usize| -> String {
            let digits = (0..4).map(|digit| b'g' + (block >> (4 * digit) & 15) as u8);
            digits.map(char::from).collect()
        };
        let count = MAX_TEXTS + 5;
        let words = vec![1; count];
        let html: String = (0..count).map(|block| format!("<p>{}", name(block))).collect();
        let texts = noted(&html, &words, None);
        assert_eq!((texts.texts.len(), texts.places.len()), (MAX_TEXTS, 1));
        assert_eq!(texts.blocks.len(), count);
        let has_text: Vec<bool> = texts.blocks.iter().map(|block| block.text != NO_TEXT).collect();
        assert_eq!(
            has_text,
            (0..count).map(|block| block < MAX_TEXTS).collect::<Vec<_>>()
        );

        let html: String = (0..count)
            .map(|block| format!("<p class={}>a</p>", name(block)))
            .collect();
        let places = noted(&html, &words, None);
        assert_eq!((places.texts.len(), places.places.len()), (1, MAX_PLACES + 1));
        let last = places.blocks.last().map(|block| (block.text, block.place));
        assert_eq!(last, Some((NO_TEXT, MAX_PLACES as u32)));
    }

    #[test]
    fn headings_are_marked() {
        let html = "<h2><a href=x>See</a> also</h2><p>b</p><h4><div>c</div></h4>d<div>e</div>";
        let blocks = noted(html, &[2, 1, 1, 1, 1], None).blocks;
        let marked: Vec<bool> = blocks.iter().map(|note| note.is_heading).collect();
        assert_eq!(marked, [true, false, true, false, false]);
    }
}
