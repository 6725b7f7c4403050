//! Blocks that speak for a kind of page, and where on the page they stand.

use std::ops::Range;
use std::sync::LazyLock;

use gleaner_html::Tag;
use gleaner_page::Page;
use regex::bytes::Regex;

use super::button_text;
use super::words::{CART, COMMENT, DIARY, REPLY};
use crate::facts::{Around, BlockFacts, Facts, SHORT};
use crate::word_lists::{self, BLOCK_GROUPS};
use crate::words::to_lowercase;

/// Minimum words per long block.
const LONG: u32 = 20;
/// Words between two signals that make a short text, and a long one.
const SOME_BETWEEN: u32 = 15;
const MANY_BETWEEN: u32 = 80;

/// Amounts of money, which have a sign or a word for it before or behind them.
const PRICE: &str = r"(?i)[$£€¥₹₽₩₺฿₴₫]\s?[0-9]|[0-9]\s?(?:[€£₽₩₺฿₴₫円元원]|(?:eur|usd|gbp|chf|kr|sek|nok|dkk|zł|руб|грн|лв|kč|ft|tl|lei|đ|euros?|dollars?)(?:\W|$))|(?:^|\W)(?:usd|eur|gbp|chf|rs|inr|rmb|kr|r\$)\.?\s?[0-9]";

/// What stands in a short block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    Price,
    Date,
    Time,
    Cart,
    Reply,
    Comment,
    Diary,
    Heading,
    /// A heading that is a link.
    LinkedHeading,
}

impl Signal {
    pub(super) const ALL: [Signal; 9] = [
        Signal::Price,
        Signal::Date,
        Signal::Time,
        Signal::Cart,
        Signal::Reply,
        Signal::Comment,
        Signal::Diary,
        Signal::Heading,
        Signal::LinkedHeading,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Signal::Price => "price",
            Signal::Date => "date",
            Signal::Time => "time",
            Signal::Cart => "cart",
            Signal::Reply => "reply",
            Signal::Comment => "comment",
            Signal::Diary => "diary",
            Signal::Heading => "heading",
            Signal::LinkedHeading => "linked-heading",
        }
    }
}

/// The blocks with a signal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gaps {
    pub(super) hits: u32,
    /// Those before the first long block, and those from it to the last.
    pub(super) before: u32,
    pub(super) among: u32,
    /// Between how many and the next are some words, and many.
    pub(super) short: u32,
    pub(super) long: u32,
    /// Words of the page before the last.
    last: u32,
}

impl Gaps {
    /// Adds a block, given the words of the page before it.
    fn add(&mut self, words: u32, place: usize, long: Range<usize>) {
        if self.hits > 0 {
            let between = words - self.last;
            self.short += u32::from(between >= SOME_BETWEEN);
            self.long += u32::from(between >= MANY_BETWEEN);
        }
        self.hits += 1;
        self.last = words;
        self.before += u32::from(place < long.start);
        self.among += u32::from(long.contains(&place));
    }
}

/// What the blocks of a page say together.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    pub(super) words: u32,
    /// Long blocks, their words, and the words of the longest.
    pub(super) long: u32,
    pub(super) long_words: u32,
    pub(super) longest: u32,
    /// Short texts that stand on the page three times or more, and how often the most frequent does.
    pub(super) repeated: u32,
    pub(super) most_repeated: u32,
    /// How many short blocks and buttons have a word of each group.
    pub(super) groups: [u32; BLOCK_GROUPS.len()],
    /// The groups of the title, a bit each.
    pub(super) title: u16,
    pub(super) gaps: [Gaps; Signal::ALL.len()],
    /// What stands in each block.
    pub(super) marked: Vec<Marked>,
}

/// The signals of a block, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marked(u16);

impl Marked {
    pub(super) const PRICE: Marked = Marked(1 << Signal::Price as u16);
    pub(super) const DATE: Marked = Marked(1 << Signal::Date as u16);
    pub(super) const CART: Marked = Marked(1 << Signal::Cart as u16);
    pub(super) const REPLY: Marked = Marked(1 << Signal::Reply as u16);

    pub(super) fn has(self, other: Marked) -> bool {
        self.0 & other.0 != 0
    }
}

impl Signals {
    pub(super) fn new(page: &Page, facts: &Facts) -> Signals {
        let finder = word_lists::finder();
        let mut signals = Signals {
            title: finder.groups(&page.title.to_lowercase())[1],
            ..Signals::default()
        };
        let is_long = |block: &BlockFacts| block.words >= LONG;
        let blocks = &facts.blocks;
        let first_long = blocks.iter().position(is_long).unwrap_or(blocks.len());
        let last_long = blocks.iter().rposition(is_long).unwrap_or(0);
        for (place, block) in blocks.iter().enumerate() {
            signals.marked.push(Marked::default());
            if block.words <= SHORT {
                signals.add_groups(block.cues);
                let text = page.text(&page.blocks[place]);
                signals.add_short(block, text, place, first_long..last_long);
            }
            signals.add_size(block.words);
            if block.words <= 4 && block.first_duplicate && block.duplicates >= 3 {
                signals.repeated += 1;
                signals.most_repeated = signals.most_repeated.max(block.duplicates);
            }
        }
        if facts.cues.count(Tag::Input) > 0 {
            let mut small = String::new();
            for text in (0..page.elements.len() as u32).filter_map(|element| button_text(page, element)) {
                to_lowercase(text, &mut small);
                signals.add_groups(finder.groups(&small)[1]);
            }
        }
        signals
    }

    fn add_size(&mut self, words: u32) {
        self.words += words;
        self.longest = self.longest.max(words);
        if words >= LONG {
            self.long += 1;
            self.long_words += words;
        }
    }

    fn add_groups(&mut self, groups: u16) {
        if groups != 0 {
            for (group, count) in self.groups.iter_mut().enumerate() {
                *count += u32::from(groups >> group & 1);
            }
        }
    }

    fn add_short(&mut self, block: &BlockFacts, text: &str, place: usize, long: Range<usize>) {
        static IS_PRICE: LazyLock<Regex> = LazyLock::new(|| Regex::new(PRICE).expect("a test matches it"));
        let has = |group: u16| block.cues & group != 0;
        let is_heading = block.around.has(Around::HEADER);
        // Most blocks have no signal.
        let is_none = block.cues == 0 && block.date == 0 && block.time == 0;
        if is_none && !is_heading && !block.text.hints.digits {
            return;
        }
        let is_linked = || block.text.link_words * 2 >= block.text.words.max(1);
        let is_one = |signal| match signal {
            Signal::Price => block.text.hints.digits && IS_PRICE.is_match(text.as_bytes()),
            Signal::Date => block.date > 0,
            Signal::Time => block.time > 0,
            Signal::Cart => has(CART),
            Signal::Reply => has(REPLY),
            Signal::Comment => has(COMMENT),
            Signal::Diary => has(DIARY),
            Signal::Heading => is_heading,
            Signal::LinkedHeading => is_heading && is_linked(),
        };
        for signal in Signal::ALL {
            if is_one(signal) {
                self.gaps[signal as usize].add(self.words, place, long.clone());
                self.marked[place].0 |= 1 << signal as u16;
            }
        }
    }
}
