//! Elements that the page marks as a heading, a byline or a date, with their texts.

use std::ops::Range;

use memchr::memmem;

use gleaner_html::{Attr, Tag};
use gleaner_page::{Block, Element, Page, Run};

use crate::title::words;

/// The elements of a page that say what they hold. Hidden ones are left out, and those that stand
/// among comments, teasers of other pages, menus and footers.
pub(super) struct Marked<'a> {
    pub(super) page: &'a Page,
    /// Texts of the first headings of the first rank.
    pub(super) headings: Vec<String>,
    /// The element of the heading: the one with the page's title, else the first of the first rank.
    pub(super) heading: Option<u32>,
    /// By run of the page: the last element that text stood in so far. Elements that hold a run are found by it.
    tops: Vec<u32>,
}

/// How many headings are looked at.
const HEADINGS: usize = 8;
/// How many blocks before and behind the heading are beside it.
const BEFORE: usize = 3;
const BEHIND: usize = 8;
/// How often a word is looked for in a page's attributes.
const PLACES: usize = 2000;
/// How many elements that are marked are asked where they stand.
const CANDIDATES: usize = 200;
/// How many elements above one are asked what they are for.
const LEVELS: usize = 12;
/// How many elements may be the heading.
const MOST_HEADINGS: usize = 100;
/// Bytes of text that make an element the frame of the heading: what stands in it is about the page.
const FRAME: u32 = 400;
/// Bytes of a block that is text, and no line about it.
const PROSE: u32 = 140;
/// How many blocks behind the text are looked at.
const BEHIND_TEXT: usize = 8;
/// Words of classes and ids around what is not about the page itself.
const ASIDE: &[&str] = &[
    "reply",
    "replies",
    "respond",
    "disqus",
    "related",
    "recommended",
    "sidebar",
    "teaser",
    "teasers",
    "widget",
    "newsletter",
    "menu",
    "nav",
    "popular",
    "trending",
    "carousel",
    "card",
    "cards",
    "promo",
    "recent",
    "latest",
    "suggested",
    "recirculation",
    "readmore",
    "upcoming",
    "events",
    "calendar",
    "archive",
    "archives",
    "copyright",
    "colophon",
];
/// Words beside which a footer is that of the text.
const OF_TEXT: &[&str] = &["post", "entry", "article", "story"];

impl<'a> Marked<'a> {
    pub(super) fn new(page: &'a Page) -> Marked<'a> {
        let elements = page.elements.iter().enumerate();
        let first_rank = elements.filter(|(_, element)| element.tag == Tag::H1 && !element.hidden);
        let places: Vec<u32> = first_rank.take(HEADINGS).map(|(at, _)| at as u32).collect();
        let mut top = 0;
        let tops = page.runs.iter().map(|run| {
            top = run.element.max(top);
            top
        });
        let mut marked = Marked {
            page,
            headings: Vec::new(),
            heading: places.first().copied(),
            tops: tops.collect(),
        };
        marked.headings = places.iter().map(|&at| marked.text(at)).collect();
        marked
    }

    /// Takes the heading that has the page's title, if there is one, for its heading.
    pub(super) fn set_title(&mut self, title: &str) {
        let wanted = words(title);
        if self
            .heading
            .is_some_and(|heading| words(&self.text(heading)) == wanted)
        {
            return;
        }
        let is_heading = |element: &Element| {
            let is_named = matches!(element.tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4);
            is_named && !element.hidden
        };
        let elements = self.page.elements.iter().enumerate();
        let mut headings = elements
            .filter(|(_, element)| is_heading(element))
            .take(MOST_HEADINGS);
        let own = headings.find(|(at, _)| words(&self.text(*at as u32)) == wanted);
        if let Some((at, _)) = own {
            self.heading = Some(at as u32);
        }
    }

    /// The elements of a name, at most `most`, in their order.
    pub(super) fn of_tag(&self, tag: Tag, most: usize) -> Vec<u32> {
        let elements = self.page.elements.iter().enumerate();
        let own = elements.filter(|(_, element)| element.tag == tag);
        self.shown(own.map(|(at, _)| at as u32), most)
    }

    /// The elements with an attribute that has one of some words in its value, and of which a test
    /// holds; at most `most`, in their order. Finding the words first is what makes this cheap.
    pub(super) fn with_value(
        &self,
        words: &[&str],
        most: usize,
        test: impl Fn(Attr, &str) -> bool,
    ) -> Vec<u32> {
        let Page {
            attributes, values, ..
        } = self.page;
        let places = words
            .iter()
            .flat_map(|word| memmem::find_iter(values.as_bytes(), word).take(PLACES));
        let mut own: Vec<usize> = places
            .map(|place| attributes.partition_point(|(_, value)| value.end as usize <= place))
            .filter(|&at| {
                attributes.get(at).is_some_and(|(name, value)| {
                    test(*name, &values[value.start as usize..value.end as usize])
                })
            })
            .collect();
        own.sort_unstable();
        let element = |at: usize| {
            let elements = &self.page.elements;
            elements.partition_point(|element| element.attributes.end as usize <= at) as u32
        };
        let mut elements: Vec<u32> = own.into_iter().map(element).collect();
        elements.dedup();
        self.shown(elements.into_iter(), most)
    }

    /// Those of some elements that are visible and about the page itself.
    fn shown(&self, elements: impl Iterator<Item = u32>, most: usize) -> Vec<u32> {
        let is_visible = |&at: &u32| {
            self.page
                .elements
                .get(at as usize)
                .is_some_and(|element| !element.hidden)
        };
        elements
            .filter(is_visible)
            .take(CANDIDATES)
            .filter(|&at| !self.is_aside(at))
            .take(most)
            .collect()
    }

    /// The text of an element and of all that it holds, a space between blocks.
    pub(super) fn text(&self, element: u32) -> String {
        let mut out = String::new();
        for line in self.lines_of(element) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(line);
            if out.len() > LONGEST_TEXT {
                break;
            }
        }
        out
    }

    /// The visible lines around the heading that are about the page, with their elements, up to the first block of text.
    pub(super) fn beside_heading(&self) -> impl Iterator<Item = (u32, &'a str)> {
        let page = self.page;
        let place = self
            .heading
            .map(|heading| self.place(heading))
            .unwrap_or(page.blocks.len());
        let before = &page.blocks[place.saturating_sub(BEFORE)..place];
        let behind = &page.blocks[place..(place + BEHIND + 1).min(page.blocks.len())];
        let behind = behind
            .iter()
            .take_while(|block| block.text.len() < PROSE as usize);
        self.lines(before.iter().chain(behind))
    }

    /// The visible lines that are about the page behind the last block of its text, with their elements.
    pub(super) fn behind_text(&self) -> impl Iterator<Item = (u32, &'a str)> {
        let page = self.page;
        let frame = self.frame().map(|frame| {
            let end = page.elements[frame as usize].end;
            self.place(frame)..self.place(end)
        });
        let blocks = &page.blocks[frame.unwrap_or(0..0)];
        let is_text = |block: &Block| block.text.len() >= PROSE as usize && !self.is_aside(block.element);
        let last = blocks.iter().rposition(is_text);
        let behind = last.map_or(&[][..], |last| &blocks[last + 1..]);
        self.lines(behind.iter().take(BEHIND_TEXT))
    }

    /// Those of some blocks that are visible and about the page itself, with their elements.
    fn lines<'b>(
        &self,
        blocks: impl Iterator<Item = &'a Block> + 'b,
    ) -> impl Iterator<Item = (u32, &'a str)> {
        let page = self.page;
        let shown = blocks.filter(|block| !block.hidden && !self.is_aside(block.element));
        let lines: Vec<_> = shown.map(|block| (block.element, page.text(block))).collect();
        lines.into_iter()
    }

    /// The innermost element around the heading that holds some text beside it.
    fn frame(&self) -> Option<u32> {
        let page = self.page;
        let size = |element: u32| {
            let blocks = &page.blocks[self.place(element)..self.place(page.elements[element as usize].end)];
            let (first, last) = (blocks.first()?, blocks.last()?);
            Some(last.text.end - first.text.start)
        };
        let mut around = page.ancestors(self.heading?);
        around.find(|&up| size(up).is_some_and(|bytes| bytes >= FRAME))
    }

    /// The number of the first block that begins in an element or behind it.
    fn place(&self, element: u32) -> usize {
        self.page.blocks.partition_point(|block| block.element < element)
    }

    /// What stands before an element in its line.
    pub(super) fn before_in_line(&self, element: u32) -> &'a str {
        let page = self.page;
        let own = self.first_run(element);
        let line =
            own.and_then(|(block, run)| page.text.get(block.text.start as usize..run.text.start as usize));
        line.unwrap_or_default()
    }

    /// The line before that of an element that begins a line.
    pub(super) fn line_before(&self, element: u32) -> Option<&'a str> {
        let (block, run) = self.first_run(element)?;
        let at = self
            .page
            .blocks
            .partition_point(|other| other.text.start < block.text.start);
        let before = self.page.blocks[..at].last()?;
        (block.text.start == run.text.start).then(|| self.page.text(before))
    }

    /// The first run below an element, with its block.
    fn first_run(&self, element: u32) -> Option<(&'a Block, &'a Run)> {
        let run = self.page.runs.get(self.runs(element).start)?;
        Some((self.page.blocks.get(self.block_of(run))?, run)).filter(|_| !self.runs(element).is_empty())
    }

    /// The runs below an element.
    fn runs(&self, element: u32) -> Range<usize> {
        let end = self.page.elements[element as usize].end;
        let first = self.tops.partition_point(|&top| top < element);
        let own = self.page.runs[first..].iter();
        let count = own
            .take_while(|run| (element..end).contains(&run.element))
            .count();
        first..first + count
    }

    /// The block of a run.
    fn block_of(&self, run: &Run) -> usize {
        self.page
            .blocks
            .partition_point(|block| block.text.end <= run.text.start)
    }

    /// The text of an element, a part of a block each.
    pub(super) fn lines_of(&self, element: u32) -> impl Iterator<Item = &'a str> {
        let page = self.page;
        let mut runs = page.runs[self.runs(element)].iter().peekable();
        std::iter::from_fn(move || {
            let first = runs.next()?;
            let block = page
                .blocks
                .partition_point(|block| block.text.end <= first.text.start);
            let end = page
                .blocks
                .get(block)
                .map_or(first.text.end, |block| block.text.end);
            let mut to = first.text.end;
            while let Some(run) = runs.next_if(|run| run.text.start < end) {
                to = run.text.end;
            }
            page.text.get(first.text.start as usize..to as usize)
        })
    }

    /// The places of the runs below an element in the text of its first line, and that line's text from its beginning.
    pub(super) fn line_of(&self, element: u32) -> Option<(Range<usize>, &'a str)> {
        let (block, first) = self.first_run(element)?;
        let own = &self.page.runs[self.runs(element)];
        let last = own
            .iter()
            .take_while(|run| run.text.end <= block.text.end)
            .last()?;
        let start = block.text.start as usize;
        Some((
            first.text.start as usize - start..last.text.end as usize - start,
            self.page.text(block),
        ))
    }

    /// The number of the first block of an element, if it has one.
    pub(super) fn block(&self, element: u32) -> Option<usize> {
        Some(self.block_of(self.first_run(element)?.1))
    }

    /// How many blocks lie between an element and the first heading; none without a heading.
    pub(super) fn blocks_from_heading(&self, element: u32) -> Option<usize> {
        Some(self.place(self.heading?).abs_diff(self.place(element)))
    }

    /// Whether an element holds the heading.
    pub(super) fn holds_heading(&self, element: u32) -> bool {
        let within = element..self.page.elements[element as usize].end;
        self.heading.is_some_and(|heading| within.contains(&heading))
    }

    /// Whether an element stands in one that is not about the page itself. What the heading stands in
    /// is, whatever it is called.
    fn is_aside(&self, element: u32) -> bool {
        let page = self.page;
        let mut around = page
            .ancestors(element)
            .take(LEVELS)
            .take_while(|&up| !self.holds_heading(up));
        around.any(|up| match page.elements[up as usize].tag {
            Tag::Nav | Tag::Aside => true,
            Tag::Footer => !self.is_of_article(up),
            Tag::Article => self.is_teaser(up),
            Tag::Body | Tag::Html | Tag::Main => false,
            _ => [Attr::Class, Attr::Id]
                .into_iter()
                .filter_map(|name| page.attribute(up, name))
                .any(is_aside_name),
        })
    }

    /// Whether a footer is that of the article with the heading.
    fn is_of_article(&self, footer: u32) -> bool {
        let page = self.page;
        let around = page
            .ancestors(footer)
            .find(|&up| page.elements[up as usize].tag == Tag::Article);
        around.is_some_and(|article| self.holds_heading(article))
    }

    /// Whether an article that does not hold the heading is one of several.
    fn is_teaser(&self, article: u32) -> bool {
        let page = self.page;
        let articles = page.elements.iter().enumerate();
        let mut others =
            articles.filter(|(at, element)| element.tag == Tag::Article && *at as u32 != article);
        self.heading.is_some() && others.next().is_some()
    }

    /// The links within an element, as far as they are looked at.
    pub(super) fn links(&self, element: u32) -> Vec<u32> {
        let within = element..self.page.elements[element as usize].end;
        let links = within.filter(|&at| self.page.elements[at as usize].tag == Tag::A);
        links.take(LINKS).collect()
    }
}

/// Links that are looked at within an element.
const LINKS: usize = 20;

/// Whether a class or id is of something that is not about the page itself. A footer is, but for that of a post.
fn is_aside_name(value: &str) -> bool {
    value.split_ascii_whitespace().any(|name| {
        let is_aside = |word: &str| {
            ASIDE.contains(&word)
                || word.starts_with("comment")
                || (word == "footer" && !has_word(name, |word| OF_TEXT.contains(&word)))
        };
        has_word(name, is_aside)
    })
}

/// Whether one of the words of a class or id is as asked: `post-author`, `postAuthor` and
/// `post_author` are of two words.
pub(super) fn has_word(names: &str, test: impl Fn(&str) -> bool) -> bool {
    let mut word = String::new();
    let mut before = ' ';
    for letter in names.chars().take(LONGEST_NAMES).chain([' ']) {
        let ends =
            !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && before.is_ascii_lowercase());
        if ends {
            if !word.is_empty() && test(&word) {
                return true;
            }
            word.clear();
        }
        if letter.is_ascii_alphabetic() {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    false
}

/// Text of an element beyond the line that ends after so many bytes is not looked at.
const LONGEST_TEXT: usize = 1000;

/// Letters of a class attribute that are looked at.
const LONGEST_NAMES: usize = 300;
