//! Elements that the page marks as a heading, a byline or a date, with their texts.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::date::digit;
use gleaner_html::{Attr, Tag};
use gleaner_page::{Block, Element, Page, Run};

use crate::label::is_publication_label;
use crate::phrases::phrases;
use crate::title::{is_front, words};

/// The elements of a page whose names say what they hold. Hidden ones are left out, and those that stand
/// among comments, teasers of other pages, menus and footers.
pub(super) struct Marked<'a> {
    pub(super) page: &'a Page,
    /// Texts of the first headings of the first rank.
    pub(super) headings: Vec<String>,
    /// The element of the heading: the one with the page's title, else the first of the first rank.
    pub(super) heading: Option<u32>,
    articles: usize,
    /// By run of the page: the last element that text stood in so far. Elements that hold a run are found by it.
    tops: Vec<u32>,
}

/// A visible line, with its element and the line before it.
pub(super) struct Line<'a> {
    pub(super) element: u32,
    pub(super) before: &'a str,
    /// The line before it is a heading.
    pub(super) is_behind_heading: bool,
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    fn new(page: &'a Page, at: usize) -> Line<'a> {
        let before = at.checked_sub(1).map(|at| &page.blocks[at]);
        Line {
            element: page.blocks[at].element,
            before: before.map_or("", |before| page.text(before)),
            is_behind_heading: before
                .is_some_and(|before| is_heading(page.elements[before.element as usize].tag)),
            text: page.text(&page.blocks[at]),
        }
    }
}

/// Maximum headings of the first rank examined per page.
const HEADINGS: usize = 8;
/// Maximum blocks before and behind the heading that are beside it.
const BEFORE: usize = 3;
const BEHIND: usize = 8;
/// Maximum places of words in a page's attributes.
const PLACES: usize = 10_000;
/// Maximum marked elements whose surroundings are checked.
const CANDIDATES: usize = 200;
/// Maximum elements around one that are checked by their names.
const LEVELS: usize = 12;
/// Bytes of a title by which a line is known as the heading, and by which its length may differ.
const TITLE: usize = 12;
const TITLE_REST: usize = 8;
/// Maximum headings of which one may have the title.
const MOST_HEADINGS: usize = 100;
/// Bytes of text that make an element the frame of the heading: what stands in it is about the page.
const FRAME: u32 = 400;
/// Bytes of a block that is text, and no line about it.
const PROSE: usize = 140;
/// Elements of an article of which one may be its heading.
const TEASER: usize = 60;
/// Bytes of a box of another page.
const TEASER_BYTES: u32 = 800;
/// Bytes of a line that may have the day of publication.
const SHORT: usize = 80;
/// Bytes of a block that is a sentence, and of all of them in a summary.
const SENTENCE: usize = 60;
const SUMMARY: usize = 320;
/// Bytes of an item of a list that is a date and no other page.
const SHORT_ITEM: u32 = 40;
/// Elements around one that may be a box of another page.
const BOX: usize = 4;
/// Elements before one among which a heading is looked for.
const ABOVE: u32 = 400;
/// What headings of comments and of other pages begin with.
static OF_OTHERS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(include_str!("others.txt")).collect());
/// Pieces of text of an aside that belongs to the heading beside it.
const SMALL: usize = 8;
/// Maximum blocks behind the text examined per page.
const BEHIND_TEXT: usize = 8;
/// Links among which those to the front page are looked for.
const FRONT_LINKS: usize = 10;
/// Words of classes and ids of the masthead.
const MASTHEAD: &[&str] = &["masthead", "topbar", "navbar", "today", "current", "clock"];
/// Words of the classes of articles that are other pages' or comments.
const TEASERS: &[&str] = &["teaser", "card", "related", "comment", "comments"];
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
            articles: elements_of(page, Tag::Article),
            tops: tops.collect(),
        };
        marked.headings = places.iter().map(|&at| marked.text(at)).collect();
        marked
    }

    /// The texts of the headings of the second rank that are about the page itself and stand before a text.
    pub(super) fn lesser_headings(&self) -> Vec<String> {
        let page = self.page;
        let is_before_text = |&at: &u32| {
            let place = self.place(at);
            let behind = page.blocks.iter().skip(place + 1).take(BEHIND);
            behind.clone().any(|block| block.text.len() >= PROSE)
        };
        let headings = self.of_tag(Tag::H2, HEADINGS).into_iter();
        headings.filter(is_before_text).map(|at| self.text(at)).collect()
    }

    /// The texts of the first links to the front page: the site's name, among others.
    pub(super) fn front_links(&self) -> Vec<String> {
        let page = self.page;
        let links = (0..page.elements.len() as u32).filter(|&at| page.elements[at as usize].tag == Tag::A);
        let is_to_front = |&at: &u32| page.attribute(at, Attr::Href).is_some_and(is_front);
        let to_front = links.take(FRONT_LINKS).filter(is_to_front);
        to_front.map(|at| self.text(at)).collect()
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
        let own = own.map(|(at, _)| at as u32);
        let begin = title.split(" / ").next().unwrap_or_default();
        let own = own.or_else(|| self.line_with(title, &wanted));
        if let Some(at) = own.or_else(|| self.line_with(begin, &words(begin))) {
            self.heading = Some(at);
        }
    }

    /// The element of the first visible line that has the words of the title and no others.
    fn line_with(&self, title: &str, wanted: &str) -> Option<u32> {
        let page = self.page;
        let is_near = |block: &&Block| {
            !block.hidden && wanted.len() >= TITLE && block.text.len().abs_diff(title.len()) <= TITLE_REST
        };
        let mut lines = page.blocks.iter().filter(is_near);
        let own = lines.find(|block| words(page.text(block)) == wanted);
        own.map(|block| block.element)
    }

    /// The elements of a name, at most `most`, in their order.
    pub(super) fn of_tag(&self, tag: Tag, most: usize) -> Vec<u32> {
        let elements = self.page.elements.iter().enumerate();
        let own = elements.filter(|(_, element)| element.tag == tag);
        self.shown(own.map(|(at, _)| at as u32), most)
    }

    /// The attributes that have one of some words in their values, by number. Finding the words first is what makes
    /// [`Marked::with_value`] cheap.
    pub(super) fn values_with(&self, words: &AhoCorasick) -> Vec<usize> {
        let Page {
            attributes, values, ..
        } = self.page;
        let places = words.find_iter(values.as_bytes()).take(PLACES);
        let mut own: Vec<usize> = places
            .map(|place| attributes.partition_point(|(_, value)| value.end as usize <= place.start()))
            .collect();
        own.dedup();
        own
    }

    /// The elements with one of some attributes of which a test holds; at most `most`, in their order.
    pub(super) fn with_value(
        &self,
        attributes: &[usize],
        most: usize,
        test: impl Fn(Attr, &str) -> bool,
    ) -> Vec<u32> {
        let Page { values, elements, .. } = self.page;
        let is_one = |&at: &usize| {
            self.page
                .attributes
                .get(at)
                .is_some_and(|(name, value)| test(*name, &values[value.start as usize..value.end as usize]))
        };
        let element = |at: usize| elements.partition_point(|element| element.attributes.end as usize <= at);
        let own = attributes.iter().copied().filter(is_one);
        let mut elements: Vec<u32> = own.map(|at| element(at) as u32).collect();
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

    /// The text of an element and of all that it holds, a space between blocks; of a value that the page does not show its
    /// `content`.
    pub(super) fn text(&self, element: u32) -> String {
        let mut out = String::new();
        for line in self.lines_of(element, &|_, _| true) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(line);
            if out.len() > LONGEST_TEXT {
                break;
            }
        }
        if out.is_empty() && self.page.elements[element as usize].tag != Tag::Meta {
            out.push_str(self.page.attribute(element, Attr::Content).unwrap_or_default());
        }
        out
    }

    /// The visible lines around the heading that are about the page, up to the first block of text.
    pub(super) fn beside_heading(&self) -> impl Iterator<Item = Line<'a>> {
        let page = self.page;
        let place = self
            .heading
            .map(|heading| self.place(heading))
            .unwrap_or(page.blocks.len());
        let before = place.saturating_sub(BEFORE)..place;
        let behind = place..(place + BEHIND + 1).min(page.blocks.len());
        // The day may stand behind a summary, where boxes of other pages begin.
        let mut texts = 0;
        let behind = behind.map(move |at| {
            texts += usize::from(page.blocks[at].text.len() >= PROSE);
            (texts, at)
        });
        let behind = behind.take_while(|(texts, _)| *texts < 2);
        let own = before.map(|at| (0, at)).chain(behind);
        let own = own.filter(|&(texts, at)| match texts {
            0 => !self.is_comment_or_footer(page.blocks[at].element),
            _ => self.is_own(page.blocks[at].element),
        });
        self.lines(own.map(|(_, at)| at))
    }

    /// The visible lines that are about the page behind the last block of its text.
    pub(super) fn behind_text(&self) -> impl Iterator<Item = Line<'a>> {
        let page = self.page;
        let frame = self.frame().map(|frame| {
            let end = page.elements[frame as usize].end;
            self.place(frame)..self.place(end)
        });
        let frame = frame.unwrap_or(0..0);
        let blocks = &page.blocks[frame.clone()];
        // Lines that `<br>` parts are one paragraph.
        let paragraphs = blocks.chunk_by(|one, next| one.element == next.element);
        let is_text = |paragraph: &[Block]| {
            let bytes: usize = paragraph.iter().map(|block| block.text.len()).sum();
            bytes >= PROSE && !self.is_aside(paragraph[0].element)
        };
        let mut end = blocks.len();
        let last = paragraphs.rev().find_map(|paragraph| {
            let own = end;
            end -= paragraph.len();
            is_text(paragraph).then_some(own)
        });
        let behind = last.unwrap_or(blocks.len());
        let behind = (frame.start + behind..frame.end).take(BEHIND_TEXT);
        self.lines(behind.filter(|&at| self.is_own(page.blocks[at].element)))
    }

    /// The visible short lines with a digit behind the heading.
    pub(super) fn numbers_behind_heading(&self) -> impl Iterator<Item = Line<'a>> {
        let page = self.page;
        let place = self
            .heading
            .map_or(page.blocks.len(), |heading| self.place(heading));
        let places = place + 1..page.blocks.len();
        let short = places.filter(|&at| !page.blocks[at].hidden && page.blocks[at].text.len() <= SHORT);
        let lines = short.map(|at| Line::new(page, at));
        lines.filter(|line| line.text.bytes().any(|byte| byte.is_ascii_digit()))
    }

    /// Whether an element is about the page itself.
    pub(super) fn is_own(&self, element: u32) -> bool {
        !self.is_aside(element) && !self.is_of_other(element)
    }

    /// Whether an element with a label of its own, as a table of facts has it, is about the page itself.
    pub(super) fn is_own_field(&self, element: u32) -> bool {
        let heading = self.heading_above(element);
        !self.is_comment_or_footer(element)
            && !heading.is_some_and(|heading| is_of_others(&self.text(heading)))
    }

    /// Those of some blocks that are visible.
    fn lines<'b>(&self, places: impl Iterator<Item = usize> + 'b) -> impl Iterator<Item = Line<'a>> {
        let page = self.page;
        let shown = places.filter(|&at| !page.blocks[at].hidden);
        let lines: Vec<_> = shown.map(|at| Line::new(page, at)).collect();
        lines.into_iter()
    }

    /// Whether an element stands in the masthead: above what the heading and the text stand in, or in a header of the site. A
    /// day there may be today's.
    pub(super) fn is_in_masthead(&self, element: u32) -> bool {
        let Some(heading) = self.heading.filter(|&heading| element < heading) else {
            return false;
        };
        let page = self.page;
        let is_above = || {
            let frame = self.frame().filter(|&frame| element < frame);
            frame.is_some_and(|frame| page.elements[element as usize].end <= frame)
        };
        let mut around = page.ancestors(element).take(LEVELS);
        let mut is_in_header = || {
            around.any(|up| {
                let is_header = page.elements[up as usize].tag == Tag::Header
                    || self.has_name(up, |value| has_word(value, |word| MASTHEAD.contains(&word)));
                is_header && page.elements[up as usize].end <= heading && !self.is_of_article(up)
            })
        };
        is_above() || is_in_header()
    }

    /// Whether the page has an element for the heading and its text, smaller than its body.
    pub(super) fn has_frame(&self) -> bool {
        let frame = self.frame().map(|frame| self.page.elements[frame as usize].tag);
        frame.is_some_and(|tag| !matches!(tag, Tag::Body | Tag::Html))
    }

    /// The innermost element around the heading that holds some text beside it.
    fn frame(&self) -> Option<u32> {
        let page = self.page;
        let mut around = page.ancestors(self.heading?);
        around.find(|&up| self.size(up) >= FRAME)
    }

    /// The number of the first block with text of an element or of what stands behind it.
    fn place(&self, element: u32) -> usize {
        let first = self.tops.partition_point(|&top| top < element);
        let run = self.page.runs.get(first);
        run.map_or(self.page.blocks.len(), |run| self.block_of(run))
    }

    /// What stands before an element in its line.
    pub(super) fn before_in_line(&self, element: u32) -> &'a str {
        let page = self.page;
        let own = self.first_run(element);
        let line =
            own.and_then(|(block, run)| page.text.get(block.text.start as usize..run.text.start as usize));
        line.unwrap_or_default()
    }

    /// The line of an element that begins it, with the line before.
    pub(super) fn own_line(&self, element: u32) -> Option<Line<'a>> {
        let (block, run) = self.first_run(element)?;
        let blocks = &self.page.blocks;
        let at = blocks.partition_point(|other| other.text.start < block.text.start);
        (block.text.start == run.text.start && at > 0).then(|| Line::new(self.page, at))
    }

    /// The first run below an element, with its block.
    fn first_run(&self, element: u32) -> Option<(&'a Block, &'a Run)> {
        let run = self.page.runs.get(self.runs(element).start)?;
        Some((self.page.blocks.get(self.block_of(run))?, run)).filter(|_| !self.runs(element).is_empty())
    }

    /// The runs below an element.
    fn runs(&self, element: u32) -> Range<usize> {
        let within = element..self.page.elements[element as usize].end;
        let [first, end] = [within.start, within.end].map(|at| self.tops.partition_point(|&top| top < at));
        // Text of the elements around it may follow before the next element begins.
        let behind = self.page.runs[first..end].iter().rev();
        let behind = behind.take_while(|run| !within.contains(&run.element));
        first..end - behind.count()
    }

    /// The element of the first digit in an element; the element itself where there is none.
    pub(super) fn first_number(&self, element: u32) -> u32 {
        let mut runs = self.page.runs[self.runs(element)].iter();
        let own = runs.find(|run| {
            self.page
                .run_text(run)
                .chars()
                .any(|letter| digit(letter).is_some())
        });
        own.map_or(element, |run| run.element)
    }

    /// The block of a run.
    fn block_of(&self, run: &Run) -> usize {
        self.page
            .blocks
            .partition_point(|block| block.text.end <= run.text.start)
    }

    /// The text of an element, a part of a block each, as far as it stands in elements and texts that are wanted.
    pub(super) fn lines_of(
        &self,
        element: u32,
        wanted: &dyn Fn(Tag, &str) -> bool,
    ) -> impl Iterator<Item = &'a str> {
        let page = self.page;
        let is_wanted =
            move |run: &&'a Run| wanted(page.elements[run.element as usize].tag, page.run_text(run));
        let mut runs = page.runs[self.runs(element)].iter().filter(is_wanted).peekable();
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

    /// The blocks that hold the text of an element; none where they hold other text, too.
    pub(super) fn whole_blocks(&self, element: u32) -> Option<Range<usize>> {
        let page = self.page;
        let own = self.runs(element);
        let first = self.block_of(page.runs.get(own.start)?);
        let last = self.block_of(page.runs[own.clone()].last()?);
        let of_blocks = page.blocks.get(first)?.runs.start..page.blocks.get(last)?.runs.end;
        (of_blocks.start as usize == own.start && of_blocks.end as usize == own.end)
            .then_some(first..last + 1)
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
    pub(super) fn is_aside(&self, element: u32) -> bool {
        let page = self.page;
        // Themes call anything a sidebar or a widget, even the column of the text. The heading and most of the text are certainly
        // the page's own: from the first element that holds either, names mean nothing.
        let mut around = page
            .ancestors(element)
            .take(LEVELS)
            .take_while(|&up| !self.holds_heading(up) && !self.is_most(up));
        around.any(|up| match page.elements[up as usize].tag {
            Tag::Nav => true,
            Tag::Aside => self.runs(up).len() > SMALL || self.is_behind_text(up),
            Tag::Footer => !self.is_of_article(up),
            Tag::Article => {
                let class = page.attribute(up, Attr::Class).unwrap_or_default();
                let is_only_one = self.articles == 1 && !self.is_behind_text(up);
                let is_named = has_word(class, |word| TEASERS.contains(&word));
                is_named || (!is_only_one && self.is_teaser(up))
            }
            Tag::Body | Tag::Html | Tag::Main => false,
            _ => self.has_name(up, is_aside_name) || (self.has_name(up, is_card_name) && self.is_linked(up)),
        })
    }

    /// Whether an element behind the beginning of the text stands in an item of a list, in a box with a heading of its own, or
    /// under a heading of comments or of other pages.
    pub(super) fn is_of_other(&self, element: u32) -> bool {
        if !self.is_behind_text(element) {
            return false;
        }
        let page = self.page;
        let mut around = page
            .ancestors(element)
            .take(BOX)
            .take_while(|&up| !self.holds_heading(up));
        let is_item = |up: u32| page.elements[up as usize].tag == Tag::Li && self.size(up) > SHORT_ITEM;
        let is_box = around.any(|up| is_item(up) || self.is_teaser(up));
        is_box
            || self
                .heading_above(element)
                .is_some_and(|heading| is_of_others(&self.text(heading)))
    }

    /// Whether a block of text, or more lines of it than a summary has, stand between the heading and an element.
    fn is_behind_text(&self, element: u32) -> bool {
        let place = self.heading.map_or(0, |heading| self.place(heading));
        let before = place..self.place(element);
        let before = self.page.blocks.get(before).unwrap_or_default();
        let bytes = before.iter().map(|block| block.text.len());
        let bytes = bytes.filter(|bytes| *bytes >= SENTENCE);
        bytes.clone().any(|bytes| bytes >= PROSE) || bytes.sum::<usize>() >= SUMMARY
    }

    fn is_heading(&self, element: u32) -> bool {
        is_heading(self.page.elements[element as usize].tag)
    }

    /// The last heading before an element, behind the page's own.
    fn heading_above(&self, element: u32) -> Option<u32> {
        let from = self.heading?.max(element.saturating_sub(ABOVE)) + 1;
        (from..element).rev().find(|&at| self.is_heading(at))
    }

    /// Whether an element stands among comments, in a menu or in a footer.
    fn is_comment_or_footer(&self, element: u32) -> bool {
        let page = self.page;
        let mut around = page
            .ancestors(element)
            .take(LEVELS)
            .take_while(|&up| !self.holds_heading(up));
        around.any(|up| match page.elements[up as usize].tag {
            Tag::Nav => true,
            Tag::Footer => !self.is_of_article(up),
            Tag::Body | Tag::Html | Tag::Main => false,
            _ => self.has_name(up, |value| {
                has_word(value, is_comment_word) || is_footer_name(value)
            }),
        })
    }

    /// Whether the class or the id of an element passes a test.
    fn has_name(&self, element: u32, test: impl Fn(&str) -> bool) -> bool {
        let names = [Attr::Class, Attr::Id].into_iter();
        let mut values = names.filter_map(|name| self.page.attribute(element, name));
        values.any(test)
    }

    /// Whether a footer is that of the article with the heading, or stands before the text of an article below it.
    fn is_of_article(&self, footer: u32) -> bool {
        let page = self.page;
        let around = page
            .ancestors(footer)
            .find(|&up| page.elements[up as usize].tag == Tag::Article);
        around.is_some_and(|article| {
            self.holds_heading(article) || (self.size(article) > TEASER_BYTES && !self.is_behind_text(footer))
        })
    }

    /// Whether an element that does not hold the heading has little text, and begins with a heading of its own that is neither
    /// an author's name nor the label of a day of publication.
    fn is_teaser(&self, element: u32) -> bool {
        if self.heading.is_none() || self.size(element) > TEASER_BYTES {
            return false;
        }
        let mut own = (element..self.page.elements[element as usize].end).take(TEASER);
        let title = own.find(|&at| {
            self.is_heading(at)
                && !self.has_name(at, |name| has_word(name, |word| word == "author"))
                && !is_publication_label(&self.text(at))
        });
        title.is_some_and(|title| {
            let before = &self.page.blocks[self.place(element)..self.place(title)];
            before.iter().all(|block| block.text.len() < SENTENCE)
        })
    }

    /// Whether an element has a heading or a link of its own, or is a part of a link.
    fn is_linked(&self, element: u32) -> bool {
        let mut around = self.page.ancestors(element);
        let is_in_link = around.any(|up| self.page.elements[up as usize].tag == Tag::A);
        is_in_link || self.is_teaser(element) || !self.links(element).is_empty()
    }

    /// Whether an element holds more than half of the text.
    fn is_most(&self, element: u32) -> bool {
        self.size(element) as usize * 2 > self.page.text.len()
    }

    /// Bytes of text in an element.
    fn size(&self, element: u32) -> u32 {
        let own = &self.page.runs[self.runs(element)];
        let (first, last) = (own.first(), own.last());
        first
            .zip(last)
            .map_or(0, |(first, last)| last.text.end - first.text.start)
    }

    /// The links within an element, as far as they are looked at.
    pub(super) fn links(&self, element: u32) -> Vec<u32> {
        let page = self.page;
        let within = element..page.elements[element as usize].end;
        let is_image = |run: &Run| page.elements[run.element as usize].tag == Tag::Img;
        let is_text = |&at: &u32| {
            page.elements[at as usize].tag == Tag::A && !page.runs[self.runs(at)].iter().all(is_image)
        };
        let links = within.filter(is_text);
        links.take(LINKS).collect()
    }
}

/// Maximum links examined per element.
const LINKS: usize = 20;

fn is_heading(tag: Tag) -> bool {
    matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
}

/// How many elements of a name a page has.
fn elements_of(page: &Page, tag: Tag) -> usize {
    page.elements.iter().filter(|element| element.tag == tag).count()
}

/// Whether a heading is that of comments or of other pages.
fn is_of_others(heading: &str) -> bool {
    let low = heading.to_lowercase();
    let low = low.trim_start_matches(|letter: char| !letter.is_alphabetic());
    OF_OTHERS.iter().any(|stem| low.starts_with(stem.as_str()))
}

/// What finds words in attributes. (Only of leftmost matches are several bytes looked for at a time.)
pub(super) fn finder(words: &[&str]) -> AhoCorasick {
    let mut builder = AhoCorasick::builder();
    let finder = builder.match_kind(MatchKind::LeftmostFirst).build(words);
    finder.expect("the words are few and short")
}

/// Whether a class or id is of something that is not about the page itself.
fn is_aside_name(value: &str) -> bool {
    let is_aside = |word: &str| is_aside_word(word) || is_comment_word(word);
    if !has_word(value, |word| is_aside(word) || word == "footer") {
        return false;
    }
    // A blog of Blogger is a widget, too.
    let is_blog = has_word(value, |word| word == "blog");
    let mut names = value.split_ascii_whitespace();
    names.any(|name| !(is_blog && name == "widget") && has_word(name, is_aside)) || is_footer_name(value)
}

/// Whether a word of a class or id is of what is not about the page itself.
fn is_aside_word(word: &str) -> bool {
    matches!(
        word,
        "related"
            | "recommended"
            | "sidebar"
            | "teaser"
            | "teasers"
            | "widget"
            | "newsletter"
            | "menu"
            | "nav"
            | "popular"
            | "trending"
            | "carousel"
            | "promo"
            | "recent"
            | "latest"
            | "suggested"
            | "recirculation"
            | "readmore"
            | "upcoming"
            | "events"
            | "calendar"
            | "archive"
            | "archives"
            | "copyright"
            | "colophon"
    )
}

/// Whether a word of a class or id is of comments.
fn is_comment_word(word: &str) -> bool {
    word.starts_with("comment") || matches!(word, "reply" | "replies" | "respond" | "disqus")
}

/// Whether a class or id is of a card, which may be one of another page.
fn is_card_name(value: &str) -> bool {
    has_word(value, |word| matches!(word, "card" | "cards"))
}

/// Whether a class or id is of a footer, but for that of a post.
fn is_footer_name(value: &str) -> bool {
    let is_footer = |name: &str| {
        has_word(name, |word| word == "footer") && !has_word(name, |word| OF_TEXT.contains(&word))
    };
    // Nearly no name has it.
    let may_be = value.contains("ooter") || value.contains("OOTER");
    may_be && value.split_ascii_whitespace().any(is_footer)
}

/// Whether one of the words of a class or id passes a test: `post-author`, `postAuthor` and
/// `post_author` are of two words.
pub(super) fn has_word(names: &str, test: impl Fn(&str) -> bool) -> bool {
    let names = &names[..names.floor_char_boundary(LONGEST_NAMES)];
    let bytes = names.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
            at += 1;
            let begins_other = bytes.get(at).is_some_and(u8::is_ascii_uppercase);
            if begins_other && bytes[at - 1].is_ascii_lowercase() {
                break;
            }
        }
        if at == start {
            at += 1;
            continue;
        }
        let word = &names[start..at];
        let is_named = match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => test(&word.to_ascii_lowercase()),
            false => test(word),
        };
        if is_named {
            return true;
        }
    }
    false
}

/// Bytes of an element's text after which no further line is read.
const LONGEST_TEXT: usize = 1000;

/// Maximum bytes examined per class attribute.
const LONGEST_NAMES: usize = 300;
